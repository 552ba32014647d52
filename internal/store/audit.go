package store

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"time"

	"gorm.io/gorm"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/store/drivers"
	"github.com/countersign/countersign/internal/store/logstate"
	"github.com/countersign/countersign/internal/store/tables"
)

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
	return t.Outbox(events)
}

func (t *tx) append(events []audit.Event) error {
	asked := ""
	for _, e := range events {
		if e.Actor.Kind == "agent" && e.Actor.ID != asked {
			asked = e.Actor.ID
			if err := t.MayAct(asked); err != nil {
				return err
			}
		}
	}
	if t.refusal != nil {
		return t.sayNo(events)
	}
	return t.put(events, func(audit.Event) time.Time { return t.At })
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
	var rows []tables.EventRow
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
	err := t.store.dialect.Translate(t.DB.Create(&rows).Error)
	if errors.Is(err, gorm.ErrDuplicatedKey) || errors.Is(err, drivers.ErrTrigger) {
		t.store.heads.Refuse(t.DB.Statement.Context, t.Tenant, fmt.Sprintf("there are events behind the signed end of the log, event %d", was))
		return t.refused()
	}
	if err != nil {
		return err
	}
	if len(nodes) > 0 {
		return t.DB.Create(&nodes).Error
	}
	return nil
}

