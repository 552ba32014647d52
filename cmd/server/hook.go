package main

import (
	"errors"
	"slices"

	"github.com/countersign/countersign/internal/hook"
)

// hookCmd describes “hook AGENT” for the help text. It never runs: main hands the
// command to the hook before anything else can end with an exit code that makes an
// agent run its tool.
type hookCmd struct {
	Agent string `arg:"" help:"claude-code, codex, gemini, opencode, cursor or copilot."`
	Low   string `enum:"allow,pass" default:"allow" help:"What a LOW call gets: allow, or pass, which leaves it to the agent's own rules."`
	Wait  string `help:"How long to wait for a person; default wait_seconds of the settings, else 59m30s."`
}

func (hookCmd) Run() error {
	return errors.New("put “hook” first: countersign " + hook.Usage)
}

// asksHook reports whether a command line is “hook AGENT”, whatever comes after it. The
// other commands below hook are named.
func asksHook(args []string) bool {
	if len(args) == 0 || args[0] != "hook" {
		return false
	}
	return len(args) == 1 || !slices.Contains([]string{"install", "doctor", "-h", "--help"}, args[1])
}
