package texts

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// rooms are the folders whose Go files say texts, besides those of the views.
func rooms(t *testing.T) []string {
	t.Helper()
	inside, err := filepath.Glob("../../internal/console/*/doc.go")
	if err != nil || len(inside) == 0 {
		t.Fatal(inside, err)
	}
	all := []string{"../scripts", "../../internal/console", "../../internal/notices"}
	for _, name := range inside {
		all = append(all, filepath.Dir(name))
	}

	return all
}

// views are the folders with views: each has a file of templates.
func views(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("../*/*.templ")
	if err != nil {
		t.Fatal(err)
	}
	all := []string{".."}
	for _, name := range files {
		if folder := filepath.Dir(name); !slices.Contains(all, folder) {
			all = append(all, folder)
		}
	}
	if len(all) < 5 {
		t.Fatalf("%q: the test no longer sees the views", all)
	}

	return all
}

// calls are the functions that take a key, and where among their arguments it is.
// [Say] with the context, and the conversion to a Key, are told from the methods of
// these names by what stands in front of them.
var calls = map[string]int{"Say": 0, "Pieces": 0, "SentenceWith": 0, "Sentence": 1}

// used finds the keys that the rooms use, and where each of them is used first.
func used(t *testing.T) map[string]string {
	t.Helper()
	keys := map[string]string{}
	for _, room := range append(views(t), rooms(t)...) {
		e := newExtraction(t, keys)
		files := e.files(t, room)
		if len(files) == 0 {
			t.Fatalf("%s: the test no longer sees it", room)
		}
		for _, f := range files {
			ast.Inspect(f, e.visit)
		}
	}
	for _, folder := range folders(t) {
		e := newExtraction(t, keys)
		e.phrases(e.files(t, folder))
	}
	library(t, keys)

	return keys
}

func newExtraction(t complaints, keys map[string]string) *extraction {
	return &extraction{t: t, set: token.NewFileSet(), keys: keys, constants: map[string]string{}}
}

// files reads a package without its tests.
func (e *extraction) files(t *testing.T, folder string) []*ast.File {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var parsed []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		parsed = append(parsed, e.parse(name, string(source)))
	}

	return parsed
}

// parse reads a file, and its text constants.
func (e *extraction) parse(name, source string) *ast.File {
	f, err := parser.ParseFile(e.set, name, source, parser.SkipObjectResolution)
	if err != nil {
		e.t.Errorf("%v", err)

		return f
	}
	e.collect(f)

	return f
}

// extraction is the search of one package.
type extraction struct {
	t         complaints
	set       *token.FileSet
	keys      map[string]string
	constants map[string]string
}

// collect takes in the text constants of a file.
func (e *extraction) collect(f *ast.File) {
	ast.Inspect(f, func(n ast.Node) bool {
		if d, ok := n.(*ast.GenDecl); ok && d.Tok == token.CONST {
			for _, s := range d.Specs {
				v := s.(*ast.ValueSpec)
				for i, value := range v.Values {
					if text, ok := e.text(value); ok {
						e.constants[v.Names[i].Name] = text
						if isKey(v.Type) {
							e.add(value, text)
						}
					}
				}
			}
		}

		return true
	})
}

func (e *extraction) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.CallExpr:
		e.call(n)
	case *ast.CompositeLit:
		e.table(n)
	case *ast.FuncDecl:
		if n.Type.Results != nil && len(n.Type.Results.List) == 1 && isKey(n.Type.Results.List[0].Type) {
			e.results(n.Body)
		}
	}

	return true
}

func (e *extraction) call(c *ast.CallExpr) {
	name, at, known := "", 0, false
	switch f := c.Fun.(type) {
	case *ast.Ident:
		name = f.Name
		at, known = calls[name]
	case *ast.SelectorExpr:
		name = f.Sel.Name
		at, known = calls[name]
		if x, ok := f.X.(*ast.Ident); ok && x.Name == "texts" {
			switch name {
			case "Say":
				at = 1
			case "Key":
				known = true
			}
		}
	}
	if !known || len(c.Args) <= at {
		return
	}
	text, ok := e.text(c.Args[at])
	if !ok {
		if name == "Say" { // the others take a Key
			e.t.Errorf("%s: the key is no text that can be read here: say a literal, or a Key with Printer.Key", e.set.Position(c.Pos()))
		}

		return
	}
	e.add(c, text)
	if args := len(c.Args) - at - 1; (name == "Say" || name == "Pieces") && c.Ellipsis == token.NoPos && args != len(verbs(text)) && (args > 0 || strings.Contains(text, "%s") || strings.Contains(text, "%d")) {
		e.t.Errorf("%s: %q has %d verbs and gets %d arguments", e.set.Position(c.Pos()), text, len(verbs(text)), args)
	}
}

// table takes in the texts of []Key{…} and map[…]Key{…}.
func (e *extraction) table(l *ast.CompositeLit) {
	var value ast.Expr
	switch t := l.Type.(type) {
	case *ast.ArrayType:
		value = t.Elt
	case *ast.MapType:
		value = t.Value
	}
	if !isKey(value) {
		return
	}
	for _, x := range l.Elts {
		if kv, ok := x.(*ast.KeyValueExpr); ok {
			x = kv.Value
		}
		if text, ok := e.text(x); ok && text != "" {
			e.add(x, text)
		}
	}
}

// results takes in what a function returns that returns a Key.
func (e *extraction) results(body *ast.BlockStmt) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			if len(n.Results) == 1 {
				if text, ok := e.text(n.Results[0]); ok && text != "" {
					e.add(n, text)
				}
			}
		}

		return true
	})
}

func (e *extraction) add(n ast.Node, text string) {
	if _, ok := e.keys[text]; !ok {
		e.keys[text] = e.set.Position(n.Pos()).String()
	}
}

// text is the value of an expression that is a text in the source.
func (e *extraction) text(x ast.Expr) (string, bool) {
	switch x := x.(type) {
	case *ast.BasicLit:
		s, err := strconv.Unquote(x.Value)

		return s, x.Kind == token.STRING && err == nil
	case *ast.Ident:
		s, ok := e.constants[x.Name]

		return s, ok
	case *ast.ParenExpr:
		return e.text(x.X)
	case *ast.BinaryExpr:
		left, ok := e.text(x.X)
		right, both := e.text(x.Y)

		return left + right, ok && both && x.Op == token.ADD
	}

	return "", false
}

func isKey(x ast.Expr) bool {
	s, ok := x.(*ast.SelectorExpr)
	if !ok || s.Sel.Name != "Key" {
		return false
	}
	in, ok := s.X.(*ast.Ident)

	return ok && in.Name == "texts"
}
