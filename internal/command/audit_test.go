package command

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The trail goes out as a file, and the file is verified on a machine that has
// no database.
func TestExportAndVerifyTheFile(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	for _, args := range [][]string{
		{"tenant", "create", "--data-dir", dir, "acme"},
		{"tenant", "create", "--data-dir", dir, "rival"},
		{"person", "create", "--data-dir", dir, "--tenant", "acme", "--roles", "operator", "ada@acme.test"},
		{"agent", "create", "--data-dir", dir, "--tenant", "acme", "worker"},
		{"agent", "create", "--data-dir", dir, "--tenant", "rival", "canary"},
	} {
		if code, _, errs := command(t, "", args...); code != 0 {
			t.Fatalf("%v: %d %s", args, code, errs)
		}
	}
	code, lines, errs := command(t, "", "audit", "export", "--data-dir", dir, "--tenant", "acme")
	if code != 0 || strings.Count(lines, "\n") != 4 || strings.Contains(lines, "canary") {
		t.Fatalf("export: %d %s %s", code, lines, errs)
	}
	file := filepath.Join(t.TempDir(), "acme.jsonl")
	if err := os.WriteFile(file, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	nowhere := filepath.Join(t.TempDir(), "none")
	for _, c := range []struct{ name, input, file, says string }{
		{"the file", "", file, "acme: holds, 3 events, root "},
		{"standard input", lines, "-", "acme: holds, 3 events"},
		{"what it was held against", lines, "-", "acme: held against its own head, without the tables of a database; no checkpoint (none named with --checkpoint)"},
		{"an edited one", strings.Replace(lines, "worker", "warker", 1), "-", "BROKEN at event 3"},
		{"one that is cut", lines[:strings.Index(lines, "\n")+1], "-", "without its head"},
		{"no trail", "\x1b[31m{", "-", "BROKEN at event 0"},
		{"a hostile name", `{"root":"x","size":0,"tenant":"` + `\u001b[31m` + `","v":1}` + "\n", "-", "BROKEN at event 0"},
	} {
		code, out, _ := command(t, c.input, "audit", "verify", "--data-dir", nowhere, "--file", c.file)
		if wantCode := map[bool]int{true: 0, false: 1}[strings.HasPrefix(c.says, "acme: h")]; code != wantCode || !strings.Contains(out, c.says) || strings.Contains(out, "\x1b") {
			t.Errorf("%s: %d %q, want %q", c.name, code, out, c.says)
		}
	}
	code, table, errs := command(t, "", "audit", "export", "--data-dir", dir, "--tenant", "acme", "--format", "csv")
	rows, err := csv.NewReader(strings.NewReader(table)).ReadAll()
	if code != 0 || err != nil || len(rows) != 4 || rows[0][0] != "index" || !strings.Contains(table, "Created the agent worker") {
		t.Errorf("csv: %d %s %s, %v", code, table, errs, err)
	}
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"audit", "export", "--data-dir", dir, "--tenant", "nobody"}, "no organisation"},
		{[]string{"audit", "export", "--data-dir", dir, "--tenant", "acme", "--format", "xml"}, "jsonl"},
		{[]string{"audit", "export", "--data-dir", nowhere, "--tenant", "acme"}, "no database"},
		{[]string{"audit", "verify", "--file", nowhere}, "no such file"},
	} {
		if code, out, errs := command(t, "", c.args...); code != 1 || out != "" || !strings.Contains(errs, c.says) {
			t.Errorf("%v: %d %q %q, want %q", c.args, code, out, errs, c.says)
		}
	}
}

// Nothing is no trail that holds, and neither is a note of an organisation that is gone:
// both are what somebody leaves behind who puts another database in the place of this one.
func TestVerifyWithoutOrganisations(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, set Settings) {
		do := commandsOn(t, set)
		do(0, "", "migrate")
		do(1, "this database has no organisation", "audit", "verify")
		do(0, "", "tenant", "create", "acme")
		notes := filepath.Join(set.DataDir, "checkpoints")
		kept, err := os.ReadFile(filepath.Join(notes, "acme.note"))
		if err == nil {
			err = os.Remove(filepath.Join(notes, "acme.note"))
		}
		if err != nil {
			t.Fatal(err)
		}
		out := do(0, "acme: holds, 1 events", "audit", "verify")
		if says := "acme: held against the tables and triggers of the database; no checkpoint (none in " + notes + ")"; !strings.Contains(out, says) {
			t.Errorf("%q, want %q", out, says)
		}
		if err := os.WriteFile(filepath.Join(notes, "acme.note"), kept, 0o600); err != nil {
			t.Fatal(err)
		}
		note := do(0, "", "audit", "checkpoint", "--tenant", "acme")
		key := checkpointKeyID(do(0, "countersign+", "keys", "checkpoint"))
		out = do(0, "acme: holds, 1 events", "audit", "verify")
		if says := "of the database, the checkpoint of 1 events signed at 20"; !strings.Contains(out, says) || !strings.Contains(out, " with the key "+key+" ("+filepath.Join(notes, "acme.note")+")") {
			t.Errorf("%q, want %q and the key %s", out, says, key)
		}
		if err := os.WriteFile(filepath.Join(notes, "beta.note"), []byte(note), 0o600); err != nil {
			t.Fatal(err)
		}
		out = do(1, "beta: MISSING: "+filepath.Join(notes, "beta.note")+" is a signed checkpoint of it", "audit", "verify")
		if !strings.Contains(out, "acme: holds, 1 events") {
			t.Errorf("the other one: %q", out)
		}
		do(0, "acme: holds", "audit", "verify", "--tenant", "acme")
		do(1, `no organisation "beta"`, "audit", "verify", "--tenant", "beta")
	})
}
