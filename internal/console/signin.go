package console

import (
	"context"
	"net/http"
	"time"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/console/edge"
	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/internal/console/urls"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/httpserver"
	"github.com/countersign/countersign/internal/tenants"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/texts"
)

// home leads to the queue of the person's first organisation.
func (s *Console) home(c edge.Call) error {
	all, err := s.Tenants.Memberships(c.Request().Context(), c.Visit.Person)
	if err != nil {
		return err
	}
	if len(all) == 0 {
		return edge.Show(c, http.StatusOK, views.NoTenantPage(views.NoTenant{Assets: s.PageAssets(), Email: c.Visit.Email, SignOut: urls.SignOut}))
	}
	return edge.GoTo(c, urls.Queue(all[0].Tenant))
}

// tenantHome leads to the queue.
func (s *Console) tenantHome(c edge.Call) error { return edge.GoTo(c, urls.Queue(c.Member.Tenant)) }

// signInPage is the form; with a token it is the page behind a one-time link,
// whose button uses the link up. Opening it uses nothing up: mail scanners and
// previews open links.
func (s *Console) signInPage(c edge.Call) error {
	token := c.QueryParam("token")
	if token == "" {
		form := s.signInForm(c.Say, edge.LocalPath(c.QueryParam("next")))
		switch {
		case c.QueryParam("signed-out") == "everywhere":
			form.Done = c.Say.Say("You're signed out everywhere.")
		case c.QueryParam("signed-out") != "":
			form.Done = c.Say.Say("You're signed out.")
		case c.QueryParam("password-set") != "":
			form.Done = c.Say.Say("Password set. Sign in with it.")
		}
		return edge.Show(c, http.StatusOK, views.SignInPage(form))
	}
	ctx := c.Request().Context()
	p, err := s.Tenants.CheckLink(ctx, token)
	if err != nil {
		return s.signInRefused(c, "", "", err)
	}
	link := views.SignInLink{Assets: s.PageAssets(), URL: urls.SignIn, Token: token, Person: p.Name}
	if all, err := s.Tenants.Memberships(ctx, p.ID); err == nil && len(all) > 0 {
		link.Tenant = all[0].Tenant
	}
	return edge.Show(c, http.StatusOK, views.SignInLinkPage(link))
}

func (s *Console) signInForm(say texts.Printer, next string) views.SignIn {
	return views.SignIn{
		Assets: s.PageAssets(), URL: urls.SignIn, Next: next,
		Hint: say.Say("After five failed attempts, sign-in pauses for 15 minutes, except in browsers you've used before."),
	}
}

// signIn takes the form or the button of a link.
func (s *Console) signIn(c edge.Call) error {
	ctx := c.Request().Context()
	next, email := edge.LocalPath(c.Field("next")), c.Field("email")
	at, err := s.Tenants.Now(ctx)
	if err != nil {
		return err
	}
	var p tenants.Arrival
	if token := c.Field("token"); token != "" {
		p.Person, err = s.Tenants.RedeemLink(ctx, token)
	} else {
		// The password is taken as it was typed: field would change some characters.
		p, err = s.Tenants.SignIn(ctx, tenants.SigningIn{Email: email, Password: c.Request().PostForm.Get("password"), From: c.RealIP(), Device: s.Visits.Device(c.Request())})
	}
	if err != nil {
		return s.signInRefused(c, next, email, err)
	}
	return s.welcome(c, p, next, at)
}

// stays says that the form was sent by a page that asks for the password itself.
func stays(c edge.Call) bool { return c.Field("stay") != "" }

// sessionState tells an open page whether deciding is locked, and since when the person
// is signed in. Asked by POST it is told that they are there: guard notes that.
func (s *Console) sessionState(c edge.Call) error {
	locked := c.Locked
	if c.Request().Method == http.MethodGet {
		var err error
		if locked, err = s.Visits.Locked(c.Request().Context(), c.Visit, c.Member.Tenant, c.IdleLock); err != nil {
			return err
		}
	}
	return c.JSON(http.StatusOK, map[string]any{"locked": locked, "signedIn": c.Visit.SignedIn.Format(present.IsoForm)})
}

// welcome opens a session and leads to where the person wanted to go, or to the
// queue of their first organisation. at is as for sessions.open.
func (s *Console) welcome(c edge.Call, p tenants.Arrival, next string, at time.Time) error {
	slugs, err := s.slugs(c.Request().Context(), p.ID)
	if err != nil {
		return err
	}
	if err := s.Visits.Open(c, p, slugs, at); err != nil {
		return err
	}
	if !p.Unproven {
		device, err := s.Tenants.Device(c.Request().Context(), p.ID)
		if err != nil {
			return err
		}
		s.Visits.Remember(c, device)
	}
	switch {
	case stays(c):
		return c.NoContent(http.StatusNoContent)
	case next != "":
		return edge.GoTo(c, next)
	case len(slugs) > 0:
		return edge.GoTo(c, urls.Queue(slugs[0]))
	default:
		return edge.GoTo(c, "/")
	}
}

func (s *Console) slugs(ctx context.Context, person string) ([]string, error) {
	all, err := s.Tenants.Memberships(ctx, person)
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
func (s *Console) signInRefused(c edge.Call, next, email string, err error) error {
	f := fault.As(err)
	if f.Kind() == fault.Internal {
		return err
	}
	edge.NoteRefusal(c, f)
	if stays(c) {
		return c.String(httpserver.Status(f.Code), present.Because(c.Say, f)+".")
	}
	form := s.signInForm(c.Say, next)
	form.Email, form.Error = email, present.Because(c.Say, f)
	return edge.Show(c, httpserver.Status(f.Code), views.SignInPage(form))
}

// signOut ends the session everywhere.
func (s *Console) signOut(c edge.Call) error {
	if err := s.Tenants.SignedOut(c.Request().Context(), auth.Person{ID: c.Visit.Person}); err != nil {
		return err
	}
	if err := s.Visits.End(c, c.Visit); err != nil {
		return err
	}
	return edge.GoTo(c, urls.SignIn+"?signed-out=1")
}

// firstRunPage is the form of the first start.
func (s *Console) firstRunPage(c edge.Call) error {
	token := c.QueryParam("token")
	if err := s.Tenants.CheckFirstRun(c.Request().Context(), token); err != nil {
		return err
	}
	return edge.Show(c, http.StatusOK, views.FirstRunPage(views.FirstRun{Assets: s.PageAssets(), URL: urls.FirstRun, Token: token}))
}

// firstRun creates the organisation and its first person, and signs them in.
func (s *Console) firstRun(c edge.Call) error {
	form := views.FirstRun{
		Assets: s.PageAssets(), URL: urls.FirstRun,
		Token: c.Field("token"), Slug: c.Field("slug"), Name: c.Field("name"), Email: c.Field("email"),
	}
	at, err := s.Tenants.Now(c.Request().Context())
	if err != nil {
		return err
	}
	p, err := s.Tenants.FirstRun(c.Request().Context(), form.Token, form.Slug, form.Name, form.Email, c.Request().PostForm.Get("password"))
	if err == nil {
		return s.welcome(c, tenants.Arrival{Person: p}, "", at)
	}
	f := fault.As(err)
	if f.Kind() == fault.Internal || f.Code == fault.SignInFailed {
		return err
	}
	switch text := present.Because(c.Say, f); f.Member {
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
	edge.NoteRefusal(c, f)
	return edge.Show(c, httpserver.Status(f.Code), views.FirstRunPage(form))
}
