package console

import (
	"net/http"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/long"
	"github.com/countersign/countersign/internal/scoring"
)

// Before anybody approves, the row and the page say that the agent has asked again, with what
// differs, also on pages that are open already; where the policy ends the older one, that does.
func TestNewerRequestsAreSaid(t *testing.T) {
	t.Parallel()
	long.Race(t)
	s := newSite(t)
	deploys := func(version string) string {
		return `{"function":"deploy_service","arguments":{"service":"checkout","version":"` + version + `"}}`
	}
	first := s.submit(deploys("v41"))
	path := "/t/acme/approvals/" + first.ID
	ada := s.signedIn("ada")
	ada.get(path).want(t, http.StatusOK, `id="newer-`+first.ID+`"`).without(t, "Newer request")
	conn := ada.live("/t/acme/live?open=" + first.ID)
	s.settled(conn)
	second := s.submit(deploys("<b>v42</b>"))
	for frame := ""; !strings.Contains(frame, "#newer-link-"+first.ID); {
		frame = next(t, conn)
		if said := strings.Contains(frame, "&lt;b&gt;v42"); said != strings.Contains(frame, "#newer-"+first.ID) {
			t.Errorf("the page is told %s", frame)
		}
	}
	newer := "/t/acme/approvals/" + second.ID
	ada.get(path).want(t, http.StatusOK, "Newer request, waiting", "version", "→ &lt;b&gt;v42", "Show the newer request", newer)
	ada.get("/t/acme/queue").want(t, http.StatusOK, "Newer request")
	ada.get(newer).want(t, http.StatusOK, "Older request, still waiting", "→ v41", path).without(t, "Newer request, waiting")
	ada.get(path).without(t, "Older request")

	s.policy(func(p *scoring.Policy) { p.NewerEndsOlder = true })
	third := s.submit(deploys("v43"))
	ada.get(newer).want(t, http.StatusOK, "Superseded at", "the policy ended this one", "/t/acme/approvals/"+third.ID)
	ada.get("/t/acme/approvals/"+third.ID).want(t, http.StatusOK).without(t, "Older request")
	ada.get("/t/acme/audit?show=any").want(t, http.StatusOK, "superseded: the agent asked again")
}

// While somebody answers questions nothing says what a newer request asks for, or an older one.
func TestNewerRequestsAreHiddenFromAQuiz(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	a := s.submit(high)
	s.submit(strings.Replace(high, `"arguments":{`, `"arguments":{"dry":"zebra-7",`, 1))
	ada := s.signedIn("ada")
	path := "/t/acme/approvals/" + a.ID
	page := ada.get(path).want(t, http.StatusOK, "Newer request", "zebra-7")
	ada.post(path+"/start", page.form(t, "Start questions")).want(t, http.StatusSeeOther)
	ada.get(path).want(t, http.StatusOK, "Question 1 of 3").without(t, "zebra-7", "Newer request")

	s = newSite(t)
	s.submit(strings.Replace(high, `"arguments":{`, `"arguments":{"dry":"zebra-7",`, 1))
	path = "/t/acme/approvals/" + s.submit(high).ID
	ada = s.signedIn("ada")
	page = ada.get(path).want(t, http.StatusOK, "Older request", "zebra-7")
	ada.post(path+"/start", page.form(t, "Start questions")).want(t, http.StatusSeeOther)
	ada.get(path).want(t, http.StatusOK, "Question 1 of 3").without(t, "zebra-7", "Older request")
}
