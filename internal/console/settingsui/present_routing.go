package settingsui

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/console/edge"
	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/internal/console/untrusted"
	"github.com/countersign/countersign/internal/console/urls"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/notices"
	"github.com/countersign/countersign/internal/tenants"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/settings"
	"github.com/countersign/countersign/views/texts"
)

// dayWords are the days, Sunday first as package time has them.
var dayWords = [7]texts.Key{
	texts.Key("Sun"), texts.Key("Mon"), texts.Key("Tue"), texts.Key("Wed"), texts.Key("Thu"), texts.Key("Fri"), texts.Key("Sat"),
}

// week is the order in which days are shown.
var week = [7]time.Weekday{1, 2, 3, 4, 5, 6, 0}

// planWords says what is in a plan in words.
type planWords struct {
	say texts.Printer
	notices.Routing
}

func (w planWords) person(id string) string {
	switch p, ok := w.People[id]; {
	case ok && p.Suspended:
		return w.say.Say("%s (suspended)", p.Name)
	case ok:
		return p.Name
	}
	return w.say.Say("a former member")
}

// callable is a person of a rule or team, and that nothing calls them where they have no channel.
func (w planWords) callable(id string) string {
	if p, ok := w.People[id]; ok && !p.Suspended && !w.hasChannel(id) {
		return w.say.Say("%s (no channel yet)", p.Name)
	}
	return w.person(id)
}

func (w planWords) hasChannel(person string) bool {
	return slices.ContainsFunc(w.Channels, func(c notices.Channel) bool { return c.Person == person && c.State == notices.Active })
}

func (w planWords) team(id string) string {
	for _, t := range w.Plan.Teams {
		if t.ID == id {
			return t.Name
		}
	}
	return w.say.Say("a team that was deleted")
}

func (w planWords) channel(id string) string {
	for _, c := range w.Channels {
		if c.ID == id && c.Person == "" {
			return c.Name
		}
	}
	return w.say.Say("a channel that was deleted")
}

func (w planWords) agent(id string) string {
	for _, a := range w.Agents {
		if a.ID == id {
			return a.Name
		}
	}
	return w.say.Say("an agent that no longer exists")
}

func (w planWords) target(t notices.Target) string {
	switch kind, id := t.Split(); kind {
	case notices.ToPerson:
		return w.person(id)
	case notices.ToTeam:
		return w.say.Say("everyone in %s", w.team(id))
	case notices.ToOnCall:
		return w.say.Say("who is on call in %s", w.team(id))
	default:
		return w.channel(id)
	}
}

func (w planWords) targets(all []notices.Target) string {
	words := make([]string, len(all))
	for i, t := range all {
		words[i] = w.target(t)
		if kind, id := t.Split(); kind == notices.ToPerson {
			words[i] = w.callable(id)
		}
	}
	return strings.Join(words, ", ")
}

func (w planWords) hours(h notices.Hours) string {
	text := h.From + "–" + h.To + " " + h.Zone
	var days []string
	for _, d := range week {
		if slices.Contains(h.Days, d) {
			days = append(days, w.say.Key(dayWords[d]))
		}
	}
	if len(days) == 0 {
		return text
	}
	return strings.Join(days, " ") + " " + text
}

func (w planWords) when(c notices.When) string {
	var all []string
	add := func(list []string) {
		if len(list) > 0 {
			all = append(all, strings.Join(list, ", "))
		}
	}
	var agents []string
	for _, id := range c.Agents {
		agents = append(agents, w.agent(id))
	}
	var levels []string
	for _, l := range c.Levels {
		levels = append(levels, present.LevelNamed(w.say, l))
	}
	add(levels)
	add(agents)
	add(c.Functions)
	add(c.Environments)
	if c.Hours.Set() {
		all = append(all, w.hours(c.Hours))
	}
	if len(all) == 0 {
		return w.say.Say("Every request")
	}
	return strings.Join(all, " · ")
}

