package console

import (
	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/console/untrusted"
	"github.com/countersign/countersign/views/review"
	"github.com/countersign/countersign/views/texts"
)

// Questions to the agent of a request.

// verdictAsk marks what was typed in that form. It is no verdict.
const verdictAsk approvals.Verdict = "ask"

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
		return s.refused(c, err, typed{verdict: verdictAsk, reason: question})
	}
	return goTo(c, requestURL(c.member.Tenant, id))
}

// questionsOf are those about a request; nil where there is none, and none can be asked.
func questionsOf(say texts.Printer, v approvals.Review, who reader, t typed) *review.Questions {
	q := askedOf(say, v.Approval)
	if v.MayAsk && !who.locked && len(v.Questions) < approvals.MostQuestions {
		form := reasonForm(say, t, verdictAsk, who.own)
		q.Ask = &review.AskForm{URL: requestURL(v.Tenant, v.ID) + "/ask", Text: form.Text, Open: form.Open}
		if form.Open && t.fault.Member == "question" {
			q.Ask.Error = because(say, t.fault) + "."
		}
	}
	if len(q.Asked) == 0 && q.Ask == nil {
		return nil
	}
	return &q
}

// askedOf is what was asked and answered, which is as good as any text of an agent.
func askedOf(say texts.Printer, a approvals.Approval) review.Questions {
	q := review.Questions{ID: a.ID}
	for _, one := range a.Questions {
		asked := review.Asked{ID: one.ID, By: sayAt(say, momentForm, texts.Key("%s asked at %s"), one.Name, one.AskedAt), Text: untrusted.Runs(one.Text)}
		if one.AnsweredAt != nil {
			asked.Answer, asked.When = untrusted.Runs(one.Answer), sayAt(say, momentForm, texts.Key("Answered at %s"), *one.AnsweredAt)
		}
		q.Asked = append(q.Asked, asked)
	}
	return q
}
