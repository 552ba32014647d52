package console

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/console/edge"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/tenants"
)

func TestFirstRun(t *testing.T) {
	t.Parallel()
	s := emptySite(t, "")
	token, needed, err := s.tenants.FirstRunLink(t.Context())
	must(t, err)
	if !needed {
		t.Fatal("an empty database needs a first person")
	}
	b := s.browser()
	b.get("/first-run?token=wrong").want(t, http.StatusUnauthorized, "If no one can sign in yet, restart the server to print a new link").without(t, `name="slug"`, "Sign in")
	page := b.get("/first-run?token="+token).want(t, http.StatusOK, `name="slug"`, `name="email"`, `name="password"`)
	form := page.form(t, `name="slug"`)
	if form.Get("token") != token {
		t.Errorf("the form carries the token %q, want %q", form.Get("token"), token)
	}

	// Nothing that was typed is lost, except the password, and the error stands at its field.
	form.Set("slug", "Acme Inc")
	form.Set("email", "ada@example.com")
	form.Set("password", "correct horse battery staple")
	b.post("/first-run", form).want(t, http.StatusUnprocessableEntity, `value="Acme Inc"`, `value="ada@example.com"`, "short name", "for example acme-inc").
		without(t, "correct horse", "pattern=") // a browser that refuses it would offer nothing
	form.Set("slug", "acme")
	form.Set("password", "x")
	b.post("/first-run", form).want(t, http.StatusUnprocessableEntity, `value="acme"`, "password").without(t, `value="x"`)

	form.Set("password", "correct horse battery staple")
	done := b.post("/first-run", form).want(t, http.StatusSeeOther)
	if done.location() != "/t/acme/queue" {
		t.Errorf("the first person goes to %q", done.location())
	}
	b.get("/t/acme/queue").want(t, http.StatusOK, "You're all caught up")
	b.get("/first-run?token="+token).want(t, http.StatusUnauthorized)
	b.post("/first-run", form).want(t, http.StatusUnauthorized)
}

func TestSignInByPassword(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	const password = "correct horse battery staple"
	_, err := s.tenants.CreatePerson(t.Context(), "acme", "dora@example.com", "Dora", password, []auth.Role{auth.Operator})
	must(t, err)
	b := s.browser()

	there := b.get("/t/acme/audit?before=7").want(t, http.StatusSeeOther)
	if there.location() != "/sign-in?next=%2Ft%2Facme%2Faudit%3Fbefore%3D7" {
		t.Fatalf("a reader is sent to %q", there.location())
	}
	form := b.get(there.location()).want(t, http.StatusOK, `type="email"`, `type="password"`).form(t, `name="password"`)
	form.Set("email", "dora@example.com")
	form.Set("password", "wrong")
	wrong := b.post("/sign-in", form).want(t, http.StatusUnauthorized, `value="dora@example.com"`)
	form.Set("email", "nobody@example.com")
	unknown := b.post("/sign-in", form).want(t, http.StatusUnauthorized)
	if nonceless(wrong.body, "dora") != nonceless(unknown.body, "nobody") {
		t.Error("an unknown person and a wrong password have different answers")
	}
	form.Set("email", "DORA@example.com")
	form.Set("password", password)
	in := b.post("/sign-in", form).want(t, http.StatusSeeOther)
	if in.location() != "/t/acme/audit?before=7" {
		t.Errorf("after the sign-in %q, want where they wanted to go", in.location())
	}
	b.get("/").want(t, http.StatusSeeOther)

	b.post("/sign-out", nil).want(t, http.StatusSeeOther)
	b.get("/t/acme/queue").want(t, http.StatusSeeOther)
	b.post("/sign-out", nil).want(t, http.StatusUnauthorized)
}

// nonceless is a page without what differs for every response.
func nonceless(body, name string) string {
	body = regexp.MustCompile(`nonce="[^"]*"`).ReplaceAllString(body, "")
	return strings.ReplaceAll(body, name, "NAME")
}

func TestGuessingPasswordsIsSlow(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.browser()
	form := url.Values{"email": {"ada@example.com"}, "password": {"wrong"}}
	var last answer
	for range 6 {
		last = b.post("/sign-in", form)
	}
	last.want(t, http.StatusTooManyRequests, `value="ada@example.com"`)
	if last.header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	if last.header.Get("WWW-Authenticate") != "" {
		t.Error("a page asks for an API key")
	}
}

