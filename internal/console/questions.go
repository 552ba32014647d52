package console

import (
	"github.com/countersign/countersign/internal/console/edge"
	"github.com/countersign/countersign/internal/console/request"
	"github.com/countersign/countersign/internal/console/urls"
)

// ask takes the form.
func (s *Console) ask(c edge.Call) error {
	id, err := s.RequestID(c)
	if err != nil {
		return err
	}
	question := c.Field("question")
	if err = c.Unlocked(); err == nil {
		err = s.Approvals.Ask(c.Request().Context(), c.Member, id, question)
	}
	if err != nil {
		return s.refused(c, err, request.Typed{Verdict: request.VerdictAsk, Reason: question})
	}
	return edge.GoTo(c, urls.Request(c.Member.Tenant, id))
}
