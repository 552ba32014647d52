package approvals

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/long"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/facts"
)

// TestQuizForm is what every quiz has, whatever it asks.
func TestQuizForm(t *testing.T) {
	t.Parallel()
	long.NotUnderRace(t, oneGoroutine)
	ids := map[string]bool{}
	sets, effectsAsked := 0, 0
	for i, s := range scenes(t, 300) {
		set := quiz(s.a, s.around(), asked{}, seeded(uint64(i)))
		if (set == nil) == s.a.asksQuiz() {
			t.Fatalf("%s: a quiz can be made: %v, and there are %d questions", s.a.Action, s.a.asksQuiz(), len(set))
		}
		if set != nil {
			sets++
		}
		prompts, asksEffect := map[string]bool{}, false
		for _, q := range set {
			if q.Kind == effectKind {
				asksEffect = true
			}
			if q.Prompt == "" || prompts[q.Prompt] || q.Answer != "" || q.Typed != (len(q.Options) == 0) || q.Right == "" {
				t.Errorf("%s: a question %+v", s.a.Function, q)
			}
			prompts[q.Prompt] = true
			if q.Kind == string(facts.Environment) || q.Kind == string(facts.Flag) || q.Kind == "agent" || q.Kind == "operation" {
				t.Errorf("%s: the %s is asked", s.a.Function, q.Kind)
			}
			texts := map[string]bool{}
			for _, o := range q.Options {
				if texts[o.Text] || o.Text == "" || ids[o.ID] || len(o.ID) != 16 {
					t.Errorf("%s: the option %+v is empty or there before", q.Prompt, o)
				}
				texts[o.Text], ids[o.ID] = true, true
			}
			if !q.Typed && len(texts) != quizOptions {
				t.Errorf("%s: %d options", q.Prompt, len(texts))
			}
		}
		if asksEffect {
			effectsAsked++
		}
		if set != nil && len(set) != quizQuestions {
			t.Errorf("%s: %d questions", s.a.Function, len(set))
		}
	}
	if sets < 300*7/10 || effectsAsked != sets {
		t.Errorf("the effect is asked in %d of %d sets", effectsAsked, sets)
	}
}

// The questions beside the effect ask for nothing that the row says, where there is anything
// else; if there is not, one of them is typed, and what it asks for the row does not say.
func TestNothingOfTheRowIsAsked(t *testing.T) {
	t.Parallel()
	long.NotUnderRace(t, oneGoroutine)
	for i, s := range scenes(t, 300) {
		w := s.around()
		for _, q := range quiz(s.a, w, asked{}, seeded(uint64(i))) {
			if q.Typed {
				continue
			}
			right := q.Options[slices.IndexFunc(q.Options, func(o Option) bool { return o.ID == q.Right })].Text
			if q.Kind != effectKind && w.shown.say(right) && !slices.ContainsFunc(quiz(s.a, w, asked{}, seeded(uint64(i))), func(o Question) bool {
				return o.Typed && !slices.ContainsFunc(w.shown.words(), func(word string) bool { return o.correctly(word) })
			}) {
				t.Errorf("%s: %q is in the row %q, and nothing is typed", q.Prompt, right, w.shown.whole)
			}
		}
	}
}

// words are those that the texts hold.
func (t texts) words() []string { return strings.Fields(t.whole) }

// correctly reports whether the right characters stand at that end of a word.
func (q Question) correctly(word string) bool {
	end := strings.ToLower(q.Right)
	return strings.Contains(q.Prompt, " first ") && strings.HasPrefix(word, end) || strings.Contains(q.Prompt, " last ") && strings.HasSuffix(word, end)
}

