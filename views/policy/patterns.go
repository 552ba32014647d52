package policy

import "github.com/countersign/countersign/views"

// Patterns is how the pattern model scores, and what a match does.
type Patterns struct {
	// Severities are the columns, in the order of the levels.
	Severities []views.Level
	// Weights are those of the severities, Actions those of patterns that name none.
	Weights []NumberField
	Actions []ChoiceField
	Decay   NumberField
	// Critical makes every critical pattern block; CriticalNote says what that changes.
	Critical     LevelBox
	CriticalNote string
	// Rewrite hands calls back without secrets; RewriteNote says what the grant binds.
	Rewrite     LevelBox
	RewriteNote string
	// Bands is the reference table of scores.
	Bands []views.ScoreBand
}
