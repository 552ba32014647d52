package wordlist

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// most is how many words may stand together in Go.
const most = 8

// grammars are rooms and files whose lists stay in Go, each with its reason.
var grammars = map[string]string{
	"patterns":   "a published model, as its vectors have it",
	"rules":      "a published model, as its vectors have it",
	"fivefactor": "a published model, as its vectors have it",
	"sql":        "keywords of SQL are its grammar",
	"shell":      "syntax stands below the table of programs: a wrapper says which of its words begin another command",

	"effects/statements": "keywords of SQL are its grammar",
	"effects/queries":    "commands of query languages are their grammar",
	"facts/sql.go":       "keywords of SQL are its grammar",
	"facts/tables.go":    "keywords of SQL are its grammar",

	"code/tokens.go":                "marks and keywords of programs are their grammar",
	"code/language.go":              "keywords of programs are their grammar",
	"effects/texts_code.go":         "one reader of code has one table of its own",
	"effects/programs_code.go":      "one reader of code has one table of its own",
	"workspace/findings_code.go":    "one reader of code has one table of its own",
	"workspace/modules.go":          "one reader of code has one table of its own",
	"workspace/remember_scripts.go": "one reader of code has one table of its own",
	"workspace/causes.go":           "what it says of each word is a type's value, and English",
	"policy_shape.go":               "pointers into a policy, as its type has them",
	"policy_entry.go":               "pointers into a policy, as its type has them",
	"policy_judgement.go":           "pointers into a policy, as its type has them",
	"inputs_read_workspace.go":      "members of what the store keeps",
	"scorers.go":                    "pointers into a policy, as its type has them",
	"call_token.go":                 "file endings that are ends of domains, too",
}

// TestNoWordListsInGo: no list of more than a few words stands in Go under scoring, whatever it
// is written as: a literal, the cases of a switch, one text, the arguments of a call, or
// comparisons of one thing.
func TestNoWordListsInGo(t *testing.T) {
	t.Parallel()
	looked, needed := 0, map[string]bool{}
	eachFile(t, func(name string, f *ast.File, at func(token.Pos) int) {
		looked++
		for where := range grammars {
			if name == where || strings.HasPrefix(name, where+"/") || strings.Contains(where, "/") && strings.HasPrefix(name, where+"_") || name == where+".go" {
				needed[where] = needed[where] || len(listsIn(f)) > 0
				return
			}
		}
		for _, l := range listsIn(f) {
			t.Errorf("%s:%d has a list of words; it belongs into lists.yaml or a table: %.100s", name, at(l.pos), strings.Join(l.words, " "))
		}
	})
	for where := range grammars {
		if !needed[where] {
			t.Errorf("%s needs no exception", where)
		}
	}
	if looked < 250 {
		t.Errorf("looked at %d files only", looked)
	}
}

// TestFindsWordLists: each way to write a list is found.
func TestFindsWordLists(t *testing.T) {
	t.Parallel()
	const nine = `"a1", "b1", "c1", "d1", "e1", "f1", "g1", "h1", "i1"`
	for _, code := range []string{
		"var x = []string{" + nine + "}",
		"var x = map[string]bool{" + strings.ReplaceAll(nine, ",", ": true,") + ": true}",
		"var x = set(`a1 b1 c1 d1 e1 f1 g1 h1 i1`)",
		`const x = "a1 b1 c1 d1 e1 " + "f1 g1 h1 i1"`,
		"func f(s string) { switch s { case " + nine + ": } }",
		"func f(s string) bool { return g(s, " + nine + ") }",
		"func f(s string) bool { return " + strings.ReplaceAll("s == "+nine, ", ", " || s == ") + " }",
		"func f(s string) bool { return " + strings.ReplaceAll("has(s, "+nine, ", \"", ") || has(s, \"")[len("has(s) || "):] + ") }",
	} {
		f, err := parser.ParseFile(token.NewFileSet(), "", "package p\n"+code, 0)
		if err != nil {
			t.Fatal(code, err)
		}
		if len(listsIn(f)) == 0 {
			t.Errorf("finds nothing in %s", code)
		}
	}
	for _, code := range []string{
		`const x = "a sentence that says more than a few words of what it is"`,
		`func f(s string) bool { return s == "a" || s == "b" }`,
	} {
		f, err := parser.ParseFile(token.NewFileSet(), "", "package p\n"+code, 0)
		if err != nil {
			t.Fatal(code, err)
		}
		if found := listsIn(f); len(found) > 0 {
			t.Errorf("finds %v in %s", found, code)
		}
	}
}

// explanation is a branch on the words of an explanation.
var explanation = regexp.MustCompile(`(?:strings\.\w+\([^()]*\.|switch [\w.]*\.|[\w\])]\.)(?:Why|because|Because|Explanation|Sentence)\b(?:, "|\) \{| [!=]= "[^"])`)

// TestNoBranchOnExplanations: what an explanation says in English decides nothing.
func TestNoBranchOnExplanations(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{`strings.Contains(v.because, "x")`, `e.Why == "x"`, `strings.HasPrefix(u.Why, "x")`} {
		if !explanation.MatchString(bad) {
			t.Errorf("%s is not found", bad)
		}
	}
	eachText(t, func(name, text string) {
		if found := explanation.FindString(text); found != "" && !strings.HasPrefix(name, "wordlist/") {
			t.Errorf("%s branches on an explanation: %s", name, found)
		}
	})
}

