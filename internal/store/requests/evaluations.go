package requests

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring/patterns"
	"github.com/countersign/countersign/internal/store/tables"
)

type evaluationRow struct {
	TenantID, EvaluationID      string
	At                          time.Time
	Day                         string
	ApprovalID                  string
	DryRun                      bool
	AgentID, SessionID          string
	ToolCallID                  string
	LifecyclePoint, Function    string
	PolicyVersion               int64
	LibraryVersion              string
	ScanMicros                  int64
	RawScore                    float64
	NumericScore                int64
	Critical, High, Medium, Low int64
	Severity                    string
	BaseAction, Action          string
	ActionReason                string
	Threshold                   int64
	Exceeded                    bool
	Matches                     string // JSON; "" for a clean pass
}

type sessionScoreRow struct {
	TenantID, AgentID, SessionID string
	Evaluations, Points, Peak    int64
	Critical, High, Medium, Low  int64
	LastAt                       time.Time
	IsAbove                      bool
	AboveAt                      *time.Time
	SeenName                     string
	SeenAt                       *time.Time
	SeenPoints                   int64
}

func (evaluationRow) TableName() string   { return "evaluations" }
func (sessionScoreRow) TableName() string { return "session_scores" }

func (r evaluationRow) counts() patterns.Counts {
	return patterns.Counts{Critical: int(r.Critical), High: int(r.High), Medium: int(r.Medium), Low: int(r.Low)}
}

func (r evaluationRow) evaluation() (approvals.Evaluation, error) {
	e := approvals.Evaluation{
		ID: r.EvaluationID, At: tables.Stamp(r.At), Approval: r.ApprovalID, DryRun: r.DryRun, Agent: r.AgentID, Session: r.SessionID, ToolCall: r.ToolCallID,
		LifecyclePoint: r.LifecyclePoint, Function: r.Function, PolicyVersion: r.PolicyVersion, LibraryVersion: r.LibraryVersion,
		ScanTook: time.Duration(r.ScanMicros) * time.Microsecond, Counts: r.counts(), RawScore: r.RawScore, NumericScore: int(r.NumericScore),
		Severity: patterns.Severity(r.Severity), BaseAction: patterns.Action(r.BaseAction), Action: patterns.Action(r.Action),
		ActionReason: r.ActionReason, Threshold: int(r.Threshold), Exceeded: r.Exceeded,
	}
	if r.Matches == "" {
		return e, nil
	}
	if err := json.Unmarshal([]byte(r.Matches), &e.Matches); err != nil {
		return e, fmt.Errorf("stored evaluation %s: %w", r.EvaluationID, err)
	}
	return e, nil
}

func (r sessionScoreRow) total() approvals.SessionTotal {
	s := approvals.SessionTotal{
		Agent: r.AgentID, Session: r.SessionID, Evaluations: r.Evaluations, Points: r.Points, Peak: int(r.Peak), Last: tables.Stamp(r.LastAt),
		Counts: patterns.Counts{Critical: int(r.Critical), High: int(r.High), Medium: int(r.Medium), Low: int(r.Low)}, Above: r.IsAbove,
		SeenName: r.SeenName, SeenPoints: r.SeenPoints,
	}
	if r.AboveAt != nil {
		s.AboveAt = tables.Stamp(*r.AboveAt)
	}
	if r.SeenAt != nil {
		s.SeenAt = tables.Stamp(*r.SeenAt)
	}
	return s
}

