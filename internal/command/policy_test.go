package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring"
)

// What is exported can be changed in an editor and imported, and nothing else
// changes on the way.
func TestPolicyExportAndImport(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	if code, _, errs := command(t, "", "tenant", "create", "--data-dir", dir, "acme"); code != 0 {
		t.Fatalf("tenant create: %d %s", code, errs)
	}
	code, first, errs := command(t, "", "policy", "export", "--data-dir", dir, "--tenant", "acme")
	if code != 0 || errs != "" || !strings.HasPrefix(first, "# The policy of acme, version 1 of ") || !strings.Contains(first, "\nexpiry_seconds: 900 # seconds") {
		t.Fatalf("export: %d %q %q", code, first, errs)
	}
	file := filepath.Join(dir, "policy.yaml")
	changed := strings.NewReplacer("grant_seconds: 300", "grant_seconds: 600", "functions: []", "functions: [{glob: \"a\\u202e\\e[2J*\", floor: HIGH}]").Replace(first)
	if err := os.WriteFile(file, []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		name  string
		input string
		args  []string
		code  int
		says  []string
	}{
		{"the same", first, nil, 0, []string{"No changes: this is version 1 of acme."}},
		{"a dry run", "", []string{"--dry-run", file}, 0, []string{"Compared with version 1 of acme:", "/grant_seconds: 300 -> 600 (weaker)", `/functions/a\u{202e}\u{1b}[2J*: not set -> {`, "no actions yet", "Nothing was changed."}},
		{"in earnest", changed, nil, 0, []string{"/grant_seconds: 300 -> 600 (weaker)", "acme now has version 2."}},
		{"again", changed, nil, 0, []string{"No changes: this is version 2 of acme."}},
		{"the default policy", "{}", nil, 0, []string{"/grant_seconds: 600 -> 300", "acme now has version 3."}},
	} {
		code, out, errs := command(t, step.input, append([]string{"policy", "import", "--data-dir", dir, "--tenant", "acme", "--reason", "tried"}, step.args...)...)
		if code != step.code || errs != "" {
			t.Errorf("%s: exit %d, %q", step.name, code, errs)
		}
		for _, s := range step.says {
			if !strings.Contains(out, s) {
				t.Errorf("%s: it does not say %q in\n%s", step.name, s, out)
			}
		}
	}
	_, second, _ := command(t, "", "policy", "export", "--data-dir", dir, "--tenant", "acme")
	if _, body, _ := strings.Cut(second, "\n"); !strings.HasSuffix(first, body) {
		t.Errorf("exported again it is\n%s", second)
	}
	if code, out, _ := command(t, "", "audit", "verify", "--data-dir", dir); code != 0 {
		t.Errorf("audit verify: %d %s", code, out)
	}
}

func TestPolicyImportRefuses(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	if code, _, errs := command(t, "", "tenant", "create", "--data-dir", dir, "acme"); code != 0 {
		t.Fatalf("tenant create: %d %s", code, errs)
	}
	for _, c := range []struct {
		name, input string
		args        []string
		lines       []string // each begins so
	}{
		{"everything that is wrong", "strategy: min\ngrant_seconds: 1\nfunctions: [{glob: a, hint: {}}]\n", []string{"--tenant", "acme", "--reason", "x"}, []string{"/strategy: ", "/functions/0/hint: ", "/grant_seconds: "}},
		{"no YAML", "{", []string{"--tenant", "acme", "--reason", "x"}, []string{"the policy is no YAML: "}},
		{"no reason", "grant_seconds: 60", []string{"--tenant", "acme"}, []string{"countersign: --reason: "}},
		{"blank reason", "grant_seconds: 60", []string{"--tenant", "acme", "--reason", " "}, []string{"countersign: --reason: "}},
		{"no organisation", "grant_seconds: 60", []string{"--tenant", "none", "--reason", "x"}, []string{"countersign: tenant: there is no organisation"}},
		{"no file", "", []string{"--tenant", "acme", "--reason", "x", filepath.Join(dir, "none")}, []string{"countersign: [<file>]: "}},
		{"nothing at all", " \n", []string{"--tenant", "acme", "--reason", "x"}, []string{"countersign: policy: there is nothing in it"}},
		{"comments alone", "# strategy: max\n---\n", []string{"--tenant", "acme", "--reason", "x"}, []string{"countersign: policy: there is nothing in it"}},
		{"null", "~", []string{"--tenant", "acme", "--reason", "x"}, []string{"countersign: policy: there is nothing in it"}},
	} {
		code, out, errs := command(t, c.input, append([]string{"policy", "import", "--data-dir", dir}, c.args...)...)
		lines := strings.Split(strings.TrimSpace(errs), "\n")
		if code != 1 || out != "" || len(lines) != len(c.lines) {
			t.Errorf("%s: exit %d, out %q, err %q", c.name, code, out, errs)
			continue
		}
		for i, want := range c.lines {
			if !strings.HasPrefix(lines[i], want) {
				t.Errorf("%s: line %d is %q, want %q…", c.name, i+1, lines[i], want)
			}
		}
	}
	if code, out, errs := command(t, "", "policy", "export", "--data-dir", dir, "--tenant", "none"); code != 1 || out != "" || !strings.Contains(errs, "no organisation") {
		t.Errorf("export of nobody: %d %q %q", code, out, errs)
	}
}