// asked is where Go names a list.
var asked = regexp.MustCompile(`wordlist\.\w+\("([^"]+)"`)

// TestEachListIsAsked: each list that Go names is there, and none is left over.
func TestEachListIsAsked(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	eachText(t, func(name, text string) {
		for _, m := range asked.FindAllStringSubmatch(text, -1) {
			used[m[1]] = true
			if lists()[m[1]] == nil {
				t.Errorf("%s asks for %s, which is not there", name, m[1])
			}
			if room, _, _ := strings.Cut(m[1], "."); !strings.HasPrefix(name, room+"/") {
				t.Errorf("%s asks for %s, a list of another room", name, m[1])
			}
		}
	})
	for name, l := range lists() {
		if !used[name] {
			t.Errorf("nobody asks for %s", name)
		}
		if len(l.all) == 0 {
			t.Errorf("%s is empty", name)
		}
	}
}

// TestListsStandOnce: no list stands there twice.
func TestListsStandOnce(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for name, l := range lists() {
		words := strings.Join(slices.Sorted(slices.Values(l.all)), " ")
		if before := seen[words]; before != "" && l.says == nil {
			t.Errorf("%s and %s are the same list", name, before)
		}
		seen[words] = name
	}
}

// found is a list of words in Go.
type found struct {
	pos   token.Pos
	words []string
}

// listsIn are the lists of words of a file.
func listsIn(f *ast.File) (all []found) {
	add := func(pos token.Pos, words []string) {
		if len(words) > most {
			all = append(all, found{pos, words})
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.CaseClause:
			add(n.Pos(), wordsOf(n.List))
		case *ast.CallExpr:
			add(n.Pos(), wordsOf(n.Args))
		case *ast.CompositeLit:
			var elements []ast.Expr
			for _, e := range n.Elts {
				if kv, ok := e.(*ast.KeyValueExpr); ok {
					if name, ok := kv.Value.(*ast.Ident); ok && strings.HasSuffix(strings.ToLower(name.Name), unquoted(kv.Key)) {
						continue // a function by its name
					}
					e = kv.Key
				}
				elements = append(elements, e)
			}
			add(n.Pos(), wordsOf(elements))
		case *ast.BinaryExpr:
			if n.Op == token.ADD {
				if text := joined(n); text != "" {
					add(n.Pos(), listed(text))
					return false
				}
			}
			if n.Op == token.LOR || n.Op == token.LAND {
				for _, words := range compared(n) {
					add(n.Pos(), words)
				}
			}
		case *ast.BasicLit:
			add(n.Pos(), listed(unquoted(n)))
		}
		return true
	})
	return all
}

// wordsOf are the words among expressions.
func wordsOf(all []ast.Expr) (words []string) {
	for _, e := range all {
		if w := unquoted(e); w != "" && !strings.ContainsAny(w, " \n") {
			words = append(words, w)
		}
	}
	return words
}

// compared are the words that each thing is compared with.
func compared(e ast.Expr) map[string][]string {
	all := map[string][]string{}
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if w := unquoted(n.Y); w != "" && (n.Op == token.EQL || n.Op == token.NEQ) {
				all[written(n.X)] = append(all[written(n.X)], w)
			}
		case *ast.CallExpr:
			if len(n.Args) == 2 {
				if w := unquoted(n.Args[1]); w != "" {
					key := written(n.Fun) + " " + written(n.Args[0])
					all[key] = append(all[key], w)
				}
			}
		}
		return true
	})
	return all
}

// written is a simple expression as a text.
func written(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return written(e.X) + "." + e.Sel.Name
	case *ast.CallExpr:
		return written(e.Fun) + "()"
	}
	return "?"
}

// listed are the words of a text that is a list: one with a word that only a sentence has is none.
func listed(text string) []string {
	words := strings.Fields(text)
	if slices.ContainsFunc(words, func(w string) bool {
		return strings.HasPrefix(w, "%") || slices.Contains([]string{"a", "the", "is", "are", "of", "that", "which", "it", "what"}, w)
	}) {
		return nil
	}
	return words
}

func joined(e ast.Expr) string {
	if b, ok := e.(*ast.BinaryExpr); ok && b.Op == token.ADD {
		x, y := joined(b.X), joined(b.Y)
		if x == "" || y == "" {
			return ""
		}
		return x + y
	}
	return unquoted(e)
}

func unquoted(e ast.Expr) string {
	l, ok := e.(*ast.BasicLit)
	if !ok || l.Kind != token.STRING {
		return ""
	}
	s, _ := strconv.Unquote(l.Value)
	return s
}

// eachText are the texts of these files.
func eachText(t *testing.T, do func(name, text string)) {
	t.Helper()
	eachFile(t, func(name string, _ *ast.File, _ func(token.Pos) int) {
		text, err := os.ReadFile(filepath.Join("..", name))
		if err != nil {
			t.Fatal(err)
		}
		do(name, string(text))
	})
}

// eachFile are the files of Go under scoring, without tests.
func eachFile(t *testing.T, do func(name string, f *ast.File, at func(token.Pos) int)) {
	t.Helper()
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, path, nil, 0)
		if err != nil {
			return err
		}
		name, _ := filepath.Rel("..", path)
		do(filepath.ToSlash(name), f, func(p token.Pos) int { return set.Position(p).Line })
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
