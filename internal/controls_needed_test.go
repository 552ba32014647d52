package internal_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/countersign/countersign/internal/store/postgrestest"
	"github.com/countersign/countersign/internal/store/sqlitetest"
)

// withoutControl is the environment variable that names the control that a test
// binary runs without.
const withoutControl = "COUNTERSIGN_WITHOUT_CONTROL"

// TestControlsAreNeeded takes each control out, and wants its test to fail.
//
// A function that holds a control is given a second body, that without the control,
// and a switch: so each package is built once for all of its controls. All switches are
// there whatever is chosen, so that the next run finds the packages built.
func TestControlsAreNeeded(t *testing.T) {
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	list := controls(t)
	switch {
	case *writeSwitches != "":
		overlay(t, *writeSwitches, switches(t, root, list))
		return
	case !*removeControls:
		t.Log("run make controls for this: it builds every control's tests without it")
		return
	}
	chosen := inTurn(t, root, list)
	var packages []string
	for _, c := range chosen {
		if pkg, _ := c.test(); !slices.Contains(packages, pkg) {
			packages = append(packages, pkg)
		}
	}
	bin := buildTests(t, root, "controls", packages, withSwitches(t, root)...)
	// Of what a test does more of in the long run, a part is enough to fail.
	own := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, testAll+"=") })
	shared := slices.Concat(own, postgrestest.Shared(t), sqlitetest.Shared(t))
	eachOf(t, "controls", len(chosen), func(i int) (string, time.Duration, string) {
		c := chosen[i]
		pkg, name := c.test()
		dir := filepath.Join(root, pkg)
		cmd := exec.CommandContext(t.Context(), filepath.Join(bin, filepath.Base(dir)+".test"), "-test.timeout", "5m", "-test.failfast", "-test.run", exactly(name))
		env := shared
		if filepath.Ext(c.File) != ".go" { // a control of the schema, which the shared databases have
			env = own
		}
		cmd.Dir, cmd.Env = dir, append(slices.Clip(env), withoutControl+"="+c.id())
		wrong := mustFail(cmd, name)
		if wrong != "" {
			wrong = fmt.Sprintf("%s\n%s without %q: %s", c.Control, c.File, c.Remove, wrong)
		}
		return c.Test + ": " + c.Control, used(cmd), wrong
	})
}

// name is what tells a control from the others.
func (c control) name() string { return c.File + " " + c.Control }

// id names the switch of a control.
func (c control) id() string {
	return fmt.Sprintf("%x", sha256.Sum256([]byte(c.File+"\x00"+c.Remove+"\x00"+c.With)))[:12]
}

// inTurn are the controls that run: those that changed, and those whose turn it is.
func inTurn(t *testing.T, root string, list []control) (chosen []control) {
	t.Helper()
	h, why := readHistory(root)
	if h == nil {
		t.Logf("all %d controls: %s", len(list), why)
		return list
	}
	var before []control
	if text, err := h.git("show", h.base+":"+controlsFile); err != nil || yaml.Unmarshal([]byte(text), &before) != nil {
		t.Logf("%s of %s is not read, so all controls count as changed", controlsFile, h.base)
	}
	news := 0
	for _, c := range list {
		isNew := !slices.ContainsFunc(before, c.sameTrial) || changed(t, h, c)
		if isNew {
			news++
		}
		if isNew || waitsFor(c.name()) == turnOf(h.commits) {
			chosen = append(chosen, c)
		}
	}
	t.Logf("%d of %d controls: %d changed since %s, %d commits ago, and %d in turn", len(chosen), len(list), news, h.base, recent, len(chosen)-news)
	return chosen
}

// sameTrial says whether another control is taken out in the same way, and held by the same test,
// wherever the two stand.
func (c control) sameTrial(b control) bool {
	_, test := c.test()
	_, before := b.test()
	return plain(b.Remove) == plain(c.Remove) && plain(b.With) == plain(c.With) && test == before
}

// changed says whether the function around a control, or its test, is another than at the base.
func changed(t *testing.T, h *history, c control) bool {
	t.Helper()
	path := filepath.Join(h.root, c.File)
	code, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	held := []string{string(code)}
	if filepath.Ext(path) == ".go" {
		at := strings.Index(string(code), c.Remove)
		held = nil
		for _, d := range declarations(t, path) {
			if d.from < at+len(c.Remove) && at < d.to {
				held = append(held, d.text)
			}
		}
	}
	if slices.ContainsFunc(held, func(text string) bool { return !h.stood(filepath.Ext(path), text) }) {
		return true
	}
	pkg, name := c.test()
	return slices.ContainsFunc(testsOf(t, h.root, pkg, name), func(text string) bool { return !h.stood(".go", text) })
}

// testsOf are the functions of a test: its own, and that of its part where the part stands in
// the suite of the databases.
func testsOf(t *testing.T, root, pkg, name string) []string {
	t.Helper()
	top, part, _ := strings.Cut(name, "/")
	dir := filepath.Clean(pkg)
	found := functions(t, filepath.Join(root, dir), top)
	if part != "" && dir == "internal/store" {
		found = append(found, functions(t, filepath.Join(root, dir, "storetest"), "test"+part)...)
	}
	return found
}

