package storetest

import (
	"context"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/quiz"
	"github.com/countersign/countersign/internal/scoring"
)

// challenge is a new quiz for ada.
func (p place) challenge(a approvals.Approval, now time.Time) approvals.Challenge {
	return approvals.Challenge{
		ID: auth.NewID("chl"), Approval: a.ID, Person: p.ada.ID, Version: a.Version, Digest: a.ShownDigest, Core: must(a.Core()),
		Kind: scoring.ChallengeQuiz, State: approvals.ChallengeOpen, Attempt: 1, IssuedAt: now, ExpiresAt: now.Add(5 * time.Minute),
		Questions: []quiz.Question{{Prompt: "Which user?", Kind: "id", Options: []quiz.Option{{ID: "o1", Text: "usr_١"}}, Right: "o1"}},
	}
}

func testChallenges(t *testing.T, w world) {
	p := w.acme
	a := p.submit(t, nil)
	var first, second approvals.Challenge
	p.write(t, func(w approvals.Writer) error {
		first, second = p.challenge(a, w.Now()), p.challenge(a, w.Now())
		if err := w.Issue(first); err != nil {
			return err
		}
		return w.Issue(second)
	})
	check := func(want approvals.Challenge, failed int) {
		t.Helper()
		p.read(t, func(r approvals.Reader) error {
			got, err := r.Challenge(a.ID, want.ID)
			if err != nil {
				return err
			}
			same(t, "the challenge", got, want)
			n, err := r.FailedAttempts(a, p.ada.ID, time.Time{})
			if n != failed {
				t.Errorf("%d failed attempts, want %d", n, failed)
			}
			return err
		})
	}
	check(first, 0)
	p.read(t, func(r approvals.Reader) error {
		latest, err := r.LatestChallenge(a.ID, p.ada.ID)
		same(t, "the latest", latest, second)
		for _, c := range [][2]string{{a.ID, p.ben.ID}, {a.ID, ""}, {"", p.ada.ID}, {"apr_no", p.ada.ID}} {
			_, err := r.LatestChallenge(c[0], c[1])
			wantFault(t, "the latest of somebody else", err, fault.Missing)
		}
		if err != nil {
			return err
		}
		all, err := r.Asked(a)
		same(t, "all of them, oldest first", all, []approvals.Challenge{first, second})
		_, missing := r.Challenge(a.ID, "")
		wantFault(t, "the empty id", missing, fault.Missing)
		return err
	})

	answered := second
	answered.State = approvals.ChallengeFailed
	answered.Questions = []quiz.Question{second.Questions[0]}
	answered.Questions[0].Answer = "o2"
	progress := func(c approvals.Challenge, was approvals.ChallengeState) error {
		return p.try(t.Context(), func(w approvals.Writer) error { return w.Progress(c, was) })
	}
	wantFault(t, "progress from a state that it is not in", progress(answered, approvals.ChallengePassed), fault.Changed)
	unknown := answered
	unknown.ID = "chl_no"
	wantFault(t, "progress of none", progress(unknown, approvals.ChallengeOpen), fault.Missing)
	if err := progress(answered, approvals.ChallengeOpen); err != nil {
		t.Fatal(err)
	}
	wantFault(t, "the same again", progress(answered, approvals.ChallengeOpen), fault.Changed)
	check(answered, 1)
	check(first, 1)
	p.read(t, func(r approvals.Reader) error {
		graded, err := r.Graded(a.ID, p.ada.ID, 5)
		same(t, "graded", graded, []approvals.Challenge{answered})
		for _, of := range [][2]string{{a.ID, p.ben.ID}, {"apr_no", p.ada.ID}} {
			if none, err := r.Graded(of[0], of[1], 5); err != nil || len(none) != 0 {
				t.Errorf("%v: %v, %v", of, none, err)
			}
		}
		return err
	})
	p.read(t, func(r approvals.Reader) error {
		n, err := r.FailedAttempts(a, p.ben.ID, time.Time{})
		if n != 0 {
			t.Errorf("ben has %d failed attempts", n)
		}
		return err
	})
	// It counts for what would run, in whatever request of whichever agent, and only so long.
	other := func(body string) approvals.Approval {
		o, says := p.submit(t, nil), parse(t, body)
		o.Action, o.Digest, o.ShownDigest, o.Agent.ID = says.Canonical(), says.Digest(), says.Digest(), "agt_other"
		return o
	}
	const core = `"function":"delete_user","arguments":{"id":"usr_١٢٣","note":"é 📁 \u202e"}`
	again := other(`{` + core + `,"environment":"staging","action_type":"data.delete","docstring":"d","session_id":"s2"}`)
	else1 := other(`{"function":"delete_user","arguments":{"id":"usr_9"},"environment":"production","session_id":"s1"}`)
	coded := other(`{` + core + `,"code":"pass"}`)
	masked := else1 // now, by another policy; the digest is of what it was
	masked.Digest = a.Digest
	p.read(t, func(r approvals.Reader) error {
		asked, err := r.Asked(again)
		same(t, "asked by another agent", asked, []approvals.Challenge{first, answered})
		return err
	})
	p.read(t, func(r approvals.Reader) error {
		for name, c := range map[string]struct {
			of    approvals.Approval
			after time.Time
			want  int
		}{
			"the same act again": {again, r.Now().Add(-time.Hour), 1}, "another act": {else1, time.Time{}, 0}, "other code": {coded, time.Time{}, 0}, "masked otherwise": {masked, time.Time{}, 1},
			"long ago": {a, answered.ExpiresAt, 0}, "just now": {a, answered.ExpiresAt.Add(-time.Microsecond), 1},
		} {
			if n, err := r.FailedAttempts(c.of, p.ada.ID, c.after); err != nil || n != c.want {
				t.Errorf("%s: %d failed attempts, %v, want %d", name, n, err, c.want)
			}
		}
		return nil
	})
	won := race(t, 10, fault.Changed, func(ctx context.Context, _ int) error {
		c := first
		c.State = approvals.ChallengeSpent
		return p.try(ctx, func(w approvals.Writer) error { return w.Progress(c, approvals.ChallengeOpen) })
	})
	if won != 1 {
		t.Errorf("%d spent one challenge", won)
	}
	wantFault(t, "a challenge for nothing", p.try(t.Context(), func(w approvals.Writer) error {
		c := p.challenge(a, w.Now())
		c.Approval = "apr_no"
		return w.Issue(c)
	}), fault.Missing)
}

