package internal_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestRaceListIsWhole holds the packages that the Makefile runs under the race detector: they
// are those whose code starts goroutines or has something for several of them, and no others.
func TestRaceListIsWhole(t *testing.T) {
	t.Parallel()
	makefile, err := os.ReadFile("../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`(?m)^RACE := (.*)$`).FindSubmatch(makefile)
	if line == nil {
		t.Fatal("the Makefile has no line RACE := …")
	}
	listed := strings.Fields(string(line[1]))
	found, code := map[string]string{}, map[string]bool{}
	for path, file := range sources(t) {
		dir := "./" + filepath.ToSlash(filepath.Dir(path))
		code[dir] = true
		forTests := strings.HasSuffix(dir, "test") || dir == "./internal/long"
		if why := shares(file); why != "" && !forTests {
			found[dir] = path + " has " + why
		}
	}
	for dir, why := range maps.Clone(found) {
		tests, err := filepath.Glob(filepath.Join("..", dir, "*", "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range tests {
			if room := dir + "/" + filepath.Base(filepath.Dir(path)); !code[room] { // tests of that package, and nothing else
				found[room] = why
			}
		}
	}
	for dir, why := range found {
		if !slices.Contains(listed, dir) {
			t.Errorf("%s: %s; put the package into RACE", dir, why)
		}
	}
	for _, dir := range listed {
		if found[dir] == "" {
			t.Errorf("%s is in RACE, and nothing in it can race", dir)
		}
	}
}

// shares is what a file has that goroutines race for; nothing where it has none. What is
// computed once and only read then (sync.OnceValue and its like) is no such thing.
func shares(file *ast.File) (what string) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			what = "a go statement"
		case *ast.ChanType:
			what = "a channel"
		case *ast.SelectorExpr:
			pkg, ok := n.X.(*ast.Ident)
			switch {
			case ok && pkg.Name == "atomic":
				what = "an atomic"
			case ok && pkg.Name == "sync" && !strings.HasPrefix(n.Sel.Name, "Once"):
				what = "a sync." + n.Sel.Name
			}
		}
		return what == ""
	})
	return what
}

// sources are the project's Go files by their paths, without tests and generated ones.
func sources(t *testing.T) map[string]*ast.File {
	t.Helper()
	all := map[string]*ast.File{}
	for _, top := range []string{"client", "cmd", "examples", "grant", "internal", "views", "web", "migrations"} {
		err := filepath.WalkDir(filepath.Join("..", top), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_templ.go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			all[strings.TrimPrefix(filepath.ToSlash(path), "../")] = file
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}
