package approvals

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/level"
)

// A session grant is a standing grant that is made with a decision: "and the next n like
// it in this session". It is of one agent, session and function, for calls of the same
// shape that have the same effects and move no more money than the one that was shown.

const (
	// MaxNext is how many calls a session grant lets through at most.
	MaxNext = 50
	// nextLife is for how long.
	nextLife = 8 * time.Hour
)

// EffectsText is g.Effects as they are stored and told; "" for none.
func (g Standing) EffectsText() string {
	if len(g.Effects) == 0 {
		return ""
	}
	b, err := json.Marshal(g.Effects)
	if err != nil { // a number that JSON does not know; no reading makes one
		return ""
	}
	return string(b)
}

// covers reports whether g is for this call of its agent and function.
func (g Standing) covers(a Approval, action scoring.Action) bool {
	if g.Scope != nil {
		return a.Session == g.Session && g.Scope.covers(g, a, action)
	}
	if !a.uncoverable().Empty() {
		return false
	}
	if g.Session == "" {
		return g.Pattern.Matches(action)
	}
	if a.inWorkspace() {
		return false // what it does there is not in its shape
	}
	return a.Session == g.Session && a.Assessment.Floor.Level <= level.Medium &&
		effects.Within(a.Assessment.Effects, g.Effects) && g.Pattern.Like(action)
}

// Covers says which calls a session grant lets through, as it is recorded with them.
func (g Standing) Covers() string {
	if g.Scope != nil {
		return fmt.Sprintf("%s, up to %d times in the same session, until %s", g.Scope.Name(), g.Uses, audit.FormatTime(g.EndsAt))
	}
	return fmt.Sprintf("up to %d calls of %s like %s in the same session, until %s", g.Uses, g.Function, g.From, audit.FormatTime(g.EndsAt))
}

// noNext says why nothing like a is let through ahead with the decision on it; "" where
// it may be.
func (a Approval) noNext(action scoring.Action) fault.Text {
	as := a.Assessment
	if a.inWorkspace() {
		return a.noScope(action)
	}
	unsummed := func(e effects.Effect) bool { return e.Kind == effects.Money && (e.Amount == nil || e.Amount.OrMore) }
	switch why := a.uncoverable(); {
	case !why.Empty():
		return why
	case as.Level != level.Medium || as.Floor.Level > level.Medium || len(as.Effects) == 0:
		return fault.Textf("session approvals cover MEDIUM only")
	case a.Session == "":
		return fault.Textf("it doesn't belong to a session")
	case a.Proposed != nil:
		return fault.Textf("it was edited, so it isn't what the agent asks for")
	case slices.ContainsFunc(as.Effects, unsummed):
		return fault.Textf("it moves money, and doesn't say how much")
	}
	if _, ok := scoring.PatternOf(action); !ok {
		return fault.Textf("only calls by name and arguments qualify: no code, and at most 64 short values")
	}
	return fault.Text{}
}

// noScope is noNext in a workspace.
func (a Approval) noScope(action scoring.Action) fault.Text {
	switch _, why := a.Scope(action); {
	case !why.Empty():
		return why
	case a.Session == "":
		return fault.Textf("it doesn't belong to a session")
	case a.Proposed != nil:
		return fault.Textf("it was edited, so it isn't what the agent asks for")
	}
	return fault.Text{}
}

// allowNext makes the session grant that was asked for with the decision on a.
func (s *Service) allowNext(w Writer, m auth.Member, a Approval, who eligibility, uses int) error {
	no := func(why fault.Text) error {
		return fault.Member(fault.InvalidForm, "next", "calls like this can't be approved for this session: %s", why)
	}
	action, err := a.Parsed()
	if err != nil {
		return err
	}
	if why := a.noNext(action); !why.Empty() {
		return no(why)
	}
	pattern, _ := scoring.PatternOf(action)
	q, most := StandingQuery{Agent: a.Agent.ID, Function: a.Function, Open: true, InSession: &a.Session}, MaxStandingOpen
	scope, _ := a.Scope(action)
	if scope != nil {
		pattern, q, most = Pattern{}, StandingQuery{Agent: a.Agent.ID, Open: true, Scoped: true}, maxScopes
	}
	q.Limit = most
	open, err := w.StandingGrants(q)
	if err != nil {
		return err
	}
	if len(open) >= most {
		return no(fault.Textf("this function of this agent already has %d open approvals", len(open)))
	}
	reason := fmt.Sprintf("with the decision: and the next %d like it in this session", uses)
	if scope != nil {
		reason = fmt.Sprintf("with the decision: %s, %d times in this session", scope.Name(), uses)
	}
	g := Standing{
		ID: auth.NewID("stg"), Agent: a.Agent, Function: a.Function, Pattern: pattern, Uses: uses, Left: uses,
		Reason: reason, From: a.ID, Session: a.Session, Effects: effects.Plain(a.Assessment.Effects), Scope: scope,
		MadeBy: decider(m), SinglePerson: who.singlePerson, CreatedAt: w.Now(), EndsAt: w.Now().Add(nextLife),
	}
	if err := w.CreateStanding(g); err != nil {
		return err
	}
	return w.Append(g.event(audit.StandingCreated, personActor(m), g.terms()...))
}
