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
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/rules"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/policy"
	"github.com/countersign/countersign/views/texts"
)

// The page of the rules.

// The entries that the page of the rules edits.
const (
	whatRule        = "rule"        // of the organisation's own
	whatReplacement = "replacement" // of a shipped rule
	whatAssessor    = "assessor"
)

func rulesList(say texts.Printer) listKind {
	return listKind{
		place: urls.PlaceRules, title: say.Say("Rules"), search: say.Say("Search rules"), dimension: approvals.ByRule, filters: true,
		fields: []string{"name", "kind", "text", "level", "reason", "reversible", "weight"},
		act:    actOnRules, put: putRule, draw: drawRules,
	}
}

func ownRule(all []scoring.OwnRule, name string) int {
	return slices.IndexFunc(all, func(r scoring.OwnRule) bool { return r.Name == name })
}

func shippedRule(name string) (rules.Rule, bool) {
	all := rules.Default()
	i := slices.IndexFunc(all, func(r rules.Rule) bool { return r.Name == name })
	if i < 0 {
		return rules.Rule{}, false
	}
	return all[i], true
}

// valuesOf fills the editor with a rule.
func valuesOf(r scoring.OwnRule) map[string]string {
	v := map[string]string{"name": r.Name, "kind": "pattern", "text": r.Pattern, "level": r.Level.String(), "reason": r.Reason}
	if r.Expression != "" {
		v["kind"], v["text"] = "expression", r.Expression
	}
	if r.Reversible {
		v["reversible"] = "true"
	}
	return v
}

func actOnRules(d *listDraft, verb, name string) {
	if actOnScorers(d, verb, name) {
		return
	}
	l := &d.lists.Rules
	d.open = name
	without := func(s string) bool { return s == name }
	switch verb {
	case "off":
		if _, ok := shippedRule(name); ok && !slices.Contains(l.Removed, name) {
			l.Removed = append(slices.Clone(l.Removed), name)
		}
		l.Replaced = slices.DeleteFunc(slices.Clone(l.Replaced), func(r scoring.OwnRule) bool { return r.Name == name })
	case "on":
		l.Removed = slices.DeleteFunc(slices.Clone(l.Removed), without)
	case "drop":
		l.Replaced = slices.DeleteFunc(slices.Clone(l.Replaced), func(r scoring.OwnRule) bool { return r.Name == name })
		l.Custom = slices.DeleteFunc(slices.Clone(l.Custom), func(r scoring.OwnRule) bool { return r.Name == name })
	case "extended":
		l.Extended = name == "on"
	case "shipped": // without them a policy begins from an empty list
		if l.Removed, l.Extended = nil, name == "on"; name == "off" {
			l.Removed, l.Replaced = coreRules(), nil
		}
	case "add":
		d.edit(whatRule, "", map[string]string{"kind": "pattern", "level": level.High.String(), "reversible": "true"})
	case "edit":
		if i := ownRule(l.Custom, name); i >= 0 {
			d.edit(whatRule, name, valuesOf(l.Custom[i]))
		} else if i := ownRule(l.Replaced, name); i >= 0 {
			d.edit(whatReplacement, name, valuesOf(l.Replaced[i]))
		} else if r, ok := shippedRule(name); ok {
			d.edit(whatReplacement, name, valuesOf(scoring.OwnRule{Name: r.Name, Pattern: r.Pattern, Level: r.Level, Reason: r.Reason, Reversible: r.Reversible}))
		}
	case "assessor":
		d.edit(whatAssessor, "", map[string]string{"text": l.Assessor})
	case "no-assessor":
		l.Assessor = ""
	}
	d.lists = ListsOf(d.policy())
}

