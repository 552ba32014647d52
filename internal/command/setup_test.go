//go:build !windows

package command

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/long"
)

// laptop is an empty home with Claude Code on its path.
type laptop struct {
	t                   *testing.T
	home, project, addr string
	cwd                 string // where commands run
	program             string
	env                 []string
}

func newLaptop(t *testing.T) *laptop {
	t.Helper()
	long.NotUnderRace(t, oneAtATime)
	dir := t.TempDir()
	l := &laptop{t: t, home: filepath.Join(dir, "home"), program: filepath.Join(dir, "countersign"), addr: freeAddr(t)}
	// Where the test runs from is no place that settings may name.
	if self, err := os.Executable(); err != nil || exec.CommandContext(t.Context(), "cp", self, l.program).Run() != nil {
		t.Fatalf("copy the program: %v", err)
	}
	bin := filepath.Join(l.home, "bin")
	l.project = filepath.Join(l.home, "shop")
	l.cwd = l.project
	for _, dir := range []string{bin, l.project} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	l.write(filepath.Join(bin, "claude"), "#!/bin/sh\necho '2.1.332 (Claude Code)'\n", 0o700)
	l.env = []string{"HOME=" + l.home, "PATH=" + bin + ":/usr/bin:/bin", beProgram + "=1", withoutControlVariable + "=" + os.Getenv(withoutControlVariable)}
	t.Cleanup(l.shutDown)
	return l
}

// freeAddr is an address that nobody listens on.
func freeAddr(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func (l *laptop) write(path, text string, mode fs.FileMode) {
	l.t.Helper()
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		l.t.Fatal(err)
	}
}

// data is where setup keeps the server's data.
func (l *laptop) data(name string) string {
	return filepath.Join(l.home, ".local", "share", "countersign", name)
}

func (l *laptop) settings() string {
	return filepath.Join(l.home, ".config", "countersign", "config.json")
}

// shutDown ends the server that was started, by its process id, and waits until it is gone.
func (l *laptop) shutDown() {
	text, err := os.ReadFile(l.data("server.pid"))
	if err != nil {
		return
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil || pid <= 1 {
		l.t.Errorf("server.pid says %q", text)
		return
	}
	_ = syscall.Kill(pid, syscall.SIGTERM)
	tick, end := time.NewTicker(20*time.Millisecond), time.After(20*time.Second)
	defer tick.Stop()
	for { // it writes checkpoints after it stopped listening
		if stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); err != nil || strings.Contains(string(stat), ") Z ") {
			return
		}
		select {
		case <-tick.C:
		case <-end:
			l.t.Error("the server didn't end")
			return
		}
	}
}

// run runs the program in the project.
func (l *laptop) run(input string, args ...string) (code int, out, errs string) {
	l.t.Helper()
	cmd := exec.CommandContext(l.t.Context(), l.program, args...)
	return l.runs(cmd, input)
}

func (l *laptop) runs(cmd *exec.Cmd, input string) (code int, out, errs string) {
	l.t.Helper()
	var o, e bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = l.cwd, l.env, strings.NewReader(input), &o, &e
	if err := cmd.Run(); cmd.ProcessState == nil {
		l.t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), o.String(), e.String()
}

// sets up, which must succeed.
func (l *laptop) sets(input string, args ...string) (done setUp, errs string) {
	l.t.Helper()
	code, out, errs := l.run(input, append([]string{"setup", "claude-code", "--no-service", "--addr", l.addr, "--json"}, args...)...)
	if code != 0 || json.Unmarshal([]byte(out), &done) != nil {
		l.t.Fatalf("setup %v: %d %s %s", args, code, out, errs)
	}
	return done, errs
}

// hook runs the command line that stands in Claude's settings before each tool call.
func (l *laptop) hook(id, tool, input string) (code int, out, errs string) {
	l.t.Helper()
	return l.hookIn(l.t.Context(), id, tool, input)
}

