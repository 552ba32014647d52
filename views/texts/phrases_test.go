package texts

import (
	"go/ast"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// below are the folders whose refusals and sentences the console says. What the API
// and the command line refuse never reaches it: nothing that it imports is above it.
const below = "../../internal"

var apart = []string{"command", "fault", "httpapi", "storetest", "testdata"}

// makers are the functions of package fault that take a format, and where it is.
var makers = map[string]int{"New": 1, "Member": 2, "Textf": 0}

// makersOfTables are those of package tables of the store, which hand it on.
var makersOfTables = map[string]int{"One": 1}

// folders are the packages below.
func folders(t *testing.T) []string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(below, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if slices.Contains(apart, d.Name()) {
			return filepath.SkipDir
		}
		all = append(all, path)

		return nil
	})
	if err != nil || len(all) < 20 {
		t.Fatalf("%d folders, %v: the test no longer sees the house", len(all), err)
	}

	return all
}

// phrases takes in the formats of a package: those of fault.New, fault.Member and
// fault.Textf, those of functions of the package that hand a format on to them, and
// the details of a fault.Error that is written out.
func (e *extraction) phrases(files []*ast.File) {
	takes := e.handsOn(files)
	for _, f := range files {
		var around []ast.Node
		ast.Inspect(f, func(n ast.Node) bool {
			if n == nil {
				around = around[:len(around)-1]

				return true
			}
			around = append(around, n)
			switch n := n.(type) {
			case *ast.CallExpr:
				if at, ok := formatOf(n, takes); ok && !ofSettings(n) {
					e.format(n, n.Args[at], around)
				}
			case *ast.CompositeLit:
				e.written(n)
			}

			return true
		})
	}
}

// format takes in one.
func (e *extraction) format(c *ast.CallExpr, x ast.Expr, around []ast.Node) {
	text, ok := e.text(x)
	if !ok {
		name, isName := x.(*ast.Ident)
		if !isName || !slices.ContainsFunc(around, func(n ast.Node) bool { p, at := formatParameter(n); return at >= 0 && p == name.Name }) {
			e.t.Errorf("%s: the format is no literal, so no language has it", e.set.Position(x.Pos()))
		}

		return
	}
	n := len(verbs(text))
	if c.Ellipsis == 0 && strings.Contains(text, "%") && n == 0 {
		e.t.Errorf("%s: %q has a percent sign and no argument", e.set.Position(x.Pos()), text)
	}
	if n > 1 || speaks(strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == ' ' }), " ")) && text != "%s" && text != "%v" {
		e.add(x, text)
	}
}

// written takes in the detail of fault.Error{…}.
func (e *extraction) written(l *ast.CompositeLit) {
	if s, ok := l.Type.(*ast.SelectorExpr); !ok || s.Sel.Name != "Error" || !isFault(s.X) {
		return
	}
	for _, x := range l.Elts {
		member, ok := x.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		switch name := member.Key.(*ast.Ident).Name; {
		case name == "Code" && isSetting(member.Value):
			return
		case name == "Detail":
			if text, ok := e.text(member.Value); ok {
				e.add(member, text)
			} else {
				e.t.Errorf("%s: the detail is no literal, so no language has it", e.set.Position(x.Pos()))
			}
		}
	}
}

// handsOn finds the functions of a package that hand a format on, with its place.
func (e *extraction) handsOn(files []*ast.File) map[string]int {
	takes := map[string]int{}
	for {
		before := len(takes)
		for _, f := range files {
			ast.Inspect(f, func(n ast.Node) bool {
				name, body := named(n)
				format, at := formatParameter(body)
				if at < 0 || name == "" {
					return true
				}
				ast.Inspect(body, func(n ast.Node) bool {
					if c, ok := n.(*ast.CallExpr); ok {
						if i, ok := formatOf(c, takes); ok {
							if x, ok := c.Args[i].(*ast.Ident); ok && x.Name == format {
								takes[name] = at
							}
						}
					}

					return true
				})

				return true
			})
		}
		if len(takes) == before {
			return takes
		}
	}
}

// named is a function that has a name: a declaration, of a method with a period before
// it, or a variable.
func named(n ast.Node) (string, ast.Node) {
	switch n := n.(type) {
	case *ast.FuncDecl:
		if n.Recv != nil {
			return "." + n.Name.Name, n
		}

		return n.Name.Name, n
	case *ast.AssignStmt:
		if name, ok := n.Lhs[0].(*ast.Ident); ok {
			if f, ok := n.Rhs[0].(*ast.FuncLit); ok {
				return name.Name, f
			}
		}
	}

	return "", nil
}

