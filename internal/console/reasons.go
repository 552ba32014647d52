package console

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/httpserver"
	"github.com/countersign/countersign/internal/tenants"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/settings"
	"github.com/countersign/countersign/views/texts"
)

// The reasons that forms offer: those of the organisation, or the built-in ones.

const reasonsPath = "/t/:tenant/settings/reasons"

// reasonsFor are the reasons that the form of an act offers. They only fill the text.
func reasonsFor(say texts.Printer, own tenants.Reasons, act approvals.Verdict) []string {
	list, builtIn := own.Deny, []string{say.Say("Wrong target"), say.Say("Not now"), say.Say("Too broad"), say.Say("Needs a ticket"), say.Say("I can't judge this")}
	switch act {
	case approvals.VerdictRequestChanges:
		list, builtIn = own.RequestChanges, []string{say.Say("Narrow it down"), say.Say("Explain why it's needed"), say.Say("Try it in staging first"), say.Say("Name a limit")}
	case verdictWithdraw:
		list, builtIn = nil, []string{say.Say("Wrong target"), say.Say("Not now"), say.Say("Approved by mistake")}
	case verdictExtend:
		list, builtIn = own.Extend, []string{say.Say("Asking the owner"), say.Say("Reading the details"), say.Say("Waiting for a second person")}
	}
	if len(list) > 0 {
		return list
	}
	return builtIn
}

// reasonActs are the acts with reasons, by the names of their fields.
func reasonActs(say texts.Printer) []struct {
	name, label string
	act         approvals.Verdict
} {
	return []struct {
		name, label string
		act         approvals.Verdict
	}{
		{"deny", say.Say("Deny"), approvals.VerdictDeny},
		{"request_changes", say.Say("Request changes"), approvals.VerdictRequestChanges},
		{"extend", say.Say("Extend the time"), verdictExtend},
	}
}

func (s *Console) reasonsPage(c call) error { return s.showReasons(c, http.StatusOK, nil) }

// setReasons takes one reason a line.
func (s *Console) setReasons(c call) error {
	lines := func(name string) []string { return strings.Split(c.Request().PostForm.Get(name), "\n") }
	err := c.awake()
	if err == nil {
		err = s.tenants.SetReasons(c.Request().Context(), c.member, tenants.Reasons{Deny: lines("deny"), RequestChanges: lines("request_changes"), Extend: lines("extend")})
	}
	if f := fault.As(err); err != nil && f.Kind() == fault.Invalid {
		noteRefusal(c, f)
		return s.showReasons(c, httpserver.Status(f.Code), f)
	}
	if err != nil {
		return err
	}
	s.did(c, deedSaved)
	return goTo(c, settingsURL(c.member.Tenant, settingsReasons))
}

func (s *Console) showReasons(c call, status int, f *fault.Error) error {
	own, err := s.tenants.Reasons(c.Request().Context(), c.member)
	if err != nil {
		return err
	}
	v := settings.ReasonSettings{Items: settingsItems(c.say, c.member, settingsReasons)}
	form := views.PlainForm{URL: settingsURL(c.member.Tenant, settingsReasons), Button: views.Button{Label: c.say.Say("Save"), Kind: "primary"}}
	mine := map[string][]string{"deny": own.Deny, "request_changes": own.RequestChanges, "extend": own.Extend}
	for _, one := range reasonActs(c.say) {
		v.Lists = append(v.Lists, settings.ReasonList{ID: "list-" + one.name, Title: one.label, Reasons: reasonsFor(c.say, own, one.act)})
		area := views.AreaField{
			ID: one.name, Name: one.name, Label: one.label, Value: strings.Join(mine[one.name], "\n"), Rows: "5", Prose: true,
			Hint: c.say.Say("One per line, up to %s, in this order; up to %s characters each. Leave empty for the built-in reasons: %s.", strconv.Itoa(tenants.MaxReasons), strconv.Itoa(tenants.MaxOffered), strings.Join(reasonsFor(c.say, tenants.Reasons{}, one.act), ", ")),
		}
		if f != nil {
			area.Value = c.Request().PostForm.Get(one.name)
			if f.Member == one.name {
				area.Error = because(c.say, f) + "."
				v.Errors = append(v.Errors, views.FieldError{Text: one.label + ": " + area.Error, Field: one.name})
			}
		}
		form.Areas = append(form.Areas, area)
	}
	if c.member.May(auth.ChangePolicy) {
		v.Form, v.Lists = &form, nil
	}
	return show(c, status, settings.ReasonsPage(s.page(c, c.say.Say("Reasons"), views.PlaceSettings), v))
}
