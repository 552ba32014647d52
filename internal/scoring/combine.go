package scoring

import (
	"math"

	"github.com/countersign/countersign/internal/scoring/deciders"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/facts"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/patterns"
	"github.com/countersign/countersign/internal/scoring/rules"
)

// Assess completes an examination with the 1-based number of this call:
// scores, strategy, response, floors, challenge by level.
func (e Examination) Assess(callNumber int) Assessment {
	p := &e.compiled.policy
	a := Assessment{Files: e.files, Facts: e.facts, Rules: e.rules}
	if a.Facts == nil {
		a.Facts = []facts.Fact{}
	}
	a.FiveFactor = e.five.Score(callNumber, p.Weights, p.Thresholds)
	e.registered(a.FiveFactor.Factors)
	if e.action.LifecyclePoint() != PreToolCall {
		a.FiveFactor.Score, a.FiveFactor.Level = 0, level.Low // the model did not run
		for i := range a.FiveFactor.Factors {
			a.FiveFactor.Factors[i].Score, a.FiveFactor.Factors[i].Contribution = 0, 0
		}
	}
	a.Patterns = patterns.Score(e.matches, p.ScoreOverrideThreshold, p.Weighing())
	a.Patterns.LifecyclePoint = e.action.LifecyclePoint()
	a.Patterns.PatternLibraryVersion = e.compiled.library.Version()
	if id := e.action.ToolCallID(); id != "" {
		a.Patterns.ToolCallID = &id
	}
	a.Rewrites = p.RewriteCalls && e.action.LifecyclePoint() == PreToolCall && patterns.AnyMasks(e.matches)
	a.Effects, a.Floor.Level = []effects.Effect{}, level.Low
	a.Inputs = e.inputs
	a.Inputs.CallNumber = callNumber
	a.Inputs.Memory = nil // inside records what is asked about
	builtIn, _ := p.combine(&a)
	a.Score, a.Scorers = e.blended(builtIn)
	a = e.inside(a)
	if e.remembered(&a) {
		return e.decided(a) // no record speaks against a person's no
	}
	return e.decided(e.trusted(a))
}

// decided is a with who has to be among the people who approve.
func (e *Examination) decided(a Assessment) Assessment {
	if len(e.compiled.deciders) == 0 || a.Treatment.Response != Hold {
		return a
	}
	asked := deciders.Request{Agent: a.Inputs.Agent, Function: e.action.Function(), Bound: a.Inputs.Environment, Level: a.Treatment.Level, Said: []string{e.action.Environment()}}
	if f, ok := a.Fact(facts.Environment); ok {
		asked.Said = append(asked.Said, f.Value)
	}
	t := &a.Treatment
	t.Needs = e.compiled.deciders.Needs(asked, facts.IsProduction)
	t.ApprovalsRequired = max(t.ApprovalsRequired, deciders.Count(t.Needs))
	return a
}

// elsewhere is a as it is where no workspace decides: by what the call does and what the
// models say.
func (e Examination) elsewhere(a Assessment) Assessment {
	p := &e.compiled.policy
	e.judge(&a)
	a.SetAside, a.Remarks = nil, nil
	c := e.counted(&a) // what of it counts for the level
	c.Score, c.Level = e.combine(&c)
	raises, matches := e.reading(&c) // and where it only reads
	a.Remarks = c.Remarks
	c.Level = raises.Level
	c.Level, c.Response = e.respond(&c, matches)
	raises.Level = c.Level
	a.Level, a.Response = c.Level, c.Response
	a.Explanation = e.explain(&a, &c, &raises)
	a.Treatment = p.treat(a.Level, a.Response)
	return a
}

// combine is the strategy: one score and one level of three models. A CRITICAL
// level, rule or severity is never lowered.
func (p *Policy) combine(a *Assessment) (float64, level.Level) {
	numeric := float64(a.Patterns.NumericScore) / 100
	highest := max(level.Low, a.Rules.Level, a.Patterns.CategoricalSeverity.Level())
	switch p.Strategy {
	case StrategyComposite:
		w := p.CompositeWeights
		mean := (float64(w.FiveFactor*a.FiveFactor.Score) + float64(w.Patterns*numeric)) / (w.FiveFactor + w.Patterns)
		return p.atLeastCritical(round6(mean), max(highest, a.FiveFactor.Level))
	case StrategyFixed:
		return p.atLeastCritical(round6(p.FixedScore), max(highest, a.FiveFactor.Level))
	default:
		score := max(a.FiveFactor.Score, numeric)
		return score, max(p.Thresholds.Level(score), highest)
	}
}

// atLeastCritical is the level of a score, unless a model said CRITICAL.
func (p Policy) atLeastCritical(score float64, highest level.Level) (float64, level.Level) {
	if highest == level.Critical {
		return score, level.Critical
	}
	return score, p.Thresholds.Level(score)
}

func round6(f float64) float64 { return math.Round(min(max(f, 0), 1)*1e6) / 1e6 }

// respond is what happens to the action, and the level at which it does. matches are those
// that may ask for a person.
func (e *Examination) respond(a *Assessment, matches []patterns.Match) (level.Level, Response) {
	l := a.Level
	confirm := patterns.AnyConfirm(matches)
	person := e.requiresPerson(a)
	if confirm || person {
		l = max(l, level.Medium)
	}
	return e.answer(a, max(l, e.floor, a.Floor.Level), confirm, person)
}

// requiresPerson reports whether the policy asks a person because the rules that count
// require approval. In a workspace only those of the organisation's own count.
func (e *Examination) requiresPerson(a *Assessment) bool {
	if e.compiled.policy.OnRequiresApproval != OnRequiresHold || !a.Rules.RequiresApproval {
		return false
	}
	return a.Workspace == nil || !a.Workspace.Decides || e.compiled.rules.Custom(rules.Assessor) || e.ruled(a) >= level.High
}

// answer is what happens at a level. confirm says that a pattern asks for a person, person
// that rules do, whatever the level.
func (e *Examination) answer(a *Assessment, l level.Level, confirm, person bool) (level.Level, Response) {
	p := &e.compiled.policy
	if a.Patterns.Action == patterns.Block || patterns.AnyBlock(e.matches) {
		if p.OnBlock != OnBlockHold {
			return l, Block
		}
		return level.Critical, p.hold(level.Critical)
	}
	if e.action.LifecyclePoint() == PostToolResult && !confirm {
		return l, Allow // nobody is asked about a result unless a match says so
	}
	if p.Challenges.At(l) == ChallengeNone && !person {
		return l, Allow
	}
	return l, p.hold(l)
}

// hold is Hold, or Block where the policy denies the level.
func (p Policy) hold(l level.Level) Response {
	if p.Challenges.At(l) == ChallengeDeny {
		return Block
	}
	return Hold
}
