package console

import (
	"slices"
	"strings"
	"time"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/tenants"
	"github.com/countersign/countersign/views"
)

// The forms over the two lists.

// filter is the form of the audit trail.
func (t trailPage) filter() views.Filter {
	a, here := t.address, t.here()
	f := views.Filter{
		URL: here, Label: "Filter entries", MoreLabel: "More filters", Problems: problemsOf(a),
		Lead: []views.FilterField{
			textField(a, "text", "Text in the record", "a reason, a digest, an id", views.FieldSearch),
			kindField(a),
			actorField(a, "Who", t.names),
		},
		More: []views.FilterField{
			agentField(a, t.names), functionField(a), boxField(a, "level", "Level", "level", "All levels", []views.ChoiceGroup{{Choices: levelOptions(a.given["level"])}}),
			textField(a, "approval", "Request", "apr_…", views.FieldText),
			textField(a, "from", "From, UTC", "", views.FieldTime), textField(a, "to", "Until, UTC", "", views.FieldTime),
		},
		Spans: spans(a, here, t.now), Chips: chipsOf(a, here, t.names),
	}
	f.MoreOpen = moreOpen(f.More)
	return f
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
	if a.problem != "" {
		all = append(all, views.FieldError{Text: a.problem})
	}
	for _, name := range a.order {
		if message := a.errors[name]; message != "" {
			all = append(all, views.FieldError{Text: filterLabels[name] + ": " + message, Field: "f-" + name})
		}
	}
	return all
}

// filterLabels name what a list can be narrowed by.
var filterLabels = map[string]string{
	"text": "Text", "kind": "Kind", "actor": "Who", "agent": "Agent", "approval": "Request", "level": "Level", "function": "Function", "match": "Function",
	"from": "From", "to": "Until", "before": "Page", "after": "Page", "status": "Verdict", "decider": "Decided by", "session": "Session", "days": "Days",
}

// typedIn is what stands in a field: what was understood, or what was typed.
func typedIn(a *listAddress, name string) string {
	if v := a.clean.Get(name); v != "" && a.errors[name] == "" {
		return v
	}
	if all := a.given[name]; len(all) > 0 {
		return all[0]
	}
	return ""
}

func textField(a *listAddress, name, label, placeholder string, kind views.FieldKind) views.FilterField {
	return views.FilterField{Kind: kind, ID: "f-" + name, Name: name, Label: label, Value: typedIn(a, name), Placeholder: placeholder, Error: a.errors[name]}
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
		groups[0].Choices = append(groups[0].Choices, views.Choice{Value: value, Label: flat(value), Checked: true})
	}
	return views.FilterField{Kind: views.FieldSelect, ID: "f-" + name, Name: name, Label: label, Value: value, Groups: groups, Error: a.errors[name]}
}

func boxField(a *listAddress, name, label, word, nothing string, groups []views.ChoiceGroup) views.FilterField {
	f := views.FilterField{Kind: views.FieldBoxes, ID: "f-" + name, Name: name, Label: label, Groups: groups, Error: a.errors[name], Summary: nothing}
	if n := chosen(groups); n > 0 {
		f.Summary = plural(n, word)
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
		family, rest, _ := strings.Cut(string(k), ".")
		label := sentence(strings.ReplaceAll(family, "_", " "))
		if len(groups) == 0 || groups[len(groups)-1].Label != label {
			groups = append(groups, views.ChoiceGroup{Label: label})
		}
		g := &groups[len(groups)-1]
		g.Choices = append(g.Choices, views.Choice{
			Value: string(k), Label: strings.ReplaceAll(rest, "_", " "), Checked: slices.Contains(a.given["kind"], string(k)),
		})
	}
	return boxField(a, "kind", "Kind", "kind", "All kinds", groups)
}

func actorGroup(names tenants.Names, kind string) views.ChoiceGroup {
	g := views.ChoiceGroup{Label: "People"}
	list := names.People
	if kind == "agent" {
		g.Label, list = "Agents", names.Agents
	}
	for _, n := range list {
		g.Choices = append(g.Choices, views.Choice{Value: kind + ":" + n.ID, Label: flat(n.Name)})
	}
	return g
}

// actorField is who did it: everybody of a kind, or one by name.
func actorField(a *listAddress, label string, names tenants.Names) views.FilterField {
	return selectField(a, "actor", label, "Anyone", []views.ChoiceGroup{
		{Label: "Kinds", Choices: []views.Choice{
			{Value: "person", Label: "any person"},
			{Value: "agent", Label: "any agent"},
			{Value: "policy", Label: "the policy"},
			{Value: "clock", Label: "the clock"},
			{Value: "system", Label: "the system"},
		}},
		actorGroup(names, "person"), actorGroup(names, "agent"),
	})
}

func agentField(a *listAddress, names tenants.Names) views.FilterField {
	g := views.ChoiceGroup{}
	for _, n := range names.Agents {
		g.Choices = append(g.Choices, views.Choice{Value: n.ID, Label: flat(n.Name)})
	}
	return selectField(a, "agent", "About the agent", "All agents", []views.ChoiceGroup{g})
}

func functionField(a *listAddress) views.FilterField {
	f := textField(a, "function", "Function", "delete_user", views.FieldText)
	f.Beside = &views.FilterField{
		ID: "f-match", Name: "match", Label: "How the function is compared",
		Groups: []views.ChoiceGroup{{Choices: []views.Choice{{Label: "is"}, {Value: "begins", Label: "begins with", Checked: a.given.Get("match") == "begins"}}}},
		Error:  a.errors["match"],
	}
	return f
}

// spans are the quick choices of a time.
func spans(a *listAddress, here string, now time.Time) []views.Link {
	var all []views.Link
	for _, s := range []struct {
		label string
		back  time.Duration
	}{{"hour", time.Hour}, {"day", 24 * time.Hour}, {"week", 7 * 24 * time.Hour}, {"month", 30 * 24 * time.Hour}} {
		from := instantText(now.Add(-s.back).Truncate(time.Minute))
		all = append(all, views.Link{Label: s.label, URL: a.at(here, "before", "", "after", "", "to", "", "from", from)})
	}
	return all
}

// chipsOf are what the list is narrowed by.
func chipsOf(a *listAddress, here string, names tenants.Names) []views.FilterChip {
	if !a.ok() {
		return nil
	}
	var all []views.FilterChip
	for _, h := range a.hidden() {
		if h.Name == "match" {
			continue
		}
		value, label := h.Value, filterLabels[h.Name]
		switch h.Name {
		case "actor", "decider":
			actor := actorFrom(value)
			value, _ = actorName(names, actor)
			if actor.ID == "" && (actor.Kind == "person" || actor.Kind == "agent") {
				value = "any " + actor.Kind
			} else if actor.Kind == "policy" && actor.ID != "" {
				value += ", version " + actor.ID
			}
		case "agent":
			value = names.Of("agent", value)
		case "function":
			if a.clean.Get("match") != "" {
				label = "Function begins with"
			}
		case "from", "to":
			value = strings.Replace(value, "T", " ", 1) + " UTC"
		case "status":
			value = statusWord(value)
		}
		all = append(all, views.FilterChip{Name: label, Value: headline(value), Without: a.without(here, h.Name, h.Value)})
	}
	return all
}
