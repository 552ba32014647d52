package audit_test

import (
	"encoding/csv"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/canon"
)

func names(kind, id string) string {
	switch id {
	case "per_1":
		return "Priya Raman"
	case "apr_1":
		return "Force-push to main"
	}
	return id
}

// Whoever adds a kind says what it means.
func TestEveryKindHasItsSentence(t *testing.T) {
	t.Parallel()
	f, err := parser.ParseFile(token.NewFileSet(), "event.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	ast.Inspect(f, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if kind, ok := spec.Type.(*ast.Ident); !ok || kind.Name != "Kind" {
			return true
		}
		value, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
		if err != nil {
			t.Fatal(err)
		}
		found++
		if !slices.Contains(audit.Kinds(), audit.Kind(value)) {
			t.Errorf("%s (%q) has no sentence; add a row to the table in words.go", spec.Names[0].Name, value)
		}
		return true
	})
	if found < 20 {
		t.Errorf("found %d kinds only: the test no longer sees them", found)
	}
	for _, k := range audit.Kinds() {
		e := audit.Event{Kind: k, Actor: audit.Actor{Kind: "system"}}
		if s := e.Sentence(names); s == "" || strings.Contains(s, string(k)) || strings.HasSuffix(s, " ") || strings.Contains(s, "  ") {
			t.Errorf("%s without data says %q", k, s)
		}
	}
}

func TestSentences(t *testing.T) {
	t.Parallel()
	text := func(name, s string) canon.Member { return canon.Member{Name: name, Value: canon.String(s)} }
	for _, c := range []struct {
		e    audit.Event
		want string
	}{
		{audit.Event{Kind: audit.Denied, Function: "delete_user", Data: canon.Object(text("reason", "Wrong account"))}, "Denied delete_user: “Wrong account”"},
		{audit.Event{Kind: audit.Approved, Function: "get_user", Actor: audit.Actor{Kind: "policy"}}, "Auto-approved get_user"},
		{audit.Event{Kind: audit.Viewed, Approval: "apr_1", Function: "bash"}, "Viewed Force-push to main"},
		{audit.Event{Kind: audit.Viewed, Approval: "apr_2", Function: "bash"}, "Viewed bash"},
		{audit.Event{Kind: audit.Approved, Function: "get_user", Actor: audit.Actor{Kind: "policy"}, Data: canon.Object(text("because", "it reads"))}, "Auto-approved get_user: “it reads”"},
		{audit.Event{Kind: audit.Approved, Function: "delete_user", Data: canon.Object(canon.Member{Name: "evidence", Value: canon.Object(text("kind", "quiz"))})}, "Approved delete_user after the questions"},
		{audit.Event{Kind: audit.Approved, Function: "delete_user", Data: canon.Object(audit.DenialsForgotten([]string{"like:1"}))}, "Approved delete_user, which clears an earlier denial"},
		{audit.Event{Kind: audit.Submitted, Function: "delete_user", Data: canon.Object(audit.DenialRecalled("apr_1", "deny", nil))}, "Proposed delete_user, similar to apr_1, which was refused"},
		{audit.Event{Kind: audit.PersonCreated, Data: canon.Object(text("person", "per_1"), canon.Member{Name: "roles", Value: canon.Array(canon.String("operator"), canon.String("admin"))})}, "Added Priya Raman as operator, admin"},
		{audit.Event{Kind: "moon.landed", Data: canon.Object(text("where", "Tranquility"))}, `moon.landed {"where":"Tranquility"}`},
		{audit.Event{Kind: "moon.landed"}, "moon.landed"},
		{audit.Event{Kind: audit.Verified, Data: canon.Object(canon.Member{Name: "holds", Value: canon.Bool(true)}, canon.Member{Name: "size", Value: canon.Int(9)})}, "Verified the trail: 9 entries hold"},
		{audit.Event{Kind: audit.Exported, Data: canon.Object(canon.Member{Name: "count", Value: canon.Int(1)}, text("format", "csv"))}, "Exported 1 entry of the trail as CSV"},
	} {
		if got := c.e.Sentence(names); got != c.want {
			t.Errorf("%s says %q, want %q", c.e.Kind, got, c.want)
		}
	}
}

func TestHarmlessCells(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"plain":                "plain",
		"":                     "",
		"a=1":                  "a=1",
		"=1+1":                 "'=1+1",
		"+1":                   "'+1",
		"-1":                   "'-1",
		"@SUM(A1)":             "'@SUM(A1)",
		"\t=1":                 `'\t=1`,
		"\r=1":                 `'\r=1`,
		"\n=1":                 `'\n=1`,
		"  =1":                 "'  =1",
		"\u00a0\u200b=1":       `'\u00a0\u200b=1`,
		"\ufeff@x":             `'\ufeff@x`,
		"＝cmd":                 "'＝cmd",
		"=cmd|'/c calc'!A0":    "'=cmd|'/c calc'!A0",
		"two\nlines\r\n":       `two\nlines\r\n`,
		"\x00\x1b[31m":         `\u0000\u001b[31m`,
		"\u202etxt.exe":        `\u202etxt.exe`,
		"\U000e0041tag":        `\udb40\udc41tag`,
		"Zürich 📁 東京":          "Zürich 📁 東京",
		"not\xffUTF-8":         "not�UTF-8",
		`"=1","x"`:             `"=1","x"`,
		"=HYPERLINK(\"http\")": "'=HYPERLINK(\"http\")",
	} {
		if got := audit.Harmless(in); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}

// Whatever stands in the cells, a reader of RFC 4180 gets them back, one line a
// row, and no cell that a spreadsheet would run.
func FuzzCSV(f *testing.F) {
	f.Add("=1+1", `a","=cmd`)
	f.Add("\"\r\n=1", ",")
	f.Add("\u202e", "\xff")
	f.Fuzz(func(t *testing.T, a, b string) {
		var out strings.Builder
		w := audit.NewCSV(&out)
		w.Row(a, b)
		w.Row("end", "end")
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		if strings.Count(out.String(), "\n") != 2 {
			t.Fatalf("%q is not two lines", out.String())
		}
		rows, err := csv.NewReader(strings.NewReader(out.String())).ReadAll()
		if err != nil || len(rows) != 2 || len(rows[0]) != 2 || rows[0][0] != audit.Harmless(a) || rows[0][1] != audit.Harmless(b) {
			t.Fatalf("%q reads back as %q, %v", out.String(), rows, err)
		}
		for _, cell := range rows[0] {
			if strings.IndexAny(strings.TrimLeft(cell, " "), "=+-@\t\r\n") == 0 {
				t.Fatalf("the cell %q begins a formula", cell)
			}
		}
	})
}
