package tenants_test

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/long"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/tenants"
)

// policy is the default one with a change.
func policy(change func(*scoring.Policy)) scoring.Policy {
	p := scoring.DefaultPolicy()
	if change != nil {
		change(&p)
	}
	return p
}

func tighter() scoring.Policy { return policy(func(p *scoring.Policy) { p.GrantSeconds = 60 }) }
func weaker() scoring.Policy  { return policy(func(p *scoring.Policy) { p.GrantSeconds = 3600 }) }

// save makes a version, or a proposal.
func (v *town) save(who string, base int64, p scoring.Policy) (*tenants.PolicyVersion, *tenants.Proposal) {
	v.t.Helper()
	made, proposed, err := v.SavePolicy(v.t.Context(), v.people[who], tenants.Change{Base: base, Policy: p, Reason: " because "})
	must(v.t, err)
	if (made == nil) == (proposed == nil) {
		v.t.Fatalf("made %v and proposed %v, want exactly one", made, proposed)
	}
	return made, proposed
}

// alone makes adam the only admin of acme.
func (v *town) alone() {
	v.t.Helper()
	_, err := v.Grant(v.t.Context(), "acme", v.people["alma"].Person.Email, []auth.Role{auth.Operator})
	must(v.t, err)
}

func TestTighteningIsImmediate(t *testing.T) {
	t.Parallel()
	v := newTown(t)
	made, _ := v.save("adam", 1, tighter())
	if made == nil || made.Version != 2 || made.Reason != "because" || made.Author != v.people["adam"].Person || made.Accepted.ID != "" || made.SinglePerson {
		t.Fatalf("made %+v", made)
	}
	for _, who := range []string{"adam", "ada", "cleo"} {
		now, err := v.CurrentPolicy(t.Context(), v.people[who])
		if err != nil || !reflect.DeepEqual(now, *made) {
			t.Errorf("%s sees %+v, %v; want %+v", who, now, err, *made)
		}
	}
	kept, err := v.PolicyVersion(t.Context(), v.people["ada"], 1)
	if err != nil || kept.Policy.GrantSeconds != 300 || kept.Author.ID != "" {
		t.Errorf("version 1 is %+v, %v", kept, err)
	}
	list, err := v.PolicyVersions(t.Context(), v.people["cleo"], 0, 0)
	if err != nil || len(list) != 1 || list[0].Version != 2 {
		t.Errorf("the newest are %+v, %v", list, err)
	}
	if other, err := v.CurrentPolicy(t.Context(), v.people["rita"]); err != nil || other.Version != 1 {
		t.Errorf("rival has version %d, %v", other.Version, err)
	}
	e := v.newest("acme", audit.PolicyChanged)
	sum, _ := made.Policy.SHA256()
	for name, want := range map[string]string{"reason": "because", "author": v.people["adam"].Person.ID, "policy_sha256": sum, "accepted_by": "", "proposal": ""} {
		if got := e.Data.Get(name).Text(); got != want {
			t.Errorf("the event says %s %q, want %q", name, got, want)
		}
	}
	if got := string(e.Data.Get("differences").Canonical()); got != `[{"member":"/grant_seconds","new":"60","old":"300","weaker":false}]` {
		t.Errorf("the differences are %s", got)
	}
	if e.Actor != (audit.Actor{Kind: "person", ID: v.people["adam"].Person.ID}) {
		t.Errorf("the actor is %+v", e.Actor)
	}
}

// newest is the newest event of a kind.
func (v *town) newest(tenant string, k audit.Kind) audit.Event {
	v.t.Helper()
	for _, e := range slices.Backward(v.events(tenant)) {
		if e.Kind == k {
			return e
		}
	}
	v.t.Fatalf("no event %s", k)
	return audit.Event{}
}

