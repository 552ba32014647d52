package approvals

import (
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode"
)

func sortedNames[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// seen is what somebody who reasons knows beside the questions: nothing, or the queue's
// row with the head of its session and the other rows of it.
type seen struct {
	row, beside string
	usual       map[string]map[string]int // how often what is typed, by question
}

// usualOf counts what is typed about all actions, by question.
func usualOf(all []scene) map[string]map[string]int {
	times := map[string]map[string]int{}
	for i, s := range all {
		for _, q := range quiz(s.a, s.around(), asked{}, seeded(uint64(i)*17)) {
			if q.Typed && times[q.Prompt] == nil {
				times[q.Prompt] = map[string]int{}
			}
			if q.Typed {
				times[q.Prompt][q.Right]++
			}
		}
	}
	return times
}

// usually is what a person types who knows what such calls mostly say, and not this one: what
// the others say most often, and more than once.
func (know seen) usually(q Question) (answer string) {
	best := 1
	for _, said := range sortedNames(know.usual[q.Prompt]) {
		times := know.usual[q.Prompt][said]
		if said == q.Right {
			times--
		}
		if times > best {
			best, answer = times, said
		}
	}
	return answer
}

func rowOf(s scene) seen {
	about := s.a.Subject()
	return seen{
		row:    strings.Join([]string{about.Row, about.Environment, s.a.Agent.Name, s.a.Session}, "\n"),
		beside: strings.Join(s.beside(), "\n"),
	}
}

// A taste marks an option of a question; the highest mark is chosen, and of equals the first.
type taste func(q Question, i int, set []Question) float64

func counts(text string, words string) (n float64) {
	text = strings.ToLower(text)
	for w := range strings.FieldsSeq(words) {
		n += float64(strings.Count(text, w))
	}
	return n
}

const (
	harsh = "cannot nothing every all everybody everything several others good public outside delete deleted drop destroy gone lost irreversible permanent wipe production prod live root admin owner main critical"
	mild  = "another undo nothing changes only one exactly inside staging test not"
)

// tastes are what a person goes by who has not read the request.
var tastes = map[string]taste{
	"the first":    func(Question, int, []Question) float64 { return 0 },
	"the last":     func(_ Question, i int, _ []Question) float64 { return float64(i) },
	"the longest":  func(q Question, i int, _ []Question) float64 { return float64(len(q.Options[i].Text)) },
	"the shortest": func(q Question, i int, _ []Question) float64 { return -float64(len(q.Options[i].Text)) },
	"destructive":  func(q Question, i int, _ []Question) float64 { return counts(q.Options[i].Text, harsh) },
	"harmless": func(q Question, i int, _ []Question) float64 {
		return counts(q.Options[i].Text, mild) - counts(q.Options[i].Text, harsh)
	},
	"one, no return": func(q Question, i int, _ []Question) float64 {
		return counts(q.Options[i].Text, "exactly only one good") - counts(q.Options[i].Text, "not several others")
	},
	"one, a return": func(q Question, i int, _ []Question) float64 {
		return counts(q.Options[i].Text, "exactly only one not") - counts(q.Options[i].Text, "several others")
	},
	"production": func(q Question, i int, _ []Question) float64 {
		return counts(q.Options[i].Text, "production prod live main")
	},
	"this year": func(q Question, i int, _ []Question) float64 {
		return counts(q.Options[i].Text, "2026") - counts(q.Options[i].Text, "2019 2020 2021 2022 2023")
	},
	"round":           func(q Question, i int, _ []Question) float64 { return roundness(q.Options[i].Text) },
	"not round":       func(q Question, i int, _ []Question) float64 { return -roundness(q.Options[i].Text) },
	"easy to say":     func(q Question, i int, _ []Question) float64 { return easy(q.Options[i].Text) },
	"the largest":     func(q Question, i int, _ []Question) float64 { return numeral(q.Options[i].Text) },
	"the smallest":    func(q Question, i int, _ []Question) float64 { return -numeral(q.Options[i].Text) },
	"the middle":      func(q Question, i int, _ []Question) float64 { return -nearness(q, i, numberly) },
	"the outlier":     func(q Question, i int, _ []Question) float64 { return nearness(q, i, numberly) },
	"the centre":      func(q Question, i int, _ []Question) float64 { return -nearness(q, i, distance) },
	"far from others": func(q Question, i int, _ []Question) float64 { return nearness(q, i, distance) },
	"the hub":         func(q Question, i int, _ []Question) float64 { return -farthest(q, i) },
	"same characters": func(q Question, i int, _ []Question) float64 { return -nearness(q, i, overlap) },
	"odd shape":       func(q Question, i int, _ []Question) float64 { return -float64(alikes(q, i, shape)) },
	"common shape":    func(q Question, i int, _ []Question) float64 { return float64(alikes(q, i, shape)) },
	"odd length": func(q Question, i int, _ []Question) float64 {
		return -float64(alikes(q, i, func(v string) string { return strings.Repeat("x", len(v)) }))
	},
	"other questions": func(q Question, i int, set []Question) float64 { return elsewhereIn(q, i, set) },
	"not elsewhere":   func(q Question, i int, set []Question) float64 { return -elsewhereIn(q, i, set) },
	"words of lists":  func(q Question, i int, _ []Question) float64 { return inLists(q.Options[i].Text) },
	"no such words":   func(q Question, i int, _ []Question) float64 { return -inLists(q.Options[i].Text) },
	theTrade:          func(Question, int, []Question) float64 { return 0 }, // see trade
	"checksum":        func(q Question, i int, _ []Question) float64 { return checks(q.Options[i].Text) },
	"varied digits":   func(q Question, i int, _ []Question) float64 { return -repeats(q.Options[i].Text) },
}

// theTrade is the player who knows what calls of a kind mostly do: one thing, and what is
// deleted, sent or paid is gone. They take the verb from wherever it is said.
const theTrade = "knows the trade"

const forGood = "delet|remov|drop|purg|terminat|destroy|wip|eras|rm |send|post|publish|transfer|pay|refund|payout|cancel|merg|restor|truncat|kick"

func trade(q Question, i int, set []Question, know seen) (n float64) {
	if q.Kind != effectKind {
		return 0
	}
	said := strings.ToLower(strings.SplitN(know.row, "\n", 2)[0])
	for _, other := range set {
		if other.Kind != effectKind {
			said += " " + strings.ToLower(other.Prompt)
		}
	}
	gone := know.row == ""
	for _, stem := range strings.Split(forGood, "|") {
		gone = gone || strings.Contains(said, stem)
	}
	text := q.Options[i].Text
	if strings.HasPrefix(text, "One ") || strings.HasPrefix(text, "Only ") && !strings.HasPrefix(text, "Only in part") || strings.HasPrefix(text, "Rows with") {
		n += 2
	}
	lasts := strings.HasSuffix(text, "for good") && !strings.Contains(text, "not for good") || text == "No, it can't"
	if lasts == gone {
		n++
	}
	return n
}

// easy marks numbers that people make up: 1234, 777, 250, 99.
func easy(v string) (n float64) {
	digits := []rune{}
	for _, r := range v {
		if unicode.IsDigit(r) {
			digits = append(digits, r)
		}
	}
	for i := 1; i < len(digits); i++ {
		if d := digits[i] - digits[i-1]; d >= -1 && d <= 1 {
			n++
		}
	}
	if len(digits) > 0 && (digits[len(digits)-1] == '0' || digits[len(digits)-1] == '5') {
		n++
	}
	return n
}

func nearness(q Question, i int, far func(a, b string) float64) (sum float64) {
	for _, o := range q.Options {
		sum += far(o.Text, q.Options[i].Text)
	}
	return sum
}

func farthest(q Question, i int) (most float64) {
	for _, o := range q.Options {
		most = max(most, distance(o.Text, q.Options[i].Text))
	}
	return most
}

func numberly(a, b string) float64 { return math.Abs(numeral(a) - numeral(b)) }
func overlap(a, b string) float64  { return -common(a, b) }

func alikes(q Question, i int, look func(string) string) (n int) {
	for _, o := range q.Options {
		if look(o.Text) == look(q.Options[i].Text) {
			n++
		}
	}
	return n
}

// plainWords are those of the sentences themselves.
var plainWords = strings.Fields("one several good not get gets recipient recipients no all yes there part it on list rows under wider condition limit with exact only exactly more than one every is are affected can't be undone and it the an a another call can undo nothing among them everything others all but")

func elsewhereIn(q Question, i int, set []Question) (n float64) {
	var there []string
	for _, other := range set {
		if other.Prompt == q.Prompt {
			continue
		}
		there = append(there, parts(other.Prompt)...)
		for _, o := range other.Options {
			there = append(there, parts(o.Text)...)
		}
	}
	for _, p := range parts(q.Options[i].Text) {
		if len(p) > 1 && !slices.Contains(plainWords, p) && slices.Contains(there, p) {
			n++
		}
	}
	return n
}

// listed is how many words of a text stand in what the repository itself lists: the words
// of its scorers and of its tests' towns.
var theLists = sync.OnceValue(func() map[string]bool {
	all := map[string]bool{}
	for _, text := range []string{serviceWords, givenNames, surnames, domains, companyWords, tableWords, hostWords, listedWords()} {
		for _, w := range parts(text) {
			all[w] = true
		}
	}
	return all
})

func inLists(v string) (n float64) {
	for _, w := range parts(v) {
		if theLists()[w] && !slices.Contains(plainWords, w) {
			n++
		}
	}
	return n
}

// checks is 1 for an IBAN or a card number whose check digits are right.
func checks(v string) float64 {
	if len(v) > 14 && len(v) < 35 && unicode.IsUpper(rune(v[0])) && unicode.IsUpper(rune(v[1])) {
		rest := 0
		for _, r := range v[4:] + v[:4] {
			switch {
			case r >= '0' && r <= '9':
				rest = (rest*10 + int(r-'0')) % 97
			case r >= 'A' && r <= 'Z':
				rest = (rest*100 + int(r-'A') + 10) % 97
			}
		}
		if rest == 1 {
			return 1
		}
	}
	return 0
}

// read is a text that somebody knows.
type read struct {
	whole string
	parts []string
}

func newRead(text string) read {
	text = strings.ToLower(text)
	return read{text, slices.Compact(slices.Sorted(slices.Values(parts(text))))}
}

// among is how much of an option somebody read there; a number that is near to one of those
// is likelier.
func (r read) among(text string) (n float64) {
	if r.whole == "" {
		return 0
	}
	if _, v, ok := strings.Cut(text, "“"); ok {
		text = v[:max(0, strings.LastIndex(v, "”"))]
	}
	text = strings.ToLower(text)
	if text != "" && strings.Contains(r.whole, text) {
		n += 100
	}
	for _, p := range parts(text) {
		if len(p) > 1 && slices.Contains(r.parts, p) {
			n += float64(len(p))
		}
		if !strings.ContainsAny(p, "0123456789") {
			continue
		}
		for _, o := range r.parts {
			if len(o) == len(p) && shape(o) == shape(p) {
				n += 1 / (1 + distance(o, p))
			}
		}
	}
	return n
}

// fourOf are what somebody types who knows a text: for each word of it that has four
// characters, those asked for.
func fourOf(q Question, where string) string {
	words := strings.FieldsFunc(where, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("“”\"(),", r) })
	for _, w := range words { // the word behind the noun of the question leads
		if len(w) >= 4 && strings.ContainsAny(w, "0123456789@/_-.") {
			return fourAt(q.Prompt, w)
		}
	}
	if len(words) > 0 {
		return fourAt(q.Prompt, words[len(words)-1])
	}
	return ""
}

