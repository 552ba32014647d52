package console

import (
	"slices"
	"strings"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/tenants"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/texts"
)

// The forms over the two lists.

// filter is the form of the audit trail.
func (t trailPage) filter() views.Filter {
	a, here := t.address, t.here()
	f := views.Filter{
		URL: here, Label: t.say.Say("Filter entries"), MoreLabel: t.say.Say("More filters"), Problems: problemsOf(a),
		Lead: []views.FilterField{
			requestField(a),
			textField(a, "text", t.say.Say("Recorded text"), t.say.Say("a reason, a digest, an ID"), views.FieldSearch),
			kindField(a),
			actorField(a, t.say.Say("Who"), t.names),
		},
		More: []views.FilterField{
			agentField(a, t.names), functionField(a), boxField(a, "level", t.say.Say("Level"), t.say.Say("All levels"), texts.Key("%d levels"), []views.ChoiceGroup{{Choices: levelOptions(t.say, a.given["level"])}}),
			effectField(a),
			textField(a, "approval", t.say.Say("Request ID"), "apr_…", views.FieldText),
			textField(a, "from", t.say.Say("From (UTC)"), "", views.FieldTime), textField(a, "to", t.say.Say("Until (UTC)"), "", views.FieldTime),
		},
		Spans: spans(a, here, t.now), Chips: chipsOf(a, here, t.names), Saved: t.saved,
	}
	f.MoreOpen = moreOpen(f.More)
	return f
}

// requestField searches requests by what they say.
func requestField(a *listAddress) views.FilterField {
	return textField(a, "q", a.say.Say("Request"), a.say.Say("a target or an argument"), views.FieldSearch)
}

// searchedSo says how far such a search went, where it did not go all the way.
func searchedSo(say texts.Printer, cut bool) string {
	if !cut {
		return ""
	}
	return say.Say("Only the newest %s matching requests are shown, among the newest %s. Set “Until” to search further back.", grouped(say, approvals.SearchMost), grouped(say, approvals.SearchReach))
}

// moreOpen reports whether something of the folded part is set or wrong.
func moreOpen(fields []views.FilterField) bool {
	return slices.ContainsFunc(fields, func(f views.FilterField) bool {
		return f.Value != "" || f.Error != "" || chosen(f.Groups) > 0
	})
}

func chosen(groups []views.ChoiceGroup) (n int) {
	for _, g := range groups {
		for _, c := range g.Choices {
			if c.Checked && c.Value != "" {
				n++
			}
		}
	}
	return n
}

func problemsOf(a *listAddress) []views.FieldError {
	var all []views.FieldError
	if !a.problem.Empty() {
		all = append(all, views.FieldError{Text: a.saidOf(a.problem)})
	}
	for _, name := range a.order {
		if message := a.errors[name]; !message.Empty() {
			all = append(all, views.FieldError{Text: a.say.Phrase(filterLabels[name]) + ": " + a.saidOf(message), Field: "f-" + name})
		}
	}
	return all
}

// filterLabels name what a list can be narrowed by.
var filterLabels = map[string]fault.Text{
	"show": fault.Textf("Which calls"), "text": fault.Textf("Text"), "kind": fault.Textf("Kind"), "actor": fault.Textf("Who"), "agent": fault.Textf("Agent"), "approval": fault.Textf("Request ID"), "q": fault.Textf("Request"), "level": fault.Textf("Level"), "effect": fault.Textf("Effect"), "function": fault.Textf("Function"), "match": fault.Textf("Function"),
	"from": fault.Textf("From"), "to": fault.Textf("Until"), "before": fault.Textf("Page"), "after": fault.Textf("Page"), "status": fault.Textf("Verdict"), "decider": fault.Textf("Decided by"), "session": fault.Textf("Session"), "days": fault.Textf("Days"), "person": fault.Textf("Decided by"),
}