func routingOf(say texts.Printer, m auth.Member, r notices.Routing, f *fault.Error) settings.RoutingSettings {
	w, base, manage := planWords{say, r}, urls.Routing(m.Tenant), m.May(auth.ManageNotices)
	s := settings.RoutingSettings{
		Items: edge.SettingsItems(say, m, urls.PlaceNotices), Back: views.Link{Label: say.Say("Notices"), URL: urls.Settings(m.Tenant, urls.PlaceNotices)},
		Unmatched: say.Say("If no rule matches, every channel is called, and everyone who set up one for themselves. Webhooks get every notice they are set to get, whatever the rules say."),
		Own:       views.Link{Label: say.Say("Your own notices"), URL: urls.OwnNotices(m.Tenant)},
	}
	if f != nil {
		s.Notices = append(s.Notices, edge.NothingChanged(say, f))
	}
	seen := version(r.Plan.Version)
	for i, rule := range r.Plan.Rules {
		row := settings.RoutingRule{Name: rule.Name, URL: urls.Rule(m.Tenant, rule.ID), When: w.when(rule.When)}
		for _, step := range rule.Steps {
			row.Steps = append(row.Steps, say.Say("%s; %d minutes to claim or decide", w.targets(step.Targets), step.Minutes))
		}
		of := say.Say("the rule %s", rule.Name)
		if manage && i > 0 {
			row.Acts = append(row.Acts, settings.RoutingAct{URL: row.URL + "/move", Hidden: []views.Hidden{seen, {Name: "to", Value: "up"}}, Label: say.Say("Up"), Of: of})
		}
		if manage && i < len(r.Plan.Rules)-1 {
			row.Acts = append(row.Acts, settings.RoutingAct{URL: row.URL + "/move", Hidden: []views.Hidden{seen, {Name: "to", Value: "down"}}, Label: say.Say("Down"), Of: of})
		}
		if manage {
			row.Acts = append(row.Acts, settings.RoutingAct{URL: row.URL + "/delete", Hidden: []views.Hidden{seen}, Label: say.Say("Delete"), Of: of, Icon: views.IconX})
		}
		s.Rules = append(s.Rules, row)
	}
	for _, t := range r.Plan.Teams {
		s.Teams = append(s.Teams, teamRowOf(w, m, t))
	}
	if manage {
		s.AddRule = &views.Link{Label: say.Say("Add a rule"), URL: base + "/rules/" + newID}
		s.AddTeam = &views.Link{Label: say.Say("Add a team"), URL: base + "/teams/" + newID}
	}
	return s
}

func teamRowOf(w planWords, m auth.Member, t notices.Team) settings.RoutingTeam {
	names := make([]string, len(t.Members))
	for i, id := range t.Members {
		names[i] = w.callable(id)
	}
	row := settings.RoutingTeam{Name: t.Name, URL: urls.Team(m.Tenant, t.ID), Members: strings.Join(names, ", ")}
	row.OnCall, row.Until, row.UntilISO = onCallOf(w, t)
	return row
}

func onCallOf(w planWords, t notices.Team) (who, until, iso string) {
	turn, ok := t.OnCall(w.Now)
	switch {
	case t.Rotation == nil:
		return w.say.Say("no rotation"), "", ""
	case !ok:
		return w.say.Say("no one yet: it begins on %s", t.Rotation.Starts), "", ""
	}
	until, iso = present.Moment(w.say, &turn.Until)
	return w.callable(turn.Person), until, iso
}

// levelBoxes are the levels as boxes.
func levelBoxes(say texts.Printer, checked []string) (all []views.BoxField) {
	for _, l := range notices.Levels() {
		all = append(all, views.BoxField{ID: "levels-" + l, Name: "levels", Value: l, Label: present.LevelNamed(say, l), Checked: slices.Contains(checked, l)})
	}
	return led("levels", all)
}

// led gives the first box the id of its group, so that an error leads there.
func led(id string, all []views.BoxField) []views.BoxField {
	if len(all) > 0 {
		all[0].ID = id
	}
	return all
}

func agentBoxes(agents []tenants.Agent, checked []string) (all []views.BoxField) {
	for _, a := range agents {
		all = append(all, views.BoxField{ID: "agents-" + a.ID, Name: "agents", Value: a.ID, Label: a.Name, Checked: slices.Contains(checked, a.ID)})
	}
	return led("agents", all)
}

