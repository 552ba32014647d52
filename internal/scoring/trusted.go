package scoring

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/facts"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/patterns"
	"github.com/countersign/countersign/internal/scoring/trust"
)

// What an agent's record does: it may make LOW of a MEDIUM that is nothing but a
// score, a little above where MEDIUM begins, or the floor of changing one thing. It is the last thing that happens to an
// assessment, and it touches nothing else: not HIGH, not CRITICAL, not a block, not a
// floor, nothing that a pattern or a rule says, and nothing that has a consequence
// which people confirm one by one.

// TrustSettings say whether and how far. All of them zero, as in policies from before
// there were any, are DefaultTrust.
type TrustSettings struct {
	Enabled bool `json:"enabled" yaml:"enabled"`
	// Cap is how far above the MEDIUM threshold the score may be, 0..0.15.
	Cap float64 `json:"cap" yaml:"cap"`
	// AtLeast is what trust.Evidence.Bound must reach, 0.8..0.999.
	AtLeast float64 `json:"at_least" yaml:"at_least"`
	// Evidence is how many successes there must be, after fading, 10..500.
	Evidence int `json:"evidence" yaml:"evidence"`
	// HalfLifeDays is after how many days what happened counts half, 1..90.
	HalfLifeDays int `json:"half_life_days" yaml:"half_life_days"`
}

// Bounds of the settings. The cap stays below what one more credential or SQL word
// adds to the five-factor score (0.25 · 0.7 = 0.175).
const (
	maxTrustCap      = 0.15
	minTrustAtLeast  = 0.8
	maxTrustAtLeast  = 0.999
	minTrustEvidence = 10
	maxTrustEvidence = 500
	maxTrustHalfLife = 90
)

// DefaultTrust is off. The other settings are those that it is switched on with.
func DefaultTrust() TrustSettings {
	return TrustSettings{Cap: 0.1, AtLeast: 0.95, Evidence: 20, HalfLifeDays: 30}
}

func (s TrustSettings) orDefault() TrustSettings {
	if s == (TrustSettings{}) {
		return DefaultTrust()
	}
	return s
}

// KeepsTrustOut reports whether other settings keep every record from doing anything.
func (p Policy) KeepsTrustOut() bool {
	return p.Strategy == StrategyFixed || p.Challenges.Low != ChallengeNone || p.Challenges.Medium == ChallengeNone || p.Challenges.Medium == ChallengeDeny
}

func (s TrustSettings) check(found *problems) {
	if !(s.Cap >= 0 && s.Cap <= maxTrustCap) {
		found.add("/trust/cap", "is %v; expected a number from 0 to %v", s.Cap, maxTrustCap)
	}
	if !(s.AtLeast >= minTrustAtLeast && s.AtLeast <= maxTrustAtLeast) {
		found.add("/trust/at_least", "is %v; expected a number from %v to %v", s.AtLeast, minTrustAtLeast, maxTrustAtLeast)
	}
	found.within("/trust/evidence", s.Evidence, minTrustEvidence, maxTrustEvidence, fault.Textf("successes"))
	found.within("/trust/half_life_days", s.HalfLifeDays, 1, maxTrustHalfLife, fault.Textf("days"))
}

func trustLimits() map[string]limits {
	return map[string]limits{
		"/trust":                {about: "whether what an agent did well before makes LOW of MEDIUM; see docs/trust.md"},
		"/trust/enabled":        {about: "off unless you say so"},
		"/trust/cap":            {about: "how far above the MEDIUM threshold the score may be", high: maxTrustCap},
		"/trust/at_least":       {about: "what the estimate reaches at its lower 5 % bound", low: minTrustAtLeast, high: maxTrustAtLeast},
		"/trust/evidence":       {about: "successes that there are at least, faded", low: minTrustEvidence, high: maxTrustEvidence},
		"/trust/half_life_days": {about: "days after which what happened counts half", low: 1, high: maxTrustHalfLife},
	}
}

func (c *comparison) trust() {
	old, new := c.old.Trust, c.new.Trust
	enabled := weakens
	if !new.Enabled {
		enabled = raises
	}
	c.differ("/trust/enabled", old.Enabled, new.Enabled, enabled)
	c.differ("/trust/cap", old.Cap, new.Cap, lower(old.Cap, new.Cap, raises))
	c.differ("/trust/at_least", old.AtLeast, new.AtLeast, higher(old.AtLeast, new.AtLeast, raises))
	c.differ("/trust/evidence", old.Evidence, new.Evidence, higher(old.Evidence, new.Evidence, raises))
	// Failures fade as successes do: either way, some estimate rises.
	c.differ("/trust/half_life_days", old.HalfLifeDays, new.HalfLifeDays, weakens)
}

// Trusted is what an agent's record did for one action, and the record itself.
type Trusted struct {
	trust.Evidence
	Bound   float64 `json:"bound"`   // the lower 5 % bound of the estimate, 0..1
	Lowered bool    `json:"lowered"` // from MEDIUM to LOW
	// Why is what kept the record from lowering the level; empty where it did.
	Why string `json:"why,omitempty"`
}

