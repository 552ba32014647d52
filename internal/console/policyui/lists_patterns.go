package policyui

import (
	"slices"
	"strconv"
	"strings"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/console/edge"
	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/internal/console/untrusted"
	"github.com/countersign/countersign/internal/console/urls"
	"github.com/countersign/countersign/internal/scoring/patterns"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/policy"
	"github.com/countersign/countersign/views/texts"
)

// The page of the patterns.

// The entries that the page of the patterns edits.
const (
	whatChange  = "change"  // another severity or action for a shipped pattern
	whatPattern = "pattern" // of the organisation's own
)

func patternsList(say texts.Printer) listKind {
	return listKind{
		place: urls.PlacePatterns, title: say.Say("Patterns"), search: say.Say("Search patterns"), dimension: approvals.ByPattern, filters: true,
		fields: []string{"id", "severity", "action", "category", "description", "regex", "match", "not"},
		act:    actOnPatterns, put: putPattern, draw: drawPatterns,
	}
}

func overrideOf(all []patterns.Change, id string) int {
	return slices.IndexFunc(all, func(c patterns.Change) bool { return c.ID == id })
}

func addedOf(all []patterns.Pattern, id string) int {
	return slices.IndexFunc(all, func(p patterns.Pattern) bool { return p.ID == id })
}

func actOnPatterns(d *listDraft, verb, id string) {
	o := &d.lists.Patterns
	d.open = id
	_, shipped := patterns.Default().Pattern(id)
	switch verb {
	case "show": // it is open
	case "off":
		if shipped && !slices.Contains(o.Disable, id) {
			o.Disable = append(slices.Clone(o.Disable), id)
		}
	case "on":
		o.Disable = slices.DeleteFunc(slices.Clone(o.Disable), func(s string) bool { return s == id })
	case "drop":
		o.Change = slices.DeleteFunc(slices.Clone(o.Change), func(c patterns.Change) bool { return c.ID == id })
		o.Add = slices.DeleteFunc(slices.Clone(o.Add), func(p patterns.Pattern) bool { return p.ID == id })
	case "add":
		d.edit(whatPattern, "", map[string]string{"severity": string(patterns.Medium), "category": patterns.Custom})
	case "edit":
		if i := addedOf(o.Add, id); i >= 0 {
			p := o.Add[i]
			d.edit(whatPattern, id, map[string]string{
				"id": p.ID, "severity": string(p.Severity), "action": string(p.Action), "category": p.Category, "description": p.Description,
				"regex": strings.Join(p.Regex, "\n"), "match": strings.Join(p.MustMatch, "\n"), "not": strings.Join(p.MustNotMatch, "\n"),
			})
		} else if shipped {
			c := patterns.Change{}
			if i := overrideOf(o.Change, id); i >= 0 {
				c = o.Change[i]
			}
			d.edit(whatChange, id, map[string]string{"severity": string(c.Severity), "action": string(c.Action)})
		}
	}
	d.lists = ListsOf(d.policy())
}

func putPattern(d *listDraft) {
	next, of := d.lists, d.typed[fieldEdited]
	o := &next.Patterns
	severity, action := patterns.Severity(d.typed[edge.EditPrefix+"severity"]), patterns.Action(d.typed[edge.EditPrefix+"action"])
	if d.typed[fieldWhat] == whatChange {
		at := overrideOf(o.Change, of)
		if severity == "" && action == "" { // as shipped
			o.Change = slices.DeleteFunc(slices.Clone(o.Change), func(c patterns.Change) bool { return c.ID == of })
		} else {
			o.Change, at = placed(o.Change, at, patterns.Change{ID: of, Severity: severity, Action: action})
		}
		d.open = of
		d.take(next, "/pattern_overrides/change/"+strconv.Itoa(at), map[string]string{"/severity": "severity", "/action": "action", "": "severity"})
		return
	}
	p := patterns.Pattern{}
	if i := addedOf(o.Add, of); i >= 0 {
		p = o.Add[i] // what the form has no field for stays
	}
	p.Waits = false // saving asks another admin to accept it, once more
	p.ID, p.Severity, p.Action, p.Category = strings.TrimSpace(d.typed[edge.EditPrefix+"id"]), severity, action, d.typed[edge.EditPrefix+"category"]
	p.Description = strings.TrimSpace(d.typed[edge.EditPrefix+"description"])
	p.Regex, p.MustMatch, p.MustNotMatch = d.typedLines("regex"), d.typedLines("match"), d.typedLines("not")
	var at int
	o.Add, at = placed(o.Add, addedOf(o.Add, of), p)
	d.open = p.ID
	d.take(next, "/pattern_overrides/add/"+strconv.Itoa(at), map[string]string{
		"/id": "id", "/severity": "severity", "/action": "action", "/category": "category", "/description": "description",
		"/regex": "regex", "/must_match": "match", "/must_not_match": "not", "": "id",
	})
}