// putRule takes the editor of a rule, or of the assessor.
func putRule(d *listDraft) {
	if d.typed[fieldWhat] == whatScorer {
		putScorer(d)
		return
	}
	next := d.lists
	l := &next.Rules
	if d.typed[fieldWhat] == whatAssessor {
		l.Assessor = strings.TrimSpace(d.typed[edge.EditPrefix+"text"])
		d.take(next, "/rules/assessor", map[string]string{"": "text"})
		return
	}
	r := scoring.OwnRule{
		Name: strings.TrimSpace(d.typed[edge.EditPrefix+"name"]), Reason: strings.TrimSpace(d.typed[edge.EditPrefix+"reason"]),
		Reversible: d.typed[edge.EditPrefix+"reversible"] == "true",
	}
	text := strings.Trim(d.typed[edge.EditPrefix+"text"], "\n")
	if d.typed[edge.EditPrefix+"kind"] == "expression" {
		r.Expression = text
	} else {
		r.Pattern = text
	}
	var err error
	if r.Level, err = level.Parse(d.typed[edge.EditPrefix+"level"]); err != nil {
		r.Level = level.Critical + 1 // which is refused
	}
	member := "/rules/custom/"
	of, at := d.typed[fieldEdited], 0
	if d.typed[fieldWhat] == whatReplacement {
		member, r.Name = "/rules/replaced/", of
		l.Replaced, at = placed(l.Replaced, ownRule(l.Replaced, of), r)
		l.Removed = slices.DeleteFunc(slices.Clone(l.Removed), func(s string) bool { return s == of })
	} else {
		l.Custom, at = placed(l.Custom, ownRule(l.Custom, of), r)
	}
	if text == "" {
		d.refuse(edge.EditPrefix+"text", d.Say.Say("it is empty; expected a pattern, or an expression that gives true or false"))
		return
	}
	d.take(next, member+strconv.Itoa(at), map[string]string{
		"/name": "name", "/pattern": "text", "/expression": "text", "/level": "level", "/reason": "reason", "": "name",
	})
	d.open = r.Name
}

// placed puts an entry in the place of another one, or at the end (at < 0).
func placed[T any](list []T, at int, entry T) ([]T, int) {
	list = slices.Clone(list)
	if at < 0 {
		return append(list, entry), len(list)
	}
	list[at] = entry
	return list, at
}

// take makes next the draft and shuts the editor, unless the entry at member is
// wrong: then each problem goes to its field. fields names them by the rest of the
// member.
func (d *listDraft) take(next policyLists, member string, fields map[string]string) {
	before := len(d.found)
	general := ""
	for _, p := range next.in(d.Base.Policy).Problems() {
		rest, ok := strings.CutPrefix(p.Member, member)
		if !ok || rest != "" && rest[0] != '/' {
			general = d.Say.Phrase(p.Detail)
			continue
		}
		field, known := fields[rest]
		for !known {
			i := strings.LastIndexByte(rest, '/')
			if i < 0 {
				break
			}
			rest = rest[:i]
			field, known = fields[rest]
		}
		d.refuse(edge.EditPrefix+field, d.Say.Phrase(p.Detail))
	}
	if general != "" && len(d.found) == before {
		d.refuse("", general)
	}
	if len(d.found) > before {
		return
	}
	d.lists = ListsOf(next.in(d.Base.Policy))
	d.shut()
}

func drawRules(d listDraft, usage map[string]approvals.Tally, v *policy.ListSettings) {
	l := d.lists.Rules
	var own, core, extended []policy.ListRow
	on := 0
	for _, r := range l.Custom {
		on++
		if row := d.ruleRow(r, usage); d.shows(row, r.Name, r.Reason, r.Pattern, r.Expression, r.Level.String(), d.Say.Say("own custom")) {
			own = append(own, row)
		}
	}
	for _, r := range rules.Default() {
		row, runsNow, words := d.shippedRow(r, usage)
		if runsNow {
			on++
		}
		if !d.shows(row, r.Name, present.BuiltIn(d.Say, r.Reason), r.Pattern, r.Level.String(), r.Group, words) {
			continue
		}
		if r.Group == rules.GroupCore {
			core = append(core, row)
		} else {
			extended = append(extended, row)
		}
	}
	v.Summary = d.Say.Say("%d rules are on, %d of them your own. The highest level that matches wins.", on, len(l.Custom))
	if l.Assessor != "" {
		v.Summary = d.Say.Say("An assessor replaces all rules.")
	}
	v.Switches = d.ruleSwitches()
	v.Groups = []policy.ListGroup{
		{ID: "own", Title: d.Say.Say("Yours"), Note: d.Say.Say("read the code and each value of the arguments, or the whole action"), Rows: own},
		{ID: "scorers", Title: d.Say.Say("Custom scorers"), Note: d.Say.Say("a score from 0 to 1 for the whole action; the policy says how it combines with the models' score"), Rows: d.scorerRows()},
		{ID: "core", Title: d.Say.Say("Core"), Note: d.Say.Say("the published list, checked in code only; deliberately noisy"), Rows: core},
		{ID: "extended", Title: d.Say.Say("Extended"), Note: d.Say.Say("ours, checked in code and each argument value"), Rows: extended},
	}
	v.Editor = d.ruleEditor()
}

