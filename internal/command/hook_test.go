package command

import "testing"

// “hook AGENT” goes past everything that could end with another exit code than 0 or 2,
// whatever comes after it; the commands below hook do not.
func TestAsksHook(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args []string
		want bool
	}{
		{[]string{"hook", "claude-code"}, true},
		{[]string{"hook", "codex", "--low", "pass"}, true},
		{[]string{"hook", "claud"}, true},
		{[]string{"hook", "--low", "pass", "gemini"}, true},
		{[]string{"hook", "install", "codex"}, false},
		{[]string{"hook", "doctor", "codex"}, false},
		{[]string{"hook", "--help"}, false},
		{[]string{"hook"}, true},
		{[]string{"serve"}, false},
		{[]string{}, false},
	} {
		if got := asksHook(c.args); got != c.want {
			t.Errorf("%v: %v", c.args, got)
		}
	}
	for _, args := range [][]string{{"hook", "claud"}, {"hook", "claude-code", "--no"}, {"hook"}} {
		if code := Main(args); code != 2 {
			t.Errorf("%v: exit %d", args, code)
		}
	}
}
