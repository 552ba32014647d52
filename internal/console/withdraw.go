package console

import (
	"context"
	"slices"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/console/untrusted"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/review"
	"github.com/countersign/countersign/views/texts"
)

// A yes that is unused can be withdrawn. The way there is a link and no popover: it is pushed with
// the outcome, and works without script.

// verdictWithdraw marks what was typed in that form. It is no verdict.
const verdictWithdraw approvals.Verdict = "withdraw"

// withdrawQuery opens the form. Without a fragment, with which a browser takes no notice of autofocus.
const withdrawQuery = "withdraw"

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
		return s.refused(c, err, typed{verdict: verdictWithdraw, reason: reason})
	}
	return goTo(c, requestURL(c.member.Tenant, id))
}

// withdrawOf is the form where it was asked for or refused; nil where it is not there.
func withdrawOf(say texts.Printer, v approvals.Review, who reader, t typed) *review.Withdraw {
	if who.locked || !v.MayWithdraw(who.member, v.Now) || !who.withdraws && t.verdict != verdictWithdraw {
		return nil
	}
	page := requestURL(v.Tenant, v.ID)
	return &review.Withdraw{URL: page + "/withdraw", Page: page, Reader: who.member.Person.ID, Form: *reasonForm(say, t, verdictWithdraw, who.own)}
}

// outcomeTo is how an approval ended, with what this reader can do about it.
func outcomeTo(say texts.Printer, v approvals.Review, who reader) views.Notice {
	n := outcomeOf(say, v.Approval)
	n.Ends = true
	if g := v.Grant; who.withdrew != "" && g != nil && g.VoidedAt != nil {
		n.Text = slices.Concat(quoted(v.Decision.Reason), untrusted.Runs(" "), sayAt(say, momentForm, texts.Key("%s withdrew this at %s: “%s”. The agent must resubmit."), who.withdrew, *g.VoidedAt, g.VoidReason))
	}
	if !who.locked && !who.withdraws && v.MayWithdraw(who.member, v.Now) {
		n.Undo = &views.Link{Label: say.Say("Withdraw approval"), URL: requestURL(v.Tenant, v.ID) + "?" + withdrawQuery}
	}
	return n
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