// coreRules are the names of the published list.
func coreRules() (names []string) {
	for _, r := range rules.Default() {
		if r.Group == rules.GroupCore {
			names = append(names, r.Name)
		}
	}
	return names
}

func (d listDraft) ruleSwitches() []policy.ListSwitch {
	l := d.lists.Rules
	core := coreRules()
	on := len(core)
	for _, name := range l.Removed {
		if slices.Contains(core, name) {
			on--
		}
	}
	shipped := policy.ListSwitch{Label: d.Say.Say("Shipped rules"), Tone: views.ToneOK, State: d.Say.Say("%d of the core list", on), Note: d.Say.Say("Turn all of them off to begin from an empty list, then add your own.")}
	if on > 0 || l.Extended {
		shipped.Buttons = append(shipped.Buttons, policy.ListButton{Do: "shipped:off", Label: d.Say.Say("Turn all off"), Of: d.Say.Say("the shipped rules")})
	}
	if on < len(core) {
		shipped.Tone, shipped.Buttons = views.ToneWarn, append(shipped.Buttons, policy.ListButton{Do: "shipped:on", Label: d.Say.Say("Turn all on"), Of: d.Say.Say("the shipped rules")})
	}
	ext := policy.ListSwitch{Label: d.Say.Say("Extended rules"), Tone: views.ToneOK, State: d.Say.Say("on"), Note: d.Say.Say("Our additions to the published list."), Buttons: []policy.ListButton{{Do: "extended:off", Label: d.Say.Say("Turn off"), Of: d.Say.Say("the extended rules")}}}
	if !l.Extended {
		ext.Tone, ext.State, ext.Buttons = views.ToneWarn, d.Say.Say("off"), []policy.ListButton{{Do: "extended:on", Label: d.Say.Say("Turn on"), Of: d.Say.Say("the extended rules")}}
	}
	as := policy.ListSwitch{
		Label: d.Say.Say("Assessor"), Tone: views.TonePlain, State: d.Say.Say("none"), Note: d.Say.Say("One CEL expression that replaces all rules."),
		Buttons: []policy.ListButton{{Do: "assessor", Label: d.Say.Say("Set an assessor"), At: "edit"}},
	}
	if l.Assessor != "" {
		as.Tone, as.State, as.Shown = views.ToneWarn, d.Say.Say("in place of all rules"), untrusted.Runs(l.Assessor)
		as.Buttons = []policy.ListButton{{Do: "assessor", Label: d.Say.Say("Change"), Of: d.Say.Say("the assessor"), At: "edit"}, {Do: "no-assessor", Label: d.Say.Say("Remove"), Of: d.Say.Say("the assessor")}}
	}
	add := policy.ListSwitch{
		Label: d.Say.Say("Custom rules"), Tone: views.TonePlain, State: strconv.Itoa(len(l.Custom)), Note: d.Say.Say("A pattern over the text, or an expression over the whole action."),
		Buttons: []policy.ListButton{{Do: "add", Label: d.Say.Say("Add a rule"), Icon: "plus", Kind: "primary", At: "edit"}},
	}
	if len(l.Custom) > 0 {
		add.Tone = views.ToneOK
	}
	return []policy.ListSwitch{add, shipped, ext, as, d.scorerSwitch()}
}

// ruleRow is a rule of the organisation's own.
func (d listDraft) ruleRow(r scoring.OwnRule, usage map[string]approvals.Tally) policy.ListRow {
	row := policy.ListRow{
		ID: present.EntryID("rule", r.Name), Name: untrusted.Runs(r.Name), State: policy.StateOwn, About: untrusted.Runs(r.Reason), Use: useOf(d.Say, usage[r.Name]), Open: d.open == r.Name,
		Chips: []policy.ListChip{{Word: untrusted.Runs(d.Say.Say("own")), Icon: views.IconUser, Tone: views.ToneAccent}},
		Texts: []policy.ListText{definition(d.Say, r.Pattern, r.Expression)}, Fields: ruleFields(d.Say, r.Reversible, usage[r.Name]),
		Buttons: []policy.ListButton{
			{Do: "edit:" + r.Name, Label: d.Say.Say("Change"), Of: d.Say.Say("the rule %s", r.Name), At: "edit"},
			{Do: "drop:" + r.Name, Label: d.Say.Say("Remove"), Of: d.Say.Say("the rule %s", r.Name)},
		},
	}
	row.Level, row.Safe = d.ruleLevel(r.Level)
	if d.lists.Rules.Assessor != "" {
		row.Chips = append(row.Chips, policy.ListChip{Word: untrusted.Runs(d.Say.Say("idle: an assessor runs")), Icon: views.IconInfo})
	}
	return row
}