func fourAt(prompt, v string) string {
	if r := []rune(v); len(r) >= 4 {
		if strings.Contains(prompt, "first four") {
			return string(r[:4])
		}
		return string(r[len(r)-4:])
	}
	return v
}

// look is what a person sees of a set: what each taste makes of each option, and how much
// of it they read elsewhere.
type glance struct {
	tastes      map[string][][quizOptions]float64
	row, beside [][quizOptions]float64
}

func lookAt(set []Question, know seen) (l glance) {
	l.tastes = map[string][][quizOptions]float64{}
	l.row, l.beside = make([][quizOptions]float64, len(set)), make([][quizOptions]float64, len(set))
	row, beside := newRead(know.row), newRead(know.beside)
	for n, q := range set {
		for i, o := range q.Options {
			l.row[n][i], l.beside[n][i] = row.among(o.Text), beside.among(o.Text)
		}
	}
	for name, t := range tastes {
		l.tastes[name] = make([][quizOptions]float64, len(set))
		for n, q := range set {
			for i := range q.Options {
				if l.tastes[name][n][i] = t(q, i, set); name == theTrade {
					l.tastes[name][n][i] = trade(q, i, set, know)
				}
			}
		}
	}
	return l
}

// choose is the option that somebody takes: what the row says first, then as the session's
// other rows say, or not, and then by taste.
func (l glance) choose(q Question, n int, name string, trusts float64) (choice int) {
	best := math.Inf(-1)
	for i := range q.Options {
		if mark := l.tastes[name][n][i] + 1000*l.row[n][i] + trusts*1000*l.beside[n][i]; mark > best {
			best, choice = mark, i
		}
	}
	return choice
}

