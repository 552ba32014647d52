package approvals

import (
	"encoding/hex"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode"

	"github.com/countersign/countersign/internal/scoring/facts"
)

// A quiz asks for three facts of the call, four options each. The wrong options
// look like the right one: values of the same kind and shape from the tenant's
// other actions first, then mutations. Which option resembles which tells nothing
// (see complete), and neither does its place, its length or its id.

const (
	quizQuestions = 3
	quizOptions   = 4
	// quizChoice is from how many of the best facts the three are drawn, so that a
	// second attempt asks other things where there are any.
	quizChoice = 6
)

// subject is one thing that a quiz can ask for.
type subject struct {
	kind, label, prompt, value string
	strata                     []tally // real values elsewhere in the tenant, nearest first
	others                     *elsewhere
}

// asked is what was asked before about the same act. An operator who sees two sets
// of options for one fact knows that the right one is in both. So a fact has one
// set, whoever is asked and however often.
type asked struct {
	settled []Question // of every operator
	failed  []Question // of this operator, in sets that were wrong: other facts come first now
	left    []Question // a set that this operator left or that ran out: it is asked again
}

// quiz makes the questions for an approval, or none when there is too little to
// ask and the operator types the target instead. others is what else the tenant
// has; random decides everything that must not be guessed.
func quiz(a Approval, others *elsewhere, before asked, random *rand.Rand) []Question {
	possible, beside := subjects(a, others)
	if set := before.again(append(slices.Clone(possible), beside...), random); set != nil {
		return shuffled(a.withEffect(set, before, random), random)
	}
	random.Shuffle(len(beside), func(i, j int) { beside[i], beside[j] = beside[j], beside[i] })
	var fresh, known [even + 1][]posed // what is asked beside only where the facts do not make three good ones
	for _, s := range append(draw(possible, random), beside...) {
		q, how, ok := s.question(random)
		if !ok {
			continue
		}
		if values := s.settled(before.settled); values != nil {
			q = s.ask(values, random)
		}
		if s.settled(before.failed) == nil {
			fresh[how] = append(fresh[how], posed{s, q})
		} else {
			known[how] = append(known[how], posed{s, q})
		}
	}
	questions := slices.Concat(fresh[even], fresh[fair], known[even], known[fair], fresh[weak], known[weak])
	if len(questions) < quizQuestions {
		return nil
	}
	return shuffled(a.withEffect(questions[:quizQuestions], before, random), random)
}

func shuffled(questions []Question, random *rand.Rand) []Question {
	random.Shuffle(len(questions), func(i, j int) { questions[i], questions[j] = questions[j], questions[i] })
	return questions
}

