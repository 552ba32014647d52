package store_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/long"
	"github.com/countersign/countersign/internal/store"
	"github.com/countersign/countersign/internal/store/postgrestest"
)

// filtered is one way to list approvals, and the indexes of which one must answer it.
type filtered struct {
	name     string
	list     func(r approvals.Reader) error
	indexes  []string
	covering bool // no row is read
}

func filters() []filtered {
	whole := func(f approvals.Filter) func(approvals.Reader) error {
		return func(r approvals.Reader) error { _, err := r.Approvals(f); return err }
	}
	ids := func(f approvals.Filter) func(approvals.Reader) error {
		return func(r approvals.Reader) error { _, err := r.IDs(f); return err }
	}
	views := func(f approvals.Filter) func(approvals.Reader) error {
		return func(r approvals.Reader) error { _, _, err := r.AgentViews(f); return err }
	}
	alike := func(r approvals.Reader) error {
		_, err := r.WaitingDuplicates(approvals.Act{Agent: "agt_1", Digest: "d1"}, 99)
		return err
	}
	pending := []approvals.Status{approvals.Pending}
	return []filtered{
		{"what waits and is the same act", alike, []string{"approvals_alike"}, false},
		{"the same act, whatever became of it", ids(approvals.Filter{Agent: "agt_1", Digest: "d1", Limit: 99}), []string{"approvals_digest"}, true},
		{"what waits of an agent", whole(approvals.Filter{Agent: "agt_1", Statuses: pending, Limit: 100}), []string{"approvals_status", "approvals_alike"}, false},
		{"what an agent lists of one status", views(approvals.Filter{Agent: "agt_1", Statuses: []approvals.Status{approvals.Blocked}, Limit: 50}), []string{"approvals_status"}, false},
		{"its next page", views(approvals.Filter{Agent: "agt_1", Statuses: []approvals.Status{approvals.Cancelled}, Before: "apr_5", Limit: 50}), []string{"approvals_status"}, false},
		{"what an agent lists of what waits", views(approvals.Filter{Agent: "agt_1", Statuses: pending, Limit: 50}), []string{"approvals_status", "approvals_alike"}, false},
		{"what is due", ids(approvals.Filter{Statuses: pending, DueBefore: time.Now().AddDate(-9, 0, 0), Limit: 200}), []string{"approvals_due"}, false},
	}
}

// ranFor are the statements on approvals that these listings take, one each.
func ranFor(t *testing.T, s *store.Store, all []filtered) (statements []ran) {
	t.Helper()
	if err := s.Note(func(sql string, vars []any) {
		if strings.Contains(sql, "approvals.tenant_id") {
			statements = append(statements, ran{sql, vars})
		}
	}); err != nil {
		t.Fatal(err)
	}
	for i, f := range all {
		if err := s.Approvals().Read(t.Context(), "acme", f.list); err != nil || len(statements) != i+1 {
			t.Fatalf("%s: %v, %q", f.name, err, statements)
		}
	}
	return statements
}

// answers reports whether one of the indexes is in the plan.
func (f filtered) answers(plan string) bool {
	return slices.ContainsFunc(f.indexes, func(index string) bool { return strings.Contains(plan, index+" ") })
}

// Whatever an agent has behind it, what it lists is a range of an index. SQLite plans
// without statistics as a rule, and with them where somebody made some.
func TestFilterPlansOfSQLite(t *testing.T) {
	t.Parallel()
	long.NotUnderRace(t, "one call follows the other")
	path := filepath.Join(t.TempDir(), "x.db")
	s := opened(t, store.Config{Path: path})
	statements := ranFor(t, s, filters())
	explain := func(when string) {
		db := rawAt(t, path)
		for i, f := range filters() {
			st := statements[i]
			plan := strings.Join(lines(t, db, "EXPLAIN QUERY PLAN "+st.sql, st.vars...), "\n")
			if !f.answers(plan) {
				t.Errorf("%s, %s: %q for %s, want %q", f.name, when, plan, st.sql, f.indexes)
			}
			if f.covering && !strings.Contains(plan, "COVERING") {
				t.Errorf("%s, %s, reads rows: %q", f.name, when, plan)
			}
		}
	}
	explain("without statistics")
	db := rawAt(t, path)
	flooded(t, func(statement string) { mustRaw(t, db, statement) }, "(WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000) SELECT i FROM n)", "hex(zeroblob(300))", "datetime('2026-01-01', i || ' seconds') || '+00:00'")
	explain("with statistics")
}

func TestFilterPlansOfPostgres(t *testing.T) {
	t.Parallel()
	dsn := postgrestest.Migrated(t)
	s := opened(t, store.Config{URL: dsn})
	statements := ranFor(t, s, filters())
	db := postgrestest.SQL(t, dsn)
	flooded(t, func(statement string) { mustRaw(t, db, statement) }, "generate_series(1, 20000) AS i", "repeat('x', 300)", "timestamp '2026-01-01' + i * interval '1 second'")
	for i, f := range filters() {
		st := statements[i]
		if plan := strings.Join(lines(t, db, "EXPLAIN "+st.sql, st.vars...), "\n"); !f.answers(plan) {
			t.Errorf("%s: %s\nfor %s, want %q", f.name, plan, st.sql, f.indexes)
		}
	}
}
