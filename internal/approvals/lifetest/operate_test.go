package lifetest

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/long"
	"github.com/countersign/countersign/internal/scoring"
)

func (h *house) show(m auth.Member, id string) approvals.Review {
	h.t.Helper()
	v, err := h.Show(h.t.Context(), m, id)
	if err != nil {
		h.t.Fatal(err)
	}
	return v
}

// form is what the page's approve button sends.
func form(v approvals.Review) approvals.DecideInput {
	in := approvals.DecideInput{Verdict: approvals.VerdictApprove, Digest: v.ShownDigest, Version: v.Version, Challenge: v.Challenge.ID}
	if v.Kind == scoring.ChallengeExplicit {
		in.Target = v.Confirmation.Typed
		for i := range v.Confirmation.Consequences {
			in.Consequences = append(in.Consequences, i+1)
		}
	}
	return in
}

func (h *house) decide(m auth.Member, id string, in approvals.DecideInput) (approvals.Approval, error) {
	return h.Decide(h.t.Context(), m, id, in)
}

func TestConfirm(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	a := h.waiting(confirm, scoring.ChallengeConfirm)
	v := h.show(h.ada, a.ID)
	if v.Stage != approvals.StageReading || v.Kind != scoring.ChallengeConfirm || v.Challenge.ID == "" || v.Sealed || !v.EarliestApproval.Equal(h.clock.Now().Add(3*time.Second)) {
		t.Errorf("the page: %s, %s, challenge %q, sealed %v, from %v", v.Stage, v.Kind, v.Challenge.ID, v.Sealed, v.EarliestApproval)
	}
	if again := h.show(h.ada, a.ID); again.Challenge.ID != v.Challenge.ID {
		t.Error("a second look issued a second challenge")
	}
	h.wantTrail("looked at twice", a.ID, audit.Submitted, audit.Viewed, audit.ChallengeIssued)

	h.clock.advance(3*time.Second - time.Microsecond)
	_, err := h.decide(h.ada, a.ID, form(v))
	wantFault(t, "a microsecond early", err, fault.TooEarly)
	if f := fault.As(err); f.RetryAfter != time.Microsecond {
		t.Errorf("early: retry after %v", f.RetryAfter)
	}
	h.clock.advance(time.Microsecond)
	for name, id := range map[string]string{"without a challenge": "", "with one that is not there": "chl_no"} {
		in := form(v)
		in.Challenge = id
		_, err = h.decide(h.ada, a.ID, in)
		wantFault(t, name, err, fault.ChallengeRequired)
	}
	_, err = h.decide(h.ben, a.ID, form(v))
	wantFault(t, "with another operator's challenge", err, fault.ChallengeRequired)
	other := h.waiting(confirm, scoring.ChallengeConfirm)
	_, err = h.decide(h.ada, other.ID, approvals.DecideInput{Verdict: approvals.VerdictApprove, Digest: other.ShownDigest, Version: 1, Challenge: v.Challenge.ID})
	wantFault(t, "with another approval's challenge", err, fault.ChallengeRequired)
	h.status("after all that", a.ID, approvals.Pending)

	done, err := h.decide(h.ada, a.ID, form(v))
	if err != nil {
		t.Fatal(err)
	}
	stored := h.get(a.ID)
	e := stored.Decision.Evidence
	if stored.Status != approvals.Approved || stored.Grant == nil || stored.Grant.Token != done.Grant.Token || !stored.Grant.ExpiresAt.Equal(h.clock.Now().Add(5*time.Minute)) ||
		e.Challenge != v.Challenge.ID || e.Kind != "confirm" || e.ReviewSeconds != 3 || e.Early || e.SinglePerson || stored.Decision.DecidedBy[0].ID != h.ada.Person.ID {
		t.Errorf("approved: %+v, %+v, %+v", stored.Decision, e, stored.Grant)
	}
	h.wantTrail("approved", a.ID, audit.Submitted, audit.Viewed, audit.ChallengeIssued, audit.Approved)
	_, err = h.decide(h.ada, a.ID, form(v))
	wantFault(t, "approved twice", err, fault.AlreadyDecided)
	if v := h.show(h.ada, a.ID); v.Stage != approvals.StageFinal {
		t.Errorf("afterwards the page is %s", v.Stage)
	}
}

