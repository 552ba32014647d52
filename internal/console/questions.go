package console

import (
	"context"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/console/edge"
	"github.com/countersign/countersign/internal/console/request"
	"github.com/countersign/countersign/internal/console/urls"
)

// ask takes a question to the agent, comment one for colleagues.
func (s *Console) ask(c edge.Call) error {
	return s.saying(c, "question", request.VerdictAsk, s.Approvals.Ask)
}

func (s *Console) comment(c edge.Call) error {
	return s.saying(c, "comment", request.VerdictComment, s.Approvals.Comment)
}

func (s *Console) saying(c edge.Call, field string, form approvals.Verdict, say func(ctx context.Context, m auth.Member, id, text string) error) error {
	id, err := s.RequestID(c)
	if err != nil {
		return err
	}
	text := c.Field(field)
	if err = c.Unlocked(); err == nil {
		err = say(c.Request().Context(), c.Member, id, text)
	}
	if err != nil {
		return s.refused(c, err, request.Typed{Verdict: form, Reason: text})
	}
	return edge.GoTo(c, urls.Request(c.Member.Tenant, id))
}
