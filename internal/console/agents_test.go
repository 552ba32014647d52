package console

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/console/edge"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
)

const agentsPath = "/t/acme/settings/agents"

var shownKey = regexp.MustCompile(`csk_acme_[A-Za-z0-9_-]{43}`)

// create makes an agent through the pages, and returns its key and principal.
func (b *browser) create(name string) (string, auth.Agent) {
	b.t.Helper()
	form := b.get(agentsPath+"/new").want(b.t, http.StatusOK, "Create agent").form(b.t, `name="key"`)
	form.Set("name", name)
	form.Del("assess")
	page := b.post(agentsPath, form).want(b.t, http.StatusOK, "API key for "+name, "Shown once")
	key := shownKey.FindString(page.body)
	a, err := b.tenants.AuthenticateAgent(b.t.Context(), key)
	must(b.t, err)
	return key, a
}

// works reports whether a key opens anything.
func (s *site) works(key string) bool {
	s.t.Helper()
	_, err := s.tenants.AuthenticateAgent(s.t.Context(), key)
	if err != nil && !fault.Is(err, fault.Unauthorized) {
		s.t.Fatal(err)
	}
	return err == nil
}

func TestCreateAgent(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.join("adam", auth.Admin)
	form := b.get(agentsPath+"/new").want(t, http.StatusOK).form(t, `name="key"`)
	if !form.Has("assess") {
		t.Error("nothing asks whether it may assess")
	}
	form.Del("assess") // a box that nobody ticked is not sent
	form.Set("name", "invoice-reader")
	form.Set("expires", "24")
	page := b.post(agentsPath, form).want(t, http.StatusOK, "Shown once", "curl -sS", "/api/v1/approvals", "Bearer $COUNTERSIGN_KEY")
	key := shownKey.FindString(page.body)
	a, err := s.tenants.AuthenticateAgent(t.Context(), key)
	must(t, err)
	if a.Name != "invoice-reader" || a.Owner != s.personID("adam") || a.May(auth.ScopeAssess) {
		t.Errorf("it is %+v; want adam's, without dry runs", a)
	}
	if page.header.Get("Cache-Control") != "no-store" || page.location() != "" || page.header.Get("Set-Cookie") != "" {
		t.Errorf("the page with the key has the headers %v", page.header)
	}
	secret := strings.TrimPrefix(key, "csk_acme_")
	again := b.post(agentsPath, form).want(t, http.StatusConflict).without(t, secret)
	if shownKey.MatchString(again.body) {
		t.Error("loading the page again shows a key")
	}
	if l := b.get(agentsPath).want(t, http.StatusOK, "invoice-reader", "csk_acme_"+secret[:4]+"…").without(t, secret); strings.Count(l.body, ">invoice-reader<") != 1 {
		t.Error("loading the page again made a second agent")
	}
	b.get(agentsPath+"/"+a.ID).want(t, http.StatusOK, "invoice-reader", "Adam").without(t, secret)
	for _, where := range []string{"/t/acme/audit?show=any", "/t/acme/audit/0"} {
		b.get(where).without(t, secret)
	}
	if log := s.log.String(); strings.Contains(log, secret) || strings.Contains(log, auth.HashToken(key)) {
		t.Error("the log holds the key")
	}
	data, found, err := s.store.Sessions().FindCtx(t.Context(), auth.HashToken(b.cookies()))
	if err != nil || (found && strings.Contains(string(data), secret)) {
		t.Errorf("the session holds the key (%v)", err)
	}

	// Nothing that was typed is lost, and each message stands at its field.
	wrong := b.get(agentsPath+"/new").form(t, `name="key"`)
	wrong.Set("name", "two words")
	wrong.Set("owner", s.personID("bob"))
	wrong.Set("expires", "720")
	b.post(agentsPath, wrong).want(t, http.StatusUnprocessableEntity, `value="two words"`, `id="name-error"`, `value="`+s.personID("bob")+`" selected`, `value="720" selected`)
	wrong.Set("name", "bobs-own")
	bobs := b.post(agentsPath, wrong).want(t, http.StatusOK)
	if a, err := s.tenants.AuthenticateAgent(t.Context(), shownKey.FindString(bobs.body)); err != nil || a.Owner != s.personID("bob") || !a.May(auth.ScopeAssess) {
		t.Errorf("bob's agent is %+v, %v", a, err)
	}
}

// submitAs hands an action in as an agent.
func (s *site) submitAs(a auth.Agent, body string) approvals.Approval {
	s.t.Helper()
	tree, err := canon.Parse([]byte(body))
	must(s.t, err)
	action, err := scoring.NewAction(tree)
	must(s.t, err)
	got, _, err := s.approvals.Submit(s.t.Context(), a, approvals.Submission{Action: action})
	must(s.t, err)
	return got
}

