package console

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/long"
)

const (
	peoplePath   = "/t/acme/settings/people"
	goodPassword = "correct horse battery staple"
)

var shownLink = regexp.MustCompile(`https?://[^"<\s]*/(?:join|new-password)\?ticket=(cst_acme_[A-Za-z0-9_-]{43})`)

// inviteByForm invites somebody through the pages, and returns page and path of the link.
func (b *browser) inviteByForm(email string, roles ...string) (page answer, path string) {
	b.t.Helper()
	form := b.get(peoplePath+"/new").want(b.t, http.StatusOK, "Invite a person").form(b.t, `name="email"`)
	form.Set("email", email)
	form["role"] = roles
	page = b.post(peoplePath, form).want(b.t, http.StatusOK, "Shown once", strings.ToLower(email))
	link := shownLink.FindStringSubmatch(page.body)
	if link == nil {
		b.t.Fatalf("no link in\n%s", page.main())
	}
	if again := b.post(peoplePath, form); shownLink.MatchString(again.body) || again.status != http.StatusConflict {
		b.t.Errorf("loading the page again answers %d, with a link: %t", again.status, shownLink.MatchString(again.body))
	}
	return page, "/join?ticket=" + link[1]
}

func TestInviteAndJoin(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	adam := s.join("adam", auth.Admin)
	page, path := adam.inviteByForm("Omar@new.example", "operator", "compliance")
	if page.header.Get("Cache-Control") != "no-store" {
		t.Errorf("the page with the link has the headers %v", page.header)
	}
	adam.get(peoplePath).want(t, http.StatusOK, "omar@new.example", "Withdraw").without(t, "ticket=cst")

	omar := s.browser()
	for range 3 { // a mail scanner opens it, too
		got := omar.get(path).want(t, http.StatusOK, "Join acme", "omar@new.example", "operator, compliance", `name="password"`)
		if got.header.Get("Set-Cookie") != "" {
			t.Error("opening the link signs somebody in")
		}
	}
	form := omar.get(path).form(t, `name="password"`)
	form.Set("name", "Omar Diaz")
	form.Set("password", "short")
	omar.post("/join", form).want(t, http.StatusUnprocessableEntity, `value="Omar Diaz"`, `id="password-error"`).without(t, `value="short"`)
	form.Set("password", goodPassword)
	if in := omar.post("/join", form).want(t, http.StatusSeeOther); in.location() != "/t/acme/queue" {
		t.Errorf("after joining he is led to %q", in.location())
	}
	omar.get("/t/acme/queue").want(t, http.StatusOK)
	omar.get("/t/rival/queue").want(t, http.StatusNotFound)
	omar.get(peoplePath).want(t, http.StatusOK, "Omar Diaz", "operator", "compliance").without(t, "Invite a person")
	s.browser().get(path).want(t, http.StatusUnauthorized).without(t, "omar")
	s.browser().post("/join", form).want(t, http.StatusUnauthorized)
	token := strings.TrimPrefix(path, "/join?ticket=")
	if log := s.log.String(); strings.Contains(log, token) || strings.Contains(log, "new.example") {
		t.Error("the log holds the link or the address")
	}

	// What was typed is not lost.
	wrong := adam.get(peoplePath+"/new").form(t, `name="email"`)
	wrong.Set("email", "no address")
	wrong["role"] = []string{"admin"}
	adam.post(peoplePath, wrong).want(t, http.StatusUnprocessableEntity, `value="no address"`, `id="email-error"`, `value="admin" checked`)
	wrong.Set("email", "x@new.example")
	wrong.Del("role")
	adam.post(peoplePath, wrong).want(t, http.StatusUnprocessableEntity, `value="x@new.example"`, `id="roles-error"`)
	wrong["role"] = []string{"operator"}
	wrong.Set("email", "omar@new.example")
	adam.post(peoplePath, wrong).want(t, http.StatusConflict, "is already a member of acme")
}

