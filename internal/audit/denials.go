package audit

import "github.com/countersign/countersign/internal/canon"

// What events tell of denials and blocks that hold their like, so that it can be told
// again from the trail: that one is kept, that its like was asked for again, and that a
// person's approval ended it.
const (
	remembers  = "remembers"
	remembered = "remembered"
	forgets    = "forgets"
)

// Kept is what a denial or a block leaves behind: at which level acts are held that are
// like it in one of these ways, and how often they were asked for.
type Kept struct {
	Like  []string
	Level string
	Asked int64
}

// DenialKept tells of k in the event of the decision.
func DenialKept(k Kept) canon.Member {
	return canon.Member{Name: remembers, Value: canon.Object(
		canon.Member{Name: "like", Value: arrayOf(k.Like)},
		canon.Member{Name: "level", Value: canon.String(k.Level)},
		canon.Member{Name: "asked", Value: canon.Int(k.Asked)},
	)}
}

// DenialKept reads what e tells is kept; false for nothing.
func (e Event) DenialKept() (k Kept, ok bool) {
	d := e.Data.Get(remembers)
	if d.IsAbsent() {
		return k, false
	}
	k.Asked, _ = d.Get("asked").Int64()
	k.Like, k.Level = textsOf(d.Get("like")), d.Get("level").Text()
	return k, true
}

// DenialRecalled tells which denial or block holds a submission, and in which ways they
// are alike.
func DenialRecalled(approval, verdict string, like []string) canon.Member {
	return canon.Member{Name: remembered, Value: canon.Object(
		canon.Member{Name: "approval", Value: canon.String(approval)},
		canon.Member{Name: "verdict", Value: canon.String(verdict)},
		canon.Member{Name: "like", Value: arrayOf(like)},
	)}
}

// DenialRecalled reads in which ways a submission is like what was denied or blocked.
func (e Event) DenialRecalled() (like []string) { return textsOf(e.Data.Get(remembered).Get("like")) }

// DenialsForgotten tells what an approval ended.
func DenialsForgotten(like []string) canon.Member {
	return canon.Member{Name: forgets, Value: arrayOf(like)}
}

// DenialsForgotten reads what e tells was ended.
func (e Event) DenialsForgotten() (like []string) { return textsOf(e.Data.Get(forgets)) }

func arrayOf(all []string) canon.Value {
	values := make([]canon.Value, len(all))
	for i, s := range all {
		values[i] = canon.String(s)
	}
	return canon.Array(values...)
}

func textsOf(v canon.Value) (all []string) {
	for _, one := range v.Elements() {
		all = append(all, one.Text())
	}
	return all
}
