package scoring

import (
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring/deciders"
	"github.com/countersign/countersign/internal/scoring/level"
)

// WithArguments is the action with other arguments, and everything else as it was.
// It must pass the gate as a whole, as if its agent had sent it: the error is that
// of canon.Parse or NewAction.
func (a Action) WithArguments(arguments canon.Value) (Action, error) {
	members := make([]canon.Member, 0, a.tree.Len()+1)
	for name, v := range a.tree.Members() {
		if name != "arguments" {
			members = append(members, canon.Member{Name: name, Value: v})
		}
	}
	members = append(members, canon.Member{Name: "arguments", Value: arguments})
	whole, err := canon.Parse(canon.Object(members...).Canonical())
	if err != nil {
		return Action{}, err
	}
	return NewAction(whole)
}

// AtLeast is the stricter of two treatments, part by part.
func (t Treatment) AtLeast(o Treatment) Treatment {
	t.Level = max(t.Level, o.Level)
	t.Needs = deciders.Merge(t.Needs, o.Needs)
	t.ApprovalsRequired = max(t.ApprovalsRequired, o.ApprovalsRequired, deciders.Count(t.Needs))
	if o.Challenge.rank() > t.Challenge.rank() {
		t.Challenge = o.Challenge
	}
	if o.Response.rank() > t.Response.rank() {
		t.Response = o.Response
	}
	return t
}

// HeldAs is the assessment of an action that is held already: whatever it would be
// by itself, it is treated as strictly as before.
func (a Assessment) HeldAs(pinned Treatment) Assessment {
	if own := a.Treatment.Level; own < pinned.Level {
		a.Explanation += " (" + levelName(own) + " by itself; it was held as " + pinned.Level.String() + ", and nothing lowers that)"
	}
	a.Treatment = a.Treatment.AtLeast(pinned)
	a.Level, a.Response = a.Treatment.Level, a.Treatment.Response
	return a
}

func levelName(l level.Level) string { return max(l, level.Low).String() }
