package scoring

import (
	"fmt"
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/scoring/facts"
	"github.com/countersign/countersign/internal/scoring/fivefactor"
	"github.com/countersign/countersign/internal/scoring/patterns"
	"github.com/countersign/countersign/internal/scoring/scan"
)

// explain is what decided, and one sentence that names it; raises is a with what counts for its level.
func (e *Examination) explain(a, raises *Assessment) (Cause, string) {
	cause, reason := e.because(a, raises)
	return cause, fmt.Sprintf("%s as %s: %s.", verb(a.Response), a.Level, reason)
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
