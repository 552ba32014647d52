package approvals

import (
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring/effects"
)

// Effect is the kind of the effect that decides about a; "" where none was read: of what
// came before effects were, and where nothing is called.
func (a Approval) Effect() effects.Kind {
	if len(a.Assessment.Effects) == 0 {
		return ""
	}
	return a.Assessment.Effects[0].Kind
}

// effectsData is what the call does, as the trail keeps it: without the places where it
// was read, which are with the approval.
func (a Approval) effectsData() canon.Value {
	all := make([]canon.Value, len(a.Assessment.Effects))
	for i, e := range a.Assessment.Effects {
		var reversible, sensitive, amount canon.Value
		if e.Reversible != nil {
			reversible = canon.Bool(*e.Reversible)
		}
		if e.Sensitive {
			sensitive = canon.Bool(true)
		}
		if e.Amount != nil {
			amount = canon.String(e.Amount.String())
		}
		all[i] = canon.Object(
			member("kind", canon.String(string(e.Kind))),
			member("verb", text(e.Verb)),
			member("object", text(e.Object)),
			member("breadth", text(string(e.Breadth))),
			member("reversible", reversible),
			member("sensitive", sensitive),
			member("certain", canon.Bool(e.Certain)),
			member("audience", text(string(e.Audience))),
			member("amount", amount),
		)
	}
	return canon.Array(all...)
}

// floorData is the level that the effects ask for, and why; Absent where none was read.
func (a Approval) floorData() canon.Value {
	f := a.Assessment.Floor
	if a.Effect() == "" {
		return canon.Value{}
	}
	return canon.Object(
		member("level", canon.String(f.Level.String())),
		member("effect", text(string(f.Effect))),
		member("because", text(f.Because)),
	)
}
