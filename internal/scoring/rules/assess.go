package rules

import (
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/scan"
)

// maxPlaces bounds how many places of one rule an assessment lists.
const maxPlaces = 8

// Result is the model's answer. No slice of it is nil.
type Result struct {
	Level             level.Level     `json:"level"` // the highest that fired; SAFE if none did
	TriggeredRules    []string        `json:"triggered_rules"`
	Reasons           []string        `json:"reasons"` // one per triggered rule; "No risk patterns detected" if none
	AffectedResources []string        `json:"affected_resources"`
	Reversible        bool            `json:"reversible"` // everything that fired is
	EstimatedImpact   string          `json:"estimated_impact"`
	Recommendations   []string        `json:"recommendations"`
	RequiresApproval  bool            `json:"requires_approval"` // HIGH or CRITICAL
	Evidence          []scan.Evidence `json:"evidence"`          // one per triggered rule, and scan.Obfuscated if need be
	Resources         []Resource      `json:"resources"`         // what AffectedResources shows, in full and with places
}

// Assess reads the code and the values of the arguments; their names, which
// scan.Arguments gives too, are left out. Core rules see the code only. Rules in
// CEL do not run: they want the whole action.
func (s *Set) Assess(code string, args []scan.Segment) Result {
	passages := scan.Passages(append([]scan.Segment{{Pointer: "/code", Text: code}}, args...))
	return s.assess(&passages[0], passages[1:], nil)
}

// AssessAction is Assess of a whole action, whose code (nil for none) and arguments were read.
func (s *Set) AssessAction(tree canon.Value, code *scan.Passage, args []scan.Passage) Result {
	if s.assessor != nil {
		return s.decide(tree)
	}
	var asked *inquiry
	if s.asks {
		asked = newInquiry(tree)
	}
	return s.assess(code, args, asked)
}

func (s *Set) assess(code *scan.Passage, args []scan.Passage, asked *inquiry) Result {
	texts, possible := s.prepare(code, args)
	result := Result{
		TriggeredRules: []string{}, Reasons: []string{}, AffectedResources: []string{}, Reversible: true,
		Recommendations: []string{}, Evidence: []scan.Evidence{}, Resources: []Resource{},
	}
	var (
		firedInCode = map[string]bool{}
		hidden      []scan.Evidence
		work        = uint64(MaxWork)
	)
	for i := range s.rules {
		r := &s.rules[i]
		if r.evaluated == nil && !possible.Has(i) {
			continue
		}
		found, why := match{}, r.Reason
		var failed error
		if r.evaluated == nil {
			found, failed = r.read(i, texts, firedInCode[r.refines], &work)
		} else {
			found, failed = asked.holds(r.evaluated)
		}
		if failed != nil {
			why += " (" + failed.Error() + ", which counts as triggered)"
		}
		if !found.fired {
			continue
		}
		firedInCode[r.Name] = found.inCode && r.Group != GroupCustom // a replacement may find something else
		evidence := scan.Evidence{Pattern: r.Name, Places: found.places, Why: why}
		if found.onlyHidden {
			hidden = append(hidden, evidence)
		}
		result.Evidence = append(result.Evidence, evidence)
		result.TriggeredRules = append(result.TriggeredRules, r.Name)
		result.Reasons = append(result.Reasons, r.Reason)
		result.Level = max(result.Level, r.Level)
		result.Reversible = result.Reversible && r.Reversible
	}
	if len(hidden) > 0 {
		result.Evidence = append(result.Evidence, scan.Disguised(hidden))
	}
	result.EstimatedImpact = impact(result.Level)
	if len(result.TriggeredRules) == 0 {
		result.Reasons = append(result.Reasons, "No risk patterns detected")
		return result
	}
	result.Recommendations = append(result.Recommendations, recommendations(result.Level, result.Reversible)...)
	result.RequiresApproval = result.Level >= level.High
	result.Resources = append(result.Resources, resources(sources(texts), len(s.rules))...)
	for _, r := range result.Resources {
		result.AffectedResources = append(result.AffectedResources, r.String())
	}
	return result
}

