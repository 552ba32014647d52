package scoring

import (
	"testing"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/workspace"
)

// A tool reads one of two arguments that say different things, and ignores the other: so a
// call is never judged by the harmless one alone. Where a server takes a relative path to be
// nobody knows.
func TestDecoys(t *testing.T) {
	t.Parallel()
	policy, err := Compile(DefaultPolicy())
	if err != nil {
		t.Fatal(err)
	}
	for body, held := range map[string]bool{
		`{"function":"run_shell_command","arguments":{"COMMAND":"ls","command":"deploy-prod now"}}`:                          true,
		`{"function":"run_shell_command","arguments":{"COMMAND":"ls","command":"git commit -m x"}}`:                          true,
		`{"function":"run_shell_command","arguments":{"command":"ls","cmd":"deploy-prod now"}}`:                              true,
		`{"function":"run_shell_command","arguments":{"command":"ls","cmd":"git commit -m x"}}`:                              true,
		`{"function":"run_shell_command","arguments":{"command":"npm test","cwd":"/srv/other","dir_path":"/srv/shop"}}`:      true,
		`{"function":"run_shell_command","arguments":{"command":"ls","description":"Lists."}}`:                               false,
		`{"function":"write_file","arguments":{"FILE_PATH":"/srv/shop/a","file_path":"/home/u/x","content":"1"}}`:            true,
		`{"function":"mcp__filesystem__write_file","arguments":{"filePath":"/srv/shop/a","path":"/home/u/x","content":"1"}}`: true,
		`{"function":"mcp__filesystem__write_file","arguments":{"path":"deploy.sh","content":"1"}}`:                          true,
		`{"function":"mcp__filesystem__write_file","arguments":{"path":"/srv/shop/deploy.sh","content":"1"}}`:                false,
		`{"function":"write_file","arguments":{"file_path":"a.txt","content":"1"}}`:                                          false,
		`{"function":"write_file","arguments":{"file_path":"a.txt","content":"1","cwd":"/srv/shop/sub"}}`:                    false,
		`{"function":"write_file","arguments":{"file_path":"a.txt","content":"1","cwd":"/srv/blog"}}`:                        true,
		`{"function":"read_file","arguments":{"FILE_PATH":"/srv/shop/a","file_path":"/home/u/.ssh/id_rsa"}}`:                 true,
		`{"function":"read_file","arguments":{"filePath":"/srv/shop/a","path":"/home/u/.ssh/id_rsa"}}`:                       true,
	} {
		tree, err := canon.Parse([]byte(body))
		if err != nil {
			t.Fatal(err)
		}
		action, err := NewAction(tree)
		if err != nil {
			t.Fatal(err)
		}
		got := policy.Examine(action, nil).Given(Inputs{Workspace: &workspace.Binding{Folder: "/srv/shop"}}).Assess(1)
		if (got.Level > level.Low) != held {
			t.Errorf("%s is %s, want held %t: %s", body, got.Level, held, got.Explanation)
		}
	}
}
