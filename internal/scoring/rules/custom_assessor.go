package rules

import (
	"math"
	"unicode/utf8"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/scan"
)

// Assessor is the name under which an assessor's answer stands among the
// triggered rules; no rule has it.
const Assessor = "assessor"

// What an assessor may give: so many texts of each list, and so many bytes of one of
// what it says is affected.
const (
	maxReasons       = 20
	MaxResourceBytes = 300
)

// NewAssessor is a Set in which one CEL expression stands in place of the rules. It
// gives a level, "SAFE" to "CRITICAL", or a map:
//
//	{"level": "HIGH", "reasons": ["Touches the ledger"], "reversible": false,
//	 "affected_resources": ["file:" + action.arguments.path], "estimated_impact": "Books change",
//	 "recommendations": ["Ask accounting"], "requires_approval": true}
//
// of which only the level must be there. A reason, the impact and a recommendation are
// texts that are written in the expression: what an agent sent is never one. What is
// affected may be made of the action; longer than MaxResourceBytes it is cut. Unless the
// map says otherwise what it found is reversible up to MEDIUM, HIGH and CRITICAL require
// approval, and impact, recommendations and resources are those of rules. Whatever else it
// gives, and every failure, is CRITICAL and not reversible. The fault has no member.
func NewAssessor(source string) (*Set, error) {
	e, err := compileExpression(source, fault.Textf(`a level such as "HIGH", or a map with the level`), func(t *cel.Type) bool {
		switch t.Kind() {
		case types.StringKind, types.DynKind:
			return true
		case types.MapKind:
			return t.Parameters()[0].Kind() == types.StringKind || t.Parameters()[0].Kind() == types.DynKind
		}
		return false
	})
	if err != nil {
		return nil, fault.New(fault.InvalidMember, "%s", err)
	}
	set, err := NewSet(nil)
	if err != nil {
		return nil, err
	}
	set.assessor = e
	return set, nil
}

// verdict is what an assessor says.
type verdict struct {
	level      level.Level
	reasons    []string
	reversible bool
	approval   bool
	impact     string
	// recommendations and resources are nil where it says nothing of them.
	recommendations, resources []string
}

// stricterThan orders two answers.
func (v verdict) stricterThan(o verdict) bool {
	if v.level != o.level {
		return v.level > o.level
	}
	if v.approval != o.approval {
		return v.approval
	}
	return o.reversible && !v.reversible
}

// decide asks the assessor about the action and, where something in it is
// disguised, about the copy without; the stricter answer counts, and either may ask
// for approval.
func (s *Set) decide(tree canon.Value) Result {
	q := newInquiry(tree)
	worst, hidden := s.ask(q, q.plain), false
	if q.normal != nil {
		v := s.ask(q, q.normal)
		approval := worst.approval || v.approval
		if v.stricterThan(worst) {
			worst, hidden = v, true
		}
		worst.approval = approval
	}
	result := Result{
		Level: worst.level, TriggeredRules: []string{}, Reasons: worst.reasons, AffectedResources: []string{}, Reversible: worst.reversible,
		EstimatedImpact: worst.impact, Recommendations: []string{}, RequiresApproval: worst.approval,
		Evidence: []scan.Evidence{}, Resources: []Resource{},
	}
	if result.EstimatedImpact == "" {
		result.EstimatedImpact = impact(worst.level)
	}
	result.Recommendations = append(result.Recommendations, worst.recommendations...)
	result.AffectedResources = append(result.AffectedResources, worst.resources...)
	if worst.level == level.Safe {
		result.Reversible = true
		return result
	}
	evidence := scan.Evidence{Pattern: Assessor, Places: []scan.Place{}, Why: worst.reasons[0]}
	result.TriggeredRules, result.Evidence = append(result.TriggeredRules, Assessor), append(result.Evidence, evidence)
	if hidden {
		result.Evidence = append(result.Evidence, scan.Disguised([]scan.Evidence{evidence}))
	}
	if worst.recommendations == nil {
		result.Recommendations = append(result.Recommendations, recommendations(worst.level, worst.reversible)...)
	}
	if worst.resources == nil {
		code := scan.Segment{Pointer: "/code", Text: tree.Get("code").Text()}
		result.Resources = append(result.Resources, Resources([]scan.Segment{code})...)
		for _, r := range result.Resources {
			result.AffectedResources = append(result.AffectedResources, r.String())
		}
	}
	return result
}