// Whoever makes an agent in the console does not decide for it.
func TestMakersDoNotDecideForTheirOwn(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	adam := s.join("adam", auth.Operator, auth.Admin)
	_, a := adam.create("adams-own")
	asked := s.submitAs(a, medium)
	path := "/t/acme/approvals/" + asked.ID
	adam.get(path).want(t, http.StatusOK, "own the agent adams-own").without(t, `value="approve"`)
	form := url.Values{"verdict": {"deny"}, "reason": {"mine"}, "digest": {asked.ShownDigest}, "version": {"1"}}
	adam.post(path+"/decide", form).want(t, http.StatusForbidden)
	if got := s.approval(asked.ID); got.Status.Final() {
		t.Fatalf("he decided for his own agent: %s", got.Status)
	}
	// When nobody else could, in single-person mode: with the typed target, and marked.
	for _, name := range []string{"ada", "bob"} {
		s.revoke(name)
	}
	alone := s.submitAs(a, medium)
	path = "/t/acme/approvals/" + alone.ID
	page := adam.get(path).want(t, http.StatusOK, `name="target"`, "only")
	yes := page.form(t, `value="approve"`)
	yes.Set("target", "")
	adam.clock.pass(time.Minute)
	adam.post(path+"/decide", yes)
	if got := s.approval(alone.ID); got.Status.Final() {
		t.Fatal("alone, he decided without typing the target")
	}
}

func TestRotateRevokeExpire(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.join("adam", auth.Admin)
	old, a := b.create("bot")
	path := agentsPath + "/" + a.ID
	rotate := b.get(path).want(t, http.StatusOK).form(t, `name="key"`, "Rotate")
	rotate.Del("assess")
	rotate.Set("overlap", "1")
	page := b.post(path+"/rotate", rotate).want(t, http.StatusOK, "API key for bot", "works until")
	fresh := shownKey.FindString(page.body)
	if !s.works(old) || !s.works(fresh) || old == fresh {
		t.Error("both keys must work meanwhile")
	}
	b.post(path+"/rotate", rotate).want(t, http.StatusConflict, "lready done, and the key was shown only once").without(t, fresh)
	b.post(path+"/keys/"+a.KeyID+"/revoke", nil).want(t, http.StatusSeeOther)
	if s.works(old) || !s.works(fresh) {
		t.Error("revoking one key ended another, or none")
	}
	b.get(path).want(t, http.StatusOK, "revoked", "works")
	b.post(path+"/keys/"+a.KeyID+"/revoke", nil).want(t, http.StatusConflict, "which is final")
	now, err := s.tenants.AuthenticateAgent(t.Context(), fresh)
	must(t, err)
	b.post(path+"/keys/"+now.KeyID+"/expiry", url.Values{"expires": {""}}).want(t, http.StatusUnprocessableEntity)
	b.post(path+"/keys/"+now.KeyID+"/expiry", url.Values{"expires": {"24"}}).want(t, http.StatusSeeOther)
	s.clock.pass(24 * time.Hour)
	if s.works(fresh) {
		t.Error("a key works after its time")
	}
}

// TestStopAgain: stopping what is stopped completes a withdrawal that broke off.
func TestStopAgain(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.join("adam", auth.Admin)
	_, a := b.create("bot")
	waiting := s.submitAs(a, medium)
	granted := s.submitAs(a, `{"function":"read_page","arguments":{"page":"x"}}`)
	path := agentsPath + "/" + a.ID
	stop := b.get(path).form(t, `name="sure"`)
	stop.Set("reason", "it leaks")
	adam := auth.Member{Tenant: "acme", Person: auth.Person{ID: s.personID("adam")}, Roles: []auth.Role{auth.Admin}}
	must(t, s.tenants.StopAgent(t.Context(), adam, a.ID, "a leak")) // and whoever did it was cut off
	b.post(path+"/stop", stop).want(t, http.StatusConflict, "is already stopped")
	if got := s.approval(waiting.ID); got.Status != approvals.Cancelled || !strings.Contains(got.Decision.Reason, "a leak") {
		t.Errorf("what waited is %s, %+v", got.Status, got.Decision)
	}
	if g := s.approval(granted.ID).Grant; g.VoidedAt == nil {
		t.Error("the unspent grant is not void")
	}
}