func TestWeakeningNeedsAnother(t *testing.T) {
	t.Parallel()
	v := newTown(t)
	_, p := v.save("adam", 1, weaker())
	if p == nil || p.Base != 1 || p.State != tenants.ProposalOpen || !slices.Equal(p.Weakens, []string{"/grant_seconds"}) || !strings.HasPrefix(p.ID, "ppl_") {
		t.Fatalf("proposed %+v", p)
	}
	if now, _ := v.CurrentPolicy(t.Context(), v.people["adam"]); now.Version != 1 {
		t.Errorf("version %d counts", now.Version)
	}
	_, err := v.AcceptProposal(t.Context(), v.people["adam"], p.ID)
	wantFault(t, "accepting one's own", err, fault.NotEligible)
	if detail := fault.As(err).Detail; !strings.Contains(detail, "Alma can") {
		t.Errorf("it does not say who can: %s", detail)
	}
	for _, who := range []string{"ada", "cleo"} {
		_, err := v.AcceptProposal(t.Context(), v.people[who], p.ID)
		wantFault(t, who+" accepting", err, fault.Denied)
	}
	_, err = v.AcceptProposal(t.Context(), v.people["rita"], p.ID)
	wantFault(t, "another tenant accepting", err, fault.Missing)

	made, err := v.AcceptProposal(t.Context(), v.people["alma"], p.ID)
	if err != nil || made.Version != 2 || made.Author != v.people["adam"].Person || made.Accepted != v.people["alma"].Person || made.SinglePerson || made.Policy.GrantSeconds != 3600 {
		t.Fatalf("made %+v, %v", made, err)
	}
	kept, err := v.Proposal(t.Context(), v.people["ada"], p.ID)
	if err != nil || kept.State != tenants.ProposalAccepted || kept.ClosedBy != v.people["alma"].Person || kept.ClosedAt == nil {
		t.Errorf("it is %+v, %v", kept, err)
	}
	_, err = v.AcceptProposal(t.Context(), v.people["alma"], p.ID)
	wantFault(t, "accepting twice", err, fault.Changed)
	wantFault(t, "rejecting it now", v.RejectProposal(t.Context(), v.people["alma"], p.ID, "no"), fault.Changed)
	wantFault(t, "withdrawing it now", v.WithdrawProposal(t.Context(), v.people["adam"], p.ID), fault.Changed)
	e := v.newest("acme", audit.PolicyChanged)
	if e.Actor.ID != v.people["alma"].Person.ID || e.Data.Get("author").Text() != v.people["adam"].Person.ID || e.Data.Get("accepted_by").Text() != v.people["alma"].Person.ID || e.Data.Get("proposal").Text() != p.ID {
		t.Errorf("the event is %s", e.Data.Canonical())
	}
}

// Somebody who is alone types the organisation's name, and it is marked.
func TestWeakeningAlone(t *testing.T) {
	t.Parallel()
	v := newTown(t)
	v.alone()
	adam := v.people["adam"]
	for _, typed := range []string{"", "Acme", "rival", "acme!"} {
		_, _, err := v.SavePolicy(t.Context(), adam, tenants.Change{Base: 1, Policy: weaker(), Reason: "x", Typed: typed})
		if f := fault.As(err); f == nil || f.Code != fault.InvalidForm || f.Member != "typed" || !strings.Contains(f.Detail, "type acme") || !strings.Contains(f.Detail, "/grant_seconds") {
			t.Errorf("typed %q: %v", typed, err)
		}
	}
	made, proposed, err := v.SavePolicy(t.Context(), adam, tenants.Change{Base: 1, Policy: weaker(), Reason: "x", Typed: " acme "})
	if err != nil || proposed != nil || !made.SinglePerson {
		t.Fatalf("made %+v, proposed %+v, %v", made, proposed, err)
	}
	if !v.newest("acme", audit.PolicyChanged).Data.Get("single_person").Bool() {
		t.Error("the trail does not say that nobody else looked")
	}
	if kept, _ := v.PolicyVersion(t.Context(), adam, 2); !kept.SinglePerson {
		t.Error("the version does not say it")
	}
	tight, _ := v.save("adam", 2, tighter())
	if tight == nil || tight.SinglePerson {
		t.Errorf("tightening alone made %+v", tight)
	}
}

// Typing the name helps nobody who is not alone.
func TestTypingDoesNotReplaceAnother(t *testing.T) {
	t.Parallel()
	v := newTown(t)
	for _, who := range []string{"adam", "ada"} {
		made, proposed, err := v.SavePolicy(t.Context(), v.people[who], tenants.Change{Base: 1, Policy: weaker(), Reason: "x", Typed: "acme"})
		if err != nil || made != nil || proposed == nil {
			t.Errorf("%s made %+v, %v", who, made, err)
		}
	}
	_, _, err := v.SavePolicy(t.Context(), v.people["cleo"], tenants.Change{Base: 1, Policy: tighter(), Reason: "x"})
	wantFault(t, "compliance saving", err, fault.Denied)
}

