package console

import (
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/scoring"
)

const acmeSession = "/t/acme/session"

// The organisation says after how long deciding is locked.
func TestThePolicySaysWhenDecidingLocks(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		minutes int
		want    time.Duration
	}{{"a new one", scoring.DefaultPolicy().IdleLockMinutes, time.Hour}, {"its own", 300, 5 * time.Hour}} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			if tt.minutes != scoring.DefaultPolicy().IdleLockMinutes {
				s.policy(func(p *scoring.Policy) { p.IdleLockMinutes = tt.minutes })
			}
			ada, bob := s.signedIn("ada"), s.signedIn("bob")
			s.clock.pass(tt.want)
			ada.get("/t/acme/queue").want(t, http.StatusOK).without(t, "Sign in again to decide</strong>.", `data-locked`)
			s.clock.pass(time.Second)
			bob.get("/t/acme/queue").want(t, http.StatusOK, "Sign in again to decide", `data-locked`)
			s.clock.pass(tt.want - time.Second)
			ada.get("/t/acme/queue").want(t, http.StatusOK).without(t, `data-locked`) // that was activity
		})
	}
}

// A page that is only open is nobody's presence; a person who scrolls and types is.
func TestWatchingIsNoPresence(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	watching, moving := s.signedIn("ada"), s.signedIn("bob")
	for range 4 {
		s.clock.pass(20 * time.Minute)
		watching.get("/t/acme/queue/rows").want(t, http.StatusOK)
		watching.get(acmeSession).want(t, http.StatusOK)
		moving.post(acmeSession, nil).want(t, http.StatusOK, `"locked":false`)
	}
	watching.get(acmeSession).want(t, http.StatusOK, `"locked":true`)
	watching.post(acmeSession, nil).want(t, http.StatusOK, `"locked":true`)
	watching.get(acmeSession).want(t, http.StatusOK, `"locked":true`) // once locked it stays so
	moving.get(acmeSession).want(t, http.StatusOK, `"locked":false`)
}

// What somebody does in an organisation that locks late opens none that locks early.
func TestEachOrganisationLocksByItself(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	_, err := s.tenants.CreatePerson(t.Context(), "rival", "ada@example.com", "", "", []auth.Role{auth.Operator})
	must(t, err)
	s.policy(func(p *scoring.Policy) { p.IdleLockMinutes = 480 })
	ada := s.signedIn("ada")
	s.clock.pass(2 * time.Hour)
	ada.get("/t/acme/queue").want(t, http.StatusOK).without(t, `data-locked`)
	ada.get("/t/rival/queue").want(t, http.StatusOK, `data-locked`)
}

// A page asks for the password itself: the answer is no page, the session is another
// one, and the old one is over.
func TestSigningInAgainOnThePage(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	_, err := s.tenants.CreatePerson(t.Context(), "acme", "dora@example.com", "Dora", goodPassword, []auth.Role{auth.Operator})
	must(t, err)
	s.policy(func(p *scoring.Policy) { p.Challenges.Medium = scoring.ChallengeExplicit })
	dora := s.browser()
	form := url.Values{"email": {"dora@example.com"}, "password": {goodPassword}}
	dora.post("/sign-in", form).want(t, http.StatusSeeOther)
	before := dora.cookies()
	s.clock.pass(61 * time.Minute)
	a := s.submit(medium)
	path := "/t/acme/approvals/" + a.ID
	dora.get(path).want(t, http.StatusOK, "Sign in again to decide", "/sign-in?next="+path).without(t, `value="approve"`)

	form.Set("stay", "1")
	form.Set("password", "wrong")
	refused := dora.post("/sign-in", form).want(t, http.StatusUnauthorized)
	if got := refused.header.Get("Content-Type"); got != "text/plain; charset=UTF-8" {
		t.Errorf("a refusal is %s: %s", got, refused.body)
	}
	dora.get(acmeSession).want(t, http.StatusOK, `"locked":true`)
	form.Set("password", goodPassword)
	dora.post("/sign-in", form).want(t, http.StatusNoContent)
	dora.get(acmeSession).want(t, http.StatusOK, `"locked":false`)
	dora.get(path).want(t, http.StatusOK, `value="approve"`, `data-fresh="15"`)
	if dora.cookies() == before {
		t.Error("the session kept its token")
	}
	if _, ok, err := s.console.Visits.Find(t.Context(), before); ok || err != nil {
		t.Errorf("the old session goes on (%v, %v)", ok, err)
	}
}

// In the demo nobody has a password.
func TestTheDemoNeverLocks(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.console.Visits.NeverLock = true
	ada := s.signedIn("ada")
	s.clock.pass(11 * time.Hour)
	ada.get("/t/acme/queue").want(t, http.StatusOK, `data-lock-after="0"`).without(t, "Sign in again to decide</strong>.", `data-locked`)
	ada.get(acmeSession).want(t, http.StatusOK, `"locked":false`)
}
