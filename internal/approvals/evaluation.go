package approvals

import (
	"strconv"
	"time"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/patterns"
)

// An evaluation is one scan of what an agent handed in: a submission, at whatever
// lifecycle point, or a dry run. Its record is kept beside the request, with days of its
// own after which it is deleted; what the score of a session comes from is kept with the
// session. Scans that are repeated for a decision are no evaluations: the agent did
// nothing again.

// Evaluation is the record of one, as it is kept: compact, and no more than where the
// patterns matched first.
type Evaluation struct {
	ID                 string // a UUID that sorts by time
	At                 time.Time
	Approval           string // the request; "" for a dry run
	DryRun             bool
	Agent, Session     string
	ToolCall           string // "" where the agent named none
	LifecyclePoint     string
	Function           string
	PolicyVersion      int64
	LibraryVersion     string
	ScanTook           time.Duration // microseconds
	Counts             patterns.Counts
	RawScore           float64
	NumericScore       int
	Severity           patterns.Severity // "" without a match
	BaseAction, Action patterns.Action
	ActionReason       string
	Threshold          int
	Exceeded           bool
	Matches            []EvaluationMatch // none of a clean pass
}

// Clean reports whether nothing matched.
func (e Evaluation) Clean() bool { return patterns.Total(e.Counts) == 0 }

// EvaluationMatch is one pattern that matched, and where it did first. The place is one
// in the action as it is stored: masked.
type EvaluationMatch struct {
	ID       string            `json:"id"`
	Severity patterns.Severity `json:"severity"`
	Action   patterns.Action   `json:"action"`
	Field    string            `json:"field"`
	Start    int               `json:"start"`
	End      int               `json:"end"`
}

// evaluation is the record of the scan that made a.
func (a Approval) evaluation(dryRun bool) Evaluation {
	r := a.Assessment.Patterns
	e := Evaluation{
		ID: r.EvaluationID, At: r.Timestamp, Approval: a.ID, DryRun: dryRun, Agent: a.Agent.ID, Session: a.Session,
		LifecyclePoint: r.LifecyclePoint, Function: a.Function, PolicyVersion: a.PolicyVersion, LibraryVersion: r.PatternLibraryVersion,
		ScanTook: time.Duration(r.ScanDurationMS * float64(time.Millisecond)).Round(time.Microsecond),
		Counts:   patterns.Count(r.MatchedPatterns), RawScore: r.RawScore, NumericScore: r.NumericScore,
		Severity: r.CategoricalSeverity, BaseAction: r.BaseAction, Action: r.Action, ActionReason: r.ActionReason,
		Threshold: r.ScoreOverrideThreshold, Exceeded: r.ScoreOverrideExceeded,
	}
	if dryRun {
		e.Approval = ""
	}
	if r.ToolCallID != nil {
		e.ToolCall = *r.ToolCallID
	}
	for _, m := range r.MatchedPatterns {
		at := m.Place()
		e.Matches = append(e.Matches, EvaluationMatch{ID: m.ID, Severity: m.Severity, Action: m.Action, Field: at.Pointer, Start: at.Start, End: at.End})
	}
	return e
}

// SessionTotal is what the evaluations of a session come to, dry runs apart.
type SessionTotal struct {
	Agent, Session string
	Evaluations    int64 // clean ones included
	Points         int64 // sum of their numeric scores
	Peak           int   // the highest of them
	Counts         patterns.Counts
	Last           time.Time // the last evaluation
	// Above says that the score was above what the policy accepts at the last evaluation,
	// AboveAt since when.
	Above   bool
	AboveAt time.Time
	// SeenName is who acknowledged that, SeenAt when and SeenPoints at how many points.
	SeenName   string
	SeenAt     time.Time
	SeenPoints int64
}

// Acknowledged reports whether somebody has looked at it since a pattern last matched.
func (s SessionTotal) Acknowledged() bool { return s.SeenName != "" && s.Points <= s.SeenPoints }

// Mean is that of the numeric scores, from 0 to 100; 0 of none.
func (s SessionTotal) Mean() float64 { return float64(s.Points) / float64(max(1, s.Evaluations)) }

// Score is that of the pattern model over all matches of the session: the sum without
// a bound, and from 0 to 100.
func (s SessionTotal) Score(w patterns.Weighing) (raw float64, numeric int) { return w.Score(s.Counts) }

// SessionDay is what the evaluations of a session come to on one day.
type SessionDay struct {
	Day         string // 2006-01-02, UTC
	Evaluations int64
	Points      int64
	Peak        int
	Counts      patterns.Counts
}

// Mean is that of the numeric scores, from 0 to 100; 0 of none.
func (d SessionDay) Mean() float64 { return float64(d.Points) / float64(max(1, d.Evaluations)) }

// EvaluationQuery chooses evaluations, newest first. A field that is set narrows.
type EvaluationQuery struct {
	Agent, Session string
	DryRun         bool      // only dry runs
	Matched        bool      // only those that matched something
	From, To       time.Time // From ≤ evaluated < To; zero: no bound
	Before         string    // the last id of the page before
	Limit          int       // 1–2,000
}

// evaluated keeps the record of the scan that made a, and counts it in its session. It
// returns the event of the session's score where that rises above what the policy accepts.
func (a Approval) evaluated(w Writer, p scoring.Policy) ([]audit.Event, error) {
	e := a.evaluation(false)
	total, err := w.KeepEvaluation(e)
	if err != nil || a.Session == "" {
		return nil, err
	}
	above, weighing := p.Evaluated().SessionAlertAbove, p.Weighing()
	_, was := weighing.Score(patterns.Minus(total.Counts, e.Counts))
	raw, is := total.Score(weighing)
	rose := is > above && (was <= above || !total.Above)
	if !rose && total.Above == (is > above) {
		return nil, nil
	}
	total.Above = is > above
	if rose {
		total.AboveAt = e.At
	}
	if err := w.MarkSession(total); err != nil || !rose {
		return nil, err
	}
	return []audit.Event{a.event(audit.SessionScoreRose, audit.Actor{Kind: string(ByPolicy), ID: strconv.FormatInt(a.PolicyVersion, 10)},
		member("session", canon.String(a.Session)),
		member("session_alert_above", canon.Int(int64(above))),
		member("session_score", canon.Object(
			member("raw_score", float(raw)),
			member("numeric_score", canon.Int(int64(is))),
			member("evaluations", canon.Int(total.Evaluations)),
			member("mean", float(total.Mean())),
			member("peak", canon.Int(int64(total.Peak))),
			member("critical", canon.Int(int64(total.Counts.Critical))),
			member("high", canon.Int(int64(total.Counts.High))),
			member("medium", canon.Int(int64(total.Counts.Medium))),
			member("low", canon.Int(int64(total.Counts.Low))),
		)),
	)}, nil
}