// hookIn is hook until ctx ends, which ends the agent's shell.
func (l *laptop) hookIn(ctx context.Context, id, tool, input string) (code int, out, errs string) {
	l.t.Helper()
	var s struct {
		Hooks map[string][]struct{ Hooks []struct{ Command string } }
	}
	text, err := os.ReadFile(filepath.Join(l.home, ".claude", "settings.json"))
	if err != nil || json.Unmarshal(text, &s) != nil || len(s.Hooks["PreToolUse"]) != 1 {
		l.t.Fatalf("%s %v", text, err)
	}
	event := fmt.Sprintf(`{"hook_event_name":"PreToolUse","session_id":"s1","tool_use_id":%q,"tool_name":%q,"tool_input":%s,"cwd":%q}`, id, tool, input, l.project)
	cmd := exec.CommandContext(ctx, "sh", "-c", s.Hooks["PreToolUse"][0].Hooks[0].Command)
	return l.runs(cmd, event)
}

// agentKey is that of the settings, whose file must be for its owner only.
func (l *laptop) agentKey() string {
	l.t.Helper()
	text, err := os.ReadFile(l.settings())
	if err != nil {
		l.t.Fatal(err)
	}
	if info, err := os.Stat(l.settings()); err != nil || info.Mode().Perm() != 0o600 {
		l.t.Errorf("the settings have the mode %v, %v", info.Mode(), err)
	}
	var s struct{ URL, Key string }
	if err := json.Unmarshal(text, &s); err != nil || !strings.HasPrefix(s.Key, "csk_") {
		l.t.Fatalf("the settings hold no key: %v", err)
	}
	return s.Key
}

// asks calls the API as the agent.
func (l *laptop) asks(key, method, path, body string) (int, string) {
	l.t.Helper()
	req, err := http.NewRequestWithContext(l.t.Context(), method, "http://"+l.addr+path, strings.NewReader(body))
	if err != nil {
		l.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+key)
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		l.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		l.t.Fatal(err)
	}
	return res.StatusCode, string(text)
}

// files are all files of the home and what is in them, but for those of the server.
func (l *laptop) files() map[string]string {
	l.t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(l.home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasPrefix(path, l.data("")) || strings.HasSuffix(path, ".note") { // the newest head that the hook saw
			return err
		}
		text, err := os.ReadFile(path)
		all[path] = string(text)
		return err
	})
	if err != nil {
		l.t.Fatal(err)
	}
	return all
}

