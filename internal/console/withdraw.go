package console

import (
	"context"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/console/request"
	"github.com/countersign/countersign/internal/console/urls"
)

// A yes that is unused can be withdrawn. The way there is a link and no popover: it is pushed with
// the outcome, and works without script.

// withdrawYes takes the form.
func (s *Console) withdrawYes(c call) error {
	id, err := s.requestID(c)
	if err != nil {
		return err
	}
	reason := c.field("reason")
	if err = c.unlocked(); err == nil {
		err = s.approvals.WithdrawYes(c.Request().Context(), c.member, id, reason)
	}
	if err != nil {
		return s.refused(c, err, request.Typed{Verdict: request.VerdictWithdraw, Reason: reason})
	}
	return goTo(c, urls.Request(c.member.Tenant, id))
}

// withdrew is the name of the person who withdrew the yes to a; "" where nobody did.
func (s *Console) withdrew(ctx context.Context, m auth.Member, a approvals.Approval) (string, error) {
	if a.Grant == nil || a.Grant.VoidedAt == nil {
		return "", nil
	}
	told, err := s.audit.Search(ctx, m.Tenant, audit.Query{Edge: -1, Limit: 1, Filter: audit.Filter{Approval: a.ID, Kinds: []audit.Kind{audit.GrantVoided}, Actor: audit.Actor{Kind: "person"}}})
	if err != nil || len(told.Records) == 0 {
		return "", err
	}
	names, err := s.tenants.Names(ctx, m)
	if err == nil {
		err = s.former(ctx, names, told.Records)
	}
	return names.Of("person", told.Records[0].Event.Actor.ID), err
}
