package filter

import (
	"slices"
	"strings"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/tenants"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/texts"
)

// The forms over the two lists.

// RequestField searches requests by what they say.
func RequestField(a *Address) views.FilterField {
	return TextField(a, "q", a.Say.Say("Request"), a.Say.Say("a target or an argument"), views.FieldSearch)
}

// SearchedSo says how far such a search went, where it did not go all the way.
func SearchedSo(say texts.Printer, cut bool) string {
	if !cut {
		return ""
	}
	return say.Say("Only the newest %s matching requests are shown, among the newest %s. Set “Until” to search further back.", present.Grouped(say, approvals.SearchMost), present.Grouped(say, approvals.SearchReach))
}

// MoreOpen reports whether something of the folded part is set or wrong.
func MoreOpen(fields []views.FilterField) bool {
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

func ProblemsOf(a *Address) []views.FieldError {
	var all []views.FieldError
	if !a.Problem.Empty() {
		all = append(all, views.FieldError{Text: a.saidOf(a.Problem)})
	}
	for _, name := range a.Order {
		if message := a.Errors[name]; !message.Empty() {
			all = append(all, views.FieldError{Text: a.Say.Phrase(FilterLabels[name]) + ": " + a.saidOf(message), Field: "f-" + name})
		}
	}
	return all
}

// FilterLabels name what a list can be narrowed by.
var FilterLabels = map[string]fault.Text{
	"show": fault.Textf("Which calls"), "text": fault.Textf("Text"), "kind": fault.Textf("Kind"), "actor": fault.Textf("Who"), "agent": fault.Textf("Agent"), "approval": fault.Textf("Request ID"), "q": fault.Textf("Request"), "level": fault.Textf("Level"), "effect": fault.Textf("Effect"), "function": fault.Textf("Function"), "match": fault.Textf("Function"),
	"from": fault.Textf("From"), "to": fault.Textf("Until"), "before": fault.Textf("Page"), "after": fault.Textf("Page"), "status": fault.Textf("Verdict"), "decider": fault.Textf("Decided by"), "session": fault.Textf("Session"), "days": fault.Textf("Days"), "person": fault.Textf("Decided by"),
}

// typedIn is what stands in a field: what was understood, or what was typed.
func typedIn(a *Address, name string) string {
	if v := a.Clean.Get(name); v != "" && a.Errors[name].Empty() {
		return v
	}
	if all := a.Given[name]; len(all) > 0 {
		return all[0]
	}
	return ""
}

func TextField(a *Address, name, label, placeholder string, kind views.FieldKind) views.FilterField {
	return views.FilterField{Kind: kind, ID: "f-" + name, Name: name, Label: label, Value: typedIn(a, name), Placeholder: placeholder, Error: a.saidOf(a.Errors[name])}
}

// SelectField is one of several. What is chosen and not in the list is added to
// it, so that the form says what the address says.
func SelectField(a *Address, name, label, anything string, groups []views.ChoiceGroup) views.FilterField {
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
		groups[0].Choices = append(groups[0].Choices, views.Choice{Value: value, Label: present.Flat(a.Say, value), Checked: true})
	}
	return views.FilterField{Kind: views.FieldSelect, ID: "f-" + name, Name: name, Label: label, Value: value, Groups: groups, Error: a.saidOf(a.Errors[name])}
}

func BoxField(a *Address, name, label, nothing string, some texts.Key, groups []views.ChoiceGroup) views.FilterField {
	f := views.FilterField{Kind: views.FieldBoxes, ID: "f-" + name, Name: name, Label: label, Groups: groups, Error: a.saidOf(a.Errors[name]), Summary: nothing}
	if n := chosen(groups); n > 0 {
		f.Summary = a.Say.Key(some, n)
	}
	return f
}

// KindField lists every kind by its family, with those of the address.
func KindField(a *Address) views.FilterField {
	var groups []views.ChoiceGroup
	all := slices.Clone(audit.Kinds())
	for _, k := range a.Given["kind"] {
		if !slices.Contains(all, audit.Kind(k)) && KindForm.MatchString(k) {
			all = append(all, audit.Kind(k))
		}
	}
	slices.Sort(all)
	for _, k := range all {
		family, _, _ := strings.Cut(string(k), ".")
		label := present.FamilyWord(a.Say, family)
		if len(groups) == 0 || groups[len(groups)-1].Label != label {
			groups = append(groups, views.ChoiceGroup{Label: label})
		}
		g := &groups[len(groups)-1]
		g.Choices = append(g.Choices, views.Choice{
			Value: string(k), Label: present.KindWord(a.Say, k), Checked: slices.Contains(a.Given["kind"], string(k)),
		})
	}
	return BoxField(a, "kind", a.Say.Say("Kind"), a.Say.Say("All kinds"), texts.Key("%d kinds"), groups)
}

// EffectField lists what calls do.
func EffectField(a *Address) views.FilterField {
	var all []views.Choice
	for _, k := range effects.Kinds() {
		all = append(all, views.Choice{Value: string(k), Label: present.EffectWord(a.Say, string(k)), Checked: slices.Contains(a.Given["effect"], string(k))})
	}
	return BoxField(a, "effect", a.Say.Say("Effect"), a.Say.Say("All effects"), texts.Key("%d effects"), []views.ChoiceGroup{{Choices: all}})
}

func ActorGroup(say texts.Printer, names tenants.Names, kind string) views.ChoiceGroup {
	g := views.ChoiceGroup{Label: say.Say("People")}
	list := names.People
	if kind == "agent" {
		g.Label, list = say.Say("Agents"), names.Agents
	}
	for _, n := range list {
		g.Choices = append(g.Choices, views.Choice{Value: kind + ":" + n.ID, Label: present.Flat(say, n.Name)})
	}
	return g
}

