package quiz

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/countersign/countersign/internal/long"
	"github.com/countersign/countersign/internal/scoring/level"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/headline"
)

// seeded is a source that is the same in every run.
func seeded(n uint64) *rand.Rand { return rand.New(rand.NewPCG(n, 2026)) }

// compiled is the default policy, once for all tests.
var compiled = sync.OnceValue(func() *scoring.Compiled {
	c, err := scoring.Compile(scoring.DefaultPolicy())
	if err != nil {
		panic(err)
	}
	return c
})

// read is a call as scoring reads it, of an agent; what held it is the effect, a rule or the score.
func read(t *testing.T, agent string, body map[string]any) Call {
	t.Helper()
	raw, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := canon.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	action, err := scoring.NewAction(tree)
	if err != nil {
		t.Fatal(err)
	}
	exam := compiled().Examine(action, nil)
	shown, _, as := exam.Mask(exam.Assess(1))
	return Call{Action: shown, Assessment: as, Agent: agent}
}

type (
	body = map[string]any
	args = map[string]any
)

// told is a call that somebody else wrote, with the values that tell it from others.
type told struct {
	Action body
	Tells  []string
	Must   []string `json:"must_ask"`
}

// calls are those of files, one a line.
func calls(files ...string) (all []told) {
	for _, file := range files {
		open, err := os.Open(file)
		if err != nil {
			panic(err)
		}
		lines := bufio.NewScanner(open)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			var of told
			if err := json.Unmarshal(lines.Bytes(), &of); err != nil {
				panic(err)
			}
			all = append(all, of)
		}
		_ = open.Close()
	}
	return all
}

// known are the calls of which somebody else said whether they must be held, or those of the flag.
var known = sync.OnceValue(func() []told {
	if *cases != "" {
		return calls(*cases)
	}
	return calls("../scoring/testdata/judgement.jsonl", "../scoring/headline/testdata/told.jsonl", "../scoring/headline/testdata/headline.jsonl")
})

// high are the calls among those that are HIGH, of seven agents, each with what tells it from others and people read.
func high(t *testing.T) (all []held) {
	t.Helper()
	for i, of := range known() {
		if c := read(t, fmt.Sprintf("agent-%d", i%7), of.Action); c.Assessment.Level == level.High {
			must := slices.DeleteFunc(append(slices.Clone(of.Must), of.Tells...), func(v string) bool { return machineMade(v) != nil })
			all = append(all, held{c, must})
		}
	}
	return all
}

type held struct {
	Call
	must []string
}

// oneGoroutine is why the tests of quizzes don't run under the race detector.
const oneGoroutine = "one goroutine computes"

var (
	printed = flag.Int("print", 0, "how many sets TestEveryHighRequestHasAQuiz prints, to be judged by a reader")
	cases   = flag.String("cases", "", "a file of calls, one a line, of which the tests of quizzes make sets in place of the known ones")
)

// Every HIGH request has a quiz, on the first day with one agent and with the requests of others,
// and what is right is what the page shows.
func TestEveryHighRequestHasAQuiz(t *testing.T) {
	t.Parallel()
	long.NotUnderRace(t, oneGoroutine)
	all := high(t)
	three, told := 0, 0
	for i, a := range all {
		for _, w := range []Corpus{{}, othersOf(a, all)} {
			set := New(a.Call, w, Asked{}, seeded(uint64(i)))
			if !Complete(set) {
				t.Errorf("%d questions about %s", len(set), a.Action.Canonical())
				continue
			}
			if len(set) == quizQuestions {
				three++
			}
			wellFormed(t, a.Call, set)
			if slices.ContainsFunc(set, func(q Question) bool {
				return slices.ContainsFunc(set, func(o Question) bool { return o.About != q.About && o.gives(q) })
			}) {
				told++
			}
			for _, q := range set { // flags that a program doesn't have, beside one option without any
				if q.Prompt == "Which of these would run?" && slices.ContainsFunc(q.Options, func(o Option) bool {
					return strings.HasSuffix(o.Text, " --help") || strings.HasSuffix(o.Text, " --dry-run")
				}) {
					t.Errorf("%q are options about %s", q.Options, a.Action.Canonical())
				}
			}
			if i < *printed {
				missed := unasked(set, a.must)
				t.Logf("%d. %s\n  call: %s\n  not asked: %q\n%s", i, a.headline().Text, a.Action.Canonical(), missed, readable(set))
			}
		}
	}
	t.Logf("%d HIGH requests, %d of %d sets have three questions; in %d one gives another away", len(all), three, 2*len(all), told)
	if *cases == "" && told*50 > 2*len(all) { // where little can be asked, having questions comes first
		t.Errorf("in %d sets one question gives another away", told)
	}
	if *cases == "" && (len(all) < 60 || three*10 < 2*len(all)*9) {
		t.Errorf("%d HIGH requests, %d sets have three questions", len(all), three)
	}
}

