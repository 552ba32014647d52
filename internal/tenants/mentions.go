package tenants

import (
	"context"
	"time"
)

// Mention is one of a person in a comment on a request that they haven't opened since.
type Mention struct {
	Approval, By string
	At           time.Time
}

// MentionKept is for how long pages tell of one.
const MentionKept = 30 * 24 * time.Hour

// Mentions are those of these members, by person.
func (s *Service) Mentions(ctx context.Context, tenant string, people []string) (all map[string][]Mention, err error) {
	err = s.store.Read(ctx, tenant, func(r Reader) error {
		all, err = r.Mentions(people...)
		return err
	})
	return all, err
}
