package internal_test

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/countersign/countersign/internal/store/postgrestest"
)

// withoutControl is the environment variable that names the control that a test
// binary runs without, by its place in the list.
const withoutControl = "COUNTERSIGN_WITHOUT_CONTROL"

// TestControlsAreNeeded takes each control out, and wants its test to fail.
//
// A function that holds a control is given a second body, that without the control,
// and a switch: so each package is built once for all of its controls. A control that
// stands in no function (a constant, a query) is built by itself.
func TestControlsAreNeeded(t *testing.T) {
	if !*removeControls {
		t.Log("run make controls for this: it builds every control's tests without it")
		return
	}
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	list := controls(t)
	bin := t.TempDir()
	sources, alone := switchable(t, root, list)
	var packages []string
	for i, c := range list {
		if pkg, _ := c.test(); !alone[i] && !slices.Contains(packages, pkg) {
			packages = append(packages, pkg)
		}
	}
	// Without what only a debugger reads, as go test builds what it runs itself.
	build := exec.CommandContext(t.Context(), "go", append([]string{"test", "-c", "-vet", "off", "-ldflags", "-s -w", "-overlay", overlay(t, sources), "-o", bin + "/"}, packages...)...)
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}

	shared := append(os.Environ(), postgrestest.Shared(t)...)
	wrong := make([]string, len(list))
	places := make(chan struct{}, 2)
	var all sync.WaitGroup
	for i, c := range list {
		all.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			pkg, name := c.test()
			dir := filepath.Join(root, pkg)
			cmd := exec.CommandContext(t.Context(), filepath.Join(bin, filepath.Base(dir)+".test"), "-test.timeout", "5m", "-test.run", exactly(name))
			cmd.Dir = dir
			if alone[i] {
				cmd = exec.CommandContext(t.Context(), "go", "test", "-overlay", overlay(t, weakened(t, root, c)), "-count", "1", "-vet", "off", "-timeout", "5m", "-run", exactly(name), pkg)
				cmd.Dir, cmd.Env = root, os.Environ() // the control may be one of the schema
			} else {
				cmd.Env = append(slices.Clip(shared), withoutControl+"="+strconv.Itoa(i))
			}
			wrong[i] = mustFail(cmd, name)
			if wrong[i] == "" {
				t.Logf("%s: without it %s fails", c.Control, name)
			}
		})
	}
	all.Wait()
	// What is wrong stands together behind the long list of what is right.
	for i, c := range list {
		if wrong[i] != "" {
			t.Errorf("%s\n%s without %q: %s", c.Control, c.File, c.Remove, wrong[i])
		}
	}
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

// weakened is the file of a control without it, by its path.
func weakened(t *testing.T, root string, c control) map[string]string {
	t.Helper()
	path := filepath.Join(root, c.File)
	code, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]string{path: strings.Replace(string(code), c.Remove, c.With, 1)}
}

// switchable is every file that holds controls, with a switch for each; and which
// controls stand in no function.
func switchable(t *testing.T, root string, list []control) (sources map[string]string, alone []bool) {
	t.Helper()
	sources, alone = map[string]string{}, make([]bool, len(list))
	held := map[string][]int{}
	for i, c := range list {
		path := filepath.Join(root, c.File)
		held[path] = append(held[path], i)
	}
	for path, here := range held {
		code, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if filepath.Ext(path) != ".go" { // a trigger of the database, say
			for _, i := range here {
				alone[i] = true
			}
			continue
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, path, code, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		bodies := map[int]string{} // what goes in front of a function's statements, by where they begin
		for _, i := range here {
			from, to, returns := around(file, fset, strings.Index(string(code), list[i].Remove), len(list[i].Remove))
			if alone[i] = to == 0; alone[i] {
				continue
			}
			weak := strings.Replace(string(code[from:to]), list[i].Remove, list[i].With, 1)
			if !returns {
				weak += "\nreturn\n"
			}
			bodies[from] += fmt.Sprintf("\nif withoutControl == %q {%s}\n", strconv.Itoa(i), weak)
		}
		var out strings.Builder
		for at := range code {
			out.WriteString(bodies[at])
			out.WriteByte(code[at])
		}
		sources[path] = out.String()
		sources[filepath.Join(filepath.Dir(path), "without_control.go")] = fmt.Sprintf("package %s\n\nimport \"os\"\n\nvar withoutControl = os.Getenv(%q)\n", file.Name.Name, withoutControl)
	}
	return sources, alone
}

// around is where the statements of the function around a stretch of a file begin and
// end, and whether it has results; nothing where no function is around it.
func around(file *ast.File, fset *token.FileSet, at, size int) (from, to int, returns bool) {
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Body == nil {
			continue
		}
		from, to := fset.Position(f.Body.Lbrace).Offset+1, fset.Position(f.Body.Rbrace).Offset
		if from <= at && at+size <= to {
			return from, to, f.Type.Results.NumFields() > 0
		}
	}
	return 0, 0, false
}

// overlay writes sources to files of their own, and is the path of what tells go to
// read them instead.
func overlay(t *testing.T, sources map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	replace := map[string]string{}
	for path, code := range sources {
		replace[path] = filepath.Join(dir, strconv.Itoa(len(replace))+".go")
		if err := os.WriteFile(replace[path], []byte(code), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	list, err := json.Marshal(map[string]map[string]string{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(path, list, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
