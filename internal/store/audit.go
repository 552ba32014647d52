package store

import (
	"cmp"
	"context"
	"database/sql/driver"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"gorm.io/gorm"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/store/drivers"
	"github.com/countersign/countersign/internal/store/logstate"
)

type auditLogRow struct {
	TenantID       string
	Size           int64
	Root, Frontier string
	Note           string // signed: of this size and root
}

func (auditLogRow) TableName() string { return "audit_logs" }

type auditEventRow struct {
	TenantID                 string
	Idx                      int64
	Bytes, Leaf              string
	At                       eventTime
	Kind, ActorKind, ActorID string
	ApprovalID, AgentID      string
	Level, Function, Effect  string
	Seal                     string
}

func (auditEventRow) TableName() string { return "audit_events" }

// eventTime is a time that somebody may have edited: what is none becomes the
// zero time, which no event has, so that Verify names the event instead of failing.
type eventTime struct{ time.Time }

// Scan reads a column.
func (t *eventTime) Scan(v any) error {
	t.Time, _ = v.(time.Time)
	return nil
}

// Value writes a column.
func (t eventTime) Value() (driver.Value, error) { return t.Time, nil }

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

// Append writes events at the end of the tenant's log, which the transaction holds. The head that
// this makes is signed before the commit. An act of an agent that is stopped is refused:
// fault.AgentsStopped. What is to be told of the events outside of the console is written
// beside them.
func (t *tx) Append(events ...audit.Event) error {
	if t.group == nil {
		return errNotHeld
	}
	if t.state == nil && t.refusal == nil {
		if err := t.hold(); err != nil {
			return fmt.Errorf("append to the audit trail: %w", err)
		}
	}
	if err := t.append(events); err != nil {
		return fmt.Errorf("append to the audit trail: %w", err)
	}
	return t.outbox(events)
}

func (t *tx) append(events []audit.Event) error {
	asked := ""
	for _, e := range events {
		if e.Actor.Kind == "agent" && e.Actor.ID != asked {
			asked = e.Actor.ID
			if err := t.mayAct(asked); err != nil {
				return err
			}
		}
	}
	if t.refusal != nil {
		return t.sayNo(events)
	}
	return t.put(events, func(audit.Event) time.Time { return t.now })
}

// put writes events at the end of the log; at says when each happened.
func (t *tx) put(events []audit.Event, at func(audit.Event) time.Time) error {
	if len(events) == 0 {
		return nil
	}
	if len(t.appended) == 0 {
		if err := t.snap(); err != nil {
			return err
		}
	}
	was := t.head.Size
	var rows []auditEventRow
	var nodes []auditNodeRow
	for _, e := range events {
		e, err := t.withSums(e)
		if err != nil {
			return err
		}
		e.At = at(e)
		row, more, err := t.next(e)
		if err != nil {
			return err
		}
		rows, nodes = append(rows, row), append(nodes, more...)
	}
	err := t.store.dialect.Translate(t.db.Create(&rows).Error)
	if errors.Is(err, gorm.ErrDuplicatedKey) || errors.Is(err, drivers.ErrTrigger) {
		t.store.heads.Refuse(t.db.Statement.Context, t.tenant, fmt.Sprintf("there are events behind the signed end of the log, event %d", was))
		return t.refused()
	}
	if err != nil {
		return err
	}
	if len(nodes) > 0 {
		return t.db.Create(&nodes).Error
	}
	return nil
}

// Told returns the events of these kinds, of which there are few, oldest first.
func (t *tx) Told(kinds ...audit.Kind) ([]audit.Event, error) {
	if t.state == nil {
		return nil, t.unheldLog()
	}
	var all []logstate.Ref
	for _, k := range kinds {
		if !logstate.FewKinds[k] {
			return nil, fmt.Errorf("the state of a log doesn't keep where events of the kind %s are", k)
		}
		for _, few := range t.state.Few[k] {
			all = append(all, few.Ref)
		}
	}
	for _, p := range t.appended {
		if slices.Contains(kinds, p.event.Kind) {
			all = append(all, logstate.Ref{Index: p.event.Index, Leaf: p.leaf})
		}
	}
	slices.SortFunc(all, func(a, b logstate.Ref) int { return cmp.Compare(a.Index, b.Index) })
	return t.kept(all)
}