// Named lists what the assessor says is affected by an action; nil where there is no
// assessor, or where it says nothing of that.
func (s *Set) Named(tree canon.Value) []string {
	if s.assessor == nil {
		return nil
	}
	q := newInquiry(tree)
	return s.ask(q, q.plain).resources
}

func (s *Set) ask(q *inquiry, action ref.Val) verdict {
	out, err := s.assessor.eval(action, &q.budget)
	if err == nil {
		if v, ok := s.assessor.read(out); ok {
			return v
		}
		err = errFailed
	}
	return verdict{level: level.Critical, approval: true, reasons: []string{"The assessor gave no answer: " + err.Error() + ", which counts as CRITICAL"}}
}

// read takes the answer, and nothing that is not one.
func (e *expression) read(out ref.Val) (verdict, bool) {
	var v verdict
	word, isText := out.(types.String)
	answer, isMap := out.(traits.Mapper)
	if isMap {
		said, ok := answer.Find(types.String("level"))
		if word, isText = said.(types.String); !ok || !isText {
			return v, false
		}
	}
	l, err := level.Parse(string(word))
	if !isText || err != nil {
		return v, false
	}
	v.level, v.reversible, v.approval = l, l <= level.Medium, l >= level.High
	if isMap {
		if said, ok := answer.Find(types.String("reversible")); ok {
			b, isBool := said.(types.Bool)
			if !isBool {
				return v, false
			}
			v.reversible = bool(b)
		}
		if said, ok := answer.Find(types.String("requires_approval")); ok {
			b, isBool := said.(types.Bool)
			if !isBool {
				return v, false
			}
			v.approval = bool(b)
		}
		if !e.texts(&v, answer) {
			return v, false
		}
	}
	switch {
	case len(v.reasons) > 0:
	case l == level.Safe:
		v.reasons = []string{"No risk patterns detected"}
	default:
		v.reasons = []string{"The assessor says " + l.String()}
	}
	return v, true
}

// texts takes what the answer says in words.
func (e *expression) texts(v *verdict, answer traits.Mapper) bool {
	if said, ok := answer.Find(types.String("estimated_impact")); ok {
		text, ok := said.(types.String)
		if !ok || !e.wrote(text) {
			return false
		}
		v.impact = string(text)
	}
	ok := true
	for _, list := range []struct {
		name  string
		most  int
		takes func(types.String) bool
		into  *[]string
	}{
		{"reasons", maxReasons, e.wrote, &v.reasons},
		{"recommendations", maxReasons, e.wrote, &v.recommendations},
	} {
		if said, there := answer.Find(types.String(list.name)); there {
			*list.into, ok = listOf(said, list.most, list.takes)
		}
		if !ok {
			return false
		}
	}
	said, there := answer.Find(types.String("affected_resources"))
	if !there {
		return true
	}
	all, ok := listOf(said, math.MaxInt, func(types.String) bool { return true })
	v.resources = []string{}
	for _, one := range all { // an agent chooses how many there are, and how long
		if one != "" && len(v.resources) < maxResources {
			v.resources = append(v.resources, cutResource(one))
		}
	}
	return ok
}

// wrote reports whether a text is written in the expression.
func (e *expression) wrote(text types.String) bool {
	return text != "" && utf8.RuneCountInString(string(text)) <= MaxReason && e.literals[string(text)]
}

// listOf is a list of texts, never nil, each of which takes accepts; ok is false where it
// is something else, or longer.
func listOf(said ref.Val, most int, takes func(types.String) bool) (list []string, ok bool) {
	all, ok := said.(traits.Lister)
	if !ok {
		return nil, false
	}
	if n, ok := all.Size().(types.Int); !ok || int(n) > most {
		return nil, false
	}
	list = []string{}
	for it := all.Iterator(); it.HasNext() == types.True; {
		text, ok := it.Next().(types.String)
		if !ok || !takes(text) {
			return nil, false
		}
		list = append(list, string(text))
	}
	return list, true
}

// cutResource keeps the beginning of what is longer than MaxResourceBytes.
func cutResource(text string) string {
	if len(text) <= MaxResourceBytes {
		return text
	}
	end := MaxResourceBytes - len("…")
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}
