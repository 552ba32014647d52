package request

import (
	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/internal/console/untrusted"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/views/review"
	"github.com/countersign/countersign/views/texts"
)

// Why a level is what it is, where the score alone would have made another one.

// causeOf names what decided on the level: a rule, a pattern, an earlier decision, the
// workspace, what the call does, or the policy. Empty where the score itself reaches the
// level, where it cannot be told since the policy changed, and while it is sealed: that
// something else decided says that the score is lower.
func causeOf(say texts.Printer, v approvals.Review) string {
	as := v.Assessment
	if v.Sealed || as.Level <= level.Low || v.PolicyVersion == v.PolicyVersionNow && v.Thresholds.Level(as.Score) >= as.Level {
		return ""
	}
	switch cause := as.Cause(); {
	case cause.Kind == scoring.CauseDenied:
		return say.Say("an earlier decision")
	case cause.Kind != scoring.CauseScore:
		return present.CauseWords(say, cause)
	case v.PolicyVersion != v.PolicyVersionNow:
		return ""
	}
	return say.Say("the policy")
}

// barOf is the score on its scale; nil where it was scored on another one.
func barOf(say texts.Printer, v approvals.Review) *review.ScoreBar {
	if v.PolicyVersion != v.PolicyVersionNow {
		return nil
	}
	as := v.Assessment
	b := &review.ScoreBar{
		Score:  thousandths(as.Score),
		Medium: thousandths(v.Thresholds.Medium), High: thousandths(v.Thresholds.High), Critical: thousandths(v.Thresholds.Critical),
	}
	if b.Cause = causeOf(say, v); b.Cause != "" {
		b.Raised = present.LevelOf(as.Level)
	}
	return b
}

// scorerFactors are the bars of own scorers and of what they stand beside.
func scorerFactors(say texts.Printer, s *scoring.Scorers) (all []review.Factor) {
	if s == nil {
		return nil
	}
	bar := func(name string, p scoring.ScorerPart, why string) review.Factor {
		return review.Factor{Name: name, Thousandths: thousandths(p.Contribution), Contribution: product(p.Score, p.Weight, p.Contribution), Why: untrusted.Runs(why)}
	}
	if s.Mode != scoring.ScorersReplace {
		all = append(all, bar(say.Say("Models combined"), s.BuiltIn, say.Say("with a share of %s", Score(s.BuiltIn.Weight))))
	}
	for _, one := range s.Own {
		why := ScorerAbout(say, one)
		if one.Reason != "" {
			why = one.Reason + "; " + why
		}
		all = append(all, bar(say.Say("Scorer %s", one.Name), one.ScorerPart, why))
	}
	return all
}

// ScorerAbout is what a scorer said, and how much of it counts.
func ScorerAbout(say texts.Printer, one scoring.OwnScored) string {
	about := say.Say("%s, weight %s", Score(one.Score), Score(one.Weight))
	if one.Failed != "" {
		about += "; " + say.Say("it returned no result, which counts as 1")
	}
	return about
}
