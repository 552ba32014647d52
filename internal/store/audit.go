package store

import (
	"context"
	"encoding/hex"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
)

type auditLogRow struct {
	TenantID       string
	Size           int64
	Root, Frontier string
}

func (auditLogRow) TableName() string { return "audit_logs" }

type auditEventRow struct {
	TenantID                 string
	Idx                      int64
	Bytes, Leaf              string
	At                       time.Time
	Kind, ActorKind, ActorID string
	ApprovalID, AgentID      string
	Level, Function          string
}

func (auditEventRow) TableName() string { return "audit_events" }

func (r auditLogRow) head() (audit.Head, error) {
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

func logRow(tenant string, h audit.Head) auditLogRow {
	parts := make([]string, len(h.Frontier))
	for i, f := range h.Frontier {
		parts[i] = hex.EncodeToString(f)
	}
	return auditLogRow{TenantID: tenant, Size: h.Size, Root: hex.EncodeToString(h.Root), Frontier: strings.Join(parts, ",")}
}

// Append writes events at the end of the tenant's log. The log's row is locked
// here, after every other row of the transaction.
func (t *tx) Append(events ...audit.Event) error {
	row, err := one[auditLogRow](t.of("audit_logs").Clauses(clause.Locking{Strength: "UPDATE"}), "audit log")
	if err != nil {
		return fmt.Errorf("append to the audit trail: %w", err)
	}
	head, err := row.head()
	if err != nil {
		return err
	}
	for _, e := range events {
		if head, err = t.appendOne(head, e); err != nil {
			return fmt.Errorf("append to the audit trail: %w", err)
		}
	}
	return nil
}

func (t *tx) appendOne(head audit.Head, e audit.Event) (audit.Head, error) {
	e.Tenant, e.Index, e.At = t.tenant, head.Size, t.now
	b, err := e.Bytes()
	if err != nil {
		return head, err
	}
	leaf := audit.Leaf(b)
	next, err := head.Append(leaf)
	if err != nil {
		return head, err
	}
	row := auditEventRow{
		TenantID: e.Tenant, Idx: e.Index, Bytes: string(b), Leaf: hex.EncodeToString(leaf[:]), At: e.At, Kind: string(e.Kind),
		ActorKind: e.Actor.Kind, ActorID: e.Actor.ID, ApprovalID: e.Approval, AgentID: e.Agent, Level: e.Level, Function: e.Function,
	}
	if err := t.db.Create(&row).Error; err != nil {
		return head, err
	}
	r := logRow(t.tenant, next)
	grown := t.of("audit_logs").Where("size = ?", head.Size).Updates(map[string]any{"size": r.Size, "root": r.Root, "frontier": r.Frontier})
	return next, changed(grown, fmt.Errorf("the audit log is no longer of size %d", head.Size))
}

// record is the row as Verify and the pages want it. A leaf that is no hex, or
// bytes that are no event, are for Verify to find.
func (r auditEventRow) record() audit.Record {
	leaf, err := hex.DecodeString(r.Leaf)
	if err != nil {
		leaf = nil
	}
	e, err := audit.Parse([]byte(r.Bytes))
	if err != nil {
		e = audit.Event{}
	}
	return audit.Record{Bytes: []byte(r.Bytes), Leaf: leaf, Event: audit.Event{
		Tenant: r.TenantID, Index: r.Idx, At: stamp(r.At), Kind: audit.Kind(r.Kind), Actor: audit.Actor{Kind: r.ActorKind, ID: r.ActorID},
		Approval: r.ApprovalID, Agent: r.AgentID, Level: r.Level, Function: r.Function, Data: e.Data,
	}}
}

// AuditLog reads the trail.
type AuditLog struct{ s *Store }

// Audit returns the reader of the trail.
func (s *Store) Audit() *AuditLog { return &AuditLog{s} }

// Events lists newest first, below the index before (-1: from the newest).
func (l *AuditLog) Events(ctx context.Context, tenant string, before int64, limit int) (records []audit.Record, err error) {
	err = l.s.read(ctx, tenant, func(t *tx) error {
		q := t.of("audit_events")
		if before >= 0 {
			q = q.Where("idx < ?", before)
		}
		var rows []auditEventRow
		if err := q.Order("idx DESC").Limit(limit).Find(&rows).Error; err != nil {
			return err
		}
		for _, r := range rows {
			records = append(records, r.record())
		}
		return nil
	})
	return records, err
}

// Event returns one event. fault.Missing.
func (l *AuditLog) Event(ctx context.Context, tenant string, index int64) (record audit.Record, err error) {
	err = l.s.read(ctx, tenant, func(t *tx) error {
		row, err := one[auditEventRow](t.of("audit_events").Where("idx = ?", index), "event")
		if err != nil {
			return err
		}
		record = row.record()
		return err
	})
	return record, err
}

// Head returns the stored head of the log.
func (l *AuditLog) Head(ctx context.Context, tenant string) (head audit.Head, err error) {
	err = l.s.read(ctx, tenant, func(t *tx) error {
		row, err := one[auditLogRow](t.of("audit_logs"), "audit log")
		if err != nil {
			return err
		}
		head, err = row.head()
		return err
	})
	return head, err
}

// verifyBatch is how many events are read at once.
const verifyBatch = 1000

// Verify checks the whole trail of a tenant on one consistent state: every event
// against its leaf, its columns and the root; the triggers that keep it
// insert-only; and the approvals against what their events say.
func (l *AuditLog) Verify(ctx context.Context, tenant string) (report audit.Report, err error) {
	problem, err := l.s.checkTriggers(ctx)
	if err != nil {
		return report, err
	}
	err = l.s.read(ctx, tenant, func(t *tx) error {
		row, err := one[auditLogRow](t.of("audit_logs"), "audit log")
		if err != nil {
			return err
		}
		head, err := row.head()
		if err != nil {
			report = audit.Report{Tenant: tenant}.Fail(row.Size, "the head of the log cannot be read: %v", err)
			return nil
		}
		replay := replay{}
		if report, err = audit.Verify(tenant, head, replay.watch(t.records())); err != nil || !report.OK {
			return err
		}
		if problem != "" {
			report = report.Fail(report.Size, "%s", problem)
			return nil
		}
		at, problem, err := replay.compare(t)
		if problem != "" {
			report = report.Fail(at, "%s", problem)
		}
		return err
	})
	return report, err
}

// records iterates over the log in order.
func (t *tx) records() iter.Seq2[audit.Record, error] {
	return func(yield func(audit.Record, error) bool) {
		last := int64(-1)
		for {
			var rows []auditEventRow
			if err := t.of("audit_events").Where("idx > ?", last).Order("idx").Limit(verifyBatch).Find(&rows).Error; err != nil {
				yield(audit.Record{}, err)
				return
			}
			for _, r := range rows {
				last = r.Idx
				if !yield(r.record(), nil) {
					return
				}
			}
			if len(rows) < verifyBatch {
				return
			}
		}
	}
}

// checkTriggers compares the triggers with those of a fresh database.
func (s *Store) checkTriggers(ctx context.Context) (problem string, err error) {
	want, err := freshTriggers(ctx)
	if err != nil {
		return "", err
	}
	var have map[string]string
	err = s.readGlobal(ctx, func(db *gorm.DB) (err error) {
		have, err = s.dialect.triggers(db)
		return err
	})
	if err != nil {
		return "", err
	}
	names := make([]string, 0, len(want))
	for name := range want {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		switch have[name] {
		case want[name]:
		case "":
			return fmt.Sprintf("the trigger %s is missing", name), nil
		default:
			return fmt.Sprintf("the trigger %s is not the one of this program", name), nil
		}
	}
	return "", nil
}

// freshTriggers migrates an empty database in memory and lists its triggers.
func freshTriggers(ctx context.Context) (map[string]string, error) {
	d := sqliteDialect{path: ":memory:"}
	db, err := d.open("", 1)
	if err != nil {
		return nil, err
	}
	s := &Store{dialect: d, writer: db}
	defer s.Close()
	if err := s.Migrate(ctx); err != nil {
		return nil, fmt.Errorf("schema in memory: %w", err)
	}
	return d.triggers(db)
}

// replay is what the events say about each approval.
type replay map[string]*replayed

type replayed struct {
	submitted int64 // index of the event
	action    string
	status    approvals.Status
	decided   int64
}

// finals says which status an event leaves.
var finals = map[audit.Kind]approvals.Status{
	audit.Approved: approvals.Approved, audit.Blocked: approvals.Blocked, audit.Denied: approvals.Denied,
	audit.ChangesRequested: approvals.ChangesRequested, audit.Expired: approvals.Expired, audit.Cancelled: approvals.Cancelled,
}

// watch passes the records on and remembers what they say. What does not hold is
// Verify's to find, so nothing is checked here.
func (r replay) watch(records iter.Seq2[audit.Record, error]) iter.Seq2[audit.Record, error] {
	return func(yield func(audit.Record, error) bool) {
		for record, err := range records {
			if err == nil {
				r.see(record.Event)
			}
			if !yield(record, err) {
				return
			}
		}
	}
}

func (r replay) see(e audit.Event) {
	if e.Kind == audit.Submitted {
		r[e.Approval] = &replayed{submitted: e.Index, action: e.Data.Get("action_sha256").Text(), status: approvals.Pending}
	}
	if s, final := finals[e.Kind]; final && r[e.Approval] != nil {
		r[e.Approval].status, r[e.Approval].decided = s, e.Index
	}
}

// compare holds every approval against its events.
func (r replay) compare(t *tx) (at int64, problem string, err error) {
	last, seen := "", 0
	for {
		var rows []struct{ ApprovalID, Action, Status string }
		err := t.of("approvals").Select("approval_id, action, status").Where("approval_id > ?", last).Order("approval_id").Limit(verifyBatch).Find(&rows).Error
		if err != nil {
			return 0, "", err
		}
		for _, row := range rows {
			last = row.ApprovalID
			seen++
			said := r[row.ApprovalID]
			switch {
			case said == nil:
				return 0, fmt.Sprintf("%s was never submitted", row.ApprovalID), nil
			case said.action != sha256Hex(row.Action):
				return said.submitted, fmt.Sprintf("the stored action of %s is not the one that was submitted", row.ApprovalID), nil
			case said.status != approvals.Status(row.Status):
				return said.decided, fmt.Sprintf("%s is stored as %s, its events say %s", row.ApprovalID, row.Status, said.status), nil
			}
		}
		if len(rows) < verifyBatch {
			break
		}
	}
	if seen != len(r) {
		return 0, fmt.Sprintf("%d approvals were submitted, %d are stored", len(r), seen), nil
	}
	return 0, "", nil
}
