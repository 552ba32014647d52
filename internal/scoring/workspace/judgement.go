package workspace

import (
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring/call"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/level"
)

// Input is what is read of an action.
type Input struct {
	Function  string
	Arguments canon.Value // an object, an array, or Absent
	Code      string
	// Call takes the texts of the call apart.
	Call *call.Call
}

// Judgement is what a call is under a binding.
type Judgement struct {
	// Applies says that Level and Effects replace what is said without the binding. It is
	// false for a call that has nothing to do with files, commands or the web.
	Applies bool             `json:"-"`
	Level   level.Level      `json:"level,omitempty"`
	Effects []effects.Effect `json:"-"`
	// Cause is a stable word for the rule that decided: "push", "install", "outside";
	// Because is why in a few English words, also where nothing is held.
	Cause   string `json:"cause,omitempty"`
	Because string `json:"because,omitempty"`
	// Cwd is the folder in which the call starts, and Inside whether it is in the workspace.
	Cwd    string `json:"cwd,omitempty"`
	Inside bool   `json:"inside"`
	// Covers is what a session grant for it would cover; nil where none is possible.
	Covers *Scope `json:"covers,omitempty"`
	// Used are the files whose memory counted, and Writes what is to be remembered: what a
	// submission adds, and once the grant is spent what replaces it. Reviews says that a
	// person who approves the call has seen what the agent wrote so far.
	Used    []File `json:"used,omitempty"`
	Writes  []File `json:"writes,omitempty"`
	Reviews bool   `json:"reviews,omitempty"`
}

// Scope is what a session grant covers.
type Scope struct {
	// Of is one of "install", "push", "ssh", "http", "file", "folder", "compose", "tool",
	// "program", "code".
	Of string `json:"of"`
	// To is the branch, host, path, tool, or program with its subcommand; "" for install
	// and compose.
	To string `json:"to,omitempty"`
	// Files are those whose change by this agent ends the grant.
	Files []string `json:"files,omitempty"`
}
