package present

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/console/untrusted"
	"github.com/countersign/countersign/internal/scoring/patterns"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/texts"
)

// An evaluation of the pattern model, on the request page and on the page of an audit
// entry: everything that its score and its action follow from.

var labelWords = map[patterns.Label]texts.Key{
	patterns.Clean: texts.Key("Clean"), patterns.Suspicious: texts.Key("Suspicious"), patterns.Dangerous: texts.Key("Dangerous"),
}

var labelTones = map[patterns.Label]views.Tone{
	patterns.Clean: views.ToneOK, patterns.Suspicious: views.ToneWarn, patterns.Dangerous: views.ToneBad,
}

var reasonWords = map[string]texts.Key{
	patterns.ReasonNoMatch:   texts.Key("no pattern matched"),
	patterns.ReasonSeverity:  texts.Key("the strictest action among the patterns of the highest severity"),
	patterns.ReasonThreshold: texts.Key("the score is above the threshold, which blocks"),
}

// PatternModelOf tells a record. occurrences are how often each match occurs, where its
// places do not say.
func PatternModelOf(say texts.Printer, r patterns.Record, occurrences []int) *views.PatternModel {
	r = r.Told()
	m := &views.PatternModel{Label: say.Key(labelWords[r.Label]), Tone: labelTones[r.Label]}
	if r.MatchCount == 0 {
		m.Summary = say.Say("0 of 100: no pattern matched")
		return m
	}
	m.Summary = say.Say("%d of 100, %s", r.NumericScore, ActionWord(say, r.Action))
	m.Facts, m.Bands = patternFacts(say, r), BandsOf(say, r.NumericScore)
	var points []string
	nth := map[patterns.Severity]int{}
	for i, match := range r.MatchedPatterns {
		n := len(match.Places)
		if i < len(occurrences) {
			n = occurrences[i]
		}
		t := views.PatternTerm{
			Pattern: match.ID, Severity: SeverityWord(say, match.Severity), Action: ActionWord(say, match.Action), Where: matchedWhere(say, match, n),
			Formula: termFormula(r, match.Severity, nth[match.Severity]), Points: pointsText(match.Contribution),
		}
		if match.KeepsMask {
			t.Action = say.Say("%s, and masked", t.Action)
		}
		nth[match.Severity]++
		m.Terms, points = append(m.Terms, t), append(points, t.Points)
	}
	m.Sum = strings.Join(points, " + ") + " = " + pointsText(r.RawScore)
	if len(points) > mostTerms {
		m.Sum = say.Say("%d matches make %s", len(points), pointsText(r.RawScore))
	}
	return m
}

// mostTerms is how many terms of a sum stand on one line.
const mostTerms = 6

// patternFacts are the members of a record by their names in words.
func patternFacts(say texts.Printer, r patterns.Record) []views.Fact {
	band := patterns.BandOf(r.NumericScore)
	reason := say.Key(reasonWords[r.ActionReason])
	if r.Action == patterns.Block && r.BaseAction == patterns.Block && r.ScoreOverrideExceeded {
		reason += "; " + say.Say("the score is above the threshold, too")
	}
	exceeded := say.Say("not exceeded")
	if r.ScoreOverrideExceeded {
		exceeded = say.Say("exceeded by the score of %d", r.NumericScore)
	}
	return []views.Fact{
		{Label: say.Say("Pattern score"), Value: untrusted.Runs(say.Say("%d of 100", r.NumericScore)), Note: untrusted.Runs(say.Say("the sum is %s; %s points: %s, as guidance that decides nothing", pointsText(r.RawScore), bandText(band), ActionWord(say, band.Action)))},
		{Label: say.Say("Overall severity"), Value: untrusted.Runs(SeverityWord(say, r.CategoricalSeverity)), Note: untrusted.Runs(countsText(say, r.SeverityCounts))},
		{Label: say.Say("Base action"), Value: untrusted.Runs(ActionWord(say, r.BaseAction)), Note: untrusted.Runs(say.Say("of the highest severity"))},
		{Label: say.Say("Final action"), Value: untrusted.Runs(ActionWord(say, r.Action)), Note: untrusted.Runs(say.Say("of the published model"))},
		{Label: say.Say("Reason of the action"), Value: untrusted.Runs(r.ActionReason), Note: untrusted.Runs(reason), Mono: true},
		{Label: say.Say("Blocks above"), Value: untrusted.Runs(strconv.Itoa(r.ScoreOverrideThreshold) + " (score_override_threshold)"), Note: untrusted.Runs(exceeded), Mono: true},
	}
}

// countsText is "2 critical, 1 high, 0 medium, 0 low".
func countsText(say texts.Printer, counts patterns.PerSeverity[int]) string {
	var all []string
	for _, s := range patterns.Severities() {
		all = append(all, strconv.Itoa(counts.Of(s))+" "+SeverityWord(say, s))
	}
	return strings.Join(all, ", ")
}

// matchedWhere is the first place of a match, and how many more there are.
func matchedWhere(say texts.Printer, m patterns.Match, occurrences int) []views.Run {
	at := m.Place()
	text := say.Say("%s, bytes %s to %s", at.Pointer, strconv.Itoa(at.Start), strconv.Itoa(at.End))
	if at.Key {
		text = say.Say("the name of %s, bytes %s to %s", at.Pointer, strconv.Itoa(at.Start), strconv.Itoa(at.End))
	}
	if occurrences > 1 {
		text += " " + say.Say("and %d more places", occurrences-1)
	}
	return untrusted.Runs(text)
}

// termFormula is weight · decay^n for the match after n others of its severity.
func termFormula(r patterns.Record, s patterns.Severity, n int) string {
	weight := pointsText(r.Weights.Of(s))
	if n == 0 {
		return weight
	}
	return weight + " × " + pointsText(r.Decay) + "^" + strconv.Itoa(n)
}

// pointsText is a number of points with at most six decimals.
func pointsText(f float64) string {
	return strconv.FormatFloat(math.Round(f*1e6)/1e6, 'f', -1, 64)
}

// PatternModelOfEvent is what an entry of the trail tells of it; nil for none.
func PatternModelOfEvent(say texts.Printer, e audit.Event) *views.PatternModel {
	r, occurrences, ok := approvals.PatternRecord(e)
	if !ok {
		return nil
	}
	return PatternModelOf(say, r, occurrences)
}

// BandsOf is the reference table; score marks its row, −1 none.
func BandsOf(say texts.Printer, score int) []views.ScoreBand {
	var all []views.ScoreBand
	for _, b := range patterns.Bands() {
		all = append(all, views.ScoreBand{Scores: bandText(b), Action: ActionWord(say, b.Action), Here: score >= b.From && score <= b.To})
	}
	return all
}

func bandText(b patterns.Band) string {
	if b.From == b.To {
		return strconv.Itoa(b.From)
	}
	return fmt.Sprintf("%d–%d", b.From, b.To)
}
