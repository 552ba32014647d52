package settingsui

import (
	"slices"
	"strconv"
	"time"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/console/edge"
	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/internal/console/untrusted"
	"github.com/countersign/countersign/internal/console/urls"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/notices"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/settings"
	"github.com/countersign/countersign/views/texts"
)

func teamOf(say texts.Printer, m auth.Member, r notices.Routing, team notices.Team, typed *teamForm) settings.SectionFormSettings {
	w := planWords{say, r}
	s := settings.SectionFormSettings{Items: edge.SettingsItems(say, m, urls.PlaceNotices), Back: views.Link{Label: say.Say("Routing"), URL: urls.Routing(m.Tenant)}, Title: team.Name}
	id, there := team.ID, team.ID != ""
	if !there {
		id, s.Title = newID, say.Say("New team")
	} else {
		row := teamRowOf(w, m, team)
		s.Facts = []views.Fact{{Label: say.Say("Members"), Value: untrusted.Runs(row.Members)}, {Label: say.Say("On call now"), Value: untrusted.Runs(row.OnCall)}}
		if row.Until != "" {
			s.Facts = append(s.Facts, views.Fact{Label: say.Say("Until"), Value: []views.Run{{Text: row.Until, At: row.UntilISO}}})
		}
	}
	form := formOfTeam(team)
	if typed != nil {
		s.Errors, s.Notices = refusedAt(say, typed.fault)
		if typed.places != nil { // else another form of the page was refused
			form = *typed
		}
		form.fault = typed.fault
	}
	if r.Deciders.HasTeam(team.Name) {
		s.Notices = append(s.Notices, views.Notice{
			Icon: views.IconInfo, Title: say.Say("The policy says who is in this team"), Text: untrusted.Runs(say.Say("Here you only set who is on call and in which order.")),
			Action: &views.Link{Label: say.Say("Who decides"), URL: urls.Settings(m.Tenant, urls.PlaceDeciders)},
		})
	}
	if !m.May(auth.ManageNotices) {
		return s
	}
	seen := version(r.Plan.Version)
	s.Form = teamFormOf(w, urls.Team(m.Tenant, id), seen, m, form)
	if !there {
		return s
	}
	if team.Rotation != nil {
		s.Panels = append(s.Panels, takeDayOf(w, m, seen, team, form.fault))
	}
	s.Panels = append(s.Panels, views.Panel{
		ID: "delete", Title: say.Say("Delete the team"), Text: untrusted.Runs(say.Say("You can delete a team that no rule calls.")),
		Form: views.PlainForm{URL: urls.Team(m.Tenant, team.ID) + "/delete", Hidden: []views.Hidden{seen}, Button: views.Button{Label: say.Say("Delete"), Icon: views.IconX}},
	})
	return s
}

// formOfTeam is what the form of a stored team is filled with.
func formOfTeam(t notices.Team) teamForm {
	f := teamForm{team: t, places: map[string]string{}, unit: unitDays}
	for i, p := range t.Members {
		f.places[p] = strconv.Itoa(i + 1)
	}
	if t.Rotation == nil {
		return f
	}
	if f.every = strconv.Itoa(t.Rotation.Hours / 24); t.Rotation.Hours%24 != 0 {
		f.every, f.unit = strconv.Itoa(t.Rotation.Hours), unitHours
	}
	return f
}