// shippedRow is a rule that comes with the program, as the draft runs it.
func (d listDraft) shippedRow(r rules.Rule, usage map[string]approvals.Tally) (row policy.ListRow, on bool, words string) {
	l := d.lists.Rules
	row = policy.ListRow{
		ID: present.EntryID("rule", r.Name), Name: untrusted.Runs(r.Name), About: untrusted.Runs(present.BuiltIn(d.Say, r.Reason)), Use: useOf(d.Say, usage[r.Name]), Open: d.open == r.Name,
		Texts: []policy.ListText{definition(d.Say, r.Pattern, "")}, Fields: ruleFields(d.Say, r.Reversible, usage[r.Name]),
	}
	row.Level, row.Safe = d.ruleLevel(r.Level)
	change := policy.ListButton{Do: "edit:" + r.Name, Label: d.Say.Say("Replace"), Of: d.Say.Say("the rule %s", r.Name), At: "edit"}
	off := policy.ListButton{Do: "off:" + r.Name, Label: d.Say.Say("Turn off"), Of: d.Say.Say("the rule %s", r.Name), At: row.ID}
	at := ownRule(l.Replaced, r.Name)
	switch {
	case slices.Contains(l.Removed, r.Name):
		row.State = policy.StateOff
		row.Chips = append(row.Chips, policy.ListChip{Word: untrusted.Runs(d.Say.Say("off")), Icon: views.IconX, Tone: views.ToneWarn})
		row.Buttons, words = []policy.ListButton{{Do: "on:" + r.Name, Label: d.Say.Say("Turn on"), Of: d.Say.Say("the rule %s", r.Name), At: row.ID}, change}, d.Say.Say("off")
	case at >= 0:
		row.State = policy.StateChanged
		with := l.Replaced[at]
		row.Chips = append(row.Chips, policy.ListChip{Word: untrusted.Runs(d.Say.Say("replaced")), Icon: views.IconPattern, Tone: views.ToneAccent})
		row.Level, row.Safe = d.ruleLevel(with.Level)
		row.About, row.Fields = untrusted.Runs(with.Reason), ruleFields(d.Say, with.Reversible, usage[r.Name])
		row.Texts = []policy.ListText{definition(d.Say, with.Pattern, with.Expression), {Label: d.Say.Say("In place of"), Lines: lines(r.Pattern)}}
		change.Label = d.Say.Say("Change")
		row.Buttons = []policy.ListButton{change, {Do: "drop:" + r.Name, Label: d.Say.Say("Remove the replacement"), Of: d.Say.Say("of %s", r.Name), At: row.ID}, off}
		on, words = true, d.Say.Say("replaced")+" "+with.Reason+" "+with.Pattern+with.Expression
	default:
		row.State = policy.StateOn
		on, words = true, d.Say.Say("on")
		row.Buttons = []policy.ListButton{off, change}
	}
	if r.Group == rules.GroupExtended && !l.Extended {
		on, row.State = false, policy.StateOff
		row.Chips = append(row.Chips, policy.ListChip{Word: untrusted.Runs(d.Say.Say("group off")), Icon: views.IconX, Tone: views.ToneWarn})
	}
	return row, on, words
}

// ruleLevel is the mark of a rule's level, or the word for SAFE, which has none.
func (d listDraft) ruleLevel(l level.Level) (mark views.Level, safe string) {
	if l == level.Safe {
		return views.LevelNone, present.LevelWord(d.Say, l)
	}
	return present.LevelOf(l), ""
}

func definition(say texts.Printer, pattern, expression string) policy.ListText {
	if expression != "" {
		return policy.ListText{Label: say.Say("Expression (CEL)"), Lines: lines(expression)}
	}
	return policy.ListText{Label: say.Say("Pattern (RE2, in any case)"), Lines: lines(pattern)}
}

func ruleFields(say texts.Printer, reversible bool, t approvals.Tally) []views.Pair {
	undone := say.Say("What it finds can't be undone")
	if reversible {
		undone = say.Say("What it finds can be undone")
	}
	return append([]views.Pair{{Label: say.Say("Reversible"), Value: untrusted.Runs(undone)}}, useFields(say, t)...)
}