// A browser that somebody signed in with stays theirs, whatever strangers try: after they
// signed out, and when deciding is locked because they were away.
func TestKnownBrowser(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	const password = "correct horse battery staple"
	_, err := s.tenants.CreatePerson(t.Context(), "acme", "dora@example.com", "Dora", password, []auth.Role{auth.Operator})
	must(t, err)
	right := url.Values{"email": {"dora@example.com"}, "password": {password}}
	dora, stranger := s.browser(), s.browser()
	in := dora.post("/sign-in", right).want(t, http.StatusSeeOther)
	var device string
	for _, cookie := range in.header.Values("Set-Cookie") {
		if strings.HasPrefix(cookie, "countersign_device=") {
			device = cookie
		}
	}
	if !strings.Contains(device, "HttpOnly") || !strings.Contains(device, "SameSite=Lax") || !strings.Contains(device, "Max-Age=7776000") || strings.Contains(device, "dora") {
		t.Errorf("the cookie is %q", device)
	}
	wrong := url.Values{"email": {"dora@example.com"}, "password": {"wrong"}}
	for range 6 {
		stranger.post("/sign-in", wrong)
	}
	stranger.post("/sign-in", right).want(t, http.StatusTooManyRequests, "wait 15 minutes")
	dora.get("/t/acme/queue").want(t, http.StatusOK)
	s.clock.pass(16 * time.Minute)
	for range 6 {
		stranger.post("/sign-in", wrong)
	}
	stranger.post("/sign-in", right).want(t, http.StatusTooManyRequests)
	dora.post("/sign-in", right).want(t, http.StatusSeeOther) // at the lock
	dora.post("/sign-out", nil).want(t, http.StatusSeeOther)
	dora.post("/sign-in", right).want(t, http.StatusSeeOther)
	dora.post("/sign-in", wrong).want(t, http.StatusUnauthorized)
}

func TestSignInByLink(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	token, err := s.tenants.SignInLink(t.Context(), "acme", "ada@example.com", tenants.LinkSignIn)
	must(t, err)
	b := s.browser()
	for range 3 { // a mail scanner opens it, too
		page := b.get("/sign-in?token="+token).want(t, http.StatusOK, "Ada", "acme")
		if page.header.Get("Set-Cookie") != "" {
			t.Error("opening a link signs somebody in")
		}
	}
	form := b.get("/sign-in?token="+token).form(t, `name="token"`)
	in := b.post("/sign-in", form).want(t, http.StatusSeeOther)
	if in.location() != "/t/acme/queue" {
		t.Errorf("sign-in leads to %q", in.location())
	}
	s.browser().post("/sign-in", form).want(t, http.StatusUnauthorized, "used")
	s.browser().get("/sign-in?token="+token).want(t, http.StatusUnauthorized)
}

func TestSessionCookie(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, public, want, device string }{
		{"plain", "", "countersign_session", "countersign_device"},
		{"behind TLS", "https://console.example.com", "__Host-countersign", "__Host-countersign-device"},
		{"under a path", "https://console.example.com/tools/a", "__Host-countersign.tools.a", "__Host-countersign-device.tools.a"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := emptySite(t, tt.public)
			must(t, s.tenants.CreateTenant(t.Context(), "acme"))
			_, err := s.tenants.CreatePerson(t.Context(), "acme", "ada@example.com", "", "", auth.Roles())
			must(t, err)
			token, err := s.tenants.SignInLink(t.Context(), "acme", "ada@example.com", tenants.LinkSignIn)
			must(t, err)
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+"/sign-in", strings.NewReader(url.Values{"token": {token}}.Encode()))
			must(t, err)
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			planted := strings.Repeat("a", 43)
			r.AddCookie(&http.Cookie{Name: tt.want, Value: planted})
			if tt.public != "" {
				r.Host = "console.example.com"
			}
			res, err := http.DefaultTransport.RoundTrip(r)
			must(t, err)
			res.Body.Close()
			cookies := res.Cookies()
			if len(cookies) != 2 || cookies[0].Name != tt.want || cookies[1].Name != tt.device {
				t.Fatalf("cookies %v, want %s and %s", cookies, tt.want, tt.device)
			}
			if d := cookies[1]; !d.HttpOnly || d.SameSite != http.SameSiteLaxMode || d.Path != "/" || d.Domain != "" || d.Secure != (tt.public != "") {
				t.Errorf("attributes of %v", d)
			}
			c := cookies[0]
			if !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.Path != "/" || c.Domain != "" || c.Secure != (tt.public != "") {
				t.Errorf("attributes of %v", c)
			}
			if life := time.Duration(c.MaxAge) * time.Second; life < 11*time.Hour || life > 12*time.Hour+time.Minute {
				t.Errorf("lives %v, want 12 h", life)
			}
			if c.Value == planted || len(c.Value) < 40 {
				t.Errorf("the token %q is not new", c.Value)
			}
			if got := res.Header.Values("Cache-Control"); len(got) != 1 || got[0] != "no-store" {
				t.Errorf("Cache-Control %q", got)
			}
			// The token itself is stored nowhere.
			if _, found, err := s.store.Sessions().FindCtx(t.Context(), c.Value); err != nil || found {
				t.Errorf("the store knows the bare token (found %v, %v)", found, err)
			}
		})
	}
}

