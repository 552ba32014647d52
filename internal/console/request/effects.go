package request

import (
	"strings"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/internal/console/untrusted"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/review"
	"github.com/countersign/countersign/views/texts"
)

// What the call does stands first: one line for each effect, the one that decides at the
// top, with where each was read.

// maxEffects is how many of them stand on a page; the rest are counted.
const maxEffects = 20

// effectsOf are the effects of a request. marked are the places on this page where their
// evidence is marked first.
func effectsOf(say texts.Printer, v approvals.Review, marked map[string]int) *review.Effects {
	all := v.Assessment.Effects
	if len(all) == 0 {
		return nil
	}
	e := &review.Effects{}
	for _, one := range all[:min(len(all), maxEffects)] {
		item := effectOf(say, one, marked)
		if w := v.Assessment.Workspace; w != nil && w.Decides && one.Kind == effects.Execute {
			item.Kind = say.Say("Runs code") // which the workspace read
		}
		e.Items = append(e.Items, item)
	}
	if more := len(all) - maxEffects; more > 0 {
		e.More = say.Say("and %d more effects, in the record", more)
	}
	return e
}

func effectOf(say texts.Printer, e effects.Effect, marked map[string]int) review.Effect {
	shown := review.Effect{Kind: present.EffectWord(say, string(e.Kind)), What: untrusted.InEnglish(untrusted.Runs(whatOf(e))), Points: effectPoints(say, e)}
	if !e.Certain {
		shown.Doubt = say.Say("by its name only")
	}
	for _, ev := range e.Evidence {
		why := ev.Why
		if ev.Pointer != "" {
			why += " (" + strings.TrimPrefix(ev.Pointer, "/") + ")"
		}
		shown.Evidence = append(shown.Evidence, review.EffectEvidence{Command: evidenceCommand(say, ev), Text: untrusted.InEnglish(untrusted.Runs(strings.TrimSpace(why))), Place: marked[effectWhy(say, e.Kind, ev.Why)]})
	}
	return shown
}

// evidenceCommand is the command of a shell text that an effect was read from.
func evidenceCommand(say texts.Printer, ev effects.Evidence) []views.Run {
	if ev.Command == "" {
		return nil
	}
	line, _, more := strings.Cut(strings.TrimSpace(ev.Command), "\n")
	if r := []rune(line); len(r) > maxCommand {
		line, more = string(r[:maxCommand]), true
	}
	if more {
		line += " …"
	}
	return untrusted.Runs(present.Flat(say, line))
}

// maxCommand is how many characters of a command stand beside the effect.
const maxCommand = 120

// whatOf is verb and object, without the verb where the kind says it already.
func whatOf(e effects.Effect) string {
	if e.Verb == string(e.Kind) {
		return e.Object
	}
	return strings.TrimSpace(e.Verb + " " + e.Object)
}

// effectPoints are how much, for whom, how much money, and whether there is a way back.
func effectPoints(say texts.Printer, e effects.Effect) (all []string) {
	add := func(key texts.Key) {
		if key != "" {
			all = append(all, say.Key(key))
		}
	}
	add(breadthWords[e.Breadth])
	if e.Sensitive {
		add(texts.Key("sensitive data"))
	}
	add(audienceWords[e.Audience])
	if e.Amount != nil {
		all = append(all, e.Amount.String())
	}
	if e.Reversible != nil && !*e.Reversible {
		add(texts.Key("can't be undone"))
	}
	return all
}

var breadthWords = map[effects.Breadth]texts.Key{
	effects.One: texts.Key("one"), effects.Several: texts.Key("several"), effects.All: texts.Key("everything"),
}

var audienceWords = map[effects.Audience]texts.Key{
	effects.Inside: texts.Key("inside the organisation"), effects.Outside: texts.Key("outside the organisation"), effects.Public: texts.Key("publicly visible"),
}

// effectWhy are the words of a mark.
func effectWhy(say texts.Printer, kind effects.Kind, why string) string {
	return say.Say("effect, %s: “%s”", present.LowerFirst(present.EffectWord(say, string(kind))), why)
}

// floorItem is what the effects ask for, beside what the models found.
func floorItem(say texts.Printer, v approvals.Review) (item review.HeldItem, ok bool) {
	f := v.Assessment.Floor
	if len(v.Assessment.Effects) == 0 || f.Level <= level.Low {
		return item, false
	}
	item = review.HeldItem{Icon: views.IconShield, Kind: say.Say("What it does"), Text: untrusted.InEnglish(untrusted.Runs(present.Sentence(f.Because))), Tag: say.Say("%s or higher", present.LevelWord(say, f.Level))}
	if kind := v.Assessment.Cause().Kind; !v.Sealed && (kind == scoring.CauseEffect || kind == scoring.CauseEntry) { // it says that the score is lower
		item.Tag = say.Say("%s, this decided", present.LevelWord(say, f.Level))
	}
	return item, true
}
