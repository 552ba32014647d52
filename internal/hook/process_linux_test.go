package hook

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/countersign/countersign/client/clienttest"
	"github.com/countersign/countersign/internal/long"
)

// withoutControlVariable is how make controls says which control to run without: the copy has to
// run without it, too.
const withoutControlVariable = "COUNTERSIGN_WITHOUT_CONTROL"

// started is this binary as the hook, below a shell as it is installed.
func started(t *testing.T, m *machine, script string) *exec.Cmd {
	t.Helper()
	long.NotUnderRace(t, "the race detector doesn't see another process")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// A hook that never ends is a failure of this test, and not the end of the others.
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", script)
	cmd.WaitDelay = time.Second
	cmd.Env = []string{"HOOK_TEST_AS_HOOK=1", "HOOK=" + self, "PATH=" + os.Getenv("PATH"), withoutControlVariable + "=" + os.Getenv(withoutControlVariable)}
	for k, v := range m.env {
		cmd.Env = append(cmd.Env, k+"="+v)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	return cmd
}

// The process itself: what a test of a function cannot see.
func TestProcess(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		script string // $HOOK is the hook; its exit code is printed as "= n" on standard error
		pend   bool
		code   string
		out    string
		says   string
	}{
		"yes":                     {`"$HOOK" claude-code; echo "= $?" >&2`, false, "= 0", `"permissionDecision":"allow"`, ""},
		"full disk":               {`"$HOOK" claude-code >/dev/full; echo "= $?" >&2`, false, "= 2", "", "can't be written"},
		"stdout closed":           {`"$HOOK" claude-code >&-; echo "= $?" >&2`, false, "= 2", "", "nobody reads"},
		"stdout to nowhere":       {`"$HOOK" claude-code >/dev/null; echo "= $?" >&2`, false, "= 2", "", "nobody reads"},
		"stderr closed":           {`"$HOOK" codex --wait no 2>&-; echo "= $?" >&2`, false, "= 2", "", ""},
		"stderr closed, a denial": {`COUNTERSIGN_URL=http://127.0.0.1:1 "$HOOK" codex --wait 200ms 2>&-; echo "= $?" >&2`, false, "= 0", `"permissionDecision":"deny"`, ""},
		"stdin closed":            {`"$HOOK" claude-code <&-; echo "= $?" >&2`, false, "= 2", "", "no JSON object"},
		"stdin is a folder":       {`"$HOOK" claude-code </; echo "= $?" >&2`, false, "= 2", "", "can't be read"},
		"SIGTERM":                 {`"$HOOK" claude-code & p=$!; while ! ls "$HOME/asked" 2>/dev/null; do :; done >&2; kill -TERM $p; wait $p; echo "= $?" >&2`, true, "= 2", "", "terminated"},
		"SIGUSR1":                 {`"$HOOK" claude-code & p=$!; while ! ls "$HOME/asked" 2>/dev/null; do :; done >&2; kill -USR1 $p; wait $p; echo "= $?" >&2`, true, "= 2", "", "signal"},
		"its pipe is left":        {`{ "$HOOK" claude-code; echo "= $?" >&2; } | while ! ls "$HOME/asked" 2>/dev/null; do :; done >&2`, true, "= 2", "", "gone"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := clienttest.New(t)
			m := newMachine(t, s.URL)
			if c.pend {
				s.Judge = judge(clienttest.Verdict{Status: "pending"})
			}
			s.Fault = func(_ http.ResponseWriter, r *http.Request, _ int) bool {
				if r.URL.Query().Has("wait") { // the shell sees that the hook waits
					_ = os.WriteFile(filepath.Join(m.env["HOME"], "asked"), nil, 0o600)
				}
				return false
			}
			cmd := started(t, m, "exec 3<&0; "+c.script) // a shell gives background programs no stdin
			if strings.Contains(c.script, "& p=") {
				cmd.Args[2] = strings.Replace(cmd.Args[2], "claude-code &", "claude-code <&3 &", 1)
			}
			var out, errs strings.Builder
			cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(events["claude-code"]), &out, &errs
			if err := cmd.Run(); err != nil {
				t.Fatal(err, errs.String())
			}
			if !strings.Contains(errs.String(), c.code) || !strings.Contains(out.String(), c.out) || c.out == "" && out.Len() > 0 || !strings.Contains(errs.String(), c.says) {
				t.Errorf("stdout %q, stderr %q", out.String(), errs.String())
			}
			if spent, cancelled, _ := s.State(); c.pend && (spent != 0 || cancelled != map[bool]int{true: 1}[c.says == "gone"]) {
				t.Errorf("%d spent, %d cancelled", spent, cancelled)
			}
		})
	}
}

// The agent is killed and the shell around the hook is not: the hook ends, spends
// nothing and takes the request back.
func TestAgentIsKilled(t *testing.T) {
	t.Parallel()
	s := clienttest.New(t)
	m := newMachine(t, s.URL)
	asked := make(chan struct{}, 1)
	s.Judge = judge(clienttest.Verdict{Status: "pending"})
	cancelled := make(chan struct{}, 1)
	s.Fault = func(_ http.ResponseWriter, r *http.Request, _ int) bool {
		switch {
		case r.URL.Query().Has("wait"):
			select {
			case asked <- struct{}{}:
			default: // it asked before
			}
		case strings.HasSuffix(r.URL.Path, "/cancel"):
			cancelled <- struct{}{}
		}
		return false
	}
	// The agent of this test reads the hook's answer through a pipe, as agents do.
	agent := started(t, m, fmt.Sprintf(`printf '%%s' '%s' | sh -c '( "$HOOK" claude-code ) || { echo no >&2; exit 2; }' | cat`, events["claude-code"]))
	if err := agent.Start(); err != nil {
		t.Fatal(err)
	}
	<-asked
	// Only the reader and its shell die, not the group.
	for _, name := range []string{"cat"} {
		if err := exec.CommandContext(t.Context(), "sh", "-c", fmt.Sprintf(`for p in /proc/[0-9]*; do [ "$(cat $p/comm 2>/dev/null)" = %s ] && [ "$(cut -d' ' -f5 $p/stat)" = %d ] && kill -9 ${p#/proc/}; done; true`, name, agent.Process.Pid)).Run(); err != nil {
			t.Error(err)
		}
	}
	select {
	case <-cancelled:
	case <-time.After(20 * time.Second):
		t.Error("the request was not taken back")
	}
	_ = agent.Wait()
	if spent, _, _ := s.State(); spent != 0 {
		t.Error("it was spent")
	}
}
