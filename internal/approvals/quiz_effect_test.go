package approvals

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/facts"
)

// offeredIn are the texts of a question's options, sorted.
func offeredIn(q Question) []string { return slices.Sorted(texts(q)) }

// theEffect is the one question of a set that asks for the effect.
func theEffect(t *testing.T, set []Question) Question {
	t.Helper()
	var found []Question
	for _, q := range set {
		if q.Of != nil {
			found = append(found, q)
		}
	}
	if len(found) != 1 || found[0].Kind != effectKind || found[0].Prompt != effectPrompt {
		t.Fatalf("the effect is asked %d times: %+v", len(found), found)
	}
	return found[0]
}

func TestEffectSentences(t *testing.T) {
	t.Parallel()
	user, dana, host := subject{kind: string(facts.Target), label: "user"}, subject{kind: string(facts.Recipient), label: "recipient"}, subject{kind: string(facts.Host)}
	for want, got := range map[string]string{
		"It acts on user “usr_1” alone, and it cannot be undone":                                                user.sentence(upshot{effects.One, "", -1}, "usr_1"),
		"It acts on everything, user “usr_1” included":                                                          user.sentence(upshot{effects.All, "", 0}, "usr_1"),
		"It goes to recipient “dana” and others with it, everybody can see it, and it cannot be undone":         dana.sentence(upshot{effects.Several, effects.Public, -1}, "dana"),
		"It goes to recipient “dana” alone, people outside of the organisation see it, and it cannot be undone": dana.sentence(upshot{effects.One, effects.Outside, -1}, "dana"),
		"It reaches “a.example” alone, and it can be undone":                                                    host.sentence(upshot{effects.One, "", 1}, "a.example"),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// One question of three asks for the effect, and its options say the same verb, kind and
// breadth of four things; in some quizzes it is two things, each with two outcomes.
func TestOneQuestionAsksForTheEffect(t *testing.T) {
	t.Parallel()
	a := proposed(t, "apr_x", "bot", body{"function": "delete_user", "arguments": args{"user_id": "usr_4821", "path": "/srv/exports", "count": 412}})
	o, ok := a.upshot()
	if !ok || o.undone != -1 {
		t.Fatalf("the upshot is %+v", o)
	}
	random, pairs := seeded(7), 0
	const rounds = 400
	for range rounds {
		set := quiz(a, newElsewhere(nil, ""), asked{}, random)
		q := theEffect(t, set)
		tails := map[string]int{}
		for _, option := range q.Options {
			before, rest, _ := strings.Cut(option.Text, "“")
			_, after, _ := strings.Cut(rest, "”")
			tails[before+after]++
			if strings.Contains(strings.ToLower(option.Text), "delet") {
				t.Errorf("%q says the verb", option.Text)
			}
			if option.ID == q.Right && option.Text != about(q).sentence(o, map[string]string{"target": "usr_4821", "path": "/srv/exports"}[q.Of.Kind]) {
				t.Errorf("%q is right", option.Text)
			}
		}
		switch {
		case len(tails) == 1:
		case len(tails) == 2 && slices.Equal(slices.Sorted(maps.Values(tails)), []int{2, 2}):
			pairs++
		default:
			t.Errorf("the options are %q", offeredIn(q))
		}
	}
	if pairs < rounds/pairsIn/2 || pairs > 2*rounds/pairsIn {
		t.Errorf("%d of %d quizzes have two outcomes, want about one in %d", pairs, rounds, pairsIn)
	}
}

// Whoever is asked about the same act again, and whoever else is asked, gets the sentences
// that were there before: two sets would be told by what they share.
func TestTheEffectIsAskedInOneWay(t *testing.T) {
	t.Parallel()
	a := proposed(t, "apr_x", "bot", body{"function": "delete_user", "arguments": args{"user_id": "usr_4821", "path": "/srv/exports", "count": 412}})
	random := seeded(11)
	for range 200 {
		first := quiz(a, newElsewhere(nil, ""), asked{}, random)
		want := theEffect(t, first)
		for name, before := range map[string]asked{"left": {settled: first, left: first}, "asked of somebody else": {settled: first}, "failed": {settled: first, failed: first}} {
			again := theEffect(t, quiz(a, newElsewhere(nil, ""), before, random))
			if !slices.Equal(offeredIn(again), offeredIn(want)) {
				t.Fatalf("%s: %q, and before %q", name, offeredIn(again), offeredIn(want))
			}
			if again.Options[0].ID == want.Options[0].ID {
				t.Errorf("%s: it has the ids that it had", name)
			}
		}
	}
}

// Where nothing was read of what a call does, or nothing but numbers, the facts are asked
// as they are.
func TestNothingReadAsksForNoEffect(t *testing.T) {
	t.Parallel()
	a := proposed(t, "apr_x", "bot", body{"function": "delete_user", "arguments": args{"user_id": "usr_4821", "path": "/srv/exports", "count": 412}})
	numbers := proposed(t, "apr_y", "bot", body{"function": "pay", "arguments": args{"amount": 4821, "count": 412, "limit": 77}})
	a.Assessment.Effects = nil
	for _, a := range []Approval{a, numbers} {
		set := quiz(a, newElsewhere(nil, ""), asked{}, seeded(3))
		if len(set) != quizQuestions || slices.ContainsFunc(set, func(q Question) bool { return q.Of != nil }) {
			t.Errorf("%s asks %+v", a.Function, set)
		}
	}
}
