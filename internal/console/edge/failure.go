package edge

import (
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/internal/console/urls"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/httpserver"
	"github.com/countersign/countersign/views"
)

// ErrorPage draws a refusal for a person: what happened, what it means, what to
// do. It is given to httpserver, which renders every error that no handler did.
func (s *Console) ErrorPage(c echo.Context, f *fault.Error, status int) error {
	say := s.locale(c) // of an address that nobody serves, too
	page := views.Failure{
		Assets: s.PageAssets(), Status: status, Title: say.Phrase(httpserver.TitleText(f.Code)), Meaning: present.Because(say, f) + ".",
		RequestID: httpserver.RequestID(c.Request().Context()), Back: &views.Link{Label: say.Say("Go to the queue"), URL: "/"},
	}
	switch r := c.Request(); {
	case r.URL.Path == urls.FirstRun && f.Code == fault.SignInFailed:
		page.Meaning = say.Say("This link was used, has expired or was replaced by a newer one.")
		page.Do = say.Say("If no one can sign in yet, restart the server to print a new link.")
		page.Back = nil // it would lead to the sign-in
	case f.Code == fault.MethodNotAllowed && r.Method == http.MethodGet:
		page.Meaning = say.Say("This address only accepts form submissions. Nothing was changed.")
		page.Do = say.Say("Open the page from the queue again.")
	case f.Code == fault.Unauthorized || f.Code == fault.SignInFailed:
		page.Do = say.Say("Sign in, then try again.")
		page.Back = &views.Link{Label: say.Say("Sign in"), URL: urls.SignIn}
	case f.Kind() == fault.Internal:
		page.Meaning = say.Say("Something went wrong on our side. No decision was recorded.")
		page.Do = say.Say("Try again. If it keeps happening, send your admin the ID below.")
	case f.Kind() == fault.NotFound:
		page.Do = say.Say("Check the address or go back to the queue.")
	case f.Kind() == fault.Unavailable:
		page.Do = say.Say("Wait a moment, then try again.")
	case f.Code == fault.Denied: // it says who can change that
	case status == http.StatusForbidden:
		page.Do = say.Say("Ask an admin of your organisation if you need this.")
	}
	if f.Kind() != fault.Internal {
		page.Page = s.Around(c, page.Title, tenantOf(c))
	}
	return Show(c, status, views.FailurePage(page))
}

// tenantOf is the tenant that an address names, also one that nobody serves.
func tenantOf(c echo.Context) string {
	if tenant := c.Param("tenant"); tenant != "" {
		return tenant
	}
	rest, ok := strings.CutPrefix(c.Request().URL.Path, "/t/")
	if !ok {
		return ""
	}
	tenant, _, _ := strings.Cut(rest, "/")
	return tenant
}

// Around is the layout of a tenant's pages on one of another sort; nil where the reader is
// not signed in, or no member.
func (s *Console) Around(c echo.Context, title, tenant string) *views.Page {
	ctx := c.Request().Context()
	if tenant == "" {
		return nil
	}
	in := Call{Context: c, Say: s.locale(c)}
	var ok bool
	var err error
	if in.Visit, ok, err = s.Visits.Find(ctx, s.Visits.Token(c.Request())); err != nil || !ok {
		return nil
	}
	a, err := s.Tenants.Enter(ctx, tenant, in.Visit.Person, in.Visit.SignedIn)
	if err != nil {
		return nil
	}
	in.admit(a)
	if in.Locked, err = s.Visits.Locked(ctx, in.Visit, tenant, in.IdleLock); err != nil {
		return nil
	}
	p := s.Page(in, title, views.PlaceNone)
	return &p
}
