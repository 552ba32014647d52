package hook

import (
	"strings"
	"testing"
)

// A shell that ignores arguments is not asked about with one that the server could take for
// the command, or for the folder.
func TestDecoysAreRefused(t *testing.T) {
	t.Parallel()
	gemini := &dialects[2]
	event := func(tool, input string) []byte {
		return []byte(`{"hook_event_name":"BeforeTool","session_id":"s","cwd":"/srv/shop","tool_name":"` + tool + `","tool_input":` + input + `}`)
	}
	for _, input := range []string{
		`{"command":"deploy","args":["--help"]}`, `{"command":"deploy","cmd":"ls"}`, `{"COMMAND":"ls","command":"deploy"}`, `{"command":"deploy","Command_Line":"ls"}`,
		`{"command":"deploy","cwd":"/srv"}`,
	} {
		if _, err := gemini.read("BeforeTool", event("run_shell_command", input)); err == nil || !strings.Contains(err.Error(), "doesn't read") {
			t.Errorf("%s: %v", input, err)
		}
	}
	if _, err := gemini.read("BeforeTool", event("write_file", `{"file_path":"a.txt","cwd":"/srv/shop"}`)); err == nil {
		t.Error("a file tool was asked about with a folder that it doesn't read")
	}
	c, err := gemini.read("BeforeTool", event("run_shell_command", `{"command":"deploy","description":"Deploys"}`))
	if err != nil || c.input.Get("cwd").Text() != "/srv/shop" {
		t.Errorf("%s, %v", c.input.Canonical(), err)
	}
}
