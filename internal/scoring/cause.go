package scoring

import (
	"fmt"
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/scoring/facts"
	"github.com/countersign/countersign/internal/scoring/fivefactor"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/patterns"
	"github.com/countersign/countersign/internal/scoring/rules"
	"github.com/countersign/countersign/internal/scoring/scan"
)

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
	// CauseEntry is an entry of the function registry that lowered what the name says, so
	// that nothing higher holds it.
	CauseEntry CauseKind = "entry"
	// CauseEffect is what the call does; its name is the kind of the effect.
	CauseEffect CauseKind = "effect"
	// CauseScore is what is left: the score, or what the policy asks for.
	CauseScore CauseKind = "score"
)

// Cause is what held a call: the one that tells most, where several would have.
type Cause struct {
	Kind CauseKind
	Name string // "" where the kind has none
}

// Cause is what held the call, or would have where something let it through, as far as what is
// recorded tells: whoever tells of it asks here.
func (a *Assessment) Cause() Cause {
	if a.Remembered != nil {
		return Cause{CauseDenied, a.Remembered.Verdict}
	}
	vain := func(name string) bool { return slices.Contains(a.SetAside, name) || slices.Contains(a.Remarks, name) }
	matched := slices.DeleteFunc(slices.Clone(a.Patterns.MatchedPatterns), func(m patterns.Match) bool { return vain(m.ID) }) // the worst first
	asking := func(what patterns.Action) int {
		return slices.IndexFunc(matched, func(m patterns.Match) bool { return m.Action == what })
	}
	if at := asking(patterns.Block); at >= 0 {
		return Cause{CausePattern, matched[at].ID}
	}
	if w := a.Workspace; w != nil && w.Cause != "" && w.Level == a.Level {
		return Cause{CauseWorkspace, w.Cause}
	}
	fired := slices.DeleteFunc(slices.Clone(a.Rules.TriggeredRules), func(name string) bool {
		_, comes := shipped(name)
		return vain(name) || comes && a.Workspace != nil && a.Workspace.Decides
	})
	switch confirms := asking(patterns.Confirm); {
	case a.Patterns.ActionReason == patterns.ReasonThreshold:
		return Cause{Kind: CauseScore}
	case a.Level > level.Low && a.Rules.Level == a.Level && len(fired) > 0:
		return Cause{CauseRule, decidingRule(fired, a.Level)}
	case a.Floor.Level == a.Level && a.Floor.Entry != "":
		return Cause{CauseEntry, a.Floor.Entry}
	case a.Level <= level.Low:
		return Cause{Kind: CauseScore}
	case a.Floor.Level == a.Level:
		return Cause{CauseEffect, string(a.Floor.Effect)}
	case len(matched) > 0 && matched[0].Severity.Level() == a.Level:
		return Cause{CausePattern, matched[0].ID}
	case confirms >= 0 && a.Level == level.Medium:
		return Cause{CausePattern, matched[confirms].ID}
	}
	return Cause{Kind: CauseScore}
}

// decidingRule is the first of the rules that fired which reached the level. A result does not
// keep the level of each: shipped rules have theirs, and what is not shipped is the policy's own.
func decidingRule(fired []string, l level.Level) string {
	reached := func(name string) bool {
		r, comes := shipped(name)
		return !comes || r.Level == l
	}
	return fired[max(0, slices.IndexFunc(fired, reached))]
}

// explain is one sentence that names what decided; counted is a with what counts, raises with what
// counts for its level.
func (e *Examination) explain(a, counted, raises *Assessment) string {
	return fmt.Sprintf("%s as %s: %s.", verb(a.Response), a.Level, e.because(a, counted, raises))
}

func verb(r Response) string {
	switch r {
	case Block:
		return "Blocked"
	case Hold:
		return "Held"
	default:
		return "Approved automatically"
	}
}

