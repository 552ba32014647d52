package approvals

import (
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring"
)

// What a standing grant covers is a pattern of calls (scoring/call_pattern.go).
type (
	Rule    = scoring.TermRule
	Pattern = scoring.CallPattern
	Term    = scoring.CallTerm
	Miss    = scoring.CallMiss
)

const (
	RuleEquals = scoring.RuleEquals
	RuleOneOf  = scoring.RuleOneOf
	RulePrefix = scoring.RulePrefix
	RuleGlob   = scoring.RuleGlob
	RuleAtMost = scoring.RuleAtMost
	RuleAny    = scoring.RuleAny
)

// RulesFor lists the rules that make sense for a value like this one.
func RulesFor(v canon.Value) []Rule { return scoring.RulesFor(v) }
