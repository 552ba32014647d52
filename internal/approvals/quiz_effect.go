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

// effectPrompts say, where all four sentences agree in it, whether it can be undone; so they
// need not say it themselves.
var effectPrompts = map[int]string{0: effectPrompt, 1: "What would happen that can be undone?", -1: "What would happen that can't be undone?"}

// upshot is what a sentence says beside the value.
type upshot struct {
	breadth effects.Breadth // "": nothing is changed at all
	undone  int             // 1: it can be, −1: it cannot, 0: nothing is known, or said
}

// unsaid is how much where all four sentences tell the effect by a value: that nothing else is
// affected need not be said then, and of what a call only names it would be wrong.
const unsaid effects.Breadth = "alone"

// upshot is that of the effect that decides.
func (a Approval) upshot() upshot {
	e := a.Assessment.Effects[0]
	o := upshot{breadth: e.Breadth}
	if e.Breadth == "" {
		o.breadth = effects.One
	}
	if o.breadth == effects.One && a.namesSeveral() {
		o.breadth = effects.Several
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
	w := sentences{noun: a.noun(), done: "affected", gets: e.Kind == effects.Message}
	if e.Kind == effects.Read {
		w.done = "returned"
	}
	return w
}

// of is the sentence about a value, or about none. An agent's text stands in it between
// quotes.
func (w sentences) of(s *subject, value string, o upshot) string {
	said := w.plain(o)
	switch {
	case s == nil:
	case s.kind == string(facts.Amount):
		said = sum(value) + " changes hands"
	case s.counts():
		said = sum(value) + " " + spoken(s.label) + " are " + w.done
	default:
		said = w.about(s, value, o)
	}
	if o.breadth == "" {
		return said
	}
	return said + map[int]string{1: ", but not for good", -1: ", for good"}[o.undone]
}

// plain is how much happens, without a value.
func (w sentences) plain(o upshot) string {
	one, many := spoken(w.noun), spoken(several(w.noun))
	switch {
	case w.gets:
		return map[effects.Breadth]string{
			effects.One: "One recipient gets it", effects.Several: "Several recipients get it", effects.All: "Everyone on the list gets it", "": "No one gets it",
		}[o.breadth]
	case w.noun == rows:
		return map[effects.Breadth]string{
			effects.One: "Rows with an exact value are " + w.done, effects.Several: "Rows under a wider condition or limit are " + w.done,
			effects.All: "All rows are " + w.done, "": "No rows are " + w.done,
		}[o.breadth]
	}
	return map[effects.Breadth]string{
		effects.One: "One " + one + " is " + w.done, effects.Several: "Several " + many + " are " + w.done,
		effects.All: "All " + many + " are " + w.done, "": "No " + one + " is " + w.done,
	}[o.breadth]
}

// about is what happens to one value.
func (w sentences) about(s *subject, value string, o upshot) string {
	what := spoken(s.label) + " “" + value + "”"
	if slices.Contains(vague, s.label) {
		what = "“" + value + "”"
	}
	if w.gets && s.kind == string(facts.Recipient) {
		return map[effects.Breadth]string{effects.One: "Only " + what + " gets it", unsaid: upperFirst(what) + " gets it", effects.Several: upperFirst(what) + " and others get it", effects.All: "Everyone gets it, including " + what}[o.breadth]
	}
	return map[effects.Breadth]string{
		effects.One: "Only " + what + " is " + w.done, unsaid: upperFirst(what) + " is " + w.done, effects.Several: upperFirst(what) + " and others are " + w.done,
		effects.All: "Everything is " + w.done + ", including " + what,
	}[o.breadth]
}

// sum is a value that may stand without quotes: digits, and a currency.
func sum(value string) string {
	if strings.Trim(value, "0123456789., ABCDEFGHIJKLMNOPQRSTUVWXYZ") == "" {
		return value
	}
	return "“" + value + "”"
}

func upperFirst(s string) string {
	if strings.HasPrefix(s, "“") {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// others are the upshots that differ in one thing, the milder ones and the worse ones.
func (o upshot) others() (milder, worse []upshot) {
	for i, b := range []effects.Breadth{effects.One, effects.Several, effects.All} {
		at := slices.Index([]effects.Breadth{effects.One, effects.Several, effects.All}, o.breadth)
		if i < at {
			milder = append(milder, upshot{b, o.undone})
		} else if i > at {
			worse = append(worse, upshot{b, o.undone})
		}
	}
	switch o.undone {
	case -1:
		milder = append(milder, upshot{o.breadth, 1})
	case 1:
		worse = append(worse, upshot{o.breadth, -1})
	}
	return milder, worse
}

// four are this upshot and three others, where no value can be told.
func (o upshot) four(random source) []upshot {
	if o.undone == 0 {
		others := slices.DeleteFunc([]upshot{{effects.One, 0}, {effects.Several, 0}, {effects.All, 0}, {}}, func(other upshot) bool { return other == o })
		return append([]upshot{o}, others...)
	}
	milder, worse := o.others()
	others := slices.DeleteFunc(append(milder, worse...), func(other upshot) bool { return other.undone != o.undone })
	other := others[random.IntN(len(others))]
	undone, both := upshot{o.breadth, -o.undone}, upshot{other.breadth, -o.undone}
	if random.IntN(2) == 0 {
		return []upshot{o, undone, other, both}
	}
	// So that the mildest of four is not the right one, where it is mild. Of the three others one
	// differs from each in one thing alone: that is any of them.
	three := []upshot{undone, other, both}
	left := random.IntN(len(three))
	return append(append([]upshot{o}, slices.Delete(three, left, left+1)...), upshot{})
}

// How much, and whether it can be undone, where those are two questions.
const (
	muchPrompt = "What would be affected?"
	whoPrompt  = "Who would receive it?"
	undoPrompt = "Can it be undone?"
)

// apart asks for the effect in two questions, where it is known whether it can be undone. Who
// knows what such calls mostly do can answer both: they stand only beside a typed one.
func (p *picker) apart(a Approval) []Question {
	o, w := a.upshot(), a.sentences()
	if o.undone == 0 || w.noun == anything {
		return nil
	}
	var much []string
	for _, b := range []effects.Breadth{effects.One, effects.Several, effects.All, ""} {
		much = append(much, w.plain(upshot{breadth: b}))
	}
	of := muchPrompt
	if w.gets {
		of = whoPrompt
	}
	undo := map[int]string{1: "Yes, it can", -1: "No, it can't"}
	return []Question{
		subject{kind: effectKind, prompt: of, value: w.plain(o)}.ask(much, p.random),
		subject{kind: effectKind, prompt: undoPrompt, value: undo[o.undone]}.ask([]string{undo[1], undo[-1], "Only in part", "There is nothing to undo"}, p.random),
	}
}

// carries reports whether the effect can be told by a value: a thing, or how many or much,
// and not one of several, nor a limit or a price.
func (s subject) carries() bool {
	switch s.kind {
	case valueKind, string(facts.Time):
		return false
	case string(facts.Count):
		return s.counts() && s.label != "replicas"
	case string(facts.Amount):
		return s.label == "amount" && strings.ContainsAny(s.value, "ABCDEFGHIJKLMNOPQRSTUVWXYZ€$£")
	}
	return len(s.list) == 0
}

// forEffect is a value by which the effect can be told, with four options: one that no
// other question has anything in common with.
func (p *picker) forEffect(s subject) ([]string, bool) {
	if !s.carries() || !p.free(s) {
		return nil, false
	}
	values := p.four(s)
	return values, len(values) == quizOptions
}

// told is one sentence: a value, or none, and what happens.
type told struct {
	value string
	upshot
}

// sentence is how it is said, and asked for; bare where all four agree in whether it can be undone.
func (w sentences) sentence(s *subject, one told, bare bool) (prompt, said string) {
	if o := one.upshot; bare {
		return effectPrompts[o.undone], w.of(s, one.value, upshot{breadth: o.breadth})
	}
	return effectPrompt, w.of(s, one.value, one.upshot)
}

// ask asks for the first of four.
func (w sentences) ask(s *subject, four []told, random source) Question {
	bare := !slices.ContainsFunc(four, func(o told) bool { return o.undone != four[0].undone || o.breadth == "" })
	var said []string
	for _, one := range four {
		_, sentence := w.sentence(s, one, bare)
		said = append(said, sentence)
	}
	about := subject{kind: effectKind, value: said[0]}
	if s != nil {
		about.label = s.label
	}
	about.prompt, _ = w.sentence(s, four[0], bare)
	return about.ask(said, random)
}

// effect asks for the effect. What was asked so before is asked with the same sentences.
func (p *picker) effect(a Approval, typed bool) Question {
	o, w := a.upshot(), a.sentences()
	for _, s := range p.all {
		for _, right := range []upshot{o, {unsaid, o.undone}} {
			if q, ok := p.settledEffect(w, &s, told{s.value, right}); ok && p.free(s) && !p.failed(s) {
				return q
			}
		}
	}
	if !slices.ContainsFunc(p.before.settled, func(q Question) bool { return q.Kind == effectKind }) || !typed {
		for _, hidden := range []bool{true, false} {
			for _, s := range p.all {
				if p.hidden(s) != hidden {
					continue
				}
				if values, ok := p.forEffect(s); ok {
					q := w.ask(&s, p.told(s, values, o, typed), p.random)
					q.Values = values
					return q
				}
			}
		}
	}
	if q, ok := p.settledEffect(w, nil, told{"", o}); ok {
		return q
	}
	var four []told
	for _, other := range o.four(p.random) {
		four = append(four, told{"", other})
	}
	return w.ask(nil, four, p.random)
}

// told is the effect by these values, and three others.
func (p *picker) told(s subject, values []string, o upshot, typed bool) []told {
	milder, worse := o.others()
	if s.kind == string(facts.Amount) || s.kind == string(facts.Count) { // they say nothing of how many there are
		milder = slices.DeleteFunc(milder, func(other upshot) bool { return other.breadth != o.breadth })
		worse = slices.DeleteFunc(worse, func(other upshot) bool { return other.breadth != o.breadth })
	}
	all := []told{{s.value, o}}
	wrong := slices.DeleteFunc(slices.Clone(values), func(v string) bool { return v == s.value })
	// Only where it could be milder as well as worse: else the worst, or the mildest, were right
	// more often than chance.
	if typed && len(milder) > 0 && len(worse) > 0 && p.acted(s) {
		either := [][]upshot{milder, worse}[p.random.IntN(2)]
		other := either[p.random.IntN(len(either))]
		return append(all, told{s.value, other}, told{wrong[0], o}, told{wrong[0], other})
	}
	if !p.acted(s) || o.breadth == effects.One {
		o.breadth = unsaid
	}
	all = []told{{s.value, o}}
	for _, v := range wrong {
		all = append(all, told{v, o})
	}
	return all
}

// acted reports whether a call acts on a value, so that it can be said that it does so to this
// one only: not on what it names beside that, as a method of payment or a host, nor on that of
// which several things are.
func (p *picker) acted(s subject) bool {
	return !p.several && (s.kind == string(facts.Recipient) || slices.Contains(vague, s.label) || s.label == p.noun)
}

// settledEffect is what was asked before, with this right answer.
func (p *picker) settledEffect(w sentences, of *subject, right told) (Question, bool) {
	for _, bare := range []bool{false, true} {
		s := subject{kind: effectKind}
		s.prompt, s.value = w.sentence(of, right, bare)
		for _, before := range p.before.settled {
			if values := s.settled([]Question{before}); values != nil && before.Prompt == s.prompt {
				q := s.ask(values, p.random)
				q.About, q.Values = before.About, before.Values
				return q, true
			}
		}
	}
	return Question{}, false
}