// From nothing to a held call with one command; twice is once, and what is missing is repaired.
func TestSetup(t *testing.T) {
	t.Parallel()
	l := newLaptop(t)
	done, _ := l.sets("", "--yes")
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	if done.Server != "http://"+l.addr || !done.Started || done.Tenant != "local" || done.Agent != "claude-code@"+plain(host) || done.Folder != l.project || done.Gate != "closed" || done.Limits != limitsOfALaptop {
		t.Errorf("it says %+v", done)
	}
	key := l.agentKey()
	link := regexp.MustCompile(`http://\S+/sign-in\?token=\S+`).FindString(strings.Join(done.Next, "\n"))
	if res, err := http.Get(link); err != nil || res.StatusCode != http.StatusOK || res.Body.Close() != nil {
		t.Errorf("the sign-in link %s: %v %v", link, res, err)
	}

	// A call that only looks runs, and a push is held until a person decides.
	if code, out, errs := l.hook("t1", "Bash", `{"command":"git status"}`); code != 0 || !strings.Contains(out, `"allow"`) {
		t.Errorf("git status: %d %s %s", code, out, errs)
	}
	asking, leave := context.WithCancel(t.Context())
	held := make(chan string, 1)
	go func() {
		_, out, _ := l.hookIn(asking, "t2", "Bash", `{"command":"git push origin main"}`)
		held <- out
	}()
	var page struct {
		Approvals []struct{ ID, Status string }
	}
	tick := time.NewTicker(100 * time.Millisecond) // below the agent's rate
	defer tick.Stop()
	for range 600 {
		<-tick.C
		code, body := l.asks(key, "GET", "/api/v1/approvals?status=pending", "")
		if code != http.StatusOK || json.Unmarshal([]byte(body), &page) != nil {
			t.Fatalf("%d %s", code, body)
		}
		if len(page.Approvals) > 0 {
			break
		}
	}
	if len(page.Approvals) != 1 {
		t.Fatalf("held: %+v", page)
	}
	if code, body := l.asks(key, "GET", "/api/v1/approvals/"+page.Approvals[0].ID, ""); code != http.StatusOK || !strings.Contains(body, `"git push origin main"`) {
		t.Errorf("held: %d %s", code, body)
	}
	leave() // nobody decided, and the agent is gone
	if out := <-held; out != "" {
		t.Errorf("a call that nobody decided: %s", out)
	}

	// Again, from somewhere else: nothing changes.
	l.cwd = filepath.Join(l.home, "bin")
	before := l.files()
	again, _ := l.sets("", "--yes")
	if again.Started || again.Agent != done.Agent || again.Folder != l.project || again.Gate != "closed" || slices.ContainsFunc(again.Files, func(f installedFile) bool { return f.Changed }) {
		t.Errorf("the second time: %+v", again)
	}
	if after := l.files(); fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("the second time changed files: %v, before %v", after, before)
	}

	// The server ended, and the settings are lost.
	l.shutDown()
	if err := os.Remove(l.settings()); err != nil {
		t.Fatal(err)
	}
	if done, _ := l.sets("", "--yes"); !done.Started || done.Agent != again.Agent || done.Gate != "closed" {
		t.Errorf("repaired: %+v", done)
	}
	if l.agentKey() == key {
		t.Error("the settings have a key that nobody knew")
	}
	if code, _ := l.asks(key, "GET", "/api/v1/agent", ""); code != http.StatusUnauthorized {
		t.Errorf("the lost key answers %d", code)
	}
	if log, err := os.ReadFile(l.data("server.log")); err != nil || strings.Contains(string(log), "csk_") || strings.Contains(string(log), "token=") {
		t.Errorf("the server's log holds a secret: %s, %v", log, err)
	}

	// Two questions at most, in words; neither has a yes by itself.
	if err := os.Remove(filepath.Join(l.home, ".claude", "settings.json")); err != nil {
		t.Fatal(err)
	}
	code, out, errs := l.run("\n\n", "setup", "claude-code", "--no-service", "--addr", l.addr, "--folder", l.home)
	if code != 1 || strings.Count(errs, "[y/N]") != 2 || !strings.Contains(errs, "sandboxed") || !strings.Contains(errs, "isn't installed") {
		t.Errorf("no twice: %d %s %s", code, out, errs)
	}
	code, out, errs = l.run("y\ny\n", "setup", "claude-code", "--no-service", "--addr", l.addr, "--folder", l.project)
	if code != 0 || !strings.Contains(out, "The gate is closed.") || !strings.Contains(out, limitsOfALaptop) || !strings.Contains(out, "Held calls: "+done.Server+" — try: ask Claude to push") || strings.Contains(out+errs, l.agentKey()) {
		t.Errorf("yes twice: %d %s %s", code, out, errs)
	}
	if code, body := l.asks(l.agentKey(), "GET", "/api/v1/agent", ""); code != http.StatusOK || !strings.Contains(body, `"sandboxed":true`) || !strings.Contains(body, fmt.Sprintf("%q", l.project)) {
		t.Errorf("bound: %d %s", code, body)
	}
}

// What stands in the way is one clear line, and nothing is left behind.
func TestSetupRefuses(t *testing.T) {
	t.Parallel()
	l := newLaptop(t)
	other := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(other.Close)
	clean := l.files()
	refused := func(what, says string, args ...string) {
		t.Helper()
		code, out, errs := l.run("", append([]string{"setup", "claude-code", "--no-service", "--yes"}, args...)...)
		if code == 0 || !strings.Contains(errs, says) {
			t.Errorf("%s: %d %s %s", what, code, out, errs)
		}
		if after := l.files(); fmt.Sprint(after) != fmt.Sprint(clean) {
			t.Errorf("%s left %v", what, after)
		}
		if _, err := os.Stat(l.data("")); err == nil {
			t.Errorf("%s made a database", what)
		}
	}
	refused("a port in use", "choose another port with --addr", "--addr", strings.TrimPrefix(other.URL, "http://"))
	refused("an address that others reach", "isn't an address of this machine alone", "--addr", "0.0.0.0:8080")
	refused("a database elsewhere", "COUNTERSIGN_DATABASE_URL", "--addr", l.addr, "--database-url", "postgres://u@127.0.0.1:1/x")

	// A server of somebody else, without a key for it.
	p := start(t, Settings{DataDir: dataDir(t)})
	refused("a server with its data elsewhere", "has its data elsewhere", "--addr", strings.Replace(strings.TrimPrefix(p.url, "http://"), "localhost", "127.0.0.1", 1))
	if code, _, errs := l.run("", "setup", "emacs"); code != 2 || !strings.Contains(errs, "claude-code") {
		t.Errorf("an unknown agent: %d %s", code, errs)
	}
}

