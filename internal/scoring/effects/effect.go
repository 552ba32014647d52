package effects

import (
	"cmp"
	"slices"

	"github.com/countersign/countersign/internal/scoring/scan"
)

// Kind says what a call does to the world.
type Kind string

// The kinds, the harmless one first.
const (
	Read       Kind = "read"       // returns data or computes, changes nothing
	Write      Kind = "write"      // creates or changes what a like call can change back
	Message    Kind = "message"    // reaches other people or the public
	Money      Kind = "money"      // moves or promises money, changes prices
	Permission Kind = "permission" // access, identity, keys, security controls, monitoring
	Delete     Kind = "delete"     // removes, overwrites or ends for good
	Execute    Kind = "execute"    // code, shell or query that could not be read to its end
	Unknown    Kind = "unknown"    // none of these was recognised
)

// Kinds lists them in that order.
func Kinds() []Kind {
	return []Kind{Read, Write, Message, Money, Permission, Delete, Execute, Unknown}
}

// Valid reports whether k is one of Kinds.
func (k Kind) Valid() bool { return slices.Contains(Kinds(), k) }

// Breadth says how much a call acts on.
type Breadth string

const (
	One     Breadth = "one"
	Several Breadth = "several" // a list of them
	All     Breadth = "all"     // a wildcard, a root, or a statement without its condition
)

func (b Breadth) rank() int { return slices.Index([]Breadth{One, Several, All}, b) }

// wider is the wider one of two; "" is narrower than any.
func (b Breadth) wider(c Breadth) Breadth {
	if c.rank() > b.rank() {
		return c
	}
	return b
}

// Audience says whom a message reaches.
type Audience string

const (
	Inside  Audience = "inside"  // people of the organisation
	Outside Audience = "outside" // anybody else
	Public  Audience = "public"  // everybody
)

// Effect is one thing that a call does. An act may have several: a script that reads
// and deletes.
type Effect struct {
	Kind Kind `json:"kind"`
	// Verb and Object are English words of ours, never the agent's: "delete", "table".
	// Either may be empty.
	Verb    string  `json:"verb"`
	Object  string  `json:"object"`
	Breadth Breadth `json:"breadth"`
	// Reversible is absent where it is not known.
	Reversible *bool `json:"reversible,omitempty"`
	// Sensitive is of a read only: secrets, credentials, personal data in bulk, exports.
	Sensitive bool `json:"sensitive"`
	// Certain is false where only the name speaks.
	Certain bool `json:"certain"`
	// Audience is of a message only.
	Audience Audience `json:"audience,omitempty"`
	// Amount is of money only, where the call names one.
	Amount   *Amount    `json:"amount,omitempty"`
	Evidence []Evidence `json:"evidence"`
}

// Amount is a sum of money.
type Amount struct {
	Value    float64 `json:"value"`              // in the currency's main unit
	Currency string  `json:"currency,omitempty"` // ISO 4217, upper case; "" where the call names none
	OrMore   bool    `json:"or_more,omitempty"`  // it is paid again, or another sum of the call could not be read
}

// Evidence says what an effect was read from: the JSON pointer of a value in the action
// ("/function", "/code", "/arguments/…"), its bytes there, and why.
type Evidence struct {
	Pointer string `json:"pointer"`
	Start   int    `json:"start"`
	End     int    `json:"end"`
	Why     string `json:"why"`
	// Command is the simple command that it was read from, of a shell text that was judged
	// in a workspace.
	Command string `json:"command,omitempty"`
}

// Place is where the evidence stands, as every model writes it.
func (e Evidence) Place() scan.Place {
	return scan.Place{Pointer: e.Pointer, Start: e.Start, End: e.End}
}

// Harmless reports whether every effect is a read of nothing sensitive.
func Harmless(all []Effect) bool {
	return len(all) > 0 && !slices.ContainsFunc(all, func(e Effect) bool { return e.Kind != Read || e.Sensitive })
}

// severity orders the kinds where no policy does: of two effects of one floor the worse
// kind stands first.
func (k Kind) severity() int {
	return slices.Index([]Kind{Read, Write, Unknown, Message, Execute, Money, Permission, Delete}, k)
}

func worstFirst(a, b Effect) int { return cmp.Compare(b.Kind.severity(), a.Kind.severity()) }
