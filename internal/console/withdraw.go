package console

import (
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
