package facts

import (
	"github.com/countersign/countersign/internal/scoring/scan"
)

// Kind says what part a value plays.
type Kind string

// The kinds, in the order in which they make a good target.
const (
	Target      Kind = "target"    // the thing acted on
	Recipient   Kind = "recipient" // who gets something
	Table       Kind = "table"     // of a database, or a database or schema itself
	Path        Kind = "path"
	Host        Kind = "host"
	Branch      Kind = "branch"
	Amount      Kind = "amount" // a number, with its currency where one is known
	Count       Kind = "count"
	Environment Kind = "environment"
	Flag        Kind = "flag" // force, recursive, cascade, dry run: "true" or "false"
	Time        Kind = "time"
)

// salient reports whether a person can be asked to type a value of this kind.
func (k Kind) salient() bool {
	switch k {
	case Target, Recipient, Table, Path, Host, Branch:
		return true
	}
	return false
}

// Source says how a fact was found.
type Source string

// The sources, best first. (Source 4, code, is the rule scorer's resources.)
const (
	FromKey   Source = "key"   // the name of the argument, or the action's environment
	FromSQL   Source = "sql"   // an SQL statement
	FromShell Source = "shell" // a command line
	FromCode  Source = "code"
	FromShape Source = "shape" // what the value looks like
)

// CodePointer is the Pointer of what stands in the action's code.
const CodePointer = "code"

// Fact is one thing that an action is about.
type Fact struct {
	Kind Kind `json:"kind"`
	// Value is the text as the agent sent it, never cut: spaces at its ends and the
	// quotes of a name left out, an amount with its currency. It can hold anything,
	// control characters too; whoever shows it makes them visible.
	Value string `json:"value"`
	Label string `json:"label"` // a human word for it: "user", "table"
	// Pointer is the JSON pointer of the value in the action, or CodePointer.
	Pointer string `json:"pointer"`
	// Start and End are the bytes of that value in which it stands, End exclusive;
	// for a number or boolean, of its canonical form.
	Start  int    `json:"start"`
	End    int    `json:"end"`
	Source Source `json:"source"`
}

// Place is where the fact stands, as every model writes it.
func (f Fact) Place() scan.Place {
	pointer := f.Pointer
	if pointer == CodePointer {
		pointer = "/code"
	}
	return scan.Place{Pointer: pointer, Start: f.Start, End: f.End}
}
