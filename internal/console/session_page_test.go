package console

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"
)

// A session is one click from its requests; what is held, let through and allowed stands
// there, and ends there with one click.
func TestSessionPage(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	odd := strings.NewReplacer("ses_1", "a/../<b>?x=1&y #2", "4711", "4712").Replace(ticket)
	s.submit(odd)
	oddURL := "/t/acme/sessions/" + s.agent.ID + "?session=a%2F..%2F%3Cb%3E%3Fx%3D1%26y+%232"
	s.submit(`{"function":"get_user","arguments":{"user_id":"usr_1"},"session_id":"ses_1"}`)
	a := s.submit(ticket)
	page := "/t/acme/sessions/" + s.agent.ID + "?session=ses_1"
	ada := s.signedIn("ada")
	form := ada.get("/t/acme/approvals/"+a.ID).want(t, http.StatusOK, page, "The whole session").form(t, `value="approve"`)
	ada.get(page).want(t, http.StatusOK, "1 waiting", "30.0", "1 of 2 calls", "Auto-approved", "it changes something", "No session approvals. You can create one when you approve a request").without(t, "<b>")
	ada.get(oddURL).want(t, http.StatusOK, "1 of 1 calls").without(t, "<b>")

	s.clock.pass(time.Minute)
	form.Set("next", "10")
	ada.post("/t/acme/approvals/"+a.ID+"/decide", form).want(t, http.StatusSeeOther)
	through := s.submit(ticket)
	shown := ada.get(page).want(t, http.StatusOK, "1 of 10", "End", "session approval: calls of update_ticket like", "Approved", "by Ada, 1 min after submission", "</svg>active</span>", "20.0")
	ada.get(page+"&show=held").want(t, http.StatusOK, a.ID).without(t, through.ID)
	ada.get(page+"&show=through").want(t, http.StatusOK, through.ID).without(t, "approval-"+a.ID)
	ada.get(oddURL+"&show=through").want(t, http.StatusOK, "No matching calls", "was held or blocked")
	ada.get(page+"&show=x").want(t, http.StatusUnprocessableEntity, "It is held, or was approved for another reason", a.ID)
	ada.get(page+"&before="+a.ID).want(t, http.StatusOK, "Newer").without(t, "approval-"+through.ID)

	s.signedIn("cleo").get(page).want(t, http.StatusOK, "1 of 10").without(t, "End")
	end := shown.form(t, "/revoke")
	ada.post(standings+"/"+through.StandingID()+"/revoke", end).want(t, http.StatusSeeOther)
	ada.get(page).want(t, http.StatusOK, "revoked").without(t, "End")
	s.clock.pass(2 * time.Hour)
	s.signedIn("bob").get(page).want(t, http.StatusOK, "</svg>quiet</span>")

	ada = s.signedIn("ada")
	ada.get("/t/acme/sessions/"+s.agent.ID+"?session=none").want(t, http.StatusNotFound)
	ada.get("/t/acme/sessions/"+s.agent.ID).want(t, http.StatusNotFound)
	s.signedIn("eve").get(page).want(t, http.StatusNotFound)
	ada.get("/t/acme/insights").want(t, http.StatusOK)
	must(t, s.approvals.RollUp(t.Context()))
	ada.get("/t/acme/insights").want(t, http.StatusOK, strings.ReplaceAll(page, "&", "&amp;"), "Held per 60 calls, by agent and cause", "support-triage · what it does: ", "changed by")
	cleo := s.signedIn("cleo")
	entry := regexp.MustCompile(`/t/acme/audit/[0-9]+`).FindString(cleo.get("/t/acme/history?session=ses_1").want(t, http.StatusOK).body)
	cleo.get(entry).want(t, http.StatusOK, page)
}

// The page of a session tells nothing of a score that is sealed.
func TestSessionPageSealsScores(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.submit(`{"function":"delete_user","arguments":{"user_id":"usr_4711","path":"/srv/secret-place"},"session_id":"ses_1"}`)
	page := "/t/acme/sessions/" + s.agent.ID + "?session=ses_1"
	s.signedIn("ada").get(page).want(t, http.StatusOK, "usr_4711").without(t, "rule ", "score 0", "it deletes")
	s.signedIn("cleo").get(page).want(t, http.StatusOK, "it deletes")
}
