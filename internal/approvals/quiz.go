package approvals

import (
	"encoding/hex"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

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
	others                     []string // real values of the same kind elsewhere in the tenant
}

// quiz makes the questions for an approval, or none when there is too little to
// ask and the operator types the target instead. others are recent approvals of
// the tenant; random decides everything that must not be guessed.
func quiz(a Approval, others []Approval, random *rand.Rand) []Question {
	var questions []Question
	for _, s := range draw(subjects(a, others), random) {
		if q, ok := s.question(random); ok {
			questions = append(questions, q)
		}
		if len(questions) == quizQuestions {
			random.Shuffle(len(questions), func(i, j int) { questions[i], questions[j] = questions[j], questions[i] })
			return questions
		}
	}
	return nil
}

// subjects lists what can be asked about a, best first: facts that are neither
// flags nor the environment; then, only where those are fewer than three, the
// environment, the agent and the operation.
func subjects(a Approval, others []Approval) []subject {
	var asked, environment []subject
	seen := map[string]bool{} // one question a value, and one a kind and label
	for _, f := range a.Assessment.Facts {
		name := string(f.Kind) + " " + f.Label
		if f.Kind == facts.Flag || seen[f.Value] || seen[name] || f.Value == "" {
			continue
		}
		seen[f.Value], seen[name] = true, true
		s := subject{kind: string(f.Kind), label: f.Label, prompt: prompt(f), value: f.Value, others: factValues(others, a.ID, f.Kind)}
		if f.Kind == facts.Environment {
			environment = append(environment, s)
		} else {
			asked = append(asked, s)
		}
	}
	if len(asked) >= quizQuestions {
		return asked
	}
	asked = append(asked, environment...)
	if len(asked) >= quizQuestions {
		return asked
	}
	asked = append(asked, subject{kind: "agent", prompt: "Which agent asks for this?", value: a.Agent.Name, others: agentNames(others)})
	return append(asked, operation(a, others))
}

// draw keeps the best subject and shuffles it among the next ones, so that the
// most telling fact is always asked and the rest vary between attempts.
func draw(all []subject, random *rand.Rand) []subject {
	if len(all) <= quizQuestions {
		return all
	}
	best := slices.Clone(all[:min(len(all), quizChoice)])
	rest := best[1:]
	random.Shuffle(len(rest), func(i, j int) { rest[i], rest[j] = rest[j], rest[i] })
	return append(best, all[len(best):]...)
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
	return strings.Replace(p, "%s", label, 1)
}

// factValues are the other values of this kind among the tenant's actions.
func factValues(others []Approval, not string, kind facts.Kind) []string {
	var values []string
	for _, o := range others {
		if o.ID == not {
			continue
		}
		for _, f := range o.Assessment.Facts {
			if f.Kind == kind {
				values = append(values, f.Value)
			}
		}
	}
	return values
}

func agentNames(others []Approval) []string {
	names := make([]string, len(others))
	for i, o := range others {
		names[i] = o.Agent.Name
	}
	return names
}

// operation asks what the call does: verb and object, against other verbs on
// the same object.
func operation(a Approval, others []Approval) subject {
	s := subject{kind: "operation", prompt: "What would this do?", value: a.operation()}
	for _, o := range others {
		s.others = append(s.others, o.operation())
	}
	_, object, _ := strings.Cut(s.value, " ")
	for _, verb := range []string{"Create", "Read", "Update", "Delete", "Send", "Restart", "Export", "Archive", "Deploy", "Disable"} {
		s.others = append(s.others, strings.TrimSpace(verb+" "+object))
	}
	return s
}

// operation is verb and object of an approval, e.g. "Delete a user".
func (a Approval) operation() string {
	action, err := a.Parsed()
	if err != nil {
		return ""
	}
	return action.Hidden(a.Assessment.Facts)
}

// question builds four options around the value; ok is false when there are not
// four different ones.
func (s subject) question(random *rand.Rand) (Question, bool) {
	values := s.alike(random)
	if s.kind == "operation" || s.kind == "agent" {
		values = append(values, s.any(random, values)...)
	}
	values = s.complete(values, random)
	if len(values) < quizOptions {
		return Question{}, false
	}
	random.Shuffle(len(values), func(i, j int) { values[i], values[j] = values[j], values[i] })
	q := Question{Prompt: s.prompt, Kind: s.kind}
	for _, v := range values {
		o := Option{ID: optionID(random), Text: v}
		if v == s.value {
			q.Right = o.ID
		}
		q.Options = append(q.Options, o)
	}
	return q, true
}

func optionID(random *rand.Rand) string {
	var b [8]byte
	for i := range b {
		b[i] = byte(random.Uint32())
	}
	return hex.EncodeToString(b[:])
}

// alike returns real values of the same shape as the right one, in random order,
// at most three.
func (s subject) alike(random *rand.Rand) []string {
	want := shape(s.value)
	return s.pick(random, nil, func(v string) bool { return shape(v) == want })
}

// any returns real values of whatever shape: names and operations are words.
func (s subject) any(random *rand.Rand, taken []string) []string {
	return s.pick(random, taken, func(string) bool { return true })
}

