//go:build agents

package agents

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/install/mockmodel"
)

// inside tells the child that it is the one in the namespace.
const inside = "COUNTERSIGN_AGENTS_INSIDE"

// TestMain runs the tests once more in a network namespace of their own, where only loopback
// is: whatever an agent tries to call, it gets no further.
func TestMain(m *testing.M) {
	if os.Getenv(inside) != "" {
		if out, err := exec.Command("ip", "link", "set", "lo", "up").CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "cannot bring loopback up: %v: %s\n", err, out)
			os.Exit(1)
		}
		code := m.Run()
		closeHouse()
		os.Exit(code)
	}
	child := exec.Command(os.Args[0], os.Args[1:]...)
	child.Env = append(os.Environ(), inside+"=1")
	child.Stdin, child.Stdout, child.Stderr = os.Stdin, os.Stdout, os.Stderr
	child.SysProcAttr = namespace()
	err := child.Run()
	var exit *exec.ExitError
	switch {
	case err == nil:
		os.Exit(0)
	case errors.As(err, &exit):
		os.Exit(1)
	}
	fmt.Fprintln(os.Stderr, "agents run only in a network namespace of their own, which this machine refuses:", err)
	os.Exit(1)
}

// namespace asks for a network without wires; who isn't root becomes it inside.
func namespace() *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET, Unshareflags: syscall.CLONE_NEWNS, Pdeathsig: syscall.SIGKILL}
	if os.Getuid() != 0 {
		a.Cloneflags |= syscall.CLONE_NEWUSER
		a.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
		a.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
	}
	return a
}

// lab is one agent at work: an empty home, a project, and a model that plays a script.
type lab struct {
	t       *testing.T
	home    string
	project string
	marker  string // the file that a call creates: whether it is there is the proof
	mark    string // stands in the environment of all that the agent starts
	model   *mockmodel.Model
	env     []string
}

func newLab(t *testing.T, script func(l *lab) func(mockmodel.Turn) []mockmodel.Call) *lab {
	t.Helper()
	dir, err := os.MkdirTemp("", "agents")
	if err != nil {
		t.Fatal(err)
	}
	l := &lab{t: t, home: filepath.Join(dir, "home"), project: filepath.Join(dir, "project"), marker: filepath.Join(dir, "project", "ran")}
	l.mark = "COUNTERSIGN_LAB=" + filepath.Base(dir)
	for _, d := range []string{l.home, l.project} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	l.model, err = mockmodel.Start(script(l))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		killMarked(l.mark)
		l.model.Close()
		_ = os.RemoveAll(dir)
	})
	return l
}

// touch is the call whose effect the tests look for.
func (l *lab) touch() mockmodel.Call { return mockmodel.Call{Command: "echo x >> " + l.marker} }

// ran says how often the call ran.
func (l *lab) ran() int {
	b, err := os.ReadFile(l.marker)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		l.t.Fatal(err)
	}
	return strings.Count(string(b), "x")
}

// program is the path of a program of the pinned packages.
func program(t *testing.T, parts ...string) string {
	t.Helper()
	dir := os.Getenv("COUNTERSIGN_AGENTS_DIR")
	if dir == "" {
		dir = "."
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(append([]string{dir, "node_modules"}, parts...)...)
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("%v: run npm ci in internal/agents, or name a folder with its node_modules in COUNTERSIGN_AGENTS_DIR", err)
	}
	return path
}

func claudeProgram(t *testing.T) string {
	return program(t, "@anthropic-ai", "claude-code-linux-"+nodeArch(), "claude")
}

func codexProgram(t *testing.T) string {
	vendor := map[string]string{"x64": "x86_64", "arm64": "aarch64"}[nodeArch()] + "-unknown-linux-musl"
	return program(t, "@openai", "codex-linux-"+nodeArch(), "vendor", vendor, "bin", "codex")
}

func geminiProgram(t *testing.T) string {
	return program(t, "@google", "gemini-cli", "bundle", "gemini.js")
}

func nodeArch() string { return map[string]string{"amd64": "x64", "arm64": "arm64"}[runtime.GOARCH] }

// said is what an agent's run printed, and how it ended.
type said struct {
	out  string
	code int
}

// start starts a program as an agent is started: an empty home, nothing of this environment.
func (l *lab) start(ctx context.Context, program string, args ...string) (*exec.Cmd, *bytes.Buffer) {
	l.t.Helper()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = l.project
	cmd.Env = append([]string{
		"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + l.home, l.mark,
		"ANTHROPIC_BASE_URL=" + l.model.URL, "ANTHROPIC_API_KEY=sk-ant-local", "DISABLE_TELEMETRY=1", "DISABLE_AUTOUPDATER=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
		"MOCK_KEY=local", "GEMINI_API_KEY=local", "GOOGLE_GEMINI_BASE_URL=" + l.model.URL,
	}, l.env...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
	if err := cmd.Start(); err != nil {
		l.t.Fatal(err)
	}
	return cmd, &out
}

// run runs a program to its end, for at most patience.
func (l *lab) run(patience time.Duration, program string, args ...string) said {
	l.t.Helper()
	ctx, cancel := context.WithTimeout(l.t.Context(), patience)
	defer cancel()
	cmd, out := l.start(ctx, program, args...)
	err := cmd.Wait()
	killMarked(l.mark)
	if ctx.Err() != nil {
		l.t.Errorf("%s did not end within %s: %s", filepath.Base(program), patience, out)
	} else if err != nil && cmd.ProcessState == nil {
		l.t.Fatal(err)
	}
	return said{out.String(), cmd.ProcessState.ExitCode()}
}

// marked are the processes with a mark in their environment whose program is one of those meant.
func marked(mark string, meant func(program string) bool) (pids []int) {
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		env, _ := os.ReadFile(filepath.Join("/proc", e.Name(), "environ"))
		program, _ := os.Readlink(filepath.Join("/proc", e.Name(), "exe"))
		if bytes.Contains(env, []byte(mark+"\x00")) && meant(program) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// killMarked ends what the agent left running: agents start their hooks in groups of their own.
func killMarked(mark string) {
	for _, pid := range marked(mark, func(string) bool { return true }) {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

// write puts a file into the home or the project.
func (l *lab) write(path, text string, mode os.FileMode) string {
	l.t.Helper()
	if !filepath.IsAbs(path) {
		path = filepath.Join(l.home, path)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		l.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		l.t.Fatal(err)
	}
	return path
}

// etc puts a file of an administrator below /etc, in a mount that only these tests see.
func (l *lab) etc(folder, file, text string) {
	l.t.Helper()
	over := filepath.Join(filepath.Dir(l.home), "etc")
	for _, d := range []string{filepath.Join(over, "upper"), filepath.Join(over, "work")} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			l.t.Fatal(err)
		}
	}
	if err := syscall.Mount("overlay", "/etc", "overlay", 0, "lowerdir=/etc,upperdir="+filepath.Join(over, "upper")+",workdir="+filepath.Join(over, "work")); err != nil {
		l.t.Fatal("lay a folder over /etc: ", err)
	}
	l.t.Cleanup(func() { _ = syscall.Unmount("/etc", syscall.MNT_DETACH) })
	path := l.write(filepath.Join("/etc", folder, file), text, 0o644)
	if err := os.Chmod(filepath.Dir(path), 0o755); err != nil {
		l.t.Fatal(err)
	}
}
