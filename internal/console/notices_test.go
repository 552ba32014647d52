package console

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/notices/pushtest"
)

// deliver runs rounds until nothing is due at this time.
func (s *site) deliver() {
	s.t.Helper()
	for range 3 {
		must(s.t, s.notices.Deliver(s.t.Context()))
		s.notices.Wait()
	}
}

// withAdmin adds an admin who is signed in.
func (s *site) withAdmin() *browser {
	s.t.Helper()
	_, err := s.tenants.CreatePerson(s.t.Context(), "acme", "root@example.com", "", "", []auth.Role{auth.Admin})
	must(s.t, err)
	return s.signedIn("root")
}

// heard are the bodies that a receiver got.
type heard struct {
	mu     sync.Mutex
	bodies []string
	status int
}

func (h *heard) serve(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		h.mu.Lock()
		defer h.mu.Unlock()
		h.bodies = append(h.bodies, string(body))
		w.WriteHeader(h.status)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func (h *heard) all() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]string(nil), h.bodies...)
}

// An admin adds a channel, sees its secret once, tests it, and a held request is told;
// the request says so. The address of the receiver is never shown again.
func TestAnAdminAddsAChannel(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	root := s.withAdmin()
	to := &heard{status: http.StatusNoContent}
	address := to.serve(t) + "/hooks/T0PS3CR3T"
	root.get("/t/acme/settings/notices").want(t, http.StatusOK, "No one is called", "Webhook", "Slack bot")
	root.get("/t/acme/settings/notices/new?kind=webhook").want(t, http.StatusOK, `name="secret:url"`, "Signed JSON", "Add channel")
	form := url.Values{"kind": {"webhook"}, "name": {"#ops"}, "secret:url": {address}, "tells": {"request.held", "request.decided"}}
	root.post("/t/acme/settings/notices/new", form).want(t, http.StatusOK, "whsec_", "Copy it now. You won&#39;t see it again.").without(t, "T0PS3CR3T")
	list := root.get("/t/acme/settings/notices").want(t, http.StatusOK, "#ops", "active").without(t, "T0PS3CR3T", "whsec_")
	path := regexp.MustCompile(`/t/acme/settings/notices/channels/chn_[0-9a-f]{32}`).FindString(list.body)
	if path == "" {
		t.Fatal("the list leads to no channel")
	}
	root.get(path).want(t, http.StatusOK, "Already set. Leave empty to keep it.", "not tested yet").without(t, "T0PS3CR3T", "whsec_")
	root.get(path).without(t, "hx-get")
	root.post(path+"/test", nil).want(t, http.StatusSeeOther)
	root.get(path).want(t, http.StatusOK, "sending", `hx-get="`+path+`"`) // looks again by itself
	s.deliver()
	root.get(path).want(t, http.StatusOK, "delivered").without(t, "hx-get")
	a := s.submit(medium)
	s.deliver()
	root.get("/t/acme/approvals/"+a.ID).want(t, http.StatusOK, "#ops", "delivered").without(t, "No one was reached")
	if got := to.all(); len(got) != 2 || !strings.Contains(got[0], `"test"`) || !strings.Contains(got[1], a.ID) {
		t.Fatalf("the receiver got %q", got)
	}
	// A receiver that fails: the request and its row say that nobody was reached.
	to.mu.Lock()
	to.status = http.StatusInternalServerError
	to.mu.Unlock()
	b := s.submit(strings.Replace(medium, "checkout", "billing", 1))
	s.deliver()
	root.get("/t/acme/approvals/"+b.ID).want(t, http.StatusOK, "No one was reached", "retrying, next in", "the receiver answered 500")
	s.signedIn("ada").get("/t/acme/queue").want(t, http.StatusOK, "No one was reached")
	root.get("/t/acme/settings/notices").want(t, http.StatusOK, ">failing<").without(t, ">active<")
	root.get(path).want(t, http.StatusOK, "The last notice didn't arrive", "the receiver answered 500")
	// Nobody but an admin changes it.
	ada := s.signedIn("ada")
	ada.get("/t/acme/settings/notices").want(t, http.StatusForbidden)
	for _, act := range []string{"", "/test", "/pause", "/resume", "/rotate", "/delete"} {
		ada.post(path+act, url.Values{"sure": {"yes"}}).want(t, http.StatusForbidden)
	}
	root.post(path+"/rotate", nil).want(t, http.StatusOK, "whsec_")
	root.post(path+"/delete", nil).want(t, http.StatusUnprocessableEntity, "Check the box")
	root.post(path+"/delete", url.Values{"sure": {"yes"}}).want(t, http.StatusSeeOther)
	root.get(path).want(t, http.StatusNotFound)
	root.get("/t/acme/audit").want(t, http.StatusOK, "Added the channel #ops", "Deleted the channel #ops").without(t, "T0PS3CR3T", "whsec_")
}

