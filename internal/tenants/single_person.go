package tenants

import (
	"context"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/canon"
)

// An organisation begins in single-person mode, and leaves it for good.

// settleMode ends single-person mode where a second person has signed in who may decide
// or manage.
func settleMode(w Writer, tenant, person string) error {
	single, err := w.Single()
	if err != nil || !single {
		return err
	}
	st, err := w.Authority()
	if err != nil || !st.EndsSingle() {
		return err
	}
	if err := w.EndSinglePerson(person); err != nil {
		return err
	}
	// Whose account could be taken with a link that nobody else accepted has their work to
	// lose from now on.
	gone, err := w.WithdrawPasswordLinks()
	if err != nil {
		return err
	}
	tickets := make([]canon.Value, len(gone))
	for i, id := range gone {
		tickets[i] = canon.String(id)
	}
	return w.Append(aboutPerson(tenant, audit.SinglePersonEnded, system, person, member("withdrawn", canon.Array(tickets...))))
}

// TellMode writes down in which mode a tenant is that has been there since before there
// was one. Any number of servers may do so.
func (s *Service) TellMode(ctx context.Context, tenant string) error {
	return s.store.Write(ctx, tenant, func(w Writer) error {
		told, err := w.Told(audit.TenantCreated, audit.ModeStated, audit.SinglePersonEnded)
		if err != nil {
			return err
		}
		for _, e := range told {
			if e.Kind != audit.TenantCreated || !e.Data.Get("single_person_mode").IsAbsent() {
				return nil
			}
		}
		single, err := w.Single()
		if err != nil {
			return err
		}
		return w.Append(audit.Event{Tenant: tenant, Kind: audit.ModeStated, Actor: system, Data: canon.Object(member("single_person_mode", canon.Bool(single)))})
	})
}
