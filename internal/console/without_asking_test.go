package console

import (
	"net/http"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/level"
)

// Everything that lets calls through is listed with its use, and ends with one click.
func TestWithoutAsking(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	a := s.submit(ticket)
	page := "/t/acme/settings/agents/" + a.Agent.ID + "/without-asking"
	ada := s.signedIn("ada")
	ada.get("/t/acme/approvals/"+a.ID).want(t, http.StatusOK, page, "What runs without asking")
	ada.get(page).want(t, http.StatusOK, "No entries for this agent.", "None open.", "The policy doesn't use track records.")

	form := ada.get("/t/acme/approvals/"+a.ID).form(t, `value="approve"`)
	s.clock.pass(time.Minute)
	form.Set("next", "10")
	ada.post("/t/acme/approvals/"+a.ID+"/decide", form).want(t, http.StatusSeeOther)
	id := standings + "/" + s.submit(ticket).StandingID()
	s.policy(func(p *scoring.Policy) {
		p.Trust.Enabled = true
		for _, agent := range []string{a.Agent.Name, "another", ""} {
			p.Functions = append(p.Functions, scoring.Function{Glob: "add_note", LowerTo: level.Low, Agent: agent, Until: "2099-01-01T00:00:00Z"})
		}
	})
	if got := s.submit(`{"function":"add_note","arguments":{"text":"x"}}`); got.Status != approvals.Approved {
		t.Fatalf("it is %s: %+v", got.Status, got.Assessment.Floor)
	}
	all := ada.get(page).want(t, http.StatusOK, "one session, allowed by Ada", "1 of 10", "lowered to", "1 of its last 3 calls", "every agent", "0 of its last 3 calls", "End", "Remove").without(t, "another")
	end := all.form(t, "/revoke")
	s.signedIn("cleo").get(page).want(t, http.StatusOK, "1 of 10").without(t, "/revoke")
	ada.post(id+"/revoke", end).want(t, http.StatusSeeOther)
	ada.get(page).want(t, http.StatusOK, "None open.")
	if got := s.submit(ticket); got.Status != approvals.Pending {
		t.Errorf("after it ended it is %s", got.Status)
	}
	drop := all.form(t, `value="drop:`)
	ada.post("/t/acme/settings/functions", drop).want(t, http.StatusOK, "1 change in this draft")
	eve := s.signedIn("eve")
	eve.get("/t/rival/settings/agents/"+a.Agent.ID+"/without-asking").want(t, http.StatusNotFound)
	eve.get(page).want(t, http.StatusNotFound)
	s.join("adam", auth.Admin).get("/t/acme/settings/agents/"+a.Agent.ID).want(t, http.StatusOK, page)
}
