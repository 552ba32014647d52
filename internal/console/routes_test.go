package console

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/console/edge"
	"github.com/countersign/countersign/internal/notices"
	"github.com/countersign/countersign/internal/tenants"
)

// proposal makes an open one that weakens the policy, and returns its id.
func (s *site) proposal(author string) string {
	s.t.Helper()
	now := s.policyNow()
	p := now.Policy
	p.Thresholds.High += 0.01
	_, made, err := s.tenants.SavePolicy(s.t.Context(), s.member(author), tenants.Change{Base: now.Version, Policy: p, Reason: "quieter"})
	must(s.t, err)
	return made.ID
}

// address fills in a route's parameters: those of acme's own things.
func (s *site) address(path, tenant, id string) string {
	for name, value := range map[string]string{
		":tenant": tenant, ":id": id, ":page": "policy", ":index": "0", "*": "css/base.css",
		":agent": s.agent.ID, ":key": s.agent.KeyID, ":person": s.personID("bob"), ":ticket": s.ticket, ":version": "1", ":standing": s.standing, ":rule": s.rule, ":team": s.team,
	} {
		path = strings.ReplaceAll(path+"/", name+"/", value+"/")
		path = strings.TrimSuffix(path, "/")
	}
	return path
}

func TestEveryRouteSaysWhoMayAsk(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, r := range Routes() {
		at := r.Method + " " + r.Path
		inTenant := strings.HasPrefix(r.Path, "/t/:tenant")
		if seen[at] || r.Permission == "" || inTenant == (r.Permission == edge.Anyone || r.Permission == edge.SignedIn) {
			t.Errorf("%s: stands there twice, or needs %q", at, r.Permission)
		}
		seen[at] = true
	}
}

// Every address × who asks: nobody, somebody of another organisation, each role.
func TestAccess(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	adam := s.join("adam", auth.Admin)
	s.invitation("somebody@new.example")
	s.notes.keep(audit.SignedCheckpoint{Checkpoint: audit.Checkpoint{Tenant: "acme", Size: 1}, Note: []byte("countersign/acme\n1\n")})
	a := s.submit(medium)
	s.allowAhead("ada", a)
	who := map[string]*browser{"nobody": s.browser(), "eve": s.signedIn("eve"), "cleo": s.signedIn("cleo"), "adam": adam, "ada": s.signedIn("ada")}
	s.join("amy", auth.Admin)
	proposal := s.proposal("ada") // it weakens, so an empty form does not accept it
	zed, err := s.tenants.CreatePerson(t.Context(), "acme", "zed@example.com", "", "", []auth.Role{auth.Compliance})
	must(t, err)
	asked, err := s.tenants.SetRoles(t.Context(), s.member("amy"), zed.ID, []auth.Role{auth.Compliance, auth.Operator})
	must(t, err)
	l, err := s.tenants.Waiting(t.Context(), s.member("adam"))
	if must(t, err); !asked || len(l.People) != 1 {
		t.Fatalf("%d changes wait", len(l.People))
	}
	waiting := l.People[0].ID
	channel, _, err := s.notices.Add(t.Context(), s.member("adam"), notices.Draft{Kind: "webhook", Name: "#ops", Tells: notices.Kinds(), Values: map[string]string{"url": "https://example.com"}})
	must(t, err)
	s.plan("adam")
	own := map[string]string{}
	for _, name := range []string{"cleo", "adam", "ada"} {
		own[name] = s.ownChannel(name)
	}
	role := map[string]auth.Role{"cleo": auth.Compliance, "adam": auth.Admin, "ada": auth.Operator}
	for _, n := range Routes() {
		if n.Permission == edge.Anyone || n.Permission == edge.SignedIn || strings.HasSuffix(n.Path, "/live") {
			continue
		}
		for name, b := range who {
			var got answer
			path := s.address(n.Path, "acme", a.ID)
			if name == "adam" && strings.HasSuffix(path, "/withdraw") {
				path = strings.Replace(path, ":proposal", s.proposal(name), 1) // only its author may
			}
			if strings.HasPrefix(n.Path, "/t/:tenant/settings/waiting"+"/") {
				path = strings.Replace(path, ":proposal", waiting, 1)
			}
			path = strings.Replace(path, ":proposal", proposal, 1)
			if strings.HasPrefix(n.Path, "/t/:tenant/account/notices") {
				path = strings.Replace(path, ":channel", own[name], 1)
			}
			path = strings.Replace(path, ":channel", channel, 1)
			// Only its author takes something back, and an operator objects only where there is no
			// other admin.
			if strings.HasPrefix(n.Path, "/t/:tenant/settings/waiting"+"/") && strings.HasSuffix(path, "/withdraw") || name == "ada" && (strings.HasSuffix(path, "/object") || strings.HasSuffix(path, "/reject")) {
				continue
			}
			if n.Path == "/t/:tenant/sessions/:agent" {
				path += "?session=" + a.Session
			}
			if n.Method == http.MethodGet {
				got = b.get(path)
			} else {
				got = b.post(path, nil)
			}
			allowed := auth.Member{Roles: []auth.Role{role[name]}}.May(n.Permission)
			switch {
			case name == "nobody" && n.Method == http.MethodGet && !n.Background:
				if got.status != http.StatusSeeOther || !strings.HasPrefix(got.location(), "/sign-in?next=%2Ft%2Facme") {
					t.Errorf("%s %s for nobody: %d %s", n.Method, n.Path, got.status, got.location())
				}
			case name == "nobody":
				if got.status != http.StatusUnauthorized {
					t.Errorf("%s %s for nobody: %d", n.Method, n.Path, got.status)
				}
			case name == "eve":
				if got.status != http.StatusNotFound {
					t.Errorf("%s %s for a stranger: %d", n.Method, n.Path, got.status)
				}
			case allowed && (got.status == http.StatusForbidden || got.status == http.StatusNotFound || got.status >= 500):
				t.Errorf("%s %s for %s: %d", n.Method, n.Path, name, got.status)
			case !allowed && got.status != http.StatusForbidden:
				t.Errorf("%s %s for %s: %d, want 403", n.Method, n.Path, name, got.status)
			}
		}
	}
}

