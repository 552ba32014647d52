package outboxtest

import (
	"slices"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/notices"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/deciders"
	"github.com/countersign/countersign/internal/tenants"
)

// Whoever still has to approve is called, with every step: of a team who is on call, else all of it;
// and nobody more once they did. A team of the rules has the people of the one that decides.
func TestTheTeamsThatAreMissingAreCalled(t *testing.T) {
	t.Parallel()
	h, mail, chat := onCall(t)
	people := map[string]auth.Member{}
	for _, name := range []string{"ana", "ben", "carla", "dan"} {
		p, err := h.tenants.CreatePerson(t.Context(), "acme", name+"@acme.test", "", "", []auth.Role{auth.Operator})
		must(t, err)
		people[name] = auth.Member{Tenant: "acme", Person: p, Roles: []auth.Role{auth.Operator}, SignedInAt: h.now()}
		must(t, h.notices.AddOwn(t.Context(), people[name]))
	}
	in := func(names ...string) (all []deciders.Person) {
		for _, name := range names {
			all = append(all, deciders.Person{Person: people[name].Person.ID})
		}
		return all
	}
	now, err := h.tenants.PolicyOf(t.Context(), "acme")
	must(t, err)
	now.Policy.MinReviewSeconds = scoring.PerLevel[int]{}
	now.Policy.Deciders = deciders.Settings{
		Teams: []deciders.Team{{Name: "security", Members: in("ana", "ben")}, {Name: "finance", Members: in("carla")}},
		Rules: []deciders.Rule{{Name: "all", Needs: []deciders.Need{{Team: "security"}, {Team: "finance"}}}},
	}
	_, err = h.tenants.ImportPolicy(t.Context(), "acme", tenants.Change{Base: now.Version, Policy: now.Policy, Reason: "a test"})
	must(t, err)
	id, err := h.notices.KeepTeam(t.Context(), h.admin, 1, notices.Team{ // ben has the first turn; dan isn't in it
		Name: "security", Members: []string{people["ben"].Person.ID, people["dan"].Person.ID},
		Rotation: &notices.Rotation{Hours: 24 * 300, Starts: h.now().UTC().Format("2006-01-02"), At: "00:00", Zone: "UTC"},
	})
	must(t, err)
	r, err := h.notices.Routing(t.Context(), h.admin)
	must(t, err)
	for _, team := range r.Plan.Teams {
		if team.ID == id && (len(team.Members) != 2 || team.Members[0] != people["ben"].Person.ID || team.Members[1] != people["ana"].Person.ID) {
			t.Errorf("the team has %v, want ben and ana", team.Members)
		}
	}

	a := h.submit(medium)
	h.round()
	want(t, "at once", slices.Sorted(slices.Values(append(mail.since(), chat.since()...))), "ben@acme.test request.held", "carla@acme.test request.held", "operator@acme.test request.held")
	v, err := h.approvals.Show(t.Context(), people["carla"], a.ID)
	must(t, err)
	_, err = h.approvals.Decide(t.Context(), people["carla"], a.ID, approvals.DecideInput{Verdict: approvals.VerdictApprove, Digest: v.ShownDigest, Version: v.Version, Challenge: v.Challenge.ID})
	must(t, err)
	h.pass(5*time.Minute + time.Second)
	h.round()
	want(t, "when the step is over, without whoever approved", append(chat.since(), mail.since()...), "#ops request.escalated", "ben@acme.test request.escalated")
}

// Without a rule people are called only where they are missing.
func TestOnlyWhoIsMissingIsCalledWithoutARule(t *testing.T) {
	t.Parallel()
	mail := newBox("email")
	h := newHouse(t, mail)
	ana, err := h.tenants.CreatePerson(t.Context(), "acme", "ana@acme.test", "", "", []auth.Role{auth.Operator})
	must(t, err)
	must(t, h.notices.AddOwn(t.Context(), h.operator))
	must(t, h.notices.AddOwn(t.Context(), auth.Member{Tenant: "acme", Person: ana, Roles: []auth.Role{auth.Operator}, SignedInAt: h.now()}))
	now, err := h.tenants.PolicyOf(t.Context(), "acme")
	must(t, err)
	now.Policy.Notices.DetailToPeople = true
	now.Policy.Deciders.Rules = []deciders.Rule{{Name: "all", Functions: []string{"deploy_*"}, Needs: []deciders.Need{{People: []deciders.Person{{Person: ana.ID}}}}}}
	_, err = h.tenants.ImportPolicy(t.Context(), "acme", tenants.Change{Base: now.Version, Policy: now.Policy, Reason: "a test"})
	must(t, err)
	h.submit(medium)
	h.round()
	want(t, "whoever is named", mail.since(), "ana@acme.test request.held")
	h.submit(high)
	h.round()
	want(t, "where it doesn't matter who", slices.Sorted(slices.Values(mail.since())), "ana@acme.test request.held", "operator@acme.test request.held")
}
