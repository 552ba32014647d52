package tenants_test

import (
	"testing"

	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/patterns"
	"github.com/countersign/countersign/internal/tenants"
)

func masking() scoring.Policy {
	return policy(func(p *scoring.Policy) {
		p.PatternOverrides.Add = []patterns.Pattern{{
			ID: "account-number", Severity: patterns.High, Description: "An account number",
			Regex: []string{`\b[0-9]{4}-[0-9]{3}\b`}, MustMatch: []string{"4471-229"}, MustNotMatch: []string{"4471"},
		}}
		p.GrantSeconds = 3600
	})
}

// own is the organisation's own pattern as it is in force; ok is false where there is none.
func (v *town) own() (one patterns.Pattern, version tenants.PolicyVersion, ok bool) {
	v.t.Helper()
	version, err := v.CurrentPolicy(v.t.Context(), v.people["adam"])
	must(v.t, err)
	if all := version.Policy.PatternOverrides.Add; len(all) > 0 {
		return all[0], version, true
	}
	return one, version, false
}

// A mask of one admin counts at once, alone, and waits; another admin accepts it.
func TestAMaskCountsAtOnceAndWaits(t *testing.T) {
	t.Parallel()
	v := newTown(t)
	_, p := v.save("adam", 1, masking())
	one, now, ok := v.own()
	if !ok || !one.Waits || now.Version != 2 || now.Policy.GrantSeconds != 300 || now.Author.ID != v.people["adam"].Person.ID {
		t.Fatalf("in force is version %d: %+v", now.Version, one)
	}
	if p == nil || p.Base != 2 || len(p.Weakens) != 2 || p.Policy.PatternOverrides.Add[0].Waits {
		t.Fatalf("proposed %+v", p)
	}
	must(t, v.RejectProposal(t.Context(), v.people["alma"], p.ID, "no"))
	if one, _, _ = v.own(); !one.Waits {
		t.Error("a rejected mask was accepted")
	}
	_, p = v.save("adam", 2, masking())
	if one, now, _ = v.own(); now.Version != 2 || p.Base != 2 {
		t.Errorf("the same mask made version %d", now.Version)
	}
	_, err := v.AcceptProposal(t.Context(), v.people["alma"], p.ID)
	must(t, err)
	if one, now, _ = v.own(); one.Waits || now.Policy.GrantSeconds != 3600 {
		t.Errorf("accepted: %+v", one)
	}
	if report, err := v.db.Audit().Verify(t.Context(), "acme"); err != nil || !report.OK {
		t.Errorf("the trail: %+v, %v", report, err)
	}
}

// What an operator proposes masks nothing before an admin accepts it.
func TestAnOperatorsMaskWaitsWhole(t *testing.T) {
	t.Parallel()
	v := newTown(t)
	v.save("ada", 1, masking())
	if _, now, ok := v.own(); ok || now.Version != 1 {
		t.Errorf("version %d masks", now.Version)
	}
}

// Somebody who is alone makes the version, as with every weakening.
func TestAMaskAlone(t *testing.T) {
	t.Parallel()
	v := newTown(t)
	v.alone()
	made, _, err := v.SavePolicy(t.Context(), v.people["adam"], tenants.Change{Base: 1, Policy: masking(), Reason: "x", Typed: "acme"})
	must(t, err)
	if one, _, ok := v.own(); !ok || one.Waits || !made.SinglePerson {
		t.Errorf("made %+v", one)
	}
}