// TestRefusing needs neither challenge nor reading time, but a reason.
func TestRefusing(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for v, want := range map[approvals.Verdict]audit.Kind{approvals.VerdictDeny: audit.Denied, approvals.VerdictRequestChanges: audit.ChangesRequested} {
		a := h.waiting(asking, scoring.ChallengeQuiz)
		for name, reason := range map[string]string{"none": "", "spaces": " \n\t\u00a0", "invisible": "\u200b\u00ad\u200d\u2060", "blank letters": "\u2800\u3164\u115f", "too long": strings.Repeat("é", 2001), "not UTF-8": "no\xff"} {
			_, err := h.decide(h.ada, a.ID, approvals.DecideInput{Verdict: v, Reason: reason, Digest: a.ShownDigest, Version: 1})
			wantFault(t, "a reason that is "+name, err, fault.InvalidForm)
		}
		done := h.refuse(h.ada, a, v)
		if done.Grant != nil || h.get(a.ID).Grant != nil {
			t.Errorf("%s: there is a grant", v)
		}
		h.wantTrail(string(v), a.ID, audit.Submitted, want)
	}
	a := h.waiting(asking, scoring.ChallengeQuiz)
	if _, err := h.decide(h.ada, a.ID, approvals.DecideInput{Verdict: approvals.VerdictDeny, Reason: strings.Repeat("é", 2000), Digest: a.ShownDigest, Version: 1}); err != nil {
		t.Errorf("a reason of 2,000 characters: %v", err)
	}
	for _, v := range []approvals.Verdict{"", "block", "expire", "cancel", "APPROVE"} {
		_, err := h.decide(h.ada, a.ID, approvals.DecideInput{Verdict: v, Reason: "x"})
		wantFault(t, "the verdict "+string(v), err, fault.InvalidForm)
	}
}

func TestExplicit(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	a := h.waiting(explicit, scoring.ChallengeExplicit)
	v := h.show(h.ada, a.ID)
	if v.Confirmation.Target != "billing.invoices" || !v.Confirmation.Specific || len(v.Confirmation.Consequences) < 2 {
		t.Fatalf("the confirmation is %+v", v.Confirmation)
	}
	h.clock.advance(30 * time.Second)
	for _, typed := range []string{"", "billing", "Billing.invoices", "billing.invoices ", "billing.invoice"} {
		in := form(v)
		in.Target = typed
		_, err := h.decide(h.ada, a.ID, in)
		wantFault(t, "typed "+typed, err, fault.WrongAnswer)
	}
	in := form(v)
	in.Consequences = in.Consequences[1:]
	_, err := h.decide(h.ada, a.ID, in)
	wantFault(t, "one not ticked", err, fault.WrongAnswer)
	wantFault(t, "there is no quiz to start", h.StartQuiz(t.Context(), h.ada, a.ID), fault.ChallengeRequired)
	if again := h.show(h.ada, a.ID); again.Challenge.ID != v.Challenge.ID || again.Stage != approvals.StageReading {
		t.Errorf("wrong targets cost something: %s, %s", again.Stage, again.Challenge.ID)
	}
	done, err := h.decide(h.ada, a.ID, form(v))
	if err != nil || !slices.Equal(done.Decision.Evidence.Consequences, v.Confirmation.Consequences) || done.Decision.Evidence.ReviewSeconds != 30 {
		t.Errorf("approved: %+v, %v", done.Decision, err)
	}
	h.wantTrail("explicit", a.ID, audit.Submitted, audit.Viewed, audit.ChallengeIssued, audit.Approved)

	early := h.waiting(explicit, scoring.ChallengeExplicit)
	v = h.show(h.ada, early.ID)
	h.clock.advance(29 * time.Second)
	_, err = h.decide(h.ada, early.ID, form(v))
	wantFault(t, "a second early", err, fault.TooEarly)
	h.policy(func(p *scoring.Policy) { p.EarlyAnswer = scoring.EarlyFlag })
	if done, err = h.decide(h.ada, early.ID, form(v)); err != nil || !done.Decision.Evidence.Early {
		t.Errorf("early where the policy flags it: %+v, %v", done.Decision, err)
	}
	h.trail(early.ID)
}

