package install

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Machine is what an installation depends on, so that tests can say what it is.
type Machine struct {
	OS         string // runtime.GOOS
	Home       string
	Getenv     func(string) string
	Executable string                       // the program that runs, an absolute path
	LookPath   func(string) (string, error) // exec.LookPath
}

// Agent is a coding agent whose settings can hold our hook.
type Agent struct {
	Name    string
	Program string // the command that starts it
	// Untried says what nobody tried with the real program; empty where it was.
	Untried string

	before, after string // its names of the events around a tool call
	user          func(Machine) string
	project       []string             // below the project's folder
	managed       func(Machine) string // nil if there is no such file
	format        format
}

// format puts our hook into the text of one kind of settings file and takes it out.
type format interface {
	// add gives the text with our hook as it should be, or the same text. An empty text is a new file.
	add(text []byte, command string) ([]byte, error)
	// remove gives the text without our hook, and whether it was there.
	remove(text []byte) ([]byte, bool, error)
	// hooks are our hook's entries and those of others, as they stand.
	hooks(text []byte) (ours, others []entry, err error)
	// managed is the text of a file that users cannot edit.
	managed(command string) string
}

// entry is one hook of a settings file.
type entry struct {
	Event   string
	Command string
	Wrong   []string // what is not as installed; of ours only
}

// geminiSystem is the variable that names Gemini's machine-wide settings.
const geminiSystem = "GEMINI_CLI_SYSTEM_SETTINGS_PATH"

const untried = "Nobody tried this with the real program yet: it follows the published description. Run “countersign hook doctor %s”, and see one call held before you rely on it."

// Agents are those that can be installed, the best proven first.
var Agents = []*Agent{
	{
		Name: "claude-code", Program: "claude", before: "PreToolUse", after: "PostToolUse",
		user: func(m Machine) string {
			return filepath.Join(m.folder("CLAUDE_CONFIG_DIR", ".claude"), "settings.json")
		},
		project: []string{".claude", "settings.local.json"},
		managed: func(m Machine) string {
			return filepath.Join(byOS(m.OS, "/etc/claude-code", "/Library/Application Support/ClaudeCode", `C:\Program Files\ClaudeCode`), "managed-settings.json")
		},
		format: jsonHooks{
			agent: "claude-code", group: true, only: map[string]any{"allowManagedHooksOnly": true},
			events: []jsonEvent{
				{"PreToolUse", func(c string) any { return claudeHook{Type: "command", Command: c, Timeout: 3600, OnFailure: "block"} }},
				{"PostToolUse", func(c string) any { return claudeHook{Type: "command", Command: c, Timeout: 3600} }},
				{"PostToolUseFailure", func(c string) any { return claudeHook{Type: "command", Command: c, Timeout: 3600} }},
			},
		},
	},
	{
		Name: "codex", Program: "codex", before: "PreToolUse", after: "PostToolUse",
		user:    func(m Machine) string { return filepath.Join(m.folder("CODEX_HOME", ".codex"), "config.toml") },
		project: []string{".codex", "config.toml"},
		managed: func(m Machine) string {
			return byOS(m.OS, "/etc/codex/requirements.toml", "/etc/codex/requirements.toml", `C:\ProgramData\OpenAI\Codex\requirements.toml`)
		},
		format: tomlHooks{},
	},
	{
		Name: "gemini", Program: "gemini", before: "BeforeTool", after: "AfterTool",
		user: func(m Machine) string {
			home := m.Getenv("GEMINI_CLI_HOME")
			if home == "" {
				home = m.Home
			}
			return filepath.Join(home, ".gemini", "settings.json")
		},
		project: []string{".gemini", "settings.json"},
		managed: func(m Machine) string {
			if path := m.Getenv(geminiSystem); path != "" {
				return path
			}
			return filepath.Join(byOS(m.OS, "/etc/gemini-cli", "/Library/Application Support/GeminiCli", `C:\ProgramData\gemini-cli`), "settings.json")
		},
		format: jsonHooks{
			agent: "gemini", form: withComments, group: true,
			events: []jsonEvent{
				{"BeforeTool", func(c string) any { return geminiHook{"countersign", "command", c, 3_600_000} }},
				{"AfterTool", func(c string) any { return geminiHook{"countersign", "command", c, 3_600_000} }},
			},
		},
	},
	{
		Name: "opencode", Program: "opencode", before: "tool.execute.before", after: "tool.execute.after",
		Untried: fmt.Sprintf(untried, "opencode"),
		user: func(m Machine) string {
			return filepath.Join(m.folder("XDG_CONFIG_HOME", ".config"), "opencode", "plugin", "countersign.js")
		},
		project: []string{".opencode", "plugin", "countersign.js"},
		format:  plugin{},
	},
	{
		Name: "cursor", Program: "cursor", before: "preToolUse", after: "postToolUse",
		Untried: fmt.Sprintf(untried, "cursor"),
		user:    func(m Machine) string { return filepath.Join(m.Home, ".cursor", "hooks.json") },
		project: []string{".cursor", "hooks.json"},
		managed: func(m Machine) string {
			return filepath.Join(byOS(m.OS, "/etc/cursor", "/Library/Application Support/Cursor", `C:\ProgramData\Cursor`), "hooks.json")
		},
		format: jsonHooks{
			agent: "cursor", version: true,
			events: []jsonEvent{
				{"preToolUse", func(c string) any { return cursorHook{c, 3600, true} }},
				{"postToolUse", func(c string) any { return cursorHook{c, 3600, false} }},
				{"postToolUseFailure", func(c string) any { return cursorHook{c, 3600, false} }},
			},
		},
	},
	{
		Name: "copilot", Program: "copilot", before: "preToolUse", after: "postToolUse",
		Untried: fmt.Sprintf(untried, "copilot") + " It is said to run the tool when its own time-out ends.",
		user: func(m Machine) string {
			return filepath.Join(m.folder("COPILOT_HOME", ".copilot"), "hooks", "countersign.json")
		},
		project: []string{".github", "hooks", "countersign.json"},
		format: jsonHooks{
			agent: "copilot", version: true,
			events: []jsonEvent{
				{"preToolUse", func(c string) any { return copilotHook{"command", c, 3600} }},
				{"postToolUse", func(c string) any { return copilotHook{"command", c, 3600} }},
			},
		},
	},
}

