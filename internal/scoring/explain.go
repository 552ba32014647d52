package scoring

import (
	"fmt"
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/scoring/facts"
	"github.com/countersign/countersign/internal/scoring/fivefactor"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/patterns"
	"github.com/countersign/countersign/internal/scoring/scan"
)

// explain is one sentence that names what decided; raises is a with what counts for its level.
func (e *Examination) explain(a, raises *Assessment) string {
	return fmt.Sprintf("%s as %s: %s.", verb(a.Response), a.Level, e.because(a, raises))
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

// because names what brought the action to its level and response, the most
// telling cause first.
func (e *Examination) because(a, raises *Assessment) string {
	p := &e.compiled.policy
	if m, ok := first(a.Patterns, patterns.Block); ok {
		return pattern(m)
	}
	if a.Patterns.ActionReason == patterns.ReasonThreshold {
		return fmt.Sprintf("the pattern score %d is above %d", a.Patterns.NumericScore, a.Patterns.ScoreOverrideThreshold)
	}
	reason := e.reached(raises)
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
	return reason
}

// reached names what reached the level.
func (e *Examination) reached(a *Assessment) string {
	if a.Workspace != nil && a.Workspace.Decides {
		return e.reachedInside(a)
	}
	worst, matched := patterns.Match{}, len(a.Patterns.MatchedPatterns) > 0
	if matched {
		worst = a.Patterns.MatchedPatterns[0]
	}
	scored := a.Level == e.compiled.policy.Thresholds.Level(a.Score)
	switch {
	case a.Level == level.Low && e.compiled.policy.Judgement.Floored() && len(a.Effects) > 0:
		return a.Floor.Because + "; " + e.score(a)
	case a.Level == level.Low:
		return e.score(a)
	case e.scorersReached(a) && (a.Scorers.Mode == ScorersReplace || a.Rules.Level != a.Level):
		return e.score(a)
	case a.Rules.Level == a.Level && (e.compiled.policy.Strategy == StrategyMax || a.Level == level.Critical):
		return e.rule(a)
	case scored && a.Score > float64(a.Patterns.NumericScore)/100:
		return e.score(a)
	case matched && worst.Severity.Level() == a.Level:
		return pattern(worst)
	case scored:
		return fmt.Sprintf("pattern score %d, with %s", a.Patterns.NumericScore, pattern(worst))
	case a.Floor.Level == a.Level:
		return a.Floor.Because
	case e.floor == a.Level:
		return "the policy's function registry asks for at least this level"
	}
	if m, ok := first(a.Patterns, patterns.Confirm); ok {
		return pattern(m)
	}
	if e.requiresPerson(a) {
		return requiresApproval(a)
	}
	return e.score(a)
}

// requiresApproval names what the rules say where the policy holds for that.
func requiresApproval(a *Assessment) string {
	return "the rules require approval (" + a.Rules.Reasons[0] + ")"
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

// rule names the first rule that reached the level.
func (e *Examination) rule(a *Assessment) string {
	return e.ruleAmong(a, func(string) bool { return true })
}

// ruleAmong is rule, of some of the rules.
func (e *Examination) ruleAmong(a *Assessment, some func(name string) bool) string {
	for i, name := range a.Rules.TriggeredRules {
		if !some(name) {
			continue
		}
		if l, ok := e.compiled.rules.Level(name); ok && l == a.Level {
			return fmt.Sprintf("rule %s (%s)%s", name, a.Rules.Evidence[i].Why, in(a.Rules.Evidence[i].Places))
		}
	}
	return "the policy's assessor (" + a.Rules.Reasons[0] + ")"
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
