package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The command imports as the system, says what it read, and accepts what is suggested
// where a reason is given.
func TestAgentTools(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	for _, args := range [][]string{{"tenant", "create", "--data-dir", dir, "acme"}, {"agent", "create", "--data-dir", dir, "--tenant", "acme", "bot"}} {
		if code, _, errs := command(t, "", args...); code != 0 {
			t.Fatalf("%v: %d %s", args, code, errs)
		}
	}
	file := filepath.Join(dir, "tools.json")
	write := func(list string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(list), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run := func(args ...string) (int, string, string) {
		t.Helper()
		return command(t, "", append([]string{"agent", "tools", "--data-dir", dir, "--tenant", "acme", "--prefix", "mcp__frobs__"}, args...)...)
	}
	words := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	write(`{"tools":[{"name":"frobnicate","annotations":{"readOnlyHint":true}},{"name":"delete_frob"}]}`)
	code, out, errs := run("bot", file)
	for _, want := range []string{"mcp__frobs__delete_frob added delete HIGH", "mcp__frobs__frobnicate added unknown MEDIUM read LOW", "bot has 2 tools of the server frobs.", "Suggested effects: 1, none accepted"} {
		if code != 0 || errs != "" || !strings.Contains(words(out), want) {
			t.Errorf("exit %d, %q: it does not say %q in\n%s", code, errs, want, out)
		}
	}
	if code, out, errs = run("--reason", "reviewed", "bot", file); code != 0 || !strings.Contains(out, "acme now has policy version 2. Tool effects: 1.") {
		t.Errorf("with a reason: %d %q\n%s", code, errs, out)
	}
	if _, out, _ = run("bot", file); !strings.Contains(words(out), "mcp__frobs__frobnicate read LOW read LOW") {
		t.Errorf("again:\n%s", out)
	}
	_, policy, _ := command(t, "", "policy", "export", "--data-dir", dir, "--tenant", "acme")
	if !strings.Contains(policy, "glob: mcp__frobs__frobnicate") || !strings.Contains(policy, "agent: bot") {
		t.Errorf("exported:\n%s", policy)
	}
	if code, out, _ := command(t, "", "audit", "verify", "--data-dir", dir); code != 0 {
		t.Errorf("audit verify: %d %s", code, out)
	}
	write(`{"tools":[{"name":"a b"}]}`)
	if code, _, errs = run("bot", file); code != 1 || !strings.Contains(errs, "tool 1: its name is") {
		t.Errorf("a list that is wrong: %d %q", code, errs)
	}
	write(`[{"name":"a"}]`)
	if code, _, errs = run("nobody", file); code != 1 || !strings.Contains(errs, "no agent with this name") {
		t.Errorf("nobody: %d %q", code, errs)
	}
}
