package console

import (
	"github.com/countersign/countersign/internal/console/request"
	"github.com/countersign/countersign/internal/console/urls"
)

// ask takes the form.
func (s *Console) ask(c call) error {
	id, err := s.requestID(c)
	if err != nil {
		return err
	}
	question := c.field("question")
	if err = c.unlocked(); err == nil {
		err = s.approvals.Ask(c.Request().Context(), c.member, id, question)
	}
	if err != nil {
		return s.refused(c, err, request.Typed{Verdict: request.VerdictAsk, Reason: question})
	}
	return goTo(c, urls.Request(c.member.Tenant, id))
}
