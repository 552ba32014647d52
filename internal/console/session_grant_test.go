package console

import (
	"net/http"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
)

const ticket = `{"function":"update_ticket","arguments":{"ticket_id":"4711","note":"<b>hello</b>"},"session_id":"ses_1"}`

// From the decision to a call that goes through, and to its end with one click.
func TestAllowNext(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	a := s.submit(ticket)
	ada := s.signedIn("ada")
	form := ada.get("/t/acme/approvals/"+a.ID).want(t, http.StatusOK, "and the next 10 like it in this session", "Only this one").form(t, `value="approve"`)
	s.clock.pass(time.Minute)
	form.Set("next", "many")
	ada.post("/t/acme/approvals/"+a.ID+"/decide", form).want(t, http.StatusUnprocessableEntity, "whole number")
	form.Set("next", "51")
	ada.post("/t/acme/approvals/"+a.ID+"/decide", form).want(t, http.StatusUnprocessableEntity, "the next 1 to 50")
	form.Set("next", "10")
	ada.post("/t/acme/approvals/"+a.ID+"/decide", form).want(t, http.StatusSeeOther)

	through := s.submit(ticket)
	if through.Status != approvals.Approved {
		t.Fatalf("it is %s", through.Status)
	}
	id := through.StandingID()
	ada.get("/t/acme/approvals/"+through.ID).want(t, http.StatusOK, "Ada's standing approval approved this", standings+"/"+id)
	ada.get(standings).want(t, http.StatusOK, "and the next 10 like it, in one session", "1 of 10")
	ada.get(standings+"/"+id).want(t, http.StatusOK, "for one session", "ses_1", "any text", "no more money").without(t, "<b>")

	// The agent's page lists it, with its session, and ends it.
	agent := ada.get("/t/acme/agents/"+s.agent.ID).want(t, http.StatusOK, "like the one that was approved", "1 of 10", "ses_1", standings+"/"+id+"/revoke")
	ada.post(standings+"/"+id+"/revoke", agent.form(t, standings+"/"+id+"/revoke")).want(t, http.StatusSeeOther)
	ada.get("/t/acme/agents/"+s.agent.ID).want(t, http.StatusOK, "No standing or session approvals are open").without(t, "/revoke")
}
