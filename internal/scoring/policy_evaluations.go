package scoring

import "github.com/countersign/countersign/internal/fault"

// What a policy says of the record of evaluations and of the score of a session. None of
// it decides about an action.

// EvaluationSettings say when a session is told of, and how long the record is kept. All
// of them zero, as in policies from before there were any, are DefaultEvaluations.
type EvaluationSettings struct {
	// SessionAlertAbove is the score of a session (0..100) above which it is told of; at
	// 100, which no score exceeds, it never is.
	SessionAlertAbove int `json:"session_alert_above" yaml:"session_alert_above"`
	// KeepDays is for how many days the record of an evaluation is kept, 30..3650.
	KeepDays int `json:"keep_days" yaml:"keep_days"`
}

// Bounds of the settings: a month covers an incident that is looked at late, ten years
// the longest that laws commonly ask for.
const (
	minKeepDays = 30
	maxKeepDays = 3650
)

// DefaultEvaluations tells of a session whose matches together would block one action,
// and keeps as long as the figures are kept.
func DefaultEvaluations() EvaluationSettings {
	return EvaluationSettings{SessionAlertAbove: 85, KeepDays: 400}
}

func (s EvaluationSettings) orDefault() EvaluationSettings {
	if s == (EvaluationSettings{}) {
		return DefaultEvaluations()
	}
	return s
}

// Evaluated is Evaluations in the one form in which it is kept.
func (p Policy) Evaluated() EvaluationSettings { return p.Evaluations.orDefault() }

func (s EvaluationSettings) check(found *problems) {
	found.within("/evaluations/session_alert_above", s.SessionAlertAbove, 0, maxOverride, fault.Textf("points"))
	found.within("/evaluations/keep_days", s.KeepDays, minKeepDays, maxKeepDays, fault.Textf("days"))
}

func evaluationLimits() map[string]limits {
	return map[string]limits{
		"/evaluations":                     {about: "the record of what the pattern model said; see docs/evaluations.md"},
		"/evaluations/session_alert_above": {about: "points; a session whose score is above it is told of, 100 is never", high: maxOverride},
		"/evaluations/keep_days":           {about: "days for which the record of an evaluation is kept", low: minKeepDays, high: maxKeepDays},
	}
}

// evaluations: who is told later, or can look back less far, knows less.
func (c *comparison) evaluations() {
	old, new := c.old.Evaluations, c.new.Evaluations
	c.differ("/evaluations/session_alert_above", old.SessionAlertAbove, new.SessionAlertAbove, lower(old.SessionAlertAbove, new.SessionAlertAbove, tightens))
	c.differ("/evaluations/keep_days", old.KeepDays, new.KeepDays, higher(old.KeepDays, new.KeepDays, tightens))
}