// An admin learns nothing from inviting, from the page behind the link, or from
// the list about whether the address is known elsewhere.
func TestInvitingTellsNothing(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	adam := s.join("adam", auth.Admin)
	_, err := s.tenants.CreatePerson(t.Context(), "rival", "rob@example.com", "Rob", goodPassword, []auth.Role{auth.Operator})
	must(t, err)
	known, knownPath := adam.inviteByForm("rob@example.com", "operator")
	unknown, unknownPath := adam.inviteByForm("bor@example.com", "operator")
	blur := func(body string) string {
		body = regexp.MustCompile(`cst_acme_[A-Za-z0-9_-]{43}|data-now="[^"]*"|rob|bor|tkt_[0-9a-f]{32}`).ReplaceAllString(body, "X")
		return nonceless(body, "\x00")
	}
	if blur(known.body) != blur(unknown.body) {
		t.Error("the page with the link differs")
	}
	if blur(s.browser().get(knownPath).body) != blur(s.browser().get(unknownPath).body) {
		t.Error("the page behind the link differs")
	}
	adam.get(peoplePath).want(t, http.StatusOK, "rob@example.com").without(t, ">Rob<")

	// A password that is too short is refused alike, and only the right one joins.
	for _, path := range []string{knownPath, unknownPath} {
		form := s.browser().get(path).form(t, `name="password"`)
		form.Set("password", "short")
		s.browser().post("/join", form).want(t, http.StatusUnprocessableEntity)
	}
	rob := s.browser()
	form := rob.get(knownPath).form(t, `name="password"`)
	form.Set("name", "Not Rob")
	form.Set("password", "another good password")
	rob.post("/join", form).want(t, http.StatusForbidden, `id="password-error"`, "That isn't the password")
	form.Set("password", goodPassword)
	rob.post("/join", form).want(t, http.StatusSeeOther)
	rob.get(peoplePath).want(t, http.StatusForbidden) // an operator
	adam.get(peoplePath).want(t, http.StatusOK, "Rob").without(t, "Not Rob")
	rob.get("/t/rival/queue").want(t, http.StatusOK)
}

// Who is signed in already needs no password, and no younger sign-in comes of it.
func TestJoinWhileSignedIn(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.join("adam", auth.Admin)
	eve, ada := s.signedIn("eve"), s.signedIn("ada")
	path := "/join?ticket=" + s.invitation("eve@example.com")
	ada.get(path).want(t, http.StatusOK, `name="password"`)
	form := eve.get(path).want(t, http.StatusOK, "Join acme").without(t, `name="password"`).form(t, `name="ticket"`)
	ada.post("/join", form).want(t, http.StatusUnprocessableEntity)
	before := eve.cookies()
	eve.post("/join", form).want(t, http.StatusSeeOther)
	if eve.cookies() != before {
		t.Error("she was signed in anew, and proved nothing")
	}
	eve.get("/t/acme/queue").want(t, http.StatusOK)
	late := s.signedIn("eve")
	_, err := s.tenants.RemoveMember(t.Context(), s.member("adam"), s.personID("eve"))
	must(t, err)
	path = "/join?ticket=" + s.invitation("eve@example.com")
	s.clock.pass(61 * time.Minute)
	late.get(path).want(t, http.StatusOK, `name="password"`)
	late.post("/join", url.Values{"ticket": {strings.TrimPrefix(path, "/join?ticket=")}}).want(t, http.StatusUnprocessableEntity)
}

func TestWithdrawAnInvitation(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	adam := s.join("adam", auth.Admin)
	_, path := adam.inviteByForm("omar@new.example", "operator")
	action := regexp.MustCompile(`/t/acme/settings/people/invitations/tkt_[0-9a-f]+/withdraw`).FindString(adam.get(peoplePath).body)
	adam.post(action, nil).want(t, http.StatusSeeOther)
	s.browser().get(path).want(t, http.StatusUnauthorized)
	adam.get(peoplePath).want(t, http.StatusOK).without(t, "omar@new.example")
	adam.post(action, nil).want(t, http.StatusConflict)
	adam.post(strings.Replace(action, "tkt_", "tkt_f", 1), nil).want(t, http.StatusNotFound)
}

