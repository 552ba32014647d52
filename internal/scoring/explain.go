package scoring

import (
	"fmt"
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/scoring/fivefactor"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/patterns"
	"github.com/countersign/countersign/internal/scoring/scan"
)

// explain is one sentence that names what decided.
func (e Examination) explain(a Assessment) string {
	return fmt.Sprintf("%s as %s: %s.", verb(a.Response), a.Level, e.because(a))
}

func verb(r Response) string {
	switch r {
	case Block:
		return "Blocked"
	case Hold:
		return "Held"
	default:
		return "Let through"
	}
}

// because names the model that reached the level, the most telling one first.
func (e Examination) because(a Assessment) string {
	if m, ok := blocking(a.Patterns); ok {
		return fmt.Sprintf("pattern %s (%s)%s", m.ID, m.Why, in(m.Places))
	}
	if a.Patterns.ActionReason == patterns.ReasonThreshold {
		return fmt.Sprintf("the pattern score %d is above %d", a.Patterns.NumericScore, a.Patterns.ScoreOverrideThreshold)
	}
	score := fmt.Sprintf("five-factor score %.3f%s", a.FiveFactor.Score, decisive(a.FiveFactor))
	if a.Level == level.Low {
		return score
	}
	switch {
	case a.Rules.Level == a.Level:
		return e.rule(a)
	case a.FiveFactor.Level == a.Level:
		return score
	case e.floor == a.Level:
		return "the policy's function registry asks for at least this level"
	case len(a.Patterns.MatchedPatterns) > 0:
		m := a.Patterns.MatchedPatterns[0]
		return fmt.Sprintf("pattern %s (%s)%s", m.ID, m.Why, in(m.Places))
	}
	return score
}

func blocking(r patterns.Record) (patterns.Match, bool) {
	at := slices.IndexFunc(r.MatchedPatterns, func(m patterns.Match) bool { return m.Action == patterns.Block })
	if at < 0 {
		return patterns.Match{}, false
	}
	return r.MatchedPatterns[at], true
}

// rule names the first rule that reached the level.
func (e Examination) rule(a Assessment) string {
	for _, r := range e.compiled.rules.Rules() {
		if i := slices.Index(a.Rules.TriggeredRules, r.Name); i >= 0 && r.Level == a.Level {
			return fmt.Sprintf("rule %s (%s)%s", r.Name, r.Reason, in(a.Rules.Evidence[i].Places))
		}
	}
	return "rule " + strings.Join(a.Rules.TriggeredRules, ", ")
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
		parts = append(parts, fmt.Sprintf("%s (%s%s)", strings.ReplaceAll(f.Name, "_", " "), word, in(f.Evidence[0].Places)))
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
	return " in " + cut(strings.ReplaceAll(strings.TrimPrefix(places[0].Pointer, "/"), "/", "."), 60)
}
