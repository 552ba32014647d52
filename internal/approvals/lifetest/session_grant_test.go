package lifetest

import (
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/level"
)

const (
	setStatus = `{"function":"update_ticket","arguments":{"ticket_id":4711,"status":"pending","urgent":false},"session_id":"s1"}`
	refund    = `{"function":"create_refund","arguments":{"charge_id":"ch_1","amount":50,"currency":"EUR"},"session_id":"s1"}`
)

// next approves a, and the next n like it.
func (h *house) next(a approvals.Approval, n int) approvals.Standing {
	h.t.Helper()
	v := h.show(h.ada, a.ID)
	h.clock.advance(time.Minute)
	in := form(v)
	in.Next = n
	if _, err := h.decide(h.ada, a.ID, in); err != nil {
		h.t.Fatal(err)
	}
	h.wantTrail("a decision with more", a.ID, audit.Submitted, audit.Viewed, audit.ChallengeIssued, audit.Approved)
	page, err := h.Standing(h.t.Context(), h.ada, approvals.StandingQuery{Limit: 1})
	if err != nil || len(page.Standing) != 1 {
		h.t.Fatalf("%d grants, %v", len(page.Standing), err)
	}
	return page.Standing[0]
}

func TestSessionGrant(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	first := h.waiting(setStatus, scoring.ChallengeConfirm)
	g := h.next(first, 2)
	if g.Session != "s1" || g.Uses != 2 || g.From != first.ID || g.EndsAt.Sub(g.CreatedAt) != 8*time.Hour || len(g.Effects) != 1 || len(g.Effects[0].Evidence) != 0 {
		t.Errorf("it is %+v", g)
	}

	like := strings.NewReplacer("4711", "4712", "pending", "solved").Replace(setStatus)
	h.status("a list of what one name was", h.submit(strings.Replace(setStatus, "pending", "pending,solved", 1)).ID, approvals.Pending)
	a := h.submit(like)
	if by := a.StandingID(); a.Status != approvals.Approved || by != g.ID || a.Assessment.Level != level.Medium {
		t.Errorf("one like it is %s by %q", a.Status, by)
	}
	if got := h.get(a.ID).Assessment.SessionGrant; got == nil || got.ID != g.ID || !strings.Contains(got.Covers, "up to 2 calls of update_ticket") {
		t.Errorf("its assessment says %+v", got)
	}
	h.wantTrail("a use", a.ID, audit.Submitted, audit.StandingUsed, audit.Approved)
	if d := h.foretell(setStatus); d.Status != approvals.Approved || d.Assessment.SessionGrant == nil {
		t.Errorf("a dry run says %s, %+v", d.Status, d.Assessment.SessionGrant)
	}
	if a := h.submit(setStatus); a.Status != approvals.Approved {
		t.Errorf("the second is %s", a.Status)
	}
	if a := h.submit(setStatus); a.Status != approvals.Pending || a.Assessment.SessionGrant != nil {
		t.Errorf("the third of two is %s", a.Status)
	}
}

func (h *house) foretell(body string) approvals.DryRun {
	h.t.Helper()
	d, err := h.Assess(h.t.Context(), h.agent, action(h.t, body))
	if err != nil {
		h.t.Fatal(err)
	}
	return d
}

