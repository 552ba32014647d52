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
	asked, beside := subjects(a, others)
	for _, s := range draw(asked, beside, random) {
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
// environment; and then, beside them, the agent and the operation.
func subjects(a Approval, others []Approval) (asked, beside []subject) {
	var environment []subject
	seen := map[string]bool{} // one question a value, and one a kind and label
	for _, f := range a.Assessment.Facts {
		name := string(f.Kind) + " " + f.Label
		if f.Kind == facts.Flag || seen[f.Value] || seen[name] || f.Value == "" {
			continue
		}
		seen[f.Value], seen[name] = true, true
		s := subject{kind: string(f.Kind), label: f.Label, prompt: prompt(f), value: f.Value, others: factValues(others, a.ID, f)}
		if f.Kind == facts.Environment {
			environment = append(environment, s)
		} else {
			asked = append(asked, s)
		}
	}
	if len(asked) < quizQuestions {
		asked = append(asked, environment...)
	}
	if len(asked) >= quizQuestions {
		return asked, nil
	}
	agent := subject{kind: "agent", prompt: "Which agent asks for this?", value: a.Agent.Name, others: agentNames(others)}
	return asked, []subject{agent, operation(a, others)}
}

// draw keeps the best subject in its place and shuffles the next ones, so that
// the most telling fact is always asked and the rest vary between attempts. What
// stands beside the facts only fills up.
func draw(asked, beside []subject, random *rand.Rand) []subject {
	random.Shuffle(len(beside), func(i, j int) { beside[i], beside[j] = beside[j], beside[i] })
	if n := min(len(asked), quizChoice); n > quizQuestions {
		rest := asked[1:n]
		random.Shuffle(len(rest), func(i, j int) { rest[i], rest[j] = rest[j], rest[i] })
	}
	return append(asked, beside...)
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

// factValues are the other values of this kind among the tenant's actions: of the
// same label where there are enough.
func factValues(others []Approval, not string, of facts.Fact) []string {
	var labelled, all []string
	different := map[string]bool{}
	for _, o := range others {
		if o.ID == not {
			continue
		}
		for _, f := range o.Assessment.Facts {
			if f.Kind != of.Kind {
				continue
			}
			all = append(all, f.Value)
			if f.Label == of.Label {
				labelled = append(labelled, f.Value)
				different[f.Value] = true
			}
		}
	}
	delete(different, of.Value)
	if len(different) >= quizOptions-1 {
		return labelled
	}
	return all
}

func agentNames(others []Approval) []string {
	names := make([]string, len(others))
	for i, o := range others {
		names[i] = o.Agent.Name
	}
	return names
}

// operationsFrom bounds from how many other actions operations are read, since
// each has to be parsed for it.
const operationsFrom = 40

// operation asks what the call does: verb and object, against other verbs on
// the same object.
func operation(a Approval, others []Approval) subject {
	s := subject{kind: "operation", prompt: "What would this do?", value: a.operation()}
	for _, o := range others[:min(len(others), operationsFrom)] {
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
	} else {
		values = append(values, s.akin(random, values)...)
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
// at most three. How many of them are more common in the tenant than the right
// one is drawn, as far as there are such, so that the most common option is right
// no more often than another.
func (s subject) alike(random *rand.Rand) []string {
	want := shape(s.value)
	more, less := s.split(random, nil, func(v string) bool { return shape(v) == want }, s.common())
	return fill(more, less, quizOptions-1, random)
}

// any returns real values of whatever shape: names and operations are words.
func (s subject) any(random *rand.Rand, taken []string) []string {
	more, less := s.split(random, taken, func(string) bool { return true }, s.common())
	return fill(more, less, quizOptions-1-len(taken), random)
}

// akin returns real values that differ from the shape of the right one only in
// how long their words are. How many are longer is drawn, and where there are not
// so many there are fewer values: mutations of the right length do as well.
func (s subject) akin(random *rand.Rand, taken []string) []string {
	want := form(s.value)
	longer, shorter := s.split(random, taken, func(v string) bool { return form(v) == want && shape(v) != shape(s.value) },
		func(v string) int { return utf8.RuneCountInString(v) - utf8.RuneCountInString(s.value) })
	room := quizOptions - 1 - len(taken)
	n := random.IntN(room + 1)
	return append(longer[:min(n, len(longer))], shorter[:min(room-n, len(shorter))]...)
}

// common compares how often a value stands in the tenant's other actions.
func (s subject) common() func(v string) int {
	count := map[string]int{}
	for _, v := range s.others {
		count[v]++
	}
	return func(v string) int { return count[v] - count[s.value] }
}

// split returns the real values that fit, each once and in random order: those
// that are more than the right one, and those that are less. Equals go to either.
func (s subject) split(random *rand.Rand, taken []string, fits func(v string) bool, compare func(v string) int) (more, less []string) {
	seen := map[string]bool{"": true, s.value: true}
	for _, v := range s.others {
		if seen[v] || !fits(v) || slices.Contains(taken, v) {
			continue
		}
		seen[v] = true
		if c := compare(v); c > 0 || c == 0 && random.IntN(2) == 0 {
			more = append(more, v)
		} else {
			less = append(less, v)
		}
	}
	random.Shuffle(len(more), func(i, j int) { more[i], more[j] = more[j], more[i] })
	random.Shuffle(len(less), func(i, j int) { less[i], less[j] = less[j], less[i] })
	return more, less
}

// fill takes want values, a random number of them from more; where the one is too
// short the other helps out.
func fill(more, less []string, want int, random *rand.Rand) []string {
	n := min(random.IntN(want+1), len(more))
	m := min(want-n, len(less))
	n = min(want-m, len(more))
	return append(slices.Clone(more[:n]), less[:m]...)
}

// complete fills the real values up to four with mutations, such that nothing
// about which value resembles which tells the right one. A mutation and its
// parent form a pair that can be seen. With one other real value each of the two
// has a child. With two others there is one pair, and the right value is in it
// half of the time: as half of the options are. With none, the mutations form a
// chain in which the right value stands at a random place.
func (s subject) complete(values []string, random *rand.Rand) []string {
	values = append([]string{s.value}, values...)
	if len(values) == 1 {
		return chain(s.value, random)
	}
	parents := slices.Clone(values[1:])
	random.Shuffle(len(parents), func(i, j int) { parents[i], parents[j] = parents[j], parents[i] })
	parents = slices.Insert(parents, random.IntN(2), s.value)
	for tries := 0; len(values) < quizOptions && tries < 64; tries++ {
		next, ok := mutate(parents[tries%len(parents)], random)
		if ok && !slices.Contains(values, next) {
			values = append(values, next)
		}
	}
	return values
}

// chain returns a value among three others, each one step from its neighbour;
// fewer where there are not so many.
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

// mutate returns a value one small, plausible step away: another digit, another
// word, two neighbouring letters exchanged, or one letter replaced. It keeps the
// length in characters and the shape. ok is false when there is nothing to change.
func mutate(v string, random *rand.Rand) (string, bool) {
	if !utf8.ValidString(v) {
		return "", false
	}
	runes := []rune(v)
	isDigit := func(i int) bool { return i >= 0 && i < len(runes) && runes[i] >= '0' && runes[i] <= '9' }
	var digits, letters []int
	for i, r := range runes {
		switch {
		case isDigit(i) && !isDigit(i-1) && (isDigit(i+1) || i == 0 && r == '0'):
			// The first digit of a number is seldom just any digit: it would tell.
		case isDigit(i):
			digits = append(digits, i)
		case unicode.IsLetter(r):
			letters = append(letters, i)
		}
	}
	switch {
	case len(digits) > 0:
		i := digits[random.IntN(len(digits))]
		runes[i] = otherDigit(runes[i], i == 0, random)
		return string(runes), true
	}
	if next, ok := exchangeWord(runes, random); ok {
		return next, true
	}
	switch {
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

// exchangeWord replaces one of the words.
func exchangeWord(runes []rune, random *rand.Rand) (string, bool) {
	words := wordsIn(runes)
	random.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
	for _, w := range words {
		if other, ok := otherWord(string(runes[w[0]:w[1]]), random); ok {
			return string(runes[:w[0]]) + other + string(runes[w[1]:]), true
		}
	}
	return "", false
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
// letter outside a–z becomes one of its neighbours.
func otherLetter(r rune, random *rand.Rand) rune {
	const vowels, consonants = "aeiou", "bcdfghjklmnpqrstvwxyz" // all of them: a rare letter must not tell
	lower := unicode.ToLower(r)
	if lower < 'a' || lower > 'z' {
		return neighbour(r, random)
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

// neighbour is a letter of the same shape nearby, or r itself where there is none.
func neighbour(r rune, random *rand.Rand) rune {
	const near = 6
	var all []rune
	for n := max(r-near, 0); n <= r+near; n++ {
		if n != r && unicode.IsLetter(n) && shape(string(n)) == shape(string(r)) {
			all = append(all, n)
		}
	}
	if len(all) == 0 {
		return r
	}
	return all[random.IntN(len(all))]
}
