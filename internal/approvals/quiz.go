package approvals

import (
	"encoding/hex"
	"math/rand/v2"
	"slices"
)

// A quiz has three questions. One is about the effect (quiz_effect.go). The others are about
// values that only the request says: not the queue's row, nor the head of the page, nor the
// rest of its session (quiz_values.go). A value is asked for by four options where good ones
// can be made (options.go); where fewer than two are, one is typed (quiz_typed.go).
//
// Where the row says all that the call says, nothing tells who read the request from who read
// the row, and the typed target is asked for instead (asksQuiz).
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
	month string // in which it was submitted: 2026-05
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
	if !a.asksQuiz() {
		return nil
	}
	p := picker{around: w, before: before, random: random, noun: a.noun(), several: a.namesSeveral(), all: a.subjects()}
	random.Shuffle(len(p.all), func(i, j int) { p.all[i], p.all[j] = p.all[j], p.all[i] })
	slices.SortStableFunc(p.all, func(x, y subject) int { return compareBool(p.failed(x), p.failed(y)) })
	set, typed, strong := p.values(a)
	switch len(set) {
	case 0:
		return nil
	case 1:
		set = p.beside(a, set[0], strong)
	default:
		set = append(set, p.effect(a, typed))
	}
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
	noun   string // of what the call acts on
	// several says that the call acts on as many as it says, or on those of a place.
	several bool
	all     []subject // those that no wrong set asked for first
	taken   []subject // what the questions so far are about
}

// failed reports whether a set that was wrong asked for this.
func (p *picker) failed(s subject) bool {
	return slices.ContainsFunc(p.before.failed, func(q Question) bool { return q.Kind != effectKind && (q.About == s.label || q.Prompt == s.prompt) })
}

// free reports whether a value has nothing in common with what is asked already.
func (p *picker) free(s subject) bool {
	return !slices.ContainsFunc(p.taken, s.related)
}

// values are the two questions that are not about the effect, or one that is typed; strong
// says that nobody guesses what is typed.
func (p *picker) values(a Approval) (set []Question, typed, strong bool) {
	for _, s := range p.all {
		if len(set) < quizQuestions-1 && p.hidden(s) && p.free(s) && !p.failed(s) {
			if q, ok := p.options(s); ok {
				p.taken, set = append(p.taken, s), append(set, q)
			}
		}
	}
	if len(set) == quizQuestions-1 {
		return set, false, true
	}
	p.taken = nil
	q, s, strength := p.typed(a)
	if strength == 0 {
		return nil, false, false
	}
	p.taken = append(p.taken, s)
	return []Question{q}, true, strength > anyTyped
}

// beside completes the set of a typed question: with another value by options and the effect,
// or with what it would do in two questions, or with another value that is typed. What a wrong
// set asked for comes last of all that can be asked so. Where somebody may think of what is typed,
// another value that only the request says comes first, by options or typed too.
func (p *picker) beside(a Approval, typed Question, strong bool) []Question {
	type step struct{ typed, failed, hidden, effect bool }
	asked := slices.ContainsFunc(p.before.failed, func(q Question) bool { return q.Prompt == undoPrompt })
	steps := []step{{}, {effect: !asked}, {failed: true}, {effect: true}, {typed: true}, {typed: true, failed: true}}
	if !strong {
		steps = append([]step{{hidden: true}, {hidden: true, typed: true}, {typed: true}}, steps...)
	}
	for _, of := range steps {
		if of.effect {
			if two := p.apart(a); two != nil {
				return append(two, typed)
			}
			continue
		}
		if q, ok := p.third(of.typed, of.failed, of.hidden); ok {
			return []Question{typed, q, p.effect(a, true)}
		}
	}
	return nil
}

// typed is the question whose answer is typed: of a value that nothing else shows, those that
// nobody guesses first. What the row does not say another row of the session may say; then
// that is asked all the same, since what is asked for must not depend on what the agent adds.
func (p *picker) typed(a Approval) (q Question, about subject, strength int) {
	row := around{shown: newTexts(a.row()...)}
	for _, w := range []around{p.around, row} {
		for _, failed := range []bool{false, true} {
			for _, strength := range []int{digitsTyped, wordsTyped, anyTyped} {
				for _, known := range []bool{false, true} { // whoever knows the other requests may think of that
					for _, s := range p.all {
						if part, ok := w.typable(s, strength, failed); ok && p.known(s) == known && p.failed(s) == failed && a.leaves(s, p.all) {
							return part.question(s), s, strength
						}
					}
				}
			}
		}
	}
	return Question{}, subject{}, 0
}

