package usage

import (
	"slices"
	"strings"
	"testing"
)

func option(word string) bool { return len(word) > 1 && word[0] == '-' }

func TestPatterns(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pattern, command string
		matches          bool
	}{
		{"push", "push origin main", true},
		{"push", "pull", false},
		{"push", "", false},
		{"remote show|get-url", "remote get-url origin", true},
		{"remote show|get-url", "remote", false},
		{"branch -D|--delete", "branch x --delete", true},
		{"branch -D|--delete", "branch x", false},
		{"-l|--list", "--list", true},
		{"config *", "config a", true},
		{"config *", "config", false},
		{"db:*:undo*", "db:migrate:undo:all", true},
		{"db:*:undo*", "db:migrate", false},
		{"get x", "get ?x", false},
		{"get *", "get ?x", true},
	} {
		p, ok := Parse(c.pattern, option)
		if !ok {
			t.Fatalf("%q says nothing", c.pattern)
		}
		var operands []Operand
		var options []string
		for _, w := range strings.Fields(c.command) {
			if option(w) {
				options = append(options, w)
			} else {
				operands = append(operands, Operand{strings.TrimPrefix(w, "?"), strings.HasPrefix(w, "?")})
			}
		}
		at := func(i int) Operand { return operands[i] }
		if got := p.Matches(len(operands), at, func(o string) bool { return slices.Contains(options, o) }, true); got != c.matches {
			t.Errorf("%q and %q: got %v", c.pattern, c.command, got)
		}
	}
	if _, ok := Parse(" ", option); ok {
		t.Error("a pattern without words says something")
	}
}

// What For leaves out cannot match, and the order is that of Sort.
func TestRulesByTheirFirstWord(t *testing.T) {
	t.Parallel()
	var r Rules[int]
	for i, text := range []string{"push", "push -f", "pu* x", "* y", "-l", "pull|push z", "pull"} {
		p, _ := Parse(text, option)
		r.Add(p, i)
	}
	r.Sort(func(a, b int) int { return a - b })
	for first, want := range map[string][]string{
		"push": {"push -f", "pu* x", "pull|push z", "* y", "-l", "push"},
		"pull": {"pu* x", "pull|push z", "* y", "-l", "pull"},
		"put":  {"pu* x", "* y", "-l"},
		"":     {"pu* x", "* y", "-l"},
	} {
		var got []string
		for _, rule := range r.For(first) {
			got = append(got, rule.Written)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", first, got, want)
		}
	}
}
