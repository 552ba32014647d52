package settingsui

import (
	"slices"
	"time"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/console/edge"
	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/internal/console/untrusted"
	"github.com/countersign/countersign/internal/console/urls"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/tenants"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/texts"
)

// Out of office: a person's own in Account › Your notices, another's on their page.

// readAway reads the form: days of the reader's own zone; the end is the day of coming back.
func readAway(c edge.Call, person string) (a tenants.Absence, err error) {
	a.Person.ID, a.Deputy.ID = person, c.Field("deputy")
	for name, into := range map[string]*time.Time{"from": &a.From, "until": &a.Until} {
		if typed := c.Field(name); typed != "" {
			if *into, err = time.ParseInLocation(time.DateOnly, typed, c.Zone()); err != nil {
				return a, fault.Member(fault.InvalidForm, name, "%.20q isn't a day; enter one like 2026-05-31", typed)
			}
		}
	}
	return a, nil
}

func (s *Pages) saveAway(c edge.Call, person string) error {
	a, err := readAway(c, person)
	if err == nil {
		err = c.Awake()
	}
	if err == nil {
		err = s.Tenants.SetAway(c.Request().Context(), c.Member, a)
	}
	return err
}

func (s *Pages) ownAway(c edge.Call) error {
	if err := s.saveAway(c, c.Member.Person.ID); err != nil {
		return refused(c, err, func(status int, f *fault.Error) error { return s.showOwnNotices(c, status, nil, f) })
	}
	s.Did(c, edge.DeedSaved)
	return edge.GoTo(c, urls.OwnNotices(c.Member.Tenant))
}

func (s *Pages) ownBack(c edge.Call) error {
	return s.ownDid(c, edge.DeedSaved, func() error { return s.Tenants.EndAway(c.Request().Context(), c.Member, c.Member.Person.ID) })
}

func (s *Pages) personAway(c edge.Call) error {
	return s.withPerson(c, personForm{}, func(id string) error {
		if err := s.saveAway(c, id); err != nil {
			return err
		}
		s.Did(c, edge.DeedSaved)
		return edge.GoTo(c, urls.Person(c.Member.Tenant, id))
	})
}

func (s *Pages) personBack(c edge.Call) error {
	return s.withPerson(c, personForm{}, func(id string) error {
		if err := s.Tenants.EndAway(c.Request().Context(), c.Member, id); err != nil {
			return err
		}
		s.Did(c, edge.DeedSaved)
		return edge.GoTo(c, urls.Person(c.Member.Tenant, id))
	})
}

// awayOf is the panel of one person; people are those who may be a deputy.
func (s *Pages) awayOf(c edge.Call, url string, of auth.Person, wrong func(field string) string) (views.Panel, error) {
	all, now, err := s.Tenants.Absences(c.Request().Context(), c.Member)
	if err != nil {
		return views.Panel{}, err
	}
	names, err := s.Tenants.Deputies(c.Request().Context(), c.Member, of.ID)
	return awayPanel(c.Say, url, of.ID == c.Member.Person.ID, of, all, names, now.In(c.Zone()), wrong), err
}

func awayPanel(say texts.Printer, url string, own bool, of auth.Person, all []tenants.Absence, deputies []tenants.Named, now time.Time, wrong func(field string) string) views.Panel {
	p := views.Panel{ID: "away", Title: say.Say("Out of office"), Form: views.PlainForm{URL: url + "/away", Button: views.Button{Label: say.Say("Set absence"), Kind: "primary"}}}
	explained := say.Say("The deputy is called and assigned as well, and gets no right by it. The record says in whose place they decided.")
	is, away := tenants.AbsenceOf(all, of.ID)
	if away {
		for _, one := range tenants.AwayNow(all, is.From) { // with who is away then
			if one.Person.ID == of.ID {
				is = one
			}
		}
		p.Text = present.SayAt(say, present.DateForm, texts.Key("From %s: "), is.From)
		p.Text = append(append(p.Text, present.Away(say, is)...), untrusted.Runs(". ")...)
		label := say.Say("They are back")
		if own {
			label = say.Say("I'm back")
		}
		p.Form.Other = &views.OtherButton{Label: label, URL: url + "/back"}
	}
	p.Text = append(p.Text, untrusted.Runs(explained)...)
	line := func(name, label, hint string, at time.Time) views.LineField {
		f := views.LineField{ID: "away-" + name, Name: name, Label: label, Hint: hint, Type: "date", Error: wrong(name)}
		if !at.IsZero() {
			f.Value = at.In(now.Location()).Format(time.DateOnly)
		}
		return f
	}
	p.Form.Lines = []views.LineField{
		line("from", say.Say("Away from"), say.Say("Empty: from now on."), is.From),
		line("until", say.Say("Back on"), say.Say("Empty: until you say so here."), is.Until),
	}
	if !own {
		p.Form.Lines[1].Hint = say.Say("Empty: until they say so, or an admin.")
	}
	list := views.SelectField{ID: "away-deputy", Name: "deputy", Label: say.Say("Deputy"), Hint: say.Say("Another operator, who isn't away in that time."), Error: wrong("deputy")}
	for _, d := range deputies {
		choice := views.Choice{Value: d.ID, Label: d.Name, Checked: d.ID == is.Deputy.ID}
		if other, away := tenants.AbsenceOf(all, d.ID); away {
			choice.Label = say.Say("%s (%s)", d.Name, present.AwayLabel(say, other))
		}
		list.Options = append(list.Options, choice)
	}
	if !slices.ContainsFunc(list.Options, func(c views.Choice) bool { return c.Checked }) {
		list.Options = append([]views.Choice{{Label: say.Say("Choose a person"), Checked: true}}, list.Options...)
	}
	p.Form.Lists = []views.SelectField{list}
	return p
}

// awayRoutes are those of both.
func (s *Pages) awayRoutes() []edge.Route {
	return []edge.Route{
		edge.Post(ownPath+"/away", auth.ReadQueue, s.ownAway), edge.Post(ownPath+"/back", auth.ReadQueue, s.ownBack),
		edge.Post("/t/:tenant/settings/people/:person/away", auth.ManagePeople, s.personAway), edge.Post("/t/:tenant/settings/people/:person/back", auth.ManagePeople, s.personBack),
	}
}
