package storetest

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring"
)

// byAda is an event of the operator.
func (p place) byAda(a approvals.Approval, k audit.Kind, data ...canon.Member) audit.Event {
	e := about(a, k, data...)
	e.Actor = audit.Actor{Kind: "person", ID: p.ada.ID}
	return e
}

// reads writes a first view, a section and a challenge in this state, with their events.
func (p place) reads(t *testing.T, a approvals.Approval, kind scoring.ChallengeKind, state approvals.ChallengeState) approvals.Challenge {
	t.Helper()
	text := func(name, s string) canon.Member { return canon.Member{Name: name, Value: canon.String(s)} }
	number := func(name string, n int64) canon.Member { return canon.Member{Name: name, Value: canon.Int(n)} }
	var c approvals.Challenge
	p.write(t, func(w approvals.Writer) error {
		c = p.challenge(a, w.Now())
		c.ID, c.Kind, c.Salt = auth.NewID("chl"), kind, "salt"
		if kind != scoring.ChallengeQuiz {
			c.Questions = nil
		}
		_, _, viewed := w.Viewed(a.ID, p.ada.ID, a.Version)
		_, read := w.ReadSection(a.ID, p.ada.ID, a.Version, 2)
		return errors.Join(viewed, read, w.Issue(c), w.Append(
			p.byAda(a, audit.Viewed, number("version", a.Version)),
			p.byAda(a, audit.SectionRead, number("version", a.Version), number("section", 2)),
			p.byAda(a, audit.ChallengeIssued, text("challenge", c.ID), text("kind", string(kind)), number("version", a.Version), number("attempt", 1),
				text("shown_digest", c.Digest), text("core", c.Core), text("expires_at", audit.FormatTime(c.ExpiresAt)), text("questions_sha256", c.Sum()))))
	})
	graded := map[approvals.ChallengeState]audit.Kind{approvals.ChallengePassed: audit.ChallengePassed, approvals.ChallengeFailed: audit.ChallengeFailed}
	p.write(t, func(w approvals.Writer) error {
		if state == approvals.ChallengeOpen {
			return nil
		}
		c.State = state
		now := w.Now()
		for i := range c.Questions {
			c.Questions[i].Answer, c.Questions[i].AnsweredAt = "o1", &now
		}
		if state == approvals.ChallengePassed {
			c.ExpiresAt = now.Add(5 * time.Minute)
		}
		err := w.Progress(c, approvals.ChallengeOpen)
		switch kind, ok := graded[state]; {
		case err != nil || state == approvals.ChallengeLeft:
			return err
		case ok:
			return w.Append(p.byAda(a, kind, text("challenge", c.ID), text("expires_at", audit.FormatTime(c.ExpiresAt)), text("questions_sha256", c.Sum())))
		}
		done := p.approved(a, now)
		return errors.Join(w.Decide(done, a.Version), w.Append(about(done, audit.Approved, canon.Member{Name: "evidence", Value: canon.Object(text("challenge", c.ID))})))
	})
	return c
}