// typedIn is what stands in a field: what was understood, or what was typed.
func typedIn(a *listAddress, name string) string {
	if v := a.clean.Get(name); v != "" && a.errors[name].Empty() {
		return v
	}
	if all := a.given[name]; len(all) > 0 {
		return all[0]
	}
	return ""
}

func textField(a *listAddress, name, label, placeholder string, kind views.FieldKind) views.FilterField {
	return views.FilterField{Kind: kind, ID: "f-" + name, Name: name, Label: label, Value: typedIn(a, name), Placeholder: placeholder, Error: a.saidOf(a.errors[name])}
}

// selectField is one of several. What is chosen and not in the list is added to
// it, so that the form says what the address says.
func selectField(a *listAddress, name, label, anything string, groups []views.ChoiceGroup) views.FilterField {
	value := typedIn(a, name)
	groups = append([]views.ChoiceGroup{{Choices: []views.Choice{{Label: anything, Checked: value == ""}}}}, groups...)
	known := value == ""
	for _, g := range groups {
		for i := range g.Choices {
			if c := &g.Choices[i]; c.Value == value && value != "" {
				c.Checked, known = true, true
			}
		}
	}
	if !known {
		groups[0].Choices = append(groups[0].Choices, views.Choice{Value: value, Label: flat(a.say, value), Checked: true})
	}
	return views.FilterField{Kind: views.FieldSelect, ID: "f-" + name, Name: name, Label: label, Value: value, Groups: groups, Error: a.saidOf(a.errors[name])}
}

func boxField(a *listAddress, name, label, nothing string, some texts.Key, groups []views.ChoiceGroup) views.FilterField {
	f := views.FilterField{Kind: views.FieldBoxes, ID: "f-" + name, Name: name, Label: label, Groups: groups, Error: a.saidOf(a.errors[name]), Summary: nothing}
	if n := chosen(groups); n > 0 {
		f.Summary = a.say.Key(some, n)
	}
	return f
}

// kindField lists every kind by its family, with those of the address.
func kindField(a *listAddress) views.FilterField {
	var groups []views.ChoiceGroup
	all := slices.Clone(audit.Kinds())
	for _, k := range a.given["kind"] {
		if !slices.Contains(all, audit.Kind(k)) && kindForm.MatchString(k) {
			all = append(all, audit.Kind(k))
		}
	}
	slices.Sort(all)
	for _, k := range all {
		family, _, _ := strings.Cut(string(k), ".")
		label := familyWord(a.say, family)
		if len(groups) == 0 || groups[len(groups)-1].Label != label {
			groups = append(groups, views.ChoiceGroup{Label: label})
		}
		g := &groups[len(groups)-1]
		g.Choices = append(g.Choices, views.Choice{
			Value: string(k), Label: kindWord(a.say, k), Checked: slices.Contains(a.given["kind"], string(k)),
		})
	}
	return boxField(a, "kind", a.say.Say("Kind"), a.say.Say("All kinds"), texts.Key("%d kinds"), groups)
}

// effectField lists what calls do.
func effectField(a *listAddress) views.FilterField {
	var all []views.Choice
	for _, k := range effects.Kinds() {
		all = append(all, views.Choice{Value: string(k), Label: effectWord(a.say, string(k)), Checked: slices.Contains(a.given["effect"], string(k))})
	}
	return boxField(a, "effect", a.say.Say("Effect"), a.say.Say("All effects"), texts.Key("%d effects"), []views.ChoiceGroup{{Choices: all}})
}

func actorGroup(say texts.Printer, names tenants.Names, kind string) views.ChoiceGroup {
	g := views.ChoiceGroup{Label: say.Say("People")}
	list := names.People
	if kind == "agent" {
		g.Label, list = say.Say("Agents"), names.Agents
	}
	for _, n := range list {
		g.Choices = append(g.Choices, views.Choice{Value: kind + ":" + n.ID, Label: flat(say, n.Name)})
	}
	return g
}

