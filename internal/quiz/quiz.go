// Package quiz makes the questions about a HIGH request; who keeps them and counts attempts is package approvals.
package quiz

import (
	"cmp"
	"encoding/hex"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/headline"
)

// A quiz asks whoever is about to approve a HIGH request what matters about it (docs/quiz.md): what
// makes it dangerous, what it acts on, where, its other values, what the effect is
// (subjects.go). Every such request has one: what the call would run and why it is held can
// always be asked.
//
// The options of a question are of one kind and made alike (options.go), so that somebody
// who reads the prompts and options alone, and not the request, has a chance of little more than
// one in four with each.

const (
	quizQuestions, quizOptions = 3, 4
	// fewQuestions of wideOptions are asked only where nothing else can be.
	fewQuestions, wideOptions = 2, 6
)

// Call is what a quiz is made of.
type Call struct {
	Action     scoring.Action
	Assessment scoring.Assessment
	Agent      string // the name of the one that asks

	read *headline.Headline // it, once it was read
	ran  *[]command         // likewise what shells run
}

// once reads the headline and the commands, which everything asks for.
func (c Call) once() Call {
	h := c.headline()
	c.read = &h
	ran := c.commands()
	c.ran = &ran
	return c
}

func (c Call) headline() headline.Headline {
	if c.read != nil {
		return *c.read
	}
	return c.Action.Headline(c.Assessment)
}

// effect is the one that decides.
func (c Call) effect() (e effects.Effect) {
	if len(c.Assessment.Effects) > 0 {
		e = c.Assessment.Effects[0]
	}
	return e
}

// Question is one of a quiz.
type Question struct {
	Prompt  string   `json:"prompt"`
	Kind    string   `json:"kind"`            // the role of the value that is asked for, or "effect"
	About   string   `json:"about,omitempty"` // what is asked for, by a name that stays the same
	Values  []string `json:"values,omitempty"`
	Options []Option `json:"options"`
	Right   string   `json:"right"` // id of the right option
	// Values, Of, Typed and Exact are of older sets only, which asked for the effect by
	// values and for ends of values to be typed: they are part of their Sum.
	Of     *Question `json:"of,omitempty"`
	Typed  bool      `json:"typed,omitempty"`
	Exact  bool      `json:"exact,omitempty"`
	Answer string    `json:"answer"` // id of the chosen one; empty until answered
	// AnsweredAt is when it was answered; the first question is put when the challenge is
	// issued, each other one when the one before is answered.
	AnsweredAt *time.Time `json:"answered_at,omitempty"`

	natural string // the prompt where no other question of the set asks for the effect
}

// Option is one of the answers. Its id is random and says nothing.
type Option struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

// Asked is what was asked before about the same act. An operator who sees two sets of options
// for one value knows that the right one is in both: so a value has one set, whoever is asked and
// however often.
type Asked struct {
	Settled []Question // of every operator
	Failed  []Question // of this operator, in sets that were wrong: others come first now
	Left    []Question // a set that this operator left or that ran out: it is asked again
}

// Corpus is what other requests hold, of which options are made.
type Corpus struct {
	values map[string][]string // by what has them, of other agents' requests
	own    map[string]bool     // of the asking agent's: they are never options
	agents []string            // names of agents that ask
}

// NewCorpus knows the requests of other agents, what the asking agent itself asked for, and which agents ask.
func NewCorpus(others, own []Call, agents []string) Corpus {
	w := Corpus{values: map[string][]string{}, own: map[string]bool{}, agents: agents}
	for _, o := range own {
		for _, s := range o.once().values() {
			w.own[s.value] = true
		}
	}
	for _, o := range others {
		for _, s := range o.once().values() {
			if !slices.Contains(w.values[s.of], s.value) {
				w.values[s.of] = append(w.values[s.of], s.value)
			}
		}
	}
	return w
}

