package console

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/deciders"
)

// inTeam is somebody as a policy names them.
func (s *site) inTeam(names ...string) (all []deciders.Person) {
	s.t.Helper()
	for _, name := range names {
		all = append(all, deciders.Person{Person: s.personID(name), Name: name})
	}
	return all
}

// An admin makes two teams and a rule in the browser; people are kept by their id, a rule that
// nobody can meet is said on the page, and a team that has members waits for another admin.
func TestWhoDecidesOnThePage(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	adam := s.join("adam", auth.Admin)
	s.join("dora", auth.Admin)
	page := adam.get(settingsPath+"deciders").want(t, http.StatusOK, "Who decides", "No teams yet")
	page = adam.press("deciders", "add-team", page).want(t, http.StatusOK, "Add a team", "one per line")
	page = adam.press("deciders", "put", page, "edit-name", "Security", "edit-members", "ada@example.com\nnobody@example.com").want(t, http.StatusUnprocessableEntity, "isn&#39;t the email address of a member")
	page = adam.press("deciders", "put", page, "edit-members", "ada@example.com\nbob@example.com").want(t, http.StatusOK, "Ada, Bob", "(weaker)")
	page = adam.press("deciders", "put", adam.press("deciders", "add-team", page), "edit-name", "Finance", "edit-members", "cleo@example.com").want(t, http.StatusOK, "Cleo (can&#39;t decide)")
	page = adam.press("deciders", "add-who", page).want(t, http.StatusOK, "Add a rule", "Security", "Finance")
	page = adam.press("deciders", "put", page, "edit-name", "Payments", "edit-functions", "pay_*, refund").want(t, http.StatusUnprocessableEntity, "expected at least one team, or people")
	page = adam.press("deciders", "put", page, "edit-team1", "Security", "edit-least1", "2", "edit-people2", "ada@example.com")
	page.want(t, http.StatusOK, "2 of Security, 1 of Ada", "No one can decide: Payments", "It needs 3 different people")
	page = adam.press("deciders", "put", adam.press("deciders", "edit-who:Payments", page).want(t, http.StatusOK, "pay_*, refund", "ada@example.com"), "edit-least1", "1", "edit-team2", "", "edit-people2", "")
	page.want(t, http.StatusOK, "1 of Security", "Who decides, rule Payments: added").without(t, "No one can decide")
	page = adam.press("deciders", "drop-team:Security", page).want(t, http.StatusUnprocessableEntity, "expected one of the policy")
	page = adam.press("deciders", "put", adam.press("deciders", "edit-team:Security", page), "edit-name", "Platform", "edit-members", "ada@example.com").want(t, http.StatusOK, "1 of Platform")

	sent := adam.saveList("deciders", page)
	if sent.status != http.StatusSeeOther || s.policyNow().Version != 1 {
		t.Fatalf("a team with members was made at once: %d %s, version %d", sent.status, sent.location(), s.policyNow().Version)
	}
	s.signedIn("dora").get(sent.location()).want(t, http.StatusOK, "Team Platform", "Who decides, rule Payments")
}

// The pages say who is missing, who has approved, and that nobody can; the last one decides.
func TestTeamsOnTheRequestPage(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	dan := s.join("dan", auth.Operator)
	s.policy(func(p *scoring.Policy) {
		p.Deciders = deciders.Settings{
			Teams: []deciders.Team{{Name: "security", Members: s.inTeam("ada")}, {Name: "finance", Members: s.inTeam("bob")}},
			Rules: []deciders.Rule{{Name: "all", Needs: []deciders.Need{{Team: "security"}, {Team: "finance"}}}},
		}
	})
	a := s.submit(medium)
	ada, bob := s.signedIn("ada"), s.signedIn("bob")
	path := "/t/acme/approvals/" + a.ID
	ada.get("/t/acme/queue").want(t, http.StatusOK, "0 of 2", "Needs 1 of security, 1 of finance")
	dan.get(path).want(t, http.StatusOK, "You can&#39;t decide this", "it needs 1 of security, 1 of finance", "1 of security (Ada), 1 of finance (Bob)").without(t, `value="approve"`)
	form := ada.get(path).form(t, `value="approve"`)
	s.clock.pass(4 * time.Second)
	ada.post(path+"/decide", form).want(t, http.StatusSeeOther)
	bob.get("/t/acme/queue").want(t, http.StatusOK, "1 of 2", "Needs 1 of finance")
	form = bob.get(path).want(t, http.StatusOK, "security ✓ Ada", "1 of finance (Bob)").without(t, "No one can approve this").form(t, `value="approve"`)

	s.policy(func(p *scoring.Policy) {
		p.Deciders.Teams = slices.Clone(p.Deciders.Teams)
		p.Deciders.Teams[0].Members = nil
	})
	bob.get(path).want(t, http.StatusOK, "0 of 2", "<s>", "doesn&#39;t count: not in a team", "No one can approve this", "Team security has no active member")
	bob.get("/t/acme/queue").want(t, http.StatusOK, "Needs 1 of security (no one can)")
	s.policy(func(p *scoring.Policy) { p.Deciders.Teams[0].Members = s.inTeam("ada") })
	s.clock.pass(4 * time.Second)
	bob.post(path+"/decide", form).want(t, http.StatusSeeOther)
	if got := s.approval(a.ID); got.Status != approvals.Approved || len(got.Decision.DecidedBy) != 2 {
		t.Errorf("it is %s, decided by %+v", got.Status, got.Decision)
	}
}

// While questions are asked no page says which team is missing, which can tell where a call runs.
func TestTeamsAreHiddenWhileAsking(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.policy(func(p *scoring.Policy) {
		p.Deciders = deciders.Settings{
			Teams: []deciders.Team{{Name: "production-team", Members: s.inTeam("ada", "bob")}},
			Rules: []deciders.Rule{{Name: "all", Needs: []deciders.Need{{Team: "production-team", AtLeast: 2}}}},
		}
	})
	a := s.submit(high)
	ada := s.signedIn("ada")
	path := "/t/acme/approvals/" + a.ID
	ada.get(path).want(t, http.StatusOK, "production-team")
	s.clock.pass(time.Minute)
	ada.post(path+"/start", ada.get(path).form(t, "Start questions")).want(t, http.StatusSeeOther)
	for _, page := range []string{path, "/t/acme/queue"} {
		ada.get(page).want(t, http.StatusOK).without(t, "production-team")
	}
	ada.get(path).want(t, http.StatusOK, "Answer without looking")
}