// KeepEvaluation stores the record, and counts it in its session.
func (t Requests) KeepEvaluation(e approvals.Evaluation) (approvals.SessionTotal, error) {
	row := evaluationRow{
		TenantID: t.Tenant, EvaluationID: e.ID, At: tables.Stamp(e.At), Day: e.At.UTC().Format(time.DateOnly), ApprovalID: e.Approval, DryRun: e.DryRun, AgentID: e.Agent, SessionID: e.Session, ToolCallID: e.ToolCall,
		LifecyclePoint: e.LifecyclePoint, Function: e.Function, PolicyVersion: e.PolicyVersion, LibraryVersion: e.LibraryVersion,
		ScanMicros: e.ScanTook.Microseconds(), RawScore: e.RawScore, NumericScore: int64(e.NumericScore),
		Critical: int64(e.Counts.Critical), High: int64(e.Counts.High), Medium: int64(e.Counts.Medium), Low: int64(e.Counts.Low),
		Severity: string(e.Severity), BaseAction: string(e.BaseAction), Action: string(e.Action), ActionReason: e.ActionReason, Threshold: int64(e.Threshold), Exceeded: e.Exceeded,
	}
	if len(e.Matches) > 0 {
		var err error
		if row.Matches, err = tables.JSON(e.Matches); err != nil {
			return approvals.SessionTotal{}, err
		}
	}
	if err := t.DB.Create(&row).Error; err != nil || e.DryRun || e.Session == "" {
		return approvals.SessionTotal{}, err
	}
	return t.countInSession(row)
}

// countInSession adds to the row of the session first and reads it then: whoever counts
// in it at the same time waits, and sees both.
func (t Requests) countInSession(e evaluationRow) (approvals.SessionTotal, error) {
	row := sessionScoreRow{
		TenantID: t.Tenant, AgentID: e.AgentID, SessionID: e.SessionID, Evaluations: 1, Points: e.NumericScore, Peak: e.NumericScore,
		Critical: e.Critical, High: e.High, Medium: e.Medium, Low: e.Low, LastAt: e.At,
	}
	conflict := clause.OnConflict{Columns: []clause.Column{{Name: "tenant_id"}, {Name: "agent_id"}, {Name: "session_id"}}}
	for _, column := range []string{"evaluations", "points", "critical", "high", "medium", "low"} {
		conflict.DoUpdates = append(conflict.DoUpdates, Assignment(column, "session_scores."+column+" + excluded."+column))
	}
	conflict.DoUpdates = append(conflict.DoUpdates, Greater("session_scores", "peak"), Greater("session_scores", "last_at"))
	err := t.DB.Clauses(conflict, clause.Returning{}).Create(&row).Error
	return row.total(), err
}

// SessionTotal is what the evaluations of a session come to.
func (t Requests) SessionTotal(agent, session string) (approvals.SessionTotal, error) {
	row, err := tables.One[sessionScoreRow](t.Of("session_scores").Where("agent_id = ? AND session_id = ?", agent, session), "no such session")
	if fault.Is(err, fault.Missing) {
		return approvals.SessionTotal{Agent: agent, Session: session}, nil
	}
	return row.total(), err
}

// MarkSession writes whether the score is above what the policy accepts, and who acknowledged it.
func (t Requests) MarkSession(s approvals.SessionTotal) error {
	stored := func(at time.Time) *time.Time {
		if at = tables.Stamp(at); at.IsZero() {
			return nil
		}
		return &at
	}
	return tables.Changed(t.Of("session_scores").Where("agent_id = ? AND session_id = ?", s.Agent, s.Session).
		Updates(map[string]any{"is_above": s.Above, "above_at": stored(s.AboveAt), "seen_name": s.SeenName, "seen_at": stored(s.SeenAt), "seen_points": s.SeenPoints}), fault.New(fault.Missing, "no such session"))
}

// SessionsAbove lists those that are above, the latest first.
func (t Requests) SessionsAbove(since time.Time, limit int) (all []approvals.SessionTotal, err error) {
	rows, err := t.sessionsAbove(since, limit).Read(t.Tx)
	for _, r := range rows {
		all = append(all, r.total())
	}
	return all, err
}