func (s subject) pick(random *rand.Rand, taken []string, fits func(string) bool) []string {
	var fit []string
	for _, v := range s.others {
		if v != "" && v != s.value && fits(v) && !slices.Contains(fit, v) && !slices.Contains(taken, v) {
			fit = append(fit, v)
		}
	}
	random.Shuffle(len(fit), func(i, j int) { fit[i], fit[j] = fit[j], fit[i] })
	return fit[:min(len(fit), quizOptions-1-len(taken))]
}

// complete fills the real values up to four with mutations, such that nothing
// about which value resembles which tells the right one: where other real values
// are there, the mutations have random parents among all of them; where there are
// none, they form a chain in which the right value stands at a random place.
func (s subject) complete(values []string, random *rand.Rand) []string {
	values = append([]string{s.value}, values...)
	if len(values) == 1 {
		return chain(s.value, random)
	}
	parents := slices.Clone(values)
	random.Shuffle(len(parents), func(i, j int) { parents[i], parents[j] = parents[j], parents[i] })
	for tries := 0; len(values) < quizOptions && tries < 64; tries++ {
		next, ok := mutate(parents[tries%len(parents)], random)
		if ok && !slices.Contains(values, next) {
			values = append(values, next)
		}
	}
	return values
}

// chain returns a value among three others, each one step from its neighbour.
func chain(value string, random *rand.Rand) []string {
	values := []string{value}
	before := random.IntN(quizOptions) // how many stand on the one side of it
	head, tail := value, value
	for tries := 0; len(values) < quizOptions && tries < 64; tries++ {
		end := &tail
		if before > 0 {
			end = &head
		}
		next, ok := mutate(*end, random)
		if !ok {
			return values
		}
		if slices.Contains(values, next) {
			continue
		}
		values = append(values, next)
		*end = next
		before--
	}
	return values
}

// shape is the classes of characters of a value: same shape, same look. Lengths
// count, so that no option stands out by its length.
func shape(v string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsDigit(r):
			return '0'
		case unicode.IsUpper(r):
			return 'A'
		case unicode.IsLetter(r):
			return 'a'
		default:
			return r
		}
	}, v)
}

// mutate returns a value one small, plausible step away: another digit, two
// neighbouring letters exchanged, or one letter replaced. It keeps the length
// in characters and the shape. ok is false when there is nothing to change.
func mutate(v string, random *rand.Rand) (string, bool) {
	if !utf8.ValidString(v) {
		return "", false
	}
	runes := []rune(v)
	var digits, letters []int
	for i, r := range runes {
		switch {
		case r >= '0' && r <= '9' && !(r == '0' && i == 0) && !(i == 0 && len(runes) == 1 && r == '0'):
			digits = append(digits, i)
		case unicode.IsLetter(r):
			letters = append(letters, i)
		}
	}
	switch {
	case len(digits) > 0:
		i := digits[random.IntN(len(digits))]
		runes[i] = otherDigit(runes[i], i == 0, random)
	case len(letters) > 1 && random.IntN(2) == 0:
		return exchange(runes, letters, random)
	case len(letters) > 0:
		i := letters[random.IntN(len(letters))]
		runes[i] = otherLetter(runes[i], random)
	default:
		return "", false
	}
	return string(runes), true
}

func otherDigit(r rune, leading bool, random *rand.Rand) rune {
	for {
		d := '0' + rune(random.IntN(10))
		if d != r && !(leading && d == '0') {
			return d
		}
	}
}

// exchange swaps two neighbouring different letters of the same case.
func exchange(runes []rune, letters []int, random *rand.Rand) (string, bool) {
	var pairs []int
	for _, i := range letters {
		if i+1 < len(runes) && unicode.IsLetter(runes[i+1]) && runes[i] != runes[i+1] && unicode.IsUpper(runes[i]) == unicode.IsUpper(runes[i+1]) {
			pairs = append(pairs, i)
		}
	}
	if len(pairs) == 0 {
		i := letters[random.IntN(len(letters))]
		runes[i] = otherLetter(runes[i], random)
		return string(runes), true
	}
	i := pairs[random.IntN(len(pairs))]
	runes[i], runes[i+1] = runes[i+1], runes[i]
	return string(runes), true
}

// otherLetter keeps case, and vowels vowels, so that words stay readable; a
// letter outside a–z moves to a neighbour in its block.
func otherLetter(r rune, random *rand.Rand) rune {
	const vowels, consonants = "aeiou", "bcdfghklmnprst"
	lower := unicode.ToLower(r)
	if lower < 'a' || lower > 'z' {
		for step := rune(1); step < 8; step++ {
			if n := r + step; unicode.IsLetter(n) && unicode.IsUpper(n) == unicode.IsUpper(r) {
				return n
			}
		}
		return 'x'
	}
	from := consonants
	if strings.ContainsRune(vowels, lower) {
		from = vowels
	}
	for {
		n := rune(from[random.IntN(len(from))])
		if n == lower {
			continue
		}
		if unicode.IsUpper(r) {
			return unicode.ToUpper(n)
		}
		return n
	}
}