// New makes the questions about a call. random decides everything that must not be guessed.
func New(c Call, w Corpus, before Asked, random *rand.Rand) []Question {
	if len(before.Left) > 0 && !slices.ContainsFunc(before.Left, func(q Question) bool { return q.Typed }) {
		return again(before.Left, random)
	}
	c = c.once()
	all := c.subjects(w)
	beyond := c.beyondRow(all)
	other := func(list []subject) []subject {
		list = slices.Clone(list)
		slices.SortStableFunc(list, func(x, y subject) int { return cmp.Compare(before.rank(x), before.rank(y)) })
		return list
	}
	var set []Question
	// What is a makeshift is asked only where nothing else can be, and six options only where three questions can't.
	serious := slices.DeleteFunc(slices.Clone(all), func(s subject) bool { return s.worth <= worthLast })
	most := slices.DeleteFunc(slices.Clone(all), func(s subject) bool { return s.worth < worthLast })
	for _, try := range []struct {
		all, first         []subject
		questions, options int
		loose              bool // one may give another away
	}{
		{other(serious), other(beyond), quizQuestions, quizOptions, false},
		{serious, beyond, quizQuestions, quizOptions, false},
		{other(most), other(beyond), quizQuestions, quizOptions, false},
		{most, beyond, quizQuestions, quizOptions, false},
		{most, beyond, fewQuestions, wideOptions, false},
		{all, beyond, quizQuestions, quizOptions, true},
		{all, beyond, fewQuestions, wideOptions, true},
	} {
		if !Complete(set) {
			set = w.choose(try.all, try.first, before, try.questions, try.options, try.loose, random)
		}
	}
	plain := slices.ContainsFunc(set, func(q Question) bool { return q.Kind == effectKind })
	for i := range set {
		if !plain {
			set[i].Prompt = cmp.Or(set[i].natural, set[i].Prompt)
		}
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

// rank orders what is asked after a failure: other values, what follows, what was asked, what would
// run, which agent asks.
func (b Asked) rank(s subject) int {
	wrong := slices.ContainsFunc(b.Failed, func(q Question) bool { return q.About == s.about })
	switch {
	case len(b.Failed) == 0 || !wrong && s.worth > worthFollows:
		return 0
	case !wrong && s.worth == worthFollows:
		return 1
	case s.worth > worthFollows:
		return 2
	case !wrong:
		return 3
	}
	return 4
}

// choose asks for the worthiest of these that have nothing in common. first are those of which one
// is asked, the last where no other is; loose ones may give another away.
func (w Corpus) choose(all, first []subject, before Asked, questions, options int, loose bool, random *rand.Rand) []Question {
	var set []Question
	ask := func(s subject) {
		if len(set) == questions || slices.ContainsFunc(set, func(q Question) bool { return q.About == s.about || q.Prompt == s.prompt }) {
			return
		}
		settled := before.options(s)
		for range tries {
			texts := settled
			if len(settled) < options {
				texts = s.options(w, options, random)
				if s.make == nil && slices.ContainsFunc(texts, func(t string) bool { return t != s.value && !slices.Contains(s.beside, t) && says(s.shown, t) }) {
					continue
				}
			}
			for _, text := range settled { // more options, and those among them
				if len(texts) == options && !slices.Contains(texts, text) {
					texts = slices.Clone(texts)
					texts[slices.IndexFunc(texts, func(t string) bool { return !slices.Contains(settled, t) })] = text
				}
			}
			if len(texts) < options {
				return
			}
			if q := s.ask(texts, random); loose || !slices.ContainsFunc(set, q.tells) {
				set = append(set, q)
				return
			}
		}
	}
	among := func(q Question) bool {
		return slices.ContainsFunc(first, func(s subject) bool { return s.about == q.About })
	}
	for _, s := range all {
		if len(set) == questions-1 && !slices.ContainsFunc(set, among) {
			for _, s := range first {
				if !slices.ContainsFunc(set, among) {
					ask(s)
				}
			}
		}
		ask(s)
	}
	return set
}

// beyondRow are the subjects that matter, that the page says and the request's row does not, where there
// are two at least: whoever read only the row doesn't know them.
func (c Call) beyondRow(all []subject) []subject {
	row := strings.ToLower(headline.Plain(c.headline().Row(headline.MaxLine)))
	hidden := slices.DeleteFunc(slices.Clone(all), func(s subject) bool {
		return !s.ofCall || s.worth < headline.Place || strings.Contains(row, strings.ToLower(s.value))
	})
	if len(hidden) < 2 {
		return nil
	}
	return hidden
}

// options are those with which this was asked before, of several sets the most; nil where it was not.
func (b Asked) options(s subject) (most []string) {
	for _, q := range b.Settled {
		if q.About == s.about && !q.Typed && q.right() == s.value && len(q.Options) > len(most) {
			most = nil
			for _, o := range q.Options {
				most = append(most, o.Text)
			}
		}
	}
	return most
}

// ask offers these texts, in a random order.
func (s subject) ask(texts []string, random *rand.Rand) Question {
	texts = slices.Clone(texts)
	random.Shuffle(len(texts), func(i, j int) { texts[i], texts[j] = texts[j], texts[i] })
	q := Question{Prompt: s.prompt, natural: s.natural, Kind: s.kind, About: s.about}
	for _, text := range texts {
		o := Option{ID: optionID(random), Text: text}
		if text == s.value {
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

// Correct grades one answer.
func (q Question) Correct() bool { return q.Answer == q.Right }

// Complete reports whether a set is one that a quiz has.
func Complete(set []Question) bool {
	return len(set) == quizQuestions || len(set) == fewQuestions && len(set[0].Options) == wideOptions
}