func TestSignInGetsANewToken(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.signedIn("ada")
	before := b.cookies()
	token, err := s.tenants.SignInLink(t.Context(), "acme", "ada@example.com", tenants.LinkSignIn)
	must(t, err)
	b.post("/sign-in", url.Values{"token": {token}}).want(t, http.StatusSeeOther)
	after := b.cookies()
	if before == after {
		t.Fatal("the token stayed the same")
	}
	old := s.browser()
	u, _ := url.Parse(s.url)
	old.client.Jar.SetCookies(u, []*http.Cookie{{Name: "countersign_session", Value: before}})
	old.get("/t/acme/queue").want(t, http.StatusSeeOther)
}

func (b *browser) cookies() string {
	u, _ := url.Parse(b.url)
	for _, c := range b.client.Jar.Cookies(u) {
		return c.Value
	}
	return ""
}

// A page that loads while its person signs out must not bring the session back.
func TestSignOutCannotBeUndone(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.signedIn("ada")
	v, ok, err := s.console.Visits.Find(t.Context(), b.cookies())
	if err != nil || !ok {
		t.Fatalf("find: %v, %v", ok, err)
	}
	stolen := b.cookies()
	b.post("/sign-out", nil).want(t, http.StatusSeeOther)
	s.clock.pass(2 * edge.ActivityStep)
	if _, err := s.console.Visits.Touch(t.Context(), v, "acme", time.Hour); err != nil {
		t.Fatal(err)
	}
	if _, ok, err := s.console.Visits.Find(t.Context(), stolen); err != nil || ok {
		t.Errorf("the session is back (%v, %v)", ok, err)
	}
}

func TestLocalPath(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"/t/acme/queue":                   "/t/acme/queue",
		"/t/acme/audit?before=7":          "/t/acme/audit?before=7",
		"/t/acme/queue#x":                 "/t/acme/queue",
		"":                                "",
		"/":                               "",
		"/sign-out":                       "",
		"https://evil.test/t/x":           "",
		"//evil.test/t/x":                 "",
		"/\\evil.test/t/":                 "",
		"/t/\\evil.test":                  "",
		"javascript:alert(1)":             "",
		"/t/x\r\nSet-Cookie: a=b":         "",
		"t/acme/queue":                    "",
		"/t/../sign-out":                  "",
		"/t/" + strings.Repeat("a", 3000): "",
	} {
		if got := edge.LocalPath(path); got != want {
			t.Errorf("localPath(%.40q) = %q, want %q", path, got, want)
		}
	}
}

func TestIdleMinutesLockDeciding(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.policy(func(p *scoring.Policy) { p.IdleLockMinutes = 15 })
	a := s.submit(medium)
	b := s.signedIn("ada")
	path := "/t/acme/approvals/" + a.ID
	form := b.get(path).want(t, http.StatusOK).form(t, `value="deny"`)
	form.Set("reason", "not today, thanks")

	s.clock.pass(14 * time.Minute)
	b.get("/t/acme/queue/rows").want(t, http.StatusOK) // what a page asks by itself is no sign of life
	s.clock.pass(1*time.Minute + time.Second)
	b.get("/t/acme/queue").want(t, http.StatusOK, "data-locked") // reading goes on, and does not unlock
	b.get("/t/acme/queue/rows").want(t, http.StatusOK)
	refused := b.post(path+"/decide", form).want(t, http.StatusUnauthorized, "Sign in again")
	refused.without(t, `>Start questions`)
	s.policy(letEdit)
	b.post(path+"/edit", url.Values{"arguments": {"{}"}, "digest": {a.ShownDigest}, "version": {"1"}}).want(t, http.StatusUnauthorized, "Sign in again")
	if got := s.approval(a.ID); got.Version != 1 {
		t.Fatal("a locked operator edited")
	}
	if got := s.approval(a.ID); got.Status.Final() {
		t.Fatalf("a locked operator decided: %s", got.Status)
	}

	token, err := s.tenants.SignInLink(t.Context(), "acme", "ada@example.com", tenants.LinkSignIn)
	must(t, err)
	b.post("/sign-in", url.Values{"token": {token}}).want(t, http.StatusSeeOther)
	// The default expiry is 15 minutes as well, so only the message changes now.
	b.post(path+"/decide", form).want(t, http.StatusGone)
}

func TestActivityKeepsDecidingOpen(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.signedIn("ada")
	for range 4 {
		s.clock.pass(10 * time.Minute)
		b.get("/t/acme/queue").want(t, http.StatusOK).without(t, "data-locked")
	}
}
