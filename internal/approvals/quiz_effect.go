package approvals

import (
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/facts"
)

// One question of a quiz asks for the effect, in whole sentences: how much or how many,
// for whom or what, and whether and how it can be undone. The verb stands in none, since
// the queue's row shows it.
//
// Where a value can be had that the other questions leave alone, the sentences are of equal
// weight: each says the same of another value, so that neither the worst nor the mildest is
// right more often than any. Beside a typed question two of the values may be told with two
// upshots. Where no value can be had, they differ in the upshot alone; that can be guessed by
// whoever knows what such calls mostly do, and stands only beside a typed question.

const (
	effectKind   = "effect"
	effectPrompt = "What would happen?"
)

// upshot is what a sentence says beside the value.
type upshot struct {
	breadth  effects.Breadth // "": nothing is changed at all
	audience effects.Audience
	undone   int // 1: it can be, −1: it cannot, 0: nothing is known
}

// upshot is that of the effect that decides.
func (a Approval) upshot() upshot {
	e := a.Assessment.Effects[0]
	o := upshot{breadth: e.Breadth, audience: e.Audience}
	if e.Breadth == "" {
		o.breadth = effects.One
	}
	switch {
	case e.Reversible != nil && *e.Reversible && !a.Assessment.Irreversible():
		o.undone = 1
	case e.Reversible != nil:
		o.undone = -1
	}
	return o
}

// sentences says what happens in one request.
type sentences struct {
	noun string // what it is about, where no value is named
	done string // what happens to it: "affected"
	gets bool   // somebody gets something
}

func (a Approval) sentences() sentences {
	e := a.Assessment.Effects[0]
	w := sentences{noun: "thing", done: "affected", gets: e.Kind == effects.Message}
	if e.Kind == effects.Read {
		w.done = "looked at"
	}
	said := " " + a.Subject().Sentence + " "
	if e.Object != e.Verb && readableNoun(e.Object) && strings.Contains(said, " "+e.Object+" ") {
		w.noun = e.Object
		return w
	}
	for _, f := range a.Assessment.Facts {
		if strings.Contains(said, " "+f.Label+" ") && readableNoun(f.Label) && (f.Kind == facts.Target && f.Label != "target" || f.Kind == facts.Table || f.Kind == facts.Path || f.Kind == facts.Branch) {
			w.noun = f.Label
			break
		}
	}
	return w
}

// readableNoun reports whether plain English words can stand behind "one": a label is made
// from a key, which the agent chose.
func readableNoun(label string) bool {
	return label != "" && len(label) < 24 && !strings.HasSuffix(label, "s") && strings.Trim(label, "abcdefghijklmnopqrstuvwxyz ") == "" &&
		!slices.Contains([]string{"data", "money", "access", "page", "command", "code", "network", "conversations"}, label)
}

// of is the sentence about a value, or about none. An agent's text stands in it between
// quotes.
func (w sentences) of(s *subject, value string, o upshot) string {
	said := w.plain(o)
	switch {
	case s == nil:
	case s.kind == string(facts.Amount):
		said = sum(value) + " is at stake"
	case s.kind == string(facts.Count) && plural(s.label):
		said = sum(value) + " " + s.label + " are " + w.done
	case s.kind == string(facts.Count):
		said = "The " + s.label + " comes to " + sum(value)
	default:
		said = w.about(s, value, o)
	}
	if o.breadth == "" {
		return said
	}
	if who := map[effects.Audience]string{
		effects.Inside: "only people of the organisation see it", effects.Outside: "people outside of the organisation see it", effects.Public: "everybody can see it",
	}[o.audience]; who != "" {
		said += ", " + who
	}
	return said + map[int]string{1: ", and a call like it can undo it", -1: ", and nothing can undo it"}[o.undone]
}

// plain is how much happens, without a value.
func (w sentences) plain(o upshot) string {
	if w.gets {
		return map[effects.Breadth]string{
			effects.One: "Exactly one recipient gets it", effects.Several: "More than one recipient gets it, but not everybody",
			effects.All: "Everybody on the list gets it", "": "Nobody gets anything: it is only prepared",
		}[o.breadth]
	}
	return map[effects.Breadth]string{
		effects.One: "Exactly one " + w.noun + " is " + w.done, effects.Several: "More than one " + w.noun + " is " + w.done + ", but not all",
		effects.All: "Every single " + w.noun + " is " + w.done, "": "Nothing is " + w.done + ": it is only checked",
	}[o.breadth]
}

// about is what happens to one value.
func (w sentences) about(s *subject, value string, o upshot) string {
	what := "the " + s.label + " “" + value + "”"
	if w.gets && (s.kind == string(facts.Recipient)) {
		return map[effects.Breadth]string{effects.One: "Only " + what + " gets it", effects.Several: upperFirst(what) + " gets it, and others with it", effects.All: "Everybody gets it, " + what + " among them"}[o.breadth]
	}
	return map[effects.Breadth]string{
		effects.One: "Only " + what + " is " + w.done, effects.Several: upperFirst(what) + " is " + w.done + ", and others with it",
		effects.All: "Everything is " + w.done + ", " + what + " included",
	}[o.breadth]
}