func teamFormOf(w planWords, url string, seen views.Hidden, m auth.Member, f teamForm) *settings.SectionForm {
	say, wrong := w.say, wrongAt(w.say, f.fault)
	rotation := notices.Rotation{Starts: w.Now.Format(time.DateOnly), At: "09:00", Zone: "UTC"}
	if f.team.Rotation != nil {
		rotation = *f.team.Rotation
	}
	var places []views.LineField
	for i, p := range w.sorted() {
		field := views.LineField{ID: "place-" + p.ID, Name: placePrefix + p.ID, Label: w.person(p.ID), Type: "number", Value: f.places[p.ID]}
		if i == 0 {
			field.ID, field.Error = "members", wrong("members")
		}
		places = append(places, field)
	}
	choice := func(value, label string) views.Choice {
		return views.Choice{Value: value, Label: label, Checked: f.unit == value}
	}
	return &settings.SectionForm{
		URL: url, Hidden: []views.Hidden{seen}, Button: views.Button{Label: say.Say("Save"), Kind: "primary"}, Cancel: &views.Link{Label: say.Say("Cancel"), URL: urls.Routing(m.Tenant)},
		Sections: []settings.FormSection{
			{ID: "team", Title: say.Say("Team"), Lines: []views.LineField{{ID: "name", Name: "name", Label: say.Say("Name"), Value: f.team.Name, Required: true, Max: "60", Error: wrong("name"), Hint: say.Say("For example Payments.")}}},
			{ID: "places", Title: say.Say("Members"), Text: say.Say("Give everyone in the team a number: 1 is on call first, then 2, and so on. Leave it empty for everyone else."), Lines: places},
			{
				ID: "rotation", Title: say.Say("On call"), Text: say.Say("Members take turns. The hand-over stays at the same local time when the clocks change. Leave the length empty for no rotation."),
				Lines: []views.LineField{{ID: "length", Name: "length", Label: say.Say("Length of a turn"), Type: "number", Value: f.every, Error: wrong("length")}},
				Lists: []views.SelectField{{ID: "unit", Name: "unit", Label: say.Say("Unit"), Options: []views.Choice{choice(unitDays, say.Say("days")), choice(unitHours, say.Say("hours"))}}},
				After: []views.LineField{
					{ID: "starts", Name: "starts", Label: say.Say("First turn begins on"), Type: "date", Value: rotation.Starts, Error: wrong("starts")},
					{ID: "at", Name: "at", Label: say.Say("Hand-over at"), Type: "time", Value: rotation.At, Error: wrong("at")},
					{ID: "zone", Name: "zone", Label: say.Say("Time zone"), Value: rotation.Zone, Error: wrong("zone"), Hint: say.Say("For example Europe/Berlin or UTC."), Max: "60"},
				},
			},
		},
	}
}

// takeDayOf is the form in which somebody takes a day.
func takeDayOf(w planWords, m auth.Member, seen views.Hidden, t notices.Team, f *fault.Error) views.Panel {
	text := w.say.Say("From the hand-over on that day to the hand-over on the next.")
	for _, i := range t.Rotation.Taken(w.Now) {
		text += " " + w.say.Say("%s: %s.", i.Day, w.person(i.Person))
	}
	people := []views.Choice{{Value: "", Label: w.say.Say("whose turn it is")}}
	for _, p := range w.sorted() {
		if p.Suspended {
			continue
		}
		people = append(people, views.Choice{Value: p.ID, Label: p.Name, Checked: slices.Contains(t.Members, p.ID) && p.ID == m.Person.ID})
	}
	return views.Panel{ID: "take", Title: w.say.Say("Take a day"), Text: untrusted.Runs(text), Form: views.PlainForm{
		URL: urls.Team(m.Tenant, t.ID) + "/day", Hidden: []views.Hidden{seen},
		Lines:  []views.LineField{{ID: "day", Name: "day", Label: w.say.Say("Day"), Type: "date", Required: true, Error: wrongAt(w.say, f)("day")}},
		Lists:  []views.SelectField{{ID: "person", Name: "person", Label: w.say.Say("Person on call"), Options: people}},
		Button: views.Button{Label: w.say.Say("Save")},
	}}
}

func routingPreviewOf(say texts.Printer, m auth.Member, r notices.Routing, s madeUp) settings.RoutingPreview {
	var levels []views.Choice
	for _, l := range notices.Levels() {
		levels = append(levels, views.Choice{Value: l, Label: present.LevelNamed(say, l), Checked: l == s.asked.Level})
	}
	agents := []views.Choice{{Value: "", Label: say.Say("any other agent")}}
	for _, a := range r.Agents {
		agents = append(agents, views.Choice{Value: a.ID, Label: a.Name, Checked: a.ID == s.asked.Agent})
	}
	at := views.LineField{ID: "sample-at", Name: "at", Label: say.Say("Arrives at (UTC)"), Value: s.typed, Hint: say.Say("For example 2026-05-31 23:30. Leave it empty for now.")}
	if s.wrong {
		at.Error = say.Say("This isn't a time; enter it like 2026-05-31 23:30")
	}
	v := settings.RoutingPreview{Form: views.PlainForm{
		URL:   urls.Routing(m.Tenant),
		Lists: []views.SelectField{{ID: "level", Name: "level", Label: say.Say("Level"), Options: levels}, {ID: "agent", Name: "agent", Label: say.Say("Agent"), Options: agents}},
		Lines: []views.LineField{
			{ID: "function", Name: "function", Label: say.Say("Function"), Value: s.asked.Function, Mono: true},
			{ID: "environment", Name: "environment", Label: say.Say("Environment"), Value: s.asked.Environment, Mono: true},
			at,
		},
		Button: views.Button{Label: say.Say("Try it")},
	}}
	if !s.given || s.wrong {
		return v
	}
	v.Result = routingResultOf(planWords{say, r}, r.Foresee(s.asked, s.at))
	return v
}

