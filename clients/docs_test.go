package clients_test

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// preludes are what the snippets about frameworks leave out; the packages themselves are
// stubs in testdata/stubs, and the real ones in agents_test.go.
var preludes = map[string]string{
	`"ai"`: `const [model, prompt, tools] = [null, "", { update_ai: {} }];`,
	`"@langchain/langgraph"`: `const [messages, config, tools] = [[], {}, [{ name: "update_chain", description: "Changes a thing." }]];
const agent = { invoke: async (input) => {
  if (!input.resume) return { __interrupt__: [{ id: "0", value: { actionRequests: [{ name: "update_chain", args: { id: "u1" } }] } }] };
  console.log("ran", input.resume.decisions[0].type);
  return {};
} };`,
	`"@openai/agents"`: `const [prompt, tools] = ["", []];
const state = { approve: () => console.log("ran") };
const agent = { run: async (input) => ({ state, interruptions: input === state ? [] : [{ rawItem: { name: "update_agents", callId: "c", arguments: "{}" } }] }) };`,
}

// Every snippet of the documents and the READMEs runs as it stands there, and prints what it says.
func TestSnippets(t *testing.T) {
	t.Parallel()
	s := realSite(t)
	dir, err := packed()
	if err != nil {
		t.Fatal(err)
	}
	work := t.TempDir()
	if err := os.CopyFS(filepath.Join(work, "node_modules"), os.DirFS("testdata/stubs")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(dir, "js", "node_modules", "countersign"), filepath.Join(work, "node_modules", "countersign")); err != nil {
		t.Fatal(err)
	}
	// Whatever is held meanwhile is approved, but for one function.
	stop := make(chan struct{})
	t.Cleanup(func() { close(stop) })
	for _, function := range []string{"delete_user", "close_account", "update_balance", "update_ticket", "update_ai", "update_chain", "update_agents"} {
		go func() {
			for {
				select {
				case a := <-s.submitted(function):
					if a.Status == "pending" && function == "close_account" {
						s.decide(t, a.ID, "deny", "Ask the owner first.")
					} else if a.Status == "pending" {
						s.decide(t, a.ID, "approve", "")
					}
				case <-stop:
					return
				}
			}
		}()
	}
	prints := regexp.MustCompile(`(?:#|//) prints: (.*)`)
	count := 0
	for _, page := range []string{"../docs/clients.md", "python/README.md", "typescript/README.md"} {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for i, m := range regexp.MustCompile("(?ms)^```(python|js)\n(.*?)^```").FindAllStringSubmatch(string(text), -1) {
			count++
			t.Run(fmt.Sprintf("%s %d %s", filepath.Base(page), i, m[1]), func(t *testing.T) {
				t.Parallel()
				code, name := m[2], fmt.Sprintf("%s%d.mjs", strings.ReplaceAll(page, "/", "_"), i)
				env := []string{"COUNTERSIGN_URL=" + s.door.URL, "COUNTERSIGN_KEY=" + s.key}
				cmd := program(dir, env, "python3", "-c", code)
				if m[1] == "js" {
					for imported, prelude := range preludes {
						if strings.Contains(code, imported) {
							code = prelude + "\n" + code // imports are hoisted
						}
					}
					if err := os.WriteFile(filepath.Join(work, name), []byte(code), 0o600); err != nil {
						t.Fatal(err)
					}
					cmd = program(dir, env, "node", filepath.Join(work, name))
				}
				got := run(t, cmd)
				if wants := prints.FindAllStringSubmatch(code, -1); len(wants) > 0 {
					for _, want := range wants {
						if !strings.Contains(got, want[1]) {
							t.Errorf("it printed %q, want %q", got, want[1])
						}
					}
				} else if strings.Contains(page, "docs") && !strings.Contains(got, "ran") {
					t.Errorf("it printed %q", got)
				}
			})
		}
	}
	if count < 9 {
		t.Errorf("%d snippets only", count)
	}
}

// The commands that install are the ones that the tests run: packing from a copy, so that
// nothing is left in the folders of the sources.
func TestInstallingAsTheDocsSay(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../docs/clients.md")
	if err != nil {
		t.Fatal(err)
	}
	_, block, _ := strings.Cut(string(text), "```sh\n")
	block, _, _ = strings.Cut(block, "```")
	dir := t.TempDir()
	for _, name := range []string{"python", "typescript"} {
		if err := os.CopyFS(filepath.Join(dir, "clients", name), os.DirFS(name).(fs.ReadFileFS)); err != nil {
			t.Fatal(err)
		}
	}
	// pip is not on every machine that has Python; the wheel's own builder is what it calls.
	block = strings.Replace(block, "pip install ./clients/python", "cd clients/python && python3 -c 'import build_wheel; build_wheel.build_wheel(\".\")' && cd ../.. && test -f clients/python/*.whl", 1)
	cmd := exec.Command("bash", "-ec", "echo '{}' > package.json\n"+strings.Replace(block, "npm install", "npm install --offline --no-audit --no-fund", 1)+"\nnode -e 'import(\"countersign\").then((m) => console.log(m.VERSION))'")
	cmd.Dir = dir
	if out := run(t, cmd); !strings.Contains(out, "0.1.0") {
		t.Errorf("it said %s", out)
	}
}