// actorField is who did it: everybody of a kind, or one by name.
func actorField(a *listAddress, label string, names tenants.Names) views.FilterField {
	return selectField(a, "actor", label, a.say.Say("Anyone"), []views.ChoiceGroup{
		{Label: a.say.Say("Kinds"), Choices: []views.Choice{
			{Value: "person", Label: a.say.Say("any person")},
			{Value: "agent", Label: a.say.Say("any agent")},
			{Value: "policy", Label: a.say.Say("the policy")},
			{Value: "clock", Label: a.say.Say("System (expired)")},
			{Value: "system", Label: a.say.Say("the system")},
		}},
		actorGroup(a.say, names, "person"), actorGroup(a.say, names, "agent"),
	})
}

func agentField(a *listAddress, names tenants.Names) views.FilterField {
	g := views.ChoiceGroup{}
	for _, n := range names.Agents {
		g.Choices = append(g.Choices, views.Choice{Value: n.ID, Label: flat(a.say, n.Name)})
	}
	return selectField(a, "agent", a.say.Say("About this agent"), a.say.Say("All agents"), []views.ChoiceGroup{g})
}

func functionField(a *listAddress) views.FilterField {
	f := textField(a, "function", a.say.Say("Function"), "delete_user", views.FieldText)
	f.Beside = &views.FilterField{
		ID: "f-match", Name: "match", Label: a.say.Say("Function match"),
		Groups: []views.ChoiceGroup{{Choices: []views.Choice{{Label: a.say.Say("is")}, {Value: "begins", Label: a.say.Say("starts with"), Checked: a.given.Get("match") == "begins"}}}},
		Error:  a.saidOf(a.errors["match"]),
	}
	return f
}

// spans are the quick choices of a time.
func spans(a *listAddress, here string, now time.Time) []views.Link {
	var all []views.Link
	for _, s := range []struct {
		label string
		back  time.Duration
	}{{a.say.Say("hour"), time.Hour}, {a.say.Say("day"), 24 * time.Hour}, {a.say.Say("week"), 7 * 24 * time.Hour}, {a.say.Say("month"), 30 * 24 * time.Hour}} {
		from := instantText(now.Add(-s.back).Truncate(time.Minute))
		all = append(all, views.Link{Label: s.label, URL: a.at(here, "before", "", "after", "", "to", "", "from", from)})
	}
	return all
}

var anyActor = map[string]texts.Key{"person": texts.Key("any person"), "agent": texts.Key("any agent")}

// chipsOf are what the list is narrowed by.
func chipsOf(a *listAddress, here string, names tenants.Names) []views.FilterChip {
	if !a.ok() {
		return nil
	}
	var all []views.FilterChip
	for _, h := range a.hidden() {
		if h.Name == "match" || h.Name == "days" || h.Name == "decider" && h.Value == anyDecider {
			continue
		}
		value, label := h.Value, a.say.Phrase(filterLabels[h.Name])
		switch h.Name {
		case "actor", "decider":
			actor := actorFrom(value)
			value, _ = actorName(a.say, names, actor)
			if actor.ID == "" && (actor.Kind == "person" || actor.Kind == "agent") {
				value = a.say.Key(anyActor[actor.Kind])
			} else if standingActor(actor) {
				value = a.say.Say("standing approval %s", actor.ID)
			} else if actor.Kind == "policy" && actor.ID != "" {
				value = a.say.Say("%s, version %s", value, actor.ID)
			}
		case "agent", "person":
			value = names.Of(h.Name, value)
		case "function":
			if a.clean.Get("match") != "" {
				label = a.say.Say("Function starts with")
			}
		case "from", "to":
			value = a.say.Say("%s UTC", strings.Replace(value, "T", " ", 1))
		case "effect":
			value = effectWord(a.say, value)
		case "status":
			value = statusWord(a.say, value)
		}
		without := a.without(here, h.Name, h.Value)
		if h.Name == "decider" {
			without = a.at(here, "decider", anyDecider, "before", "", "after", "")
		}
		all = append(all, views.FilterChip{Name: label, Value: headline(a.say, value), Without: without})
	}
	return all
}