// again asks the set that was left once more, in another order and with other ids;
// nil where there is none or it is about something else.
func (before asked) again(possible []subject, random *rand.Rand) (set []posed) {
	for _, q := range before.left {
		for _, s := range possible {
			if values := s.settled([]Question{q}); values != nil {
				set = append(set, posed{s, s.ask(values, random)})
			}
		}
	}
	if len(set) != quizQuestions {
		return nil
	}
	return set
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

// subjects lists what can be asked about a, best first: facts that are neither
// flags nor the environment; then, only where those are fewer than three, the
// environment; and beside them the agent and the operation.
func subjects(a Approval, others *elsewhere) (asked, beside []subject) {
	var environment []subject
	seen := map[string]bool{} // one question a value, and one a kind and label
	for _, f := range a.Assessment.Facts {
		name := string(f.Kind) + " " + f.Label
		if f.Kind == facts.Flag || seen[f.Value] || seen[name] || f.Value == "" {
			continue
		}
		seen[f.Value], seen[name] = true, true
		s := subject{kind: string(f.Kind), label: f.Label, prompt: prompt(f), value: f.Value, strata: others.strata(f), others: others}
		if f.Kind == facts.Environment {
			environment = append(environment, s)
		} else {
			asked = append(asked, s)
		}
	}
	if len(asked) >= quizQuestions {
		return asked, nil
	}
	asked = append(asked, environment...)
	beside = []subject{operation(a, others)}
	// An agent that nearly always asks tells itself, but without its question there may be
	// too few, and a quiz that cannot begin lets nobody decide.
	if !others.oneAgent || len(asked)+len(beside) < quizQuestions {
		beside = append(beside, subject{kind: "agent", prompt: "Which agent asks for this?", value: a.Agent.Name, strata: others.agents, others: others})
	}
	return asked, beside
}

// draw keeps the best subject in its place and shuffles the next ones, so that the
// rest vary between attempts.
func draw(asked []subject, random *rand.Rand) []subject {
	asked = asked[:min(len(asked), quizChoice)]
	if len(asked) > quizQuestions {
		rest := asked[1:]
		random.Shuffle(len(rest), func(i, j int) { rest[i], rest[j] = rest[j], rest[i] })
	}
	return asked
}

// prompts ask by kind. They name the label (a word of ours, made from the key),
// never a value.
var prompts = map[facts.Kind]string{
	facts.Target:      "Which %s does this call act on?",
	facts.Recipient:   "Which %s does this go to?",
	facts.Table:       "Which %s does this touch?",
	facts.Path:        "Which %s does this touch?",
	facts.Host:        "Which %s does this reach?",
	facts.Branch:      "Which %s does this name?",
	facts.Amount:      "What is the %s?",
	facts.Count:       "What is the %s?",
	facts.Environment: "In which %s does this run?",
	facts.Time:        "Which %s does this name?",
}

func prompt(f facts.Fact) string {
	p, ok := prompts[f.Kind]
	if !ok {
		p = "What is the %s?"
	}
	label := f.Label
	if label == "" {
		label = string(f.Kind)
	}
	if f.Kind == facts.Count && strings.HasSuffix(label, "s") { // rows, replicas
		p = "How many %s?"
	}
	return strings.Replace(p, "%s", label, 1)
}

// options are the right value and three others.
func (s subject) options(random *rand.Rand) (values []string, how strength) {
	for i, t := range s.strata {
		if t[s.value] == 0 {
			continue
		}
		look := looks
		if i > 0 && i == len(s.strata)-1 { // what stands under another kind has to look alike
			look = alike
		}
		cell := t.cell(s.value, look)
		right := slices.IndexFunc(cell, func(c candidate) bool { return c.value == s.value })
		if right < 0 {
			continue
		}
		values, fit := sample(cell, right, random)
		return s.complete(values, random), how.of(even, fit)
	}
	if s.kind == "operation" {
		return s.otherVerbs(random)
	}
	values, how = fresh(s.value, s.kind, s.others, random)
	if alike := s.strata[0].like(s.value); len(values) == quizOptions && alike.joins(random) {
		known := alike.values()
		values = append(append([]string{s.value}, known...), slices.DeleteFunc(values, func(v string) bool { return v == s.value })...)[:quizOptions]
	}
	return values, how.of(how, s.others.all[s.value] == 0)
}

// complete fills up what the tenant has too few of.
func (s subject) complete(values []string, random *rand.Rand) []string {
	for tries := 0; len(values) < quizOptions && tries < 16 && len(values) > 0; tries++ {
		runes := []rune(values[tries%len(values)])
		made := vary(runes, wordPlaces(runes), nil, random)
		if s.kind == "operation" {
			made, _ = s.otherVerbs(random)
		} else if made == nil {
			made, _ = fresh(string(runes), s.kind, s.others, random)
		}
		for _, v := range made {
			if len(values) < quizOptions && !slices.Contains(values, v) {
				values = append(values, v)
				break
			}
		}
	}
	return values
}

// question puts four options in a random order; ok is false when there are not
// four different ones.
func (s subject) question(random *rand.Rand) (q Question, how strength, ok bool) {
	values, how := s.options(random)
	if len(values) < quizOptions || s.value == "" {
		return Question{}, weak, false
	}
	return s.ask(values, random), how, true
}

// ask offers these values.
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

// lastLatin is the end of Latin Extended-B; letters behind it look different.
const lastLatin = 'ɏ'

// shape is the classes of characters of a value: same shape, same look. Lengths
// count, so that no option stands out by its length.
func shape(v string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsDigit(r):
			return '0'
		case unicode.IsLetter(r) && r > lastLatin:
			return '文'
		case unicode.IsUpper(r):
			return 'A'
		case unicode.IsLetter(r):
			return 'a'
		default:
			return r
		}
	}, v)
}

// form is the shape of a value with every word as long as any other.
func form(v string) string {
	last := rune(-1)
	return strings.Map(func(r rune) rune {
		if r == last && (r == 'a' || r == 'A' || r == '文') {
			return -1
		}
		last = r
		return r
	}, shape(v))
}

// category is what anybody tells apart at a glance, whatever it is called: an address, a
// path, a channel, a name of several words or in another script, an identifier.
func category(v string) string {
	switch {
	case strings.Contains(v, "@"):
		return "address"
	case strings.Contains(v, "/"):
		return "path"
	case strings.HasPrefix(v, "#"):
		return "channel"
	case strings.Contains(v, " "):
		return "name"
	case strings.ContainsFunc(v, func(r rune) bool { return r > lastLatin }):
		return "script"
	}
	return "identifier"
}
