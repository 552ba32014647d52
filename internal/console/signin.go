package console

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/internal/console/urls"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/httpserver"
	"github.com/countersign/countersign/internal/tenants"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/texts"
)

// home leads to the queue of the person's first organisation.
func (s *Console) home(c call) error {
	all, err := s.tenants.Memberships(c.Request().Context(), c.visit.person)
	if err != nil {
		return err
	}
	if len(all) == 0 {
		return show(c, http.StatusOK, views.NoTenantPage(views.NoTenant{Assets: s.pageAssets(), Email: c.visit.email, SignOut: urls.SignOut}))
	}
	return goTo(c, urls.Queue(all[0].Tenant))
}

// tenantHome leads to the queue.
func (s *Console) tenantHome(c call) error { return goTo(c, urls.Queue(c.member.Tenant)) }

// signInPage is the form; with a token it is the page behind a one-time link,
// whose button uses the link up. Opening it uses nothing up: mail scanners and
// previews open links.
func (s *Console) signInPage(c call) error {
	token := c.QueryParam("token")
	if token == "" {
		form := s.signInForm(c.say, localPath(c.QueryParam("next")))
		switch {
		case c.QueryParam("signed-out") == "everywhere":
			form.Done = c.say.Say("You're signed out everywhere.")
		case c.QueryParam("signed-out") != "":
			form.Done = c.say.Say("You're signed out.")
		case c.QueryParam("password-set") != "":
			form.Done = c.say.Say("Password set. Sign in with it.")
		}
		return show(c, http.StatusOK, views.SignInPage(form))
	}
	ctx := c.Request().Context()
	p, err := s.tenants.CheckLink(ctx, token)
	if err != nil {
		return s.signInRefused(c, "", "", err)
	}
	link := views.SignInLink{Assets: s.pageAssets(), URL: urls.SignIn, Token: token, Person: p.Name}
	if all, err := s.tenants.Memberships(ctx, p.ID); err == nil && len(all) > 0 {
		link.Tenant = all[0].Tenant
	}
	return show(c, http.StatusOK, views.SignInLinkPage(link))
}

func (s *Console) signInForm(say texts.Printer, next string) views.SignIn {
	return views.SignIn{
		Assets: s.pageAssets(), URL: urls.SignIn, Next: next,
		Hint: say.Say("After five failed attempts, sign-in pauses for 15 minutes, except in browsers you've used before."),
	}
}

// signIn takes the form or the button of a link.
func (s *Console) signIn(c call) error {
	ctx := c.Request().Context()
	next, email := localPath(c.field("next")), c.field("email")
	at, err := s.tenants.Now(ctx)
	if err != nil {
		return err
	}
	var p tenants.Arrival
	if token := c.field("token"); token != "" {
		p.Person, err = s.tenants.RedeemLink(ctx, token)
	} else {
		// The password is taken as it was typed: field would change some characters.
		p, err = s.tenants.SignIn(ctx, tenants.SigningIn{Email: email, Password: c.Request().PostForm.Get("password"), From: c.RealIP(), Device: s.sessions.device(c.Request())})
	}
	if err != nil {
		return s.signInRefused(c, next, email, err)
	}
	return s.welcome(c, p, next, at)
}

// stays says that the form was sent by a page that asks for the password itself.
func (c call) stays() bool { return c.field("stay") != "" }

// again lets a page ask for the password itself.
func (s *Console) again(c call) *views.Again {
	a := views.Again{
		URL: urls.SignIn, Email: c.visit.email, Person: c.member.Person.ID, Next: c.Request().URL.Path, Session: sessionStateURL(c.member.Tenant),
		LockAfter: strconv.Itoa(int(c.idleLock.Seconds())), Locked: c.locked, SignedIn: c.visit.signedIn.Format(present.IsoForm),
	}
	if s.sessions.neverLock {
		a.LockAfter = "0"
	}
	if a.Next = localPath(a.Next); a.Next == "" || c.Request().Method != http.MethodGet {
		a.Next = urls.Queue(c.member.Tenant) // a form was sent there; nothing can be opened
	}
	return &a
}

func sessionStateURL(tenant string) string { return "/t/" + tenant + "/session" }