func TestChangeRoles(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	adam, bob := s.join("adam", auth.Admin), s.signedIn("bob")
	path := peoplePath + "/" + s.personID("bob")
	bob.get(agentsPath).want(t, http.StatusForbidden)
	adam.get(path).want(t, http.StatusOK, `value="operator" checked`)
	adam.post(path+"/roles", url.Values{"role": {"compliance", "operator"}}).want(t, http.StatusSeeOther)
	bob.get(agentsPath).want(t, http.StatusOK)
	adam.post(path+"/roles", nil).want(t, http.StatusUnprocessableEntity, "Name at least one")
	adam.post(path+"/roles", url.Values{"role": {"king"}}).want(t, http.StatusUnprocessableEntity)
	own := peoplePath + "/" + s.personID("adam")
	adam.post(own+"/roles", url.Values{"role": {"operator"}}).want(t, http.StatusConflict, "is the only admin of acme")
	adam.post(own+"/remove", url.Values{"sure": {"yes"}}).want(t, http.StatusConflict, "is the only admin of acme")
	adam.post(own+"/roles", url.Values{"role": {"operator", "admin"}}).want(t, http.StatusSeeOther)
	adam.get("/t/acme/audit").want(t, http.StatusOK, "person.roles_changed")
	eve := peoplePath + "/" + s.personID("eve")
	adam.get(eve).want(t, http.StatusNotFound)
	adam.post(eve+"/roles", url.Values{"role": {"operator"}}).want(t, http.StatusNotFound)
	for _, id := range []string{"per_no", "per_" + strings.Repeat("0", 32), "%00"} {
		adam.get(peoplePath+"/"+id).want(t, http.StatusNotFound)
	}
}

// Whatever takes somebody's access away ends their open pages, within two seconds
// and with 1008.
func TestTakingAccessAway(t *testing.T) {
	t.Parallel()
	long.Race(t)
	for name, c := range map[string]struct {
		act  func(s *site, adam, bob *browser)
		then int // what the queue answers afterwards
	}{
		"removed": {func(s *site, adam, _ *browser) {
			path := peoplePath + "/" + s.personID("bob")
			adam.post(path+"/remove", nil).want(s.t, http.StatusUnprocessableEntity, "Check the box to confirm; no one was removed")
			adam.post(path+"/remove", url.Values{"sure": {"yes"}}).want(s.t, http.StatusSeeOther)
		}, http.StatusNotFound},
		"signed out by an admin": {func(s *site, adam, _ *browser) {
			s.clock.pass(time.Second)
			adam.post(peoplePath+"/"+s.personID("bob")+"/sign-out", nil).want(s.t, http.StatusSeeOther)
		}, http.StatusSeeOther},
		"signed out everywhere by himself": {func(s *site, _, bob *browser) {
			other := s.signedIn("bob")
			s.clock.pass(time.Second)
			other.post("/account/sign-out-everywhere", nil).want(s.t, http.StatusSeeOther)
			other.get("/account").want(s.t, http.StatusSeeOther)
			bob.get("/account").want(s.t, http.StatusSeeOther)
		}, http.StatusSeeOther},
		"a new password": {func(s *site, adam, _ *browser) {
			s.clock.pass(time.Second)
			token, _, err := s.tenants.PasswordTicket(s.t.Context(), s.member("adam"), auth.NewID("tkt"), s.personID("bob"))
			must(s.t, err)
			s.accepted()
			_, err = s.tenants.ChoosePassword(s.t.Context(), token, goodPassword)
			must(s.t, err)
		}, http.StatusSeeOther},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			adam, bob := s.join("adam", auth.Admin), s.signedIn("bob")
			conn := bob.live("/t/acme/live")
			s.settled(conn)
			c.act(s, adam, bob)
			began := time.Now()
			if code := closeCode(t, conn); code != websocket.ClosePolicyViolation {
				t.Errorf("the feed ends with %d", code)
			}
			if took := time.Since(began); took > 15*time.Second {
				t.Errorf("it took %v", took)
			}
			bob.get("/t/acme/queue").want(t, c.then)
			if got := bob.get("/t/acme/queue/rows"); got.status != http.StatusUnauthorized && got.status != http.StatusNotFound {
				t.Errorf("the rows answer %d", got.status)
			}
			if _, status := bob.dial("/t/acme/live", bob.url); status == http.StatusSwitchingProtocols {
				t.Error("a new feed opens")
			}
		})
	}
}

