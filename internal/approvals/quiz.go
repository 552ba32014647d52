package approvals

import (
	"cmp"
	"encoding/hex"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/scoring/headline"
)

// A quiz asks whoever is about to approve a HIGH request what matters about it (docs/quiz.md): what
// makes it dangerous, what it acts on, where, its other values, what the effect is
// (quiz_subjects.go). Every such request has one: what the call would run and why it is held can
// always be asked.
//
// The options of a question are of one kind and made alike (quiz_options.go), so that somebody
// who reads the prompts and options alone, and not the request, has a chance of little more than
// one in four with each.

const (
	quizQuestions, quizOptions = 3, 4
	// fewQuestions of wideOptions are asked only where nothing else can be.
	fewQuestions, wideOptions = 2, 6
)

// asked is what was asked before about the same act. An operator who sees two sets of options
// for one value knows that the right one is in both: so a value has one set, whoever is asked and
// however often.
type asked struct {
	settled []Question // of every operator
	failed  []Question // of this operator, in sets that were wrong: others come first now
	left    []Question // a set that this operator left or that ran out: it is asked again
}

// around is what other requests hold, of which options are made.
type around struct {
	pool   map[string][]string // values by what has them, of other agents' requests
	own    map[string]bool     // values of the asking agent's
	agents []string            // names of agents that ask
}

// newAround knows the requests of other agents, and what the agent itself asked for.
func newAround(a Approval, others, own []Approval) around {
	w := around{pool: map[string][]string{}, own: map[string]bool{}}
	for _, o := range own {
		for _, s := range o.values() {
			w.own[s.value] = true
		}
	}
	for _, o := range others {
		if !slices.Contains(w.agents, o.Agent.Name) {
			w.agents = append(w.agents, o.Agent.Name)
		}
		if o.ID == a.ID || o.Agent.ID == a.Agent.ID || !o.Held() {
			continue
		}
		for _, s := range o.values() {
			if !slices.Contains(w.pool[s.of], s.value) {
				w.pool[s.of] = append(w.pool[s.of], s.value)
			}
		}
	}
	return w
}

// quiz makes the questions for an approval. random decides everything that must not be guessed.
func quiz(a Approval, w around, before asked, random *rand.Rand) []Question {
	if len(before.left) > 0 && !slices.ContainsFunc(before.left, func(q Question) bool { return q.Typed }) {
		return again(before.left, random)
	}
	all := a.subjects(w)
	beyond := a.beyondRow(all)
	other := func(list []subject) []subject {
		list = slices.Clone(list)
		slices.SortStableFunc(list, func(x, y subject) int { return cmp.Compare(before.rank(x), before.rank(y)) })
		return list
	}
	var set []Question
	// What is a makeshift is asked only where nothing else can be.
	serious := slices.DeleteFunc(slices.Clone(all), func(s subject) bool { return s.worth == worthLast })
	for _, subjects := range [][]subject{serious, all} {
		for _, try := range []struct {
			all, first         []subject
			questions, options int
		}{
			{other(subjects), other(beyond), quizQuestions, quizOptions},
			{subjects, beyond, quizQuestions, quizOptions},
			{subjects, beyond, fewQuestions, wideOptions},
		} {
			if !complete(set) {
				set = w.choose(try.all, try.first, before, try.questions, try.options, random)
			}
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

// rank orders what is asked after a failure: other values, why it is held, what was asked, what would
// run, which agent asks.
func (b asked) rank(s subject) int {
	wrong := slices.ContainsFunc(b.failed, func(q Question) bool { return q.About == s.about })
	switch {
	case len(b.failed) == 0 || !wrong && s.worth > worthWhy:
		return 0
	case !wrong && s.worth == worthWhy:
		return 1
	case s.worth > worthWhy:
		return 2
	case !wrong:
		return 3
	}
	return 4
}

// choose asks for the worthiest of these that have nothing in common. first are those of which one
// is asked, the last where no other is.
func (w around) choose(all, first []subject, before asked, questions, options int, random *rand.Rand) []Question {
	var set []Question
	ask := func(s subject) {
		if len(set) == questions || slices.ContainsFunc(set, func(q Question) bool { return q.About == s.about }) {
			return
		}
		settled := before.options(s)
		for range tries {
			texts := settled
			if len(settled) < options {
				texts = s.options(w, options, random)
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
			if q := s.ask(texts, random); !slices.ContainsFunc(set, q.tells) {
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
func (a Approval) beyondRow(all []subject) []subject {
	row := strings.ToLower(headline.Plain(a.Subject().Row()))
	hidden := slices.DeleteFunc(slices.Clone(all), func(s subject) bool {
		return !s.ofCall || s.worth < headline.Place || strings.Contains(row, strings.ToLower(s.value))
	})
	if len(hidden) < 2 {
		return nil
	}
	return hidden
}

// options are those with which this was asked before, of several sets the most; nil where it was not.
func (b asked) options(s subject) (most []string) {
	for _, q := range b.settled {
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

// correct grades one answer.
func (q Question) correct() bool { return q.Answer == q.Right }

// complete reports whether a set is one that a quiz has.
func complete(set []Question) bool {
	return len(set) == quizQuestions || len(set) == fewQuestions && len(set[0].Options) == wideOptions
}