func testFirstViews(t *testing.T, w world) {
	p := w.acme
	a := p.submit(t, nil)
	p.read(t, func(r approvals.Reader) error {
		at, ok, err := r.FirstView(a.ID, p.ada.ID, 1)
		if ok || !at.IsZero() {
			t.Errorf("before any view: %v, %v", at, ok)
		}
		return err
	})
	var seen time.Time
	view := func(person string, version int64, wantFirst bool) (got time.Time) {
		t.Helper()
		p.write(t, func(w approvals.Writer) error {
			at, first, err := w.Viewed(a.ID, person, version)
			if first != wantFirst {
				t.Errorf("%s, version %d: first is %v, want %v", person, version, first, wantFirst)
			}
			if first && !at.Equal(w.Now()) {
				t.Errorf("the first view is at %v, now is %v", at, w.Now())
			}
			got = at
			return err
		})
		return got
	}
	seen = view(p.ada.ID, 1, true)
	if again := view(p.ada.ID, 1, false); !again.Equal(seen) {
		t.Errorf("a second look moved the first view from %v to %v", seen, again)
	}
	view(p.ben.ID, 1, true)
	view(p.ada.ID, 2, true)
	p.read(t, func(r approvals.Reader) error {
		at, ok, err := r.FirstView(a.ID, p.ada.ID, 1)
		if !ok || !at.Equal(seen) || at.Location() != time.UTC {
			t.Errorf("the first view is %v, %v; want %v", at, ok, seen)
		}
		return err
	})
	wantFault(t, "a view of nothing", p.try(t.Context(), func(w approvals.Writer) error {
		_, _, err := w.Viewed("apr_no", p.ada.ID, 1)
		return err
	}), fault.Missing)
}
