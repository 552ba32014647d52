package store_test

import (
	"database/sql"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/long"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/store"
	"github.com/countersign/countersign/internal/store/headstest"
	"github.com/countersign/countersign/internal/store/postgrestest"
	"github.com/countersign/countersign/internal/tenants"
)

// ran is a statement as it really ran.
type ran struct {
	sql  string
	vars []any
}

// searches runs one look for each filter alone, and tells explain every statement
// on the events that it took.
func searches(t *testing.T, s *store.Store, pk string, explain func(name, index string, statements []ran)) {
	t.Helper()
	var all []ran
	if err := s.Note(func(sql string, vars []any) {
		if strings.Contains(sql, "audit_events") {
			all = append(all, ran{sql, vars})
		}
	}); err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	old := now.Add(-130 * time.Minute)
	for name, c := range map[string]struct {
		filter audit.Filter
		index  string // of the leading condition
	}{
		"everything":       {audit.Filter{}, pk},
		"kind":             {audit.Filter{Kinds: []audit.Kind{"k.1"}}, "audit_events_kind"},
		"kinds":            {audit.Filter{Kinds: []audit.Kind{"k.1", "k.2"}}, "audit_events_kind"},
		"actor":            {audit.Filter{Actor: audit.Actor{Kind: "person", ID: "per_1"}}, "audit_events_actor "},
		"kind of actor":    {audit.Filter{Actor: audit.Actor{Kind: "system"}}, "audit_events_actor_kind"},
		"agent":            {audit.Filter{Agent: "agt_1"}, "audit_events_agent"},
		"approval":         {audit.Filter{Approval: "apr_1"}, "audit_events_approval"},
		"level":            {audit.Filter{Levels: []string{"LOW"}}, "audit_events_level"},
		"levels":           {audit.Filter{Levels: []string{"LOW", "HIGH"}}, "audit_events_level"},
		"effect":           {audit.Filter{Effects: []string{"delete"}}, "audit_events_effect"},
		"effects":          {audit.Filter{Effects: []string{"delete", "money"}}, "audit_events_effect"},
		"function":         {audit.Filter{Function: "f1"}, "audit_events_function"},
		"function, begins": {audit.Filter{Function: "f", Prefix: true}, "audit_events_function"},
		"from":             {audit.Filter{From: now.Add(-time.Minute)}, "audit_events_at"},
		"to":               {audit.Filter{To: old}, "audit_events_at"},
		"from and to":      {audit.Filter{From: old, To: old.Add(time.Minute)}, "audit_events_at"},
		"text":             {audit.Filter{Text: "x"}, pk},
	} {
		all = nil
		for _, q := range []audit.Query{{Edge: -1}, {Edge: 9}, {Edge: -1, Upward: true}} {
			q.Filter, q.Limit = c.filter, 50
			if _, err := s.Audit().Search(t.Context(), "acme", q); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		explain(name, c.index, slices.Clone(all))
	}
}

// opened is a migrated store with an organisation.
func opened(t testing.TB, c store.Config) *store.Store {
	t.Helper()
	long.NotUnderRace(t, "one call follows the other")
	if c.Heads == nil {
		c.Heads = headstest.New()
	}
	s, err := store.Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	if err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.Tenants().CreateTenant(t.Context(), "acme", scoring.DefaultPolicy(), func(w tenants.Writer) error {
		return w.Append(audit.Event{Kind: audit.TenantCreated, Actor: audit.Actor{Kind: "system"}, Function: "f1", Level: "LOW"})
	}); err != nil {
		t.Fatal(err)
	}
	return s
}

// lines are the rows of an explanation; the last column is the text.
func lines(t *testing.T, db *sql.DB, statement string, vars ...any) (all []string) {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), statement, vars...)
	if err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		into := make([]any, len(columns))
		var text string
		for i := range into {
			into[i] = new(any)
		}
		into[len(into)-1] = &text
		if err := rows.Scan(into...); err != nil {
			t.Fatal(err)
		}
		all = append(all, text)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// Every statement of a search is answered by an index, whichever filter stands
// alone: the statements that really run are explained, none is written here again.
func TestSearchPlansOfSQLite(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.db")
	s := opened(t, store.Config{Path: path})
	db := rawAt(t, path)
	searches(t, s, "sqlite_autoindex_audit_events_1", func(name, index string, statements []ran) {
		var plan []string
		for _, st := range statements {
			for _, step := range lines(t, db, "EXPLAIN QUERY PLAN "+st.sql, st.vars...) {
				plan = append(plan, step)
				if strings.HasPrefix(step, "SCAN audit_events") {
					t.Errorf("%s walks through the table: %q for %.300s", name, step, st.sql)
				}
				// What is sorted is a page of candidates or a merge of arms, never a leading index.
				if strings.Contains(step, "TEMP B-TREE") && !strings.Contains(st.sql, "IN (") && !strings.Contains(st.sql, "UNION ALL") {
					t.Errorf("%s sorts: %q for %.300s", name, step, st.sql)
				}
			}
		}
		if !slices.ContainsFunc(plan, func(step string) bool { return strings.Contains(step, index) }) {
			t.Errorf("%s: %q, want it to use %s", name, plan, index)
		}
	})
}

func TestSearchPlansOfPostgres(t *testing.T) {
	t.Parallel()
	dsn := postgrestest.Migrated(t)
	s := opened(t, store.Config{URL: dsn})
	db := postgrestest.SQL(t, dsn)
	for _, statement := range []string{
		"ALTER TABLE audit_events DISABLE TRIGGER USER",
		`INSERT INTO audit_events SELECT 'acme', i, repeat('x', 600), '', now() - i * interval '1 second', 'k.' || i % 20,
		   CASE WHEN i % 50 = 0 THEN 'system' ELSE 'person' END, 'per_' || i % 40, 'apr_' || i % 3000, 'agt_' || i % 30,
		   CASE WHEN i % 30 = 0 THEN 'HIGH' WHEN i % 31 = 0 THEN 'LOW' ELSE '' END, 'f' || i % 25,
		   CASE WHEN i % 40 = 0 THEN 'delete' WHEN i % 41 = 0 THEN 'money' ELSE 'read' END FROM generate_series(1, 8000) AS i`,
		"UPDATE audit_events SET actor_id = '' WHERE actor_kind = 'system'",
		"ANALYZE audit_events",
	} {
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	searches(t, s, "audit_events_pkey", func(name, index string, statements []ran) {
		var plan []string
		for _, st := range statements {
			for _, step := range lines(t, db, "EXPLAIN "+st.sql, st.vars...) {
				plan = append(plan, step)
				if strings.Contains(step, "Seq Scan on audit_events") {
					t.Errorf("%s walks through the table: %q for %.300s", name, step, st.sql)
				}
			}
		}
		if !slices.ContainsFunc(plan, func(step string) bool { return strings.Contains(step, index) }) {
			t.Errorf("%s: %s\nwant it to use %s", name, strings.Join(plan, "\n"), index)
		}
	})
}
