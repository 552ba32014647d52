package scoring

import (
	"github.com/countersign/countersign/internal/scoring/call"
	"github.com/countersign/countersign/internal/scoring/edits"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/facts"
	"github.com/countersign/countersign/internal/scoring/headline"
	"github.com/countersign/countersign/internal/scoring/shell"
)

// What an action does, in words: drawn from what may be shown, so that what was masked stays out.

// call is the action as what it would do is read.
func (a Action) call() *call.Call {
	return &call.Call{Function: a.Function(), Arguments: a.Arguments(), Code: a.Code(), Environment: a.Environment()}
}

// Files are those that it edits, and what happens to each; none where it is no edit.
func (a Action) Files() []edits.File { return edits.Read(a.call()) }

// At is the text at a JSON pointer into the action; "" where there is none.
func (a Action) At(pointer string) string { return a.call().At(pointer) }

// Commands are those of a text of it that a shell runs.
func (a Action) Commands(text string) []shell.Command { return a.call().Text(text).Script().Commands }

// Headline is what the action does, in its own words (docs/headline.md).
func (a Action) Headline(as Assessment) headline.Headline {
	return headline.Of(a.call(), a.reading(as))
}

// Read is all that is said of the action, of one reading: Headline, Target and the outcomes for Assessment.Consequences.
func (a Action) Read(as Assessment) headline.All { return headline.Read(a.call(), a.reading(as)) }

// reading is what the assessment found out about the action.
func (a Action) reading(as Assessment) headline.Reading {
	return headline.Reading{Effects: a.effectsOf(as), Facts: as.Facts, Irreversible: a.LifecyclePoint() == PreToolCall && as.Irreversible()}
}

// Said are the arguments with their roles, as the headline says them and a quiz asks for them.
func (a Action) Said(as Assessment) []headline.Argument {
	return headline.Arguments(a.call(), a.effectsOf(as))
}

// effectsOf are those of an assessment. One from before there were any has none, so they
// are read again.
func (a Action) effectsOf(as Assessment) []effects.Effect {
	if len(as.Effects) > 0 || a.LifecyclePoint() != PreToolCall {
		return as.Effects
	}
	all := effects.Examine(a.effectInput(a.call())).Effects(effects.Given{})
	effects.Default().Floor(all, false)
	return all
}

func (a Action) effectInput(c *call.Call) effects.Input {
	return effects.Input{
		Function: c.Function, Arguments: c.Arguments, Code: c.Code, Environment: c.Environment,
		Docstring: a.Docstring(), Hints: a.Hints(), Call: c,
	}
}

// Target is the most specific value of the action, which an operator types to confirm; specific
// is false where it has no argument, and it is the name of the function.
func (a Action) Target(as Assessment) (target string, specific bool) {
	return headline.TargetOf(a.call(), a.reading(as))
}

// Difference is how an action differs from an earlier one.
func (a Action) Difference(earlier Action) facts.Difference {
	return facts.Compare(earlier.call(), a.call())
}

// Languages says which texts of an action are SQL or commands, by JSON pointer.
func (a Action) Languages() map[string]facts.Language { return facts.Languages(a.call()) }