// The import is tried on what agents did.
func TestPolicyImportReplays(t *testing.T) {
	t.Parallel()
	a := boot(t)
	agent, err := a.Tenants.AuthenticateAgent(t.Context(), a.organisation("acme", nil))
	if err != nil {
		t.Fatal(err)
	}
	submit := func(body string) approvals.Approval {
		t.Helper()
		tree, err := canon.Parse([]byte(body))
		if err != nil {
			t.Fatal(err)
		}
		action, err := scoring.NewAction(tree)
		if err != nil {
			t.Fatal(err)
		}
		made, _, err := a.Approvals.Submit(t.Context(), agent, approvals.Submission{Action: action})
		if err != nil {
			t.Fatal(err)
		}
		return made
	}
	denied := submit(`{"function":"delete_user","arguments":{"user_id":"usr_1","env":"production"},"docstring":"Permanently remove."}`)
	submit(`{"function":"get_user"}`)
	p, err := a.Tenants.CreatePerson(t.Context(), "acme", "op@example.com", "", "", []auth.Role{auth.Operator})
	if err != nil {
		t.Fatal(err)
	}
	m := auth.Member{Tenant: "acme", Person: p, Roles: []auth.Role{auth.Operator}}
	if _, err := a.Approvals.Decide(t.Context(), m, denied.ID, approvals.DecideInput{Verdict: approvals.VerdictDeny, Reason: "no", Digest: denied.ShownDigest, Version: 1}); err != nil {
		t.Fatal(err)
	}
	code, out, errs := command(t, "challenges: {high: none}\njudgement: {preset: published}\nthresholds: {high: 0.75}", "policy", "import", "--data-dir", a.set.DataDir, "--tenant", "acme", "--dry-run")
	for _, want := range []string{"Of the newest 2 actions", "0 would be treated more strictly, 1 less", "  HIGH -> MEDIUM: 1", "Nothing was changed."} {
		if code != 0 || errs != "" || !strings.Contains(out, want) {
			t.Errorf("exit %d, %q: no %q in\n%s", code, errs, want, out)
		}
	}
	_, out, _ = command(t, "challenges: {high: none}", "policy", "import", "--data-dir", a.set.DataDir, "--tenant", "acme", "--dry-run")
	for _, want := range []string{"1 that were held or blocked would be approved", "Denied or blocked then", denied.ID + "  denied  “Delete user” “usr_1” · env “production”"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}

// Whoever decides can be written by their address, and is kept by their id: so the same file changes
// nothing, nor does what is exported.
func TestPolicyImportTakesAddresses(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	for _, args := range [][]string{
		{"tenant", "create", "--data-dir", dir, "acme"},
		{"person", "create", "--data-dir", dir, "--tenant", "acme", "--roles", "operator", "ana@acme.test"},
	} {
		if code, _, errs := command(t, "", args...); code != 0 {
			t.Fatalf("%v: %d %s", args, code, errs)
		}
	}
	file := "deciders: {teams: [{name: security, members: [{person: Ana@acme.test}]}], rules: [{name: all, needs: [{team: security}]}]}\n"
	importing := []string{"policy", "import", "--data-dir", dir, "--tenant", "acme", "--reason", "tried"}
	for _, step := range []struct{ name, input, says string }{
		{"by address", file, "/deciders/teams/security/per_"},
		{"again", file, "No changes: this is version 2 of acme."},
	} {
		if code, out, errs := command(t, step.input, importing...); code != 0 || !strings.Contains(out, step.says) {
			t.Errorf("%s: exit %d, %q, %q", step.name, code, out, errs)
		}
	}
	_, out, _ := command(t, "", "policy", "export", "--data-dir", dir, "--tenant", "acme")
	if !strings.Contains(out, "- person: per_") || strings.Contains(out, "ana@acme.test") {
		t.Errorf("it is exported as\n%s", out)
	}
	if code, again, _ := command(t, out, importing...); code != 0 || !strings.Contains(again, "No changes") {
		t.Errorf("what was exported: %d %s", code, again)
	}
	if code, _, errs := command(t, strings.Replace(file, "Ana@", "nobody@", 1), importing...); code == 0 || !strings.Contains(errs, "nobody@acme.test isn't the email address of a member") {
		t.Errorf("somebody who is no member: %d %q", code, errs)
	}
}
