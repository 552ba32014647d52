package approvals

import (
	"context"

	"github.com/countersign/countersign/internal/auth"
)

// Sentences says what each of these requests would do, as its row in a list does. Those
// that an operator edited are left out: what is told of them before the edit is about
// another act.
func (s *Service) Sentences(ctx context.Context, m auth.Member, ids []string) (map[string]string, error) {
	if err := may(m, auth.ReadQueue); err != nil || len(ids) == 0 {
		return nil, err
	}
	said := make(map[string]string, len(ids))
	err := s.store.Read(ctx, m.Tenant, func(r Reader) error {
		all, err := r.ApprovalsOf(ids)
		for _, a := range all {
			l := a.Line()
			if l.Edited {
				continue
			}
			said[a.ID] = l.Words.Text()
		}
		return err
	})
	return said, err
}
