package store_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/long"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/store"
	"github.com/countersign/countersign/internal/store/postgrestest"
)

// listings runs every way to list the queue, and returns the statements on
// approvals that it took.
func listings(t *testing.T, s *store.Store) (all []ran) {
	t.Helper()
	if err := s.Note(func(sql string, vars []any) {
		if strings.Contains(sql, "approvals") {
			all = append(all, ran{sql, vars})
		}
	}); err != nil {
		t.Fatal(err)
	}
	behind := approvals.Place{Level: level.Low, ExpiresAt: time.Now().Add(10 * time.Minute), ID: "apr_5"}
	if err := s.Approvals().Read(t.Context(), "acme", func(r approvals.Reader) error {
		_, err := r.Waiting(approvals.LineQuery{Limit: 51})
		for _, q := range []approvals.LineQuery{{Limit: 51, After: &behind}, {Limit: 51, Levels: []level.Level{level.Low}}} {
			if err == nil {
				_, err = r.Waiting(q)
			}
		}
		if err == nil {
			_, err = r.CountWaiting(5001)
		}
		if err == nil {
			_, err = r.Duplicates([]approvals.Act{{Agent: "agt_1", Digest: "d1"}})
		}
		if err == nil {
			_, err = r.DuplicateIDs(approvals.Act{Agent: "agt_1", Digest: "d1"}, 9)
		}
		if err == nil {
			_, err = r.Older([]string{"apr_20000"})
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return all
}

// flooded fills the table: one approval in ten waits, all of them LOW, and every
// action is large. Its statements are those of Postgres or SQLite.
func flooded(t *testing.T, exec func(statement string), series, text, time string) {
	t.Helper()
	exec("INSERT INTO agents (tenant_id, agent_id, name, owner_id, created_at) VALUES ('acme', 'agt_1', 'bot', '', '2026-01-01 00:00:00+00:00')")
	exec(`INSERT INTO approvals (tenant_id, approval_id, agent_id, agent_name, agent_owner, revises, body_hash, action, digest, shown_digest, carried, call_number,
		function, session_id, created_at, expires_at, status, version, level_rank, assessment, treatment, policy_version)
		SELECT 'acme', 'apr_' || i, 'agt_1', 'bot', '', '', '', ` + text + `, 'd' || (i % 7), '', '[]', 1, 'f', 's', ` + time + `, ` + time + `,
		CASE WHEN i % 10 = 0 THEN 'pending' ELSE 'denied' END, 1, 1, '{}', '{}', 1 FROM ` + series)
	exec(`INSERT INTO approval_lines SELECT tenant_id, approval_id, 1, agent_id, agent_name, function, session_id, digest, shown_digest,
		'{"parts":null}', false, false, 1, created_at, 'write' FROM approvals WHERE status = 'pending'`)
	exec(`INSERT INTO approval_targets SELECT tenant_id, approval_id, agent_id, 'one', digest FROM approvals`)
	exec("ANALYZE")
}

// What waits is read by its indexes, in their order, without the actions.
func TestQueuePlansOfSQLite(t *testing.T) {
	t.Parallel()
	long.NotUnderRace(t, "one call follows the other")
	path := filepath.Join(t.TempDir(), "x.db")
	s := opened(t, store.Config{Path: path})
	db := rawAt(t, path)
	flooded(t, func(statement string) { mustRaw(t, db, statement) }, "(WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) SELECT i FROM n)", "hex(zeroblob(3000))", "datetime('2026-01-01', i || ' seconds') || '+00:00'")
	for _, st := range listings(t, s) {
		steps := lines(t, db, "EXPLAIN QUERY PLAN "+st.sql, st.vars...)
		if !slices.ContainsFunc(steps, func(step string) bool {
			return strings.Contains(step, "SEARCH approvals USING COVERING INDEX approvals_")
		}) {
			t.Errorf("%q for %s", steps, st.sql)
		}
		for _, step := range steps {
			if strings.HasPrefix(step, "SCAN approval") || strings.Contains(step, "TEMP B-TREE FOR ORDER") {
				t.Errorf("%q for %s", step, st.sql)
			}
		}
	}
}

func TestQueuePlansOfPostgres(t *testing.T) {
	t.Parallel()
	dsn := postgrestest.Migrated(t)
	s := opened(t, store.Config{URL: dsn})
	db := postgrestest.SQL(t, dsn)
	flooded(t, func(statement string) { mustRaw(t, db, statement) }, "generate_series(1, 20000) AS i", "repeat('x', 300)", "timestamp '2026-01-01' + i * interval '1 second'")
	for _, st := range listings(t, s) {
		steps := lines(t, db, "EXPLAIN "+st.sql, st.vars...)
		plan := strings.Join(steps, "\n")
		if !strings.Contains(plan, " approvals_") || strings.Contains(plan, "Seq Scan on approval") || strings.Contains(plan, "Sort Key: approvals.expires_at") {
			t.Errorf("%s\nfor %s", plan, st.sql)
		}
	}
}
