// Package clients_test runs the Python and the TypeScript client from their packed form:
// the same tests for both, driven from here through testdata/driver.py and driver.mjs.
package clients_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// packed is where both packages are installed from their packed form: the wheel in
// python, the npm package below js/node_modules.
var packed = sync.OnceValues(func() (dir string, err error) {
	if dir, err = os.MkdirTemp("", "countersign-clients-"); err != nil {
		return "", err
	}
	script := `set -eu
		./pack.sh "$0/dist"
		python3 -m zipfile -e "$0"/dist/*.whl "$0/python"
		mkdir "$0/js" && echo '{}' > "$0/js/package.json"
		cp testdata/driver.mjs testdata/frameworks.mjs "$0/js"
		cd "$0/js" && npm install --offline --no-audit --no-fund --silent "$0"/dist/*.tgz`
	cmd := exec.Command("bash", "-c", script, dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		return dir, fmt.Errorf("pack and install: %w: %s", err, out)
	}
	return dir, nil
})

// cleanUp has what ends with the tests.
var (
	cleanUpLock sync.Mutex
	cleanUp     []func()
)

func atEnd(f func()) {
	cleanUpLock.Lock()
	defer cleanUpLock.Unlock()
	cleanUp = append(cleanUp, f)
}

func TestMain(m *testing.M) {
	code := m.Run()
	for _, f := range cleanUp {
		f()
	}
	if dir, _ := packed(); dir != "" {
		_ = os.RemoveAll(dir)
	}
	os.Exit(code)
}

// language is one client, running.
type language struct {
	name    string
	command func(dir string) *exec.Cmd // in the folder of packed

	start sync.Once
	err   error
	in    io.WriteCloser
	lock  sync.Mutex
	n     int
	wait  map[int]chan []byte
}

// program is a command that sees no settings of the machine.
func program(dir string, env []string, args ...string) *exec.Cmd {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = dir
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "PYTHONPATH=" + filepath.Join(dir, "python"), "PYTHONDONTWRITEBYTECODE=1"}, env...)
	cmd.Stderr = os.Stderr
	return cmd
}

func pythonCommand(dir string, env ...string) *exec.Cmd {
	driver, _ := filepath.Abs("testdata/driver.py")
	return program(dir, env, "python3", driver)
}

func nodeCommand(dir string, env ...string) *exec.Cmd {
	return program(dir, env, "node", filepath.Join(dir, "js", "driver.mjs"))
}

var languages = []*language{
	{name: "python", command: func(dir string) *exec.Cmd { return pythonCommand(dir) }},
	{name: "typescript", command: func(dir string) *exec.Cmd { return nodeCommand(dir) }},
}

// each runs a test for both.
func each(t *testing.T, f func(t *testing.T, l *language)) {
	t.Helper()
	for _, l := range languages {
		t.Run(l.name, func(t *testing.T) {
			t.Parallel()
			f(t, l)
		})
	}
}

// command is what the client is to do; op and its members are those of the drivers.
type command map[string]any

func (l *language) begin() {
	dir, err := packed()
	if err != nil {
		l.err = err
		return
	}
	cmd := l.command(dir)
	l.wait = map[int]chan []byte{}
	if l.in, l.err = cmd.StdinPipe(); l.err != nil {
		return
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		l.err = err
		return
	}
	if l.err = cmd.Start(); l.err != nil {
		return
	}
	ended := make(chan struct{})
	atEnd(func() {
		_ = l.in.Close()
		select {
		case <-ended:
		case <-time.After(5 * time.Second):
			_ = cmd.Process.Kill()
			<-ended
		}
	})
	go func() {
		defer close(ended)
		lines := bufio.NewReader(out)
		for {
			line, err := lines.ReadBytes('\n')
			if err != nil {
				break
			}
			var who struct{ N int }
			_ = json.Unmarshal(line, &who)
			l.lock.Lock()
			if c := l.wait[who.N]; c != nil {
				c <- line
			}
			l.lock.Unlock()
		}
		_ = cmd.Wait()
	}()
}

// do has the client do something and reads its answer into what into points to.
func (l *language) do(t testing.TB, c command, into any) {
	t.Helper()
	if err := l.ask(c, into); err != nil {
		t.Fatal(err)
	}
}

func (l *language) ask(c command, into any) error {
	l.start.Do(l.begin)
	if l.err != nil {
		return l.err
	}
	c = maps.Clone(c)
	answer := make(chan []byte, 1)
	l.lock.Lock()
	l.n++
	n := l.n
	l.wait[n], c["n"] = answer, n
	var line bytes.Buffer
	encode := json.NewEncoder(&line)
	encode.SetEscapeHTML(false)
	err := encode.Encode(c)
	if err == nil {
		_, err = l.in.Write(line.Bytes())
	}
	l.lock.Unlock()
	if err != nil {
		return err
	}
	select {
	case got := <-answer:
		var failed struct{ Failed string }
		if err := json.Unmarshal(got, &failed); err == nil && failed.Failed != "" {
			return fmt.Errorf("the driver failed: %s", failed.Failed)
		}
		if err := json.Unmarshal(got, into); err != nil {
			return fmt.Errorf("%s: %w", got, err)
		}
		return nil
	case <-time.After(3 * time.Minute):
		return fmt.Errorf("no answer to %.300s", line.String())
	}
}

// gated is what became of a gated call.
type gated struct {
	Ran    []json.RawMessage // its arguments, each time that it ran
	Result string
	Ticks  int
	Raised string
	Denied *struct{ Status, Reason, Approval string }
}

// ranOnce says what is wrong unless the function ran once, with these arguments.
func (g gated) ranOnce(args string) string {
	if len(g.Ran) == 1 && string(g.Ran[0]) == args && g.Denied == nil && g.Raised == "" {
		return ""
	}
	return fmt.Sprintf("it ran %d times (%s), denied %+v, raised %q; want once with %s", len(g.Ran), g.Ran, g.Denied, g.Raised, args)
}

// deniedAs says what is wrong unless the function did not run and was denied so.
func (g gated) deniedAs(status string) string {
	switch {
	case len(g.Ran) != 0:
		return fmt.Sprintf("it RAN: %s", g.Ran)
	case g.Denied == nil:
		return fmt.Sprintf("it was not denied: result %q, raised %q", g.Result, g.Raised)
	case g.Denied.Status != status:
		return fmt.Sprintf("denied as %q (%s), want %s", g.Denied.Status, g.Denied.Reason, status)
	}
	return ""
}

// right fails the test where something is wrong.
func right(t *testing.T, wrong string) {
	t.Helper()
	if wrong != "" {
		t.Error(wrong)
	}
}

// lines are those of a file of vectors.
func lines(t *testing.T, path string) [][]byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Split(bytes.TrimSpace(content), []byte("\n"))
}

// run runs a program to its end and returns what it printed.
func run(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v\n%s%s", cmd.Path, err, out.String(), errs.String())
	}
	return out.String()
}
