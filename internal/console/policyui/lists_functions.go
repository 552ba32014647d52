package policyui

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/console/edge"
	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/internal/console/untrusted"
	"github.com/countersign/countersign/internal/console/urls"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/policy"
	"github.com/countersign/countersign/views/texts"
)

// The page of the function registry.

const whatFunction = "function"

func functionsList(say texts.Printer) listKind {
	return listKind{
		place: urls.PlaceFunctions, title: say.Say("Functions"), search: say.Say("Search functions"), dimension: approvals.ByFunction,
		fields: []string{"glob", "hints", "docstring", "floor", "expiry"},
		act:    actOnFunctions, put: putFunction, draw: drawFunctions,
	}
}

// functionOf is where the entry of a name stands: see scoring.Function.Name.
func functionOf(all []scoring.Function, name string) int {
	return slices.IndexFunc(all, func(f scoring.Function) bool { return f.Name() == name })
}

func actOnFunctions(d *listDraft, verb, glob string) {
	d.open = glob
	at := functionOf(d.lists.Functions, glob)
	switch {
	case verb == "add":
		d.edit(whatFunction, "", nil)
	case verb == "drop" && at >= 0:
		d.lists.Functions = slices.Delete(slices.Clone(d.lists.Functions), at, at+1)
	case verb == "edit" && at >= 0:
		f := d.lists.Functions[at]
		values := map[string]string{"glob": f.Glob, "docstring": f.Docstring, "hints": hintsText(f.Hints)}
		if f.Floor > level.Safe {
			values["floor"] = f.Floor.String()
		}
		if f.ExpirySeconds > 0 {
			values["expiry"] = strconv.Itoa(f.ExpirySeconds)
		}
		d.edit(whatFunction, f.Name(), values)
	}
}

func hintsText(hints map[string]any) string {
	if len(hints) == 0 {
		return ""
	}
	b, err := json.Marshal(hints)
	if err != nil {
		return ""
	}
	return string(b)
}

func putFunction(d *listDraft) {
	next, of, before := d.lists, d.typed[fieldEdited], len(d.found)
	f := scoring.Function{}
	if at := functionOf(d.lists.Functions, of); at >= 0 { // what the editor does not show stays
		f = d.lists.Functions[at]
	}
	f.Glob, f.Docstring = strings.TrimSpace(d.typed[edge.EditPrefix+"glob"]), strings.TrimSpace(d.typed[edge.EditPrefix+"docstring"])
	f.Floor, f.ExpirySeconds, f.Hints = level.Safe, 0, nil
	if text := d.typed[edge.EditPrefix+"floor"]; text != "" {
		var err error
		if f.Floor, err = level.Parse(text); err != nil {
			d.refuse(edge.EditPrefix+"floor", d.Say.Say("expected LOW, MEDIUM, HIGH, CRITICAL or none"))
		}
	}
	if text := strings.TrimSpace(d.typed[edge.EditPrefix+"expiry"]); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || len(text) > maxNumber {
			d.refuse(edge.EditPrefix+"expiry", d.Say.Say("is %s; expected a whole number of seconds, or nothing", inQuotes(d.Say, text)))
		}
		f.ExpirySeconds = n
	}
	if text := strings.TrimSpace(d.typed[edge.EditPrefix+"hints"]); text != "" {
		hints, wrong := readHints(d.Say, text)
		if wrong != "" {
			d.refuse(edge.EditPrefix+"hints", wrong)
		}
		f.Hints = hints
	}
	if len(d.found) > before {
		return
	}
	var at int
	next.Functions, at = placed(next.Functions, functionOf(next.Functions, of), f)
	d.take(next, "/functions/"+strconv.Itoa(at), map[string]string{
		"/glob": "glob", "/hints": "hints", "/docstring": "docstring", "/floor": "floor", "/expiry_seconds": "expiry", "": "glob",
	})
	d.open = f.Name()
}