// Being signed out of one organisation ends nothing in another.
func TestSigningSomebodyOutStaysAtHome(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	adam := s.join("adam", auth.Admin)
	_, err := s.tenants.Grant(t.Context(), "acme", "eve@example.com", []auth.Role{auth.Operator})
	must(t, err)
	eve := s.signedIn("eve")
	eve.get("/t/acme/queue").want(t, http.StatusOK)
	s.clock.pass(time.Second)
	adam.post(peoplePath+"/"+s.personID("eve")+"/sign-out", nil).want(t, http.StatusSeeOther)
	if got := eve.get("/t/acme/queue").want(t, http.StatusSeeOther); !strings.HasPrefix(got.location(), "/sign-in?next=") {
		t.Errorf("she is led to %q", got.location())
	}
	eve.get("/t/rival/queue").want(t, http.StatusOK)
	eve.get("/account").want(t, http.StatusOK)
	s.clock.pass(time.Second)
	again := s.signedIn("eve")
	again.get("/t/acme/queue").want(t, http.StatusOK)
}

func TestPasswordLink(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	adam := s.join("adam", auth.Admin)
	link := func(name string) string {
		path := peoplePath + "/" + s.personID(name)
		form := adam.get(path).form(t, `name="ticket"`)
		page := adam.post(path+"/password-link", form).want(t, http.StatusOK, "Shown once")
		adam.post(path+"/password-link", form).want(t, http.StatusConflict)
		s.accepted()
		return "/new-password?ticket=" + shownLink.FindStringSubmatch(page.body)[1]
	}
	path := link("bob")
	bob := s.browser()
	form := bob.get(path).want(t, http.StatusOK, "Choose a new password", "bob@example.com").form(t, `name="password"`)
	form.Set("password", "short")
	bob.post("/new-password", form).want(t, http.StatusUnprocessableEntity, `id="password-error"`)
	form.Set("password", goodPassword)
	done := bob.post("/new-password", form).want(t, http.StatusSeeOther)
	bob.get(done.location()).want(t, http.StatusOK, "Password set. Sign in with it")
	bob.post("/sign-in", url.Values{"email": {"bob@example.com"}, "password": {goodPassword}}).want(t, http.StatusSeeOther)
	bob.get(path).want(t, http.StatusUnauthorized)
	bob.post("/new-password", form).want(t, http.StatusUnauthorized)

	// For a member of two organisations the link is made alike, and does nothing.
	_, err := s.tenants.Grant(t.Context(), "rival", "ada@example.com", []auth.Role{auth.Operator})
	must(t, err)
	form = bob.get(link("ada")).want(t, http.StatusOK, "ada@example.com").form(t, `name="password"`)
	form.Set("password", goodPassword)
	bob.post("/new-password", form).want(t, http.StatusUnauthorized, "command “countersign person password”")
	s.browser().post("/sign-in", url.Values{"email": {"ada@example.com"}, "password": {goodPassword}}).want(t, http.StatusUnauthorized)
}

func TestAccount(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b, other := s.signedIn("bob"), s.signedIn("bob")
	b.get("/t/acme/queue").want(t, http.StatusOK, `href="/account"`)
	form := b.get("/account").want(t, http.StatusOK, "bob@example.com", "Choose a password").form(t, `name="password"`)
	form.Set("password", goodPassword)
	s.clock.pass(time.Minute)
	done := b.post("/account/password", form).want(t, http.StatusSeeOther)
	b.get(done.location()).want(t, http.StatusOK, "Password set. You've been signed out everywhere else", "Current password")
	b.get("/t/acme/queue").want(t, http.StatusOK)
	other.get("/t/acme/queue").want(t, http.StatusSeeOther) // every other sign-in ended
	form.Set("password", "another good password")
	b.post("/account/password", form).want(t, http.StatusForbidden, `id="current-error"`).without(t, "another good password")
	form.Set("current", goodPassword)
	form.Set("password", "short")
	b.post("/account/password", form).want(t, http.StatusUnprocessableEntity, `id="password-error"`)
	form.Set("password", "another good password")
	s.clock.pass(time.Minute)
	b.post("/account/password", form).want(t, http.StatusSeeOther)
	s.browser().post("/sign-in", url.Values{"email": {"bob@example.com"}, "password": {"another good password"}}).want(t, http.StatusSeeOther)
	s.browser().get("/account").want(t, http.StatusSeeOther)
	s.browser().post("/account/password", form).want(t, http.StatusUnauthorized)
	s.browser().post("/account/sign-out-everywhere", nil).want(t, http.StatusUnauthorized)

	// Without a password only a fresh sign-in may choose one.
	late := s.signedIn("ada")
	s.clock.pass(61 * time.Minute)
	late.post("/account/password", url.Values{"password": {goodPassword}}).want(t, http.StatusForbidden, "sign in with a new link")
}

