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

// anything is the noun where no better one is known.
const anything = "item"

// rows is the noun of a statement of SQL. How many there are stands in no statement: whether a
// column is a key only the database knows, and a limit may be one. So the sentences say how
// rows are picked.
const rows = "row"

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
	w := sentences{noun: anything, done: "affected", gets: e.Kind == effects.Message}
	if e.Kind == effects.Read {
		w.done = "returned to the agent"
	}
	if slices.ContainsFunc(a.Assessment.Facts, func(f facts.Fact) bool { return f.Kind == facts.Table && f.Source == facts.FromSQL }) && e.Object != "table" && e.Object != "database" {
		w.noun = rows
		return w
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
		said = "The " + s.label + " is " + sum(value)
	case s.counts():
		said = sum(value) + " " + s.label + " are " + w.done
	case s.kind == string(facts.Count):
		said = "The " + s.label + " is " + sum(value)
	default:
		said = w.about(s, value, o)
	}
	if o.breadth == "" {
		return said
	}
	if who := map[effects.Audience]string{
		effects.Inside: "only people in the organization can read it", effects.Outside: "people outside the organization can read it", effects.Public: "anyone can read it",
	}[o.audience]; who != "" {
		said += ", " + who
	}
	return said + map[int]string{1: ", and a similar call can undo this", -1: ", and this can't be undone"}[o.undone]
}

// plain is how much happens, without a value.
func (w sentences) plain(o upshot) string {
	if w.gets {
		return map[effects.Breadth]string{
			effects.One: "Exactly one recipient gets it", effects.Several: "More than one recipient gets it, but not everyone",
			effects.All: "Everyone on the list gets it", "": "No one gets anything: it is only prepared",
		}[o.breadth]
	}
	if w.noun == rows {
		return map[effects.Breadth]string{
			effects.One: "Only rows with an exact value are " + w.done + ", however many there are", effects.Several: "Only rows that a wider condition or a limit picks are " + w.done,
			effects.All: "Every row is " + w.done, "": "No row is " + w.done + ": this only checks",
		}[o.breadth]
	}
	return map[effects.Breadth]string{
		effects.One: "Exactly one " + w.noun + " is " + w.done, effects.Several: "More than one " + w.noun + " is " + w.done + ", but not all",
		effects.All: "Every " + w.noun + " is " + w.done, "": "No " + w.noun + " is " + w.done + ": this only checks",
	}[o.breadth]
}

// about is what happens to one value.
func (w sentences) about(s *subject, value string, o upshot) string {
	what := "the " + s.label + " “" + value + "”"
	if w.gets && (s.kind == string(facts.Recipient)) {
		return map[effects.Breadth]string{effects.One: "Only " + what + " gets it", effects.Several: upperFirst(what) + " gets it, and others with it", effects.All: "Everyone gets it, including " + what}[o.breadth]
	}
	return map[effects.Breadth]string{
		effects.One: "Only " + what + " is " + w.done, effects.Several: upperFirst(what) + " is " + w.done + ", and others with it",
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

// How much, and whether it can be undone, where those are two questions.
const (
	muchPrompt = "How much would be affected?"
	whoPrompt  = "Who would receive it?"
	undoPrompt = "Can this action be undone?"
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
	undo := map[int]string{1: "Yes, a similar call can change it back", -1: "No, it can't be undone"}
	return []Question{
		subject{kind: effectKind, prompt: of, value: w.plain(o)}.ask(much, p.random),
		subject{kind: effectKind, prompt: undoPrompt, value: undo[o.undone]}.ask([]string{undo[1], undo[-1], "Only part of it can be undone", "It changes nothing, so there is nothing to undo"}, p.random),
	}
}

// carries reports whether the effect can be told by a value: a thing, or how many or much,
// and not one of several.
func (s subject) carries() bool {
	return s.kind != valueKind && s.kind != string(facts.Time) && len(s.list) == 0
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
					q := subject{kind: effectKind, label: s.label, prompt: effectPrompt, value: w.of(&s, s.value, o)}.ask(p.told(w, s, values, o, typed), p.random)
					q.Values = values
					return q
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
	s := subject{kind: effectKind, prompt: effectPrompt, value: right}
	for _, before := range p.before.settled {
		if values := s.settled([]Question{before}); values != nil {
			q := s.ask(values, p.random)
			q.About, q.Values = before.About, before.Values
			return q, true
		}
	}
	return Question{}, false
}
