// Package headline says what a call does in the call's own words (docs/headline.md): its function, what
// it acts on, and every other argument by name, the weightiest first; a command, a statement or
// a program as it is written. Nothing is composed, so nothing can be composed wrongly.
//
//	call ──▶ arguments.go ─ each value, its role and its weight (roles.go)
//	     ──▶ written.go ─── what is executed, as it is written, and what of it decides
//	     ──▶ sentences.go ─ the tools that people use most, in whole sentences (sentences.yaml)
//	     ──▶ headline.go ── the parts in their order, bounded
//	effects ─▶ consequence.go
//
// The queue, the page, notices, history, the trail and the API say the same parts. What a caller
// chose is theirs, names of functions and arguments too; what we say is ours.
package headline

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/countersign/countersign/internal/scoring/call"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/facts"
)

// Role says what a part of a headline is.
type Role string

// The roles.
const (
	Tool     Role = "tool"     // the server or product that a function's name begins with
	Function Role = "function" // the words of its name
	Name     Role = "name"     // of an argument; its values follow
	Label    Role = "label"    // words of ours
	More     Role = "more"     // how many values are not said

	Target    Role = "target"    // what the call acts on
	Given     Role = "given"     // a role, a permission, a policy
	Recipient Role = "recipient" // who gets something
	Manner    Role = "manner"    // a side, a method, an action, a mode
	Amount    Role = "amount"    // of money
	Count     Role = "count"
	Where     Role = "where" // an account, a repository, an environment
	Flag      Role = "flag"
	Value     Role = "value"
	Text      Role = "text" // prose, by its first words

	Command   Role = "command"   // a shell's
	Statement Role = "statement" // of SQL
	Code      Role = "code"
	Request   Role = "request" // of HTTP: method and address
	File      Role = "file"
)

// By says whose words a part is.
type By string

// The two of them.
const (
	Ours   By = "ours"
	Theirs By = "theirs"
)

// Part is a piece of a headline.
type Part struct {
	Role Role   `json:"role"`
	Text string `json:"text"`
	By   By     `json:"by"`
	// Weight orders the parts: from Decisive on they are what made the level.
	Weight int `json:"weight"`

	leaves int    // values of the call that it says
	last   string // of the names that stand around a value the innermost
	again  bool   // it says what stands before it once more, in its context
	item   int    // of which item it is
	list   string // the list of several elements of which its item is one
	of     int    // how many that are
}

// Headline is what a call does.
type Headline struct {
	Text  string `json:"text"` // the parts on one line, at most MaxText characters before "+n values"
	Parts []Part `json:"parts"`
	// Consequence is what follows, in at most six words of ours, and Reversible whether that can
	// be undone, where it is known.
	Consequence string `json:"consequence"`
	Reversible  *bool  `json:"reversible,omitempty"`
}

const (
	// MaxText bounds a text, MaxRow what a row of a list shows of it, and MaxLine what that draws large, in characters.
	MaxText = 600
	MaxRow  = 210
	MaxLine = 90
)

// Reading is what was found out about a call.
type Reading struct {
	Effects []effects.Effect // the one that decides first
	Facts   []facts.Fact
	// Irreversible says that something other than the effects does: a rule, a hint.
	Irreversible bool
}

// item is what stands together: the name of an argument and its values.
type item struct {
	parts  []Part
	weight int
	size   float64 // of the amount in it
	unsaid int     // values of it that no headline says
	list   string  // it is an element of that list
	of     int     // of so many
}

// Of is the headline of a call.
func Of(in *call.Call, r Reading) Headline { return actOf(in, r).headline() }

// All is all that is said of a call: its headline, its target as TargetOf says it, and what will be
// true once it has run.
type All struct {
	Headline
	Target   string
	Specific bool
	Outcomes []string
}

// Read reads a call once for all of it.
func Read(in *call.Call, r Reading) All {
	a := actOf(in, r)
	all := All{Outcomes: a.outcomes()}
	all.Target, all.Specific = a.specific()
	all.Headline = a.headline() // the last one: it notes what it said
	return all
}

func (a *act) headline() Headline {
	h := Headline{Consequence: a.consequence(), Reversible: a.reversible()}
	h.Parts = fit(assemble(a.items()), MaxText, true)
	h.Text = Plain(h.Parts)
	return h
}

// Head is the beginning of it for a button: function and target, or what is executed.
func (h Headline) Head() []Part {
	var kept []Part
	for i, p := range h.Parts {
		// Of what has a name beside it only the target, right behind the function.
		if p.Role == More || p.Role == Name && (i == 0 || h.Parts[i-1].Role != Function || i+1 == len(h.Parts) || h.Parts[i+1].Role != Target) {
			break
		}
		kept = append(kept, p)
	}
	for n := len(kept) - 1; n > 0 && strings.HasSuffix(kept[n].Text, ":"); n-- {
		kept = kept[:n]
	}
	return fit(kept, MaxLine, false)
}

// assemble puts items one behind another.
func assemble(items []item) []Part {
	var all []Part
	unsaid := 0
	for i, it := range items {
		for _, p := range it.parts {
			p.item, p.list, p.of = i, it.list, it.of
			all = append(all, p)
		}
		unsaid += it.unsaid
	}
	return withMore(all, unsaid)
}

func withMore(all []Part, n int) []Part {
	if n == 0 {
		return all
	}
	return append(all, Part{Role: More, Text: plus(n), By: Ours, leaves: n})
}

func plus(n int) string {
	if n == 1 {
		return "+1 value"
	}
	return "+" + group(strconv.Itoa(n)) + " values"
}

// fit keeps as many characters of the parts as there is room for, and counts the values of which
// nothing is there. A value of which only the beginning is there ends with "…".
func fit(all []Part, room int, quotes bool) []Part {
	if length(all, quotes) <= room {
		return all
	}
	kept, i := []Part(nil), 0
	for i < len(all) && length(append(kept, all[i]), quotes) <= room {
		kept = append(kept, all[i])
		i++
	}
	left := 0
	for _, p := range all[i:] {
		left += p.leaves
	}
	p := all[i]
	p.Text = "…"
	whole := !strings.Contains(strings.TrimSuffix(all[i].Text, "…"), "…") // the ends of an identifier are not cut once more
	if free := room - length(append(kept, p), quotes); p.By == Theirs && p.Role != Name && free >= shortest && whole {
		p.Text = begin(all[i].Text, free) + "…"
		kept, left = append(kept, p), left-p.leaves
	}
	for len(kept) > 0 && (kept[len(kept)-1].Role == Name || kept[len(kept)-1].Role == Label && kept[len(kept)-1].leaves == 0) {
		kept = kept[:len(kept)-1]
	}
	return withMore(kept, left)
}

// shortest is how many characters of a value at least are worth saying.
const shortest = 8

func length(parts []Part, quotes bool) int { return utf8.RuneCountInString(line(parts, quotes)) }

// begin is the first n characters of a text, up to a word where one ends in its last third.
func begin(text string, n int) string {
	if utf8.RuneCountInString(text) <= n {
		return text
	}
	at := 0
	for i := range text {
		if n == 0 {
			at = i
			break
		}
		n--
	}
	text = text[:at]
	if space := strings.LastIndexByte(text, ' '); space > at*2/3 {
		text = text[:space]
	}
	return text
}