func routingResultOf(w planWords, f notices.Foreseen) *settings.RoutingResult {
	v := &settings.RoutingResult{Decides: w.say.Say("No rule matches, so every channel is called.")}
	if f.Rule != "" {
		v.Decides = w.say.Say("The rule %s decides.", f.Rule)
		v.Ends = w.say.Say("If no one claims or decides within the last step's time, the queue shows that no one was reached.")
	}
	for _, p := range f.Passed {
		v.Passed = append(v.Passed, w.say.Say("%s doesn't match: %s", p.Rule, w.say.Phrase(p.Why)))
	}
	for _, step := range f.Steps {
		var row settings.RoutingStep
		row.When, row.ISO = present.Moment(w.say, &step.At)
		for _, c := range step.Called {
			row.Rows = append(row.Rows, w.called(c))
		}
		if len(step.Called) == 0 {
			row.Rows = append(row.Rows, settings.RoutingCalled{Who: w.say.Say("No one"), Why: w.say.Say("no channel reaches a person"), Tone: views.ToneWarn, Icon: views.IconAlert, Word: w.say.Say("not called")})
		}
		v.Steps = append(v.Steps, row)
	}
	for _, c := range f.Programs {
		row := settings.RoutingCalled{Who: c.Name, Why: w.say.Say("gets every notice, whatever the rules say"), Tone: views.ToneOK, Icon: views.IconCheck, Word: w.say.Say("sent")}
		v.Steps[0].Rows = append(v.Steps[0].Rows, row)
	}
	return v
}

func (w planWords) called(c notices.Called) settings.RoutingCalled {
	row := settings.RoutingCalled{Who: w.target(c.Target), Why: w.say.Phrase(c.Why), Tone: views.ToneOK, Icon: views.IconCheck, Word: w.say.Say("called")}
	switch {
	case c.Person != "":
		row.Who = w.person(c.Person)
	case c.Channel.ID != "":
		row.Who = c.Channel.Name
	}
	if c.Channel.ID != "" && c.Person != "" {
		row.Who += " (" + c.Channel.Name + ")"
	}
	if !c.Not.Empty() {
		row.Tone, row.Icon, row.Word, row.Why = views.ToneWarn, views.IconAlert, w.say.Say("not called"), w.say.Phrase(c.Not)
	}
	if p, ok := w.People[c.Person]; ok && c.Not.Empty() && !p.Decides {
		row.Why = w.say.Say("can't decide, but is called")
	}
	return row
}

