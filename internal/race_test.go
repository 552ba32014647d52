package internal_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
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
	found := map[string]string{}
	for path, file := range sources(t, false, parser.SkipObjectResolution) {
		dir := "./" + filepath.ToSlash(filepath.Dir(path))
		forTests := strings.HasSuffix(dir, "test") || dir == "./internal/long"
		if why := shares(file); why != "" && !forTests {
			found[dir] = path + " has " + why
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

// TestNoFuzzTestLinksSQLite: go compiles all that a fuzz test links once more, for its coverage,
// and SQLite takes minutes. What stands in such a package is a property (package near).
func TestNoFuzzTestLinksSQLite(t *testing.T) {
	t.Parallel()
	imports := map[string][]string{}
	for path, file := range sources(t, true, parser.ImportsOnly) {
		dir := module + filepath.ToSlash(filepath.Dir(path))
		if strings.HasSuffix(path, "_test.go") {
			dir += " with its tests"
		}
		for _, spec := range file.Imports {
			imports[dir] = append(imports[dir], strings.Trim(spec.Path.Value, `"`))
		}
	}
	var links func(pkg string, seen map[string]bool) bool
	links = func(pkg string, seen map[string]bool) bool {
		if seen[pkg] {
			return false
		}
		seen[pkg] = true
		return strings.HasPrefix(pkg, "modernc.org/sqlite") || slices.ContainsFunc(imports[pkg], func(p string) bool { return links(p, seen) })
	}
	targets := findFuzzTargets(t, "..")
	if len(targets) < 20 || !links(module+"cmd/server", map[string]bool{}) {
		t.Fatalf("%d fuzz tests: the test no longer sees them", len(targets))
	}
	for _, f := range targets {
		if seen := map[string]bool{}; links(module+f.dir, seen) || links(module+f.dir+" with its tests", seen) {
			t.Errorf("%s in %s compiles SQLite once more; make it a property", f.name, f.dir)
		}
	}
}

// sources are the project's Go files by their paths, with their tests or without.
func sources(t *testing.T, tests bool, mode parser.Mode) map[string]*ast.File {
	t.Helper()
	all := map[string]*ast.File{}
	for _, top := range []string{"cmd", "examples", "grant", "internal", "views", "web", "migrations"} {
		err := filepath.WalkDir(filepath.Join("..", top), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_templ.go") || strings.HasSuffix(path, "_test.go") && !tests {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, mode)
			all[strings.TrimPrefix(filepath.ToSlash(path), "../")] = file
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}