// because tells the cause of the level and the response.
func (e *Examination) because(a, counted, raises *Assessment) string {
	p := &e.compiled.policy
	if m, ok := first(a.Patterns, patterns.Block); ok {
		return pattern(m)
	}
	if counted.Patterns.ActionReason == patterns.ReasonThreshold {
		return fmt.Sprintf("the pattern score %d is above %d", counted.Patterns.NumericScore, counted.Patterns.ScoreOverrideThreshold)
	}
	reason := e.reached(a, raises)
	if decides := a.Workspace != nil && a.Workspace.Decides; a.Level == level.Low && !decides && e.onlyReads(counted) {
		reason = "it only reads; " + e.score(counted)
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
	return reason
}

// reached tells what reached the level of a: its cause, and of a score which.
func (e *Examination) reached(a, raises *Assessment) string {
	switch c := a.Cause(); {
	case c.Kind == CauseWorkspace:
		return a.Workspace.Because
	case c.Kind == CauseRule:
		return rule(a, c.Name)
	case c.Kind == CausePattern:
		return pattern(a.Patterns.MatchedPatterns[slices.IndexFunc(a.Patterns.MatchedPatterns, func(m patterns.Match) bool { return m.ID == c.Name })])
	case a.Level == level.Low && a.Workspace != nil && a.Workspace.Decides, a.Level > level.Low && c.Kind != CauseScore:
		return a.Floor.Because
	case a.Level == level.Low && e.compiled.policy.Judgement.Floored() && len(a.Effects) > 0:
		return a.Floor.Because + "; " + e.score(raises)
	case a.Level == level.Low, a.Level == e.compiled.policy.Thresholds.Level(raises.Score):
		return e.score(raises)
	case e.floor == a.Level:
		return "the policy's function registry asks for at least this level"
	case e.requiresPerson(raises):
		return "the rules require approval (" + a.Rules.Reasons[0] + ")"
	}
	return e.score(raises)
}

// score names the number that the strategy made.
func (e *Examination) score(a *Assessment) string {
	p := &e.compiled.policy
	switch {
	case e.action.LifecyclePoint() != PreToolCall && len(a.Patterns.MatchedPatterns) == 0:
		return "no pattern matched"
	case a.Scorers != nil:
		return a.Scorers.sentence(a.Score)
	case p.Strategy == StrategyFixed:
		return fmt.Sprintf("the policy fixes the score at %.3f", a.Score)
	case p.Strategy == StrategyComposite:
		return fmt.Sprintf("score %.3f of five-factor score %.3f and pattern score %d%s", a.Score, a.FiveFactor.Score, a.Patterns.NumericScore, decisive(a.FiveFactor))
	case a.FiveFactor.Score < a.Score:
		return fmt.Sprintf("pattern score %d, with %s", a.Patterns.NumericScore, pattern(a.Patterns.MatchedPatterns[0]))
	}
	return fmt.Sprintf("five-factor score %.3f%s", a.FiveFactor.Score, decisive(a.FiveFactor))
}

func pattern(m patterns.Match) string {
	return fmt.Sprintf("pattern %s (%s)%s", m.ID, m.Why, in(m.Places))
}

// first is the worst match whose pattern asks for this.
func first(r patterns.Record, action patterns.Action) (patterns.Match, bool) {
	at := slices.IndexFunc(r.MatchedPatterns, func(m patterns.Match) bool { return m.Action == action })
	if at < 0 {
		return patterns.Match{}, false
	}
	return r.MatchedPatterns[at], true
}

// rule names a rule that fired.
func rule(a *Assessment, name string) string {
	if name == rules.Assessor {
		return "the policy's assessor (" + a.Rules.Reasons[0] + ")"
	}
	found := a.Rules.Evidence[slices.Index(a.Rules.TriggeredRules, name)]
	return fmt.Sprintf("rule %s (%s)%s", name, found.Why, in(found.Places))
}

// decisive names the two factors that contributed most, with their evidence.
func decisive(r fivefactor.Result) string {
	factors := slices.DeleteFunc(slices.Clone(r.Factors), func(f fivefactor.Factor) bool {
		return f.Name == "novelty" || f.Contribution == 0 || len(f.Evidence) == 0 || !strings.Contains(f.Evidence[0].Pattern, ":")
	})
	slices.SortStableFunc(factors, func(a, b fivefactor.Factor) int {
		switch {
		case a.Contribution > b.Contribution:
			return -1
		case a.Contribution < b.Contribution:
			return 1
		}
		return 0
	})
	var parts []string
	for _, f := range factors[:min(len(factors), 2)] {
		_, word, _ := strings.Cut(f.Evidence[0].Pattern, ":")
		parts = append(parts, strings.ReplaceAll(f.Name, "_", " ")+" ("+facts.Shown(cut(word, 40))+in(f.Evidence[0].Places)+")")
	}
	if len(parts) == 0 {
		return ""
	}
	return ", mostly from " + strings.Join(parts, " and ")
}

// in says where, in words: /arguments/env is arguments.env. A hostile name does
// not make the sentence long.
func in(places []scan.Place) string {
	if len(places) == 0 || places[0].Pointer == "" || places[0].Pointer == "/function" {
		return ""
	}
	return " in " + facts.Shown(cut(strings.ReplaceAll(strings.TrimPrefix(places[0].Pointer, "/"), "/", "."), 60))
}
