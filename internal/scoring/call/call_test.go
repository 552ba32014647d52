package call

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring/sql"
)

func TestTextsAreTakenApartOnce(t *testing.T) {
	t.Parallel()
	c := &Call{}
	text := "rm -rf /srv/x # DELETE FROM users"
	if a, b := c.Text(text), c.Text("if true; then "+text+"\nfi").Inner(text); a != b {
		t.Error("one text that stands in two places is two texts")
	}
	first, again := c.Text(text).Script(), c.Text(text).Script()
	if len(first.Commands) != 1 || &first.Commands[0] != &again.Commands[0] {
		t.Errorf("%v and %v are two scripts", first, again)
	}
	for _, d := range append(c.Text(text).SQL().Dialects(), sql.Unquoting) {
		first, again := c.Text(text).SQL().Tokens(d), c.Text(text).SQL().Tokens(d)
		if len(first) == 0 || &first[0] != &again[0] {
			t.Errorf("%+v: its tokens are made twice", d)
		}
	}
	if standard, mysql := c.Text(text).SQL().Tokens(c.Text(text).SQL().Dialects()[0]), c.Text(text).SQL().Tokens(c.Text(text).SQL().Dialects()[1]); len(standard) == len(mysql) {
		t.Error("the dialects that differ read the same")
	}
}

func TestWordsAreNoText(t *testing.T) {
	t.Parallel()
	c := &Call{}
	words := c.Argv([]string{"echo", "a; rm -rf /"}).Script()
	if again := c.Argv([]string{"echo", "a; rm -rf /"}).Script(); len(words.Commands) != 1 || &words.Commands[0] != &again.Commands[0] {
		t.Errorf("%v and %v", words, again)
	}
	if other := c.Argv([]string{"echo a;", "rm -rf /"}).Script(); len(other.Commands) != 2 {
		t.Errorf("other words that read the same: %v", other)
	}
	if text := c.Text("echo a; rm -rf /").Script(); len(text.Commands) != 2 {
		t.Errorf("the same as a text: %v", text)
	}
}

func TestAt(t *testing.T) {
	t.Parallel()
	arguments, err := canon.Parse([]byte(`{"a/b":{"m~n":["x",{"":"empty"}]},"n":1}`))
	if err != nil {
		t.Fatal(err)
	}
	c := &Call{Function: "f", Arguments: arguments, Code: "code", Environment: "test"}
	for pointer, want := range map[string]string{
		"/function": "f", "/code": "code", "/environment": "test", "/arguments/a~1b/m~0n/0": "x", "/arguments/a~1b/m~0n/1/": "empty",
		"/arguments/n": "", "/arguments": "", "/arguments/a~1b/m~0n/x": "", "/arguments/a~1b/m~0n/7": "", "/docstring": "", "": "",
	} {
		if got := c.At(pointer); got != want {
			t.Errorf("%s: %q", pointer, got)
		}
	}
}

func TestTree(t *testing.T) {
	t.Parallel()
	arguments, err := canon.Parse([]byte(`{"userID":["x",{"a/b":{}}],"1":null,"b":{"c":true}}`))
	if err != nil {
		t.Fatal(err)
	}
	c := &Call{Arguments: arguments}
	var got []string
	for n := range c.Tree().Leaves() {
		got = append(got, n.Pointer+" "+n.Name+" "+strings.Join(n.Words, "+")+" "+n.Kind().String())
	}
	if want := []string{"/arguments/1 1  null", "/arguments/b/c c c boolean", "/arguments/userID/0 userID user+id string", "/arguments/userID/1/a~1b a/b a+b object"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if once, again := c.Tree(), c.Tree(); once != again {
		t.Error("the arguments are walked twice")
	}
	for n := range (&Call{}).Tree().Leaves() {
		t.Errorf("no arguments have %v", n)
	}
}

func TestInnerCalls(t *testing.T) {
	t.Parallel()
	c := &Call{Function: "call_tool"}
	text := `{"command":"rm -rf /srv"}`
	inner := c.Inner("bash", c.Text(text).Document())
	if got := inner.At("/arguments/command"); got != "rm -rf /srv" || inner.Function != "bash" {
		t.Errorf("%q, %q", inner.Function, got)
	}
	if c.Text(text) != inner.Text(text) || inner.Inner("f", inner.Arguments).Text(text) != c.Text(text) {
		t.Error("a call that stands in another one takes texts apart for itself")
	}
	for _, none := range []string{"", " ", "1", `"x"`, "{", `{"a":1,"a":2}`, "null"} {
		if v := c.Text(none).Document(); !v.IsAbsent() {
			t.Errorf("%q is the document %v", none, v)
		}
	}
}

// Whoever reads a call asks the tree: no other package takes a text apart for itself.
func TestNobodyElseTakesTextsApart(t *testing.T) {
	t.Parallel()
	const scoring = "github.com/countersign/countersign/internal/scoring/"
	readers := map[string][]string{scoring + "shell": {"Read", "ReadArgv"}, scoring + "sql": {"Read"}}
	files := 0
	walk := func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.HasPrefix(path, "scoring/call/") {
			return err
		}
		files++
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join("../..", path), nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		readers := readers
		if slices.Contains([]string{"effects", "facts", "workspace"}, filepath.Base(filepath.Dir(path))) {
			readers = maps.Clone(readers)
			readers["github.com/countersign/countersign/internal/canon"] = []string{"Parse"}
		}
		imported := map[string][]string{}
		for _, i := range file.Imports {
			if functions, ok := readers[strings.Trim(i.Path.Value, `"`)]; ok {
				name := filepath.Base(strings.Trim(i.Path.Value, `"`))
				if i.Name != nil {
					name = i.Name.Name
				}
				imported[name] = functions
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				if of, ok := s.X.(*ast.Ident); ok {
					for _, function := range imported[of.Name] {
						if s.Sel.Name == function {
							t.Errorf("%s calls %s.%s: ask the call for it", path, of.Name, function)
						}
					}
				}
			}
			return true
		})
		return nil
	}
	if err := fs.WalkDir(os.DirFS("../.."), ".", walk); err != nil || files < 100 {
		t.Fatalf("%d files, %v", files, err)
	}
}
