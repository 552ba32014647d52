package pages

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring/patterns"
	"github.com/countersign/countersign/internal/store/logstate"
	"github.com/countersign/countersign/internal/store/requests"
	"github.com/countersign/countersign/internal/store/tables"
)

// others marks the dimension of what lies beyond MaxRolledValues: a value could be
// any text, and a dimension could not.
const others = ".others"

// rollupInsert is how many rows one statement adds: together they have fewer
// variables than either database takes.
const rollupInsert = 200

// rollupColumns are the counts, in the order of Tally.Cells.
func rollupColumns() []string {
	names := []string{
		"submitted", "allowed", "blocked", "approved", "denied", "changes_requested", "expired", "cancelled", "fast",
		"succeeded", "failed", "waited", "wait_micros", "scored", "score_micros", "score_squares", "evaluated", "points",
	}
	for i := range len(approvals.Tally{}.Waits) {
		names = append(names, fmt.Sprintf("b%02d", i))
	}
	return names
}

type rollupCursorRow struct {
	TenantID string
	NextIdx  int64
}

func (rollupCursorRow) TableName() string { return "rollup_cursors" }

type sessionRollupRow struct {
	TenantID, AgentID, SessionID    string
	LastAt                          time.Time
	Scored, ScoreMicros, PeakMicros int64
	Evaluated, Points, PeakPoints   int64
	Critical, High, Medium, Low     int64
}

func (sessionRollupRow) TableName() string { return "session_rollups" }

// cursor is where the rollups stand; 0 before the first.
func (t Pages) cursor() (int64, error) {
	var rows []rollupCursorRow
	if err := t.Of("rollup_cursors").Find(&rows).Error; err != nil || len(rows) == 0 {
		return 0, err
	}
	return rows[0].NextIdx, nil
}

// RolledUp is how many events are counted, and how many there are.
func (t Pages) RolledUp() (counted, size int64, err error) {
	if counted, err = t.cursor(); err != nil {
		return 0, 0, err
	}
	row, err := tables.One[tables.LogRow](t.Of("audit_logs"), "no such audit log")
	return counted, row.Size, err
}

// Unrolled reads what comes next. Events of one log commit in the order of their
// indexes, so a stretch that is seen has no hole that is filled later.
func (t Pages) Unrolled(limit int) (approvals.Unrolled, error) {
	from, err := t.cursor()
	if err != nil {
		return approvals.Unrolled{}, err
	}
	var rows []tables.EventRow
	err = t.Of("audit_events").Select("idx, at, kind, approval_id, agent_id, level, function").
		Where("idx >= ?", from).Order("idx").Limit(max(0, limit)).Find(&rows).Error
	next := approvals.Unrolled{From: from, To: from + int64(len(rows))}
	if err != nil || len(rows) == 0 {
		return next, err
	}
	next.Occurrences, err = t.WithApprovals(occurrences(rows))
	return next, err
}

func occurrences(rows []tables.EventRow) []approvals.Occurrence {
	all := make([]approvals.Occurrence, len(rows))
	for n, r := range rows {
		all[n] = approvals.Occurrence{
			Kind: audit.Kind(r.Kind), At: tables.Stamp(r.At.Time), Agent: r.AgentID, Level: r.Level, Function: r.Function, ApprovalID: r.ApprovalID,
		}
	}
	return all
}

// Occurrences reads a stretch of one index, that of its person, function or agent. What
// else is asked stands in a CASE, so that no database begins with another index, which
// leaves far more to read.
func (t Pages) Occurrences(q approvals.OccurrenceQuery) ([]approvals.Occurrence, error) {
	within, some, err := t.timeBounds(audit.Filter{From: q.From, To: q.To})
	if err != nil || !some {
		return nil, err
	}
	look := t.Of("audit_events")
	switch {
	case q.Person != "":
		look = look.Where("actor_kind = ? AND actor_id = ?", string(approvals.ByPerson), q.Person)
	case q.Function != "":
		look = look.Where("function = ?", q.Function)
	default:
		look = look.Where("agent_id = ?", q.Agent)
	}
	var rows []tables.EventRow
	err = look.Select("idx, at, kind, approval_id, agent_id, level, function").
		Where("CASE WHEN kind IN ? AND at >= ? AND at < ? AND ? IN ('', agent_id) AND ? IN ('', function) THEN 1 ELSE 0 END = 1",
			q.Kinds, tables.Stamp(q.From), tables.Stamp(q.To), q.Agent, q.Function).
		Where("idx BETWEEN ? AND ?", within.low, within.high).Order("idx DESC").Limit(max(0, q.Limit)).Find(&rows).Error
	return occurrences(rows), err
}