// unasked are those of some values that are no right answer.
func unasked(set []Question, values []string) (missed []string) {
	plain := func(v string) string {
		return strings.TrimSuffix(strings.ToLower(strings.NewReplacer(",", "", " ", "", "\"", "", ".00", "").Replace(v)), ".0")
	}
	for _, v := range values {
		if !slices.ContainsFunc(set, func(q Question) bool {
			right, v := plain(q.right()), plain(v)
			return strings.Contains(right, v) || len(right) > 3 && strings.Contains(v, right)
		}) {
			missed = append(missed, v)
		}
	}
	return missed
}

// What somebody else said tells a call from others is asked, of three at most; of a call that deletes or changes access, that it
// does is one of these.
func TestWhatTellsIsAsked(t *testing.T) {
	t.Parallel()
	told, all := 0, 0
	for i, a := range high(t) {
		must, set := a.must, New(a.Call, Corpus{}, Asked{}, seeded(uint64(i)))
		asked, n := len(must)-len(unasked(set, must)), len(must)
		if a.acts() {
			n++
			if slices.ContainsFunc(set, func(q Question) bool { return q.About == "run" || q.About == "follows" }) {
				asked++
			}
		}
		n = min(quizQuestions, n)
		all, told = all+n, told+min(n, asked)
	}
	t.Logf("%d of %d values that tell are asked", told, all)
	if *cases == "" && told*100 < all*80 {
		t.Errorf("%d of %d values that tell are asked", told, all)
	}
}

// No option differs from the right one in a few characters of an identifier, and identifiers are asked only
// where nothing is left that people read.
func TestNothingTestsEyesight(t *testing.T) {
	t.Parallel()
	long.NotUnderRace(t, oneGoroutine)
	identifiers := 0
	known := high(t)
	for i, a := range known {
		w := Corpus{}
		if i%2 == 0 {
			w = othersOf(a, known)
		}
		all := a.subjects(w)
		set := New(a.Call, w, Asked{}, seeded(uint64(i)))
		for _, q := range set {
			if at := slices.IndexFunc(all, func(s subject) bool { return s.about == q.About }); at >= 0 && all[at].worth == worthIdentifier {
				identifiers++
				for _, s := range all {
					options := s.options(w, quizOptions, seeded(1))
					if s.worth <= worthIdentifier || options == nil || slices.ContainsFunc(set, func(q Question) bool { return q.About == s.about || q.tells(s.ask(options, seeded(1))) }) {
						continue
					}
					t.Errorf("%q is asked and %q is not: %s", q.Prompt, s.prompt, a.Action.Canonical())
				}
			}
			for _, o := range q.Options {
				if o.ID != q.Right && machineMade(q.right()) != nil && twins(o.Text, q.right()) {
					t.Errorf("%q beside %q", o.Text, q.right())
				}
			}
		}
	}
	t.Logf("%d identifiers are asked", identifiers)
}