// A template that is wrong is refused with what was typed; a right one is shown filled.
func TestTemplatesAreChecked(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	root := s.withAdmin()
	form := url.Values{"kind": {"chat"}, "name": {"#chat"}, "secret:url": {"https://hooks.invalid/1"}, "tells": {"request.held"}, "value:template": {`{"text": "{{nonsense}}"}`}}
	root.post("/t/acme/settings/notices/new", form).want(t, http.StatusUnprocessableEntity, "no field", "nonsense", "#chat")
	form.Set("value:template", `{"text": "{{title}} {{link}}"}`)
	page := root.post("/t/acme/settings/notices/new/preview", form).want(t, http.StatusOK, "HIGH request from support-triage is waiting for a decision")
	if strings.Contains(page.body, "hooks.invalid") {
		t.Error("the page shows the address again")
	}
	root.get("/t/acme/settings/notices").want(t, http.StatusOK, "No one is called")
}

// Whoever opens a link of a notice, with GET or HEAD, changes nothing: not signed in, they
// are asked to sign in and come back to the request.
func TestLinksOfNoticesDecideNothing(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	root := s.withAdmin()
	to := &heard{status: http.StatusNoContent}
	form := url.Values{"kind": {"webhook"}, "name": {"#ops"}, "secret:url": {to.serve(t)}, "tells": {"request.held", "request.decided", "request.expired", "request.claimed", "proposal.waiting", "channel.disabled"}}
	root.post("/t/acme/settings/notices/new", form).want(t, http.StatusOK)
	service := pushtest.New(t, s.clock.now)
	device := service.Subscribe()
	s.signedIn("ada").post("/t/acme/account/notices/devices", subscription(device)).want(t, http.StatusSeeOther)
	a := s.submit(medium)
	s.deliver()
	links := map[string]bool{}
	for _, p := range service.Got() {
		links[p.Notification.Link] = true
	}
	if len(links) != 1 {
		t.Fatalf("%d links were pushed", len(links))
	}
	for _, body := range to.all() {
		var got struct{ Data struct{ Link string } }
		must(t, json.Unmarshal([]byte(body), &got))
		links[got.Data.Link] = true
	}
	if len(to.all()) == 0 {
		t.Fatal("no link was sent to the webhook")
	}
	for link := range links {
		at := strings.TrimPrefix(link, s.public)
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			for name, client := range map[string]*http.Client{"a stranger": {CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}, "an operator": s.signedIn("ada").client} {
				r, err := http.NewRequestWithContext(t.Context(), method, s.url+at, nil)
				must(t, err)
				r.Host = strings.TrimPrefix(s.public, "http://")
				answer, err := client.Do(r)
				must(t, err)
				_ = answer.Body.Close()
				if name == "a stranger" && method == http.MethodGet && answer.Header.Get("Location") != "/sign-in?next="+url.QueryEscape(at) {
					t.Errorf("%s of %s by %s leads to %q", method, at, name, answer.Header.Get("Location"))
				}
			}
		}
	}
	now, err := s.approvals.Get(t.Context(), s.agent, a.ID)
	must(t, err)
	if now.Status != "pending" || now.Version != 1 || now.Decision != nil {
		t.Errorf("after opening the links the request is %+v", now)
	}
}

// That notices say more is a change of the policy: one admin asks for it, and another one
// accepts it, of each channel as it is.
func TestDetailNeedsAnother(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	root, adam := s.withAdmin(), s.join("adam", auth.Admin)
	to := &heard{status: http.StatusNoContent}
	root.post("/t/acme/settings/notices/new", url.Values{"kind": {"webhook"}, "name": {"#ops"}, "secret:url": {to.serve(t)}, "tells": {"request.held"}}).want(t, http.StatusOK)
	says := func(more bool) {
		t.Helper()
		s.submit(medium)
		s.deliver()
		all := to.all()
		if len(all) == 0 || strings.Contains(all[len(all)-1], `"sentence"`) != more {
			t.Errorf("the receiver got %q; more: %t", all, more)
		}
	}
	says(false)
	const page = "/t/acme/settings/notices"
	form := root.get(page).want(t, http.StatusOK, "Send details to").form(t, "Review the change")
	channel := regexp.MustCompile(`chn_[0-9a-f]{32}`).FindString(root.get(page).body)
	if channel == "" {
		t.Fatal("the page has no channel")
	}
	root.post(page, url.Values{"base": form["base"]}).want(t, http.StatusUnprocessableEntity, "Nothing would change")
	s.signedIn("ada").post(page, form).want(t, http.StatusForbidden)
	preview := root.post(page, url.Values{"base": form["base"], "channel": {channel}}).
		want(t, http.StatusOK, "Details in notices to a channel", "#ops, to", "weakens the policy", "Send to a second admin")
	sent := preview.fields(t, "reason")
	sent.Set("reason", "the channel is ours")
	proposed := root.post("/t/acme/settings/policy", sent).want(t, http.StatusSeeOther)
	says(false)
	at := proposed.header.Get("Location")
	root.post(at+"/accept", url.Values{"read": {"yes"}}).want(t, http.StatusForbidden)
	says(false)
	adam.get(at).want(t, http.StatusOK, "#ops, to")
	adam.post(at+"/accept", url.Values{"read": {"yes"}}).want(t, http.StatusSeeOther)
	says(true)
	// Taking it back is at once.
	form = root.get(page).want(t, http.StatusOK, "Send details to").form(t, "Review the change")
	sent = root.post(page, url.Values{"base": form["base"]}).want(t, http.StatusOK, "none of them weaker").fields(t, "reason")
	sent.Set("reason", "no more")
	root.post("/t/acme/settings/policy", sent).want(t, http.StatusSeeOther)
	says(false)
}