// WithApprovals adds the approvals to those that are counted by what they say.
func (t Pages) WithApprovals(all []approvals.Occurrence) ([]approvals.Occurrence, error) {
	all = slices.Clone(all)
	var ids []string
	for _, o := range all {
		if concerns(o) {
			ids = append(ids, o.ApprovalID)
		}
	}
	slices.Sort(ids)
	about, err := t.whole(slices.Compact(ids))
	if err != nil {
		return nil, err
	}
	for n, o := range all {
		if a, ok := about[o.ApprovalID]; ok && concerns(o) {
			all[n].Approval = &a
		}
	}
	return all, nil
}

// concerns reports whether an occurrence is counted by what its approval says, or tells
// that somebody signed it or took it back.
func concerns(o approvals.Occurrence) bool {
	return o.ApprovalID != "" && (logstate.Finals[o.Kind] != "" || slices.Contains([]audit.Kind{audit.Reported, audit.Signed, audit.GrantVoided}, o.Kind))
}

// whole reads approvals with all that belongs to them, by their ids.
func (t Pages) whole(ids []string) (map[string]approvals.Approval, error) {
	found := make(map[string]approvals.Approval, len(ids))
	for part := range slices.Chunk(ids, requests.CompleteBatch) {
		var rows []requests.ApprovalRow
		if err := t.Of("approvals").Where("approval_id IN ?", part).Find(&rows).Error; err != nil {
			return nil, err
		}
		all, err := t.Complete(rows)
		if err != nil {
			return nil, err
		}
		for _, a := range all {
			found[a.ID] = a
		}
	}
	return found, nil
}

// RollUp moves the position, which whoever else counts waits for, and adds.
func (t Pages) RollUp(b approvals.RollupBatch) error {
	if err := t.moveCursor(b.From, b.To); err != nil {
		return err
	}
	rows, err := t.bounded(b.Rows)
	if err != nil {
		return err
	}
	columns := rollupColumns()
	var add []clause.Assignment
	for _, c := range columns {
		add = append(add, clause.Assignment{Column: clause.Column{Name: c}, Value: gorm.Expr("rollups." + c + " + excluded." + c)})
	}
	conflict := clause.OnConflict{
		Columns:   []clause.Column{{Name: "tenant_id"}, {Name: "dimension"}, {Name: "day"}, {Name: "value"}},
		DoUpdates: add,
	}
	for part := range slices.Chunk(rows, rollupInsert) {
		values := make([]map[string]any, len(part))
		for i, r := range part {
			values[i] = map[string]any{"tenant_id": t.Tenant, "dimension": string(r.Dimension), "day": r.Day, "value": r.Value}
			for n, cell := range r.Cells() {
				values[i][columns[n]] = *cell
			}
		}
		if err := t.DB.Table("rollups").Clauses(conflict).Create(&values).Error; err != nil {
			return err
		}
	}
	return t.addSessions(b.Sessions)
}

// moveCursor moves the position from one index to the other. The row is made when it
// is needed first, by whoever is first.
func (t Pages) moveCursor(from, to int64) error {
	if from == 0 {
		first := rollupCursorRow{TenantID: t.Tenant}
		if err := t.DB.Clauses(clause.OnConflict{DoNothing: true}).Create(&first).Error; err != nil {
			return err
		}
	}
	return tables.Changed(t.Of("rollup_cursors").Where("next_idx = ?", from).Update("next_idx", to),
		fault.New(fault.Changed, "the rollups no longer end at event %s", strconv.FormatInt(from, 10)))
}

// bounded folds what lies beyond MaxRolledValues of a day into one row. Values are
// kept apart in the order in which they came, so that it does not matter how the
// trail was cut into stretches.
func (t Pages) bounded(rows []approvals.Rollup) ([]approvals.Rollup, error) {
	type place struct {
		of  approvals.Dimension
		day string
	}
	known := map[place]map[string]bool{}
	folded := map[place]int{}
	var kept []approvals.Rollup
	for _, r := range rows {
		at := place{r.Dimension, r.Day}
		if known[at] == nil {
			var values []string
			err := t.Of("rollups").Where("dimension = ? AND day = ?", string(r.Dimension), r.Day).
				Limit(approvals.MaxRolledValues).Pluck("value", &values).Error
			if err != nil {
				return nil, err
			}
			known[at] = map[string]bool{}
			for _, v := range values {
				known[at][v] = true
			}
		}
		if known[at][r.Value] || len(known[at]) < approvals.MaxRolledValues {
			known[at][r.Value] = true
			kept = append(kept, r)
			continue
		}
		n, ok := folded[at]
		if !ok {
			n = len(kept)
			folded[at] = n
			kept = append(kept, approvals.Rollup{Dimension: r.Dimension + others, Day: r.Day})
		}
		kept[n].Add(r.Tally)
	}
	return kept, nil
}