// ActorField is who did it: everybody of a kind, or one by name.
func ActorField(a *Address, label string, names tenants.Names) views.FilterField {
	return SelectField(a, "actor", label, a.Say.Say("Anyone"), []views.ChoiceGroup{
		{Label: a.Say.Say("Kinds"), Choices: []views.Choice{
			{Value: "person", Label: a.Say.Say("any person")},
			{Value: "agent", Label: a.Say.Say("any agent")},
			{Value: "policy", Label: a.Say.Say("the policy")},
			{Value: "clock", Label: a.Say.Say("System (expired)")},
			{Value: "system", Label: a.Say.Say("the system")},
		}},
		ActorGroup(a.Say, names, "person"), ActorGroup(a.Say, names, "agent"),
	})
}

func AgentField(a *Address, names tenants.Names) views.FilterField {
	g := views.ChoiceGroup{}
	for _, n := range names.Agents {
		g.Choices = append(g.Choices, views.Choice{Value: n.ID, Label: present.Flat(a.Say, n.Name)})
	}
	return SelectField(a, "agent", a.Say.Say("About this agent"), a.Say.Say("All agents"), []views.ChoiceGroup{g})
}

func FunctionField(a *Address) views.FilterField {
	f := TextField(a, "function", a.Say.Say("Function"), "delete_user", views.FieldText)
	f.Beside = &views.FilterField{
		ID: "f-match", Name: "match", Label: a.Say.Say("Function match"),
		Groups: []views.ChoiceGroup{{Choices: []views.Choice{{Label: a.Say.Say("is")}, {Value: "begins", Label: a.Say.Say("starts with"), Checked: a.Given.Get("match") == "begins"}}}},
		Error:  a.saidOf(a.Errors["match"]),
	}
	return f
}

// Spans are the quick choices of a time.
func Spans(a *Address, here string, now time.Time) []views.Link {
	var all []views.Link
	for _, s := range []struct {
		label string
		back  time.Duration
	}{{a.Say.Say("hour"), time.Hour}, {a.Say.Say("day"), 24 * time.Hour}, {a.Say.Say("week"), 7 * 24 * time.Hour}, {a.Say.Say("month"), 30 * 24 * time.Hour}} {
		from := InstantText(now.Add(-s.back).Truncate(time.Minute))
		all = append(all, views.Link{Label: s.label, URL: a.At(here, "before", "", "after", "", "to", "", "from", from)})
	}
	return all
}

var anyActor = map[string]texts.Key{"person": texts.Key("any person"), "agent": texts.Key("any agent")}

// ChipsOf are what the list is narrowed by.
func ChipsOf(a *Address, here string, names tenants.Names) []views.FilterChip {
	if !a.OK() {
		return nil
	}
	var all []views.FilterChip
	for _, h := range a.Hidden() {
		if h.Name == "match" || h.Name == "days" || h.Name == "show" || h.Name == "decider" && h.Value == Any {
			continue
		}
		value, label := h.Value, a.Say.Phrase(FilterLabels[h.Name])
		switch h.Name {
		case "actor", "decider":
			actor := ActorFrom(value)
			value, _ = ActorName(a.Say, names, actor)
			if actor.ID == "" && (actor.Kind == "person" || actor.Kind == "agent") {
				value = a.Say.Key(anyActor[actor.Kind])
			} else if standingActor(actor) {
				value = a.Say.Say("standing approval %s", actor.ID)
			} else if actor.Kind == "policy" && actor.ID != "" {
				value = a.Say.Say("%s, version %s", value, actor.ID)
			}
		case "agent", "person":
			value = names.Of(h.Name, value)
		case "function":
			if a.Clean.Get("match") != "" {
				label = a.Say.Say("Function starts with")
			}
		case "from", "to":
			value = a.Say.Say("%s UTC", strings.Replace(value, "T", " ", 1))
		case "effect":
			value = present.EffectWord(a.Say, value)
		case "status":
			value = statusWord(a.Say, value)
		}
		without := a.Without(here, h.Name, h.Value)
		if h.Name == "decider" {
			without = a.At(here, "decider", Any, "before", "", "after", "")
		}
		all = append(all, views.FilterChip{Name: label, Value: present.Headline(a.Say, value), Without: without})
	}
	return all
}

// statusWord is how a request ended, in words.
func statusWord(say texts.Printer, s string) string {
	if w, ok := present.VerdictWords[approvals.Status(s)]; ok {
		return say.Key(w)
	}
	return s
}

// ActorFrom reads "person:per_…", "policy".
func ActorFrom(s string) audit.Actor {
	kind, id, _ := strings.Cut(s, ":")
	return audit.Actor{Kind: kind, ID: id}
}

// standingActor reports whether the policy let something through because a person
// had allowed it ahead.
func standingActor(a audit.Actor) bool {
	return a.Kind == "policy" && strings.HasPrefix(a.ID, "stg_")
}

// ActorName is an actor as a reader knows it.
func ActorName(say texts.Printer, n tenants.Names, a audit.Actor) (name, note string) {
	switch {
	case standingActor(a):
		return say.Say("a standing approval"), a.ID
	case a.Kind == "policy" && a.ID != "":
		return say.Say("the policy"), say.Say("version %s", a.ID)
	case a.Kind == "policy":
		return say.Say("the policy"), ""
	case a.Kind == "clock":
		return say.Say("System"), ""
	case a.Kind == "system":
		return say.Say("the system"), ""
	case a.Kind == "agent":
		return n.Of(a.Kind, a.ID), say.Say("agent")
	default:
		return n.Of(a.Kind, a.ID), ""
	}
}
