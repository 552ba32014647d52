package command

import (
	"strings"
	"testing"
)

// The command binds as the system, to all that is named and nothing else, and says what is
// wrong with a folder.
func TestAgentBind(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	for _, args := range [][]string{{"tenant", "create", "--data-dir", dir, "acme"}, {"agent", "create", "--data-dir", dir, "--tenant", "acme", "bot"}} {
		if code, _, errs := command(t, "", args...); code != 0 {
			t.Fatalf("%v: %d %s", args, code, errs)
		}
	}
	for _, c := range []struct {
		args string
		code int
		says string
	}{
		{"bot --environment staging", 0, "bound bot to staging\n"},
		{"bot --workspace /srv/shop --sandboxed", 0, "bound bot to the sandboxed workspace /srv/shop\n"},
		{"bot --workspace /srv/shop/ --environment staging", 0, "bound bot to the workspace /srv/shop and to staging\n"},
		{"bot --workspace /srv/shop --environment staging", 1, "nothing would change"},
		{"bot --none", 0, "bot is no longer bound to anything\n"},
		{"bot", 1, "--workspace DIR, --environment NAME, both, or --none"},
		{"bot --none --sandboxed", 1, "--none can't be combined"},
		{"bot --environment staging --sandboxed", 1, "--sandboxed needs --workspace"},
		{"bot --workspace shop", 1, "relative path"},
		{"bot --workspace /", 1, "/ is the whole machine"},
		{"bot --workspace /home/ada", 1, "home folder"},
		{"bot --workspace /srv/../etc", 1, "leads to a different folder"},
		{"nobody --workspace /srv/shop", 1, "no agent"},
	} {
		code, _, errs := command(t, "", append([]string{"agent", "bind", "--data-dir", dir, "--tenant", "acme"}, strings.Fields(c.args)...)...)
		if code != c.code || !strings.Contains(errs, c.says) {
			t.Errorf("%s: exit %d, %q, want %d, %q", c.args, code, errs, c.code, c.says)
		}
	}
	code, out, _ := command(t, "", "audit", "export", "--data-dir", dir, "--tenant", "acme")
	if code != 0 || strings.Count(out, `"agent.bound"`) != 4 || !strings.Contains(out, `"workspace":"/srv/shop"`) {
		t.Errorf("exit %d\n%s", code, out)
	}
	if code, out, _ := command(t, "", "audit", "verify", "--data-dir", dir); code != 0 {
		t.Errorf("audit verify: %d %s", code, out)
	}
}
