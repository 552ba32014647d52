package edge

import (
	"context"
	"slices"

	"github.com/countersign/countersign/internal/approvals"
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

// Withdrew are the names of the people who withdrew the yes to some of these, by their ids. Only the
// trail has them, and few are void.
func (s *Console) Withdrew(ctx context.Context, m auth.Member, all ...approvals.Approval) (map[string]string, error) {
	who := map[string]string{}
	var names tenants.Names
	for _, a := range all {
		if !a.Void() {
			continue
		}
		told, err := s.Audit.Search(ctx, m.Tenant, audit.Query{Edge: -1, Limit: 1, Filter: audit.Filter{Approval: a.ID, Kinds: []audit.Kind{audit.GrantVoided}, Actor: audit.Actor{Kind: "person"}}})
		if err != nil {
			return nil, err
		}
		if len(told.Records) == 0 {
			continue
		}
		if len(who) == 0 {
			if names, err = s.Tenants.Names(ctx, m); err != nil {
				return nil, err
			}
		}
		if err := s.Former(ctx, names, told.Records); err != nil {
			return nil, err
		}
		who[a.ID] = names.Of("person", told.Records[0].Event.Actor.ID)
	}
	return who, nil
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
