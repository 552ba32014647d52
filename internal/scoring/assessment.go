package scoring

import (
	"github.com/countersign/countersign/internal/scoring/edits"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/facts"
	"github.com/countersign/countersign/internal/scoring/fivefactor"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/patterns"
	"github.com/countersign/countersign/internal/scoring/rules"
)

// Assessment is what scoring says about one action under one policy: the three
// models' answers, what the policy makes of them, and why. It is stored and sent
// as JSON in this form; its slices are never null there.
type Assessment struct {
	Level    level.Level `json:"level"` // LOW to CRITICAL
	Score    float64     `json:"score"` // 0..1, six decimals
	Response Response    `json:"response"`

	// Effects are what the call does, the one with the highest floor first; none at the
	// lifecycle points at which nothing is called.
	Effects []effects.Effect `json:"effects"`
	// Floor is the level that the effects ask for, and which of them decides.
	Floor effects.Floor `json:"floor"`
	// Inputs are what it was given beside the action and the policy: who gives the same
	// again gets the same again.
	Inputs Inputs `json:"inputs"`

	// Files are those that the call edits, and what happens to each; none where it is no edit.
	Files []edits.File `json:"files,omitempty"`

	Facts      []facts.Fact      `json:"facts"`
	FiveFactor fivefactor.Result `json:"five_factor"`
	Patterns   patterns.Record   `json:"patterns"`
	Rules      rules.Result      `json:"rules"`

	// Rewrites says that the agent is handed its call back without the secrets that were
	// found in it, where it is approved: the policy says so. The grant binds what was sent.
	Rewrites bool `json:"rewrites,omitempty"`

	// Scorers is how own scorers of the organisation changed the score; nil where it has none.
	Scorers *Scorers `json:"scorers,omitempty"`

	// SetAside are the names of patterns and rules about commands that found only texts
	// that nothing runs: they stay recorded and say nothing about the level.
	SetAside []string `json:"set_aside,omitempty"`

	// Remarks are the names of patterns that asked to confirm and raised nothing, because the
	// call only reads.
	Remarks []string `json:"remarks,omitempty"`

	// Trust is what the agent's record did, or why it did nothing; nil where the policy
	// gives it no say, or the action is not MEDIUM.
	Trust *Trusted `json:"trust,omitempty"`

	// Workspace is what the call is in the folder that the agent is bound to; nil where it
	// is bound to none.
	Workspace *Workspace `json:"workspace,omitempty"`

	// Remembered is the denial or the block that holds it, as in Inputs; nil for none.
	Remembered *Remembered `json:"remembered,omitempty"`

	// SessionGrant is what let it through although it is held; nil for none.
	SessionGrant *SessionGrant `json:"session_grant,omitempty"`

	// Explanation is one sentence that names the decisive evidence.
	Explanation string `json:"explanation"`

	// Treatment is what follows for people. It is beside the assessment in the
	// approval, so it is not part of its JSON.
	Treatment Treatment `json:"-"`
}

// SessionGrant is permission that a person gave for calls like one that they approved.
type SessionGrant struct {
	ID     string `json:"id"`
	Covers string `json:"covers"` // which calls, how many, until when; one sentence, without a period
}

// Fact returns the first fact of a kind.
func (a Assessment) Fact(k facts.Kind) (facts.Fact, bool) {
	for _, f := range a.Facts {
		if f.Kind == k {
			return f, true
		}
	}
	return facts.Fact{}, false
}