func TestOperatorsPropose(t *testing.T) {
	t.Parallel()
	v := newTown(t)
	_, p := v.save("ada", 1, tighter())
	if p == nil || len(p.Weakens) != 0 {
		t.Fatalf("proposed %+v", p)
	}
	wantFault(t, "an operator rejecting", v.RejectProposal(t.Context(), v.people["ada"], p.ID, "no"), fault.Denied)
	wantFault(t, "an admin withdrawing it", v.WithdrawProposal(t.Context(), v.people["adam"], p.ID), fault.NotEligible)
	wantFault(t, "rejecting without a reason", v.RejectProposal(t.Context(), v.people["adam"], p.ID, " "), fault.InvalidForm)
	must(t, v.RejectProposal(t.Context(), v.people["adam"], p.ID, " not now "))
	if kept, _ := v.Proposal(t.Context(), v.people["cleo"], p.ID); kept.State != tenants.ProposalRejected || kept.Answer != "not now" {
		t.Errorf("it is %+v", kept)
	}
	_, p = v.save("ada", 1, tighter())
	must(t, v.WithdrawProposal(t.Context(), v.people["ada"], p.ID))
	if open, err := v.Proposals(t.Context(), v.people["ada"]); err != nil || len(open) != 0 {
		t.Errorf("open are %+v, %v", open, err)
	}
	_, p = v.save("ada", 1, tighter())
	if made, err := v.AcceptProposal(t.Context(), v.people["adam"], p.ID); err != nil || made.Author != v.people["ada"].Person || made.Accepted != v.people["adam"].Person {
		t.Errorf("made %+v, %v", made, err)
	}
	kinds := map[audit.Kind]int{}
	for _, e := range v.events("acme") {
		kinds[e.Kind]++
	}
	if kinds[audit.PolicyProposed] != 3 || kinds[audit.ProposalRejected] != 1 || kinds[audit.ProposalWithdrawn] != 1 || kinds[audit.PolicyChanged] != 1 {
		t.Errorf("the events are %v", kinds)
	}
}

// Nobody accepts their own, not even when they have become the only admin.
func TestOwnProposalStaysOwn(t *testing.T) {
	t.Parallel()
	v := newTown(t)
	_, p := v.save("adam", 1, weaker())
	v.alone()
	_, err := v.AcceptProposal(t.Context(), v.people["adam"], p.ID)
	wantFault(t, "accepting one's own, alone", err, fault.NotEligible)
	if detail := fault.As(err).Detail; !strings.Contains(detail, "withdraw it and save the change yourself") {
		t.Errorf("it does not say what to do: %s", detail)
	}
}

// What counts is the role of now, not that of the session.
func TestRolesOfNow(t *testing.T) {
	t.Parallel()
	v := newTown(t)
	_, p := v.save("adam", 1, weaker())
	v.alone() // alma's session still says admin
	_, err := v.AcceptProposal(t.Context(), v.people["alma"], p.ID)
	wantFault(t, "accepting with a role that was taken", err, fault.Denied)
	wantFault(t, "rejecting with it", v.RejectProposal(t.Context(), v.people["alma"], p.ID, "no"), fault.Denied)
	made, proposed, err := v.SavePolicy(t.Context(), v.people["alma"], tenants.Change{Base: 1, Policy: tighter(), Reason: "x"})
	if err != nil || made != nil || proposed == nil {
		t.Errorf("she made %+v, %v; want a proposal", made, err)
	}
	gone := auth.Member{Tenant: "acme", Person: auth.Person{ID: "per_gone"}, Roles: auth.Roles()}
	_, _, err = v.SavePolicy(t.Context(), gone, tenants.Change{Base: 1, Policy: tighter(), Reason: "x"})
	wantFault(t, "somebody who is former member", err, fault.Denied)
}

