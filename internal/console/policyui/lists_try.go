package policyui

import (
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/console/edge"
	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/internal/console/untrusted"
	"github.com/countersign/countersign/internal/console/urls"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/rules"
	"github.com/countersign/countersign/internal/scoring/scan"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/policy"
	"github.com/countersign/countersign/views/texts"
)

// The try-out: an action that stands on the page against the draft that stands there.
// It is scored by the code that scores submissions, and nothing is stored.

// exampleFunction is called where no function is typed; its name says nothing.
const exampleFunction = "example"

// tryFields are what can be typed.
var tryFields = []struct {
	name, rows  string
	label, hint texts.Key
}{
	{"function", "", texts.Key("Function"), texts.Key("Defaults to “example”.")},
	{"arguments", "2", texts.Key("Arguments"), texts.Key(`JSON, such as {"path": "/srv/ledger"}`)},
	{"code", "2", texts.Key("Code"), ""},
	{"environment", "", texts.Key("Environment"), ""},
}

// tryOut is the panel, with what the draft says about what stands in it.
func (d listDraft) tryOut(url string) *policy.TryOut {
	t := &policy.TryOut{URL: url}
	filled := false
	if d.typed[edge.TryPrefix+"function"] == "" {
		filled = slices.ContainsFunc([]string{"arguments", "code", "environment"}, func(name string) bool { return d.typed[edge.TryPrefix+name] != "" })
	} else {
		filled = true
	}
	var wrongField, wrongText string
	if filled {
		t.Tried, wrongField, wrongText = d.try()
		wrongText = scoring.MaskText(wrongText)
		t.Tried.Error = scoring.MaskText(t.Tried.Error)
	}
	compiled, _ := scoring.Compile(d.policy()) // where it is none, its own patterns find nothing
	for _, f := range tryFields {
		id, problem := edge.TryPrefix+f.name, ""
		if wrongField == f.name {
			problem = present.Sentence(wrongText) + "."
		}
		if f.rows != "" {
			t.Parts = append(t.Parts, policy.EditorPart{Area: &views.AreaField{ID: id, Name: id, Label: d.Say.Key(f.label), Value: edge.MaskTry(compiled, d.typed[id]), Hint: d.Say.Key(f.hint), Error: problem, Rows: f.rows}})
			continue
		}
		t.Parts = append(t.Parts, policy.EditorPart{Line: &views.LineField{ID: id, Name: id, Label: d.Say.Key(f.label), Value: edge.MaskTry(compiled, d.typed[id]), Hint: d.Say.Key(f.hint), Error: problem, Mono: true}})
	}
	return t
}

// try scores it. field is what is wrong, "" where nothing is.
func (d listDraft) try() (tried *policy.Tried, field, wrong string) {
	function := orElse(strings.TrimSpace(d.typed[edge.TryPrefix+"function"]), exampleFunction)
	members := []canon.Member{{Name: "function", Value: canon.String(function)}}
	if text := strings.TrimSpace(d.typed[edge.TryPrefix+"arguments"]); text != "" {
		arguments, err := canon.Parse([]byte(text))
		if err != nil {
			return &policy.Tried{Error: d.Say.Say("Can't read the arguments: %s", present.LowerFirst(d.Say.Phrase(fault.As(err))))}, "arguments", d.Say.Phrase(fault.As(err))
		}
		members = append(members, canon.Member{Name: "arguments", Value: arguments})
	}
	for _, name := range []string{"code", "environment"} {
		if text := d.typed[edge.TryPrefix+name]; text != "" {
			members = append(members, canon.Member{Name: name, Value: canon.String(text)})
		}
	}
	whole, err := canon.Parse(canon.Object(members...).Canonical()) // the gate, as for an agent
	var action scoring.Action
	if err == nil {
		action, err = scoring.NewAction(whole)
	}
	if err != nil {
		f := fault.As(err)
		field, _, _ = strings.Cut(strings.TrimPrefix(f.Member, "/"), "/")
		return &policy.Tried{Error: present.Because(d.Say, f) + "."}, field, d.Say.Phrase(f)
	}
	compiled, err := scoring.Compile(d.policy())
	if err != nil {
		return &policy.Tried{Error: d.Say.Say("Can't score with this draft: %s", present.LowerFirst(d.Say.Phrase(fault.As(err))))}, "", ""
	}
	exam := compiled.Examine(action, nil)
	_, _, as := exam.Mask(exam.Assess(1))
	return d.triedOf(compiled, as), "", ""
}

// triedOf is what the draft said.
func (d listDraft) triedOf(compiled *scoring.Compiled, as scoring.Assessment) *policy.Tried {
	t := &policy.Tried{Level: present.LevelOf(as.Level), Response: map[scoring.Response]string{scoring.Block: d.Say.Say("would be blocked"), scoring.Hold: d.Say.Say("would be held for a person")}[as.Response], Sentence: untrusted.InEnglish(untrusted.Runs(as.Explanation))}
	if t.Response == "" {
		t.Response = d.Say.Say("would be approved automatically")
	}
	levels := map[string]level.Level{rules.Assessor: as.Rules.Level}
	for _, r := range compiled.Rules() {
		levels[r.Name] = r.Level
	}
	for i, name := range as.Rules.TriggeredRules {
		f := policy.TriedFinding{Icon: views.IconRule, Kind: d.Say.Say("rule"), Name: untrusted.Runs(name), About: untrusted.Runs(present.BuiltIn(d.Say, as.Rules.Evidence[i].Why)), Where: whereOf(d.Say, as.Rules.Evidence[i].Places)}
		if l := levels[name]; l > level.Safe {
			f.Level = present.LevelOf(l)
		}
		if d.Draft[FieldFrom] == urls.PlaceRules && name != rules.Assessor {
			f.URL = "#" + present.EntryID("rule", name)
		}
		t.Found = append(t.Found, f)
	}
	for _, m := range as.Patterns.MatchedPatterns {
		f := policy.TriedFinding{Icon: views.IconPattern, Kind: d.Say.Say("pattern"), Name: untrusted.Runs(m.ID), Level: severityLevel(m.Severity), About: untrusted.Runs(present.BuiltIn(d.Say, m.Why) + ", " + present.ActionWord(d.Say, m.Action)), Where: whereOf(d.Say, m.Places)}
		if d.Draft[FieldFrom] == urls.PlacePatterns {
			f.Show = &policy.ListButton{Do: "show:" + m.ID, Label: m.ID, Kind: "quiet", At: present.EntryID("pattern", m.ID)}
		}
		t.Found = append(t.Found, f)
	}
	if d.Draft[FieldFrom] == urls.PlaceRules {
		t.Found = append(t.Found, triedScorers(d.Say, as.Scorers)...)
	}
	if len(t.Found) == 0 {
		t.None = d.Say.Say("No rules or patterns matched.")
	}
	return t
}

// whereOf is the first place, in words.
func whereOf(say texts.Printer, places []scan.Place) []views.Run {
	if len(places) == 0 {
		return nil
	}
	text := say.Say("in %s", strings.ReplaceAll(strings.TrimPrefix(places[0].Pointer, "/"), "/", "."))
	if n := len(places); n > 1 {
		text += ", " + say.Say("%d places", n)
	}
	return untrusted.Runs(text)
}