func (t Requests) sessionsAbove(since time.Time, limit int) *tables.Rows[sessionScoreRow] {
	return tables.Chosen(fmt.Sprint("session_scores above ", since.UnixMicro(), " ", limit), []string{"session_scores"}, func(a, b sessionScoreRow) int {
		return cmp.Or(b.LastAt.Compare(a.LastAt), strings.Compare(a.AgentID, b.AgentID), strings.Compare(a.SessionID, b.SessionID))
	}, t.Of("session_scores").Where("is_above AND last_at >= ?", tables.Stamp(since)).Order("last_at DESC, agent_id, session_id").Limit(max(0, limit)))
}

// SessionDays adds up the evaluations of a session by day.
func (t Requests) SessionDays(agent, session string, without []string, limit int) ([]approvals.SessionDay, error) {
	look := t.Of("evaluations").Where("agent_id = ? AND session_id = ? AND NOT dry_run", agent, session)
	if len(without) > 0 {
		look = look.Where("approval_id NOT IN ?", without)
	}
	var rows []struct {
		Day                         string
		Evaluations, Points, Peak   int64
		Critical, High, Medium, Low int64
	}
	// Postgres adds BIGINTs up to a NUMERIC.
	sum := func(column string) string { return ", CAST(sum(" + column + ") AS BIGINT) AS " }
	err := look.Select("day, count(*) AS evaluations, max(numeric_score) AS peak" +
		sum("numeric_score") + "points" + sum("critical") + "critical" + sum("high") + "high" + sum("medium") + "medium" + sum("low") + "low").
		Group("day").Order("day DESC").Limit(max(0, limit)).Find(&rows).Error
	all := make([]approvals.SessionDay, len(rows))
	for i, r := range rows {
		all[i] = approvals.SessionDay{
			Day: r.Day, Evaluations: r.Evaluations, Points: r.Points, Peak: int(r.Peak),
			Counts: patterns.Counts{Critical: int(r.Critical), High: int(r.High), Medium: int(r.Medium), Low: int(r.Low)},
		}
	}
	return all, err
}

// Evaluations lists records, newest first.
func (t Requests) Evaluations(q approvals.EvaluationQuery) ([]approvals.Evaluation, error) {
	look := t.Of("evaluations")
	for _, w := range []struct {
		set   bool
		where string
		value any
	}{
		{q.Agent != "", "agent_id = ?", q.Agent},
		{q.Session != "", "session_id = ?", q.Session},
		{!q.From.IsZero(), "at >= ?", tables.Stamp(q.From)},
		{!q.To.IsZero(), "at < ?", tables.Stamp(q.To)},
		{q.Before != "", "evaluation_id < ?", q.Before},
	} {
		if w.set {
			look = look.Where(w.where, w.value)
		}
	}
	if q.DryRun {
		look = look.Where("dry_run")
	}
	if q.Matched {
		look = look.Where("severity <> ''")
	}
	return tables.Each(look.Order("evaluation_id DESC").Limit(max(0, q.Limit)), evaluationRow.evaluation)
}

// ForgetEvaluations deletes what is older.
func (t Requests) ForgetEvaluations(before time.Time, limit int) (int, error) {
	old := t.Of("evaluations").Select("evaluation_id").Where("at < ?", tables.Stamp(before)).Limit(limit)
	records := t.Of("evaluations").Where("evaluation_id IN (?)", old).Delete(nil)
	if records.Error != nil {
		return 0, records.Error
	}
	old = t.Of("session_scores").Select("agent_id, session_id").Where("last_at < ?", tables.Stamp(before)).Limit(limit)
	sessions := t.Of("session_scores").Where("(agent_id, session_id) IN (?)", old).Delete(nil)
	return int(max(records.RowsAffected, sessions.RowsAffected)), sessions.Error
}

// Assignment sets a column to an expression.
func Assignment(column, value string) clause.Assignment {
	return clause.Assignment{Column: clause.Column{Name: column}, Value: gorm.Expr(value)}
}

// Greater keeps the greater of what a row has and what is added.
func Greater(table, column string) clause.Assignment {
	return Assignment(column, "CASE WHEN excluded."+column+" > "+table+"."+column+" THEN excluded."+column+" ELSE "+table+"."+column+" END")
}
