package lifetest

import (
	"reflect"
	"slices"
	"testing"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/deciders"
	"github.com/countersign/countersign/internal/scoring/level"
)

// teams is a house in which a deployment needs one of the security team (Ada, Ben) and one of finance
// (Ben, Carla). Dan is an operator and in neither.
type teams struct {
	*house
	carla, dan auth.Member
}

func inTeams(h *house) teams {
	h.t.Helper()
	t := teams{house: h}
	for name, m := range map[string]*auth.Member{"carla": &t.carla, "dan": &t.dan} {
		p, err := h.people().CreatePerson(h.t.Context(), "acme", name+"@acme.test", "", "", []auth.Role{auth.Operator})
		if err != nil {
			h.t.Fatal(err)
		}
		*m = auth.Member{Tenant: "acme", Person: p, Roles: []auth.Role{auth.Operator}, SignedInAt: freshly}
	}
	h.policy(func(p *scoring.Policy) {
		p.MinReviewSeconds = scoring.PerLevel[int]{}
		p.Deciders = deciders.Settings{
			Teams: []deciders.Team{{Name: "security", Members: members(h.ada, h.ben)}, {Name: "finance", Members: members(h.ben, t.carla)}},
			Rules: []deciders.Rule{{Name: "deployments", Functions: []string{"deploy_*"}, Level: level.Medium, Needs: []deciders.Need{{Team: "security"}, {Team: "finance"}}}},
		}
	})
	return t
}

func members(all ...auth.Member) (people []deciders.Person) {
	for _, m := range all {
		people = append(people, deciders.Person{Person: m.Person.ID, Name: m.Person.Name})
	}
	return people
}

// approves gives somebody's yes.
func (t teams) approves(m auth.Member, id string) (approvals.Approval, error) {
	t.t.Helper()
	return t.decide(m, id, form(t.show(m, id)))
}

// signs gives a yes that isn't the last one.
func (t teams) signs(m auth.Member, id string) {
	t.t.Helper()
	if a, err := t.approves(m, id); err != nil || a.Status != approvals.Pending {
		t.t.Fatalf("%s: %s, %v", m.Person.Name, a.Status, err)
	}
}

// completes gives the last one.
func (t teams) completes(m auth.Member, id string, by ...auth.Member) {
	t.t.Helper()
	a, err := t.approves(m, id)
	if err != nil || a.Status != approvals.Approved || a.Grant == nil {
		t.t.Fatalf("%s: %s, %v", m.Person.Name, a.Status, err)
	}
	var got, want []string
	for _, d := range t.get(id).Decision.DecidedBy {
		got = append(got, d.Name)
	}
	for _, m := range by {
		want = append(want, m.Person.Name)
	}
	if !slices.Equal(got, want) {
		t.t.Errorf("decided by %v, want %v", got, want)
	}
}

// team replaces who is in one.
func (t teams) team(name string, all ...auth.Member) {
	t.t.Helper()
	t.policy(func(p *scoring.Policy) {
		i := slices.IndexFunc(p.Deciders.Teams, func(one deciders.Team) bool { return one.Name == name })
		p.Deciders.Teams = slices.Clone(p.Deciders.Teams)
		p.Deciders.Teams[i].Members = members(all...)
	})
}

func TestTeamsDecide(t *testing.T) {
	t.Parallel()
	onBoth(t, teamsDecide)
}

func teamsDecide(t *testing.T, of *house) {
	h := inTeams(of)
	a := h.waiting(confirm, scoring.ChallengeConfirm)
	if a.Treatment.ApprovalsRequired != 2 || len(a.Treatment.Needs) != 2 {
		t.Fatalf("it is treated as %+v", a.Treatment)
	}

	// Whoever is in no team can't approve, and can deny.
	v := h.show(h.dan, a.ID)
	if v.Stage != approvals.StageNotEligible || !slices.Equal(v.Eligible, []string{"Ada", "Ben", "Carla"}) {
		t.Errorf("from outside: %s, %v (%s)", v.Stage, v.Eligible, v.Why)
	}
	_, err := h.decide(h.dan, a.ID, form(v))
	wantFault(t, "from outside", err, fault.NotEligible)
	h.status("from outside", a.ID, approvals.Pending)
	h.refuse(h.dan, h.waiting(confirm, scoring.ChallengeConfirm), approvals.VerdictDeny)

	// One person is one of them, though in both; who signs first is no matter.
	h.signs(h.ben, a.ID)
	_, err = h.approves(h.ben, a.ID)
	wantFault(t, "one person for both", err, fault.NotEligible)
	_, err = h.approves(h.dan, a.ID)
	wantFault(t, "one person for both, and somebody of neither", err, fault.NotEligible)
	h.status("one person for both", a.ID, approvals.Pending)
	v = h.show(h.ben, a.ID)
	if v.Stage != approvals.StageSigned || !slices.Equal(v.Needed[0].Signed, []string{"Ben"}) || v.Needed[1].Missing() != 1 || len(v.Needed[1].Able) != 1 || v.Needed[1].Able[0].Name != "Carla" {
		t.Errorf("the signer sees %s, %+v", v.Stage, v.Needed)
	}
	h.completes(h.ada, a.ID, h.ben, h.ada)

	b := h.waiting(confirm, scoring.ChallengeConfirm)
	h.signs(h.carla, b.ID)
	h.completes(h.ben, b.ID, h.carla, h.ben)
}