// known reports whether another request says this, too.
func (w around) known(s subject) bool {
	return w.own[s.value] > 0 || w.pool[[2]string{s.kind, s.label}][s.value] != nil
}

// typable is the part of a value that is typed, where nothing shows it; other prefers another
// one than usual.
func (w around) typable(s subject, least int, other bool) (part, bool) {
	if !w.hidden(s) {
		return part{}, false
	}
	for _, other := range []bool{other, false} {
		if part, strength := s.part(other); strength >= least && (len(part.text) < 3 || !w.shown.say(part.text)) {
			return part, true
		}
	}
	return part{}, false
}

// leaves reports whether there is something else to ask beside s.
func (a Approval) leaves(s subject, all []subject) bool {
	return a.upshot().undone != 0 && a.sentences().noun != anything || slices.ContainsFunc(all, func(o subject) bool { _, strength := o.part(false); return strength > 0 && !o.related(s) })
}

// third is a question about a value beside a typed one: by options, or typed too; of what a
// wrong set asked for, or of what none did; of what is hidden first, or only.
func (p *picker) third(typed, failed, only bool) (Question, bool) {
	for _, hidden := range []bool{true, false} {
		if only && !hidden {
			break
		}
		for _, s := range p.all {
			if p.hidden(s) != hidden || !p.free(s) || p.failed(s) != failed {
				continue
			}
			q, ok := p.options(s)
			if typed {
				part, strength := s.part(p.failed(s))
				q, ok = part.question(s), strength > 0
			}
			if ok {
				p.taken = append(p.taken, s)
				return q, true
			}
		}
	}
	return Question{}, false
}

// options asks for a value by four of them, or for the end of one that nobody keeps in mind.
func (p *picker) options(s subject) (Question, bool) {
	if values := p.four(s); len(values) == quizOptions {
		return s.ask(values, p.random), true
	}
	end, ok := s.end()
	if !ok {
		return Question{}, false
	}
	values := end.settled(p.before.settled)
	if values == nil {
		values = p.ends(s, p.random)
	}
	return end.ask(values, p.random), len(values) == quizOptions
}

// four are the values that s is asked or told by: those that were offered before, or new ones.
func (p *picker) four(s subject) []string {
	if values := s.settled(p.before.settled); values != nil {
		return values
	}
	return p.around.options(s, p.random)
}

// settled are the options with which this was asked before; nil where it was not.
func (s subject) settled(before []Question) []string {
	for _, q := range before {
		if q.Of != nil {
			q = *q.Of
		}
		if s.kind == effectKind && q.Kind != effectKind || s.kind != effectKind && q.About != s.label && q.Prompt != s.prompt {
			continue
		}
		values := q.Values
		if s.kind == effectKind || q.Kind != effectKind {
			values = nil
			for _, o := range q.Options {
				values = append(values, o.Text)
			}
		}
		if len(values) == quizOptions && slices.Contains(values, s.value) {
			return values
		}
	}
	return nil
}

// ask offers these values, in a random order.
func (s subject) ask(values []string, random *rand.Rand) Question {
	values = slices.Clone(values)
	random.Shuffle(len(values), func(i, j int) { values[i], values[j] = values[j], values[i] })
	q := Question{Prompt: s.prompt, Kind: s.kind, About: s.label}
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

// asksQuiz reports whether a quiz can be made: whether the call says something that its row
// does not, and something else. It depends on nothing but the act, so that no other request
// changes what is asked of an operator.
func (a Approval) asksQuiz() bool {
	if len(a.Assessment.Effects) == 0 {
		return false
	}
	all, row := a.subjects(), around{shown: newTexts(a.row()...)}
	return slices.ContainsFunc(all, func(s subject) bool {
		_, ok := row.typable(s, anyTyped, false)
		return ok && a.leaves(s, all)
	})
}
