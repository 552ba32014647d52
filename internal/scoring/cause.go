package scoring

import (
	"fmt"
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/patterns"
	"github.com/countersign/countersign/internal/scoring/rules"
)

// Why a call is held: one cause, decided here and read by all who tell it.

// CauseKind says where that is which held a call, and so what would change it.
type CauseKind string

const (
	// CauseWorkspace is a rule about an agent's workspace; its name is the rule's word.
	CauseWorkspace CauseKind = "workspace"
	// CauseDenied is a denial or a block of an act like it.
	CauseDenied CauseKind = "denied"
	// CauseRule and CausePattern are a rule and a pattern, shipped or the policy's own.
	CauseRule    CauseKind = "rule"
	CausePattern CauseKind = "pattern"
	// CauseEntry is an entry of the function registry: one that lowered what the name says, so
	// that nothing higher holds it, or one that asks for the level.
	CauseEntry CauseKind = "entry"
	// CauseEffect is what the call does; its name is the kind of the effect.
	CauseEffect CauseKind = "effect"
	// CauseScore is what is left.
	CauseScore CauseKind = "score"
)

// Cause is what brought a call to its level and response: the one that tells most, where
// several would have.
type Cause struct {
	Kind CauseKind `json:"kind"`
	Name string    `json:"name,omitempty"` // "" where the kind has none
}

var byScore = Cause{Kind: CauseScore}

// because names what brought the action to its level and response, and tells it. raises is a
// with what counts for its level.
func (e *Examination) because(a, raises *Assessment) (Cause, string) {
	p := &e.compiled.policy
	if m, ok := first(a.Patterns, patterns.Block); ok {
		return byPattern(m)
	}
	if a.Patterns.ActionReason == patterns.ReasonThreshold {
		return byScore, fmt.Sprintf("the pattern score %d is above %d", a.Patterns.NumericScore, a.Patterns.ScoreOverrideThreshold)
	}
	cause, reason := e.reached(raises)
	if decides := a.Workspace != nil && a.Workspace.Decides; a.Level == level.Low && !decides && e.onlyReads(a) {
		reason = "it only reads; " + e.score(a)
	}
	if a.Response == Block {
		reason += "; the policy denies this level"
	}
	if a.Response == Allow && a.Level > level.Low && p.Challenges.At(a.Level) == ChallengeNone {
		reason += "; the policy lets this level through"
	}
	if len(a.SetAside) > 0 {
		reason += "; " + strings.Join(a.SetAside, ", ") + " found only texts that nothing runs"
	}
	return cause, reason
}

// reached names what reached the level: a rule, what the call does, an entry of the registry, a
// pattern, and only where none of them did the score.
func (e *Examination) reached(a *Assessment) (Cause, string) {
	if a.Workspace != nil && a.Workspace.Decides {
		return e.reachedInside(a)
	}
	p := &e.compiled.policy
	// Rules and severities count by themselves unless the strategy or own scorers take their place.
	counts := (p.Strategy == StrategyMax || a.Level == level.Critical) && !(e.scorersReached(a) && a.Scorers.Mode == ScorersReplace)
	matched := a.Patterns.MatchedPatterns // the worst first
	switch {
	case a.Level == level.Low && p.Judgement.Floored() && len(a.Effects) > 0:
		return byScore, a.Floor.Because + "; " + e.score(a)
	case a.Level == level.Low:
		return byScore, e.score(a)
	case counts && a.Rules.Level == a.Level:
		return e.byRule(a, func(string) bool { return true })
	case a.Floor.Level == a.Level && a.Floor.Entry != "":
		return Cause{CauseEntry, a.Floor.Entry}, a.Floor.Because
	case a.Floor.Level == a.Level:
		return Cause{CauseEffect, string(a.Floor.Effect)}, a.Floor.Because
	case e.floor == a.Level:
		return e.byRegistry()
	case counts && len(matched) > 0 && matched[0].Severity.Level() == a.Level:
		return byPattern(matched[0])
	case a.Level == p.Thresholds.Level(a.Score):
		return byScore, e.score(a)
	}
	if m, ok := first(a.Patterns, patterns.Confirm); ok {
		return byPattern(m)
	}
	if e.requiresPerson(a) {
		return byRequirement(a)
	}
	return byScore, e.score(a)
}

// reachedInside names what reached the level in a workspace.
func (e *Examination) reachedInside(a *Assessment) (Cause, string) {
	raising := patterns.Distinct(e.raising())
	switch {
	case a.Floor.Level == a.Level && a.Workspace.Cause != "":
		return Cause{CauseWorkspace, a.Workspace.Cause}, a.Floor.Because
	case a.Floor.Level == a.Level:
		return Cause{CauseEffect, string(a.Floor.Effect)}, a.Floor.Because
	case e.ruled(a) == a.Level:
		return e.byRule(a, e.compiled.rules.Custom)
	case len(raising) > 0 && raising[0].Severity.Level() == a.Level:
		return byPattern(raising[0])
	case e.floor == a.Level:
		return e.byRegistry()
	case len(raising) > 0 && a.Level == level.Medium && patterns.AnyConfirm(raising):
		return byPattern(raising[0])
	case e.requiresPerson(a):
		return byRequirement(a)
	}
	return byScore, e.score(a) // the policy fixes it
}

func byPattern(m patterns.Match) (Cause, string) { return Cause{CausePattern, m.ID}, pattern(m) }

// byRule names the first of some rules that reached the level.
func (e *Examination) byRule(a *Assessment, some func(name string) bool) (Cause, string) {
	for i, name := range a.Rules.TriggeredRules {
		if l, ok := e.compiled.rules.Level(name); ok && l == a.Level && some(name) {
			return Cause{CauseRule, name}, fmt.Sprintf("rule %s (%s)%s", name, a.Rules.Evidence[i].Why, in(a.Rules.Evidence[i].Places))
		}
	}
	return Cause{CauseRule, rules.Assessor}, "the policy's assessor (" + a.Rules.Reasons[0] + ")"
}

// byRequirement names the rule that asks for a person where the policy holds for that.
func byRequirement(a *Assessment) (Cause, string) {
	name := rules.Assessor
	if len(a.Rules.TriggeredRules) > 0 {
		name = a.Rules.TriggeredRules[0]
	}
	return Cause{CauseRule, name}, "the rules require approval (" + a.Rules.Reasons[0] + ")"
}

// byRegistry names the entry whose floor is the level.
func (e *Examination) byRegistry() (Cause, string) {
	i := slices.IndexFunc(e.compiled.functions, func(f compiledFunction) bool {
		return f.Floor == e.floor && f.glob.MatchString(e.action.Function())
	})
	return Cause{CauseEntry, e.compiled.functions[i].Name()}, "the policy's function registry asks for at least this level"
}