// hoursFields are the fields of hours.
func hoursFields(say texts.Printer, at string, h notices.Hours, wrong func(string) string) (lines []views.LineField, days views.BoxGroup) {
	days = views.BoxGroup{ID: at + "days", Label: say.Say("Days (select none for every day)")}
	for _, d := range week {
		n := strconv.Itoa(int(d))
		days.Boxes = append(days.Boxes, views.BoxField{ID: at + "day-" + n, Name: at + "days", Value: n, Label: say.Key(dayWords[d]), Checked: slices.Contains(h.Days, d)})
	}
	return []views.LineField{
		{ID: at + "from", Name: at + "from", Label: say.Say("From"), Type: "time", Value: h.From, Error: wrong(at + "from"), Hint: say.Say("For example 22:00. Leave empty for none.")},
		{ID: at + "to", Name: at + "to", Label: say.Say("To"), Type: "time", Value: h.To, Error: wrong(at + "to"), Hint: say.Say("If it isn't after From, the hours end on the next day.")},
		{ID: at + "zone", Name: at + "zone", Label: say.Say("Time zone"), Value: h.Zone, Error: wrong(at + "zone"), Hint: say.Say("For example Europe/Berlin or UTC."), Max: "60"},
	}, days
}

// wrongAt is what is wrong with a field; empty for nothing.
func wrongAt(say texts.Printer, f *fault.Error) func(field string) string {
	return func(field string) string {
		if f != nil && f.Member == field {
			return present.Because(say, f)
		}
		return ""
	}
}

// refusedAt leads to the field that was refused, or say what was.
func refusedAt(say texts.Printer, f *fault.Error) (errors []views.FieldError, all []views.Notice) {
	switch {
	case f == nil:
	case f.Member == "":
		all = append(all, edge.NothingChanged(say, f))
	default:
		errors = append(errors, views.FieldError{Text: present.Because(say, f), Field: fieldIDs(f.Member)})
	}
	return errors, all
}

// fieldIDs are the elements of the fields of an absence; others have their names.
func fieldIDs(field string) string {
	if field == "from" || field == "until" || field == "deputy" {
		return "away-" + field
	}
	return field
}

// shownSteps is how many steps a form has at least: one more than is set.
const shownSteps = 3

func ruleOf(say texts.Printer, m auth.Member, r notices.Routing, rule notices.Rule, typed *ruleForm) settings.SectionFormSettings {
	w := planWords{say, r}
	s := settings.SectionFormSettings{
		Items: edge.SettingsItems(say, m, urls.PlaceNotices), Back: views.Link{Label: say.Say("Routing"), URL: urls.Routing(m.Tenant)}, Title: rule.Name,
		Summary: say.Say("A request must match everything you set. What you leave empty matches every request."),
	}
	id := rule.ID
	if id == "" {
		id, s.Title = newID, say.Say("New rule")
	}
	var f *fault.Error
	if typed != nil {
		rule, f = typed.rule, typed.fault
	}
	s.Errors, s.Notices = refusedAt(say, f)
	if !m.May(auth.ManageNotices) {
		s.Facts = []views.Fact{{Label: say.Say("When"), Value: untrusted.Runs(w.when(rule.When))}}
		for i, step := range rule.Steps {
			s.Facts = append(s.Facts, views.Fact{Label: say.Say("Step %d", i+1), Value: untrusted.Runs(say.Say("%s; %d minutes to claim or decide", w.targets(step.Targets), step.Minutes))})
		}
		return s
	}
	wrong := wrongAt(say, f)
	hours, days := hoursFields(say, "when_", rule.When.Hours, wrong)
	form := settings.SectionForm{
		URL: urls.Rule(m.Tenant, id), Hidden: []views.Hidden{version(r.Plan.Version)}, Button: views.Button{Label: say.Say("Save"), Kind: "primary"},
		Cancel: &views.Link{Label: say.Say("Cancel"), URL: urls.Routing(m.Tenant)},
		Sections: []settings.FormSection{
			{ID: "for", Title: say.Say("Matching requests"), Lines: []views.LineField{
				{ID: "name", Name: "name", Label: say.Say("Name"), Value: rule.Name, Required: true, Max: "60", Error: wrong("name"), Hint: say.Say("For example Production at night.")},
				{ID: "functions", Name: "functions", Label: say.Say("Functions"), Value: strings.Join(rule.When.Functions, ", "), Mono: true, Error: wrong("functions"), Hint: say.Say("Names, separated by commas. A * at the end matches the rest, for example db.*")},
				{ID: "environments", Name: "environments", Label: say.Say("Environments"), Value: strings.Join(rule.When.Environments, ", "), Mono: true, Error: wrong("environments"), Hint: say.Say("For example production.")},
			}, Groups: []views.BoxGroup{{ID: "levels", Label: say.Say("Levels"), Boxes: levelBoxes(say, rule.When.Levels), Error: wrong("levels")}}},
			{ID: "hours", Title: say.Say("Hours"), Text: say.Say("When the request arrives. Leave it empty for any time."), Lines: hours, Groups: []views.BoxGroup{days}},
		},
	}
	if boxes := agentBoxes(r.Agents, rule.When.Agents); len(boxes) > 0 {
		form.Sections[0].Groups = append(form.Sections[0].Groups, views.BoxGroup{ID: "agents", Label: say.Say("Agents"), Boxes: boxes, Error: wrong("agents")})
	}
	for i := range min(max(shownSteps, len(rule.Steps)+1), notices.MaxSteps) {
		step := notices.Step{Minutes: 5}
		if i < len(rule.Steps) {
			step = rule.Steps[i]
		}
		form.Sections = append(form.Sections, stepSection(w, i, step, wrong))
	}
	s.Form = &form
	return s
}

