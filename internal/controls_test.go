package internal_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

var (
	removeControls = flag.Bool("remove-controls", false, "remove controls of docs/security/controls.yaml one by one, and want their tests to fail")
	writeSwitches  = flag.String("write-switches", "", "a folder: write there what gives each control a switch, and an overlay.json for go test -overlay")
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

const controlsFile = "docs/security/controls.yaml"

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
// list says, and its test exists.
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
		if len(functions(t, filepath.Join("..", pkg), top)) == 0 {
			t.Errorf("%s: there is no test %s in %s", c.Control, top, pkg)
		}
	}
}