// Tells is Told for a first look, by the columns of the table. Where there are few events, they
// are found by their kind and sorted.
func (t *tx) Tells(kinds ...audit.Kind) ([]audit.Event, error) {
	var all []audit.Event
	for last := int64(-1); ; {
		events, err := t.eventsIn(t.of("audit_events").Where("kind IN ? AND +idx > ?", kinds, last).Order("+idx"), verifyBatch)
		if err != nil {
			return nil, err
		}
		all = append(all, events...)
		if len(events) < verifyBatch {
			return all, nil
		}
		last = events[len(events)-1].Index
	}
}

// next is what is written for the next event; it moves the head in memory.
func (t *tx) next(e audit.Event) (row auditEventRow, nodes []auditNodeRow, err error) {
	if e.Tenant != "" && e.Tenant != t.tenant {
		return row, nil, fmt.Errorf("an event of tenant %q in a transaction of %q", e.Tenant, t.tenant)
	}
	e.Tenant, e.Index = t.tenant, t.head.Size
	b, err := e.Bytes()
	if err != nil {
		return row, nil, err
	}
	leaf := audit.Leaf(b)
	t.head, err = t.head.Grow(leaf, func(n audit.Node, hash []byte) { nodes = append(nodes, nodeRow(t.tenant, n, hash)) })
	t.appended = append(t.appended, appended{e, leaf})
	return auditEventRow{
		TenantID: e.Tenant, Idx: e.Index, Bytes: string(b), Leaf: hex.EncodeToString(leaf[:]), At: eventTime{e.At}, Kind: string(e.Kind),
		ActorKind: e.Actor.Kind, ActorID: e.Actor.ID, ApprovalID: e.Approval, AgentID: e.Agent, Level: e.Level, Function: e.Function, Effect: e.Effect,
	}, nodes, err
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
		Tenant: r.TenantID, Index: r.Idx, At: stamp(r.At.Time), Kind: audit.Kind(r.Kind), Actor: audit.Actor{Kind: r.ActorKind, ID: r.ActorID},
		Approval: r.ApprovalID, Agent: r.AgentID, Level: r.Level, Function: r.Function, Effect: r.Effect, Data: e.Data,
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
		row, err := one[auditEventRow](t.of("audit_events").Where("idx = ?", index), "no such event")
		if err != nil {
			return err
		}
		record = row.record()
		return err
	})
	return record, err
}

// Signed returns the head of the log with its signature.
func (l *AuditLog) Signed(ctx context.Context, tenant string) (head audit.Head, note []byte, err error) {
	err = l.s.read(ctx, tenant, func(t *tx) error {
		row, err := one[auditLogRow](t.of("audit_logs"), "no such audit log")
		if err != nil {
			return err
		}
		note = []byte(row.Note)
		head, err = row.head()
		return err
	})
	return head, note, err
}