// What belongs to another organisation does not exist, not even under one's own
// address; and what is no id is no error of ours.
func TestForeignIDsDoNotExist(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	a := s.submit(medium)
	eve := s.signedIn("eve")
	missing := eve.get("/t/rival/approvals/apr_"+strings.Repeat("0", 32)).want(t, http.StatusNotFound)
	foreign := eve.get("/t/rival/approvals/"+a.ID).want(t, http.StatusNotFound).without(t, "checkout-api")
	if len(missing.body) != len(foreign.body) {
		t.Error("a foreign id and one that does not exist have different answers")
	}
	form := map[string][]string{"verdict": {"deny"}, "reason": {"x"}, "digest": {a.ShownDigest}, "version": {"1"}}
	for _, action := range []string{"start", "answer", "leave", "decide"} {
		if got := eve.post("/t/rival/approvals/"+a.ID+"/"+action, form); got.status != http.StatusNotFound && got.status != http.StatusUnprocessableEntity {
			t.Errorf("%s: %d", action, got.status)
		}
	}
	for _, path := range []string{
		"/t/acme/queue", "/t/nosuch/queue", "/t/%00/queue", "/t/..%2facme/queue", "/t/rival/approvals/%00", "/t/rival/approvals/x'--",
		"/t/rival/audit/99999", "/t/rival/audit/-1", "/t/rival/audit/x", "/t/rival/audit/99999999999999999999",
	} {
		eve.get(path).want(t, http.StatusNotFound)
	}
	if got := s.approval(a.ID); got.Status.Final() {
		t.Error("a stranger decided")
	}
}

func TestRevokedMembershipIsDeadAtOnce(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.signedIn("ada")
	b.get("/t/acme/queue").want(t, http.StatusOK)
	s.revoke("ada")
	b.get("/t/acme/queue").want(t, http.StatusForbidden)
}

var scriptTag = regexp.MustCompile(`<script[^>]*>`)