// readHints takes an object of true, false and numbers.
func readHints(say texts.Printer, text string) (map[string]any, string) {
	v, err := canon.Parse([]byte(text))
	if err != nil || v.Kind() != canon.KindObject {
		return nil, say.Say(`it isn't a JSON object; expected one like {"irreversible": true, "amount": 500}`)
	}
	hints := map[string]any{}
	for name, hint := range v.Members() {
		switch hint.Kind() {
		case canon.KindBool:
			hints[name] = hint.Bool()
		case canon.KindNumber:
			hints[name] = hint.Float()
		case canon.KindAbsent, canon.KindNull, canon.KindString, canon.KindArray, canon.KindObject:
			return nil, say.Say("the hint %s is neither true, false nor a number", inQuotes(say, name))
		}
	}
	return hints, ""
}

func drawFunctions(d listDraft, usage map[string]approvals.Tally, v *policy.ListSettings) {
	var rows []policy.ListRow
	for _, f := range d.lists.Functions {
		if d.matches(f.Glob, f.Docstring, hintsText(f.Hints), f.Floor.String()) {
			rows = append(rows, d.functionRow(f, usage))
		}
	}
	v.Summary = d.Say.Say("What you know about functions that agents don't say. Hints and floors only raise the level. Lowering an effect weakens the policy and needs a second person.")
	add := policy.ListSwitch{
		Label: d.Say.Say("Functions known"), Tone: views.TonePlain, State: strconv.Itoa(len(d.lists.Functions)), Note: d.Say.Say("Every matching entry counts. Matching ignores case: * is any text, ? is one character."),
		Buttons: []policy.ListButton{{Do: "add", Label: d.Say.Say("Add a function"), Icon: "plus", Kind: "primary", At: "edit"}},
	}
	if len(d.lists.Functions) > 0 {
		add.Tone = views.ToneOK
	} else if d.typed[fieldSearch] == "" {
		v.Empty = &views.Empty{Title: d.Say.Say("No known functions yet"), Text: untrusted.Runs(d.Say.Say("An entry says whether a function can be undone, what it costs, or its lowest level."))}
	}
	v.Switches = []policy.ListSwitch{add}
	v.Groups = []policy.ListGroup{{ID: "registry", Title: d.Say.Say("Registry"), Note: d.Say.Say("%d entries", len(rows)), Rows: rows}}
	v.Editor = d.functionEditor()
}

func (d listDraft) functionRow(f scoring.Function, usage map[string]approvals.Tally) policy.ListRow {
	var t approvals.Tally
	glob := scoring.GlobMatcher(f.Glob)
	for name, tally := range usage {
		if glob(name) {
			t.Add(tally)
		}
	}
	row := policy.ListRow{
		ID: present.EntryID("function", f.Name()), Name: untrusted.Runs(f.Glob), About: untrusted.Runs(orElse(f.Docstring, d.Say.Say("no docstring"))), Use: useOf(d.Say, t), Open: d.open == f.Name(),
		Fields: useFields(d.Say, t),
		Buttons: []policy.ListButton{
			{Do: "edit:" + f.Name(), Label: d.Say.Say("Change"), Of: d.Say.Say("the function %s", present.Flat(d.Say, f.Glob)), At: "edit"},
			{Do: "drop:" + f.Name(), Label: d.Say.Say("Remove"), Of: d.Say.Say("the function %s", present.Flat(d.Say, f.Glob))},
		},
	}
	d.lowering(f, &row)
	if f.Floor > level.Safe {
		row.Level = present.LevelOf(f.Floor)
		row.Fields = append(row.Fields, views.Pair{Label: d.Say.Say("Floor"), Value: untrusted.Runs(d.Say.Say("at least %s", present.LevelWord(d.Say, f.Floor)))})
	} else {
		row.Safe = d.Say.Say("no floor")
	}
	if f.ExpirySeconds > 0 {
		row.Chips = append(row.Chips, policy.ListChip{Word: untrusted.Runs(d.Say.Say("%d s", f.ExpirySeconds)), Icon: views.IconClock})
		row.Fields = append(row.Fields, views.Pair{Label: d.Say.Say("Expires after"), Value: untrusted.Runs(d.Say.Say("%d seconds", f.ExpirySeconds))})
	}
	if text := hintsText(f.Hints); text != "" {
		row.Chips = append(row.Chips, policy.ListChip{Word: untrusted.Runs(d.Say.Say("%d hints", len(f.Hints))), Icon: views.IconInfo})
		row.Texts = append(row.Texts, policy.ListText{Label: d.Say.Say("Hints"), Lines: lines(text)})
	}
	if f.Docstring != "" {
		row.Texts = append(row.Texts, policy.ListText{Label: d.Say.Say("Docstring"), Lines: lines(f.Docstring)})
	}
	return row
}