// testReviewsHold edits what stands beside the trail of how operators read and answered.
func testReviewsHold(t *testing.T, w world) {
	p := w.acme
	open, left, passed := p.submit(t, nil), p.submit(t, nil), p.submit(t, nil)
	failed, spent := p.submit(t, nil), p.submit(t, nil)
	fill := []string{"$open", open.ID, "$left", left.ID, "$passed", passed.ID, "$failed", failed.ID, "$spent", spent.ID}
	p.reads(t, open, scoring.ChallengeQuiz, approvals.ChallengeOpen)
	p.reads(t, left, scoring.ChallengeQuiz, approvals.ChallengeLeft)
	p.reads(t, passed, scoring.ChallengeQuiz, approvals.ChallengePassed)
	p.reads(t, failed, scoring.ChallengeQuiz, approvals.ChallengeFailed)
	p.reads(t, spent, scoring.ChallengeConfirm, approvals.ChallengeSpent)
	holds := func(when string) {
		t.Helper()
		if r, err := w.Store.Audit().Verify(t.Context(), "acme"); err != nil || !r.OK {
			t.Fatalf("%s: %s, %v", when, r, err)
		}
	}
	holds("untouched")
	undo := w.keep(t, "first_views", "section_reads", "challenges")
	on := func(table, set, approval string) string {
		return strings.NewReplacer(fill...).Replace("UPDATE " + table + " SET " + set + " WHERE approval_id = '" + approval + "'")
	}
	gone := func(table, approval string) string {
		return strings.NewReplacer(fill...).Replace("DELETE FROM " + table + " WHERE approval_id = '" + approval + "'")
	}
	for name, c := range map[string]struct{ edit, says string }{
		"seen earlier":        {on("first_views", "viewed_at = '2020-01-01 00:00:00+00:00'", "$open"), "first views"},
		"seen by another":     {on("first_views", "person_id = 'per_x'", "$open"), "first views"},
		"another version":     {on("first_views", "version = 7", "$passed"), "first views"},
		"never seen":          {gone("first_views", "$spent"), "first views"},
		"read earlier":        {on("section_reads", "acknowledged_at = '2020-01-01 00:00:00+00:00'", "$open"), "acknowledged sections"},
		"another section":     {on("section_reads", "section = 1", "$open"), "acknowledged sections"},
		"never read":          {gone("section_reads", "$failed"), "acknowledged sections"},
		"passed silently":     {on("challenges", "state = 'passed'", "$open"), "stored state"},
		"an attempt undone":   {on("challenges", "state = 'left'", "$failed"), "stored state"},
		"an attempt deleted":  {gone("challenges", "$failed"), "missing from the database"},
		"unspent":             {on("challenges", "state = 'open'", "$spent"), "stored state"},
		"fewer attempts":      {on("challenges", "attempt = 9", "$open"), "stored attempt"},
		"another operator's":  {on("challenges", "person_id = 'per_x'", "$open"), "stored operator"},
		"for another version": {on("challenges", "version = 2", "$left"), "stored version"},
		"for another digest":  {on("challenges", "shown_digest = 'sha256:x'", "$passed"), "stored digest"},
		"about another act":   {on("challenges", "core = 'sha256:x'", "$failed"), "stored core"},
		"an easier kind":      {on("challenges", "kind = 'confirm'", "$open"), "stored kind"},
		"good for longer":     {on("challenges", "expires_at = '2099-01-01 00:00:00+00:00'", "$open"), "stored end"},
		"passed for longer":   {on("challenges", "expires_at = '2099-01-01 00:00:00+00:00'", "$passed"), "stored end"},
		"another question":    {on("challenges", "questions = replace(questions, 'Which', 'What')", "$open"), "sum of the questions"},
		"another right one":   {on("challenges", "questions = replace(questions, '\"right\":\"o1\"', '\"right\":\"o2\"')", "$left"), "sum of the questions"},
		"another answer":      {on("challenges", "questions = replace(questions, '\"answer\":\"o1\"', '\"answer\":\"o2\"')", "$failed"), "sum of the questions"},
		"another salt":        {on("challenges", "salt = ''", "$passed"), "sum of the questions"},
		"no questions":        {on("challenges", "questions = 'x'", "$open"), "sum of the questions"},
		"added": {strings.NewReplacer(fill...).Replace("INSERT INTO challenges SELECT tenant_id, 'chl_x', approval_id, person_id, version, shown_digest, kind, state, attempt, questions, issued_at, expires_at, salt, core " +
			"FROM challenges WHERE approval_id = '$open'"), "no event says"},
	} {
		t.Run(name, func(t *testing.T) {
			arm := w.Disarm(t, w.Raw)
			w.mustRaw(t, "%s", c.edit)
			arm()
			r, err := w.Store.Audit().Verify(t.Context(), "acme")
			if err != nil || r.OK || r.FirstBroken < 0 || !strings.Contains(r.Problem, c.says) {
				t.Errorf("found %+v, %v; want it to say %q", r, err, c.says)
			}
			arm = w.Disarm(t, w.Raw)
			undo(t)
			arm()
		})
	}
	holds("every edit was taken back")
	p.write(t, func(w approvals.Writer) error {
		return w.Append(p.byAda(open, audit.ChallengePassed, canon.Member{Name: "challenge", Value: canon.String("chl_never")}))
	})
	if r, err := w.Store.Audit().Verify(t.Context(), "acme"); err != nil || r.OK || !strings.Contains(r.Problem, "chl_never") {
		t.Errorf("a grading of nothing: %s, %v", r, err)
	}
}