func ownNoticesOf(say texts.Printer, m auth.Member, o notices.OwnNotices, typed *notices.Own, f *fault.Error) settings.OwnNotices {
	base := urls.OwnNotices(m.Tenant)
	v := settings.OwnNotices{
		Back: views.Link{Label: say.Say("Your account"), URL: urls.Account}, Title: say.Say("Your notices in %s", m.Tenant),
		Summary: say.Say("How and when you're called. Your organisation's rules say for which requests."),
		None:    say.Say("You have none, so no one can call you outside the console."),
	}
	v.Errors, v.Notices = refusedAt(say, f)
	for _, t := range o.OnCall {
		v.Notices = append(v.Notices, views.Notice{Tone: views.ToneAccent, Icon: "bell", Title: say.Say("You're on call in %s", t.Team), Text: present.SayAt(say, present.DateForm, texts.Key("Until %s."), t.Turn.Until)})
	}
	for _, c := range o.Channels {
		at := base + "/" + c.ID
		of := say.Say("the channel %s", say.Phrase(c.About.Label))
		row := settings.OwnChannel{Kind: say.Phrase(c.About.Label), To: c.Shown, State: say.Say("active"), Tone: views.ToneOK, Icon: views.IconCheck, Acts: []settings.RoutingAct{{URL: at + "/test", Label: say.Say("Send a test"), Of: of}}}
		if c.State == notices.Active {
			row.Acts = append(row.Acts, settings.RoutingAct{URL: at + "/pause", Label: say.Say("Pause"), Of: of})
		} else {
			row.State, row.Tone, row.Icon = say.Say("paused"), views.ToneWarn, views.IconClock
			row.Acts = append(row.Acts, settings.RoutingAct{URL: at + "/resume", Label: say.Say("Resume"), Of: of})
		}
		row.Acts = append(row.Acts, settings.RoutingAct{URL: at + "/delete", Label: say.Say("Delete"), Of: of, Icon: views.IconX})
		if c.Test != nil {
			row.Test = testedOf(say, *c.Test)
		}
		v.Channels = append(v.Channels, row)
	}
	if o.CanAdd {
		v.Add = &views.PlainForm{URL: base + "/add", Button: views.Button{Label: say.Say("Call me at %s", m.Person.Email), Kind: "primary"}}
	}
	if o.PushKey != "" {
		v.Push = pushOf(say, m, o)
		if len(o.Devices) > 0 && len(o.Channels) == 0 {
			v.None = say.Say("None yet.")
		}
	}
	own := o.Own
	if typed != nil {
		own = *typed
	}
	wrong := wrongAt(say, f)
	hours, days := hoursFields(say, "quiet_", own.Quiet, wrong)
	v.Form = settings.SectionForm{
		URL: base, Hidden: []views.Hidden{version(o.Own.Version)}, Button: views.Button{Label: say.Say("Save"), Kind: "primary"},
		Sections: []settings.FormSection{
			{ID: "which", Title: say.Say("Which requests"), Text: say.Say("Select none to be called for all. This only narrows what the rules say."), Groups: []views.BoxGroup{{ID: "levels", Label: say.Say("Levels"), Boxes: levelBoxes(say, own.Levels), Error: wrong("levels")}}},
			{ID: "quiet", Title: say.Say("Quiet hours"), Text: say.Say("In these hours you're called for CRITICAL requests only."), Lines: hours, Groups: []views.BoxGroup{days}},
		},
	}
	if boxes := agentBoxes(o.Agents, own.Agents); len(boxes) > 0 {
		v.Form.Sections[0].Groups = append(v.Form.Sections[0].Groups, views.BoxGroup{ID: "agents", Label: say.Say("Agents"), Boxes: boxes, Error: wrong("agents")})
	}
	return v
}

// pushOf lists the browsers of a person.
func pushOf(say texts.Printer, m auth.Member, o notices.OwnNotices) *settings.PushPanel {
	base := urls.OwnNotices(m.Tenant)
	v := &settings.PushPanel{URL: base + "/devices", Key: o.PushKey, Worker: edge.WorkerURL, Person: m.Person.ID}
	for _, d := range o.Devices {
		at := base + "/" + d.ID
		row := settings.OwnDevice{Name: d.Shown, Mark: d.Device()}
		row.Added, row.Exact = present.Moment(say, &d.CreatedAt)
		if d.Test != nil {
			row.Test = testedOf(say, *d.Test)
		}
		row.Acts = []settings.RoutingAct{{URL: at + "/test", Label: say.Say("Send a test"), Of: d.Shown}}
		if d.State != notices.Active {
			row.State = say.Say("paused")
			row.Acts = append(row.Acts, settings.RoutingAct{URL: at + "/resume", Label: say.Say("Resume"), Of: d.Shown})
		}
		row.Acts = append(row.Acts, settings.RoutingAct{URL: at + "/delete", Label: say.Say("Remove"), Of: d.Shown, Icon: views.IconX})
		v.Devices = append(v.Devices, row)
	}
	return v
}

// testedOf says what became of a test.
func testedOf(say texts.Printer, t notices.Told) []views.Run {
	switch t.State {
	case notices.Delivered:
		return present.SayAt(say, present.DateForm, texts.Key("The last test was delivered at %s"), *t.DeliveredAt)
	case notices.Waiting:
		return untrusted.Runs(say.Say("The last test is being sent"))
	}
	return untrusted.Runs(say.Say("The last test failed: %s", t.LastError))
}
