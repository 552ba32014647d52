package request

import (
	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/internal/console/untrusted"
	"github.com/countersign/countersign/internal/console/urls"
	"github.com/countersign/countersign/views/review"
	"github.com/countersign/countersign/views/texts"
)

// Questions to the agent of a request.

// VerdictAsk marks what was typed in that form. It is no verdict.
const VerdictAsk approvals.Verdict = "ask"

// questionsOf are those about a request; nil where there is none, and none can be asked.
func questionsOf(say texts.Printer, v approvals.Review, who Reader, t Typed) *review.Questions {
	q := AskedOf(say, v.Approval)
	if v.MayAsk && !who.Locked && len(v.Questions) < approvals.MostQuestions {
		form := reasonForm(say, t, VerdictAsk, who.Own)
		q.Ask = &review.AskForm{URL: urls.Request(v.Tenant, v.ID) + "/ask", Text: form.Text, Open: form.Open}
		if form.Open && t.Fault.Member == "question" {
			q.Ask.Error = present.Because(say, t.Fault) + "."
		}
	}
	if len(q.Asked) == 0 && q.Ask == nil {
		return nil
	}
	return &q
}

// AskedOf is what was asked and answered, which is as good as any text of an agent.
func AskedOf(say texts.Printer, a approvals.Approval) review.Questions {
	q := review.Questions{ID: a.ID}
	for _, one := range a.Questions {
		asked := review.Asked{ID: one.ID, By: present.SayAt(say, present.MomentForm, texts.Key("%s asked at %s"), one.Name, one.AskedAt), Text: untrusted.Runs(one.Text)}
		if one.AnsweredAt != nil {
			asked.Answer, asked.When = untrusted.Runs(one.Answer), present.SayAt(say, present.MomentForm, texts.Key("Answered at %s"), *one.AnsweredAt)
		}
		q.Asked = append(q.Asked, asked)
	}
	return q
}