func stepSection(w planWords, i int, step notices.Step, wrong func(string) string) settings.FormSection {
	n := strconv.Itoa(i + 1)
	s := settings.FormSection{ID: "section" + n, Title: w.say.Say("Step %d", i+1), Text: w.say.Say("Who is called if no one claims or decides in the time of the previous step. A step that reaches no one is skipped.")}
	if i == 0 {
		s.Text = w.say.Say("Who is called right away.")
	}
	group := views.BoxGroup{ID: "step" + n, Label: w.say.Say("Call"), Error: wrong("step" + n)}
	add := func(t notices.Target, note string) {
		label := w.target(t)
		if kind, _ := t.Split(); kind == notices.ToTeam || kind == notices.ToOnCall {
			label = present.Sentence(label) // the others are names
		}
		group.Boxes = append(group.Boxes, views.BoxField{ID: "step" + n + "-" + string(t), Name: "step" + n, Value: string(t), Label: label, Note: note, Checked: slices.Contains(step.Targets, t)})
	}
	for _, t := range w.Plan.Teams {
		if t.Rotation != nil {
			add(notices.To(notices.ToOnCall, t.ID), "")
		}
		add(notices.To(notices.ToTeam, t.ID), "")
	}
	for _, p := range w.sorted() {
		note := ""
		switch {
		case p.Suspended:
		case !p.Decides:
			note = w.say.Say("can't decide")
		case !w.hasChannel(p.ID):
			note = w.say.Say("hasn't set up a channel yet")
		}
		add(notices.To(notices.ToPerson, p.ID), note)
	}
	for _, c := range w.Channels {
		if c.Person == "" && !w.Program(c) {
			add(notices.To(notices.ToChannel, c.ID), w.say.Say("channel"))
		}
	}
	group.Boxes = led(group.ID, group.Boxes)
	s.Groups = []views.BoxGroup{group}
	s.After = []views.LineField{{ID: "wait" + n, Name: "wait" + n, Label: w.say.Say("Minutes to claim or decide"), Type: "number", Value: strconv.Itoa(step.Minutes), Error: wrong("wait" + n)}}
	return s
}

// sorted are the people by name.
func (w planWords) sorted() (all []notices.Someone) {
	for _, p := range w.People {
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b notices.Someone) int { return strings.Compare(a.Name+a.ID, b.Name+b.ID) })
	return all
}
