package request

import (
	"slices"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/internal/console/untrusted"
	"github.com/countersign/countersign/internal/console/urls"
	"github.com/countersign/countersign/views/review"
	"github.com/countersign/countersign/views/texts"
)

// What is said about a request: to its agent, and among people.

// VerdictAsk and VerdictComment mark what was typed in these forms. They are no verdicts.
const (
	VerdictAsk     approvals.Verdict = "ask"
	VerdictComment approvals.Verdict = "comment"
)

// talkOf is what is said about a request; nil where there is nothing, and nothing can be said.
func talkOf(say texts.Printer, v approvals.Review, who Reader, t Typed) *review.Talk {
	talk := TalkOf(say, v.Approval)
	form := func(verdict approvals.Verdict, path, field string) *review.TalkForm {
		typed := reasonForm(say, t, verdict, who.Own)
		f := &review.TalkForm{URL: urls.Request(v.Tenant, v.ID) + path, Text: typed.Text, Open: typed.Open}
		if typed.Open && t.Fault.Member == field {
			f.Error = present.Because(say, t.Fault) + "."
		}
		return f
	}
	if who.Member.May(auth.Comment) && !who.Locked && len(v.Comments) < approvals.MostComments {
		talk.Comment = form(VerdictComment, "/comment", "comment")
		for _, p := range v.Mentionable {
			talk.People = append(talk.People, p.Name)
		}
		slices.Sort(talk.People)
	}
	if v.MayAsk && !who.Locked && len(v.Questions) < approvals.MostQuestions {
		talk.Ask = form(VerdictAsk, "/ask", "question")
	}
	if len(talk.Said) == 0 && talk.Ask == nil && talk.Comment == nil {
		return nil
	}
	return &talk
}

// TalkOf is what was said, which is as good as any text of an agent.
func TalkOf(say texts.Printer, a approvals.Approval) review.Talk {
	talk := review.Talk{ID: a.ID}
	at := map[string]time.Time{}
	for _, one := range a.Questions {
		said := review.Said{ID: one.ID, ToAgent: true, By: present.SayAt(say, present.MomentForm, texts.Key("%s asked at %s"), one.Name, one.AskedAt), Text: untrusted.Runs(one.Text)}
		if one.AnsweredAt != nil {
			said.Answer, said.When = untrusted.Runs(one.Answer), present.SayAt(say, present.MomentForm, texts.Key("Answered at %s"), *one.AnsweredAt)
		}
		talk.Said, at[one.ID] = append(talk.Said, said), one.AskedAt
	}
	for _, one := range a.Comments {
		talk.Said = append(talk.Said, review.Said{ID: one.ID, By: present.SayAt(say, present.MomentForm, texts.Key("%s commented at %s"), one.Name, one.At), Text: untrusted.Runs(one.Text)})
		at[one.ID] = one.At
	}
	slices.SortStableFunc(talk.Said, func(a, b review.Said) int { return at[a.ID].Compare(at[b.ID]) })
	return talk
}