// Who comes back at once, and who needs another admin, is said before.
func TestWhoIsReinstatedAtOnce(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	adam := s.join("adam", auth.Admin)
	s.join("eve", auth.Admin)
	s.join("cora", auth.Compliance)
	s.join("olga", auth.Operator)
	const later = "They regain access once another admin accepts or the waiting time has passed."
	for name, want := range map[string]string{"cora": "They regain access right away.", "olga": later} {
		path := "/t/acme/settings/people/" + s.personID(name)
		adam.get(path).want(t, http.StatusOK, "Reinstating an operator or admin needs another admin.")
		adam.post(path+"/suspend", url.Values{"reason": {"on leave"}}).want(t, http.StatusSeeOther)
		adam.get(path).want(t, http.StatusOK, want)
		adam.post(path+"/reinstate", nil).want(t, http.StatusSeeOther)
		if page := adam.get(path).want(t, http.StatusOK); strings.Contains(page.body, "Suspended since") != (want == later) {
			t.Errorf("%s: said %q, and is\n%s", name, want, page.main())
		}
	}
}

// Whoever is away says so in their own settings, or an admin does; pages say it and who decides, and
// the record in whose place it was.
func TestOutOfOffice(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ada, bob, adam := s.signedIn("ada"), s.signedIn("bob"), s.join("adam", auth.Admin)
	own, people := "/t/acme/account/notices", "/t/acme/settings/people"
	ada.get(own).want(t, http.StatusOK, "Out of office", `<option value="`+s.personID("bob")+`"`)
	ada.post(own+"/away", url.Values{"deputy": {s.personID("cleo")}}).want(t, http.StatusUnprocessableEntity, "another operator", `href="#away-deputy"`)
	ada.post(own+"/away", url.Values{"until": {"soon"}}).want(t, http.StatusUnprocessableEntity, "isn&#39;t a day")
	ada.post(own+"/away", url.Values{"deputy": {s.personID("bob")}}).want(t, http.StatusSeeOther)
	ada.get("/t/acme/history").want(t, http.StatusOK, "You&#39;re out of office", "away; Bob decides")
	adam.get(people).want(t, http.StatusOK, "away; Bob decides")
	a := s.submit(medium)
	path := "/t/acme/approvals/" + a.ID
	bob.post(path+"/assign", url.Values{"to": {s.personID("ada")}}).want(t, http.StatusSeeOther)
	bob.get("/t/acme/queue?claim=mine").want(t, http.StatusOK, "Assigned to Ada by you (away; Bob decides)")
	form := bob.get(path).want(t, http.StatusOK, "away; Bob decides").form(t, `value="deny"`)
	form.Set("reason", "no")
	bob.post(path+"/decide", form).want(t, http.StatusSeeOther)
	for _, page := range []string{path, "/t/acme/history", "/t/acme/audit?show=any"} {
		bob.get(page).want(t, http.StatusOK, "for Ada (away)")
	}
	adam.post(people+"/"+s.personID("bob")+"/suspend", url.Values{"reason": {"ill"}}).want(t, http.StatusSeeOther)
	adam.get("/t/acme/queue").want(t, http.StatusOK, "Ada has no deputy now", "Bob is suspended")
	adam.post(people+"/"+s.personID("ada")+"/back", nil).want(t, http.StatusSeeOther)
	adam.get("/t/acme/queue").without(t, "no deputy", "away")
	adam.get("/t/acme/audit?show=any").want(t, http.StatusOK, "Said that Ada is back")
}
