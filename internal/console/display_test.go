package console

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/countersign/countersign/internal/auth"
)

// What a person chose for the console goes with the person, to every browser and page.
func TestDisplayBelongsToThePerson(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ada, kim := s.signedIn("ada"), s.join("kim", auth.Operator)
	const at = "/t/acme/account/display"
	ada.get("/t/acme/queue").want(t, http.StatusOK, `data-setting="sound" data-value="off"`, `data-unchosen`)
	ada.post(at, url.Values{"advance": {"on"}, "sound": {"high"}}).want(t, http.StatusNoContent)
	for _, b := range []*browser{ada, s.signedIn("ada")} {
		b.get("/t/acme/queue").want(t, http.StatusOK, `data-setting="sound" data-value="high"`, `data-setting="advance" data-value="on"`).without(t, `data-unchosen`)
		b.get("/t/acme/approvals/"+s.submit(medium).ID).want(t, http.StatusOK, `data-setting="advance" data-value="on"`)
	}
	kim.get("/t/acme/queue").want(t, http.StatusOK, `data-setting="sound" data-value="off"`, `data-unchosen`)
	ada.post(at, url.Values{"advance": {"on"}, "sound": {"loud"}}).want(t, http.StatusUnprocessableEntity, "expected off, critical, high or all")
	ada.post(at, url.Values{"advance": {"maybe"}, "sound": {"off"}}).want(t, http.StatusUnprocessableEntity, "expected on or off")
	ada.get("/t/acme/queue").want(t, http.StatusOK, `data-value="high"`)
}
