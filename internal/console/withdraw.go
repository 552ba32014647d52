package console

import (
	"context"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/console/edge"
	"github.com/countersign/countersign/internal/console/request"
	"github.com/countersign/countersign/internal/console/urls"
)

// A yes that is unused can be withdrawn. The way there is a link and no popover: it is pushed with
// the outcome, and works without script.

// withdrawYes takes the form.
func (s *Console) withdrawYes(c edge.Call) error {
	id, err := s.RequestID(c)
	if err != nil {
		return err
	}
	reason := c.Field("reason")
	if err = c.Unlocked(); err == nil {
		err = s.Approvals.WithdrawYes(c.Request().Context(), c.Member, id, reason)
	}
	if err != nil {
		return s.refused(c, err, request.Typed{Verdict: request.VerdictWithdraw, Reason: reason})
	}
	return edge.GoTo(c, urls.Request(c.Member.Tenant, id))
}

// withdrew is the name of the person who withdrew the yes to a; "" where nobody did.
func (s *Feed) withdrew(ctx context.Context, m auth.Member, a approvals.Approval) (string, error) {
	if a.Grant == nil || a.Grant.VoidedAt == nil {
		return "", nil
	}
	told, err := s.Audit.Search(ctx, m.Tenant, audit.Query{Edge: -1, Limit: 1, Filter: audit.Filter{Approval: a.ID, Kinds: []audit.Kind{audit.GrantVoided}, Actor: audit.Actor{Kind: "person"}}})
	if err != nil || len(told.Records) == 0 {
		return "", err
	}
	names, err := s.Tenants.Names(ctx, m)
	if err == nil {
		err = s.Former(ctx, names, told.Records)
	}
	return names.Of("person", told.Records[0].Event.Actor.ID), err
}
