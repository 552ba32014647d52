package approvals

import (
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/facts"
)

// One question of a quiz asks for the whole of what would happen: on what, on how much,
// for whom, and whether there is a way back. It is one of the three about a fact, with
// each option made a sentence about that value. The verb stands in none, since the queue's
// row shows it.
//
// The sentences say the same of every value, so that the way in which the values were
// chosen still holds (see options.go). Only in one quiz of pairsIn two values stand with
// two upshots each: whoever knows what such calls do mostly needs only one guess of two
// then, and passes that question in 2 + (pairsIn − 1) of 4·pairsIn cases instead of one of
// four. More often would cost more than it asks.

const (
	effectKind   = "effect"
	effectPrompt = "What would happen?"
	// pairsIn is out of how many quizzes one has another upshot beside the right one.
	pairsIn = 8
)

// upshot is what a sentence says beside the value.
type upshot struct {
	breadth  effects.Breadth
	audience effects.Audience
	undone   int // 1: it can be, −1: it cannot, 0: nothing is known
}

// upshot is that of the effect that decides; false where none was read.
func (a Approval) upshot() (o upshot, ok bool) {
	if len(a.Assessment.Effects) == 0 {
		return o, false
	}
	e := a.Assessment.Effects[0]
	o = upshot{breadth: e.Breadth, audience: e.Audience}
	switch {
	case e.Breadth == "":
		return o, false
	case e.Reversible != nil && *e.Reversible:
		o.undone = 1
	case e.Reversible != nil:
		o.undone = -1
	}
	return o, true
}

// others are the upshots that differ in one thing.
func (o upshot) others() (all []upshot) {
	for _, b := range []effects.Breadth{effects.One, effects.Several, effects.All} {
		if b != o.breadth {
			all = append(all, upshot{b, o.audience, o.undone})
		}
	}
	if o.audience != "" {
		for _, who := range []effects.Audience{effects.Inside, effects.Outside, effects.Public} {
			if who != o.audience {
				all = append(all, upshot{o.breadth, who, o.undone})
			}
		}
	}
	if o.undone != 0 {
		all = append(all, upshot{o.breadth, o.audience, -o.undone})
	}
	return all
}

// sentence says what happens to a value. An agent's text stands in it between quotes.
func (s subject) sentence(o upshot, value string) string {
	on := "It acts on"
	switch facts.Kind(s.kind) {
	case facts.Recipient:
		on = "It goes to"
	case facts.Host:
		on = "It reaches"
	default:
	}
	what := strings.TrimSpace(s.label+" “") + value + "”"
	parts := []string{map[effects.Breadth]string{
		effects.One:     on + " " + what + " alone",
		effects.Several: on + " " + what + " and others with it",
		effects.All:     on + " everything, " + what + " included",
	}[o.breadth]}
	if who := map[effects.Audience]string{
		effects.Inside: "only people of the organisation see it", effects.Outside: "people outside of the organisation see it", effects.Public: "everybody can see it",
	}[o.audience]; who != "" {
		parts = append(parts, who)
	}
	if undone := map[int]string{1: "it can be undone", -1: "it cannot be undone"}[o.undone]; undone != "" {
		parts = append(parts, undone)
	}
	last := len(parts) - 1
	if last == 0 {
		return parts[0]
	}
	return strings.Join(parts[:last], ", ") + ", and " + parts[last]
}

// carries reports whether a subject can be what a sentence is about: a thing, and neither
// a number, a time, the surroundings nor the call itself.
func (s subject) carries() bool {
	switch s.kind {
	case string(facts.Target), string(facts.Recipient), string(facts.Table), string(facts.Path), string(facts.Host), string(facts.Branch):
		return true
	}
	return false
}

// posed is a question and what it asks for.
type posed struct {
	subject
	Question
}

// withEffect makes one of the questions ask for the effect, the best one that can. What
// was asked so before is asked so again, with the same sentences: a fact that is asked in
// two ways would be told by what they share.
func (a Approval) withEffect(chosen []posed, before asked, random *rand.Rand) []Question {
	all := slices.Concat(before.settled, before.failed, before.left)
	o, ok := a.upshot()
	asks := false
	for i, p := range chosen {
		if made := p.effectBefore(o, all); ok && made != nil {
			chosen[i].Question, asks = p.effectOf(o, made, random), true
		}
	}
	for i, p := range chosen {
		if !ok || asks || !p.carries() {
			continue
		}
		texts := make([]string, 0, quizOptions)
		for _, option := range p.Options {
			texts = append(texts, p.sentence(o, option.Text))
		}
		first := p.settled(all) == nil && !slices.ContainsFunc(all, func(q Question) bool { return q.Of != nil })
		if first && random.IntN(pairsIn) == 0 {
			texts = p.pairs(o, random)
		}
		asks, chosen[i].Question = true, p.effectOf(o, texts, random)
	}
	questions := make([]Question, len(chosen))
	for i, p := range chosen {
		questions[i] = p.Question
	}
	return questions
}

// pairs are two values with two upshots each.
func (p posed) pairs(o upshot, random *rand.Rand) (texts []string) {
	others := o.others()
	other := others[random.IntN(len(others))]
	wrong := slices.DeleteFunc(slices.Clone(p.Options), func(option Option) bool { return option.ID == p.Right })
	for _, value := range []string{p.value, wrong[random.IntN(len(wrong))].Text} {
		texts = append(texts, p.sentence(o, value), p.sentence(other, value))
	}
	return texts
}

// effectOf asks with these sentences what a question asks about the fact.
func (p posed) effectOf(o upshot, texts []string, random *rand.Rand) Question {
	q := subject{kind: effectKind, prompt: effectPrompt, value: p.sentence(o, p.value)}.ask(texts, random)
	of := p.Question
	q.Of = &of
	return q
}

// effectBefore are the sentences with which the effect on this was asked before; nil where
// it was not.
func (p posed) effectBefore(o upshot, before []Question) (texts []string) {
	for _, q := range before {
		if q.Of == nil || p.settled([]Question{q}) == nil {
			continue
		}
		for _, option := range q.Options {
			texts = append(texts, option.Text)
		}
		if slices.Contains(texts, p.sentence(o, p.value)) {
			return texts
		}
		texts = nil
	}
	return nil
}
