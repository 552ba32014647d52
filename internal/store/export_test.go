package store

import (
	"context"
	"errors"
	"regexp"
	"strconv"
	"sync/atomic"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/live"
	"github.com/countersign/countersign/internal/store/drivers"
	"github.com/countersign/countersign/internal/store/tables"
	"github.com/countersign/countersign/internal/tenants"
)

// Guards is what `audit verify` compares, and with what.
func (s *Store) Guards(ctx context.Context) (have, want map[string]string, err error) {
	if want, err = s.dialect.WantGuards(); err != nil {
		return nil, nil, err
	}
	err = s.readGlobal(ctx, func(db *gorm.DB) (err error) {
		have, err = s.dialect.Guards(db)
		return err
	})
	return have, want, err
}

// ReplicateEvery is Replicate with another poll, so that a test need not wait for
// it, or can do without.
func (s *Store) ReplicateEvery(ctx context.Context, hub *live.Hub, poll time.Duration) {
	s.replicate(ctx, hub, poll)
}

// ofTenant is the condition that tx.of gives to a statement.
var ofTenant = regexp.MustCompile(`^\w+\.tenant_id = \?$`)

// ofTenantWritten is the same in a statement that is written out (tables.Want).
var ofTenantWritten = regexp.MustCompile(`\b\w+\.tenant_id = (\?|\$\d+)`)

// WithoutTenants takes the condition of the tenant out of every statement from now
// on; taken says of how many.
func (s *Store) WithoutTenants() (taken func() int64) {
	var n atomic.Int64
	strip := func(db *gorm.DB) {
		if sql := db.Statement.SQL.String(); sql != "" { // its values stay, so the condition does, and chooses nothing
			n.Add(int64(len(ofTenantWritten.FindAllString(sql, -1))))
			db.Statement.SQL.Reset()
			db.Statement.SQL.WriteString(ofTenantWritten.ReplaceAllString(sql, "($0 OR 1 = 1)"))
			return
		}
		where, ok := db.Statement.Clauses["WHERE"]
		if !ok {
			return
		}
		conditions, ok := where.Expression.(clause.Where)
		if !ok {
			return
		}
		exprs := make([]clause.Expression, len(conditions.Exprs))
		for i, e := range conditions.Exprs {
			if x, ok := e.(clause.Expr); ok && ofTenant.MatchString(x.SQL) {
				e = clause.Expr{SQL: "1 = 1"}
				n.Add(1)
			}
			exprs[i] = e
		}
		where.Expression = clause.Where{Exprs: exprs}
		db.Statement.Clauses["WHERE"] = where
	}
	for _, db := range []*gorm.DB{s.reader, s.writer} {
		c := db.Callback()
		for _, err := range []error{
			c.Query().Before("gorm:query").Register("strip", strip),
			c.Row().Before("gorm:row").Register("strip", strip),
			c.Update().Before("gorm:update").Register("strip", strip),
			c.Delete().Before("gorm:delete").Register("strip", strip),
		} {
			if err != nil {
				panic(err)
			}
		}
	}
	return n.Load
}

// Told is the fault that becomes of what Postgres says.
func Told(err error) error {
	return tables.Classify(drivers.Postgres{}.Translate(err))
}

// LimitTo leaves SQLite no more pages than it has; 0: as many as it likes.
func (s *Store) LimitTo(pages int64) error {
	if pages == 0 {
		pages = 1 << 30
	}
	return s.writer.Exec("PRAGMA max_page_count = " + strconv.FormatInt(pages, 10)).Error
}

// Waiting is how many writes to a log wait for their group.
func (s *Store) Waiting(tenant string) int {
	l := s.lanes([]string{tenant})[0]
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.waiting)
}

// FailCommits makes each transaction of a log fail at its end, after everything was written, until again is called.
func (s *Store) FailCommits() (again func()) {
	heads := s.heads
	s.heads = failingHeads{heads}
	return func() { s.heads = heads }
}

type failingHeads struct{ Heads }

func (failingHeads) Sign(audit.Checkpoint) ([]byte, error) { return nil, errors.New("it can't sign") }

// Together runs writes to a log as one group.
func (s *Store) Together(ctx context.Context, tenant string, fns ...func(tenants.Writer) error) []error {
	acts := make([]*act, len(fns))
	for i, fn := range fns {
		acts[i] = oneAct(ctx, tenant, false, func(t *tx) error { return fn(t) })
		acts[i].done = make(chan struct{})
	}
	s.runGroup(waitIn(&newLane().queue, ctx), acts)
	errs := make([]error, len(fns))
	for i, a := range acts {
		errs[i] = s.toCaller(ctx, a.err)
	}
	return errs
}