// AgentNamed is the agent of a name.
func AgentNamed(name string) (*Agent, error) {
	var names []string
	for _, a := range Agents {
		if a.Name == name {
			return a, nil
		}
		names = append(names, a.Name)
	}
	return nil, usageError{fmt.Sprintf("there is no agent %q; there are %s", name, strings.Join(names, ", "))}
}

// folder is where a variable says, else a folder of the home.
func (m Machine) folder(variable, inHome string) string {
	if dir := m.Getenv(variable); dir != "" {
		return dir
	}
	return filepath.Join(m.Home, inHome)
}

func byOS(goos, other, mac, windows string) string {
	switch goos {
	case "darwin":
		return mac
	case "windows":
		return windows
	}
	return other
}

// noAnswer is what the model and the person read when the hook itself failed. It is also how
// we know our own entries again.
const noAnswer = "Countersign: the gate gave no answer, so a call that waited for it is not run."

// Command is the command line that an agent runs: our program, and a shell around it that
// exits with 2 and a sentence if the program is gone, was killed or failed in any way, because
// agents run the tool after most failures. An empty file, such as a full disk leaves, would be
// an empty script to the shell: hence test -s. With exec the hook's parent is the agent's own
// shell, and the hook sees when the agent is gone.
func (a *Agent) Command(m Machine) (string, error) {
	args := []string{m.Executable, "hook", a.Name}
	small := filepath.Join(filepath.Dir(m.Executable), byOS(m.OS, "countersign-hook", "countersign-hook", "countersign-hook.exe"))
	if info, err := os.Stat(small); err == nil && info.Mode().IsRegular() && info.Size() > 0 && (m.OS == "windows" || info.Mode()&0o111 != 0) {
		args = []string{small, a.Name}
	}
	if m.OS == "windows" {
		args[0] = strings.ReplaceAll(args[0], `\`, "/") // Git's sh takes both
	}
	if strings.ContainsFunc(args[0], func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return "", fmt.Errorf("the program's path %q has a control character in it", args[0])
	}
	if strings.Contains(args[0], "$") && a.Name == "gemini" {
		return "", fmt.Errorf("the program's path %q has a $ in it, which Gemini's settings replace", args[0])
	}
	if err := m.stays(); err != nil {
		return "", err
	}
	program := quote(args[0])
	return fmt.Sprintf("( test -s %s && exec %s %s ) || { echo '%s' >&2; exit 2; }", program, program, strings.Join(args[1:], " "), noAnswer), nil
}

// stays refuses a program that is gone after this run.
func (m Machine) stays() error {
	if !filepath.IsAbs(m.Executable) || strings.Contains(filepath.ToSlash(m.Executable), "/go-build") {
		return fmt.Errorf("this program is at %s, where it does not stay: build it (make build) or install it, and run that one", m.Executable)
	}
	return nil
}

// quote is a text as one word of a shell.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// byHand is a hook of ours that someone wrote into the settings.
var byHand = regexp.MustCompile(`countersign(-hook)?(\.exe)?['"]?\s+(hook\s+)?(claude-code|codex|gemini|opencode|cursor|copilot)\b`)

func isOurs(command string) bool {
	return strings.Contains(command, "Countersign: the gate") || byHand.MatchString(command)
}

// wrapped takes the program's words out of a command that we wrote.
var wrapped = regexp.MustCompile(`^\( test -s ('.*') && exec ('.*') ((?:hook )?[a-z-]+) \) \|\| \{ echo '` + regexp.QuoteMeta(noAnswer) + `' >&2; exit 2; \}$`)

// programOf is the path of the program in a command that we wrote, "" in any other one.
func programOf(command string) string {
	m := wrapped.FindStringSubmatch(command)
	if m == nil || m[1] != m[2] {
		return ""
	}
	path := strings.ReplaceAll(m[1][1:len(m[1])-1], `'\''`, "'")
	if quote(path) != m[1] {
		return ""
	}
	return path
}

// File is the settings file that an installation changes: of the user, or of a project.
func (a *Agent) File(m Machine, project string) string {
	if project == "" {
		return a.user(m)
	}
	return filepath.Join(slices.Concat([]string{project}, a.project)...)
}