// TestWhoLeavesATeam: who is in a team counts as it is when the last signature is given, as roles do.
func TestWhoLeavesATeam(t *testing.T) {
	t.Parallel()
	onBoth(t, whoLeavesATeam)
}

func whoLeavesATeam(t *testing.T, of *house) {
	h := inTeams(of)
	a := h.waiting(confirm, scoring.ChallengeConfirm)
	h.signs(h.ada, a.ID)
	h.team("security", h.ben)
	h.signs(h.carla, a.ID)
	if v := h.show(h.ben, a.ID); v.Given() != 1 || v.Signatures[0].Void.Empty() || v.Needed[0].Missing() != 1 {
		t.Errorf("after ada left: %d given, %+v, %+v", v.Given(), v.Signatures, v.Needed)
	}
	h.completes(h.ben, a.ID, h.carla, h.ben)

	// Whoever joins meanwhile can decide what waits, as who becomes an operator.
	b := h.waiting(confirm, scoring.ChallengeConfirm)
	h.signs(h.carla, b.ID)
	h.team("security", h.dan)
	h.completes(h.dan, b.ID, h.carla, h.dan)
}

// TestWhoIsNeededStays: taking the last one of a team away whom an open request needs waits for another
// admin, as taking any other signer away that it needs.
func TestWhoIsNeededStays(t *testing.T) {
	t.Parallel()
	onBoth(t, whoIsNeededStays)
}

func whoIsNeededStays(t *testing.T, of *house) {
	h := inTeams(of)
	h.signIn(h.ada, h.ben)
	h.waiting(confirm, scoring.ChallengeConfirm)
	if asked, err := h.people().RemoveMember(t.Context(), h.eve, h.carla.Person.ID); err != nil || asked {
		t.Errorf("with ada and ben left: waits %v, %v", asked, err)
	}
	if asked, err := h.people().RemoveMember(t.Context(), h.eve, h.ben.Person.ID); err != nil || !asked {
		t.Errorf("with nobody of finance left: waits %v, %v", asked, err)
	}
}

// TestNoOneCan: a team without an active member is said beforehand, and silence denies.
func TestNoOneCan(t *testing.T) {
	t.Parallel()
	h := inTeams(newHouse(t))
	h.team("finance", h.carla)
	a := h.waiting(confirm, scoring.ChallengeConfirm)
	if v := h.show(h.ada, a.ID); !v.NoOne.Empty() {
		t.Errorf("with carla there: %s", v.NoOne)
	}
	if err := h.people().Suspend(t.Context(), h.eve, h.carla.Person.ID, "on leave"); err != nil {
		t.Fatal(err)
	}
	if v := h.show(h.ada, a.ID); v.NoOne.String() != "team finance has no active member" {
		t.Errorf("without her: %q", v.NoOne)
	}
	h.signs(h.ada, a.ID)
	h.clock.advance(a.ExpiresAt.Sub(h.clock.Now()))
	_, err := h.approves(h.ben, a.ID)
	wantFault(t, "after its time", err, fault.Expired)
}

// TestRulesOfWhoDecidesChange: what waits is held to the stricter of then and now.
func TestRulesOfWhoDecidesChange(t *testing.T) {
	t.Parallel()
	h := inTeams(newHouse(t))
	a := h.waiting(confirm, scoring.ChallengeConfirm)
	h.policy(func(p *scoring.Policy) { p.Deciders.Rules = nil })
	h.signs(h.ada, a.ID)
	_, err := h.approves(h.dan, a.ID)
	wantFault(t, "after the rule was dropped", err, fault.NotEligible)
	h.completes(h.carla, a.ID, h.ada, h.carla)

	b := h.waiting(confirm, scoring.ChallengeConfirm)
	if len(b.Treatment.Needs) != 0 {
		t.Errorf("without the rule it needs %+v", b.Treatment.Needs)
	}
	h.policy(func(p *scoring.Policy) {
		p.Deciders.Rules = []deciders.Rule{{Name: "named", Needs: []deciders.Need{{People: members(h.dan)}}}}
	})
	_, err = h.approves(h.dan, b.ID)
	wantFault(t, "under another rule", err, fault.StricterNow)
	_, err = h.approves(h.ada, b.ID)
	wantFault(t, "who isn't named", err, fault.NotEligible)
	h.completes(h.dan, b.ID, h.dan)
}

// TestADryRunSaysWhoIsNeeded: whoever tries a call reads who would have to approve it, as after submitting it.
func TestADryRunSaysWhoIsNeeded(t *testing.T) {
	t.Parallel()
	s := inTeams(newHouse(t))
	tried := s.assess(s.agent, confirm)
	asked := s.show(s.ada, s.submit(confirm).ID).Approval
	if len(tried.Needed) != 2 || !reflect.DeepEqual(tried.Needed, asked.Needed) {
		t.Errorf("a dry run needs %+v, the request %+v", tried.Needed, asked.Needed)
	}
}