// Told returns the events of these kinds, of which there are few, oldest first.
func (t *tx) Told(kinds ...audit.Kind) ([]audit.Event, error) {
	if t.state == nil {
		return nil, t.noLog()
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
	return t.EventsAt(all)
}

// Tells is Told for a first look, by the columns of the table. Where there are few events, they
// are found by their kind and sorted.
func (t *tx) Tells(kinds ...audit.Kind) ([]audit.Event, error) {
	var all []audit.Event
	for last := int64(-1); ; {
		events, err := t.EventsIn(t.Of("audit_events").Where("kind IN ? AND +idx > ?", kinds, last).Order("+idx"), tables.Batch)
		if err != nil {
			return nil, err
		}
		all = append(all, events...)
		if len(events) < tables.Batch {
			return all, nil
		}
		last = events[len(events)-1].Index
	}
}

// next is what is written for the next event; it moves the head in memory.
func (t *tx) next(e audit.Event) (row tables.EventRow, nodes []auditNodeRow, err error) {
	if e.Tenant != "" && e.Tenant != t.Tenant {
		return row, nil, fmt.Errorf("an event of tenant %q in a transaction of %q", e.Tenant, t.Tenant)
	}
	e.Tenant, e.Index = t.Tenant, t.head.Size
	b, err := e.Bytes()
	if err != nil {
		return row, nil, err
	}
	leaf := audit.Leaf(b)
	t.head, err = t.head.Grow(leaf, func(n audit.Node, hash []byte) { nodes = append(nodes, nodeRow(t.Tenant, n, hash)) })
	t.appended = append(t.appended, appended{e, leaf})
	return tables.EventRow{
		TenantID: e.Tenant, Idx: e.Index, Bytes: string(b), Leaf: hex.EncodeToString(leaf[:]), At: tables.EventTime{Time: e.At}, Kind: string(e.Kind),
		ActorKind: e.Actor.Kind, ActorID: e.Actor.ID, ApprovalID: e.Approval, AgentID: e.Agent, Level: e.Level, Function: e.Function, Effect: e.Effect,
	}, nodes, err
}

// AuditLog reads the trail.
type AuditLog struct{ s *Store }

// Audit returns the reader of the trail.
func (s *Store) Audit() *AuditLog { return &AuditLog{s} }

// Events lists newest first, below the index before (-1: from the newest).
func (l *AuditLog) Events(ctx context.Context, tenant string, before int64, limit int) (records []audit.Record, err error) {
	err = l.s.read(ctx, tenant, func(t *tx) error {
		q := t.Of("audit_events")
		if before >= 0 {
			q = q.Where("idx < ?", before)
		}
		var rows []tables.EventRow
		if err := q.Order("idx DESC").Limit(limit).Find(&rows).Error; err != nil {
			return err
		}
		for _, r := range rows {
			records = append(records, r.Record())
		}
		return nil
	})
	return records, err
}

// Event returns one event. fault.Missing.
func (l *AuditLog) Event(ctx context.Context, tenant string, index int64) (record audit.Record, err error) {
	err = l.s.read(ctx, tenant, func(t *tx) error {
		row, err := tables.One[tables.EventRow](t.Of("audit_events").Where("idx = ?", index), "no such event")
		if err != nil {
			return err
		}
		record = row.Record()
		return err
	})
	return record, err
}

// Signed returns the head of the log with its signature.
func (l *AuditLog) Signed(ctx context.Context, tenant string) (head audit.Head, note []byte, err error) {
	err = l.s.read(ctx, tenant, func(t *tx) error {
		row, err := tables.One[tables.LogRow](t.Of("audit_logs"), "no such audit log")
		if err != nil {
			return err
		}
		note = []byte(row.Note)
		head, err = row.Head()
		return err
	})
	return head, note, err
}

// Head returns the stored head of the log.
func (l *AuditLog) Head(ctx context.Context, tenant string) (audit.Head, error) {
	head, _, err := l.Signed(ctx, tenant)
	return head, err
}

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
	report = audit.Report{Tenant: t.Tenant}
	row, err := tables.One[tables.LogRow](t.Of("audit_logs"), "no such audit log")
	if fault.Is(err, fault.Missing) {
		if _, err := tables.One[tenantRow](t.Of("tenants"), "no such organisation"); err != nil {
			return report, err
		}
		return report.Fail(0, "the head of the log is missing"), nil
	}
	if err != nil {
		return report, err
	}
	head, err := row.Head()
	if err != nil {
		return report.Fail(row.Size, "the head of the log can't be read: %v", err), nil
	}
	if report, err = audit.VerifyNodes(t.Tenant, head, t.records(counted(progress, head.Size)), t.checkNode, against...); err != nil || !report.OK {
		return report, err
	}
	if problem == "" && t.store.heads != nil {
		_, problem = t.signedHead(row, head)
	}
	if problem != "" {
		return report.Fail(report.Size, "%s", problem), nil
	}
	at, problem, err := t.Verify(report.Size)
	if err == nil && problem != "" {
		report = report.Fail(at, "%s", problem)
	}
	return report, err
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
			var rows []tables.EventRow
			if err := t.Of("audit_events").Where("idx > ?", last).Order("idx").Limit(tables.Batch).Find(&rows).Error; err != nil {
				yield(audit.Record{}, err)
				return
			}
			for _, row := range rows {
				r := row.Record()
				last = r.Event.Index
				if !yield(r, nil) {
					return
				}
			}
			after(last)
			if len(rows) < tables.Batch {
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

// Search returns one page of what the query's filter chooses.
func (l *AuditLog) Search(ctx context.Context, tenant string, q audit.Query) (page audit.Page, err error) {
	err = l.s.read(ctx, tenant, func(t *tx) error {
		page, err = t.SearchEvents(q, "")
		return err
	})
	return page, err
}

// Walk calls fn for every event below the index below that the filter chooses,
// oldest first. It reads page by page and holds no transaction meanwhile: events
// below a size that the log once had do not change.
func (l *AuditLog) Walk(ctx context.Context, tenant string, f audit.Filter, below int64, fn func(audit.Record) error) error {
	q := audit.Query{Filter: f, Edge: -1, Upward: true, Limit: tables.Batch}
	for {
		page, err := l.Search(ctx, tenant, q)
		if err != nil {
			return err
		}
		for _, r := range page.Records {
			if r.Event.Index >= below {
				return nil
			}
			if err := fn(r); err != nil {
				return err
			}
		}
		if page.Done || page.Next >= below-1 {
			return nil
		}
		q.Edge = page.Next
	}
}
