package lifetest

import (
	"testing"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/patterns"
	"github.com/countersign/countersign/internal/tenants"
)

// A mask blinds nobody: what one admin alone hides is not approved.

// wire moves money to an account, and accounts is the pattern that hides it.
const wire = `{"function":"wire_transfer","arguments":{"account_number":"4471-229-018","amount":2500,"currency":"EUR"}}`

var accounts = patterns.Pattern{
	ID: "account-number", Severity: patterns.High, Action: patterns.Redact, Description: "An account number",
	Regex: []string{`\b[0-9]{4}-[0-9]{3}-[0-9]{3}\b`}, MustMatch: []string{"4471-229-018"}, MustNotMatch: []string{"4471"},
}

// admin is one more, with whom single-person mode ends.
func (h *house) admin() auth.Member {
	h.t.Helper()
	roles := []auth.Role{auth.Admin}
	p, err := h.people().CreatePerson(h.t.Context(), "acme", "gus@acme.test", "", "", roles)
	if err != nil {
		h.t.Fatal(err)
	}
	gus := auth.Member{Tenant: "acme", Person: p, Roles: roles, SignedInAt: freshly}
	h.signIn(h.eve, gus)
	return gus
}

// proposes is eve saving a change that waits for another admin.
func (h *house) proposes(change func(*scoring.Policy)) tenants.Proposal {
	h.t.Helper()
	now, err := h.people().CurrentPolicy(h.t.Context(), h.eve)
	if err != nil {
		h.t.Fatal(err)
	}
	change(&now.Policy)
	_, proposed, err := h.people().SavePolicy(h.t.Context(), h.eve, tenants.Change{Base: now.Version, Policy: now.Policy, Reason: "a leak"})
	if err != nil || proposed == nil {
		h.t.Fatalf("proposed %v, %v", proposed, err)
	}
	return *proposed
}

func hiding(p *scoring.Policy) { p.PatternOverrides.Add = []patterns.Pattern{accounts} }

func TestWhatOneAdminMasksNobodyApproves(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	gus := h.admin()
	plain := h.submit(wire)
	h.policy(func(p *scoring.Policy) { p.ExpirySeconds = 86_400 })
	proposal := h.proposes(hiding)

	a := h.submit(wire)
	if string(a.Action) == string(plain.Action) || len(a.Carried) != 1 || a.Carried[0].ID != accounts.ID {
		t.Fatalf("not masked at once: %s", a.Action)
	}
	if a.Treatment.Level != plain.Treatment.Level || a.Treatment.Challenge != plain.Treatment.Challenge {
		t.Errorf("treated as %+v, unmasked as %+v", a.Treatment, plain.Treatment)
	}
	v := h.show(h.ada, a.ID)
	if v.Stage != approvals.StageBlinded || v.Why.Empty() || v.Challenge.ID != "" || v.Confirmation.Target == "" {
		t.Errorf("the page: %s, %s", v.Stage, v.Why)
	}
	_, err := h.decide(h.ada, a.ID, approvals.DecideInput{Verdict: approvals.VerdictApprove, Digest: a.ShownDigest, Version: 1})
	wantFault(t, "approved before anybody accepted", err, fault.NotEligible)
	wantFault(t, "its quiz", h.StartQuiz(t.Context(), h.ada, a.ID), fault.NotEligible)
	h.refuse(h.ben, h.submit(wire), approvals.VerdictDeny)
	h.refuse(h.ben, h.submit(wire), approvals.VerdictRequestChanges)

	if _, err := h.people().AcceptProposal(t.Context(), gus, proposal.ID); err != nil {
		t.Fatal(err)
	}
	v = h.read(h.ada, a.ID)
	if v.Version != 1 || v.Stage == approvals.StageBlinded || v.Kind != plain.Treatment.Challenge {
		t.Errorf("accepted: version %d, %s, %s", v.Version, v.Stage, v.Kind)
	}
	for i, m := range []auth.Member{h.ada, h.ben} {
		h.start(m, a.ID)
		if v = h.show(m, a.ID); v.Asking == nil || v.Treatment.ApprovalsRequired != 2 {
			t.Errorf("with its target masked: %+v, %+v", v.Asking, v.Treatment)
		}
		if err := h.answer(m, a.ID, 0); err != nil {
			t.Fatal(err)
		}
		v = h.read(m, a.ID)
		done, err := h.decide(m, a.ID, form(v))
		if err != nil || done.Version != 1 {
			t.Fatalf("decision %d: version %d, %s, %v", i+1, done.Version, done.Status, err)
		}
	}
	h.status("two people", a.ID, approvals.Approved)
	h.trail(a.ID)
}

// What was masked stays so when the change is taken back, and the agent asks again.
func TestAMaskThatIsTakenBackIsNotApproved(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.admin()
	h.policy(func(p *scoring.Policy) { p.ExpirySeconds = 86_400 })
	proposal, was := h.proposes(hiding), h.submit(wire)
	if err := h.people().WithdrawProposal(t.Context(), h.eve, proposal.ID); err != nil {
		t.Fatal(err)
	}
	if v := h.show(h.ada, was.ID); v.Stage != approvals.StageBlinded {
		t.Errorf("withdrawn: %s", v.Stage)
	}
	h.policy(func(p *scoring.Policy) { p.PatternOverrides.Add = nil })
	if v := h.show(h.ada, was.ID); v.Stage != approvals.StageBlinded {
		t.Errorf("removed: %s", v.Stage)
	}
	if v := h.show(h.ada, h.submit(wire).ID); v.Stage != approvals.StageReading {
		t.Errorf("asked again: %s", v.Stage)
	}
}

// What a mask hides makes nothing stricter afterwards: the call was judged with it.
func TestAMaskMakesNoSecondVersion(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	sum := accounts
	sum.ID, sum.Regex, sum.MustMatch, sum.Severity = "sum", []string{`\b[0-9]{2}\b`}, []string{"50"}, patterns.Low
	h.policy(func(p *scoring.Policy) { p.PatternOverrides.Add = []patterns.Pattern{sum} })
	const refund = `{"function":"refund_payment","arguments":{"payment":"pay_1a","amount":50,"currency":"EUR"}}`
	a := h.submit(refund)
	if a.Treatment.Level != level.Medium {
		t.Fatalf("a small sum is %s", a.Treatment.Level)
	}
	h.policy(func(p *scoring.Policy) { p.GrantSeconds = 60 }) // which is no reason
	v := h.read(h.ada, a.ID)
	done, err := h.decide(h.ada, a.ID, form(v))
	if err != nil || done.Version != 1 || done.Status != approvals.Approved {
		t.Fatalf("version %d, %s, %v", done.Version, done.Status, err)
	}
	if _, err := h.consume(done, done.Digest, ""); err != nil {
		t.Errorf("its grant: %v", err)
	}

	a = h.submit(refund)
	v = h.read(h.ada, a.ID)
	h.policy(func(p *scoring.Policy) { p.ApprovalsRequired.Medium = 2 })
	done, err = h.decide(h.ada, a.ID, form(v))
	wantFault(t, "more people for its level", err, fault.StricterNow)
	if done.Treatment.ApprovalsRequired != 2 {
		t.Errorf("it needs %d", done.Treatment.ApprovalsRequired)
	}
}