func TestProposalsWhoseBaseMoved(t *testing.T) {
	t.Parallel()
	v := newTown(t)
	_, p := v.save("ada", 1, weaker())
	v.save("adam", 1, tighter())
	_, err := v.AcceptProposal(t.Context(), v.people["alma"], p.ID)
	wantFault(t, "accepting what was made from an older version", err, fault.Changed)
	if kept, _ := v.Proposal(t.Context(), v.people["alma"], p.ID); kept.State != tenants.ProposalOpen {
		t.Errorf("it is %s", kept.State)
	}
	if now, _ := v.CurrentPolicy(t.Context(), v.people["alma"]); now.Version != 2 {
		t.Errorf("version %d counts", now.Version)
	}
}

func TestSavePolicyRefuses(t *testing.T) {
	t.Parallel()
	v := newTown(t)
	for name, c := range map[string]struct {
		change tenants.Change
		code   fault.Code
		member string
	}{
		"no reason":          {tenants.Change{Base: 1, Policy: tighter()}, fault.InvalidForm, "reason"},
		"blank reason":       {tenants.Change{Base: 1, Policy: tighter(), Reason: " \n"}, fault.InvalidForm, "reason"},
		"long reason":        {tenants.Change{Base: 1, Policy: tighter(), Reason: strings.Repeat("é", 2001)}, fault.InvalidForm, "reason"},
		"no text":            {tenants.Change{Base: 1, Policy: tighter(), Reason: "\xff"}, fault.InvalidForm, "reason"},
		"an invalid policy":  {tenants.Change{Base: 1, Policy: policy(func(p *scoring.Policy) { p.GrantSeconds, p.OnBlock = 1, "x" }), Reason: "x"}, fault.InvalidMember, "/on_block"},
		"no policy":          {tenants.Change{Base: 1, Reason: "x"}, fault.InvalidMember, "/thresholds/medium"},
		"nothing changed":    {tenants.Change{Base: 1, Policy: policy(nil), Reason: "x"}, fault.InvalidForm, "policy"},
		"an older version":   {tenants.Change{Base: 0, Policy: tighter(), Reason: "x"}, fault.Changed, ""},
		"a version to come":  {tenants.Change{Base: 2, Policy: tighter(), Reason: "x"}, fault.Changed, ""},
		"the longest reason": {tenants.Change{Base: 2, Policy: tighter(), Reason: strings.Repeat("é", 2000)}, fault.Changed, ""},
	} {
		_, _, err := v.SavePolicy(t.Context(), v.people["adam"], c.change)
		if f := fault.As(err); f == nil || f.Code != c.code || f.Member != c.member {
			t.Errorf("%s: %v, want %s about %q", name, err, c.code, c.member)
		}
	}
	for i := range 11 {
		_, _, err := v.SavePolicy(t.Context(), v.people["ada"], tenants.Change{Base: 1, Policy: tighter(), Reason: "x"})
		if (err != nil) != (i == 10) {
			t.Errorf("proposal %d: %v", i+1, err)
		}
	}
	if n := len(v.events("acme")); n != 5+10 {
		t.Errorf("%d events: what was refused is in the trail", n)
	}
}

func TestReadingPolicies(t *testing.T) {
	t.Parallel()
	v := newTown(t)
	nobody := auth.Member{Tenant: "acme", Person: v.people["ada"].Person}
	for name, read := range map[string]func() error{
		"current":   func() error { _, err := v.CurrentPolicy(t.Context(), nobody); return err },
		"versions":  func() error { _, err := v.PolicyVersions(t.Context(), nobody, 0, 10); return err },
		"version":   func() error { _, err := v.PolicyVersion(t.Context(), nobody, 1); return err },
		"proposals": func() error { _, err := v.Proposals(t.Context(), nobody); return err },
		"proposal":  func() error { _, err := v.Proposal(t.Context(), nobody, "ppl_1"); return err },
		"accept":    func() error { _, err := v.AcceptProposal(t.Context(), nobody, "ppl_1"); return err },
		"reject":    func() error { return v.RejectProposal(t.Context(), nobody, "ppl_1", "x") },
		"withdraw":  func() error { return v.WithdrawProposal(t.Context(), nobody, "ppl_1") },
		"save": func() error {
			_, _, err := v.SavePolicy(t.Context(), nobody, tenants.Change{Base: 1, Policy: tighter(), Reason: "x"})
			return err
		},
	} {
		wantFault(t, name+" without a role", read(), fault.Denied)
	}
	_, err := v.PolicyVersion(t.Context(), v.people["ada"], 2)
	wantFault(t, "a version to come", err, fault.Missing)
	_, err = v.PolicyOf(t.Context(), "nowhere")
	wantFault(t, "no organisation", err, fault.Missing)
	_, err = v.ImportPolicy(t.Context(), "nowhere", tenants.Change{Base: 1, Policy: tighter(), Reason: "x"})
	wantFault(t, "importing there", err, fault.Missing)
}