// Every page carries the policy, its scripts the nonce of this very response, and
// nothing that the policy forbids.
func TestPagesUnderTheirPolicy(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	a := s.submit(medium)
	b := s.signedIn("ada")
	nonces := map[string]bool{}
	for _, path := range []string{
		"/sign-in", "/t/acme/queue", "/t/acme/approvals/" + a.ID, "/t/acme/history", "/t/acme/audit", "/t/acme/audit/0", "/nowhere", "/first-run",
		policyPath, policyPath + "/versions", policyPath + "/versions/1", policyPath + "/proposals/" + s.proposal("ada"),
		"/join?ticket=x", "/new-password?ticket=x", "/account",
	} {
		page := b.get(path)
		policy := page.header.Get("Content-Security-Policy")
		_, rest, _ := strings.Cut(policy, "script-src 'nonce-")
		nonce, _, _ := strings.Cut(rest, "'")
		if nonce == "" || nonces[nonce] || !strings.Contains(policy, "default-src 'none'") {
			t.Errorf("%s: policy %q", path, policy)
		}
		nonces[nonce] = true
		for _, tag := range scriptTag.FindAllString(page.body, -1) {
			if !strings.Contains(tag, `nonce="`+nonce+`"`) {
				t.Errorf("%s: %s without the nonce %s", path, tag, nonce)
			}
		}
		if !strings.Contains(page.body, "<script") || strings.Contains(page.body, " style=") || strings.Contains(page.body, " onclick=") {
			t.Errorf("%s: no script, or inline style or handler", path)
		}
		if page.header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: Cache-Control %q", path, page.header.Get("Cache-Control"))
		}
	}
}

func TestPagesAndTheLog(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	a := s.submit(medium)
	b := s.signedIn("ada")
	b.get("/t/acme/approvals/" + a.ID)
	b.get("/sign-in?token=verysecret")
	if log := s.log.String(); strings.Contains(log, "checkout-api") || strings.Contains(log, "verysecret") || strings.Contains(log, "example.com") {
		t.Errorf("the log holds what it must not:\n%s", log)
	}
	line, _, _ := strings.Cut(s.log.String(), "\n")
	if !json.Valid([]byte(line)) {
		t.Errorf("log line %q", line)
	}
}

func TestStaticFiles(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.browser()
	file, _ := s.console.Assets.Get("css/base.css")
	versioned := b.get(file.URL()).want(t, http.StatusOK)
	if got := versioned.header.Get("Cache-Control"); got != "public, max-age=31536000, immutable" {
		t.Errorf("Cache-Control %q", got)
	}
	if versioned.header.Get("Content-Type") != "text/css; charset=utf-8" || versioned.header.Get("Set-Cookie") != "" || versioned.body != string(file.Body) {
		t.Errorf("headers %v", versioned.header)
	}
	for _, path := range []string{"/static/css/base.css", "/static/css/base.css?v=000000000000"} {
		if got := b.get(path).want(t, http.StatusOK).header.Get("Cache-Control"); got != "no-cache" {
			t.Errorf("%s: Cache-Control %q", path, got)
		}
	}
	for tag, want := range map[string]int{file.ETag(): 304, strings.TrimPrefix(file.ETag(), "W/"): 304, `"x", ` + file.ETag(): 304, "*": 304, `"x"`: 200} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+"/static/css/base.css", nil)
		must(t, err)
		r.Header.Set("If-None-Match", tag)
		if got := b.do(r); got.status != want || got.status == 304 && got.body != "" {
			t.Errorf("If-None-Match %s: %d", tag, got.status)
		}
	}
	for _, path := range []string{"/static/", "/static/nosuch.css", "/static/../embed.go", "/static/%2e%2e/embed.go", "/static/css"} {
		if got := b.get(path); got.status != http.StatusNotFound && got.status/100 != 3 {
			t.Errorf("%s: %d", path, got.status)
		}
	}
}

func TestErrorPages(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.signedIn("ada")
	page := b.get("/nowhere").want(t, http.StatusNotFound, "404", page404)
	if !strings.HasPrefix(page.header.Get("Content-Type"), "text/html") || !strings.Contains(page.body, page.header.Get("X-Request-Id")) {
		t.Errorf("headers %v", page.header)
	}
	const shell = `href="/t/acme/history"`
	b.get("/t/acme/nowhere").want(t, http.StatusNotFound, page404, shell)
	for _, foreign := range []string{"/nowhere", "/acme/nowhere", "/t/globex/nowhere"} {
		b.get(foreign).want(t, http.StatusNotFound, page404).without(t, shell, "/t/globex/history")
	}
	s.browser().get("/t/acme/nowhere").without(t, shell)
	b.post("/t/acme/queue", nil).want(t, http.StatusMethodNotAllowed)
	big := map[string][]string{"reason": {strings.Repeat("x", edge.MaxForm)}}
	b.post("/t/acme/approvals/apr_"+strings.Repeat("0", 32)+"/decide", big).want(t, http.StatusUnprocessableEntity, "at most")
}

const page404 = "Check the address"
