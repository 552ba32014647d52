package tenants_test

import (
	"testing"
	"time"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/store/storetest"
	"github.com/countersign/countersign/internal/tenants"
)

// What waits takes force by itself, and what came too late, or of somebody who was
// stopped, does not.

// A weaker policy and a binding become so, by the system, with who asked.
func TestPoliciesAndBindingsTakeForce(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	v := several(t)
	adam, alma := v.people["adam"], v.people["alma"]
	_, p, err := v.SavePolicy(ctx, adam, tenants.Change{Base: 1, Policy: weaker(), Reason: "x"})
	must(t, err)
	_, agent, err := v.MakeAgent(ctx, adam, tenants.NewAgent{Name: "worker", KeyID: auth.NewID("key")})
	must(t, err)
	asked, err := v.BindAgent(ctx, adam, agent.ID, tenants.NewBinding{Bound: tenants.Bound{Environment: "staging"}, Reason: "it tests"})
	if must(t, err); !asked {
		t.Fatal("the binding waits for nobody")
	}
	if _, err := v.ProposalConsent(ctx, alma, *p); err != nil {
		t.Fatal(err)
	}
	if l, err := v.Waiting(ctx, alma); err != nil || len(l.Bindings) != 1 || l.Consent[l.Bindings[0].AskedAs()].Begun.IsZero() {
		t.Fatalf("the waiting time of the binding did not begin: %+v, %v", l, err)
	}
	v.clock.pass(24*time.Hour - time.Second)
	must(t, v.PutInForce(ctx))
	if now, err := v.CurrentPolicy(ctx, adam); err != nil || now.Version != 1 {
		t.Fatalf("too early: version %d, %v", now.Version, err)
	}
	v.clock.pass(time.Second)
	must(t, v.PutInForce(ctx))
	now, err := v.CurrentPolicy(ctx, adam)
	if err != nil || now.Version != 2 || now.Author != adam.Person || now.Accepted.ID != "" || !now.Waited {
		t.Errorf("in force is %d of %s, accepted by %s, waited %v, %v", now.Version, now.Author.Name, now.Accepted.ID, now.Waited, err)
	}
	if e := v.newest("acme", audit.PolicyChanged); e.Actor.Kind != "system" || !e.Data.Get("waited").Bool() || e.Data.Get("author").Text() != adam.Person.ID {
		t.Errorf("the event says %s by %s", e.Data.Canonical(), e.Actor.Kind)
	}
	l, err := v.Agent(ctx, adam, agent.ID)
	if err != nil || l.Agents[0].Environment != "staging" || l.Agents[0].Asked != nil {
		t.Errorf("the agent is bound to %q, asked %v, %v", l.Agents[0].Environment, l.Agents[0].Asked, err)
	}
	if e := v.newest("acme", audit.AgentBound); e.Actor.Kind != "system" || !e.Data.Get("waited").Bool() || e.Data.Get("asked_by").Text() != adam.Person.ID {
		t.Errorf("the event says %s by %s", e.Data.Canonical(), e.Actor.Kind)
	}
	v.verified()
}

