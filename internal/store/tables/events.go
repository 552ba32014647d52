package tables

import (
	"database/sql/driver"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"gorm.io/gorm"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/store/logstate"
)

// LogRow is the head of a log.
type LogRow struct {
	TenantID       string
	Size           int64
	Root, Frontier string
	Note           string // signed: of this size and root
}

func (LogRow) TableName() string { return "audit_logs" }

// EventRow is one event; Bytes say all that the other columns say.
type EventRow struct {
	TenantID                 string
	Idx                      int64
	Bytes, Leaf              string
	At                       EventTime
	Kind, ActorKind, ActorID string
	ApprovalID, AgentID      string
	Level, Function, Effect  string
	Seal                     string
}

func (EventRow) TableName() string { return "audit_events" }

// EventTime is a time that somebody may have edited: what is none becomes the
// zero time, which no event has, so that Verify names the event instead of failing.
type EventTime struct{ time.Time }

// Scan reads a column.
func (t *EventTime) Scan(v any) error {
	t.Time, _ = v.(time.Time)
	return nil
}

// Value writes a column.
func (t EventTime) Value() (driver.Value, error) { return t.Time, nil }

// Head is the row as the tree goes on from it.
func (r LogRow) Head() (audit.Head, error) {
	root, err := hex.DecodeString(r.Root)
	if err != nil {
		return audit.Head{}, fmt.Errorf("audit root: %w", err)
	}
	h := audit.Head{Size: r.Size, Root: root}
	for _, part := range strings.FieldsFunc(r.Frontier, func(r rune) bool { return r == ',' }) {
		b, err := hex.DecodeString(part)
		if err != nil {
			return audit.Head{}, fmt.Errorf("audit frontier: %w", err)
		}
		h.Frontier = append(h.Frontier, b)
	}
	return h, nil
}

// NewLogRow is the row of a head, which nobody signed yet.
func NewLogRow(tenant string, h audit.Head) LogRow {
	parts := make([]string, len(h.Frontier))
	for i, f := range h.Frontier {
		parts[i] = hex.EncodeToString(f)
	}
	return LogRow{TenantID: tenant, Size: h.Size, Root: hex.EncodeToString(h.Root), Frontier: strings.Join(parts, ",")}
}

// Record is the row as Verify and the pages want it. A leaf that is no hex, or
// bytes that are no event, are for Verify to find.
func (r EventRow) Record() audit.Record {
	leaf, err := hex.DecodeString(r.Leaf)
	if err != nil {
		leaf = nil
	}
	e, err := audit.Parse([]byte(r.Bytes))
	if err != nil {
		e = audit.Event{}
	}
	return audit.Record{Bytes: []byte(r.Bytes), Leaf: leaf, Event: audit.Event{
		Tenant: r.TenantID, Index: r.Idx, At: Stamp(r.At.Time), Kind: audit.Kind(r.Kind), Actor: audit.Actor{Kind: r.ActorKind, ID: r.ActorID},
		Approval: r.ApprovalID, Agent: r.AgentID, Level: r.Level, Function: r.Function, Effect: r.Effect, Data: e.Data,
	}}
}

// Batch is how many events are read at once.
const Batch = 1000

// eventsAtOnce is how many EachEvent has in memory: one can name some hundred tools.
const eventsAtOnce = 200

// EachEvent calls fn with the events that a condition chooses, in order.
func (t *Tx) EachEvent(fn func(audit.Event), where string, args ...any) error {
	for last := int64(-1); ; {
		events, err := t.EventsIn(t.Of("audit_events").Where("idx > ?", last).Where(where, args...).Order("idx"), eventsAtOnce)
		if err != nil {
			return err
		}
		for _, e := range events {
			last = e.Index
			fn(e)
		}
		if len(events) < eventsAtOnce {
			return nil
		}
	}
}

// EventsIn reads events in the order of a statement.
func (t *Tx) EventsIn(q *gorm.DB, limit int) ([]audit.Event, error) {
	var rows []EventRow
	if err := q.Limit(limit).Find(&rows).Error; err != nil {
		return nil, err
	}
	return t.Verified(rows)
}

// Verified are the events of these rows, as long as each is what its own hash says.
func (t *Tx) Verified(rows []EventRow) ([]audit.Event, error) {
	events := make([]audit.Event, len(rows))
	for i, row := range rows {
		r := row.Record()
		if problem := r.Problem(t.Tenant); problem != "" {
			return nil, BrokenEvent{r.Event.Index, problem}
		}
		events[i] = r.Event
	}
	return events, nil
}

// EventsAt reads these events. Their places are in no column that somebody could change to hide
// one, and their bytes are what the log has.
func (t *Tx) EventsAt(refs []logstate.Ref) ([]audit.Event, error) {
	events := make([]audit.Event, 0, len(refs))
	for some := range slices.Chunk(refs, Batch) {
		places, leaves := make([]int64, len(some)), make(map[int64][32]byte, len(some))
		for i, r := range some {
			places[i], leaves[r.Index] = r.Index, r.Leaf
		}
		var rows []EventRow
		if err := t.Of("audit_events").Select("idx, bytes").Where("idx IN ?", places).Order("idx").Find(&rows).Error; err != nil {
			return nil, err
		}
		if len(rows) != len(some) {
			return nil, BrokenEvent{places[0], fmt.Sprintf("of %d events that were there, %d are left", len(some), len(rows))}
		}
		for _, r := range rows {
			e, err := audit.Parse([]byte(r.Bytes))
			if err != nil || audit.Leaf([]byte(r.Bytes)) != leaves[r.Idx] {
				return nil, BrokenEvent{r.Idx, "its bytes aren't those that were signed"}
			}
			events = append(events, e)
		}
	}
	return events, nil
}
