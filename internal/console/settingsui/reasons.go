package settingsui

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/console/edge"
	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/internal/console/request"
	"github.com/countersign/countersign/internal/console/urls"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/httpserver"
	"github.com/countersign/countersign/internal/tenants"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/settings"
)

// The reasons that forms offer: those of the organisation, or the built-in ones.

const reasonsPath = "/t/:tenant/settings/reasons"

func (s *Pages) reasonsPage(c edge.Call) error { return s.showReasons(c, http.StatusOK, nil) }

// setReasons takes one reason a line.
func (s *Pages) setReasons(c edge.Call) error {
	lines := func(name string) []string { return strings.Split(c.Request().PostForm.Get(name), "\n") }
	err := c.Awake()
	if err == nil {
		err = s.Tenants.SetReasons(c.Request().Context(), c.Member, tenants.Reasons{Deny: lines("deny"), RequestChanges: lines("request_changes"), Extend: lines("extend")})
	}
	if f := fault.As(err); err != nil && f.Kind() == fault.Invalid {
		edge.NoteRefusal(c, f)
		return s.showReasons(c, httpserver.Status(f.Code), f)
	}
	if err != nil {
		return err
	}
	s.Did(c, edge.DeedSaved)
	return edge.GoTo(c, urls.Settings(c.Member.Tenant, urls.PlaceReasons))
}

func (s *Pages) showReasons(c edge.Call, status int, f *fault.Error) error {
	own, err := s.Tenants.Reasons(c.Request().Context(), c.Member)
	if err != nil {
		return err
	}
	v := settings.ReasonSettings{Items: edge.SettingsItems(c.Say, c.Member, urls.PlaceReasons)}
	form := views.PlainForm{URL: urls.Settings(c.Member.Tenant, urls.PlaceReasons), Button: views.Button{Label: c.Say.Say("Save"), Kind: "primary"}}
	mine := map[string][]string{"deny": own.Deny, "request_changes": own.RequestChanges, "extend": own.Extend}
	for _, one := range request.ReasonActs(c.Say) {
		v.Lists = append(v.Lists, settings.ReasonList{ID: "list-" + one.Name, Title: one.Label, Reasons: request.ReasonsFor(c.Say, own, one.Act)})
		area := views.AreaField{
			ID: one.Name, Name: one.Name, Label: one.Label, Value: strings.Join(mine[one.Name], "\n"), Rows: "5", Prose: true,
			Hint: c.Say.Say("One per line, up to %s, in this order; up to %s characters each. Leave empty for the built-in reasons: %s.", strconv.Itoa(tenants.MaxReasons), strconv.Itoa(tenants.MaxOffered), strings.Join(request.ReasonsFor(c.Say, tenants.Reasons{}, one.Act), ", ")),
		}
		if f != nil {
			area.Value = c.Request().PostForm.Get(one.Name)
			if f.Member == one.Name {
				area.Error = present.Because(c.Say, f) + "."
				v.Errors = append(v.Errors, views.FieldError{Text: one.Label + ": " + area.Error, Field: one.Name})
			}
		}
		form.Areas = append(form.Areas, area)
	}
	if c.Member.May(auth.ChangePolicy) {
		v.Form, v.Lists = &form, nil
	}
	return edge.Show(c, status, settings.ReasonsPage(s.Page(c, c.Say.Say("Reasons"), views.PlaceSettings), v))
}
