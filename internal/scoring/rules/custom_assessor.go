package rules

import (
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

// maxReasons bounds how many reasons an assessor may give.
const maxReasons = 20

// NewAssessor is a Set in which one CEL expression stands in place of the rules. It
// gives a level, "SAFE" to "CRITICAL", or a map:
//
//	{"level": "HIGH", "reasons": ["Touches the ledger"], "reversible": false}
//
// of which only the level must be there. A reason is a text that is written in the
// expression: what an agent sent is never one. Unless the map says otherwise what it
// found is reversible up to MEDIUM. Whatever else it gives, and every failure, is
// CRITICAL and not reversible. The fault has no member.
func NewAssessor(source string) (*Set, error) {
	e, err := compileExpression(source, fault.Textf(`a level as a text, like "HIGH", or a map with the level`), func(t *cel.Type) bool {
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
}

// decide asks the assessor about the action and, where something in it is
// disguised, about the copy without; the stricter answer counts.
func (s *Set) decide(tree canon.Value) Result {
	q := newInquiry(tree)
	worst, hidden := s.ask(q, q.plain), false
	if q.normal != nil {
		if v := s.ask(q, q.normal); v.level > worst.level || v.level == worst.level && worst.reversible && !v.reversible {
			worst, hidden = v, true
		}
	}
	result := Result{
		Level: worst.level, TriggeredRules: []string{}, Reasons: worst.reasons, AffectedResources: []string{}, Reversible: worst.reversible,
		EstimatedImpact: impact(worst.level), Recommendations: []string{}, RequiresApproval: worst.level >= level.High,
		Evidence: []scan.Evidence{}, Resources: []Resource{},
	}
	if worst.level == level.Safe {
		result.Reversible = true
		return result
	}
	evidence := scan.Evidence{Pattern: Assessor, Places: []scan.Place{}, Why: worst.reasons[0]}
	result.TriggeredRules, result.Evidence = append(result.TriggeredRules, Assessor), append(result.Evidence, evidence)
	if hidden {
		result.Evidence = append(result.Evidence, scan.Disguised([]scan.Evidence{evidence}))
	}
	result.Recommendations = append(result.Recommendations, recommendations(worst.level, worst.reversible)...)
	code := scan.Segment{Pointer: "/code", Text: tree.Get("code").Text()}
	result.Resources = append(result.Resources, Resources([]scan.Segment{code})...)
	for _, r := range result.Resources {
		result.AffectedResources = append(result.AffectedResources, r.String())
	}
	return result
}

func (s *Set) ask(q *inquiry, action ref.Val) verdict {
	out, err := s.assessor.eval(action, &q.budget)
	if err == nil {
		if v, ok := s.assessor.read(out); ok {
			return v
		}
		err = errFailed
	}
	return verdict{level: level.Critical, reasons: []string{"The assessor gave no answer: " + err.Error() + ", which counts as CRITICAL"}}
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
	v.level, v.reversible = l, l <= level.Medium
	if isMap {
		if said, ok := answer.Find(types.String("reversible")); ok {
			b, isBool := said.(types.Bool)
			if !isBool {
				return v, false
			}
			v.reversible = bool(b)
		}
		if said, ok := answer.Find(types.String("reasons")); ok && !e.reasons(&v, said) {
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

func (e *expression) reasons(v *verdict, said ref.Val) bool {
	all, ok := said.(traits.Lister)
	if !ok {
		return false
	}
	if n, ok := all.Size().(types.Int); !ok || n > maxReasons {
		return false
	}
	for it := all.Iterator(); it.HasNext() == types.True; {
		reason, ok := it.Next().(types.String)
		if !ok || reason == "" || len(reason) > MaxReasonBytes || !e.literals[string(reason)] {
			return false
		}
		v.reasons = append(v.reasons, string(reason))
	}
	return true
}