// typedLines are the lines of a field that have something in them.
func (d listDraft) typedLines(name string) []string {
	var out []string
	for _, l := range strings.Split(d.typed[edge.EditPrefix+name], "\n") {
		if strings.TrimSpace(l) != "" {
			out = append(out, l)
		}
	}
	return out
}

func drawPatterns(d listDraft, usage map[string]approvals.Tally, v *policy.ListSettings) {
	o := d.lists.Patterns
	groups := map[string][]policy.ListRow{}
	on := 0
	for _, p := range patterns.Default().Patterns() {
		row, runsNow, words := d.patternRow(p, usage)
		if runsNow {
			on++
		}
		if d.shows(row, p.ID, present.BuiltIn(d.Say, p.Description), p.Category, present.CategoryWord(d.Say, p.Category), present.SeverityWord(d.Say, p.Severity), strings.Join(p.Regex, " "), words) {
			groups[p.Category] = append(groups[p.Category], row)
		}
	}
	var own []policy.ListRow
	for _, p := range o.Add {
		on++
		if row := d.ownPatternRow(p, usage); d.shows(row, p.ID, present.BuiltIn(d.Say, p.Description), p.Category, present.CategoryWord(d.Say, p.Category), present.SeverityWord(d.Say, p.Severity), strings.Join(p.Regex, " "), d.Say.Say("own custom")) {
			own = append(own, row)
		}
	}
	v.Summary = d.Say.Say("%d patterns are on (library version %s). They check code, arguments, docstring, justification and content.", on, patterns.Default().Version())
	add := policy.ListSwitch{
		Label: d.Say.Say("Custom patterns"), Tone: views.TonePlain, State: strconv.Itoa(len(o.Add)), Note: d.Say.Say("Give examples that must and must not match. They're tested on save."),
		Buttons: []policy.ListButton{{Do: "add", Label: d.Say.Say("Add a pattern"), Icon: "plus", Kind: "primary", At: "edit"}},
	}
	if len(o.Add) > 0 {
		add.Tone = views.ToneOK
	}
	v.Switches = []policy.ListSwitch{criticalSwitch(d), add}
	v.Groups = append(v.Groups, policy.ListGroup{ID: "own", Title: d.Say.Say("Yours"), Rows: own})
	for _, category := range patterns.Categories() {
		v.Groups = append(v.Groups, policy.ListGroup{ID: "category-" + category, Title: present.CategoryWord(d.Say, category), Note: d.Say.Say("%d patterns", len(groups[category])), Rows: groups[category], Folds: true})
	}
	v.Editor = d.patternEditor()
}

// criticalSwitch says what critical patterns do; the policy page changes it.
func criticalSwitch(d listDraft) policy.ListSwitch {
	w := policy.ListSwitch{
		Label: d.Say.Say("Critical patterns"), Tone: views.TonePlain, State: d.Say.Say("individually"),
		Note: criticalNote(d.Say, d.lists.Patterns) + " " + d.Say.Say("Turn on “Block all critical” on the policy page to make all of them block."),
	}
	if d.Base.Policy.BlockAllCritical {
		w.Tone, w.State, w.Note = views.ToneOK, d.Say.Say("all block"), d.Say.Say("“Block all critical” on the policy page makes every critical pattern block, whatever its own action. Masked values stay masked.")
	}
	return w
}

// severityLevel is the mark of a severity.
func severityLevel(s patterns.Severity) views.Level {
	if !s.Valid() {
		return views.LevelNone
	}
	return present.LevelOf(s.Level())
}