// mustFail runs a test that has to fail; it returns what is wrong.
func mustFail(cmd *exec.Cmd, name string) string {
	out, err := cmd.CombinedOutput()
	top, _, _ := strings.Cut(name, "/")
	switch {
	case err == nil:
		return "the test passes"
	case !strings.Contains(string(out), "--- FAIL: "+top):
		return fmt.Sprintf("the test did not run (%v): %s", err, out[max(0, len(out)-1500):])
	}
	return ""
}

// exactly is the pattern for one test, or one part of it.
func exactly(name string) string {
	parts := strings.Split(name, "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	return strings.Join(parts, "/")
}

// switches is every file that holds controls, with a switch for each.
func switches(t *testing.T, root string, list []control) (sources map[string]string) {
	t.Helper()
	sources = map[string]string{}
	held := map[string][]control{}
	for _, c := range list {
		path := filepath.Join(root, c.File)
		held[path] = append(held[path], c)
	}
	for path, here := range held {
		code, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		dir := filepath.Dir(path)
		if filepath.Base(dir) == "migrations" {
			sources[filepath.Join(dir, "embed.go")] = migrationsWithout(here)
			continue
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, path, code, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		bodies := map[int]string{} // what goes in front of a function's statements, by where they begin
		for _, c := range here {
			from, to, returns := around(file, fset, strings.Index(string(code), c.Remove), len(c.Remove))
			if to == 0 {
				t.Fatalf("%s\n%s: %q stands in no function, which is needed to take it out", c.Control, c.File, c.Remove)
			}
			weak := strings.Replace(string(code[from:to]), c.Remove, c.With, 1)
			if !returns {
				weak += "\nreturn\n"
			}
			bodies[from] += fmt.Sprintf("\nif withoutControl == %q {%s}\n", c.id(), weak)
		}
		var out strings.Builder
		for at := range code {
			out.WriteString(bodies[at])
			out.WriteByte(code[at])
		}
		sources[path] = out.String()
		sources[filepath.Join(dir, "without_control.go")] = fmt.Sprintf("package %s\n\nimport \"os\"\n\nvar withoutControl = os.Getenv(%q)\n", file.Name.Name, withoutControl)
	}
	return sources
}

// migrationsWithout is the package of the migrations, which gives a file without its
// control to the test of that control.
func migrationsWithout(list []control) string {
	var weaken strings.Builder
	for _, c := range list {
		fmt.Fprintf(&weaken, "if name == %q && os.Getenv(%q) == %q { b = bytes.Replace(b, []byte(%q), []byte(%q), 1) }\n",
			filepath.Base(c.File), withoutControl, c.id(), c.Remove, c.With)
	}
	return `package migrations

import ("bytes"; "embed"; "io/fs"; "os"; "testing/fstest")

//go:embed *.sql
var whole embed.FS

var Files fs.FS = func() fstest.MapFS {
	all := fstest.MapFS{}
	names, _ := fs.Glob(whole, "*")
	for _, name := range names {
		b, _ := whole.ReadFile(name)
		` + weaken.String() + `
		all[name] = &fstest.MapFile{Data: b}
	}
	return all
}()
`
}

// around is where the statements of the function around a stretch of a file begin and
// end, and whether it has results; nothing where no function is around it.
func around(file *ast.File, fset *token.FileSet, at, size int) (from, to int, returns bool) {
	ast.Inspect(file, func(n ast.Node) bool {
		var body *ast.BlockStmt
		var of *ast.FuncType
		switch f := n.(type) {
		case *ast.FuncDecl:
			body, of = f.Body, f.Type
		case *ast.FuncLit:
			body, of = f.Body, f.Type
		}
		if body == nil || to != 0 {
			return to == 0
		}
		begins, ends := fset.Position(body.Lbrace).Offset+1, fset.Position(body.Rbrace).Offset
		if begins <= at && at+size <= ends {
			from, to, returns = begins, ends, of.Results.NumFields() > 0
		}
		return to == 0
	})
	return from, to, returns
}

// withSwitches are the flags of go that build as make test does: with a switch for each control.
func withSwitches(t *testing.T, root string) []string {
	t.Helper()
	return []string{"-overlay", overlay(t, t.TempDir(), switches(t, root, controls(t)))}
}

// overlay writes sources to files of their own in a folder, and is the path of what tells go to
// read them instead. Go knows a file that it built by its text, so the folder may be new.
func overlay(t *testing.T, dir string, sources map[string]string) string {
	t.Helper()
	replace := map[string]string{}
	for i, path := range slices.Sorted(maps.Keys(sources)) {
		replace[path] = filepath.Join(dir, fmt.Sprintf("%d.go", i))
		if err := os.WriteFile(replace[path], []byte(sources[path]), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var list bytes.Buffer
	if err := json.NewEncoder(&list).Encode(map[string]map[string]string{"Replace": replace}); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(path, list.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
