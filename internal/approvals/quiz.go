package approvals

import (
	"encoding/hex"
	"math/rand/v2"
	"slices"

	"github.com/countersign/countersign/internal/scoring/facts"
)

// A quiz has three questions. One is about the effect (quiz_effect.go). The others are about
// values that only the request says: not the queue's row, nor the head of the page, nor the
// rest of its session (quiz_values.go). A value is asked for by four options where good ones
// can be made (options.go); where fewer than two are, one is typed (quiz_typed.go).
//
// Why that holds against somebody who did not read: four options that nothing tells apart
// are one chance in four, so three questions are 1 in 64; who knows from the row what the
// effect is, has 1 in 16; and what is typed nobody guesses. A question that could be told in
// any other way stands only beside a typed one.

const (
	quizQuestions = 3
	quizOptions   = 4
)

// around is what can be known without reading a request.
type around struct {
	shown texts  // by the queue's row, its headline and the rest of the session
	own   values // what other calls of the same agent hold
	pool  pool   // what the requests of other agents hold
}

// asked is what was asked before about the same act. An operator who sees two sets
// of options for one value knows that the right one is in both. So a value has one
// set, whoever is asked and however often.
type asked struct {
	settled []Question // of every operator
	failed  []Question // of this operator, in sets that were wrong: others come first now
	left    []Question // a set that this operator left or that ran out: it is asked again
}

// quiz makes the questions for an approval, or none when there is too little to
// ask and the operator types the target instead. random decides everything that must
// not be guessed.
func quiz(a Approval, w around, before asked, random *rand.Rand) []Question {
	if len(before.left) == quizQuestions {
		return again(before.left, random)
	}
	p := picker{around: w, before: before, random: random, all: a.subjects()}
	if len(p.all) == 0 || len(a.Assessment.Effects) == 0 {
		return nil
	}
	random.Shuffle(len(p.all), func(i, j int) { p.all[i], p.all[j] = p.all[j], p.all[i] })
	slices.SortStableFunc(p.all, func(x, y subject) int { return compareBool(p.failed(x), p.failed(y)) })
	set, typed := p.values(a)
	if len(set) < quizQuestions-1 {
		return nil
	}
	set = append(set, p.effect(a, typed))
	random.Shuffle(len(set), func(i, j int) { set[i], set[j] = set[j], set[i] })
	return set
}

// again asks a set that was left once more, with new ids: the same questions in the same
// order, so that nothing is learned from leaving.
func again(left []Question, random *rand.Rand) []Question {
	set := slices.Clone(left)
	for i, q := range set {
		q.Answer, q.AnsweredAt, q.Options = "", nil, slices.Clone(q.Options)
		right := q.Right
		for j, o := range q.Options {
			q.Options[j].ID = optionID(random)
			if o.ID == right {
				q.Right = q.Options[j].ID
			}
		}
		set[i] = q
	}
	return set
}

// picker chooses what is asked.
type picker struct {
	around
	before asked
	random *rand.Rand
	all    []subject
	taken  []subject // what the questions so far are about
}

// failed reports whether a set that was wrong asked for this.
func (p *picker) failed(s subject) bool {
	return slices.ContainsFunc(p.before.failed, func(q Question) bool { return q.Prompt == s.prompt || q.Prompt == s.typedPrompt() })
}

// free reports whether a value has nothing in common with what is asked already.
func (p *picker) free(s subject) bool {
	return !slices.ContainsFunc(p.taken, s.related)
}

// values are the two questions that are not about the effect; typed says that one of them
// is typed.
func (p *picker) values(a Approval) (set []Question, typed bool) {
	for _, s := range p.all {
		if len(set) < quizQuestions-1 && p.hidden(s) && p.free(s) {
			if q, ok := p.options(s); ok {
				p.taken, set = append(p.taken, s), append(set, q)
			}
		}
	}
	if len(set) == quizQuestions-1 && slices.ContainsFunc(p.all, func(s subject) bool { _, ok := p.forEffect(s); return ok }) {
		return set, false
	}
	set, p.taken = set[:0], nil
	q, s := p.typed(a)
	set, p.taken = append(set, q), append(p.taken, s)
	if q, ok := p.third(); ok {
		set = append(set, q)
	}
	return set, true
}

