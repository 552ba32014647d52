package console

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/console/edge"
)

const typedKey = "AKIAIOSFODNN7EXAMPLQ"

// TestTypedSecretsAreMasked: what a person types leads on nowhere as it was typed.
func TestTypedSecretsAreMasked(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	a := s.submit(medium)
	b := s.signedIn("ada")
	query := url.Values{"q": {"x " + typedKey}}.Encode()
	page := b.get("/t/acme/queue?"+query).want(t, http.StatusOK, "[REDACTED:aws-access-key]")
	form := b.get("/t/acme/approvals/"+a.ID).form(t, "Deny")
	form.Set("reason", strings.Repeat(typedKey+" ", 200)) // too long, so that the form comes back
	form.Set("verdict", "deny")
	again := b.post("/t/acme/approvals/"+a.ID+"/decide", form).want(t, http.StatusUnprocessableEntity, "[REDACTED:aws-access-key]")
	for _, got := range []answer{page, again} {
		if strings.Contains(got.body, typedKey) {
			t.Error("the page shows the secret again")
		}
	}
	// The way back after the sign-in.
	stranger := s.browser()
	way := stranger.get("/t/acme/queue?" + query)
	if to := way.header.Get("Location"); way.status != http.StatusSeeOther || strings.Contains(to, typedKey) || !strings.Contains(to, "REDACTED") {
		t.Errorf("the way to the sign-in is %d %s", way.status, to)
	}
	if got := edge.LocalPath("/t/acme/history?q=password%3Dhunter2x"); strings.Contains(got, "hunter2x") {
		t.Errorf("the way back is %s", got)
	}
	if got := edge.LocalPath("/t/acme/approvals/" + typedKey); got != "" {
		t.Errorf("the way back is %s", got)
	}
}

// What is masked is found by no search, and neither is how it begins.
func TestSearchFindsNothingMasked(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	a := s.submit(`{"function":"rotate_key","arguments":{"host":"db-17.example","note":"was ` + typedKey + `","password":"correct-horse-9"}}`)
	ada, cleo := s.signedIn("ada"), s.signedIn("cleo")
	ada.denies(a, "not now, -1")
	for text, found := range map[string]bool{"DB-17": true, "rotate_": true, typedKey: false, typedKey[:12]: false, "correct-horse": false} {
		for _, page := range []answer{ada.get("/t/acme/history?q=" + url.QueryEscape(text)), cleo.get("/t/acme/audit?q=" + url.QueryEscape(text))} {
			if got := strings.Contains(page.body, "/t/acme/approvals/"+a.ID); page.status != http.StatusOK || got != found {
				t.Errorf("%.10s…: %d, found %t", text, page.status, got)
			}
		}
	}
}