// Whoever chooses the flags that sound worst is right as often as by chance: heavy ones as the call has them, and
// the others not.
func TestFlagsDoNotTellThemselves(t *testing.T) {
	t.Parallel()
	right, asked := 0.0, 0
	for i, a := range high(t) {
		set := a.settings(merged(a.Action.Said(a.Assessment)))
		for _, q := range New(a.Call, Corpus{}, Asked{}, seeded(uint64(i))) {
			if q.About != "flags" {
				continue
			}
			danger := func(o Option) (n int) {
				for _, s := range set {
					if strings.Contains(o.Text, s.name+": ") && strings.Contains(o.Text, s.name+": "+s.value) == (s.weight >= headline.Danger) {
						n++
					}
				}
				return n
			}
			worst := slices.MaxFunc(q.Options, func(x, y Option) int { return danger(x) - danger(y) })
			best := slices.DeleteFunc(slices.Clone(q.Options), func(o Option) bool { return danger(o) < danger(worst) })
			if asked++; slices.ContainsFunc(best, func(o Option) bool { return o.ID == q.Right }) {
				right += 1 / float64(len(best))
			}
		}
	}
	t.Logf("%.0f of %d", right, asked)
	if asked < 20 || right*10 > float64(asked)*3 {
		t.Errorf("the worst flags are right in %.0f of %d", right, asked)
	}
}

func readable(set []Question) string {
	var b strings.Builder
	for _, q := range set {
		b.WriteString("  " + q.Prompt + "\n")
		for _, o := range q.Options {
			mark := "   "
			if o.ID == q.Right {
				mark = "   *"
			}
			b.WriteString(mark + " " + o.Text + "\n")
		}
	}
	return b.String()
}

// wellFormed: one option is right, they differ, none of the others is said by the call under the
// same name, and no prompt holds a value.
func wellFormed(t *testing.T, a Call, set []Question) {
	t.Helper()
	shown := strings.ToLower(string(a.Action.Canonical()) + a.headline().Text)
	seen := map[string]bool{}
	for _, q := range set {
		right := ""
		for _, o := range q.Options {
			if o.ID == q.Right {
				right = o.Text
			}
		}
		texts := map[string]bool{}
		for _, o := range q.Options {
			texts[o.Text] = true
			if o.Text == "" || o.ID == "" {
				t.Errorf("an empty option of %s", q.Prompt)
			}
		}
		if right == "" || len(texts) != len(q.Options) || seen[q.Prompt] {
			t.Errorf("%s: %s", a.Action.Canonical(), readable(set))
		}
		seen[q.Prompt] = true
		if q.About == "follows" {
			if right != a.headline().Consequence {
				t.Errorf("%q is on no page of %s", right, a.Action.Canonical())
			}
			for _, e := range a.Assessment.Effects {
				for _, said := range lists.Follows[string(e.Kind)] {
					if said != right && texts[said] {
						t.Errorf("%q is true too: %s", said, readable(set))
					}
				}
			}
		}
		if of, counted := strings.CutPrefix(q.About, "number of "); counted {
			for _, arg := range merged(a.Action.Said(a.Assessment)) {
				if arg.Name == of && right != fmt.Sprint(len(arg.Values)) {
					t.Errorf("%s has not %s values: %s", of, right, a.Action.Canonical())
				}
			}
		} else if q.Kind == string(headline.Flag) || q.About == "together" {
			for setting := range strings.SplitSeq(strings.ToLower(right), ", ") {
				name, value, _ := strings.Cut(setting, ": ")
				if !regexp.MustCompile(regexp.QuoteMeta(name)+`[\\"']*[\s:=]+\[?\\?["']?`+regexp.QuoteMeta(value)).MatchString(shown) && q.About != "together" || !strings.Contains(shown, value) {
					t.Errorf("%q stands nowhere in %s", right, a.Action.Canonical())
				}
			}
		} else if q.Kind != effectKind {
			if !strings.Contains(shown, strings.ToLower(strings.Trim(strconv.Quote(right), `"`))) {
				t.Errorf("%q stands nowhere in %s", right, a.Action.Canonical())
			}
			if strings.Contains(strings.ToLower(q.Prompt), strings.ToLower(right)) && utf8.RuneCountInString(right) > 3 {
				t.Errorf("%q says %q", q.Prompt, right)
			}
		}
	}
}