// tableau counts what each player passed, and of the options of each how many were right.
type tableau struct {
	passed, played, right, asked map[string]int
	sets, typed, none            int // quizzes, those that have a typed question, and acts of which none can be made
}

func newTableau() tableau {
	return tableau{passed: map[string]int{}, played: map[string]int{}, right: map[string]int{}, asked: map[string]int{}}
}

func (n *tableau) add(o tableau) {
	for _, m := range [][2]map[string]int{{n.passed, o.passed}, {n.played, o.played}, {n.right, o.right}, {n.asked, o.asked}} {
		for k, v := range m[1] {
			m[0][k] += v
		}
	}
	n.sets, n.typed, n.none = n.sets+o.sets, n.typed+o.typed, n.none+o.none
}

// takes reports whether an answer is right.
func (q Question) takes(choice int, typed string) bool {
	q.Answer = typed
	if !q.Typed {
		q.Answer = q.Options[choice].ID
	}
	return q.correct()
}

func (n *tableau) play(set []Question, know seen) {
	if set == nil {
		n.none++
		return
	}
	n.sets++
	if slices.ContainsFunc(set, func(q Question) bool { return q.Typed }) {
		n.typed++
	}
	look := lookAt(set, know)
	typed := make([]bool, len(set))
	for i, q := range set {
		typed[i] = q.Typed && (q.takes(-1, fourOf(q, know.row)) || q.takes(-1, know.usually(q)))
	}
	for name := range tastes {
		for trusts, how := range map[float64]string{0: "", 1: ", as the session", -1: ", not as the session"} {
			if know.beside == "" && trusts != 0 {
				continue
			}
			player, passed := name+how, true
			n.played[player]++
			for i, q := range set {
				good := typed[i]
				if !q.Typed {
					good = q.takes(look.choose(q, i, name, trusts), "")
					which := player
					if q.Kind == effectKind {
						which += " (effect)"
					}
					n.asked[which]++
					if good {
						n.right[which]++
					}
				}
				passed = passed && good
			}
			if passed {
				n.passed[player]++
			}
		}
	}
}

