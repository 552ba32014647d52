package internal_test

import (
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"gopkg.in/yaml.v3"
)

var (
	removeControls = flag.Bool("remove-controls", false, "remove each control of docs/security/controls.yaml in turn, and want its test to fail")
	updateControls = flag.Bool("update-controls", false, "write docs/security/controls.md")
)

// control is one answer to a threat: where it stands, how it is taken away, and
// the test that must fail then.
type control struct {
	Threat  string `yaml:"threat"`
	Control string `yaml:"control"`
	File    string `yaml:"file"`
	Remove  string `yaml:"remove"` // stands there exactly once
	With    string `yaml:"with"`   // what stands there without the control
	Test    string `yaml:"test"`   // package and name of the test
}

// test splits Test.
func (c control) test() (pkg, name string) {
	pkg, name, _ = strings.Cut(c.Test, " ")
	return pkg, name
}

const (
	controlsFile = "docs/security/controls.yaml"
	controlsPage = "docs/security/controls.md"
)

func controls(t *testing.T) []control {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", controlsFile))
	if err != nil {
		t.Fatal(err)
	}
	var all []control
	d := yaml.NewDecoder(strings.NewReader(string(b)))
	d.KnownFields(true)
	if err := d.Decode(&all); err != nil {
		t.Fatal(err)
	}
	return all
}

// TestControls holds the list of controls against the code: each stands where the
// list says, its test exists, and the page for readers says the same.
func TestControls(t *testing.T) {
	t.Parallel()
	all := controls(t)
	for _, c := range all {
		code, err := os.ReadFile(filepath.Join("..", c.File))
		if err != nil {
			t.Errorf("%s: %v", c.Control, err)
			continue
		}
		if n := strings.Count(string(code), c.Remove); c.Remove == "" || n != 1 {
			t.Errorf("%s: %q stands %d times in %s, want once", c.Control, c.Remove, n, c.File)
		}
		pkg, name := c.test()
		top, _, _ := strings.Cut(name, "/")
		if !hasTest(t, filepath.Join("..", pkg), top) {
			t.Errorf("%s: there is no test %s in %s", c.Control, top, pkg)
		}
	}
	page := controlsPageOf(all)
	path := filepath.Join("..", controlsPage)
	if *updateControls {
		if err := os.WriteFile(path, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != page {
		t.Errorf("%s is not what %s says (%v); run go test ./internal -run TestControls -update-controls", controlsPage, controlsFile, err)
	}
}

func hasTest(t *testing.T, dir, name string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	declared := regexp.MustCompile(`(?m)^func ` + regexp.QuoteMeta(name) + `\(t \*testing\.T\)`)
	for _, f := range files {
		if b, err := os.ReadFile(f); err == nil && declared.Match(b) {
			return true
		}
	}
	return false
}

// controlsPageOf is the list as a page.
func controlsPageOf(all []control) string {
	var b strings.Builder
	b.WriteString(`# Controls, and the test that fails without each

Written from controls.yaml by the test that holds it against the code (` + "`go test ./internal -run TestControls -update-controls`" + `).
` + "`make controls`" + ` takes each control out of the code in turn, in an overlay, and fails if its test passes without it.
`)
	threat := ""
	for _, c := range all {
		if c.Threat != threat {
			threat = c.Threat
			b.WriteString("\n## " + threat + "\n\n| Control | Stands in | Test |\n|---|---|---|\n")
		}
		pkg, name := c.test()
		b.WriteString("| " + c.Control + " | `" + c.File + "` | `" + name + "` in `" + strings.TrimPrefix(pkg, "./") + "` |\n")
	}
	return b.String()
}

// TestControlsAreNeeded takes each control out, and wants its test to fail.
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
	wrong := make([]string, len(list))
	places := make(chan struct{}, 2)
	var all sync.WaitGroup
	for i, c := range list {
		all.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			wrong[i] = without(t, root, c)
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

// without runs the test of a control without it; it returns what is wrong.
func without(t *testing.T, root string, c control) string {
	dir, path := t.TempDir(), filepath.Join(root, c.File)
	code, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	weak, overlay := filepath.Join(dir, filepath.Base(c.File)), filepath.Join(dir, "overlay.json")
	replaced, err := json.Marshal(map[string]map[string]string{"Replace": {path: weak}})
	if err != nil {
		return err.Error()
	}
	for file, content := range map[string][]byte{weak: []byte(strings.Replace(string(code), c.Remove, c.With, 1)), overlay: replaced} {
		if err := os.WriteFile(file, content, 0o600); err != nil {
			return err.Error()
		}
	}
	pkg, name := c.test()
	parts := strings.Split(name, "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	// Not optimised: the compiler takes longer than the test.
	cmd := exec.CommandContext(t.Context(), "go", "test", "-gcflags=-N -l", "-overlay", overlay, "-count", "1", "-vet", "off", "-timeout", "5m", "-run", strings.Join(parts, "/"), pkg)
	cmd.Dir = root
	out, err := cmd.CombinedOutput()
	switch {
	case err == nil:
		return "the test passes"
	case !strings.Contains(string(out), "--- FAIL: "+topOf(name)):
		return "the test did not run: " + string(out[max(0, len(out)-1500):])
	}
	t.Logf("%s: without it %s fails", c.Control, name)
	return ""
}

// topOf is the name of the top test.
func topOf(name string) string {
	top, _, _ := strings.Cut(name, "/")
	return top
}
