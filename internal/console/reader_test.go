package console

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
)

// A form of somebody else's page does nothing: two people who share a browser sign in one after
// the other, and what the first one typed stays theirs.
func TestAFormIsItsReaders(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	bob, adam := s.signedIn("bob"), s.join("adam", auth.Admin)
	a := s.submit(medium)
	request := "/t/acme/approvals/" + a.ID
	for _, form := range []url.Values{
		{"verdict": {"deny"}, "reason": {"typed by ada"}, "digest": {a.ShownDigest}, "version": {"1"}},
		{"verdict": {"request_changes"}, "reason": {"typed by ada"}, "digest": {a.ShownDigest}, "version": {"1"}},
	} {
		form.Set("reader", s.personID("ada"))
		bob.post(request+"/decide", form).want(t, http.StatusConflict, "omeone else opened this page", "signed in as Bob", "typed by ada")
	}
	bob.post(request+"/extend", url.Values{"seconds": {"300"}, "reason": {"typed by ada"}, "reader": {s.personID("ada")}}).want(t, http.StatusConflict, "omeone else opened this page")
	adam.post("/t/acme/settings/reasons", url.Values{"deny": {"typed by ada"}, "reader": {s.personID("ada")}}).want(t, http.StatusConflict)
	if got := s.approval(a.ID); got.Status != approvals.Pending {
		t.Errorf("the request is %s", got.Status)
	}

	// Without script, the forms of a decision carry it.
	bob.get(request).want(t, http.StatusOK, `name="reader" value="`+s.personID("bob")+`"`)

	// One's own is taken, also by forms that refuse what they don't know.
	adam.get(policyPath).want(t, http.StatusOK, `data-person="`+s.personID("adam")+`"`)
	draft := adam.edited()
	draft.Set("reader", s.personID("adam"))
	adam.post(policyPath+"/preview", draft).without(t, "unknown field")
	own := url.Values{"verdict": {"deny"}, "reason": {"mine"}, "digest": {a.ShownDigest}, "version": {"1"}, "reader": {s.personID("bob")}}
	bob.post(request+"/decide", own).want(t, http.StatusSeeOther)
}
