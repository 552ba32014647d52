package store_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/store"
	"github.com/countersign/countersign/internal/store/postgrestest"
)

// holding notes the statements on the events that a call costs which is let through.
func holding(t *testing.T, s *store.Store) (all []ran) {
	t.Helper()
	if err := s.Note(func(sql string, vars []any) {
		if strings.Contains(sql, "audit_events") {
			all = append(all, ran{sql, vars})
		}
	}); err != nil {
		t.Fatal(err)
	}
	err := s.Approvals().Read(t.Context(), "acme", func(r approvals.Reader) error {
		if _, err := r.UnheldAgent("agt_1"); err != nil {
			return err
		}
		_, err := r.UnheldCall(approvals.Ground{Agent: "agt_1", Function: "f1", Like: []string{"x"}, DeniedSince: time.Now().Add(-time.Hour), TrustFrom: "2026-01-01"})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 8 {
		t.Fatalf("%d statements", len(all))
	}
	return all
}

// What lets a call through is found by agent and kind, or by kind, however long the log is.
func TestHeldCallsReadNoHistoryOnSQLite(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.db")
	s := opened(t, store.Config{Path: path})
	db := rawAt(t, path)
	for _, st := range holding(t, s) {
		for _, step := range lines(t, db, "EXPLAIN QUERY PLAN "+st.sql, st.vars...) {
			if strings.Contains(step, "audit_events") && !strings.Contains(step, "kind=?") {
				t.Errorf("%q for %.400s", step, st.sql)
			}
		}
	}
}

func TestHeldCallsReadNoHistoryOnPostgres(t *testing.T) {
	t.Parallel()
	dsn := postgrestest.Migrated(t)
	s := opened(t, store.Config{URL: dsn})
	db := postgrestest.SQL(t, dsn)
	for _, statement := range []string{
		"ALTER TABLE audit_events DISABLE TRIGGER USER",
		`INSERT INTO audit_events SELECT 'acme', i, repeat('x', 600), '', now() - i * interval '1 second', 'k.' || i % 20,
		   'agent', 'agt_' || i % 3, 'apr_' || i, 'agt_' || i % 3, '', 'f1', '' FROM generate_series(1, 20000) AS i`,
		"ANALYZE audit_events",
	} {
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	for _, st := range holding(t, s) {
		plan := strings.Join(lines(t, db, "EXPLAIN "+st.sql, st.vars...), "\n")
		if !strings.Contains(plan, "audit_events_agent_kind") && !strings.Contains(plan, "audit_events_kind") {
			t.Errorf("%s\nfor %.400s", plan, st.sql)
		}
	}
}
