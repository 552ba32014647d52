package command

import (
	"encoding/json"
	"strings"
	"testing"
)

// A line may name its workspace itself; what does not fit is refused by name.
func TestScoreTakesAWorkspaceInALine(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ members, folder, refused string }{
		{``, "/srv/other", ""},
		{`"workspace": null, "sandboxed": null,`, "/srv/other", ""},
		{`"workspace": "/srv/shop/", "sandboxed": true,`, "/srv/shop", ""},
		{`"inputs": {"workspace": {"folder": "/srv/shop"}},`, "/srv/shop", ""},
		{`"sandboxed": true,`, "", "/sandboxed"},
		{`"workspace": "/srv/shop", "sandboxed": "yes",`, "", "/sandboxed"},
		{`"workspace": "shop",`, "", "/workspace"},
		{`"workspace": {"folder": "/srv/shop"},`, "", "/workspace"},
		{`"workspace": "/srv/shop", "inputs": {"workspace": {"folder": "/srv/shop"}},`, "", "/workspace"},
	} {
		_, out, _ := command(t, `{`+c.members+`"function": "Bash", "arguments": {"command": "ls"}}`, "score", "--workspace", "/srv/other")
		var a struct {
			Workspace struct{ Folder string }
			Error     struct{ Errors []struct{ Pointer string } }
		}
		if err := json.Unmarshal([]byte(out), &a); err != nil {
			t.Fatalf("%s: %v: %s", c.members, err, out)
		}
		refused := ""
		if len(a.Error.Errors) > 0 {
			refused = a.Error.Errors[0].Pointer
		}
		if a.Workspace.Folder != c.folder || refused != c.refused {
			t.Errorf("%s: got %s", c.members, out)
		}
	}
	for args, want := range map[string]string{"--sandboxed": "--workspace DIR", "--workspace=shop": "relative path"} {
		if code, _, errs := command(t, "", "score", args); code != 1 || !strings.Contains(errs, want) {
			t.Errorf("%s: exit code %d, %s", args, code, errs)
		}
	}
}

// Without a workspace nothing is summed up: standard error stays empty, as it was.
func TestScoreSumsUpWorkspacesOnly(t *testing.T) {
	t.Parallel()
	if _, _, errs := command(t, `{"function": "get_user"}`, "score"); errs != "" {
		t.Errorf("got %s", errs)
	}
}

func TestHeldPer60CallsOfASession(t *testing.T) {
	t.Parallel()
	sessions := map[string]perSession{}
	for i, stopped := range []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 20} {
		sessions[string(rune('a'+i))] = perSession{calls: 120, stopped: stopped}
	}
	if mean, median, p90 := per60(sessions); mean != 2.8 || median != 2 || p90 != 4 {
		t.Errorf("got %v, %v, %v", mean, median, p90)
	}
	if mean, median, p90 := per60(map[string]perSession{"": {calls: 30, stopped: 1}}); mean != 2 || median != 2 || p90 != 2 {
		t.Errorf("got %v, %v, %v", mean, median, p90)
	}
}