// TestLeavingChangesNothing: a set that was left comes back as it was, but for its ids.
func TestLeavingChangesNothing(t *testing.T) {
	t.Parallel()
	long.NotUnderRace(t, oneGoroutine)
	random := newRandom()
	for _, s := range scenes(t, 100) {
		first := quiz(s.a, s.around(), asked{}, random)
		if first == nil {
			continue
		}
		first[0].Answer = "something"
		second := quiz(s.a, s.around(), asked{settled: first, left: first}, random)
		for i, q := range second {
			if q.Prompt != first[i].Prompt || q.Answer != "" || q.Typed != first[i].Typed || len(q.Options) != len(first[i].Options) {
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

// TestNewQuestions: a second attempt asks for other things where there are any. What is asked
// again, of whomever, has the same options, since what two sets have in common would be right.
func TestNewQuestions(t *testing.T) {
	t.Parallel()
	long.NotUnderRace(t, oneGoroutine)
	random := seeded(12)
	others := 0
	for i := range 200 {
		a := plenty(t, i)
		w := newAround(a, nil)
		first := quiz(a, w, asked{}, random)
		second := quiz(a, w, asked{settled: first, failed: first}, random)
		if len(second) != quizQuestions {
			t.Fatalf("%d questions", len(second))
		}
		for _, again := range [][]Question{second, quiz(a, w, asked{settled: first}, random)} {
			was := offered(first)
			for prompt, values := range offered(again) {
				now := slices.Sorted(slices.Values(values))
				if before := slices.Sorted(slices.Values(was[prompt])); len(before) > 0 && !strings.HasPrefix(prompt, "What would happen") && !reflect.DeepEqual(before, now) {
					t.Errorf("%s has the options %q, and had %q", prompt, now, before)
				}
			}
		}
		for _, q := range second {
			if q.Kind != effectKind && !slices.ContainsFunc(first, func(o Question) bool { return o.Prompt == q.Prompt }) {
				others++
			}
		}
	}
	if others < 200 {
		t.Errorf("%d questions of %d second sets are new", others, 200)
	}
}

// TestMadeOptions: what is made has the shape of the value and keeps its beginning, its
// year and its address, and what people make up, or has check digits, is not asked so.
func TestMadeOptions(t *testing.T) {
	t.Parallel()
	any := func(string) bool { return true }
	for v, keeps := range map[string]string{
		"usr_4821": "usr_4", "INV-2026-0417": "INV-2026-04", "release/4.18": "release/4.1", "10.0.217.34": "10.0.", "/srv/exports/2023-157": "/srv/exports/2023-1", "final-20261002-98": "final-20261002-9", "B152519": "B1", "2879.99": "2", "8648500": "8", "10.52.167.0/24": "10.52.1", "47": "4", "arn:aws:iam::481730925566:policy/deployer-482": "arn:aws:iam::481730925566:policy/deployer-4",
	} {
		for i := range 50 {
			values := made(v, any, seeded(uint64(i)))
			if len(values) != quizOptions {
				t.Fatalf("%s: %q", v, values)
			}
			for _, o := range values {
				if shape(o) != shape(v) || !strings.HasPrefix(o, keeps) {
					t.Errorf("%s is made of %s", o, v)
				}
			}
		}
	}
	for _, v := range []string{"250", "1200", "49.99", "60", "10.52.7.0/24", "1234", "usr_777", "orders", "dana@example.com", "DE16370400440792337483", "4111111111111111", "7610032065743", "main", "7", "12:30", "8000-9000", "final-20261002"} {
		if values := made(v, any, seeded(1)); values != nil {
			t.Errorf("%s is asked by options: %q", v, values)
		}
	}
}

// TestNoOptionIsTheCentre: the value from which the others were made is no nearer to them than
// they are to each other.
func TestNoOptionIsTheCentre(t *testing.T) {
	t.Parallel()
	long.NotUnderRace(t, oneGoroutine)
	hub, rounds := 0.0, 0
	for i := range 8000 {
		random := seeded(uint64(i))
		v := numbered(random, "usr_%05d", 10000, 99999)
		values := made(v, func(string) bool { return true }, random)
		if values == nil {
			continue
		}
		q := subject{value: v}.ask(values, random)
		best, at, ties := -1e9, 0, 0.0
		for k := range q.Options {
			switch mark := -nearness(q, k, distance); {
			case mark > best:
				best, at, ties = mark, k, 1
			case mark == best:
				ties++
			}
		}
		rounds++
		if q.Options[at].ID == q.Right {
			hub++
		}
	}
	if rate := hub / float64(rounds); rate > 0.27 {
		t.Errorf("the one in the middle is right in %.1f %% of %d", 100*rate, rounds)
	}
}

// TestThePool: wrong options are what people's requests of other agents had, one of each
// agent at most; never what the asking agent or its session did, nor what nobody was asked.
func TestThePool(t *testing.T) {
	t.Parallel()
	call := func(id, agent, session, branch string, held bool) Approval {
		a := proposed(t, id, agent, body{"function": "delete_branch", "session_id": session, "arguments": args{"repository": "acme/web", "branch": branch}})
		a.Session = session
		if held {
			a.Status = Pending
		}
		return a
	}
	a := call("apr_a", "worker", "s", "release/4.18", true)
	s := subject{kind: string(facts.Branch), label: "branch", value: "release/4.18"}
	others := []Approval{
		call("o1", "one", "", "release/4.18", true), call("o2", "two", "", "release/4.17", true), call("o3", "three", "", "release/4.16", true), call("o4", "four", "", "release/4.12", true),
		call("o5", "worker", "", "release/4.91", true), call("o6", "five", "s", "release/4.92", true), call("o7", "six", "", "release/4.93", false), call("o8", "seven", "", "hotfix/login", true),
	}
	offer := func(others ...Approval) []string {
		return slices.Sorted(slices.Values(newAround(a, others).options(s, seeded(3))))
	}
	for seed := range uint64(20) { // hotfix/login looks otherwise
		got := slices.Sorted(slices.Values(newAround(a, others).options(s, seeded(seed))))
		if !slices.Equal(got, []string{"release/4.12", "release/4.16", "release/4.17", "release/4.18"}) {
			t.Errorf("the options are %q", got)
		}
	}
	// One agent has three of them: it could have put them there.
	for i := range others[1:4] {
		others[i+1].Agent.Name = "two"
	}
	if got := offer(others...); got != nil {
		t.Errorf("one agent chose the options %q", got)
	}
	// New to everybody: what is made, which nobody had.
	for _, o := range offer(others[1:]...) {
		if slices.Contains([]string{"release/4.17", "release/4.16", "release/4.12"}, o) {
			t.Errorf("%q is known, and the right one is not", o)
		}
	}
	// The asking agent had it before: whoever looks that up knows.
	own := call("apr_own", "worker", "s2", "release/4.18", true)
	own.Digest = "sha256:other"
	if got := newAround(a, nil, []Approval{own}).options(s, seeded(3)); got != nil {
		t.Errorf("it was in an earlier call, and is asked by options: %q", got)
	}
}

func TestTyped(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind, label, value, prompt, right string
		exact                             bool
	}{
		{"target", "account", "acc_0417", "Type the last four characters of the account.", "0417", false},
		{"recipient", "email", "dana.wheeler@example.com", "Type the first four characters of the email.", "dana", false},
		{"target", "charge", "ch_3PqL9x42", "Type the last four characters of the charge.", "9x42", true},
		{"branch", "branch", "hotfix/login", "Type the branch.", "hotfix/login", false},
		{"branch", "branch", "release/4.17", "Type the last four characters of the branch.", "4.17", false},
		{"host", "host", "db-prod-5", "Type the last four characters of the host.", "od-5", false},
		{"host", "host", "api.example.com", "Type the first four characters of the host.", "api.", false},
		{"value", "port", "5432", "", "", false},
		{"value", "year", "2026", "", "", false},
		{"value", "currency", "EUR", "", "", false},
		{"value", "start date", "2026-05-21", "", "", false},
		{"value", "role", "admin", "", "", false},
		{"value", "effective from", "next_billing_period", "", "", false},
		{"value", "modification scope", "thisEventOnly", "", "", false},
		{"path", "path", "/srv/exports/crm", "Type the last four characters of the path.", "/crm", false},
		{"target", "account", "حساب-ا", "", "", false},
		{"amount", "amount", "2879.99 EUR", "Type the amount.", "2879.99", false},
		{"count", "documents", "214", "Type the number of documents.", "214", false},
		{"value", "reason", "abuse", "Type the reason.", "abuse", false},
		{"value", "reason", "no longer needed", "Type the last word of the reason.", "needed", false},
		{"value", "reason", "customer asked (twice!).", "Type the last word of the reason.", "twice", false},
		{"value", "reason", "as agreed ...", "", "", false},
		{"value", "body", "Dear customer, please see the attached.", "", "", false},
		{"target", "bucket", "customer-exports", "Type the last four characters of the bucket.", "orts", false},
		{"value", "snapshot", "snap-aa99ee2d", "Type the last four characters of the snapshot.", "ee2d", false},
		{"count", "pending window in days", "18", "Type the pending window in days.", "18", false},
	} {
		s := subject{kind: c.kind, label: c.label, value: c.value}
		p, strength := s.part(false)
		if strength == 0 != (c.right == "") {
			t.Errorf("%s: strength %d", c.value, strength)
		}
		if strength == 0 {
			continue
		}
		if q := p.question(s); q.Prompt != c.prompt || q.Right != c.right || q.Exact != c.exact || !q.Typed || len(q.Options) > 0 {
			t.Errorf("%s: %+v", c.value, q)
		}
	}
	for _, typed := range []string{"2879.99", "2,879.99", "2879.99 EUR", "€2879.99"} {
		if !(Question{Typed: true, Kind: "amount", Right: "2879.99", Answer: typed}).correct() {
			t.Errorf("%q is not taken for 2879.99", typed)
		}
	}
	for _, c := range []struct {
		right, typed string
		exact, want  bool
	}{
		{"ch4x", "ch4x", true, true},
		{"ch4x", " ch4x\t", true, true},
		{"ch4x", "CH4X", true, false},
		{"ch4x", "CH4X", false, true},
		{"ch4x", "ch 4x", false, true},
		{"ch4x", "ch4", false, false},
		{"ch4x", "xch4x", false, false},
		{"ch4x", "", false, false},
		{"needed", "needed.", false, true},
		{"Dana", "“Dana”", true, true},
		{".png", ".png", false, true},
	} {
		if got := (Question{Typed: true, Right: c.right, Exact: c.exact, Answer: c.typed}).correct(); got != c.want {
			t.Errorf("%q for %q, exact %v: %v", c.typed, c.right, c.exact, got)
		}
	}
}

func TestEffectSentences(t *testing.T) {
	t.Parallel()
	user, dana, count, sumOf := subject{kind: string(facts.Target), label: "user"}, subject{kind: string(facts.Recipient), label: "recipient"}, subject{kind: string(facts.Count), label: "documents"}, subject{kind: string(facts.Amount), label: "amount"}
	things, mails := sentences{noun: "user", done: "affected"}, sentences{noun: "thing", done: "affected", gets: true}
	for want, got := range map[string]string{
		"User “usr_1” is affected, for good":             things.of(&user, "usr_1", upshot{unsaid, -1}),
		"Recipient “dana” gets it":                       mails.of(&dana, "dana", upshot{unsaid, 0}),
		"“web-1” is affected":                            things.of(&subject{kind: string(facts.Target), label: "name"}, "web-1", upshot{unsaid, 0}),
		"Only user “usr_1” is affected, for good":        things.of(&user, "usr_1", upshot{effects.One, -1}),
		"Everything is affected, including user “usr_1”": things.of(&user, "usr_1", upshot{effects.All, 0}),
		"Recipient “dana” and others get it, for good":   mails.of(&dana, "dana", upshot{effects.Several, -1}),
		"Only recipient “dana” gets it, for good":        mails.of(&dana, "dana", upshot{effects.One, -1}),
		"214 documents are affected, but not for good":   things.of(&count, "214", upshot{effects.One, 1}),
		"49.99 EUR changes hands":                        things.of(&sumOf, "49.99 EUR", upshot{effects.One, 0}),
		"One user is affected, for good":                 things.of(nil, "", upshot{effects.One, -1}),
		"Several users are affected":                     things.of(nil, "", upshot{effects.Several, 0}),
		"No user is affected":                            things.of(nil, "", upshot{}),
		"Everyone on the list gets it, but not for good": mails.of(nil, "", upshot{effects.All, 1}),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Of a statement of SQL the sentence says how rows are picked, and never how many there are:
// a column may be no key, a list may find nothing, a limit may be one.
func TestRowsAreNotCounted(t *testing.T) {
	t.Parallel()
	const equal, wider, every = "Rows with an exact value are affected", "Rows under a wider condition or limit are affected", "All rows are affected"
	for sql, want := range map[string]string{
		"UPDATE contracts SET note = 'x' WHERE customer_id = 26273":           equal,
		"UPDATE contracts SET note = 'x' WHERE id = 26273":                    equal,
		"UPDATE contracts SET note = 'x' WHERE status = 'open' AND owner = 7": equal,
		"UPDATE contracts SET note = 'x' WHERE customer_id = 26273 LIMIT 1":   wider,
		"UPDATE contracts SET note = 'x' WHERE created_at < '2024-01-01'":     wider,
		"DELETE FROM contracts WHERE id IN (1, 2, 3)":                         wider,
		"DELETE FROM contracts WHERE 1 = 1":                                   every,
		"UPDATE contracts SET note = 'x'":                                     every,
	} {
		a := proposed(t, "apr_p", "worker", body{"function": "execute_query", "arguments": args{"sql": sql}})
		o := a.upshot()
		o.undone = 0
		if got := a.sentences().of(nil, "", o); got != want {
			t.Errorf("%s: %q, want %q", sql, got, want)
		}
	}
}

// No sentence says the verb of the row, and none that tells the effect by a value gives away
// what another question asks.
func TestTheEffectSaysNoVerb(t *testing.T) {
	t.Parallel()
	long.NotUnderRace(t, oneGoroutine)
	for i, s := range scenes(t, 300) {
		set := quiz(s.a, s.around(), asked{}, seeded(uint64(i)))
		verb := strings.ToLower(strings.Fields(s.a.Subject().Sentence)[0])
		for _, q := range set {
			if q.Kind != effectKind {
				continue
			}
			for _, o := range q.Options {
				outside, _, _ := strings.Cut(o.Text, "“")
				if slices.Contains(partsIn(outside), verb) {
					t.Errorf("%q says the verb of %q", o.Text, s.a.Subject().Sentence)
				}
			}
		}
	}
}

// TestTheWorstIsRightByChance: where two values stand with two upshots each, the right one has
// the worse of them in half of the sets.
func TestTheWorstIsRightByChance(t *testing.T) {
	t.Parallel()
	long.NotUnderRace(t, oneGoroutine)
	a := proposed(t, "apr_p", "worker", body{"function": "pods_delete", "arguments": args{"name": "relay-b66t4xbxq-q9zzm", "context": "staging-us-5", "namespace": "web"}})
	worst, sets := 0, 0
	for seed := range uint64(1000) {
		for _, q := range quiz(a, newAround(a, nil), asked{}, seeded(seed)) {
			if q.Kind != effectKind || q.Values == nil || !slices.ContainsFunc(q.Options, func(o Option) bool { return strings.HasPrefix(o.Text, "Only ") }) {
				continue
			}
			bad := func(text string) int {
				return strings.Count(text, "others") + 2*strings.Count(text, "Everything") - strings.Count(text, "but not for good")
			}
			most, right := -2, 0
			for _, o := range q.Options {
				most = max(most, bad(o.Text))
				if o.ID == q.Right {
					right = bad(o.Text)
				}
			}
			sets++
			if right == most {
				worst++
			}
		}
	}
	if share := float64(worst) / float64(sets); sets < 300 || share < 0.4 || share > 0.6 {
		t.Errorf("the worst is right in %d of %d", worst, sets)
	}
}

// TestHostileFacts: whatever a value holds, a quiz is whole or none.
func TestHostileFacts(t *testing.T) {
	t.Parallel()
	for _, value := range []string{
		"", "0", "7", "00", "x", "xy", "é", "キ", "Ж", "\u202e", "--", "😀", "😀x", "a\u0301", "ab", "١٢", "\xff\xfe", strings.Repeat("a", 10_000), strings.Repeat("9", 5000), "[REDACTED:x]", "  ", "eu", "EU-1", "00:00", "usr_41\u200b7",
	} {
		a := Approval{ID: "apr_" + value, Agent: Agent{Name: value}, Action: []byte(`{"function":"f"}`), ShownDigest: "sha256:00ff11ee"}
		a.Assessment.Effects = []effects.Effect{{Kind: effects.Delete, Breadth: effects.One}}
		for i, kind := range []facts.Kind{facts.Target, facts.Amount, facts.Path} {
			a.Assessment.Facts = append(a.Assessment.Facts, facts.Fact{Kind: kind, Label: string(kind), Value: value + strings.Repeat("z", i), Pointer: fmt.Sprint(i)})
		}
		random := seeded(1)
		for range 8 {
			set := quiz(a, newAround(a, []Approval{a, {ID: "apr_o"}}), asked{}, random)
			if set != nil && len(set) != quizQuestions {
				t.Errorf("%.20q: %d questions", value, len(set))
			}
			for _, q := range set {
				if q.Typed == (len(q.Options) == quizOptions) || q.Right == "" {
					t.Errorf("%.20q: %+v", value, q)
				}
			}
		}
		if first := a.asksQuiz(); first != a.asksQuiz() {
			t.Errorf("%.20q: one look says %v, the next does not", value, first)
		}
	}
}
