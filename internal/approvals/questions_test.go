package approvals_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
)

// asked puts a question and returns it as the agent reads it.
func (h *house) asked(m auth.Member, id, text string) approvals.AgentQuestion {
	h.t.Helper()
	must(h.t, h.Ask(h.t.Context(), m, id, text))
	a, err := h.Get(h.t.Context(), h.agent, id)
	must(h.t, err)
	if len(a.Questions) == 0 {
		h.t.Fatal("the agent reads no question")
	}
	return a.Questions[len(a.Questions)-1]
}

// An operator asks, the agent answers, and the request waits on: neither changes the act, its level
// or what approving it takes.
func TestAskTheAgent(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *house) {
		ctx := t.Context()
		h.atOnce()
		a := h.waiting(confirm, scoring.ChallengeConfirm)
		before := h.get(a.ID)
		watch := h.hub.WatchID("acme", a.ID)
		defer watch.Close()
		q := h.asked(h.ada, a.ID, " Which ticket is it? ghp_abcdefghijklmnopqrstuvwxyz0123456789 ")
		select {
		case <-watch.C():
		default:
			t.Error("nobody was told of the question")
		}
		if !strings.HasPrefix(q.ID, "qst_") || !strings.HasPrefix(q.Text, "Which ticket is it?") || strings.Contains(q.Text, "ghp_") ||
			q.Person != h.ada.Person.ID || q.Name != h.ada.Person.Name || q.AnsweredAt != nil || q.AskedAt.Before(a.CreatedAt) {
			t.Errorf("the agent reads %+v", q)
		}
		const said = "OPS-1, with ghp_abcdefghijklmnopqrstuvwxyz0123456789"
		got, err := h.AnswerQuestion(ctx, h.agent, a.ID, q.ID, said)
		must(t, err)
		if n := len(got.Questions); n != 1 || !strings.HasPrefix(got.Questions[0].Answer, "OPS-1, with") || strings.Contains(got.Questions[0].Answer, "ghp_") {
			t.Errorf("the agent is told of %d questions: %+v", n, got.Questions)
		}
		_, err = h.AnswerQuestion(ctx, h.agent, a.ID, q.ID, said)
		must(t, err) // the same answer again is that one
		_, err = h.AnswerQuestion(ctx, h.agent, a.ID, q.ID, "OPS-2")
		wantFault(t, "another answer", err, fault.Changed)
		v := h.show(h.ben, a.ID)
		if len(v.Questions) != 1 || v.Questions[0].AnsweredAt == nil || !v.MayAsk {
			t.Errorf("a colleague reads %+v", v.Questions)
		}
		page, _, err := h.List(ctx, h.agent, approvals.Filter{})
		must(t, err)
		if len(page[0].Questions) != 1 {
			t.Errorf("the list has %+v", page[0].Questions)
		}
		after := h.get(a.ID)
		before.Questions, after.Questions = nil, nil
		if !reflect.DeepEqual(before, after) {
			t.Errorf("it became %+v", after)
		}
		h.wantTrail("it", a.ID, audit.Submitted, audit.QuestionAsked, audit.QuestionAnswered, audit.Viewed, audit.ChallengeIssued)
		if _, err := h.decide(h.ada, a.ID, form(h.show(h.ada, a.ID))); err != nil {
			t.Fatal(err)
		}
		if got, err := h.Get(ctx, h.agent, a.ID); err != nil || len(got.Questions) != 1 {
			t.Errorf("after the decision: %+v, %v", got.Questions, err)
		}
		h.wantVerified()
	})
}

// Only who may decide asks, only the agent whose request it is answers, only while it waits, and
// only what was asked.
func TestWhoAsksAndAnswers(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	ctx := t.Context()
	a := h.submit(confirm)
	q := h.asked(h.ada, a.ID, "Which ticket is it?")
	for what, bad := range map[string]string{"nothing": "", "blank": " \u200b", "too long": strings.Repeat("é", 2001), "no text": "\xff"} {
		wantFault(t, what, h.Ask(ctx, h.ada, a.ID, bad), fault.InvalidForm)
	}
	wantFault(t, "by somebody who is no operator", h.Ask(ctx, h.eve, a.ID, "Why?"), fault.NotEligible)
	wantFault(t, "about nothing", h.Ask(ctx, h.ada, "apr_no", "Why?"), fault.Missing)
	for what, c := range map[string]struct {
		agent              auth.Agent
		question, text, of string
		want               fault.Code
	}{
		"another agent's":          {h.other, q.ID, "OPS-1", a.ID, fault.Missing},
		"a question of no request": {h.agent, q.ID, "OPS-1", "apr_no", fault.Missing},
		"no question":              {h.agent, "qst_no", "OPS-1", a.ID, fault.InvalidMember},
		"no answer":                {h.agent, q.ID, " ", a.ID, fault.InvalidMember},
		"too long an answer":       {h.agent, q.ID, strings.Repeat("x", 4097), a.ID, fault.InvalidMember},
		"what is no text":          {h.agent, q.ID, "a\xff", a.ID, fault.InvalidMember},
	} {
		_, err := h.AnswerQuestion(ctx, c.agent, c.of, c.question, c.text)
		wantFault(t, what, err, c.want)
	}
	for range approvals.MostQuestions - 1 {
		must(t, h.Ask(ctx, h.ben, a.ID, "And?"))
	}
	wantFault(t, "one more", h.Ask(ctx, h.ben, a.ID, "And?"), fault.Changed)
	h.refuse(h.ada, a, approvals.VerdictDeny)
	_, err := h.AnswerQuestion(ctx, h.agent, a.ID, q.ID, "OPS-1")
	wantFault(t, "an answer after the decision", err, fault.AlreadyDecided)
	wantFault(t, "a question after the decision", h.Ask(ctx, h.ada, a.ID, "Why?"), fault.AlreadyDecided)
}

// What was answered is in the log alone: whoever edits it there gets no approval by it.
func TestAnEditedAnswerApprovesNothing(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *house) {
		h.atOnce()
		a := h.waiting(confirm, scoring.ChallengeConfirm)
		q := h.asked(h.ada, a.ID, "Which ticket is it?")
		_, err := h.AnswerQuestion(t.Context(), h.agent, a.ID, q.ID, "none at all")
		must(t, err)
		in := form(h.show(h.ada, a.ID))
		h.disarm("audit_events")
		h.exec("UPDATE audit_events SET bytes = replace(bytes, 'none at all', 'OPS-1, agreed') WHERE approval_id = $1", a.ID)
		_, err = h.decide(h.ada, a.ID, in)
		wantFault(t, "approving by an answer that nobody gave", err, fault.GrantUnproven)
	})
}