// typed is the question whose answer is typed: a value that nothing else shows, those that
// nobody guesses first, and otherwise the digest.
func (p *picker) typed(a Approval) (Question, subject) {
	for _, least := range []int{digitsTyped, wordsTyped} {
		for _, s := range p.all {
			if part, strength := s.part(p.failed(s)); strength == least && p.hidden(s) && !p.shown.say(part.text) && p.leaves(s) {
				return part.question(s), s
			}
		}
	}
	s := a.digestSubject()
	part, _ := s.part(false)
	return part.question(s), s
}

// leaves reports whether there is something else to ask beside s.
func (p *picker) leaves(s subject) bool {
	return slices.ContainsFunc(p.all, func(o subject) bool { return !o.related(s) && o.askable(p.random) })
}

// third is the question beside a typed one: by options where they can be made, of what is
// hidden first.
func (p *picker) third() (Question, bool) {
	for _, hidden := range []bool{true, false} {
		for _, s := range p.all {
			if p.hidden(s) != hidden || !p.free(s) {
				continue
			}
			if q, ok := p.options(s); ok {
				p.taken = append(p.taken, s)
				return q, true
			}
		}
	}
	for _, hidden := range []bool{true, false} {
		for _, s := range p.all {
			if part, strength := s.part(p.failed(s)); strength > 0 && p.hidden(s) == hidden && p.free(s) {
				p.taken = append(p.taken, s)
				return part.question(s), true
			}
		}
	}
	return Question{}, false
}

// options asks for a value by four of them: those that were offered before, or new ones.
func (p *picker) options(s subject) (Question, bool) {
	values := s.settled(p.before.settled)
	if values == nil {
		values = p.around.options(s, p.random)
	}
	if len(values) != quizOptions {
		return Question{}, false
	}
	return s.ask(values, p.random), true
}

// settled are the options with which this was asked before; nil where it was not.
func (s subject) settled(before []Question) (values []string) {
	for _, q := range before {
		if q.Of != nil {
			q = *q.Of
		}
		if q.Kind != s.kind || q.Prompt != s.prompt || len(q.Options) != quizOptions {
			continue
		}
		right := false
		values = nil
		for _, o := range q.Options {
			values = append(values, o.Text)
			right = right || o.ID == q.Right && o.Text == s.value
		}
		if right {
			return values
		}
	}
	return nil
}

// ask offers these values, in a random order.
func (s subject) ask(values []string, random *rand.Rand) Question {
	values = slices.Clone(values)
	random.Shuffle(len(values), func(i, j int) { values[i], values[j] = values[j], values[i] })
	q := Question{Prompt: s.prompt, Kind: s.kind}
	for _, v := range values {
		o := Option{ID: optionID(random), Text: v}
		if v == s.value {
			q.Right = o.ID
		}
		q.Options = append(q.Options, o)
	}
	return q
}

func optionID(random *rand.Rand) string {
	var b [8]byte
	for i := range b {
		b[i] = byte(random.Uint32())
	}
	return hex.EncodeToString(b[:])
}

// asksQuiz reports whether a quiz can be made: the effect, the digest and one more thing.
func (a Approval) asksQuiz() bool {
	return len(a.Assessment.Effects) > 0 && slices.ContainsFunc(a.subjects(), func(s subject) bool { return s.askable(a.random()) })
}

// Secrets are the texts that a quiz about a may ask for: while one is open they stand
// nowhere beside it.
func (a Approval) Secrets() (all []string) {
	add := func(v string) {
		if len(v) > 1 && !slices.Contains(all, v) {
			all = append(all, v)
		}
	}
	for _, f := range a.Assessment.Facts {
		if f.Kind != facts.Flag {
			add(f.Value)
		}
	}
	for _, s := range a.subjects() {
		add(s.value)
	}
	return all
}