// AsksForRecord reports whether the record of the agent has a say at this call, and
// with which half-life it is weighed.
func (e Examination) AsksForRecord(call int) (halfLifeDays int, ok bool) {
	s := e.compiled.policy.Trust
	if !s.Enabled {
		return 0, false
	}
	return s.HalfLifeDays, e.Assess(call).Trust != nil
}

// trusted lowers the level where the record allows it, and says so.
func (e Examination) trusted(a Assessment) Assessment {
	s := e.compiled.policy.Trust
	if !s.Enabled || a.Level != level.Medium || a.Response == Block || e.action.LifecyclePoint() != PreToolCall {
		return a
	}
	t := Trusted{Evidence: e.record, Bound: e.record.Bound()}
	t.Why = e.untrusted(a, t)
	t.Lowered = t.Why == ""
	a.Trust = &t
	if !t.Lowered {
		return a
	}
	reason := e.reached(&a, &a)
	a.Level, a.Response = level.Low, Allow
	a.Treatment = e.compiled.policy.treat(level.Low, Allow)
	a.Explanation = fmt.Sprintf("%s as %s in place of MEDIUM: %s; of earlier calls of this function by this agent that people decided, %.1f went well and %.1f didn't, which makes at least %.3f where the policy asks for %.3f.",
		verb(a.Response), a.Level, reason, t.Succeeded, t.Failed, down(t.Bound), s.AtLeast)
	return a
}

// down is a bound with three decimals that it does not fall short of.
func down(bound float64) float64 { return math.Floor(bound*1000) / 1000 }

// untrusted is the first thing that keeps the record from lowering the level; "" where
// nothing does.
func (e Examination) untrusted(a Assessment, t Trusted) string {
	p := e.compiled.policy
	s := p.Trust
	switch {
	case p.Strategy == StrategyFixed:
		return "the policy fixes the score"
	case a.Workspace != nil && a.Workspace.Decides:
		return "what it does in its workspace asks for MEDIUM"
	case a.Rules.Level >= level.Medium, e.requiresPerson(&a):
		return "a rule asks for MEDIUM"
	case e.alone() >= level.Medium:
		return "a scorer of the policy's own asks for MEDIUM"
	case e.floor >= level.Medium:
		return "the policy's function registry asks for MEDIUM"
	case slices.ContainsFunc(e.matches, speaks):
		return "a pattern that matched is more than a remark"
	case a.FiveFactor.Level >= level.High:
		return "the five factors alone make it HIGH"
	case e.action.Code() != "":
		return "it holds code"
	case a.consequential():
		return "it has a consequence, or names a credential, SQL or a shell command"
	case len(e.action.Languages()) > 0:
		return "it holds an SQL statement or a command line"
	case a.Floor.Level >= level.Medium && !e.writesOne(a):
		return "what it does asks for MEDIUM"
	case p.Thresholds.Level(a.Score) > level.Medium, p.Thresholds.Level(a.Score) < level.Medium && a.Floor.Level < level.Medium:
		return "more than the score makes it MEDIUM"
	case a.Score > round6(p.Thresholds.Medium+s.Cap):
		return fmt.Sprintf("its score %.3f is more than %.3f above where MEDIUM begins", a.Score, s.Cap)
	case p.Challenges.Low != ChallengeNone:
		return "the policy doesn't approve LOW automatically"
	case t.Succeeded < float64(s.Evidence):
		return fmt.Sprintf("the record is too short: %.1f successes of the %d that the policy asks for", math.Floor(t.Succeeded*10)/10, s.Evidence)
	case t.Bound < s.AtLeast:
		return fmt.Sprintf("the estimate is at least %.3f, of %.3f that the policy asks for", down(t.Bound), s.AtLeast)
	}
	return ""
}

// writesOne reports whether the floor is that of writes of one thing each, and of nothing
// else: the one floor below which a record may lower.
func (e Examination) writesOne(a Assessment) bool {
	s := e.compiled.policy.Judgement
	return !slices.ContainsFunc(a.Effects, func(one effects.Effect) bool {
		single := one.Kind == effects.Write && one.Breadth != effects.Several && one.Breadth != effects.All
		return !single && s.Floor([]effects.Effect{one}, false).Level >= level.Medium
	})
}

// speaks reports whether a match says more than that somebody might want to know.
func speaks(m patterns.Match) bool {
	return m.Severity.Level() >= level.Medium || m.Masks() || (m.Action != patterns.Warn && m.Action != patterns.Log)
}

// consequential reports whether a says that there is no way back, every row, how many, how much
// or production, or has a word in its arguments that is of another class than the calls before it may have
// been: a credential, SQL, a shell command.
func (a Assessment) consequential() bool {
	if a.Irreversible() || facts.EveryRow(a.Facts) || slices.ContainsFunc(a.Facts, func(f facts.Fact) bool {
		return f.Kind == facts.Count || f.Kind == facts.Amount || f.Kind == facts.Environment && facts.IsProduction(f.Value) ||
			f.Source == facts.FromSQL || f.Source == facts.FromShell
	}) {
		return true
	}
	for _, f := range a.FiveFactor.Factors {
		for _, e := range f.Evidence {
			class, _, _ := strings.Cut(e.Pattern, ":")
			if class == "credentials" || class == "sql" || class == "shell" {
				return true
			}
		}
	}
	return false
}