// TestStale: a decision is on what was seen, in time, by one who may.
func TestStale(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	a := h.waiting(confirm, scoring.ChallengeConfirm)
	v := h.show(h.ada, a.ID)
	h.clock.advance(3 * time.Second)
	for name, change := range map[string]func(*approvals.DecideInput){
		"another digest": func(in *approvals.DecideInput) { in.Digest = "sha256:" + strings.Repeat("0", 64) },
		"no digest":      func(in *approvals.DecideInput) { in.Digest = "" },
		"version 0":      func(in *approvals.DecideInput) { in.Version = 0 },
		"version 2":      func(in *approvals.DecideInput) { in.Version = 2 },
	} {
		for _, verdict := range []approvals.Verdict{approvals.VerdictApprove, approvals.VerdictDeny} {
			in := form(v)
			in.Verdict, in.Reason = verdict, "no"
			change(&in)
			_, err := h.decide(h.ada, a.ID, in)
			wantFault(t, name, err, fault.Changed)
		}
	}
	_, err := h.decide(h.eve, a.ID, form(v))
	wantFault(t, "an admin", err, fault.NotEligible)
	_, err = h.decide(h.ada, "apr_no", form(v))
	wantFault(t, "one that is not there", err, fault.Missing)
	if v := h.show(h.eve, a.ID); v.Stage != approvals.StageObserving {
		t.Errorf("an admin sees %s", v.Stage)
	}
	h.clock.advance(15*time.Minute - 3*time.Second)
	for _, verdict := range []approvals.Verdict{approvals.VerdictApprove, approvals.VerdictDeny} {
		in := form(v)
		in.Verdict, in.Reason = verdict, "no"
		_, err := h.decide(h.ada, a.ID, in)
		wantFault(t, string(verdict)+" after its time", err, fault.Expired)
	}
	if v := h.show(h.ada, a.ID); v.Stage != approvals.StageOverdue {
		t.Errorf("after its time the page is %s", v.Stage)
	}
	h.status("nobody swept yet", a.ID, approvals.Pending)
	h.wantTrail("nothing was decided", a.ID, audit.Submitted, audit.Viewed, audit.ChallengeIssued)
}

// TestTwoDeciders: whoever races, there is one decision.
func TestTwoDeciders(t *testing.T) {
	t.Parallel()
	long.Race(t)
	h := newHouse(t)
	for range 5 {
		a := h.waiting(confirm, scoring.ChallengeConfirm)
		forms := []approvals.DecideInput{form(h.show(h.ada, a.ID)), form(h.show(h.ben, a.ID))}
		h.clock.advance(3 * time.Second)
		won := race(t, 20, fault.AlreadyDecided, func(ctx context.Context, i int) error {
			switch i % 4 {
			case 0:
				_, err := h.Decide(ctx, h.ada, a.ID, forms[0])
				return err
			case 1:
				_, err := h.Decide(ctx, h.ben, a.ID, forms[1])
				return err
			case 2:
				_, err := h.Decide(ctx, h.ben, a.ID, approvals.DecideInput{Verdict: approvals.VerdictDeny, Reason: "no", Digest: a.ShownDigest, Version: 1})
				return err
			default:
				_, err := h.Cancel(ctx, h.agent, a.ID)
				return err
			}
		})
		if won != 1 {
			t.Errorf("%d decided", won)
		}
		if got := h.get(a.ID); got.Decision == nil || (got.Grant != nil) != (got.Status == approvals.Approved) {
			t.Errorf("it is %s with %+v, %+v", got.Status, got.Decision, got.Grant)
		}
		if kinds := h.trail(a.ID); len(kinds) != 6 { // submitted, two views, two challenges, one end
			t.Errorf("the events are %v", kinds)
		}
	}
}

// TestSinglePerson: the owner decides alone only where nobody else can, with the
// typed target, and the trail says so.
func TestSinglePerson(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.agent.Owner = h.ada.Person.ID
	a := h.waiting(confirm, scoring.ChallengeConfirm)
	if v := h.show(h.ada, a.ID); v.Stage != approvals.StageNotEligible || !slices.Equal(v.Eligible, []string{"Ben"}) {
		t.Errorf("beside ben: %s, %v", v.Stage, v.Eligible)
	}
	for _, verdict := range []approvals.Verdict{approvals.VerdictApprove, approvals.VerdictDeny} {
		_, err := h.decide(h.ada, a.ID, approvals.DecideInput{Verdict: verdict, Reason: "no", Digest: a.ShownDigest, Version: 1})
		wantFault(t, "the owner: "+string(verdict), err, fault.NotEligible)
	}
	if _, err := h.people().Grant(t.Context(), "acme", h.ben.Person.Email, []auth.Role{auth.Admin}); err != nil {
		t.Fatal(err)
	}
	v := h.show(h.ada, a.ID)
	if v.MayClaim || h.attention(h.ada, a.ID).MayClaim {
		t.Error("alone: may say to nobody that they are on it")
	}
	if !v.SinglePerson || v.Kind != scoring.ChallengeExplicit || v.Stage != approvals.StageReading {
		t.Fatalf("alone: single %v, %s, %s", v.SinglePerson, v.Kind, v.Stage)
	}
	h.clock.advance(3 * time.Second)
	in := form(v)
	in.Target = ""
	_, err := h.decide(h.ada, a.ID, in)
	wantFault(t, "alone, without the target", err, fault.WrongAnswer)
	done, err := h.decide(h.ada, a.ID, form(v))
	if err != nil || !done.Decision.Evidence.SinglePerson {
		t.Errorf("alone: %+v, %v", done.Decision, err)
	}
	h.wantTrail("alone", a.ID, audit.Submitted, audit.Viewed, audit.ChallengeIssued, audit.Approved)
}
