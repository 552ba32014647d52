package lifetest

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/quiz"
	"github.com/countersign/countersign/internal/scoring"
)

// answer answers the questions, the given one wrong (0: none).
func (h *house) answer(m auth.Member, id string, wrong int) (err error) {
	h.t.Helper()
	for n, of := 1, 2; n <= of; n++ {
		v := h.show(m, id)
		if v.Stage != approvals.StageAsking || v.Asking.Number != n {
			h.t.Fatalf("question %d: the stage is %s, %+v", n, v.Stage, v.Asking)
		}
		of = v.Asking.Of
		if err = h.Answer(h.t.Context(), m, id, answerTo(v.Challenge, n, n != wrong)); err != nil && n < of {
			h.t.Fatalf("question %d: %v", n, err)
		}
	}
	return err
}

// answerTo is the right answer to a question, or a wrong one.
func answerTo(c approvals.Challenge, n int, right bool) approvals.AnswerInput {
	q := c.Questions[n-1]
	in := approvals.AnswerInput{Challenge: c.ID, Question: n, Option: q.Right}
	if !right {
		in.Option = q.Options[slices.IndexFunc(q.Options, func(o quiz.Option) bool { return o.ID != q.Right })].ID
	}
	return in
}

func (h *house) start(m auth.Member, id string) {
	h.t.Helper()
	if err := h.StartQuiz(h.t.Context(), m, id); err != nil {
		h.t.Fatal(err)
	}
}

