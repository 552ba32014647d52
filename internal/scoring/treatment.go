package scoring

import (
	"slices"

	"github.com/countersign/countersign/internal/scoring/deciders"
	"github.com/countersign/countersign/internal/scoring/level"
)

// Response is what happens to an action.
type Response string

const (
	Allow Response = "allow" // approved by the policy; nobody is asked
	Hold  Response = "hold"  // waits for people
	Block Response = "block" // refused by the policy; nobody is asked
)

// ChallengeKind is what an operator must pass to approve.
type ChallengeKind string

// The challenges, least demanding first.
const (
	ChallengeNone     ChallengeKind = "none"                  // let through
	ChallengeConfirm  ChallengeKind = "confirm"               // one deliberate click
	ChallengeQuiz     ChallengeKind = "quiz"                  // three questions about the action
	ChallengeExplicit ChallengeKind = "explicit_confirmation" // the typed target and the consequences
	ChallengeDeny     ChallengeKind = "deny"                  // nobody can approve
)

// Challenges lists every kind, least demanding first.
func Challenges() []ChallengeKind {
	return []ChallengeKind{ChallengeNone, ChallengeConfirm, ChallengeQuiz, ChallengeExplicit, ChallengeDeny}
}

// Valid reports whether c is one of Challenges.
func (c ChallengeKind) Valid() bool { return c.rank() >= 0 }

func (c ChallengeKind) rank() int { return slices.Index(Challenges(), c) }

// Treatment is how an action is dealt with. It is what an approval pins: a later
// policy may not treat the same action more strictly without an operator seeing it.
type Treatment struct {
	Level    level.Level `json:"level"`
	Response Response    `json:"response"`
	// Challenge is ChallengeNone where the response is allow, ChallengeDeny where it
	// is block, and any other kind where it is hold.
	Challenge ChallengeKind `json:"challenge"`
	// ApprovalsRequired is how many distinct operators have to approve; 0 unless the
	// response is hold.
	ApprovalsRequired int `json:"approvals_required"`
	// Needs are who has to be among them, each for one need; there are as many at least.
	Needs []deciders.Need `json:"needs,omitempty"`
}

// Blocked reports whether nobody can approve.
func (t Treatment) Blocked() bool { return t.Response == Block }

// StricterThan reports whether any part of t asks for more than o: a higher
// level, a more demanding challenge, more approvals or those of others, or a block. Two treatments
// can each be stricter than the other (more approvals here, a harder challenge
// there): it is a partial order, in which both are changes that
// an operator must see.
func (t Treatment) StricterThan(o Treatment) bool {
	return t.Level > o.Level ||
		t.Challenge.rank() > o.Challenge.rank() ||
		t.ApprovalsRequired > o.ApprovalsRequired ||
		!deciders.Cover(o.Needs, t.Needs) ||
		t.Response.rank() > o.Response.rank()
}

// LooserThan reports whether some part of t asks for less than o. A block asks
// for more than anything else, whatever its other parts say.
func (t Treatment) LooserThan(o Treatment) bool { return !t.Blocked() && o.StricterThan(t) }

func (r Response) rank() int { return slices.Index([]Response{Allow, Hold, Block}, r) }

// Again is how the policy treats what was treated so: by its level, whatever it reads as.
func (p Policy) Again(t Treatment) Treatment {
	if t.Blocked() || t.Response == Allow && p.Challenges.At(t.Level) == ChallengeNone {
		return t
	}
	return p.treat(t.Level, p.hold(t.Level))
}

// treat is what the policy does with an action that the models brought to this
// level and response. A hold whose level
// lets everything through can only be a block that the policy turned into a hold
// (on_block), or what requires approval where the policy minds that
// (on_requires_approval): it is held all the same, with the most demanding challenge that can be passed.
func (p Policy) treat(l level.Level, r Response) Treatment {
	t := Treatment{Level: l, Response: r}
	switch r {
	case Allow:
		t.Challenge = ChallengeNone
	case Hold:
		t.Challenge = heldAs(p.Challenges.At(l))
		t.ApprovalsRequired = max(p.ApprovalsRequired.At(l), 1)
	default:
		t.Challenge = ChallengeDeny
	}
	return t
}
