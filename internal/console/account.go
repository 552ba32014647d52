package console

import (
	"net/http"
	"time"

	"github.com/countersign/countersign/internal/console/edge"
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
func (s *Console) whoIsThere(c edge.Call) (string, error) {
	ctx := c.Request().Context()
	v, ok, err := s.Visits.Find(ctx, s.Visits.Token(c.Request()))
	if err != nil || !ok || v.Unproven {
		return "", err
	}
	if here, err := s.Visits.Here(ctx, v); err != nil || !here {
		return "", err
	}
	a, err := s.Tenants.Account(ctx, v.Person, v.SignedIn)
	if fault.Is(err, fault.Unauthorized) {
		return "", nil
	}
	return a.ID, err
}

// joinPage is what an invitation leads to. It is the same whether the address is
// known or not, except for the person themselves when they are signed in.
func (s *Console) joinPage(c edge.Call) error {
	return s.showJoin(c, http.StatusOK, c.QueryParam("ticket"), "", nil)
}

func (s *Console) showJoin(c edge.Call, status int, token, name string, refusal *fault.Error) error {
	ctx := c.Request().Context()
	k, err := s.Tenants.CheckTicket(ctx, tenants.TicketJoin, token)
	if err != nil {
		return s.signInRefused(c, "", "", err)
	}
	there, err := s.whoIsThere(c)
	if err != nil {
		return err
	}
	known, err := s.Tenants.Invited(ctx, k, there)
	if err != nil {
		return err
	}
	return edge.Show(c, status, settings.GatePage(joinOf(c.Say, s.PageAssets(), k, token, name, known, refusal)))
}

// join takes the form of an invitation.
func (s *Console) join(c edge.Call) error {
	ctx := c.Request().Context()
	at, err := s.Tenants.Now(ctx)
	if err != nil {
		return err
	}
	there, err := s.whoIsThere(c)
	if err != nil {
		return err
	}
	in := tenants.Joining{
		Token: c.Field("ticket"), Name: c.Field("name"), Password: c.Request().PostForm.Get("password"),
		From: c.RealIP(), SignedIn: there,
	}
	p, k, err := s.Tenants.Join(ctx, in)
	switch {
	case err == nil && p.ID == there:
		return edge.GoTo(c, urls.Queue(k.Tenant)) // they proved nothing new, so this sign-in gets no younger
	case err == nil:
		return s.welcome(c, tenants.Arrival{Person: p}, urls.Queue(k.Tenant), at)
	}
	f := fault.As(err)
	if f.Kind() == fault.Internal {
		return err
	}
	edge.NoteRefusal(c, f)
	return s.showJoin(c, httpserver.Status(f.Code), in.Token, in.Name, f)
}

// passwordPage is what a password link leads to.
func (s *Console) passwordPage(c edge.Call) error {
	return s.showPassword(c, http.StatusOK, c.QueryParam("ticket"), nil)
}

func (s *Console) showPassword(c edge.Call, status int, token string, refusal *fault.Error) error {
	k, err := s.Tenants.CheckTicket(c.Request().Context(), tenants.TicketPassword, token)
	if err != nil {
		return s.signInRefused(c, "", "", err)
	}
	return edge.Show(c, status, settings.GatePage(newPasswordOf(c.Say, s.PageAssets(), k, token, refusal)))
}

// choosePassword takes its form, and leads to the sign-in page: the new password
// is tried where it will be used.
func (s *Console) choosePassword(c edge.Call) error {
	token := c.Field("ticket")
	_, err := s.Tenants.ChoosePassword(c.Request().Context(), token, c.Request().PostForm.Get("password"))
	if err == nil {
		return edge.GoTo(c, urls.SignIn+"?password-set=1")
	}
	f := fault.As(err)
	if f.Kind() == fault.Internal {
		return err
	}
	edge.NoteRefusal(c, f)
	return s.showPassword(c, httpserver.Status(f.Code), token, f)
}

// accountPage is a person's own page.
func (s *Console) accountPage(c edge.Call) error { return s.showAccount(c, http.StatusOK, nil) }

func (s *Console) showAccount(c edge.Call, status int, refusal *fault.Error) error {
	a, err := s.Tenants.Account(c.Request().Context(), c.Visit.Person, c.Visit.SignedIn)
	if err != nil {
		return err
	}
	v := accountOf(c.Say, s.PageAssets(), a, refusal)
	if len(c.Visit.Tenants) > 0 {
		v.Page = s.Around(c.Context, c.Say.Say("Your account"), c.Visit.Tenants[0])
	}
	for _, tenant := range c.Visit.Tenants {
		v.Links = append(v.Links, views.Link{Label: c.Say.Say("Your notices in %s", tenant), URL: urls.OwnNotices(tenant)})
	}
	if c.QueryParam("password-set") != "" && refusal == nil {
		v.Done = c.Say.Say("Password set. You've been signed out everywhere else.")
	}
	return edge.Show(c, status, settings.AccountPage(v))
}

// changePassword ends every sign-in of the person and opens this one anew.
func (s *Console) changePassword(c edge.Call) error {
	ctx, form := c.Request().Context(), c.Request().PostForm
	p, err := s.Tenants.ChangePassword(ctx, tenants.PasswordChange{
		Person: c.Visit.Person, SignedIn: c.Visit.SignedIn, Current: form.Get("current"), New: form.Get("password"),
	})
	if err == nil {
		var at time.Time
		if at, err = s.Tenants.Now(ctx); err != nil {
			return err
		}
		return s.welcome(c, tenants.Arrival{Person: p}, urls.Account+"?password-set=1", at)
	}
	f := fault.As(err)
	if f.Kind() == fault.Internal || f.Code == fault.Unauthorized {
		return err
	}
	edge.NoteRefusal(c, f)
	return s.showAccount(c, httpserver.Status(f.Code), f)
}

// signOutEverywhere ends every sign-in of the person, this one included.
func (s *Console) signOutEverywhere(c edge.Call) error {
	if err := s.Tenants.EndOwnSessions(c.Request().Context(), c.Visit.Person); err != nil {
		return err
	}
	if err := s.Visits.End(c, c.Visit); err != nil {
		return err
	}
	return edge.GoTo(c, urls.SignIn+"?signed-out=everywhere")
}