// patternRow is a pattern of the library, as the draft runs it.
func (d listDraft) patternRow(p patterns.Pattern, usage map[string]approvals.Tally) (row policy.ListRow, on bool, words string) {
	o := d.lists.Patterns
	now, on := patterns.Default().Effective(o, p.ID)
	if !on {
		now = p
	}
	row = d.anyPattern(now, usage)
	row.About = untrusted.Runs(present.BuiltIn(d.Say, now.Description))
	set := policy.ListButton{Do: "edit:" + p.ID, Label: d.Say.Say("Severity and action"), Of: d.Say.Say("of the pattern %s", p.ID), At: "edit"}
	row.Buttons = []policy.ListButton{{Do: "off:" + p.ID, Label: d.Say.Say("Turn off"), Of: d.Say.Say("the pattern %s", p.ID), At: row.ID}, set}
	words, row.State = d.Say.Say("on"), policy.StateOn
	if overrideOf(o.Change, p.ID) >= 0 {
		row.State = policy.StateChanged
		words = d.Say.Say("overridden")
		row.Chips = append(row.Chips, policy.ListChip{Word: untrusted.Runs(d.Say.Say("overridden")), Icon: views.IconPattern, Tone: views.ToneAccent})
		row.Fields = append(row.Fields, views.Pair{Label: d.Say.Say("Default"), Value: untrusted.Runs(present.SeverityWord(d.Say, p.Severity) + ", " + present.ActionWord(d.Say, p.EffectiveAction()))})
		row.Buttons = append(row.Buttons, policy.ListButton{Do: "drop:" + p.ID, Label: d.Say.Say("Default"), Of: d.Say.Say("the pattern %s", p.ID), At: row.ID})
	}
	if !on {
		row.State = policy.StateOff
		words = d.Say.Say("off")
		row.Chips = append(row.Chips, policy.ListChip{Word: untrusted.Runs(d.Say.Say("off")), Icon: views.IconX, Tone: views.ToneWarn})
		row.Buttons[0].Do, row.Buttons[0].Label = "on:"+p.ID, d.Say.Say("Turn on")
	}
	return row, on, words
}

func (d listDraft) ownPatternRow(p patterns.Pattern, usage map[string]approvals.Tally) policy.ListRow {
	row := d.anyPattern(p, usage)
	row.State = policy.StateOwn
	row.Chips = append(row.Chips, policy.ListChip{Word: untrusted.Runs(d.Say.Say("own")), Icon: views.IconUser, Tone: views.ToneAccent})
	row.Buttons = []policy.ListButton{
		{Do: "edit:" + p.ID, Label: d.Say.Say("Change"), Of: d.Say.Say("the pattern %s", p.ID), At: "edit"},
		{Do: "drop:" + p.ID, Label: d.Say.Say("Remove"), Of: d.Say.Say("the pattern %s", p.ID)},
	}
	return row
}

func (d listDraft) anyPattern(p patterns.Pattern, usage map[string]approvals.Tally) policy.ListRow {
	row := policy.ListRow{
		ID: present.EntryID("pattern", p.ID), Name: untrusted.Runs(p.ID), Level: severityLevel(p.Severity), About: untrusted.Runs(p.Description), Use: useOf(d.Say, usage[p.ID]), Open: d.open == p.ID,
		Chips:  []policy.ListChip{actionChip(d.Say, d.Base.Policy.Acting().Action(p))},
		Fields: append([]views.Pair{{Label: d.Say.Say("Runs at"), Value: untrusted.Runs(strings.Join(p.Points(), ", ")), Mono: true}}, useFields(d.Say, usage[p.ID])...),
		Texts:  []policy.ListText{{Label: d.Say.Say("Expressions (RE2)"), Lines: all(p.Regex)}, {Label: d.Say.Say("Must match"), Lines: all(p.MustMatch)}, {Label: d.Say.Say("Must not match"), Lines: all(p.MustNotMatch)}},
	}
	if p.Waits {
		row.Chips = append(row.Chips, policy.ListChip{Word: untrusted.Runs(d.Say.Say("what it masks can't be approved until another admin accepts it")), Icon: views.IconHourglass, Tone: views.ToneWarn})
	}
	if p.Member != "" {
		row.Fields = append(row.Fields, views.Pair{Label: d.Say.Say("Member"), Value: untrusted.Runs(p.Member), Mono: true})
	}
	if p.Check != "" {
		row.Fields = append(row.Fields, views.Pair{Label: d.Say.Say("Validator"), Value: untrusted.Runs(p.Check), Mono: true})
	}
	return row
}