// Nothing of what somebody asked for takes force while they are stopped, and it waits anew
// when they are back.
func TestNothingTakesForceOfSomebodyWhoIsStopped(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	v := several(t)
	adam, alma := v.people["adam"], v.people["alma"]
	_, p, err := v.SavePolicy(ctx, adam, tenants.Change{Base: 1, Policy: weaker(), Reason: "x"})
	must(t, err)
	_, agent, err := v.MakeAgent(ctx, adam, tenants.NewAgent{Name: "worker", KeyID: auth.NewID("key")})
	must(t, err)
	_, err = v.BindAgent(ctx, adam, agent.ID, tenants.NewBinding{Bound: tenants.Bound{Environment: "staging"}, Reason: "it tests"})
	must(t, err)
	_, err = v.Service.SetRoles(ctx, adam, v.people["cleo"].Person.ID, []auth.Role{auth.Operator})
	must(t, err)
	_, err = v.ProposalConsent(ctx, alma, *p)
	must(t, err)
	v.waits("alma")
	must(t, v.Suspend(ctx, alma, adam.Person.ID, "a leak"))
	nothing := func(when string) {
		t.Helper()
		must(t, v.PutInForce(ctx))
		now, err := v.CurrentPolicy(ctx, alma)
		l, err2 := v.Agent(ctx, alma, agent.ID)
		cleo, err3 := v.Member(ctx, "acme", v.people["cleo"].Person.ID)
		if err != nil || err2 != nil || err3 != nil || now.Version != 1 || l.Agents[0].Environment != "" || cleo.May(auth.Decide) {
			t.Errorf("%s: version %d, bound to %q, cleo is %v; %v, %v, %v", when, now.Version, l.Agents[0].Environment, cleo.Roles, err, err2, err3)
		}
	}
	v.clock.pass(48 * time.Hour)
	nothing("while adam is suspended")
	_, err = v.Grant(ctx, "acme", "ada@example.com", []auth.Role{auth.Admin})
	must(t, err)
	asked, err := v.Reinstate(ctx, alma, adam.Person.ID)
	if must(t, err); !asked {
		t.Fatal("nobody has to accept that adam is back")
	}
	ada, err := v.Member(ctx, "acme", v.people["ada"].Person.ID)
	must(t, err)
	l, err := v.Waiting(ctx, ada)
	must(t, err)
	must(t, v.AcceptPeople(ctx, ada, l.People[1].ID))
	nothing("when he is back")
	v.clock.pass(24 * time.Hour)
	must(t, v.PutInForce(ctx))
	if now, err := v.CurrentPolicy(ctx, alma); err != nil || now.Version != 2 {
		t.Errorf("a day later: version %d, %v", now.Version, err)
	}
	v.verified()
}

// What can never be done any more ends, with why; a policy that was made from an older
// version stays to be made again.
func TestWhatIsOutOfDateTakesNoForce(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	v := several(t)
	adam, alma, cleo := v.people["adam"], v.people["alma"], v.people["cleo"].Person.ID
	_, p, err := v.SavePolicy(ctx, adam, tenants.Change{Base: 1, Policy: weaker(), Reason: "x"})
	must(t, err)
	_, err = v.Service.SetRoles(ctx, adam, cleo, []auth.Role{auth.Operator, auth.Compliance})
	must(t, err)
	_, err = v.ProposalConsent(ctx, alma, *p)
	must(t, err)
	id := v.waits("alma").ID
	_, err = v.Grant(ctx, "acme", "cleo@example.com", []auth.Role{auth.Operator})
	must(t, err)
	_, err = v.ImportPolicy(ctx, "acme", tenants.Change{Base: 1, Policy: weaker(), Reason: "y"})
	must(t, err)
	v.clock.pass(25 * time.Hour)
	must(t, v.PutInForce(ctx))
	if e := v.newest("acme", audit.PeopleWithdrawn); e.Data.Get("proposal").Text() != id || e.Actor.Kind != "system" || e.Data.Get("reason").Text() == "" {
		t.Errorf("the event says %s by %s", e.Data.Canonical(), e.Actor.Kind)
	}
	if now, err := v.CurrentPolicy(ctx, alma); err != nil || now.Version != 2 {
		t.Errorf("version %d, %v", now.Version, err)
	}
	v.verified()
}

// Where there is no other admin, operators look, and can object: at bindings too, whose
// agents they may not read.
func TestOperatorsObjectToBindings(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	v := several(t)
	adam, ada := v.people["adam"], v.people["ada"]
	must(t, v.RemoveMember(ctx, adam, v.people["alma"].Person.ID))
	v.clock.pass(8 * 24 * time.Hour) // until when she counts as an admin
	_, agent, err := v.MakeAgent(ctx, adam, tenants.NewAgent{Name: "worker", KeyID: auth.NewID("key")})
	must(t, err)
	for _, objects := range []bool{true, false} {
		_, err = v.BindAgent(ctx, adam, agent.ID, tenants.NewBinding{Bound: tenants.Bound{Environment: "staging"}, Reason: "it tests"})
		must(t, err)
		l, err := v.Waiting(ctx, ada)
		must(t, err)
		if c := l.Consent[l.Bindings[0].AskedAs()]; c.Begun.IsZero() || !c.MayObject {
			t.Fatalf("her look: %+v", c)
		}
		if objects {
			wantFault(t, "compliance objects", v.ObjectBinding(ctx, v.people["cleo"], agent.ID, "no"), fault.Denied)
			wantFault(t, "without a reason", v.ObjectBinding(ctx, ada, agent.ID, " "), fault.InvalidForm)
			must(t, v.ObjectBinding(ctx, ada, agent.ID, "no"))
			if e := v.newest("acme", audit.AgentBindingDropped); e.Data.Get("reason").Text() != "no" {
				t.Errorf("the event says %s", e.Data.Canonical())
			}
		}
		v.clock.pass(24 * time.Hour)
		must(t, v.PutInForce(ctx))
		got, err := v.Agent(ctx, adam, agent.ID)
		if must(t, err); (got.Agents[0].Environment == "") != objects {
			t.Errorf("objected %v: bound to %q", objects, got.Agents[0].Environment)
		}
	}
	v.verified()
}

