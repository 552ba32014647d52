package workspace

import (
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/level"
)

// verdict is what one simple command, or one use of a tool, is.
type verdict struct {
	level level.Level
	// cause and because are as in Judgement.
	cause, because string
	kind           effects.Kind
	sensitive      bool
	nameless       bool // the program's name is known only when it runs
	verb, object   string
	// finding is what it is for a script that it stands in; "" for none.
	finding Finding
	covers  *Scope
	// command is the simple command, and start and end are its bytes in the text.
	// of is the index of the command in its text.
	of         int
	pointer    string
	command    string
	start, end int
}
