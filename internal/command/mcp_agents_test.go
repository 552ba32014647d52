//go:build agents

package command

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

// The real MCP Inspector in front of the real servers, with a gateway in between.
// They are those of internal/agents, or of the folder that COUNTERSIGN_AGENTS_DIR names.

// inspector runs programs of the Inspector at a desk.
type inspector struct {
	*desk
	modules, files, config string
}

func newInspector(t *testing.T) *inspector {
	t.Helper()
	modules, err := filepath.Abs(filepath.Join(cmp.Or(os.Getenv("COUNTERSIGN_AGENTS_DIR"), "../../internal/agents"), "node_modules"))
	if err != nil {
		t.Fatal(err)
	}
	i := &inspector{desk: newDesk(t), modules: modules, files: t.TempDir()}
	everything := []string{"node", filepath.Join(modules, "@modelcontextprotocol/server-everything/dist/index.js")}
	filesystem := []string{"node", filepath.Join(modules, "@modelcontextprotocol/server-filesystem/dist/index.js"), i.files}
	type entry struct {
		Command string            `json:"command"`
		Args    []string          `json:"args"`
		Env     map[string]string `json:"env,omitempty"`
	}
	gated := func(name string, command []string) entry {
		return entry{os.Args[0], append([]string{"mcp", "--name", name, "--wait", "3s", "--"}, command...), map[string]string{beProgram: "1"}}
	}
	text, err := json.Marshal(map[string]any{"mcpServers": map[string]entry{
		"everything": gated("everything", everything), "files": gated("files", filesystem),
		"bare-everything": {everything[0], everything[1:], nil}, "bare-files": {filesystem[0], filesystem[1:], nil},
	}})
	if err != nil {
		t.Fatal(err)
	}
	i.config = filepath.Join(t.TempDir(), "servers.json")
	if err := os.WriteFile(i.config, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return i
}

// run is one command line of the Inspector. What it knows of the console is in the home
// folder only.
func (i *inspector) run(program string, args ...string) (out string, code int) {
	i.t.Helper()
	cmd := exec.Command("node", append([]string{filepath.Join(i.modules, "@modelcontextprotocol/inspector/clients", program)}, args...)...)
	cmd.Env = []string{"HOME=" + i.home, "PATH=" + os.Getenv("PATH"), "MCP_INSPECTOR_SECRET_STORE=memory", "XDG_RUNTIME_DIR=" + i.home, "TMPDIR=" + i.home}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &stdout, &stderr, time.Second
	err := cmd.Run()
	if cmd.ProcessState == nil {
		i.t.Fatal(err)
	}
	if stdout.Len() == 0 {
		return stderr.String(), cmd.ProcessState.ExitCode()
	}
	return stdout.String(), cmd.ProcessState.ExitCode()
}

func (i *inspector) cli(era, server string, args ...string) (string, int) {
	i.t.Helper()
	return i.run("launcher/build/index.js", append([]string{"--cli", "--protocol-era", era, "--config", i.config, "--server", server}, args...)...)
}

// tools are a server's tools, as they came. The newer era has no tasks.
func (i *inspector) tools(era, server string) (tools []map[string]any) {
	i.t.Helper()
	out, code := i.cli(era, server, "--method", "tools/list")
	var list struct{ Tools []map[string]any }
	if err := json.Unmarshal([]byte(out), &list); err != nil || code != 0 || len(list.Tools) < 10 {
		i.t.Fatalf("%s %s: %v, exit code %d, %s", era, server, err, code, out)
	}
	for _, tool := range list.Tools {
		if era != "legacy" {
			delete(tool, "execution")
		}
	}
	return list.Tools
}

func TestInspector(t *testing.T) {
	t.Parallel()
	for _, era := range []string{"legacy", "auto", "modern"} {
		t.Run(era, func(t *testing.T) {
			t.Parallel()
			i := newInspector(t)
			for _, server := range []string{"everything", "files"} {
				bare := i.tools("legacy", "bare-"+server)
				for _, tool := range bare {
					if era != "legacy" {
						delete(tool, "execution")
					}
				}
				if got := i.tools(era, server); !reflect.DeepEqual(got, bare) {
					t.Errorf("%s: the tools are\n%v\nwant those of the server itself,\n%v", server, got, bare)
				}
			}
			for _, c := range [][]string{
				{"The sum of 2 and 3 is 5.", "tools/call", "--tool-name", "get-sum", "--tool-arg", "a=2", "b=3"},
				{"architecture.md", "resources/list"},
				{"resource/dynamic/text", "resources/templates/list"},
				{"simple-prompt", "prompts/list"},
				{"This is a simple prompt", "prompts/get", "--prompt-name", "simple-prompt"},
			} {
				if out, code := i.cli(era, "everything", append([]string{"--method"}, c[1:]...)...); code != 0 || !strings.Contains(out, c[0]) {
					t.Errorf("%v: exit code %d, %s", c[1:], code, out)
				}
			}
			file := filepath.Join(i.files, "held.txt")
			write := []string{"--method", "tools/call", "--tool-name", "write_file", "--tool-arg", "path=" + file, "content=written"}
			out, code := i.cli(era, "files", write...)
			where := address.FindString(out)
			if code != 5 || where == "" {
				t.Fatalf("a write: exit code %d, %s", code, out)
			}
			if _, err := os.Stat(file); err == nil {
				t.Fatal("the file was written before anybody decided")
			}
			i.decide(where, url.Values{"verdict": {"approve"}})
			if out, code = i.cli(era, "files", write...); code != 0 {
				t.Errorf("the same after a yes: exit code %d, %s", code, out)
			}
			if text, err := os.ReadFile(file); err != nil || string(text) != "written" {
				t.Errorf("the file has %q, %v", text, err)
			}
			if out, _ = i.cli(era, "files", write...); address.FindString(out) == where || address.FindString(out) == "" {
				t.Errorf("the same once more: %s", out)
			}
		})
	}
}

// A client that says that it opens addresses is offered the console's, and the call goes
// on by itself: by a request of the server's, and by input_required.
func TestInspectorIsOfferedTheConsole(t *testing.T) {
	t.Parallel()
	for era, origin := range map[string]string{"legacy": "server-request", "modern": "input-required"} {
		t.Run(era, func(t *testing.T) {
			t.Parallel()
			i := newInspector(t)
			do := func(args ...string) string {
				out, _ := i.run("mcpdo/build/mcp-bin.js", append([]string{"--plain", "--format", "json"}, args...)...)
				return out
			}
			t.Cleanup(func() { do("daemon", "stop") })
			if out := do("--config", i.config, "connect", "files", "--server", "files", "--era", era, "--elicit", "url"); !strings.Contains(out, era) {
				t.Fatalf("connect: %s", out)
			}
			file := filepath.Join(i.files, "held.txt")
			var asked struct {
				Pending struct{ ElicitationID, Mode, URL, Origin string } `json:"elicitationPending"`
			}
			out := do("--conn", "files", "tools/call", "write_file", "path:="+file, "content:=written")
			if err := json.Unmarshal([]byte(out), &asked); err != nil || asked.Pending.Mode != "url" || asked.Pending.Origin != origin || address.FindString(asked.Pending.URL) == "" {
				t.Fatalf("a write: %s, %v", out, err)
			}
			i.decide(asked.Pending.URL, url.Values{"verdict": {"approve"}})
			if out := do("--conn", "files", "elicitation/respond", asked.Pending.ElicitationID, "--done"); !strings.Contains(out, "Successfully wrote") {
				t.Errorf("the call did not go on: %s", out)
			}
			if text, err := os.ReadFile(file); err != nil || string(text) != "written" {
				t.Errorf("the file has %q, %v", text, err)
			}
		})
	}
}