// sum is a value that may stand without quotes: digits, and a currency.
func sum(value string) string {
	if strings.Trim(value, "0123456789., ABCDEFGHIJKLMNOPQRSTUVWXYZ") == "" {
		return value
	}
	return "“" + value + "”"
}

func upperFirst(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// others are the upshots that differ in one thing, the milder ones and the worse ones.
func (o upshot) others() (milder, worse []upshot) {
	for i, b := range []effects.Breadth{effects.One, effects.Several, effects.All} {
		at := slices.Index([]effects.Breadth{effects.One, effects.Several, effects.All}, o.breadth)
		if i < at {
			milder = append(milder, upshot{b, o.audience, o.undone})
		} else if i > at {
			worse = append(worse, upshot{b, o.audience, o.undone})
		}
	}
	switch o.undone {
	case -1:
		milder = append(milder, upshot{o.breadth, o.audience, 1})
	case 1:
		worse = append(worse, upshot{o.breadth, o.audience, -1})
	}
	return milder, worse
}

// four are upshots of which this is one, where no value can be told.
func (o upshot) four(random source) []upshot {
	if o.undone == 0 {
		return []upshot{{effects.One, o.audience, 0}, {effects.Several, o.audience, 0}, {effects.All, o.audience, 0}, {}}
	}
	milder, worse := o.others()
	others := slices.DeleteFunc(append(milder, worse...), func(other upshot) bool { return other.undone != o.undone })
	other := others[random.IntN(len(others))]
	last := upshot{other.breadth, o.audience, -o.undone}
	if random.IntN(2) == 0 { // so that the mildest of four is not the right one, where it is mild
		last = upshot{}
	}
	return []upshot{o, {o.breadth, o.audience, -o.undone}, other, last}
}

// carries reports whether the effect can be told by a value: a thing, or how many or much.
func (s subject) carries() bool { return s.kind != valueKind && !s.digest }

// forEffect is a value by which the effect can be told, with four options: one that no
// other question has anything in common with.
func (p *picker) forEffect(s subject) ([]string, bool) {
	if !s.carries() || !p.free(s) {
		return nil, false
	}
	values := p.around.options(s, p.random)
	return values, len(values) == quizOptions
}

// effect asks for the effect. What was asked so before is asked with the same sentences.
func (p *picker) effect(a Approval, typed bool) Question {
	o, w := a.upshot(), a.sentences()
	for _, s := range p.all {
		if q, ok := p.settledEffect(w.of(&s, s.value, o)); ok && p.free(s) && !p.failed(s) {
			return q
		}
	}
	if !slices.ContainsFunc(p.before.settled, func(q Question) bool { return q.Kind == effectKind }) || !typed {
		for _, hidden := range []bool{true, false} {
			for _, s := range p.all {
				if p.hidden(s) != hidden {
					continue
				}
				if values, ok := p.forEffect(s); ok {
					return subject{kind: effectKind, prompt: effectPrompt, value: w.of(&s, s.value, o)}.ask(p.told(w, s, values, o, typed), p.random)
				}
			}
		}
	}
	right := w.of(nil, "", o)
	if q, ok := p.settledEffect(right); ok {
		return q
	}
	var said []string
	for _, other := range o.four(p.random) {
		said = append(said, w.of(nil, "", other))
	}
	return subject{kind: effectKind, prompt: effectPrompt, value: right}.ask(said, p.random)
}

// told are the four sentences about these values.
func (p *picker) told(w sentences, s subject, values []string, o upshot, typed bool) (said []string) {
	milder, worse := o.others()
	if s.kind == string(facts.Amount) || s.kind == string(facts.Count) { // they say nothing of how many there are
		milder = slices.DeleteFunc(milder, func(other upshot) bool { return other.breadth != o.breadth })
		worse = slices.DeleteFunc(worse, func(other upshot) bool { return other.breadth != o.breadth })
	}
	// Only where it could be milder as well as worse: else the worst, or the mildest, were right
	// more often than chance.
	if typed && len(milder) > 0 && len(worse) > 0 {
		either := [][]upshot{milder, worse}[p.random.IntN(2)]
		other := either[p.random.IntN(len(either))]
		wrong := slices.DeleteFunc(slices.Clone(values), func(v string) bool { return v == s.value })[0]
		for _, v := range []string{s.value, wrong} {
			said = append(said, w.of(&s, v, o), w.of(&s, v, other))
		}
		return said
	}
	for _, v := range values {
		said = append(said, w.of(&s, v, o))
	}
	return said
}

// settledEffect is what was asked before, with this right answer.
func (p *picker) settledEffect(right string) (Question, bool) {
	values := subject{kind: effectKind, prompt: effectPrompt, value: right}.settled(p.before.settled)
	if values == nil {
		return Question{}, false
	}
	return subject{kind: effectKind, prompt: effectPrompt, value: right}.ask(values, p.random), true
}
