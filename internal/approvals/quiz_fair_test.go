package approvals

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/scoring/facts"
)

// TestNewQuestions: a second attempt asks about other facts where there are any. What
// is asked again, of whomever, has the same options, since what two sets have in
// common would be the right one; their ids and their order are new.
func TestNewQuestions(t *testing.T) {
	t.Parallel()
	random := newRandom()
	others, orders := 0, 0
	all := corpus(t, 120)
	for _, a := range all {
		e := newElsewhere(all, a.ID)
		first := quiz(a, e, asked{}, random)
		second := quiz(a, e, asked{settled: first, failed: first}, random)
		if second == nil {
			t.Fatalf("%s: no second set", a.Function)
		}
		was := offered(first)
		for prompt, values := range offered(second) {
			if was[prompt] == nil {
				others++
			} else if !slices.Equal(was[prompt], values) {
				t.Errorf("%s has the options %q, and had %q", prompt, values, was[prompt])
			}
		}
		values := offered(ofFacts(first))
		for prompt, now := range offered(ofFacts(second)) {
			if values[prompt] != nil && !slices.Equal(values[prompt], now) {
				t.Errorf("%s is asked in another way, of %q, and was of %q", prompt, now, values[prompt])
			}
		}
		if facts, _ := subjects(a, e); len(facts) > 2*quizQuestions-1 && len(offered(ofFacts(append(first, second...)))) < 2*quizQuestions {
			t.Errorf("%s: there is more to ask, and the second set asks the same", a.Function)
		}
		colleague := quiz(a, e, asked{settled: first}, random)
		for prompt, values := range offered(colleague) {
			if was[prompt] != nil && !slices.Equal(was[prompt], values) {
				t.Errorf("%s has the options %q for a colleague, and %q before", prompt, values, was[prompt])
			}
		}
		for range 12 { // few actions have more to ask, and luck may choose the same
			again := quiz(a, e, asked{settled: first, left: first}, random)
			if !reflect.DeepEqual(offered(again), was) {
				t.Fatalf("a set that was left comes back as %q, and was %q", offered(again), was)
			}
			for i, q := range again {
				for j, o := range q.Options {
					if o == first[i].Options[j] {
						t.Errorf("the option %q has the id that it had", o.Text)
					}
					if o.Text != first[i].Options[j].Text {
						orders++
					}
				}
			}
		}
	}
	if others == 0 || orders == 0 {
		t.Errorf("%d other questions, %d other places: nothing is new", others, orders)
	}
}

// TestHostileFacts: whatever a value holds, a quiz is whole or none, and the same
// approval is always judged alike.
func TestHostileFacts(t *testing.T) {
	t.Parallel()
	for _, value := range []string{
		"0", "7", "00", "x", "xy", "é", "キ", "Ж", "\u202e", "--", "😀", "😀x", "a\u0301", "ab", "١٢", "\xff\xfe", strings.Repeat("a", 10_000), strings.Repeat("9", 5000), "[REDACTED:x]", "  ", "eu", "EU-1", "00:00",
	} {
		a := Approval{ID: "apr_" + value, Agent: Agent{Name: value}, Action: []byte(`{"function":"f"}`)}
		for _, kind := range []facts.Kind{facts.Target, facts.Amount, facts.Path} {
			a.Assessment.Facts = append(a.Assessment.Facts, facts.Fact{Kind: kind, Label: string(kind), Value: value + strings.Repeat("z", len(a.Assessment.Facts))})
		}
		random := seeded(1)
		same := quiz(a, newElsewhere(nil, ""), asked{}, a.random()) == nil
		for range 8 {
			questions := quiz(a, newElsewhere([]Approval{a, {ID: "apr_o"}}, a.ID), asked{}, random)
			if questions != nil && len(questions) != quizQuestions {
				t.Errorf("%.20q: %d questions", value, len(questions))
			}
			for _, q := range questions {
				if len(q.Options) != quizOptions || q.Right == "" {
					t.Errorf("%.20q: %d options", value, len(q.Options))
				}
			}
			if again := quiz(a, newElsewhere(nil, ""), asked{}, a.random()) == nil; again != same {
				t.Errorf("%.20q: one look says %v, the next %v", value, same, again)
			}
		}
	}
}

// TestAQuizCanBegin: an agent that asks nearly always is no reason for too few questions.
func TestAQuizCanBegin(t *testing.T) {
	t.Parallel()
	var others []Approval
	for i := range 40 {
		others = append(others, proposed(t, fmt.Sprintf("apr_%d", i), "worker", body{"function": "drop_table", "arguments": args{"table": fmt.Sprintf("crm.events_%d", i)}}))
	}
	a := proposed(t, "apr_a", "worker", body{"function": "drop_table", "arguments": args{"table": "crm.visits"}})
	known := newElsewhere(others, a.ID)
	if !known.oneAgent {
		t.Fatal("the agent does not ask nearly always, so nothing is tested")
	}
	if questions := quiz(a, known, asked{}, seeded(1)); len(questions) != quizQuestions {
		t.Errorf("%d questions, want %d: nobody could decide", len(questions), quizQuestions)
	}
}
