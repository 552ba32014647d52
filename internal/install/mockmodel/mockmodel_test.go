package mockmodel

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// TestDialects asks the model as each agent does: first without a result, then with one.
func TestDialects(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ path, first, call, second, result string }{
		"anthropic": {
			"/v1/messages?beta=true", `{"model":"m","tools":[{"name":"Read"},{"name":"Bash"}],"messages":[{"role":"user","content":"go"}]}`, `"name":"Bash","type":"tool_use"`,
			`{"model":"m","stream":true,"tools":[{"name":"Bash"}],"messages":[{"role":"user","content":[{"type":"text","text":"go"}]},{"role":"user","content":[{"type":"tool_result","content":[{"type":"text","text":"done"}]}]}]}`, "done",
		},
		"openai": {
			"/v1/responses", `{"tools":[{"name":"exec_command"}],"input":[{"type":"message","role":"user","content":[{"text":"go"}]}]}`, `"name":"exec_command"`,
			`{"input":[{"type":"additional_tools","tools":[{"name":"exec"}]},{"type":"message","role":"user","content":[{"text":"go"}]},{"type":"function_call_output","output":"done"}]}`, "done",
		},
		"gemini": {
			"/v1beta/models/x:streamGenerateContent?alt=sse", `{"tools":[{"functionDeclarations":[{"name":"run_shell_command"}]}],"contents":[{"role":"user","parts":[{"text":"go"}]}]}`, `"name":"run_shell_command"`,
			`{"tools":[{"functionDeclarations":[{"name":"run_shell_command"}]}],"contents":[{"role":"user","parts":[{"text":"go"}]},{"role":"user","parts":[{"functionResponse":{"response":{"output":"done"}}}]}]}`, `{"output":"done"}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, err := Start(InOrder(Call{Command: "true # here"}))
			if err != nil {
				t.Fatal(err)
			}
			defer m.Close()
			ask := func(body string) string {
				res, err := http.Post(m.URL+c.path, "application/json", strings.NewReader(body))
				if err != nil {
					t.Fatal(err)
				}
				defer res.Body.Close()
				b, err := io.ReadAll(res.Body)
				if err != nil || res.StatusCode != http.StatusOK {
					t.Fatal(res.Status, err)
				}
				return string(b)
			}
			if got := ask(c.first); !strings.Contains(got, c.call) || !strings.Contains(got, "true # here") {
				t.Errorf("first: %s", got)
			}
			if got := ask(c.second); !strings.Contains(got, "finished") || strings.Contains(got, "true # here") {
				t.Errorf("second: %s", got)
			}
			if r := m.Results(); len(r) != 1 || r[0] != c.result || m.Turns()[0].Prompt != "go" {
				t.Errorf("results %q of %+v", r, m.Turns())
			}
			if res, err := http.Get(m.URL + "/else"); err != nil || res.StatusCode != http.StatusNotFound {
				t.Error(res, err)
			}
		})
	}
}
