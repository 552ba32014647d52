package effects

import (
	"slices"

	"github.com/countersign/countersign/internal/canon"
)

// Described is what a server's description and annotations of a tool add to its name; ""
// for nothing. Authors write both carelessly, so they only raise, and only what reads by
// its name.
func Described(function, description string, annotations canon.Value) Kind {
	if !Harmless(Examine(Input{Function: function}).Effects(Given{})) {
		return ""
	}
	all := Examine(Input{Function: function, Docstring: description, Hints: annotations}).Effects(Given{})
	if worst := all[0].Kind; worst != Read {
		return worst
	}
	return ""
}

// Worse is the worse one of two kinds; "" is less than any.
func Worse(a, b Kind) Kind {
	return slices.MaxFunc([]Kind{a, b}, func(a, b Kind) int { return a.severity() - b.severity() })
}

// Suggested is what to accept of a tool of a server, for a person to look at: what was
// reviewed, or that it reads, where its server says so and its name says nothing. "" is
// what its name says.
func Suggested(server, tool string, readOnly bool) Kind {
	name := Examine(Input{Function: tool})
	switch reviewed := Reviewed(server, tool); {
	case reviewed != "" && reviewed != name.Effects(Given{})[0].Kind:
		return reviewed
	case reviewed == "" && readOnly && name.name.kind == Unknown:
		return Read
	}
	return ""
}
