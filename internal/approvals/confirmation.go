package approvals

import (
	"slices"
	"time"

	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/facts"
)

// Confirmation is what the explicit confirmation asks for.
type Confirmation struct {
	Target       string   // the salient target, in full
	Typed        string   // what of it must be typed: its last 24 characters when it is longer than 64
	Specific     bool     // false: no specific target was found, and Target is the function's name
	Consequences []string // each is ticked
}

// confirmation is made from what was read of the action, and the assessment, alone, so that it is
// the same on the page and when it is checked.
func (a Approval) confirmation(about Subject) Confirmation {
	return Confirmation{
		Target: about.Target, Typed: facts.TypedTarget(about.Target), Specific: about.Specific,
		Consequences: a.Assessment.Consequences(about.Outcomes),
	}
}

// check compares what was typed and ticked. A wrong target costs nothing.
func (c Confirmation) check(in DecideInput) error {
	if !facts.TargetMatches(in.Target, c.Typed) {
		return fault.Member(fault.WrongAnswer, "target", "what you typed isn't the target; compare it letter by letter and type it again")
	}
	for i := range c.Consequences {
		if !in.ticked(i + 1) {
			return fault.Member(fault.WrongAnswer, "consequence", "accept every consequence, or deny")
		}
	}
	if len(in.Also) > 0 && !in.ticked(len(c.Consequences)+1) {
		return fault.Member(fault.WrongAnswer, "consequence", "check the box that says how many times it runs, or leave out the identical requests")
	}
	return nil
}

// ticked are the sentences that were ticked, which are all that apply.
func (c Confirmation) ticked(in DecideInput) []string {
	if len(in.Also) == 0 {
		return c.Consequences
	}
	return append(slices.Clone(c.Consequences), Runs(len(in.Also)+1))
}

// valid reports whether a challenge may be used now by this person, on exactly
// this version and treatment of this approval.
func (c Challenge) valid(a Approval, person string, kind scoring.ChallengeKind, state ChallengeState, now time.Time) bool {
	return c.Approval == a.ID && c.Person == person && c.Version == a.Version && c.Digest == a.ShownDigest &&
		c.Kind == kind && c.State == state && now.Before(c.ExpiresAt)
}

// errRenew asks for another try with a fresh challenge.
func errRenew() error {
	return fault.New(fault.ChallengeRequired, "this page expired (pages are valid for five minutes and one decision) and has been refreshed; decide again")
}