// actionChip says what a match does.
func actionChip(say texts.Printer, action patterns.Action) policy.ListChip {
	chip := policy.ListChip{Word: untrusted.Runs(present.ActionWord(say, action)), Icon: views.IconInfo}
	switch action {
	case patterns.Block:
		chip.Icon, chip.Tone = views.IconBan, views.ToneBad
	case patterns.Redact:
		chip.Icon = "eye"
	case patterns.Confirm:
		chip.Icon = views.IconUser
	case patterns.Warn, patterns.Log, patterns.Allow:
	}
	return chip
}

// all are texts, each a line of its own.
func all(texts []string) [][]views.Run {
	var out [][]views.Run
	for _, t := range texts {
		out = append(out, untrusted.Runs(t))
	}
	return out
}

// patternEditor is the editor that is open, or nil.
func (d listDraft) patternEditor() *policy.ListEditor {
	what, of := d.typed[fieldWhat], d.typed[fieldEdited]
	e := &policy.ListEditor{
		Hidden: []views.Hidden{{Name: fieldWhat, Value: what}, {Name: fieldEdited, Value: of}},
		Put:    policy.ListButton{Do: "put", Label: d.Say.Say("Add to draft"), Kind: "primary"}, Cancel: policy.ListButton{Do: "cancel", Label: d.Say.Say("Cancel"), Kind: "quiet"},
	}
	switch what {
	case whatChange:
		p, ok := patterns.Default().Pattern(of)
		if !ok {
			return nil
		}
		e.Title, e.Note = d.Say.Say("Severity and action of %s", of), present.BuiltIn(d.Say, p.Description)+"."
		e.Parts = []policy.EditorPart{
			{Select: selection(d, "severity", d.Say.Say("Severity"), d.Say.Say("default: %s", present.SeverityWord(d.Say, p.Severity)), patterns.Severities(), present.SeverityWord)},
			{Select: selection(d, "action", d.Say.Say("Action"), d.Say.Say("default: %s", shippedAction(d.Say, p)), patterns.Actions(), present.ActionWord)},
		}
	case whatPattern:
		e.Title = d.Say.Say("Change %s", of)
		if of == "" {
			e.Title = d.Say.Say("Add a pattern")
		}
		id := d.line("id", d.Say.Say("ID"), d.Say.Say("Lowercase letters, numbers and hyphens. Shown in place of what it masks."))
		id.Mono, id.Max = true, strconv.Itoa(patterns.MaxID)
		e.Parts = []policy.EditorPart{
			{Line: id},
			{Select: selection(d, "severity", d.Say.Say("Severity"), "", patterns.Severities(), present.SeverityWord)},
			{Select: selection(d, "action", d.Say.Say("Action"), d.Say.Say("what goes with the severity"), patterns.Actions(), present.ActionWord)},
			{Select: selection(d, "category", d.Say.Say("Category"), "", patterns.Categories(), present.CategoryWord)},
			{Line: d.line("description", d.Say.Say("Description"), d.Say.Say("Why a match matters (shown to operators)"))},
			{Area: d.area("regex", d.Say.Say("Expressions"), d.Say.Say("RE2, one per line; any match counts. Start with (?i) to ignore case."), "3")},
			{Area: d.area("match", d.Say.Say("Must match"), d.Say.Say("Examples, one per line."), "2")},
			{Area: d.area("not", d.Say.Say("Must not match"), d.Say.Say("Examples, one per line."), "2")},
		}
	default:
		return nil
	}
	return e
}

func shippedAction(say texts.Printer, p patterns.Pattern) string {
	if p.Action == "" {
		return say.Say("what goes with the severity")
	}
	return present.ActionWord(say, p.Action)
}

// selection is a choice of one word of the editor; none is what no choice is called,
// "" where there has to be one.
func selection[T ~string](d listDraft, name, label, none string, words []T, said func(texts.Printer, T) string) *views.SelectField {
	id := edge.EditPrefix + name
	f := &views.SelectField{ID: id, Name: id, Label: label, Error: d.problem(id)}
	if none != "" {
		f.Options = append(f.Options, views.Choice{Label: none, Checked: d.typed[id] == ""})
	}
	for _, w := range words {
		f.Options = append(f.Options, views.Choice{Value: string(w), Label: said(d.Say, w), Checked: d.typed[id] == string(w)})
	}
	return f
}
