package storetest

import (
	"slices"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/scoring"
)

// quiz stores a quiz in this state about a, issued so long ago.
func (p place) quiz(t *testing.T, a approvals.Approval, state approvals.ChallengeState, ago time.Duration) (c approvals.Challenge) {
	t.Helper()
	p.write(t, func(w approvals.Writer) error {
		c = p.challenge(a, w.Now().Add(-ago))
		c.State = state
		return w.Issue(c)
	})
	return c
}

// FillQuestions makes two organisations in which questions were asked.
func FillQuestions(t *testing.T, db Database) (slugs []string) {
	t.Helper()
	for _, slug := range []string{"acme", "rival"} {
		p := newPlace(t, db, slug)
		for _, state := range []approvals.ChallengeState{approvals.ChallengeOpen, approvals.ChallengeFailed} {
			p.quiz(t, p.submit(t, nil), state, time.Minute)
		}
		slugs = append(slugs, slug)
	}
	return slugs
}

func testQuizzes(t *testing.T, w world) {
	p := w.acme
	ended, waiting := p.approve(t, p.submit(t, nil)), p.submit(t, nil)
	other := w.beta.approve(t, w.beta.submit(t, nil))
	w.beta.quiz(t, other, approvals.ChallengeFailed, time.Minute)
	for _, state := range []approvals.ChallengeState{approvals.ChallengeOpen, approvals.ChallengeLeft} {
		p.quiz(t, ended, state, time.Minute)
	}
	p.quiz(t, waiting, approvals.ChallengeFailed, time.Minute)
	p.quiz(t, ended, approvals.ChallengePassed, 49*time.Hour)
	p.write(t, func(w approvals.Writer) error {
		click := p.challenge(ended, w.Now())
		click.Kind, click.State = scoring.ChallengeConfirm, approvals.ChallengeSpent
		return w.Issue(click)
	})
	var want []approvals.Challenge
	for n, state := range []approvals.ChallengeState{approvals.ChallengeFailed, approvals.ChallengePassed, approvals.ChallengeSpent} {
		want = append(want, p.quiz(t, ended, state, time.Duration(n)*time.Hour))
	}
	p.write(t, func(w approvals.Writer) error { // several of one moment
		at := w.Now().Add(-24 * time.Hour)
		var together []approvals.Challenge
		for range 3 {
			c := p.challenge(ended, at)
			c.ID, c.State = auth.NewID("chl"), approvals.ChallengeSpent
			if err := w.Issue(c); err != nil {
				return err
			}
			together = append(together, c)
		}
		slices.Reverse(together)
		want = append(want, together...)
		return nil
	})
	for _, limit := range []int{1, 2, 4, 50} {
		p.read(t, func(r approvals.Reader) error {
			q := approvals.QuizQuery{From: r.Now().Add(-48 * time.Hour), Limit: limit}
			var got []approvals.Challenge
			for {
				page, err := r.Quizzes(q)
				if err != nil {
					return err
				}
				got = append(got, page...)
				if len(page) < limit || len(got) > len(want) {
					break
				}
				q.Before, q.BeforeID = page[limit-1].IssuedAt, page[limit-1].ID
			}
			same(t, "graded quizzes, newest first", got, want)
			return nil
		})
	}
}
