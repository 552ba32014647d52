package console

import (
	"net/http"
	"time"

	"github.com/countersign/countersign/internal/console/urls"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/httpserver"
	"github.com/countersign/countersign/internal/tenants"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/settings"
)

// What people do about themselves: join by an invitation, choose a password, end
// what they have signed in. Opening a link changes nothing; its button does.

// whoIsThere is the person id of whoever is signed in with this browser, where
// nobody needs to be; empty for nobody, and for somebody who was away for long.
func (s *Console) whoIsThere(c call) (string, error) {
	ctx := c.Request().Context()
	v, ok, err := s.sessions.find(ctx, s.sessions.token(c.Request()))
	if err != nil || !ok || v.unproven {
		return "", err
	}
	if here, err := s.sessions.here(ctx, v); err != nil || !here {
		return "", err
	}
	a, err := s.tenants.Account(ctx, v.person, v.signedIn)
	if fault.Is(err, fault.Unauthorized) {
		return "", nil
	}
	return a.ID, err
}

// joinPage is what an invitation leads to. It is the same whether the address is
// known or not, except for the person themselves when they are signed in.
func (s *Console) joinPage(c call) error {
	return s.showJoin(c, http.StatusOK, c.QueryParam("ticket"), "", nil)
}

func (s *Console) showJoin(c call, status int, token, name string, refusal *fault.Error) error {
	ctx := c.Request().Context()
	k, err := s.tenants.CheckTicket(ctx, tenants.TicketJoin, token)
	if err != nil {
		return s.signInRefused(c, "", "", err)
	}
	there, err := s.whoIsThere(c)
	if err != nil {
		return err
	}
	known, err := s.tenants.Invited(ctx, k, there)
	if err != nil {
		return err
	}
	return show(c, status, settings.GatePage(joinOf(c.say, s.pageAssets(), k, token, name, known, refusal)))
}

// join takes the form of an invitation.
func (s *Console) join(c call) error {
	ctx := c.Request().Context()
	at, err := s.tenants.Now(ctx)
	if err != nil {
		return err
	}
	there, err := s.whoIsThere(c)
	if err != nil {
		return err
	}
	in := tenants.Joining{
		Token: c.field("ticket"), Name: c.field("name"), Password: c.Request().PostForm.Get("password"),
		From: c.RealIP(), SignedIn: there,
	}
	p, k, err := s.tenants.Join(ctx, in)
	switch {
	case err == nil && p.ID == there:
		return goTo(c, urls.Queue(k.Tenant)) // they proved nothing new, so this sign-in gets no younger
	case err == nil:
		return s.welcome(c, tenants.Arrival{Person: p}, urls.Queue(k.Tenant), at)
	}
	f := fault.As(err)
	if f.Kind() == fault.Internal {
		return err
	}
	noteRefusal(c, f)
	return s.showJoin(c, httpserver.Status(f.Code), in.Token, in.Name, f)
}

// passwordPage is what a password link leads to.
func (s *Console) passwordPage(c call) error {
	return s.showPassword(c, http.StatusOK, c.QueryParam("ticket"), nil)
}

func (s *Console) showPassword(c call, status int, token string, refusal *fault.Error) error {
	k, err := s.tenants.CheckTicket(c.Request().Context(), tenants.TicketPassword, token)
	if err != nil {
		return s.signInRefused(c, "", "", err)
	}
	return show(c, status, settings.GatePage(newPasswordOf(c.say, s.pageAssets(), k, token, refusal)))
}

// choosePassword takes its form, and leads to the sign-in page: the new password
// is tried where it will be used.
func (s *Console) choosePassword(c call) error {
	token := c.field("ticket")
	_, err := s.tenants.ChoosePassword(c.Request().Context(), token, c.Request().PostForm.Get("password"))
	if err == nil {
		return goTo(c, urls.SignIn+"?password-set=1")
	}
	f := fault.As(err)
	if f.Kind() == fault.Internal {
		return err
	}
	noteRefusal(c, f)
	return s.showPassword(c, httpserver.Status(f.Code), token, f)
}

// accountPage is a person's own page.
func (s *Console) accountPage(c call) error { return s.showAccount(c, http.StatusOK, nil) }

func (s *Console) showAccount(c call, status int, refusal *fault.Error) error {
	a, err := s.tenants.Account(c.Request().Context(), c.visit.person, c.visit.signedIn)
	if err != nil {
		return err
	}
	v := accountOf(c.say, s.pageAssets(), a, refusal)
	if len(c.visit.tenants) > 0 {
		v.Page = s.around(c.Context, c.say.Say("Your account"), c.visit.tenants[0])
	}
	for _, tenant := range c.visit.tenants {
		v.Links = append(v.Links, views.Link{Label: c.say.Say("Your notices in %s", tenant), URL: urls.OwnNotices(tenant)})
	}
	if c.QueryParam("password-set") != "" && refusal == nil {
		v.Done = c.say.Say("Password set. You've been signed out everywhere else.")
	}
	return show(c, status, settings.AccountPage(v))
}

// changePassword ends every sign-in of the person and opens this one anew.
func (s *Console) changePassword(c call) error {
	ctx, form := c.Request().Context(), c.Request().PostForm
	p, err := s.tenants.ChangePassword(ctx, tenants.PasswordChange{
		Person: c.visit.person, SignedIn: c.visit.signedIn, Current: form.Get("current"), New: form.Get("password"),
	})
	if err == nil {
		var at time.Time
		if at, err = s.tenants.Now(ctx); err != nil {
			return err
		}
		return s.welcome(c, tenants.Arrival{Person: p}, urls.Account+"?password-set=1", at)
	}
	f := fault.As(err)
	if f.Kind() == fault.Internal || f.Code == fault.Unauthorized {
		return err
	}
	noteRefusal(c, f)
	return s.showAccount(c, httpserver.Status(f.Code), f)
}

// signOutEverywhere ends every sign-in of the person, this one included.
func (s *Console) signOutEverywhere(c call) error {
	if err := s.tenants.EndOwnSessions(c.Request().Context(), c.visit.person); err != nil {
		return err
	}
	if err := s.sessions.end(c, c.visit); err != nil {
		return err
	}
	return goTo(c, urls.SignIn+"?signed-out=everywhere")
}
