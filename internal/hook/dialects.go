package hook

import (
	"encoding/json"
	"strings"

	"github.com/countersign/countersign/internal/canon"
)

// names are the members of an agent's events.
type names struct{ event, tool, input, session, call string }

// dialect is how one agent asks and is answered.
type dialect struct {
	agent  string
	names  names
	before []string // events that ask whether a call may run
	after  []string // events that say that it ran
	failed []string // events that say that it failed
	shells []string // tools that run a command, relative to a folder
	folder string   // the argument by which they take another one, "" where there is none
	loose  bool     // arguments that the tool doesn't know are let through, and ignored

	// special reads an event whose members are not as names say. ok is false where it
	// is an ordinary one.
	special func(event string, e canon.Value) (c call, ok bool)
	// answer writes a decision. changed is nil where the arguments stay as they are.
	answer func(event string, d decision) any
	// neutral is the answer to an event after a call.
	neutral func(event string) any
	// merges says that the agent lays changed arguments over its own ones, so that
	// nothing can be taken away.
	merges bool
	// edits says for which events arguments can be changed; nil means all.
	edits []string
	// ran tells a failure from what an event after the call holds; nil where the
	// event's name says all.
	ran func(e map[string]json.RawMessage) (succeeded bool, detail string)
}

// decision is what to tell the agent.
type decision struct {
	allow  bool
	pass   bool // leave it to the agent's own rules, where it has such an answer
	reason string
	input  json.RawMessage // what to run in place of the agent's arguments, or nil
}

type object = map[string]any

func (d decision) word() string {
	if d.allow {
		return "allow"
	}
	return "deny"
}

// snake are the names that Claude Code chose and others took over.
var snake = names{"hook_event_name", "tool_name", "tool_input", "session_id", "tool_use_id"}

