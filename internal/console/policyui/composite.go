package policyui

import (
	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/internal/console/request"
	"github.com/countersign/countersign/internal/console/untrusted"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/views"
)

// softenedScore is the five-factor score of the worked example: HIGH out of the box.
const softenedScore = 0.72

// compositeNotice warns where the weighted mean of a draft makes less of a score that
// five-factor gives alone: no pattern is found in most calls, and that counts as a zero.
func compositeNotice(d Drafted) (n views.Notice, softens bool) {
	p, wrong := d.Draft.Policy(d.Say, d.Base.Policy)
	w := p.CompositeWeights
	total := w.FiveFactor + w.Patterns
	if len(wrong) > 0 || p.Strategy != scoring.StrategyComposite || total <= 0 || w.Patterns <= 0 {
		return n, false
	}
	mean := softenedScore * w.FiveFactor / total
	text := d.Say.Say("When no pattern matches, the weights turn a five-factor score of %[2]s into %[1]s: %[3]s instead of %[4]s.",
		request.Score(mean), request.Score(softenedScore), present.LevelWord(d.Say, p.Thresholds.Level(mean)), present.LevelWord(d.Say, p.Thresholds.Level(softenedScore)))
	if p.Thresholds.Level(mean) == p.Thresholds.Level(softenedScore) {
		text = d.Say.Say("When no pattern matches, the weights turn a five-factor score of %s into %s, so scores near a threshold fall below it.", request.Score(mean), request.Score(softenedScore))
	}
	return views.Notice{Tone: views.ToneWarn, Icon: views.IconAlert, Title: d.Say.Say("The weighted mean softens levels"), Text: untrusted.Runs(text)}, true
}