// With another machine's server, or somebody else's of this one, it only installs and looks.
// A machine gets its key there by enrolling, once.
func TestEnrolAndSetup(t *testing.T) {
	t.Parallel()
	set := Settings{DataDir: dataDir(t)}
	if code, _, errs := command(t, "", "tenant", "create", "acme", "--data-dir", set.DataDir); code != 0 {
		t.Fatal(errs)
	}
	p := start(t, set)
	l := newLaptop(t)
	code, token, errs := command(t, "", "agent", "enroll", "--tenant", "acme", "--name", "claude-code", "--uses", "2", "--data-dir", set.DataDir)
	if token = strings.TrimSpace(token); code != 0 || !strings.HasPrefix(token, "cse_acme_") || strings.Contains(errs, token) {
		t.Fatalf("%d %q %s", code, token, errs)
	}

	if code, _, errs := l.run("cse_acme_no\n", "hook", "enroll", "--url", p.url, "--host", "web-1"); code != 1 || !strings.Contains(errs, "isn't known") {
		t.Errorf("a wrong token: %d %s", code, errs)
	}
	if _, err := os.Stat(l.settings()); err == nil {
		t.Error("a wrong token left settings")
	}
	code, out, errs := l.run(token+"\n", "hook", "enroll", "--url", p.url, "--host", "Web-1", "--token-file", "-")
	if code != 0 || out != "" || !strings.Contains(errs, "claude-code@web-1") {
		t.Fatalf("%d %s %s", code, out, errs)
	}
	if key := l.agentKey(); strings.Contains(errs, key) {
		t.Error("the key was printed")
	}
	if code, _, errs := l.run(token, "hook", "enroll", "--url", p.url, "--host", "web-2"); code != 1 || !strings.Contains(errs, "settings already") {
		t.Errorf("with settings: %d %s", code, errs)
	}

	code, out, errs = l.run("", "setup", "claude-code", "--no-service", "--yes", "--json")
	var done setUp
	if code != 0 || json.Unmarshal([]byte(out), &done) != nil {
		t.Fatalf("%d %s %s", code, out, errs)
	}
	if done.Started || done.Server != p.url || done.Tenant != "acme" || done.Agent != "claude-code@web-1" || done.Gate != "closed" {
		t.Errorf("it says %+v", done)
	}
	if _, err := os.Stat(l.data("")); err == nil {
		t.Error("it made a database of its own")
	}

	// The same host, from another home; and what the token has left, from the environment.
	other := newLaptop(t)
	if code, _, errs := other.run(token, "hook", "enroll", "--url", p.url, "--host", "web-1"); code != 1 || !strings.Contains(errs, "enrols once") {
		t.Errorf("the same host: %d %s", code, errs)
	}
	if code, _, errs := command(t, "", "agent", "enroll", "--tenant", "acme", "--end", "--data-dir", set.DataDir); code != 0 || !strings.Contains(errs, "ended 1") {
		t.Errorf("%d %s", code, errs)
	}
	other.env = append(other.env, "COUNTERSIGN_ENROLMENT="+token)
	if code, _, errs := other.run("", "hook", "enroll", "--url", p.url, "--host", "web-3"); code != 1 || !strings.Contains(errs, "isn't known") {
		t.Errorf("after the end: %d %s", code, errs)
	}
}