// Of many who save at once one wins, and versions have no gaps.
func TestSavingAtOnce(t *testing.T) {
	t.Parallel()
	long.Race(t)
	v := newTown(t)
	const people = 8
	var all sync.WaitGroup
	errs := make([]error, people)
	start := make(chan struct{})
	for i := range people {
		all.Go(func() {
			<-start
			p := policy(func(p *scoring.Policy) { p.GrantSeconds = 60 + i })
			_, _, errs[i] = v.SavePolicy(context.WithoutCancel(t.Context()), v.people["adam"], tenants.Change{Base: 1, Policy: p, Reason: fmt.Sprint(i)})
		})
	}
	close(start)
	all.Wait()
	won := 0
	for _, err := range errs {
		if err == nil {
			won++
		} else if !fault.Is(err, fault.Changed) {
			t.Errorf("one who lost: %v", err)
		}
	}
	list, err := v.PolicyVersions(t.Context(), v.people["adam"], 0, 100)
	if won != 1 || err != nil || len(list) != 2 {
		t.Errorf("%d won, and there are %d versions, %v", won, len(list), err)
	}
	v.events("acme")
}

func TestImportPolicy(t *testing.T) {
	t.Parallel()
	v := newTown(t)
	made, err := v.ImportPolicy(t.Context(), "acme", tenants.Change{Base: 1, Policy: weaker(), Reason: "restored"})
	if err != nil || made.Version != 2 || made.Author.ID != "" || made.SinglePerson {
		t.Fatalf("made %+v, %v", made, err)
	}
	e := v.newest("acme", audit.PolicyChanged)
	if e.Actor != (audit.Actor{Kind: "system"}) || e.Data.Get("weakens").Len() != 1 {
		t.Errorf("the event is by %+v: %s", e.Actor, e.Data.Canonical())
	}
	_, err = v.ImportPolicy(t.Context(), "acme", tenants.Change{Base: 1, Policy: tighter(), Reason: "compared with version 1"})
	wantFault(t, "from a version that is not the last", err, fault.Changed)
	_, err = v.ImportPolicy(t.Context(), "acme", tenants.Change{Base: 2, Policy: weaker(), Reason: "again"})
	wantFault(t, "the same again", err, fault.InvalidForm)
	_, err = v.ImportPolicy(t.Context(), "acme", tenants.Change{Base: 2, Policy: scoring.Policy{}, Reason: "x"})
	wantFault(t, "no policy", err, fault.InvalidMember)
}

// An event has a bound, whatever is in the policy.
func TestLargeChangesAreTold(t *testing.T) {
	t.Parallel()
	v := newTown(t)
	big := policy(func(p *scoring.Policy) {
		for i := range 100 {
			hints := map[string]any{}
			for j := range 40 {
				hints[fmt.Sprintf("hint-%d-é", j)] = true
			}
			p.Functions = append(p.Functions, scoring.Function{Glob: fmt.Sprintf("f%d_*", i), Hints: hints, Docstring: strings.Repeat("é", 500)})
		}
	})
	made, _ := v.save("adam", 1, big)
	if made == nil {
		t.Fatal("it was not made")
	}
	v.save("adam", 2, policy(func(p *scoring.Policy) { p.Challenges, _ = scoring.Preset(scoring.PresetAutoApprove) }))
	e := v.newest("acme", audit.PolicyChanged)
	if n := e.Data.Get("differences").Len(); n != 100 {
		t.Errorf("%d differences", n)
	}
	for _, e := range v.events("acme") {
		if n := len(e.Data.Canonical()); n > 80_000 {
			t.Errorf("%s has %d bytes", e.Kind, n)
		}
	}
}