// dialects are the agents, each with the version that was tried, or read.
var dialects = []dialect{
	{ // 2.1.332, tried
		agent: "claude-code", names: snake,
		before: []string{"PreToolUse"}, after: []string{"PostToolUse"}, failed: []string{"PostToolUseFailure"},
		shells: []string{"Bash", "PowerShell", "Monitor"},
		answer: func(event string, d decision) any {
			out := object{"hookEventName": event}
			if !d.pass {
				out["permissionDecision"], out["permissionDecisionReason"] = d.word(), d.reason
			}
			if d.input != nil {
				out["updatedInput"] = d.input
			}
			return object{"hookSpecificOutput": out}
		},
		neutral: specific,
	},
	{ // 0.171.0, tried. It knows no plain allow: an answer without a decision runs.
		agent: "codex", names: snake,
		before: []string{"PreToolUse"}, after: []string{"PostToolUse"},
		shells: []string{"Bash", "apply_patch"}, // a patch names its files from cwd, too
		answer: func(event string, d decision) any {
			out := object{"hookEventName": event}
			switch {
			case !d.allow:
				out["permissionDecision"], out["permissionDecisionReason"] = "deny", d.reason
			case d.input != nil:
				out["permissionDecision"], out["updatedInput"] = "allow", d.input
			}
			return object{"hookSpecificOutput": out}
		},
		neutral: specific,
		ran: func(e map[string]json.RawMessage) (bool, string) {
			var response struct{ IsError bool }
			_ = json.Unmarshal(e["tool_response"], &response)
			return !response.IsError, "" // a command's exit code isn't told
		},
	},
	{ // 0.61.0, tried. Its events name no call.
		agent: "gemini", names: names{"hook_event_name", "tool_name", "tool_input", "session_id", ""},
		before: []string{"BeforeTool"}, after: []string{"AfterTool"},
		shells: []string{"run_shell_command"}, folder: "dir_path", loose: true, special: geminiMCP, merges: true,
		answer: func(event string, d decision) any {
			out := object{"decision": d.word(), "reason": d.reason}
			if d.input != nil {
				out["hookSpecificOutput"] = object{"hookEventName": event, "tool_input": d.input}
			}
			return out
		},
		neutral: specific,
		ran: func(e map[string]json.RawMessage) (bool, string) {
			var response struct {
				Error         json.RawMessage
				LLMContent    json.RawMessage `json:"llmContent"`
				ReturnDisplay json.RawMessage `json:"returnDisplay"`
			}
			_ = json.Unmarshal(e["tool_response"], &response)
			if strings.Contains(message(response.LLMContent), "\nExit Code: ") { // how its shell tells one
				return false, message(response.ReturnDisplay)
			}
			return len(response.Error) == 0 || string(response.Error) == "null", message(response.Error)
		},
	},
	{ // 1.18.33; the event is what our plugin makes of tool.execute.before
		agent: "opencode", names: names{"event", "tool", "args", "sessionID", "callID"},
		before: []string{"tool.execute.before"}, after: []string{"tool.execute.after"},
		shells: []string{"bash"}, folder: "workdir", loose: true,
		answer: func(_ string, d decision) any {
			out := object{"decision": d.word(), "reason": d.reason}
			if d.input != nil {
				out["args"] = d.input
			}
			return out
		},
		neutral: nothing,
	},
	{ // read only
		agent: "cursor", names: names{"hook_event_name", "tool_name", "tool_input", "conversation_id", "tool_use_id"},
		before: []string{"preToolUse", "beforeShellExecution", "beforeMCPExecution"},
		after:  []string{"postToolUse"}, failed: []string{"postToolUseFailure"},
		shells: []string{"Shell"}, folder: "working_directory", loose: true, special: cursorOld, edits: []string{"preToolUse"},
		answer: func(_ string, d decision) any {
			out := object{"permission": d.word(), "user_message": d.reason, "agent_message": d.reason}
			if d.input != nil {
				out["updated_input"] = d.input
			}
			return out
		},
		neutral: nothing,
	},
	{ // 1.0.102, read only. Its events have no name: one with a result is after the call.
		agent: "copilot", names: names{"", "toolName", "toolArgs", "sessionId", "toolCallId"},
		before: []string{"preToolUse"}, after: []string{"postToolUse"},
		shells: []string{"bash", "powershell"}, loose: true,
		answer: func(_ string, d decision) any {
			out := object{"permissionDecision": d.word(), "permissionDecisionReason": d.reason}
			if d.input != nil {
				out["modifiedArgs"] = d.input
			}
			return out
		},
		neutral: nothing,
		ran: func(e map[string]json.RawMessage) (bool, string) {
			var result struct {
				ResultType       string `json:"resultType"`
				TextResultForLLM string `json:"textResultForLlm"`
			}
			_ = json.Unmarshal(e["toolResult"], &result)
			if result.ResultType == "success" {
				return true, ""
			}
			return false, result.TextResultForLLM
		},
	},
}

// agents are the names of the dialects.
func agents() string {
	var all []string
	for _, d := range dialects {
		all = append(all, d.agent)
	}
	return strings.Join(all, ", ")
}

// specific says nothing about a call that ran, in a form that is not empty.
func specific(event string) any { return object{"hookSpecificOutput": object{"hookEventName": event}} }
func nothing(string) any        { return object{} }

// geminiMCP names a tool of an MCP server as other agents and the gateway do.
func geminiMCP(_ string, e canon.Value) (call, bool) {
	server, tool := e.Get("mcp_context").Get("server_name").Text(), e.Get("mcp_context").Get("tool_name").Text()
	if server == "" || tool == "" {
		return call{}, false
	}
	return call{function: "mcp__" + server + "__" + tool, input: e.Get("tool_input")}, true
}

// cursorOld reads the events that Cursor had before preToolUse.
func cursorOld(event string, e canon.Value) (call, bool) {
	if event != "beforeShellExecution" {
		return call{}, false
	}
	return call{function: "Shell", input: canon.Object(canon.Member{Name: "command", Value: e.Get("command")})}, true
}

// message is the text of an error, whether it is one or an object with one.
func message(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var in struct{ Message string }
	_ = json.Unmarshal(raw, &in)
	return in.Message
}