// formatParameter is the parameter of a function that is called format, or stands
// before ...any, and its place; -1 where it has none.
func formatParameter(n ast.Node) (string, int) {
	var t *ast.FuncType
	switch n := n.(type) {
	case *ast.FuncDecl:
		t = n.Type
	case *ast.FuncLit:
		t = n.Type
	default:
		return "", -1
	}
	var names []string
	variadic := false
	for _, p := range t.Params.List {
		for _, name := range p.Names {
			names = append(names, name.Name)
		}
		_, variadic = p.Type.(*ast.Ellipsis)
	}
	if at := slices.Index(names, "format"); at >= 0 {
		return "format", at
	}
	if !variadic || len(names) < 2 {
		return "", -1
	}

	return names[len(names)-2], len(names) - 2
}

// formatOf is where a call has its format.
func formatOf(c *ast.CallExpr, takes map[string]int) (int, bool) {
	f := c.Fun
	if generic, ok := f.(*ast.IndexExpr); ok {
		f = generic.X
	}
	at, ok := 0, false
	switch f := f.(type) {
	case *ast.Ident:
		at, ok = takes[f.Name]
	case *ast.SelectorExpr:
		if isFault(f.X) {
			at, ok = makers[f.Sel.Name]
		} else if x, is := f.X.(*ast.Ident); is && x.Name == "tables" {
			at, ok = makersOfTables[f.Sel.Name]
		} else {
			at, ok = takes["."+f.Sel.Name]
		}
	}

	return at, ok && at < len(c.Args)
}

// ofSettings tells what only somebody who starts a server can meet, on the command
// line.
func ofSettings(c *ast.CallExpr) bool { return len(c.Args) > 0 && isSetting(c.Args[0]) }

func isSetting(x ast.Expr) bool {
	s, ok := x.(*ast.SelectorExpr)

	return ok && isFault(s.X) && s.Sel.Name == "InvalidSetting"
}

func isFault(x ast.Expr) bool {
	name, ok := x.(*ast.Ident)

	return ok && name.Name == "fault"
}

// TestFormatsAreFound tries the search on what it must find, and on what is not there
// to be found.
func TestFormatsAreFound(t *testing.T) {
	t.Parallel()
	found, wrong := phrasesOf(t, `package a

func refuse(field, problem string, args ...any) error { return fault.Member(fault.InvalidForm, field, problem, args...) }

func a(p problems, said string) {
	p.add("x", "added %d", 1)
	_ = fault.New(fault.Missing, "new")
	_ = fault.New(fault.InvalidSetting, "setting")
	_ = fault.Member(fault.Missing, "m", "member %s", fault.Textf("a text"))
	_ = refuse("f", "handed on")
	_ = one[row](db, "generic")
	_ = &fault.Error{Code: fault.NotReady, Detail: "written " + "out"}
	_ = fault.New(fault.Missing, "%s", said)
	_ = fault.New(fault.Missing, "%s: %s", said, said)
	within := func(what string, args ...any) { _ = refuse("f", what, args...) }
	within("in a variable")
	_ = with(said, "%s with a part", said)
	_ = fault.New(fault.Missing, said)
	_ = fault.New(fault.Missing, "new " + said)
}

func (p *problems) add(member, format string, args ...any) { *p = append(*p, fault.Textf(format, args...)) }

func with(s fault.Text, format string, part any) fault.Text { return fault.Textf(format, s, part) }

func one[T any](q DB, none string, args ...any) error { return fault.New(fault.Missing, none, args...) }
`)
	if want := []string{"%s with a part", "%s: %s", "a text", "added %d", "generic", "handed on", "in a variable", "member %s", "new", "written out"}; !slices.Equal(found, want) {
		t.Errorf("found %q, want %q", found, want)
	}
	if len(wrong) != 2 {
		t.Errorf("complained %q, want two that are no literals", wrong)
	}
}

func phrasesOf(t *testing.T, source string) (found []string, wrong kept) {
	t.Helper()
	e := newExtraction(&wrong, map[string]string{})
	e.phrases([]*ast.File{e.parse("a.go", source)})

	return slices.Sorted(maps.Keys(e.keys)), wrong
}