func TestStopAndStartAnAgent(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.join("adam", auth.Admin)
	key, a := b.create("bot")
	waiting := s.submitAs(a, medium)
	granted := s.submitAs(a, `{"function":"read_page","arguments":{"page":"x"}}`)
	path := agentsPath + "/" + a.ID
	stop := b.get(path).form(t, `name="sure"`)
	stop.Set("reason", "it leaks")
	unsure := url.Values{"reason": {"it leaks"}}
	b.post(path+"/stop", unsure).want(t, http.StatusUnprocessableEntity, `value="it leaks"`, "Check the box to confirm")
	if !s.works(key) || s.approval(waiting.ID).Status.Final() {
		t.Fatal("it was stopped without being sure")
	}
	b.post(path+"/start", url.Values{"key": {auth.NewID("key")}}).want(t, http.StatusConflict, "isn't stopped; to give it another key, rotate")
	if s.approval(waiting.ID).Status.Final() {
		t.Fatal("starting what runs cancelled what it waits for")
	}
	b.post(path+"/stop", stop).want(t, http.StatusSeeOther)
	if s.works(key) {
		t.Error("the key of a stopped agent works")
	}
	if got := s.approval(waiting.ID); got.Status != approvals.Cancelled || got.Decision.DecidedBy[0].ID != s.personID("adam") || !strings.Contains(got.Decision.Reason, "it leaks") {
		t.Errorf("what waited is %s, %+v", got.Status, got.Decision)
	}
	if g := s.approval(granted.ID).Grant; g.VoidedAt == nil {
		t.Error("the unspent grant is not void")
	}
	s.signedIn("ada").get("/t/acme/approvals/"+waiting.ID).want(t, http.StatusOK, "Adam stopped the agent", "it leaks")
	b.get(agentsPath).want(t, http.StatusOK, "stopped")
	start := b.get(path).want(t, http.StatusOK, "This agent is stopped", "it leaks").without(t, "Rotate the key").form(t, `name="key"`)
	page := b.post(path+"/start", start).want(t, http.StatusOK, "API key for bot")
	if fresh := shownKey.FindString(page.body); !s.works(fresh) || s.works(key) {
		t.Error("after the start only the new key works")
	}
	if s.approval(waiting.ID).Status != approvals.Cancelled {
		t.Error("what was cancelled came back")
	}
}

// The kill switch: the slug must be typed, every page says it, and it ends.
func TestKillSwitch(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b, ada, eve := s.join("adam", auth.Admin), s.signedIn("ada"), s.signedIn("eve")
	form := b.get(agentsPath).want(t, http.StatusOK, "Type acme to confirm").form(t, `name="slug"`)
	form.Set("slug", "acne")
	form.Set("reason", "a leak")
	b.post(agentsPath+"/stop-all", form).want(t, http.StatusUnprocessableEntity, `value="acne"`, `value="a leak"`, "nothing was stopped")
	s.submit(medium)
	form.Set("slug", "acme")
	b.post(agentsPath+"/stop-all", form).want(t, http.StatusSeeOther)
	const banner = "All agents are stopped"
	for _, path := range []string{"/t/acme/queue", "/t/acme/history", "/t/acme/audit?show=any", "/t/acme/audit/0"} {
		ada.get(path).want(t, http.StatusOK, banner, "Adam stopped them", "a leak").without(t, `href="`+agentsPath+`"`)
	}
	b.get(agentsPath).want(t, http.StatusOK, banner, agentsPath+`#why"`, `id="why"`, "stopped (all agents)").without(t, "Type acme to confirm")
	eve.get("/t/rival/queue").want(t, http.StatusOK).without(t, banner)
	_, _, err := s.approvals.Submit(t.Context(), s.agent, approvals.Submission{Action: mustAction(t, medium)})
	if !fault.Is(err, fault.AgentsStopped) {
		t.Errorf("submitting: %v", err)
	}
	b.post(agentsPath+"/stop-all", form).want(t, http.StatusConflict)
	b.post(agentsPath+"/resume", nil).want(t, http.StatusUnprocessableEntity, "Enter a reason")
	b.post(agentsPath+"/resume", url.Values{"reason": {"it was the tests"}}).want(t, http.StatusSeeOther)
	ada.get("/t/acme/queue").want(t, http.StatusOK).without(t, banner)
	s.submit(medium)
}

func mustAction(t *testing.T, body string) scoring.Action {
	t.Helper()
	tree, err := canon.Parse([]byte(body))
	must(t, err)
	a, err := scoring.NewAction(tree)
	must(t, err)
	return a
}

