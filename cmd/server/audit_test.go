package main

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
	dir := filepath.Join(t.TempDir(), "data")
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
		{"an edited one", strings.Replace(lines, "worker", "warker", 1), "-", "BROKEN at event 3"},
		{"one that is cut", lines[:strings.Index(lines, "\n")+1], "-", "without its head"},
		{"no trail", "\x1b[31m{", "-", "BROKEN at event 0"},
		{"a hostile name", `{"root":"x","size":0,"tenant":"` + `\u001b[31m` + `","v":1}` + "\n", "-", "BROKEN at event 0"},
	} {
		code, out, _ := command(t, c.input, "audit", "verify", "--data-dir", nowhere, "--file", c.file)
		if wantCode := map[bool]int{true: 0, false: 1}[strings.Contains(c.says, "holds")]; code != wantCode || !strings.Contains(out, c.says) || strings.Contains(out, "\x1b") {
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