// What a proposal weakens is looked at when it is accepted, too: whoever edits the table
// does not turn it into one that anybody may accept.
func TestWeakeningIsComparedAgain(t *testing.T) {
	t.Parallel()
	v := several(t)
	_, p, err := v.SavePolicy(t.Context(), v.people["adam"], tenants.Change{Base: 1, Policy: weaker(), Reason: "x"})
	must(t, err)
	storetest.Edit{Table: "policy_proposals", Statement: "UPDATE policy_proposals SET weakens = '[]'"}.Make(t, v.raw(), false)
	_, err = v.AcceptProposal(t.Context(), v.people["adam"], p.ID)
	wantFault(t, "one's own", err, fault.NotEligible)
}

// A link with which somebody could choose another's password at once ends with
// single-person mode: from then on that person has work to lose.
func TestPasswordLinksEndWithSinglePersonMode(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	v := newTown(t)
	v.signIn("adam")
	token, k, err := v.PasswordTicket(ctx, v.people["adam"], auth.NewID("tkt"), v.people["ada"].Person.ID)
	if must(t, err); k.Waits {
		t.Fatal("it waits in single-person mode")
	}
	own, _, err := v.PasswordTicket(ctx, v.people["adam"], auth.NewID("tkt"), v.people["adam"].Person.ID)
	must(t, err)
	v.signIn("ada")
	_, err = v.ChoosePassword(ctx, token, good)
	wantFault(t, "a link of before", err, fault.SignInFailed)
	if e := v.newest("acme", audit.SinglePersonEnded); e.Data.Get("withdrawn").Len() != 1 {
		t.Errorf("the event says %s", e.Data.Canonical())
	}
	if _, err = v.ChoosePassword(ctx, own, good); err != nil {
		t.Errorf("one's own: %v", err)
	}
	v.verified()
}

// Somebody who signed in elsewhere before they were a member here has signed in as well.
func TestAnEarlierSignInEndsSinglePersonMode(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	v := newTown(t)
	v.signIn("adam")
	rita := v.people["rita"].Person
	signedIn := v.clock.now()
	v.clock.pass(time.Minute)
	_, err := v.Grant(ctx, "acme", rita.Email, []auth.Role{auth.Operator})
	must(t, err)
	if !v.single() {
		t.Fatal("it ended before she came")
	}
	if in, err := v.Enter(ctx, "acme", rita.ID, signedIn); err != nil || in.Single {
		t.Errorf("with her it is a single person: %v, %v", in.Single, err)
	}
	if e := v.newest("acme", audit.SignedIn); e.Actor.ID != rita.ID || e.Data.Get("how").Text() != "session" {
		t.Errorf("the event says %s of %s", e.Data.Canonical(), e.Actor.ID)
	}
	v.verified()
}

// A newer link for the same thing ends what was asked for about the one before: nothing
// waits that could never be accepted.
func TestReplacedLinksDoNotWait(t *testing.T) {
	t.Parallel()
	v := several(t)
	for range 2 {
		_, _, err := v.Invite(t.Context(), v.people["adam"], auth.NewID("tkt"), "omar@new.example", []auth.Role{auth.Admin})
		must(t, err)
		v.clock.pass(time.Second)
	}
	must(t, v.AcceptPeople(t.Context(), v.people["alma"], v.waits("alma").ID))
	v.verified()
}