// ruleEditor is the editor that is open, or nil.
func (d listDraft) ruleEditor() *policy.ListEditor {
	what, of := d.typed[fieldWhat], d.typed[fieldEdited]
	if what == whatScorer {
		return d.scorerEditor(of)
	}
	e := &policy.ListEditor{
		Hidden: []views.Hidden{{Name: fieldWhat, Value: what}, {Name: fieldEdited, Value: of}},
		Put:    policy.ListButton{Do: "put", Label: d.Say.Say("Add to draft"), Kind: "primary"}, Cancel: policy.ListButton{Do: "cancel", Label: d.Say.Say("Cancel"), Kind: "quiet"},
	}
	expression := d.Say.Say("CEL over the whole action: action.function, code, arguments, environment, docstring, justification, hints, metadata. Errors count as a match, so check first: has(action.arguments.path).")
	switch what {
	case whatAssessor:
		e.Title, e.Note = d.Say.Say("Assessor"), d.Say.Say(`One expression that replaces all rules. It returns "SAFE", "LOW", "MEDIUM", "HIGH" or "CRITICAL", or a map: {"level": "HIGH", "reasons": ["Touches the ledger"], "reversible": false}. The map can also set affected_resources, estimated_impact, recommendations and requires_approval.`)
		e.Parts = []policy.EditorPart{{Area: d.area("text", d.Say.Say("Expression (CEL)"), d.Say.Say("Errors count as CRITICAL. %s", expression), "5")}}
		return e
	case whatReplacement:
		e.Title, e.Note = d.Say.Say("Replace %s", of), d.Say.Say("Replaces that rule, over the code and each argument value.")
	case whatRule:
		e.Title = d.Say.Say("Change %s", of)
		if of == "" {
			e.Title = d.Say.Say("Add a rule")
		}
		name := d.line("name", d.Say.Say("Name"), d.Say.Say("Start with a lowercase letter, then use lowercase letters, numbers and _."))
		name.Mono, name.Max = true, strconv.Itoa(rules.MaxNameBytes)
		e.Parts = append(e.Parts, policy.EditorPart{Line: name})
	default:
		return nil
	}
	kind := policy.ChoiceField{ID: edge.EditPrefix + "kind", Name: edge.EditPrefix + "kind", Label: d.Say.Say("It runs with"), Options: []views.Choice{
		{Value: "pattern", Label: d.Say.Say("a pattern"), Hint: d.Say.Say("RE2, ignoring case, over the code and each text argument."), Checked: d.typed[edge.EditPrefix+"kind"] != "expression"},
		{Value: "expression", Label: d.Say.Say("an expression"), Hint: expression, Checked: d.typed[edge.EditPrefix+"kind"] == "expression"},
	}}
	levels := views.SelectField{ID: edge.EditPrefix + "level", Name: edge.EditPrefix + "level", Label: d.Say.Say("Level"), Error: d.problem(edge.EditPrefix + "level")}
	levels.Options = present.LevelsOfRules(d.Say, d.typed[edge.EditPrefix+"level"])
	e.Parts = append(
		e.Parts,
		policy.EditorPart{Choice: &kind},
		policy.EditorPart{Area: d.area("text", d.Say.Say("Pattern or expression"), d.Say.Say(`Such as \bdrop\s+ledger\b, or action.code.contains("/backup/") && size(action.arguments) > 3`), "4")},
		policy.EditorPart{Select: &levels},
		policy.EditorPart{Line: d.line("reason", d.Say.Say("Reason"), d.Say.Say("One sentence for the operator, without a period."))},
		policy.EditorPart{Box: &views.BoxField{ID: edge.EditPrefix + "reversible", Name: edge.EditPrefix + "reversible", Value: "true", Label: d.Say.Say("What it finds can be undone"), Checked: d.typed[edge.EditPrefix+"reversible"] == "true"}},
	)
	return e
}

func (d listDraft) line(name, label, hint string) *views.LineField {
	id := edge.EditPrefix + name
	return &views.LineField{ID: id, Name: id, Label: label, Value: d.typed[id], Hint: hint, Error: d.problem(id)}
}

func (d listDraft) area(name, label, hint, rows string) *views.AreaField {
	id := edge.EditPrefix + name
	return &views.AreaField{ID: id, Name: id, Label: label, Value: d.typed[id], Hint: hint, Error: d.problem(id), Rows: rows}
}
