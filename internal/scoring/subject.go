package scoring

import (
	"github.com/countersign/countersign/internal/scoring/call"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/facts"
)

// What an action is about, in words. fs are the facts of its assessment, so that
// what was masked stays out of every sentence.

// call is the action as what it would do is read.
func (a Action) call() *call.Call {
	return &call.Call{Function: a.Function(), Arguments: a.Arguments(), Code: a.Code(), Environment: a.Environment()}
}

// Sentence is what happens: effect, object, target, how much, and where (judgement.md
// section 4): "Delete user usr_123 in production".
func (a Action) Sentence(as Assessment) string {
	return facts.Sentence(a.call(), as.Facts, a.effectsOf(as))
}

// Brief is the Sentence without what only distinguishes the act from others: a list shows it
// of a request whose quiz asks for the rest.
func (a Action) Brief(as Assessment) string {
	return facts.Brief(a.call(), as.Facts, a.effectsOf(as))
}

// Hidden is the sentence while a quiz is answered: "Delete a user".
func (a Action) Hidden(as Assessment) string {
	return facts.Hidden(a.call(), as.Facts, a.effectsOf(as))
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

// Target is what the Sentence names, and an operator types to confirm; specific is false
// where no fact makes a target, and it is the name of the function.
func (a Action) Target(as Assessment) (target string, specific bool) {
	f, ok := facts.Named(a.call(), as.Facts, a.effectsOf(as))
	return f.Value, ok
}

// Difference is how an action with the facts fs differs from an earlier one with
// its facts.
func (a Action) Difference(fs []facts.Fact, earlier Action, its []facts.Fact) facts.Difference {
	return facts.Compare(earlier.call(), a.call(), its, fs)
}

// Languages says which texts of an action are SQL or commands, by JSON pointer.
func (a Action) Languages() map[string]facts.Language { return facts.Languages(a.call()) }
