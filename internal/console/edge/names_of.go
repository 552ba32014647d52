package edge

import (
	"context"
	"slices"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/tenants"
)

// Former adds the names of people who left and whose acts are among the records.
func (s *Console) Former(ctx context.Context, names tenants.Names, records []audit.Record) error {
	for _, r := range records {
		if err := s.Tenants.FormerNames(ctx, names, r.Event.People()...); err != nil {
			return err
		}
	}
	return nil
}

// Named are the names for the sentences of these records: those of people and agents, and
// for a request what it would do. A request that cannot be read any more has none; the
// trail is shown all the same.
func (s *Console) Named(ctx context.Context, m auth.Member, names tenants.Names, records []audit.Record) audit.Names {
	var ids []string
	for _, r := range records {
		if id := r.Event.Approval; id != "" && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	about, err := s.Approvals.Sentences(ctx, m, ids)
	if err != nil {
		s.Log.WarnContext(ctx, "requests of the trail can't be read", "tenant", m.Tenant, "error", err)
	}
	return func(kind, id string) string {
		if sentence := about[id]; sentence != "" {
			return sentence
		}
		return names.Of(kind, id)
	}
}
