package rules

import (
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring/scan"
)

// inquiry is one action as expressions are asked about it. It serves one
// assessment, and one goroutine.
type inquiry struct {
	plain, normal ref.Val // normal: texts without disguise; nil where nothing is disguised
	budget        uint64
}

func newInquiry(tree canon.Value) *inquiry {
	q := &inquiry{plain: &subject{tree}, budget: MaxTotalCost}
	disguised := false
	normal := tree.MapStrings(func(_, s string) string {
		n, _, changed := scan.Normal(s)
		disguised = disguised || changed
		return n
	})
	if disguised {
		q.normal = &subject{normal}
	}
	return q
}

// holds reports whether an expression is true of the action, or of its copy
// without disguise. failed says that it could not be told, which counts as true.
// Without an action nothing holds.
func (q *inquiry) holds(e *expression) (m match, failed error) {
	if q == nil {
		return match{}, nil
	}
	for _, action := range []ref.Val{q.plain, q.normal} {
		if action == nil {
			continue
		}
		out, err := e.eval(action, &q.budget)
		switch {
		case err != nil:
			return match{fired: true, places: []scan.Place{}}, err
		case out == types.True:
			return match{fired: true, onlyHidden: action != q.plain, places: []scan.Place{}}, nil
		case out != types.False:
			return match{fired: true, places: []scan.Place{}}, errFailed
		}
	}
	return match{}, nil
}

// MaxWork bounds what a tenant's patterns do on one action: bytes looked at, times
// the size of the expression that looks (scan.Regexp.Size), 0.6 s at worst. Each
// match after the first may need one more pass. What the prefilter rules out costs
// nothing. A pattern of 30 instructions may look at a million bytes.
const MaxWork = 30_000_000

// affords takes the cost of looking into a text from work, and says how many
// matches may be looked for; 0: none, there is not enough left.
func (r *Rule) affords(t *text, most int, work *uint64) int {
	pass := r.size * uint64(len(t.Text)+1)
	if _, hidden := t.Normal(); hidden {
		pass *= 2
	}
	if *work < pass {
		*work = 0
		return 0
	}
	if *work < pass*uint64(most) {
		most = 1
	}
	*work -= pass
	return most
}