// Where the page says two things that the row does not, one of them is asked.
func TestSomethingBeyondTheRowIsAsked(t *testing.T) {
	t.Parallel()
	long.NotUnderRace(t, oneGoroutine)
	tried := 0
	// What is said beside these in the row weighs more.
	policy := read(t, "one", body{"function": "mcp__mercury__update_approval_policy", "arguments": args{"organization_id": "org_71f", "account_ids": []any{"acc_ops", "acc_payroll", "acc_reserve"}, "effective": "immediately", "note": "less friction for month end", "policy": args{"name": "Outgoing wires", "notify": []any{"finance@lumora.io"}, "min_approvers": 0, "threshold_usd": 250000}}})
	for i, a := range append(high(t), held{Call: policy}) {
		w := Corpus{}
		beyond := a.beyondRow(a.subjects(w))
		set := New(a.Call, w, Asked{}, seeded(uint64(i)))
		can := slices.ContainsFunc(beyond, func(s subject) bool { return s.options(w, quizOptions, seeded(1)) != nil })
		if !can {
			continue
		}
		tried++
		if !slices.ContainsFunc(set, func(q Question) bool {
			return slices.ContainsFunc(beyond, func(s subject) bool { return s.about == q.About })
		}) {
			t.Errorf("of %s nothing beyond the row is asked: %s", a.Action.Canonical(), readable(set))
		}
	}
	if tried < 10 {
		t.Errorf("%d requests say more than their row", tried)
	}
}

// Going back to reading changes nothing but the ids.
func TestLeavingChangesNothing(t *testing.T) {
	t.Parallel()
	long.NotUnderRace(t, oneGoroutine)
	random := seeded(1)
	for _, a := range high(t) {
		first := New(a.Call, Corpus{}, Asked{}, random)
		first[0].Answer = "something"
		second := New(a.Call, Corpus{}, Asked{Settled: first, Left: first}, random)
		for i, q := range second {
			if q.Prompt != first[i].Prompt || q.Answer != "" || len(q.Options) != len(first[i].Options) {
				t.Fatalf("%+v comes back as %+v", first[i], q)
			}
			for k, o := range q.Options {
				if o.Text != first[i].Options[k].Text || o.ID == first[i].Options[k].ID || (o.ID == q.Right) != (first[i].Options[k].ID == first[i].Right) {
					t.Errorf("%+v comes back as %+v", first[i].Options[k], o)
				}
			}
		}
	}
}

// A second attempt asks for something else where there is anything, and what is asked again, of
// whomever, has the same options: what two sets have in common would be right.
func TestASecondAttempt(t *testing.T) {
	t.Parallel()
	long.NotUnderRace(t, oneGoroutine)
	other := 0
	for i, a := range high(t) {
		w := Corpus{}
		first := New(a.Call, w, Asked{}, seeded(uint64(i)))
		second := New(a.Call, w, Asked{Settled: first, Failed: first}, seeded(uint64(i+1)))
		for _, q := range second {
			for _, was := range first {
				if was.About != q.About {
					continue
				}
				now, before := texts(q), texts(was)
				if len(now) > len(before) { // of six those four
					now = slices.DeleteFunc(now, func(text string) bool { return !slices.Contains(before, text) })
				}
				if !slices.Equal(now, before) {
					t.Errorf("%s has the options %q, and had %q", q.Prompt, now, before)
				}
			}
			if !slices.ContainsFunc(first, func(o Question) bool { return o.About == q.About }) {
				other++
			}
		}
	}
	if other < 50 {
		t.Errorf("%d questions of second sets are new", other)
	}
}

func texts(q Question) (all []string) {
	for _, o := range q.Options {
		all = append(all, o.Text)
	}
	slices.Sort(all)
	return all
}