// TestQuiz fails once, passes, and approves.
func TestQuiz(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	a := h.waiting(asking, scoring.ChallengeQuiz)
	v := h.show(h.ada, a.ID)
	if v.Stage != approvals.StageReading || !v.Sealed || v.Challenge.ID != "" || v.Attempt != 1 {
		t.Errorf("before the quiz: %s, sealed %v, %q, attempt %d", v.Stage, v.Sealed, v.Challenge.ID, v.Attempt)
	}
	h.clock.advance(10 * time.Second)
	_, err := h.decide(h.ada, a.ID, form(v))
	wantFault(t, "approved without a quiz", err, fault.ChallengeRequired)

	h.start(h.ada, a.ID)
	asked := h.show(h.ada, a.ID)
	_, err = h.decide(h.ada, a.ID, form(asked))
	wantFault(t, "approved before the answers", err, fault.ChallengeRequired)
	q := asked.Challenge.Questions
	for name, in := range map[string]approvals.AnswerInput{
		"the second before the first": {Challenge: asked.Challenge.ID, Question: 2, Option: q[1].Right},
		"question 0":                  {Challenge: asked.Challenge.ID, Question: 0, Option: q[0].Right},
		"question 4":                  {Challenge: asked.Challenge.ID, Question: 4, Option: q[0].Right},
	} {
		wantFault(t, name, h.Answer(t.Context(), h.ada, a.ID, in), fault.Changed)
	}
	wantFault(t, "an option of another question", h.Answer(t.Context(), h.ada, a.ID, approvals.AnswerInput{Challenge: asked.Challenge.ID, Question: 1, Option: q[1].Right}), fault.InvalidForm)
	wantFault(t, "another operator answers", h.Answer(t.Context(), h.ben, a.ID, approvals.AnswerInput{Challenge: asked.Challenge.ID, Question: 1, Option: q[0].Right}), fault.ChallengeRequired)

	// Nothing tells which was wrong.
	err = h.answer(h.ada, a.ID, 1)
	wantFault(t, "the first wrong", err, fault.WrongAnswer)
	told := fault.As(err).Detail
	h.status("a failed quiz", a.ID, approvals.Pending)
	v = h.show(h.ada, a.ID)
	if v.Stage != approvals.StageReading || v.Attempt != 2 || !v.Sealed {
		t.Errorf("after a failed quiz: %s, attempt %d, sealed %v", v.Stage, v.Attempt, v.Sealed)
	}
	h.start(h.ben, a.ID)
	if err := h.answer(h.ben, a.ID, 3); fault.As(err).Detail != told {
		t.Errorf("the third wrong is told as %q, the first as %q", fault.As(err).Detail, told)
	}

	h.start(h.ada, a.ID)
	second := h.show(h.ada, a.ID)
	if second.Challenge.ID == asked.Challenge.ID || second.Challenge.Attempt != 2 {
		t.Errorf("the second set: %s, attempt %d", second.Challenge.ID, second.Challenge.Attempt)
	}
	if err := h.answer(h.ada, a.ID, 0); err != nil {
		t.Fatal(err)
	}
	v = h.show(h.ada, a.ID)
	if v.Stage != approvals.StagePassed || v.Sealed || v.Challenge.ID != second.Challenge.ID {
		t.Errorf("after a passed quiz: %s, sealed %v", v.Stage, v.Sealed)
	}
	done, err := h.decide(h.ada, a.ID, form(v))
	if err != nil || done.Decision.Evidence.Attempt != 2 || done.Decision.Evidence.Kind != "quiz" || done.Grant == nil {
		t.Errorf("approved: %+v, %v", done.Decision, err)
	}
	err = h.db.Approvals().Read(t.Context(), "acme", func(r approvals.Reader) error {
		c, err := r.Challenge(a.ID, second.Challenge.ID)
		if c.State != approvals.ChallengeSpent {
			t.Errorf("the challenge is %s after the approval", c.State)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	h.wantTrail("the whole quiz", a.ID, audit.Submitted, audit.Viewed, audit.ChallengeIssued, audit.ChallengeFailed,
		audit.ChallengeIssued, audit.Viewed, audit.ChallengeFailed, audit.ChallengeIssued, audit.ChallengePassed, audit.Approved)
}

// TestLockedOut: two failed sets, and only another operator can approve.
func TestLockedOut(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	a := h.waiting(asking, scoring.ChallengeQuiz)
	h.start(h.ada, a.ID)
	wantFault(t, "the first set", h.answer(h.ada, a.ID, 3), fault.WrongAnswer)
	h.start(h.ada, a.ID)
	wantFault(t, "the second set", h.answer(h.ada, a.ID, 2), fault.LockedOut)
	wantFault(t, "a third set", h.StartQuiz(t.Context(), h.ada, a.ID), fault.LockedOut)
	if v := h.show(h.ada, a.ID); v.Stage != approvals.StageLocked || !v.Sealed {
		t.Errorf("the page is %s, sealed %v", v.Stage, v.Sealed)
	}
	h.start(h.ben, a.ID)
	if err := h.answer(h.ben, a.ID, 0); err != nil {
		t.Fatal(err)
	}
	h.clock.advance(10 * time.Second)
	passed := h.show(h.ben, a.ID)
	_, err := h.decide(h.ada, a.ID, form(passed)) // with ben's challenge
	wantFault(t, "the one who is locked out", err, fault.ChallengeRequired)
	if _, err := h.decide(h.ben, a.ID, form(passed)); err != nil {
		t.Errorf("the other operator: %v", err)
	}
	h.trail(a.ID)

	b := h.waiting(strings.ReplaceAll(asking, "usr_500", "usr_617"), scoring.ChallengeQuiz)
	for range 2 {
		h.start(h.ada, b.ID)
		_ = h.answer(h.ada, b.ID, 1)
	}
	h.refuse(h.ada, b, approvals.VerdictDeny) // saying no stays open
	h.trail(b.ID)
}

// TestChallengeLife: after five minutes there is another one, at no cost.
func TestChallengeLife(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	a := h.waiting(confirm, scoring.ChallengeConfirm)
	v := h.show(h.ada, a.ID)
	h.clock.advance(5 * time.Minute)
	_, err := h.decide(h.ada, a.ID, form(v))
	wantFault(t, "an old page", err, fault.ChallengeRequired)
	fresh := h.show(h.ada, a.ID)
	if fresh.Challenge.ID == v.Challenge.ID || fresh.Challenge.Attempt != 1 {
		t.Errorf("the renewed challenge: %s, attempt %d", fresh.Challenge.ID, fresh.Challenge.Attempt)
	}
	done, err := h.decide(h.ada, a.ID, form(fresh)) // the reading time counts on
	if err != nil || done.Decision.Evidence.ReviewSeconds != 300 {
		t.Errorf("with the renewed one: %v", err)
	}

	b := h.waiting(asking, scoring.ChallengeQuiz)
	h.start(h.ada, b.ID)
	set := h.show(h.ada, b.ID)
	h.clock.advance(5*time.Minute - time.Microsecond)
	in := approvals.AnswerInput{Challenge: set.Challenge.ID, Question: 1, Option: set.Challenge.Questions[0].Right}
	if err := h.Answer(t.Context(), h.ada, b.ID, in); err != nil {
		t.Errorf("in time: %v", err)
	}
	h.clock.advance(time.Microsecond)
	in.Question, in.Option = 2, set.Challenge.Questions[1].Right
	wantFault(t, "the next after five minutes", h.Answer(t.Context(), h.ada, b.ID, in), fault.ChallengeRequired)
	if v := h.show(h.ada, b.ID); v.Stage != approvals.StageReading || v.Attempt != 1 {
		t.Errorf("then the page is %s, attempt %d", v.Stage, v.Attempt)
	}
	// Going back to reading costs nothing either, and what was left is over.
	h.start(h.ada, b.ID)
	left := h.show(h.ada, b.ID)
	if err := h.LeaveQuiz(t.Context(), h.ada, b.ID); err != nil {
		t.Fatal(err)
	}
	wantFault(t, "answering what was left", h.Answer(t.Context(), h.ada, b.ID, approvals.AnswerInput{Challenge: left.Challenge.ID, Question: 1, Option: left.Challenge.Questions[0].Right}), fault.ChallengeRequired)
	h.start(h.ada, b.ID)
	over := h.show(h.ada, b.ID)
	if was := inOrder(set.Challenge); !slices.Equal(inOrder(left.Challenge), was) || !slices.Equal(inOrder(over.Challenge), was) {
		t.Errorf("a set that was left, or ran out, comes back as another: %q, %q, %q", was, inOrder(left.Challenge), inOrder(over.Challenge))
	}
	h.start(h.ada, b.ID) // beginning again leaves the set before
	wantFault(t, "answering the set before", h.Answer(t.Context(), h.ada, b.ID, approvals.AnswerInput{Challenge: over.Challenge.ID, Question: 1, Option: over.Challenge.Questions[0].Right}), fault.ChallengeRequired)
	if err := h.answer(h.ada, b.ID, 0); err != nil {
		t.Fatal(err)
	}
	passed := h.show(h.ada, b.ID)
	if passed.Challenge.Attempt != 1 {
		t.Errorf("two sets that were given up cost an attempt: this is %d", passed.Challenge.Attempt)
	}
	h.clock.advance(5 * time.Minute)
	_, err = h.decide(h.ada, b.ID, form(passed))
	wantFault(t, "passed, but too long ago", err, fault.ChallengeRequired)
	if v := h.show(h.ada, b.ID); v.Stage != approvals.StageReading || !v.Sealed || v.Attempt != 1 {
		t.Errorf("then the page is %s, sealed %v, attempt %d", v.Stage, v.Sealed, v.Attempt)
	}
	h.trail(b.ID)
}

// inOrder is what a set asks, with its options, as it is shown.
func inOrder(c approvals.Challenge) (all []string) {
	for _, q := range c.Questions {
		all = append(all, q.Prompt)
		for _, o := range q.Options {
			all = append(all, o.Text)
		}
	}
	return all
}

// TestFailuresFollowTheAct: they count for a day, whatever request repeats the act, and the
// questions that were left follow it too. Sets that were begun in several requests cannot be
// answered one after the other. Every start is in the trail.
func TestFailuresFollowTheAct(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	first, second, third := h.waiting(asking, scoring.ChallengeQuiz), h.submit(asking), h.submit(asking)
	h.start(h.ada, first.ID)
	left := h.show(h.ada, first.ID).Challenge
	if err := h.LeaveQuiz(t.Context(), h.ada, first.ID); err != nil {
		t.Fatal(err)
	}
	h.start(h.ada, second.ID)
	if got := h.show(h.ada, second.ID).Challenge; !slices.Equal(inOrder(got), inOrder(left)) {
		t.Errorf("the same act asked once more asks %q, and it asked %q", inOrder(got), inOrder(left))
	}
	h.start(h.ada, third.ID)
	begun := h.show(h.ada, third.ID).Challenge
	wantFault(t, "the first set", h.answer(h.ada, second.ID, 1), fault.WrongAnswer)
	wantFault(t, "one that was begun before", h.Answer(t.Context(), h.ada, third.ID, answerTo(begun, 1, true)), fault.ChallengeRequired)
	if v := h.show(h.ada, first.ID); v.Attempt != 2 {
		t.Errorf("this is attempt %d", v.Attempt)
	}
	h.start(h.ada, third.ID)
	if got := h.show(h.ada, third.ID).Challenge; slices.Equal(inOrder(got), inOrder(left)) {
		t.Error("after a failure the same questions come in the same order")
	}
	wantFault(t, "the second set", h.answer(h.ada, third.ID, 2), fault.LockedOut)
	for _, id := range []string{first.ID, second.ID, third.ID, h.submit(asking).ID} {
		wantFault(t, "the same act in any request", h.StartQuiz(t.Context(), h.ada, id), fault.LockedOut)
	}
	h.start(h.ben, first.ID) // for another operator nothing has failed
	another := h.waiting(strings.ReplaceAll(asking, "usr_500", "usr_617"), scoring.ChallengeQuiz)
	h.start(h.ada, another.ID) // and of another act nothing

	h.clock.advance(24*time.Hour - time.Second)
	wantFault(t, "within the day", h.StartQuiz(t.Context(), h.ada, h.submit(asking).ID), fault.LockedOut)
	h.clock.advance(5*time.Minute + time.Second)
	later := h.submit(asking)
	h.start(h.ada, later.ID)
	if v := h.show(h.ada, later.ID); v.Attempt != 1 {
		t.Errorf("a day later this is attempt %d", v.Attempt)
	}
	issued := 0
	for _, kind := range h.trail(first.ID) {
		if kind == audit.ChallengeIssued {
			issued++
		}
	}
	if issued != 2 { // ada's, which was left, and ben's
		t.Errorf("%d starts of the first request are in the trail, want 2", issued)
	}
}

// TestRefusingWhileAsked: the page with the questions says no digest, since one of them may
// ask for it, and refusing works all the same.
func TestRefusingWhileAsked(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	a := h.waiting(asking, scoring.ChallengeQuiz)
	h.start(h.ada, a.ID)
	in := form(h.show(h.ada, a.ID))
	in.Verdict, in.Reason, in.Digest = approvals.VerdictDeny, "no", ""
	_, err := h.decide(h.ben, a.ID, in)
	wantFault(t, "by the challenge of another operator", err, fault.Changed)
	yes := in
	yes.Verdict = approvals.VerdictApprove
	_, err = h.decide(h.ada, a.ID, yes)
	wantFault(t, "an approval without a digest", err, fault.Changed)
	if done, err := h.decide(h.ada, a.ID, in); err != nil || done.Status != approvals.Denied {
		t.Errorf("%s, %v", done.Status, err)
	}
}

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

// People talk among themselves, before and after the decision: secrets and what the policy masks are
// hidden, whom they mention is told, and no agent reads any of it.
func TestComments(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *house) {
		ctx := t.Context()
		h.atOnce()
		a := h.waiting(confirm, scoring.ChallengeConfirm)
		before := h.get(a.ID)
		must(t, h.Comment(ctx, h.ada, a.ID, "@"+h.ben.Person.Name+", is ghp_abcdefghijklmnopqrstuvwxyz0123456789 ours? ada@"+h.ben.Person.Name))
		wantFault(t, "an empty comment", h.Comment(ctx, h.ada, a.ID, "\u200b"), fault.InvalidForm)
		wantFault(t, "a long comment", h.Comment(ctx, h.ada, a.ID, strings.Repeat("x", 2001)), fault.InvalidForm)
		stranger := h.ada
		stranger.Person.ID = "per_0"
		wantFault(t, "a stranger's comment", h.Comment(ctx, stranger, a.ID, "Hello"), fault.Denied)
		if v := h.show(h.ben, a.ID); len(v.Comments) != 1 || v.Comments[0].Person != h.ada.Person.ID || strings.Contains(v.Comments[0].Text, "ghp_") || !strings.HasPrefix(v.Comments[0].Text, "@"+h.ben.Person.Name+", is ") {
			t.Errorf("a colleague reads %+v", v.Comments)
		}
		all, err := h.people().Mentions(ctx, "acme", []string{h.ada.Person.ID, h.ben.Person.ID})
		if must(t, err); len(all) != 1 || len(all[h.ben.Person.ID]) != 1 {
			t.Errorf("mentioned are %+v", all)
		}
		after := h.get(a.ID)
		if !reflect.DeepEqual(before, after) {
			t.Errorf("it became %+v", after)
		}
		if _, err := h.decide(h.ada, a.ID, form(h.show(h.ada, a.ID))); err != nil {
			t.Fatal(err)
		}
		must(t, h.Comment(ctx, h.ben, a.ID, "Thanks"))
		got, err := h.Get(ctx, h.agent, a.ID)
		page, _, err2 := h.List(ctx, h.agent, approvals.Filter{})
		if must(t, errors.Join(err, err2)); len(got.Comments) != 0 || len(got.Questions) != 0 || len(page[0].Questions) != 0 {
			t.Errorf("the agent reads %+v", got)
		}
		if v := h.show(h.ada, a.ID); len(v.Comments) != 2 {
			t.Errorf("after the decision there is %+v", v.Comments)
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