// Head returns the stored head of the log.
func (l *AuditLog) Head(ctx context.Context, tenant string) (head audit.Head, err error) {
	err = l.s.read(ctx, tenant, func(t *tx) error {
		row, err := one[auditLogRow](t.of("audit_logs"), "no such audit log")
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
// insert-only; and the approvals against what their events say. What was signed
// before must hold, too: against.
func (l *AuditLog) Verify(ctx context.Context, tenant string, against ...audit.Checkpoint) (audit.Report, error) {
	return l.VerifyTelling(ctx, tenant, func(int64, int64) {}, against...)
}

// VerifyTelling is Verify that says from time to time how many events of how many
// were read. progress must be quick.
func (l *AuditLog) VerifyTelling(ctx context.Context, tenant string, progress func(done, of int64), against ...audit.Checkpoint) (report audit.Report, err error) {
	ctx = drivers.WithoutLimit(ctx)
	problem, err := l.s.checkTriggers(ctx)
	if err != nil {
		return report, err
	}
	err = l.s.read(ctx, tenant, func(t *tx) error {
		report, err = t.verify(problem, progress, against...)
		return err
	})
	return report, err
}

// verify is Verify within a transaction; problem is one of the whole database.
func (t *tx) verify(problem string, progress func(done, of int64), against ...audit.Checkpoint) (report audit.Report, err error) {
	report = audit.Report{Tenant: t.tenant}
	row, err := one[auditLogRow](t.of("audit_logs"), "no such audit log")
	if fault.Is(err, fault.Missing) {
		if _, err := one[tenantRow](t.of("tenants"), "no such organisation"); err != nil {
			return report, err
		}
		return report.Fail(0, "the head of the log is missing"), nil
	}
	if err != nil {
		return report, err
	}
	head, err := row.head()
	if err != nil {
		return report.Fail(row.Size, "the head of the log can't be read: %v", err), nil
	}
	if report, err = audit.VerifyNodes(t.tenant, head, t.records(counted(progress, head.Size)), t.checkNode, against...); err != nil || !report.OK {
		return report, err
	}
	if problem == "" && t.store.heads != nil {
		_, problem = t.signedHead(row, head)
	}
	if problem != "" {
		return report.Fail(report.Size, "%s", problem), nil
	}
	for _, replay := range []func(size int64) (at int64, problem string, err error){
		t.replayNameless, t.replay, t.replayPolicies, t.replayStanding, t.replayTrust, t.replayCalls, t.replayDenials, t.replayReviews,
		t.replayBindings, t.replayAuthority, t.replayAgents, t.replayTools, t.replayFiles, t.replayPeople,
	} {
		if at, problem, err := replay(report.Size); err != nil || problem != "" {
			if problem != "" {
				report = report.Fail(at, "%s", problem)
			}
			return report, err
		}
	}
	return report, nil
}

// counted tells progress after each batch.
func counted(progress func(done, of int64), of int64) func(last int64) {
	return func(last int64) { progress(last+1, of) }
}

// records iterates over the log in order; after is told of each batch's last.
func (t *tx) records(after func(last int64)) iter.Seq2[audit.Record, error] {
	return func(yield func(audit.Record, error) bool) {
		last := int64(-1)
		for {
			var rows []auditEventRow
			if err := t.of("audit_events").Where("idx > ?", last).Order("idx").Limit(verifyBatch).Find(&rows).Error; err != nil {
				yield(audit.Record{}, err)
				return
			}
			for _, row := range rows {
				r := row.record()
				last = r.Event.Index
				if !yield(r, nil) {
					return
				}
			}
			after(last)
			if len(rows) < verifyBatch {
				return
			}
		}
	}
}

// checkTriggers compares what guards the database with what should.
func (s *Store) checkTriggers(ctx context.Context) (problem string, err error) {
	want, err := s.dialect.WantGuards()
	if err != nil {
		return "", err
	}
	var have map[string]string
	err = s.readGlobal(ctx, func(db *gorm.DB) (err error) {
		have, err = s.dialect.Guards(db)
		return err
	})
	if err != nil {
		return "", err
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		switch have[name] {
		case want[name]:
		case "":
			return fmt.Sprintf("the trigger %s is missing", name), nil
		default:
			return fmt.Sprintf("the trigger %s isn't the one of this program", name), nil
		}
	}
	for _, name := range slices.Sorted(maps.Keys(have)) {
		if want[name] == "" {
			return fmt.Sprintf("the trigger %.60q isn't of this program", name), nil
		}
	}
	return "", nil
}
