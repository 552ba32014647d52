package console

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/long"
)

// An open page of a request is told what becomes of its notices, and keeps it when the request
// ends.
func TestNoticesAreToldLive(t *testing.T) {
	t.Parallel()
	long.Race(t)
	s := newSite(t)
	to := &heard{status: http.StatusInternalServerError}
	form := url.Values{"kind": {"webhook"}, "name": {"#ops"}, "secret:url": {to.serve(t)}, "tells": {"request.held", "request.decided"}}
	s.withAdmin().post("/t/acme/settings/notices/new", form).want(t, http.StatusOK)
	a := s.submit(medium)
	ada, bob := s.signedIn("ada"), s.signedIn("bob")
	path := "/t/acme/approvals/" + a.ID
	ada.get(path).want(t, http.StatusOK, `id="told-`+a.ID+`"`)
	conn := ada.live("/t/acme/live?open=" + a.ID)
	s.settled(conn)
	s.deliver()
	until := func(texts ...string) (frame string) {
		t.Helper()
		for {
			frame = next(t, conn)
			found := true
			for _, text := range texts {
				found = found && strings.Contains(frame, text)
			}
			if found {
				return frame
			}
		}
	}
	until("#told-"+a.ID, "No one was reached", "#ops", "the receiver answered 500")
	deny := bob.get(path).form(t, `value="deny"`)
	deny.Set("reason", "no")
	bob.post(path+"/decide", deny).want(t, http.StatusSeeOther)
	end := until("#rail-" + a.ID)
	if rail := lastElement(t, end, "aside"); !strings.Contains(rail, "#ops") || !strings.Contains(rail, `aria-labelledby="told"`) {
		t.Errorf("when the request ends, its notices are gone: %s", rail)
	}
}