func play(t *testing.T, all []scene, rounds int, with func(scene) seen) tableau {
	t.Helper()
	sum, usual := newTableau(), usualOf(all)
	var mu sync.Mutex
	var wg sync.WaitGroup
	for part := range 4 {
		wg.Go(func() {
			mine := newTableau()
			for at := part; at < len(all); at += 4 {
				know, w, random := with(all[at]), all[at].around(), seeded(uint64(at)*31)
				know.usual = usual
				for range rounds {
					mine.play(quiz(all[at].a, w, asked{}, random), know)
				}
			}
			mu.Lock()
			defer mu.Unlock()
			sum.add(mine)
		})
	}
	wg.Wait()
	return sum
}

func (n tableau) hold(t *testing.T, what string, bound float64) {
	t.Helper()
	worst := 0.0
	for _, name := range sortedNames(n.played) {
		rate := float64(n.passed[name]) / float64(n.played[name])
		worst = max(worst, rate)
		if rate > bound {
			t.Errorf("%s, by %q: %.2f %% of %d pass, want at most %.0f %%", what, name, 100*rate, n.played[name], 100*bound)
		}
	}
	if testing.Verbose() {
		for _, name := range sortedNames(n.played) {
			if rate := float64(n.passed[name]) / float64(n.played[name]); rate > worst*0.8 {
				t.Logf("%s, by %q: %.2f %%", what, name, 100*rate)
			}
		}
	}
	t.Logf("%s: at most %.2f %%; %.0f %% of %d quizzes have a typed question; of %d acts more the row says everything", what, 100*worst, 100*float64(n.typed)/float64(n.sets), n.sets, n.none)
}