// text is what rules read.
type text struct {
	*scan.Passage
	possible scan.Set // the rules and extractors that may find something in it
	isCode   bool
	matched  bool // by some rule
}

// prepare puts the code first. possible are the rules that may match one of the texts.
func (s *Set) prepare(code *scan.Passage, args []scan.Passage) (texts []text, possible scan.Set) {
	values := 0
	for i := range args {
		if !args[i].Key {
			values++
		}
	}
	texts = make([]text, 0, 1+values)
	possible = scan.NewSet(len(s.rules) + len(extractors))
	take := func(p *scan.Passage, isCode bool) {
		t := text{p, p.Possible(s.possible), isCode, false}
		possible.Add(t.possible)
		texts = append(texts, t)
	}
	if code != nil {
		take(code, true)
	}
	for i := range args {
		if !args[i].Key {
			take(&args[i], false)
		}
	}
	return texts, possible
}

// sources are the texts whose resources are listed: the code, and the values
// that a rule matched.
func sources(texts []text) []source {
	var all []source
	for i := range texts {
		if t := &texts[i]; t.isCode || t.matched {
			all = append(all, source{t.Segment, t.Plain(), t.possible})
		}
	}
	return all
}

// match is what one rule found.
type match struct {
	fired, inCode bool
	onlyHidden    bool // nowhere but in copies without disguise
	places        []scan.Place
}

// read looks in the texts and marks those that match. i is the rule's place in the
// Set. codeIsCovered leaves out the code, because the rule that this one refines fired
// there. work is what the patterns of a tenant may still do; failed says that it was
// not enough.
func (r *Rule) read(i int, texts []text, codeIsCovered bool, work *uint64) (found match, failed error) {
	var plain, hidden []scan.Place
	for k := range texts {
		t := &texts[k]
		if t.isCode && codeIsCovered || !t.isCode && r.Group == GroupCore || !t.possible.Has(i) {
			continue
		}
		// At least one, to know whether there is one.
		most := max(maxPlaces-len(plain)-len(hidden), 1)
		if r.Group == GroupCustom {
			if most = r.affords(t, most, work); most == 0 {
				found.fired, failed = true, errTooDear
				break
			}
		}
		spans, obfuscated := t.Find(r.compiled, most)
		for _, s := range spans {
			if obfuscated {
				hidden = append(hidden, t.Place(s.Start, s.End))
			} else {
				plain = append(plain, t.Place(s.Start, s.End))
			}
		}
		if len(spans) > 0 {
			found.fired, t.matched = true, true
			found.inCode = found.inCode || t.isCode
		}
	}
	found.onlyHidden = len(plain) == 0 && len(hidden) > 0
	found.places = append(plain, hidden...)
	found.places = found.places[:min(len(found.places), maxPlaces)]
	return found, failed
}

// Sentences lists what the model says of every level: impacts, and what it recommends.
func Sentences() []string {
	all := recommendations(level.Critical, false)
	for _, of := range published {
		all = append(all, of.impact, of.recommends)
	}
	return all
}

// published is what the model says of each level.
var published = [...]struct{ impact, recommends string }{
	level.Safe:     {"No significant impact expected", "Auto-approve"},
	level.Low:      {"Minor impact, easily reversible", "Usually approve"},
	level.Medium:   {"Moderate impact, generally reversible", "Consider carefully"},
	level.High:     {"Significant impact, may require manual intervention to undo", "Require confirmation"},
	level.Critical: {"Potentially severe and irreversible impact", "Require explicit approval"},
}

func impact(l level.Level) string { return published[l].impact }

// Recommends is the model's approval recommendation for a level.
func Recommends(l level.Level) string { return published[l].recommends }

// recommendations are the published ones, in their order.
func recommendations(l level.Level, reversible bool) []string {
	var list []string
	if l >= level.High {
		list = append(list, "Review carefully before approving")
	}
	if !reversible {
		list = append(list, "This action cannot be easily undone")
	}
	if l == level.Critical {
		list = append(list, "Consider if this action is truly necessary")
	}
	return list
}
