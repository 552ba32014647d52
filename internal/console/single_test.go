package console

import (
	"net/http"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/tenants"
)

// TestSinglePersonModeOnEveryPage: every page of the organisation says so, to whoever reads
// it, until a second person has signed in; then no page does.
func TestSinglePersonModeOnEveryPage(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for _, name := range []string{"adam", "zoe"} {
		_, err := s.tenants.CreatePerson(t.Context(), "acme", name+"@example.com", "", "", auth.Roles())
		must(t, err)
	}
	a := s.submit(medium)
	s.allowAhead("adam", a)
	a = s.submit(high)
	proposal := s.proposal("adam")
	adam, cleo := s.signedIn("adam"), s.signedIn("cleo")
	const title = "One person can do what normally takes two, until a second operator or admin signs in"
	pages := func(want bool) (n int) {
		t.Helper()
		for _, need := range Routes() {
			if need.Method != http.MethodGet || need.Background || !strings.HasPrefix(need.Path, "/t/:tenant/") {
				continue
			}
			path := strings.Replace(s.address(need.Path, "acme", a.ID), ":proposal", proposal, 1)
			if need.Path == "/t/:tenant/sessions/:agent" {
				path += "?session=" + a.Session
			}
			got := adam.get(path)
			if got.status != http.StatusOK || !strings.Contains(got.body, "<html") {
				continue // a file, or the way to another page
			}
			if n++; strings.Contains(got.body, title) != want {
				t.Errorf("%s says so: %v, %d\n%s", path, !want, got.status, got.main())
			}
		}
		return n
	}
	if n := pages(true); n < 25 {
		t.Errorf("only %d pages were read", n)
	}
	cleo.get("/t/acme/queue").want(t, http.StatusOK, title)
	if page := cleo.get("/t/acme/queue"); strings.Contains(page.body, "/t/acme/settings/people/new") {
		t.Error("it offers to invite somebody to who may not")
	}
	adam.get("/t/acme/queue").want(t, http.StatusOK, "/t/acme/settings/people/new")
	s.signedIn("zoe")
	pages(false)
}

// TestPagesThatNobodyOpened: what a browser fetches in case somebody will come is no look:
// neither a waiting time nor a time to read begins.
func TestPagesThatNobodyOpened(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	adam, amy := s.join("adam", auth.Admin), s.join("amy", auth.Admin)
	asked, err := s.tenants.SetRoles(t.Context(), s.member("adam"), s.personID("cleo"), []auth.Role{auth.Operator})
	if must(t, err); !asked {
		t.Fatal("nobody has to accept it")
	}
	begun := func() bool {
		l, err := s.tenants.Waiting(t.Context(), s.member("adam"))
		must(t, err)
		return !l.Consent[l.People[0].ID].Begun.IsZero()
	}
	for name, value := range map[string]string{"Sec-Purpose": "prefetch;prerender", "Purpose": "prefetch", "X-Moz": "prefetch"} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, amy.url+"/t/acme/settings/waiting", nil)
		must(t, err)
		r.Header.Set(name, value)
		if got := amy.do(r); got.status != http.StatusServiceUnavailable || got.body != "" {
			t.Errorf("%s: %d %.100s", name, got.status, got.body)
		}
	}
	if begun() {
		t.Error("the waiting time began although nobody saw it")
	}
	adam.get("/t/acme/settings/waiting").want(t, http.StatusOK, "hours, starting when one of them opens it: Amy")
	amy.get("/t/acme/settings/waiting").want(t, http.StatusOK, "Amy saw it at", "it takes effect automatically at", "Object")
	if !begun() {
		t.Error("her look began nothing")
	}
}

// TestOperatorsSeeBindingsThatWait: where no other admin is, an operator reads on the list
// what is asked for an agent, and objects there.
func TestOperatorsSeeBindingsThatWait(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.join("adam", auth.Admin)
	ada := s.signedIn("ada")
	m := s.member("adam")
	asked, err := s.tenants.BindAgent(t.Context(), m, s.agent.ID, tenants.NewBinding{Bound: tenants.Bound{Environment: "staging"}, Reason: "it only tests"})
	if must(t, err); !asked {
		t.Fatal("nobody has to accept it")
	}
	page := ada.get("/t/acme/settings/waiting").want(t, http.StatusOK, "it only tests", "Adam", "Ada saw it at", "Object")
	if strings.Contains(page.body, "Open the agent") || strings.Contains(page.body, ">Accept<") {
		t.Error("it offers what she may not do")
	}
	path := "/t/acme/settings/waiting/" + s.agent.ID + "/object"
	if got := ada.post(path, map[string][]string{"reason": {"not there"}}); got.status != http.StatusSeeOther {
		t.Errorf("objecting: %d\n%s", got.status, got.main())
	}
	ada.get("/t/acme/settings/waiting").want(t, http.StatusOK, "Nothing pending.")
	if l, err := s.tenants.Agent(t.Context(), m, s.agent.ID); err != nil || l.Agents[0].Asked != nil {
		t.Errorf("it waits still: %v", err)
	}
}