// Readers see everything but the ways to change it.
func TestReadersOfAgents(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	cleo := s.signedIn("cleo")
	for _, path := range []string{agentsPath, agentsPath + "/" + s.agent.ID} {
		page := cleo.get(path).want(t, http.StatusOK, "support-triage", "created by CLI").without(t, "No one")
		_, main, _ := strings.Cut(page.body, "<main")
		if main, _, _ = strings.Cut(main, "</main>"); strings.Contains(main, "<form") {
			t.Errorf("%s has a form for a reader", path)
		}
	}
	for _, id := range []string{"agt_no", "agt_" + strings.Repeat("0", 32), "%00", s.agent.KeyID} {
		cleo.get(agentsPath+"/"+id).want(t, http.StatusNotFound)
	}
}

func TestLastUsedIsShown(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.join("adam", auth.Admin)
	key, a := b.create("bot")
	must(t, s.tenants.WriteUsage(t.Context()))
	s.clock.pass(5 * time.Minute)
	b.get(agentsPath+"/"+a.ID).want(t, http.StatusOK, "5 min ago")
	s.works(key)
	must(t, s.tenants.WriteUsage(t.Context()))
	b.get(agentsPath+"/"+a.ID).want(t, http.StatusOK, "just now")
	b.get(agentsPath).want(t, http.StatusOK, "never") // the site's own agent
}

// Whoever was away for long changes nothing, not even with a page that is open.
func TestIdleAdminsChangeNothing(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.join("adam", auth.Admin)
	form := b.get(agentsPath+"/new").form(t, `name="key"`)
	form.Set("name", "latecomer")
	b.get(agentsPath).want(t, http.StatusOK).without(t, "data-locked")
	s.clock.pass(61 * time.Minute)
	b.post(agentsPath, form).want(t, http.StatusUnauthorized, "othing was changed", `value="latecomer"`)
	b.post(agentsPath+"/stop-all", url.Values{"slug": {"acme"}}).want(t, http.StatusUnauthorized)
	b.post(agentsPath+"/"+s.agent.ID+"/keys/"+s.agent.KeyID+"/revoke", nil).want(t, http.StatusUnauthorized)
	b.post("/t/acme/settings/people/"+s.personID("ada")+"/roles", url.Values{"role": {"admin"}}).want(t, http.StatusUnauthorized)
	b.get(agentsPath).want(t, http.StatusOK, "support-triage", "Sign in again to make changes", "/sign-in?next=%2Ft%2Facme%2Fsettings%2Fagents").without(t, "latecomer", "All agents are stopped")
	if m, err := s.tenants.Member(t.Context(), "acme", s.personID("ada")); err != nil || m.May(auth.ManagePeople) {
		t.Errorf("ada is %v, %v", m.Roles, err)
	}
}

// Whatever a form holds, it is answered.
func TestHostileSettingsForms(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.join("adam", auth.Admin)
	s.invitation("x@new.example")
	junk := []string{"", "\x00", "-1", "99999999999999999999", strings.Repeat("x", 40_000), "<script>alert(1)</script>", "'; DROP TABLE agents; --", "\u202e", "\xff\xfe", "key_" + strings.Repeat("0", 32)}
	for _, n := range Routes() {
		if n.Method != http.MethodPost || !strings.Contains(n.Path, "/settings/") {
			continue
		}
		path := s.address(n.Path, "acme", "")
		for i, value := range junk {
			form := url.Values{"x": {value}}
			for j, name := range []string{"name", "owner", "expires", "overlap", "key", "reason", "slug", "sure", "assess", "email", "role", "ticket"} {
				form.Set(name, junk[(i+j)%len(junk)])
			}
			if len(form.Encode()) > edge.MaxForm {
				continue
			}
			got := b.post(path, form)
			if got.status >= 500 || strings.Contains(got.body, "<script>alert") {
				t.Fatalf("%s with %.40q: %d\n%s", path, value, got.status, got.main())
			}
		}
	}
	if h, err := s.tenants.Halt(t.Context(), auth.Member{Tenant: "acme"}); err != nil || h != nil {
		t.Errorf("junk stopped all agents: %+v, %v", h, err)
	}
}