// lowering adds what an entry says in place of the name, for whom and until when.
func (d listDraft) lowering(f scoring.Function, row *policy.ListRow) {
	if f.Reason != "" {
		row.About = untrusted.Runs(f.Reason)
	}
	if f.Effect != "" {
		row.Fields = append(row.Fields, views.Pair{Label: d.Say.Say("Effect"), Value: untrusted.Runs(string(f.Effect))})
	}
	if f.LowerTo > level.Safe {
		row.Chips = append(row.Chips, policy.ListChip{Word: untrusted.Runs(d.Say.Say("lowered to %s", present.LevelWord(d.Say, f.LowerTo))), Icon: views.IconInfo})
	}
	if f.Agent != "" {
		row.Fields = append(row.Fields, views.Pair{Label: d.Say.Say("Agent"), Value: untrusted.Runs(f.Agent)})
	}
	if f.Until != "" {
		row.Chips = append(row.Chips, policy.ListChip{Word: present.SayAt(d.Say, present.PolicyDay, texts.Key("until %s"), f.Ends()), Icon: views.IconClock})
	}
	if f.Pattern == nil {
		return
	}
	for _, t := range f.Pattern.Arguments {
		value := string(t.Rule)
		if b, err := json.Marshal(t.Values); err == nil && len(t.Values) > 0 {
			value += " " + string(b)
		}
		row.Fields = append(row.Fields, views.Pair{Label: present.Flat(d.Say, PointerName(t.Pointer)), Value: untrusted.Runs(value), Mono: true})
	}
}

func orElse(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// functionEditor is the editor that is open, or nil.
func (d listDraft) functionEditor() *policy.ListEditor {
	what, of := d.typed[fieldWhat], d.typed[fieldEdited]
	if what != whatFunction {
		return nil
	}
	e := &policy.ListEditor{
		Title:  d.Say.Say("Change %s", present.Flat(d.Say, of)),
		Hidden: []views.Hidden{{Name: fieldWhat, Value: what}, {Name: fieldEdited, Value: of}},
		Put:    policy.ListButton{Do: "put", Label: d.Say.Say("Add to draft"), Kind: "primary"}, Cancel: policy.ListButton{Do: "cancel", Label: d.Say.Say("Cancel"), Kind: "quiet"},
	}
	if of == "" {
		e.Title = d.Say.Say("Add a function")
	}
	glob := d.line("glob", d.Say.Say("Name or glob"), d.Say.Say("The whole name, ignoring case: * is any text, ? is one character. Example: delete_*"))
	glob.Mono = true
	floor := selection(d, "floor", d.Say.Say("Lowest level"), d.Say.Say("none"), []string{"LOW", "MEDIUM", "HIGH", "CRITICAL"}, present.LevelNamed)
	expiry := d.line("expiry", d.Say.Say("Expires after (seconds)"), d.Say.Say("Overrides the limit for its level (optional)"))
	e.Parts = []policy.EditorPart{
		{Line: glob},
		{Select: floor},
		{Area: d.area("hints", d.Say.Say("Hints"), d.Say.Say(`A JSON object, as an agent sends it: {"irreversible": true, "amount": 500}`), "2")},
		{Area: d.area("docstring", d.Say.Say("Docstring"), d.Say.Say("Read together with the agent's own: words such as permanently or production raise the score."), "3")},
		{Line: expiry},
	}
	return e
}

func PointerName(pointer string) string {
	if pointer == "" {
		return "arguments"
	}
	return pointer
}