// What a session grant does not cover: each differs in one thing from what was shown.
func TestSessionGrantStaysNarrow(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	g := h.next(h.waiting(setStatus, scoring.ChallengeConfirm), 50)
	h.next(h.waiting(refund, scoring.ChallengeConfirm), 50)
	for what, body := range map[string]string{
		"another session":        strings.Replace(setStatus, `"s1"`, `"s2"`, 1),
		"no session":             strings.Replace(setStatus, `,"session_id":"s1"`, "", 1),
		"another function":       strings.Replace(setStatus, "update_ticket", "update_article", 1),
		"one more argument":      strings.Replace(setStatus, `"status"`, `"note":"x","status"`, 1),
		"one argument less":      strings.Replace(setStatus, `,"urgent":false`, "", 1),
		"true where false was":   strings.Replace(setStatus, "false", "true", 1),
		"a text for a number":    strings.Replace(setStatus, "4711", `"4711"`, 1),
		"several of them":        strings.Replace(setStatus, "4711", "[4711,4712]", 1),
		"an environment":         strings.Replace(setStatus, `"session_id"`, `"environment":"production","session_id"`, 1),
		"code":                   strings.Replace(setStatus, `"session_id"`, `"code":"1","session_id"`, 1),
		"more money":             strings.Replace(refund, "50", "50.01", 1),
		"money above the small":  strings.Replace(refund, "50", "101", 1),
		"money of another kind":  strings.Replace(refund, "EUR", "USD", 1),
		"money that nobody sees": strings.Replace(refund, `"amount":50`, `"amount":"all of it"`, 1),
	} {
		if a := h.submit(body); a.Status == approvals.Approved {
			t.Errorf("%s: it went through, by %q; effects %+v", what, a.StandingID(), a.Assessment.Effects)
		}
	}
	if got, _, err := h.Submit(t.Context(), h.other, approvals.Submission{Action: action(t, setStatus)}); err != nil || got.Status != approvals.Pending {
		t.Errorf("another agent: %s, %v", got.Status, err)
	}
	if a := h.submit(strings.Replace(refund, "50", "49.99", 1)); a.Status != approvals.Approved {
		t.Errorf("less money is %s, with the effects %+v", a.Status, a.Assessment.Effects)
	}
	h.clock.advance(8 * time.Hour)
	if a := h.submit(setStatus); a.Status != approvals.Pending {
		t.Errorf("after its time it is %s", a.Status)
	}
	if left := h.standing(g.ID).Left; left != 50 {
		t.Errorf("%d are left of 50", left)
	}
}

// What a stricter policy raises, or gives another effect, is held again; and what is not
// spent yet is void.
func TestSessionGrantAtConsume(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	g := h.next(h.waiting(setStatus, scoring.ChallengeConfirm), 50)
	a := h.submit(setStatus)
	if err := h.RevokeStanding(t.Context(), h.ben, g.ID, "no more"); err != nil {
		t.Fatal(err)
	}
	_, err := h.consume(a, a.Digest, "")
	wantFault(t, "after it was ended", err, fault.GrantVoid)
	h.next(h.waiting(setStatus, scoring.ChallengeConfirm), 50)
	b, c := h.submit(setStatus), h.submit(setStatus)
	h.roles(h.ada, auth.Compliance)
	_, err = h.consume(b, b.Digest, "")
	wantFault(t, "after its maker lost the right", err, fault.GrantVoid)
	h.roles(h.ada, auth.Operator)
	h.policy(func(p *scoring.Policy) {
		p.Functions = append(p.Functions, scoring.Function{Glob: "update_ticket", Effect: effects.Delete})
	})
	_, err = h.consume(c, c.Digest, "")
	wantFault(t, "after the policy said what it does", err, fault.StricterNow)
	if d := h.submit(setStatus); d.Status != approvals.Pending {
		t.Errorf("what is HIGH now is %s", d.Status)
	}
}

// Only what is MEDIUM, is shown whole and belongs to a session can be allowed so.
func TestSessionGrantRefused(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for what, body := range map[string]string{
		"no session": strings.Replace(setStatus, `,"session_id":"s1"`, "", 1),
		"with code":  strings.Replace(setStatus, `"session_id"`, `"code":"1","session_id"`, 1),
	} {
		a := h.submit(body)
		if a.Status != approvals.Pending || a.Treatment.Challenge != scoring.ChallengeConfirm {
			continue // it is no MEDIUM, so there is no such form
		}
		v := h.show(h.ada, a.ID)
		h.clock.advance(time.Minute)
		in := form(v)
		in.Next = 1
		_, err := h.decide(h.ada, a.ID, in)
		wantFault(t, what, err, fault.InvalidForm)
		if v.MayNext {
			t.Errorf("%s: the page offers it", what)
		}
		h.status(what, a.ID, approvals.Pending)
	}
	a := h.waiting(setStatus, scoring.ChallengeConfirm)
	v := h.show(h.ada, a.ID)
	if !v.MayNext {
		t.Error("the page does not offer it")
	}
	for _, n := range []int{-1, 51} {
		in := form(v)
		in.Next = n
		_, err := h.decide(h.ada, a.ID, in)
		wantFault(t, "so many", err, fault.InvalidForm)
	}
	in := form(v)
	in.Verdict, in.Reason, in.Next = approvals.VerdictDeny, "no", 1
	_, err := h.decide(h.ada, a.ID, in)
	wantFault(t, "with a denial", err, fault.InvalidForm)
	h.policy(func(p *scoring.Policy) { p.Thresholds.High = 0.31; p.Thresholds.Medium = 0.3 })
	high := h.submit(asking)
	if h.show(h.ada, high.ID).MayNext {
		t.Errorf("what is %s is offered", high.Assessment.Level)
	}
}