// A workspace is previewed, asked for and accepted; the replay says what it would have
// changed, and the refusals stand at the field.
func TestAnAgentIsBoundToAWorkspace(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	adam, eve := s.join("adam", auth.Admin), s.join("eve", auth.Admin)
	_, a := adam.create("bot")
	path := agentsPath + "/" + a.ID
	s.submitAs(a, `{"function":"update_record","arguments":{"id":7}}`)
	asked := url.Values{"workspace": {"/srv/shop"}, "sandboxed": {"yes"}, "reason": {"it writes the shop"}}
	for folder, why := range map[string]string{"shop": "relative path", "/": "/ is the whole machine", "/root": "home folder", "/srv/../etc": "leads to a different folder"} {
		adam.post(path+"/bind/preview", url.Values{"workspace": {folder}, "reason": {"x"}}).
			want(t, http.StatusUnprocessableEntity, `href="#workspace"`, why, `value="`+folder+`"`)
	}
	adam.post(path+"/bind", url.Values{"workspace": {"shop"}, "reason": {"x"}}).want(t, http.StatusUnprocessableEntity, `href="#workspace"`)
	preview := adam.post(path+"/bind/preview", asked).want(t, http.StatusOK, "Bind it to the workspace /srv/shop, a sandbox", "work inside is approved and its own code runs (sandbox)", "Another admin has to approve it", "Replay", "of the last 1 action", "as it is bound now and as it would be")
	if at := adam.post(path+"/bind", preview.form(t, "Request")).want(t, http.StatusSeeOther).location(); at != path+"#drop-binding" {
		t.Errorf("what was asked for is not shown, but %s", at)
	}
	adam.get("/t/acme/settings/waiting").want(t, http.StatusOK, `href="`+path+`#drop-binding"`)
	eve.get("/t/acme/settings/waiting").want(t, http.StatusOK, `href="`+path+`#accept-binding"`)
	adam.get(path).want(t, http.StatusOK, "Withdraw the request", `id="drop-binding"`).without(t, "Accept the binding")
	page := eve.get(path).want(t, http.StatusOK, `id="accept-binding"`, "wants to bind it to the workspace /srv/shop, a sandbox", ": “it writes the shop”.", "Replay", `/bind/preview#replay"`)
	eve.post(path+"/bind/accept", page.form(t, "Bind it to the workspace /srv/shop, a sandbox")).want(t, http.StatusSeeOther)
	adam.get(path).want(t, http.StatusOK, "work inside is approved", `id="sandboxed" name="sandboxed" value="yes" checked`).without(t, "Withdraw the request", "Replay")
	over := adam.post(path+"/bind/preview", url.Values{"reason": {"over"}}).want(t, http.StatusOK, "Bind it to nothing", "This doesn't weaken anything, so no one else needs to approve it")
	adam.post(path+"/bind", over.form(t, "Bind")).want(t, http.StatusSeeOther)
	adam.get(path).want(t, http.StatusOK, "file changes are held like anything else")
}

// One admin asks, another accepts; the page says what it does.
func TestAnAgentIsBoundToAnEnvironment(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	adam, eve := s.join("adam", auth.Admin), s.join("eve", auth.Admin)
	_, a := adam.create("bot")
	path := agentsPath + "/" + a.ID
	update := `{"function":"update_record","arguments":{"id":7}}`
	adam.get(path).want(t, http.StatusOK, "not bound", "counts as production", "nother admin has to approve")
	if held := s.submitAs(a, update); held.Status != approvals.Pending {
		t.Errorf("it is %s", held.Status)
	}
	adam.post(path+"/bind", url.Values{"environment": {"a b"}, "reason": {"x"}}).want(t, http.StatusUnprocessableEntity, `href="#environment"`, `value="a b"`)
	adam.post(path+"/bind", url.Values{"environment": {"staging"}, "reason": {"only <b>test</b> data"}}).want(t, http.StatusSeeOther)
	adam.get(path).want(t, http.StatusOK, "not bound", "Withdraw the request", "only &lt;b&gt;test&lt;/b&gt; data").without(t, "Accept the binding")
	adam.post(path+"/bind/accept", url.Values{"environment": {"staging"}}).want(t, http.StatusForbidden, "someone else has to accept it")
	page := eve.get(path).want(t, http.StatusOK, "wants to bind it to staging", "non-production: floors are lower")
	eve.post(path+"/bind/accept", page.form(t, "Bind it to staging")).want(t, http.StatusSeeOther)
	adam.get(path).want(t, http.StatusOK, "non-production: floors are lower").without(t, "Withdraw the request")
	adam.get("/t/acme/approvals/"+s.submitAs(a, `{"function":"delete_record","arguments":{"id":7,"env":"qa"}}`).ID).want(t, http.StatusOK, "the agent is bound to staging")
	if through := s.submitAs(a, update); through.Status != approvals.Approved || through.Assessment.Inputs.Environment != "staging" {
		t.Errorf("it is %s: %+v", through.Status, through.Assessment.Inputs)
	}
	adam.post(path+"/bind", url.Values{"environment": {""}, "reason": {"over"}}).want(t, http.StatusSeeOther)
	if held := s.submitAs(a, update); held.Status != approvals.Pending {
		t.Errorf("after the binding it is %s", held.Status)
	}
}
