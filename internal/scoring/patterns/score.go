package patterns

import (
	"time"
)

// DefaultThreshold is the score above which an evaluation blocks, unless the
// tenant's policy says otherwise (0..100).
const DefaultThreshold = 85

// Why a record's action is what it is.
const (
	ReasonNoMatch   = "no_match"
	ReasonSeverity  = "categorical_severity"
	ReasonThreshold = "score_override_threshold"
)

// Record is one evaluation as it is stored, clean passes included (docs/models.md).
// Score fills what follows from the matches; the caller fills what only it
// knows: ids, point, time, duration and the library's version. A clean pass has
// no member matched_patterns.
type Record struct {
	EvaluationID           string    `json:"evaluation_id,omitempty"` // a UUID; by the caller, and not there without one
	ToolCallID             *string   `json:"tool_call_id"`            // null where the agent named none
	LifecyclePoint         string    `json:"lifecycle_point"`
	Timestamp              time.Time `json:"timestamp,omitzero"` // UTC
	MatchedPatterns        []Match   `json:"matched_patterns,omitempty"`
	MatchCount             int       `json:"match_count"`          // distinct patterns
	RawScore               float64   `json:"raw_score"`            // uncapped
	NumericScore           int       `json:"numeric_score"`        // 0..100
	CategoricalSeverity    Severity  `json:"categorical_severity"` // null without a match
	BaseAction             Action    `json:"base_action"`
	Action                 Action    `json:"action"`
	ActionReason           string    `json:"action_reason"`
	ScoreOverrideExceeded  bool      `json:"score_override_exceeded"`
	ScoreOverrideThreshold int       `json:"score_override_threshold"`
	// What follows is left out of records from before it was kept, and all but the label
	// of a clean pass.
	Label                 Label                `json:"label,omitempty"`
	SeverityCounts        PerSeverity[int]     `json:"severity_counts,omitzero"`
	Weights               PerSeverity[float64] `json:"weights,omitzero"` // of a first match of each severity
	Decay                 float64              `json:"decay,omitzero"`   // of each further one
	ScanDurationMS        float64              `json:"scan_duration_ms"`
	PatternLibraryVersion string               `json:"pattern_library_version"`
	TenantID              string               `json:"tenant_id,omitempty"`
	SessionID             *string              `json:"session_id"`
	AgentID               string               `json:"agent_id,omitempty"`
}

// Score is the published function (CODITECT ADR-004) over the distinct patterns
// among the matches. The base action is the most restrictive one among the
// patterns of the highest severity; a score strictly above the threshold
// (0..100) blocks. What Countersign does with it is stricter: see AnyBlock and
// AnyConfirm.
func Score(matches []Match, threshold int, w Weighing) Record {
	matches = Distinct(matches)
	counts := Count(matches)
	r := Record{
		MatchCount:             len(matches),
		RawScore:               w.Raw(counts),
		BaseAction:             Allow,
		ActionReason:           ReasonNoMatch,
		ScoreOverrideThreshold: threshold,
	}
	r.NumericScore = Numeric(r.RawScore)
	if len(matches) > 0 {
		w.contributions(matches)
		r.MatchedPatterns, r.SeverityCounts, r.Weights, r.Decay = matches, counts, w.Weights, w.Decay
		r.CategoricalSeverity = matches[0].Severity
		r.ActionReason = ReasonSeverity
	}
	for _, m := range matches {
		if m.Severity == r.CategoricalSeverity && r.BaseAction.SofterThan(m.Action) {
			r.BaseAction = m.Action
		}
	}
	r.Action = r.BaseAction
	r.ScoreOverrideExceeded = len(matches) > 0 && r.NumericScore > threshold
	if r.ScoreOverrideExceeded && r.BaseAction != Block {
		r.Action, r.ActionReason = Block, ReasonThreshold
	}
	r.Label = r.label()
	return r
}
