package scoring

import "github.com/countersign/countersign/internal/scoring/facts"

// What an action is about, in words. fs are the facts of its assessment, so that
// what was masked stays out of every sentence.

func (a Action) factInput() facts.Input {
	return facts.Input{Function: a.Function(), Arguments: a.Arguments(), Code: a.Code(), Environment: a.Environment()}
}

// Sentence is verb, target and environment: "Delete user usr_123 in production".
func (a Action) Sentence(fs []facts.Fact) string { return facts.Sentence(a.factInput(), fs) }

// Hidden is the sentence while a quiz is answered: "Delete a user".
func (a Action) Hidden(fs []facts.Fact) string { return facts.Hidden(a.factInput(), fs) }

// Salient is what an operator types to confirm; specific is false when no fact
// makes a target, and it is the name of the function.
func (a Action) Salient(fs []facts.Fact) (target string, specific bool) {
	f, ok := facts.Salient(a.factInput(), fs)
	return f.Value, ok
}

// Operation is the verb and the object without any value: "Delete", "user".
func (a Action) Operation(fs []facts.Fact) (verb, object string) {
	return facts.Operation(a.factInput(), fs)
}

// Difference is how an action with the facts fs differs from an earlier one with
// its facts.
func (a Action) Difference(fs []facts.Fact, earlier Action, its []facts.Fact) facts.Difference {
	return facts.Compare(earlier.factInput(), a.factInput(), its, fs)
}

// Languages says which texts of an action are SQL or commands, by JSON pointer.
func (a Action) Languages() map[string]facts.Language { return facts.Languages(a.factInput()) }
