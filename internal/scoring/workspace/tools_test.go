package workspace

import (
	"testing"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring/level"
)

// TestTools judges what is no shell by what its arguments say.
func TestTools(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		function, arguments string
		want                level.Level // SAFE: this page says nothing of it
	}{
		{"Read", `{"file_path":"/home/ana/shop/src/a.ts","limit":20}`, level.Low},
		{"Read", `{"file_path":"/home/ana/shop/.env"}`, level.Medium},
		{"Read", `{"file_path":"/home/ana/.ssh/id_rsa"}`, level.Medium},
		{"Read", `{"file_path":"/usr/include/stdio.h"}`, level.Low},
		{"Grep", `{"pattern":"foo"}`, level.Low},
		{"Glob", `{"pattern":"**/*.ts","path":"/home/ana/shop"}`, level.Low},
		{"LS", `{"path":"/home/ana/shop"}`, level.Low},
		{"Edit", `{"file_path":"/home/ana/shop/src/a.ts","old_string":"a","new_string":"b"}`, level.Low},
		{"Edit", `{"file_path":"/home/ana/shop/../other/a.ts","old_string":"a","new_string":"b"}`, level.Medium},
		{"Edit", `{"file_path":"/home/ana/.bashrc","old_string":"a","new_string":"b"}`, level.High},
		{"Edit", `{"file_path":"/home/ana/shop/.github/workflows/ci.yml","old_string":"a","new_string":"b"}`, level.Medium},
		{"Edit", `{"file_path":"/home/ana/shop/package.json","old_string":"{","new_string":"{\"scripts\":{\"postinstall\":\"node a.js\"}"}`, level.Medium},
		{"Write", `{"file_path":"/home/ana/shop/src/b.ts","content":"export const a = 1\n"}`, level.Low},
		{"Write", `{"file_path":"/home/ana/shop/.git/hooks/pre-commit","content":"x"}`, level.High},
		{"Write", `{"file_path":"/home/ana/shop/.claude/settings.local.json","content":"{}"}`, level.High},
		{"Write", `{"file_path":"/home/ana/shop/.claude/hooks/a.sh","content":"{}"}`, level.High},
		{"Write", `{"file_path":"/home/ana/shop/.mcp.json","content":"{}"}`, level.High},
		{"Write", `{"file_path":"/home/ana/shop/.env.example","content":"A="}`, level.Low},
		{"Write", `{"file_path":"/home/ana/shop/CLAUDE.md","content":"x"}`, level.Low},
		{"MultiEdit", `{"file_path":"/home/ana/shop/a.ts","edits":[{"old_string":"a","new_string":"b"}]}`, level.Low},
		{"NotebookEdit", `{"notebook_path":"/home/ana/shop/a.ipynb","new_source":"1+1"}`, level.Low},
		{"str_replace_editor", `{"command":"view","path":"/home/ana/shop/a.py"}`, level.Low},
		{"str_replace_editor", `{"command":"create","path":"/home/ana/shop/a.py","file_text":"x"}`, level.Low},
		{"str_replace_editor", `{"command":"str_replace","path":"/home/ana/shop/.git/config","old_str":"a","new_str":"b"}`, level.High},
		{"str_replace_editor", `{"command":"undo_edit","path":"/home/ana/shop/a.py"}`, level.Low},
		{"apply_patch", `{"input":"*** Begin Patch\n*** Update File: src/a.py\n@@\n-a\n+b\n*** End Patch"}`, level.Low},
		{"apply_patch", `{"input":"*** Begin Patch\n*** Add File: .husky/pre-commit\n+b\n*** End Patch"}`, level.High},
		{"apply_patch", `{"input":"*** Begin Patch\n*** Update File: src/a.py\n*** Move to: ../a.py\n@@\n-a\n+b\n*** End Patch"}`, level.Medium},
		{"apply_patch", `{"input":"*** Begin Patch\n*** Delete File: .github/workflows/a.yml\n*** End Patch"}`, level.High},
		{"shell", `{"command":["bash","-lc","ls -la && git status"],"workdir":"/home/ana/shop"}`, level.Low},
		{"shell", `{"command":["bash","-lc","git push --force"],"workdir":"/home/ana/shop"}`, level.High},
		{"shell", `{"command":["apply_patch","*** Begin Patch\n*** Update File: src/a.py\n@@\n+b\n*** End Patch"]}`, level.Low},
		{"exec_command", `{"cmd":"go test ./...","workdir":"/home/ana/other"}`, level.Medium},
		{"run_terminal_cmd", `{"command":"npm test","is_background":false}`, level.Low},
		{"run_shell_command", `{"command":"npm test","directory":"web"}`, level.Low},
		{"run_shell_command", `{"command":"rm -rf src","directory":"../other"}`, level.High},
		{"anything", `{"cmd":"git push --force"}`, level.High},
		{"mcp__x__run", `{"command":"rm","args":["-rf","/"]}`, level.High},
		{"write_stdin", `{"session_id":1,"chars":""}`, level.Low},
		{"write_stdin", `{"session_id":1,"chars":"rm -rf ~\n"}`, level.High},
		{"execute_bash", `{"command":"C-c","is_input":true}`, level.Low},
		{"execute_ipython_cell", `{"code":"import shutil\nshutil.rmtree('/home')"}`, level.High},
		{"mcp__serena__activate_project", `{"project":"shop"}`, level.Low},
		{"mcp__memory__create_entities", `{"entities":[{"name":"a","entityType":"t","observations":["b"]}]}`, level.Low},
		{"WebFetch", `{"url":"https://docs.python.org/3/","prompt":"x"}`, level.Low},
		{"WebFetch", `{"url":"http://169.254.169.254/latest/","prompt":"x"}`, level.High},
		{"WebFetch", `{"url":"https://x.example.com/?d=aGVsbG8gd29ybGQgdGhpcyBpcyBhIHNlY3JldCBtZXNzYWdlIQ","prompt":"x"}`, level.Medium},
		{"fetch", `{"url":"https://x.example.com/","method":"POST","body":"x"}`, level.Medium},
		{"fetch_webpage", `{"urls":["https://docs.example.com/a"],"query":"x"}`, level.Low},
		{"web_fetch", `{"prompt":"read http://10.0.0.1/x"}`, level.Medium},
		{"mcp__playwright__browser_navigate", `{"url":"http://localhost:3000/"}`, level.Low},
		{"mcp__playwright__browser_snapshot", `{}`, level.Low},
		{"TodoWrite", `{"todos":[]}`, level.Low},
		{"Task", `{"description":"x","prompt":"y","subagent_type":"z"}`, level.Low},
		{"update_plan", `{"plan":[{"step":"x","status":"pending"}]}`, level.Low},
		{"task_tracker", `{"command":"plan","task_list":[]}`, level.Low},
		{"delete_file", `{"target_file":"src/a.ts"}`, level.Low},
		{"delete_file", `{"target_file":".git/index.lock"}`, level.High},
		{"move_file", `{"source":"a.ts","destination":"/home/ana/a.ts"}`, level.Medium},
		{"edit_file", `{"target_file":"src/a.ts","instructions":"x","code_edit":"y"}`, level.Low},
		{"search_replace", `{"file_path":"src/a.ts","old_string":"a","new_string":"b"}`, level.Low},
		{"multi_replace_string_in_file", `{"explanation":"x","replacements":[{"filePath":"/etc/x","oldString":"a","newString":"b"}]}`, level.High},
		{"write_to_file", `{"path":"src/a.ts","content":"x"}`, level.Low},
		{"replace_in_file", `{"path":"src/a.ts","diff":"x"}`, level.Low},
		{"create_file", `{"filePath":"/home/ana/shop/a.ts","content":"x"}`, level.Low},
		{"list_dir", `{"relative_workspace_path":"src"}`, level.Low},
		{"ssh_exec", `{"host":"db1","command":"ls"}`, level.Safe},
		{"mcp__slack__post_message", `{"channel":"x","text":"y"}`, level.Safe},
		{"mcp__github__create_pull_request", `{"title":"x","body":"y"}`, level.Safe},
		{"delete_user", `{"id":1}`, level.Safe},
		// A path that is given with it makes no file of a user.
		{"delete_user", `{"user_id":"usr_777","path":"exports/dana-7"}`, level.Safe},
		{"remove_member", `{"member":"ana","file":"src/a.ts"}`, level.Safe},
		{"create_invoice", `{"amount":"900 EUR","file":"src/a.ts","content":"x"}`, level.Safe},
		{"editPermissions", `{"path":"src/a.ts","new_string":"admin"}`, level.Safe},
		{"read_secret", `{"path":"src/a.ts"}`, level.Safe},
		// Nor does a command.
		{"delete_user", `{"user_id":"usr_777","command":"ls"}`, level.Safe},
		{"send_payment", `{"amount":"900 EUR","cmd":"ls"}`, level.Safe},
		{"grant_role", `{"user":"ana","code":"1+1"}`, level.Safe},
		{"create_terminal", `{"command":"ls"}`, level.Low},
		{"send_command", `{"command":"ls"}`, level.Low},
		{"send_email", `{"to":"a@b.c","body":"x"}`, level.Safe},
		{"mcp__github__delete_file", `{"owner":"x","repo":"y","path":"a.ts","message":"z","branch":"main"}`, level.Safe},
		{"mcp__github__create_or_update_file", `{"owner":"x","repo":"y","path":"a.ts","content":"z","branch":"main"}`, level.Safe},
		{"s3_put_object", `{"bucket":"x","path":"a","content":"z"}`, level.Safe},
		{"Bash", `{"command":"npm test","dangerouslyDisableSandbox":true}`, level.Medium},
		{"Bash", `{"command":"./scripts/x.sh","dangerouslyDisableSandbox":true}`, level.Medium},
	} {
		arguments, err := canon.Parse([]byte(c.arguments))
		if err != nil {
			t.Fatal(err)
		}
		j := Examine(sandboxed, Input{Function: c.function, Arguments: arguments}).Judge(Memory{})
		if got := j.Level; j.Applies != (c.want != level.Safe) || j.Applies && got != c.want {
			t.Errorf("%s %s is %s, applies %t: %s: %s", c.function, c.arguments, got, j.Applies, j.Cause, j.Because)
		}
	}
}
