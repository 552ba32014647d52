package command

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/long"
)

// installing runs the program as a process with an empty home. It stands in a folder of its
// own, because one that go test built does not stay and is refused.
func installing(t *testing.T, home, in string, args ...string) (code int, out, errs string) {
	t.Helper()
	long.NotUnderRace(t, oneAtATime)
	program := filepath.Join(home, "bin", "countersign")
	if _, err := os.Stat(program); err != nil {
		if err := os.MkdirAll(filepath.Dir(program), 0o700); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(os.Args[0])
		if err == nil {
			err = os.WriteFile(program, b, 0o700)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(program, args...)
	cmd.Env = []string{"HOME=" + home, "PATH=/usr/bin:/bin", beProgram + "=1"}
	var o, e bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(in), &o, &e
	_ = cmd.Run()
	return cmd.ProcessState.ExitCode(), o.String(), e.String()
}

func TestHookInstallCommand(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	file := filepath.Join(home, ".claude", "settings.json")
	run := func(in string, args ...string) (int, string, string) {
		return installing(t, home, in, append([]string{"hook", "install"}, args...)...)
	}

	// What is wrong on the command line is 2, and writes nothing.
	for _, args := range [][]string{{"nobody"}, {}, {"claude-code", "--wrong"}, {"claude-code", "--user", "--managed"}, {"claude-code", "--managed", "--undo"}, {"claude-code", "--project", "/not/there"}, {"copilot", "--managed"}} {
		if code, out, errs := run("", args...); code != 2 || out != "" || errs == "" {
			t.Errorf("%v: exit %d, %q, %q", args, code, out, errs)
		}
	}
	// No answer and no are a no.
	for _, in := range []string{"", "n\n", "\n"} {
		if code, _, errs := run(in, "claude-code"); code != 1 || !strings.Contains(errs, "+++ "+file) || !strings.Contains(errs, "onFailure") {
			t.Errorf("answer %q: exit %d, %q", in, code, errs)
		}
	}
	if code, out, _ := run("", "claude-code", "--print"); code != 0 || !strings.HasPrefix(out, "{\n  \"hooks\"") {
		t.Errorf("print: exit %d %s", code, out)
	}
	if _, err := os.Stat(file); err == nil {
		t.Fatal("something was written")
	}

	type result struct {
		Agent string
		Files []struct {
			Path, Backup string
			Changed      bool
		}
		Next []string
	}
	for i, want := range []struct {
		args    []string
		in      string
		changed bool
	}{{[]string{"claude-code", "--json"}, "y\n", true}, {[]string{"claude-code", "--yes", "--json"}, "", false}, {[]string{"claude-code", "--yes", "--undo", "--json"}, "", true}, {[]string{"claude-code", "--yes", "--undo", "--json"}, "", false}} {
		code, out, errs := run(want.in, want.args...)
		var r result
		d := json.NewDecoder(strings.NewReader(out))
		d.DisallowUnknownFields()
		if err := d.Decode(&r); err != nil || code != 0 || r.Agent != "claude-code" || len(r.Files) != 1 || r.Files[0].Path != file || r.Files[0].Changed != want.changed {
			t.Errorf("%d: exit %d %s %s %v", i, code, out, errs, err)
		}
	}

	// A file that does not parse is refused, in one sentence.
	if err := os.WriteFile(file, []byte("{,}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, out, errs := run("", "claude-code", "--yes", "--json"); code != 1 || out != "" || !strings.Contains(errs, file+": it is not JSON") || strings.Count(errs, "\n") != 1 {
		t.Errorf("exit %d %q %q", code, out, errs)
	}

	if code, out, errs := run("", "claude-code", "--managed"); code != 0 || !strings.Contains(out, "allowManagedHooksOnly") || !strings.Contains(errs, "/etc/claude-code/managed-settings.json") {
		t.Errorf("managed: exit %d %q %q", code, out, errs)
	}
	if code, out, _ := installing(t, home, "", "hook", "doctor", "claude-code", "--json"); code != 1 || !strings.Contains(out, `"gate":"`) {
		t.Errorf("doctor: exit %d %s", code, out)
	}
	if code, _, _ := installing(t, home, "", "hook", "doctor", "nobody"); code != 2 {
		t.Errorf("doctor of nobody: exit %d", code)
	}
	if code, _, _ := installing(t, home, "", "mcp", "install", "--client", "nothing"); code != 2 {
		t.Errorf("mcp install: exit %d", code)
	}
}
