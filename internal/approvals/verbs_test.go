package approvals

import (
	"slices"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/scoring/facts"
)

// What else could be done is something that is done to such things.
func TestOtherVerbs(t *testing.T) {
	t.Parallel()
	random := seeded(7)
	for _, c := range []struct{ before, word, behind, never string }{
		{"", "Delete", " a user", "Drain Deploy Index Scale Refund"},
		{"", "Restart", " a service", "Invite Refund Merge"},
		{"", "Refund", " an invoice", "Drain Deploy Reboot Invite"},
		{"", "Send", " an email", "Drain Deploy Reboot Lock"},
		{"", "Force-push", " to a branch", "Deactivate Delete Lock"},
		{"Run ", "python", "", "drain delete push"},
		{"Run ", "code", "", "drain delete push"},
		{"Run ", "rm", " on a path", "bash delete push"},
		{"Run kubectl ", "delete", " on a target", "push rm bash"},
		{"Run ", "UPDATE", " on a table", "delete rm bash"},
	} {
		got, value := map[string]bool{}, c.before+c.word+c.behind
		for range 200 {
			values, how := subject{kind: "operation", value: value, others: newElsewhere(nil, "")}.otherVerbs(random)
			if how != fair || len(values) != quizOptions || !slices.Contains(values, value) {
				t.Fatalf("%s: %q, strength %d", value, values, how)
			}
			for _, v := range values {
				got[v] = true
			}
			if c.word == "Delete" && slices.Contains(values, "Remove"+c.behind) {
				t.Errorf("%q: two of them mean the same", values)
			}
		}
		for v := range got {
			word, same := strings.CutPrefix(v, c.before)
			word, end := strings.CutSuffix(word, c.behind)
			if !same || !end || slices.Contains(strings.Fields(c.never), word) {
				t.Errorf("%q is offered beside %q", v, value)
			}
		}
		if len(got) < 6 {
			t.Errorf("%s: always the same: %v", value, got)
		}
	}
	for _, verb := range facts.Verbs() {
		operation := strings.ToUpper(verb[:1]) + verb[1:] + " something"
		if values, how := (subject{kind: "operation", value: operation, others: newElsewhere(nil, "")}).otherVerbs(random); how != fair || len(values) != quizOptions {
			t.Errorf("%s: %q, strength %d", operation, values, how)
		}
	}
}

// Where nothing is known of a function, what runs is another one.
func TestOtherFunctions(t *testing.T) {
	t.Parallel()
	values, _ := subject{kind: "operation", value: "Run frobnicate_x", others: newElsewhere(nil, "")}.otherVerbs(seeded(1))
	if len(values) != quizOptions || slices.ContainsFunc(values, func(v string) bool { return !strings.HasPrefix(v, "Run ") }) {
		t.Errorf("%q", values)
	}
}
