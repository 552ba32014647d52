package rules

import (
	"errors"
	"math"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
)

// Scorer is a CEL expression over the whole action that gives a score, with the limits
// that expressions of rules have. It never changes and is safe for concurrent use.
type Scorer struct{ evaluated *expression }

var errNoScore = errors.New("its expression gave no number from 0 to 1")

// NewScorer checks an expression and makes it ready. The fault has no member.
func NewScorer(source string) (*Scorer, error) {
	e, err := compileExpression(source, fault.Textf("a number from 0 to 1"), func(t *cel.Type) bool {
		switch t.Kind() {
		case types.DoubleKind, types.IntKind, types.UintKind, types.DynKind:
			return true
		}
		return false
	})
	if err != nil {
		return nil, fault.New(fault.InvalidMember, "%s", err)
	}
	return &Scorer{e}, nil
}

// Scored is what a Scorer says of an action.
type Scored struct {
	Score  float64
	Failed error // why there is no answer, which counts as 1; it says nothing of the action
}

// ScoreAction asks scorers about an action and, where something in it is disguised, about
// the copy without; the higher score counts. Together they cost what the rules of one
// action may; those that find that spent fail.
func ScoreAction(scorers []*Scorer, tree canon.Value) []Scored {
	if len(scorers) == 0 {
		return nil
	}
	q, all := newInquiry(tree), make([]Scored, len(scorers))
	for i, s := range scorers {
		all[i] = s.ask(q, q.plain)
		if q.normal == nil || all[i].Failed != nil {
			continue
		}
		if hidden := s.ask(q, q.normal); hidden.Failed != nil || hidden.Score > all[i].Score {
			all[i] = hidden
		}
	}
	return all
}

func (s *Scorer) ask(q *inquiry, action ref.Val) Scored {
	out, err := s.evaluated.eval(action, &q.budget)
	if err != nil {
		return Scored{1, err}
	}
	score := math.NaN()
	switch n := out.(type) {
	case types.Double:
		score = float64(n)
	case types.Int:
		score = float64(n)
	case types.Uint:
		score = float64(n)
	}
	if !(score >= 0 && score <= 1) { // also what is no number
		return Scored{1, errNoScore}
	}
	return Scored{Score: score}
}
