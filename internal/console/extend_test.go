package console

import (
	"net/http"
	"net/url"
	"testing"
)

// The form is on the page of who may refuse, once; what was typed stays after a refusal, and
// without script it is a form as any other.
func TestExtending(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	a := s.submit(medium)
	ada, bob := s.signedIn("ada"), s.signedIn("bob")
	path := "/t/acme/approvals/" + a.ID
	ada.get(path).want(t, http.StatusOK, `popovertarget="extend"`, `action="`+path+`/extend"`, "15 more minutes")
	ada.post(path+"/extend", url.Values{"seconds": {"86400"}, "reason": {"for <b>you</b>"}}).
		want(t, http.StatusUnprocessableEntity, "Extend by 60 to 900 seconds", "for &lt;b&gt;you", "data-open")
	ada.post(path+"/extend", url.Values{"seconds": {"soon"}, "reason": {"x"}}).want(t, http.StatusUnprocessableEntity, "whole number of seconds")
	ada.post(path+"/extend", url.Values{"seconds": {"300"}, "reason": {"for <b>you</b>"}}).want(t, http.StatusSeeOther)
	bob.get(path).want(t, http.StatusOK, "Ada extended this until", "for &lt;b&gt;you").without(t, `popovertarget="extend"`, path+"/extend")
	bob.post(path+"/extend", url.Values{"seconds": {"300"}, "reason": {"x"}}).want(t, http.StatusConflict, "Ada already extended this")
	bob.get("/t/acme/audit?show=any").want(t, http.StatusOK, "more time, until")
}

// What a colleague wrote can say what a quiz asks: it is out of sight meanwhile.
func TestWhyItWasExtendedIsHiddenFromAQuiz(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	a := s.submit(high)
	ada, bob := s.signedIn("ada"), s.signedIn("bob")
	path := "/t/acme/approvals/" + a.ID
	bob.post(path+"/extend", url.Values{"seconds": {"300"}, "reason": {"it is about usr_123"}}).want(t, http.StatusSeeOther)
	ada.get(path).want(t, http.StatusOK, "it is about usr_123")
	ada.post(path+"/start", ada.get(path).form(t, "Start questions")).want(t, http.StatusSeeOther)
	ada.get(path).want(t, http.StatusOK, "Question 1 of 3").without(t, "it is about usr_123")
}