func (t Pages) addSessions(all []approvals.SessionRollup) error {
	conflict := clause.OnConflict{Columns: []clause.Column{{Name: "tenant_id"}, {Name: "agent_id"}, {Name: "session_id"}}}
	for _, column := range []string{"scored", "score_micros", "evaluated", "points", "critical", "high", "medium", "low"} {
		conflict.DoUpdates = append(conflict.DoUpdates, requests.Assignment(column, "session_rollups."+column+" + excluded."+column))
	}
	for _, column := range []string{"peak_micros", "peak_points", "last_at"} {
		conflict.DoUpdates = append(conflict.DoUpdates, requests.Greater("session_rollups", column))
	}
	for part := range slices.Chunk(all, rollupInsert) {
		rows := make([]sessionRollupRow, len(part))
		for i, s := range part {
			rows[i] = sessionRollupRow{
				TenantID: t.Tenant, AgentID: s.Agent, SessionID: s.Session, LastAt: tables.Stamp(s.LastAt),
				Scored: s.Scored, ScoreMicros: s.ScoreMicros, PeakMicros: s.PeakMicros,
				Evaluated: s.Evaluated, Points: s.Points, PeakPoints: s.PeakPoints,
				Critical: int64(s.Counts.Critical), High: int64(s.Counts.High), Medium: int64(s.Counts.Medium), Low: int64(s.Counts.Low),
			}
		}
		if err := t.DB.Clauses(conflict).Create(&rows).Error; err != nil {
			return err
		}
	}
	return nil
}

// Rollups lists what was counted, and what was folded beside it.
func (t Pages) Rollups(q approvals.RollupQuery) ([]approvals.Rollup, error) {
	columns, read := rollupColumns(), rollupColumns()
	look := t.Of("rollups").Where("dimension IN ? AND day >= ? AND day <= ?", []string{string(q.Dimension), string(q.Dimension) + others}, q.From, q.To)
	if len(q.Values) > 0 {
		look = look.Where("value IN ?", q.Values)
	}
	if q.Sum {
		for i, c := range columns { // Postgres adds BIGINTs up to a NUMERIC
			read[i] = "CAST(SUM(" + c + ") AS BIGINT) AS " + c
		}
		look = look.Select("dimension, value, '' AS day, " + strings.Join(read, ", ")).Group("dimension, value").
			Order("dimension, SUM(scored) DESC, SUM(approved + denied + changes_requested) DESC, value")
	} else {
		look = look.Select("dimension, value, day, " + strings.Join(read, ", ")).Order("day, dimension, value")
	}
	if q.Limit > 0 {
		look = look.Limit(q.Limit)
	}
	rows, err := look.Rows()
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []approvals.Rollup
	for rows.Next() {
		var r approvals.Rollup
		var dimension string
		into := []any{&dimension, &r.Value, &r.Day}
		for _, cell := range r.Cells() {
			into = append(into, cell)
		}
		if err := rows.Scan(into...); err != nil {
			return nil, err
		}
		r.Dimension, r.Others = q.Dimension, dimension != string(q.Dimension)
		all = append(all, r)
	}
	return all, rows.Err()
}

// SessionRollups lists sessions, the latest first.
func (t Pages) SessionRollups(q approvals.SessionRollupQuery) ([]approvals.SessionRollup, error) {
	look := t.Of("session_rollups").Where("last_at >= ?", tables.Stamp(q.From))
	if !q.To.IsZero() {
		look = look.Where("last_at < ?", tables.Stamp(q.To))
	}
	if q.Agent != "" {
		look = look.Where("agent_id = ?", q.Agent)
	}
	return tables.All(look.Order("last_at DESC, agent_id, session_id").Limit(max(0, q.Limit)), func(r sessionRollupRow) approvals.SessionRollup {
		return approvals.SessionRollup{
			Agent: r.AgentID, Session: r.SessionID, LastAt: tables.Stamp(r.LastAt), Scored: r.Scored, ScoreMicros: r.ScoreMicros, PeakMicros: r.PeakMicros,
			Evaluated: r.Evaluated, Points: r.Points, PeakPoints: r.PeakPoints,
			Counts: patterns.Counts{Critical: int(r.Critical), High: int(r.High), Medium: int(r.Medium), Low: int(r.Low)},
		}
	})
}

// ForgetRollups deletes what is older.
func (t Pages) ForgetRollups(before time.Time, limit int) (int, error) {
	var dimensions []string // named, so that the primary key finds their days
	for _, d := range approvals.Dimensions() {
		dimensions = append(dimensions, string(d), string(d)+others)
	}
	old := t.Of("rollups").Select("dimension, day, value").Where("dimension IN ? AND day < ?", dimensions, before.UTC().Format(time.DateOnly)).Limit(limit)
	days := t.Of("rollups").Where("(dimension, day, value) IN (?)", old).Delete(nil)
	if days.Error != nil {
		return 0, days.Error
	}
	old = t.Of("session_rollups").Select("agent_id, session_id").Where("last_at < ?", tables.Stamp(before)).Limit(limit)
	sessions := t.Of("session_rollups").Where("(agent_id, session_id) IN (?)", old).Delete(nil)
	return int(max(days.RowsAffected, sessions.RowsAffected)), sessions.Error
}