// sessionState tells an open page whether deciding is locked, and since when the person
// is signed in. Asked by POST it is told that they are there: guard notes that.
func (s *Console) sessionState(c call) error {
	locked := c.locked
	if c.Request().Method == http.MethodGet {
		var err error
		if locked, err = s.sessions.locked(c.Request().Context(), c.visit, c.member.Tenant, c.idleLock); err != nil {
			return err
		}
	}
	return c.JSON(http.StatusOK, map[string]any{"locked": locked, "signedIn": c.visit.signedIn.Format(present.IsoForm)})
}

// welcome opens a session and leads to where the person wanted to go, or to the
// queue of their first organisation. at is as for sessions.open.
func (s *Console) welcome(c call, p tenants.Arrival, next string, at time.Time) error {
	slugs, err := s.slugs(c.Request().Context(), p.ID)
	if err != nil {
		return err
	}
	if err := s.sessions.open(c, p, slugs, at); err != nil {
		return err
	}
	if !p.Unproven {
		device, err := s.tenants.Device(c.Request().Context(), p.ID)
		if err != nil {
			return err
		}
		s.sessions.remember(c, device)
	}
	switch {
	case c.stays():
		return c.NoContent(http.StatusNoContent)
	case next != "":
		return goTo(c, next)
	case len(slugs) > 0:
		return goTo(c, urls.Queue(slugs[0]))
	default:
		return goTo(c, "/")
	}
}

func (s *Console) slugs(ctx context.Context, person string) ([]string, error) {
	all, err := s.tenants.Memberships(ctx, person)
	if err != nil {
		return nil, err
	}
	slugs := make([]string, len(all))
	for i, m := range all {
		slugs[i] = m.Tenant
	}
	return slugs, nil
}

// signInRefused shows the form again with what was typed, except the password.
func (s *Console) signInRefused(c call, next, email string, err error) error {
	f := fault.As(err)
	if f.Kind() == fault.Internal {
		return err
	}
	noteRefusal(c, f)
	if c.stays() {
		return c.String(httpserver.Status(f.Code), present.Because(c.say, f)+".")
	}
	form := s.signInForm(c.say, next)
	form.Email, form.Error = email, present.Because(c.say, f)
	return show(c, httpserver.Status(f.Code), views.SignInPage(form))
}

// noteRefusal notes a fault that a handler renders itself.
func noteRefusal(c echo.Context, f *fault.Error) {
	httpserver.NoteFault(c.Request().Context(), f)
	if f.Kind() == fault.Unavailable {
		httpserver.SetFaultHeaders(c.Response().Header(), f)
	}
}

// signOut ends the session everywhere.
func (s *Console) signOut(c call) error {
	if err := s.tenants.SignedOut(c.Request().Context(), auth.Person{ID: c.visit.person}); err != nil {
		return err
	}
	if err := s.sessions.end(c, c.visit); err != nil {
		return err
	}
	return goTo(c, urls.SignIn+"?signed-out=1")
}

// firstRunPage is the form of the first start.
func (s *Console) firstRunPage(c call) error {
	token := c.QueryParam("token")
	if err := s.tenants.CheckFirstRun(c.Request().Context(), token); err != nil {
		return err
	}
	return show(c, http.StatusOK, views.FirstRunPage(views.FirstRun{Assets: s.pageAssets(), URL: urls.FirstRun, Token: token}))
}

// firstRun creates the organisation and its first person, and signs them in.
func (s *Console) firstRun(c call) error {
	form := views.FirstRun{
		Assets: s.pageAssets(), URL: urls.FirstRun,
		Token: c.field("token"), Slug: c.field("slug"), Name: c.field("name"), Email: c.field("email"),
	}
	at, err := s.tenants.Now(c.Request().Context())
	if err != nil {
		return err
	}
	p, err := s.tenants.FirstRun(c.Request().Context(), form.Token, form.Slug, form.Name, form.Email, c.Request().PostForm.Get("password"))
	if err == nil {
		return s.welcome(c, tenants.Arrival{Person: p}, "", at)
	}
	f := fault.As(err)
	if f.Kind() == fault.Internal || f.Code == fault.SignInFailed {
		return err
	}
	switch text := present.Because(c.say, f); f.Member {
	case "slug":
		form.SlugError = text
	case "name":
		form.NameError = text
	case "email":
		form.EmailError = text
	case "password":
		form.PasswordError = text
	default:
		form.Error = text
	}
	noteRefusal(c, f)
	return show(c, httpserver.Status(f.Code), views.FirstRunPage(form))
}
