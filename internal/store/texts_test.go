package store_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/store"
	"github.com/countersign/countersign/internal/store/postgrestest"
)

// BenchmarkHolding searches the texts of a million requests for one that the oldest that it
// looks at holds, and for one that every one holds. docs/audit.md has the figures.
func BenchmarkHolding(b *testing.B) {
	const requests = 1_000_000
	fill := func(exec func(string), series string) {
		exec("INSERT INTO agents (tenant_id, agent_id, name, owner_id, created_at) VALUES ('acme', 'agt_1', 'bot', '', '2026-01-01 00:00:00+00:00')")
		exec(`INSERT INTO approvals (tenant_id, approval_id, agent_id, agent_name, agent_owner, revises, body_hash, action, digest, shown_digest, carried, call_number,
			function, session_id, created_at, expires_at, status, version, level_rank, assessment, treatment, policy_version)
			SELECT 'acme', 'apr_' || (10000000 + i), 'agt_1', 'bot', '', '', '', '', '', '', '[]', 1, 'f', 's', '2026-01-01 00:00:00+00:00', '2026-01-01 00:00:00+00:00', 'denied', 1, 1, '{}', '{}', 1 FROM ` + series)
		exec(`INSERT INTO request_texts SELECT tenant_id, approval_id, 'delete the order ' || approval_id || ' of a customer in production' || '` + strings.Repeat(" and its lines", 10) + `' FROM approvals`)
		exec("ANALYZE")
	}
	search := func(b *testing.B, s *store.Store, text string, want int) {
		for b.Loop() {
			if err := s.Approvals().Read(b.Context(), "acme", func(r approvals.Reader) error {
				found, _, err := r.Holding(approvals.TextQuery{Text: text})
				if len(found) != want {
					return fmt.Errorf("%d found, want %d", len(found), want)
				}
				return err
			}); err != nil {
				b.Fatal(err)
			}
		}
	}
	both := func(b *testing.B, s *store.Store) {
		b.Run("the oldest", func(b *testing.B) { search(b, s, fmt.Sprint("apr_", 10000001+requests-approvals.SearchReach), 1) })
		b.Run("nearly all", func(b *testing.B) { search(b, s, "customer", approvals.SearchMost) })
	}
	b.Run("SQLite", func(b *testing.B) {
		path := filepath.Join(b.TempDir(), "x.db")
		s := opened(b, store.Config{Path: path})
		db := rawAt(b, path)
		fill(func(statement string) { mustRaw(b, db, statement) }, fmt.Sprintf("(WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d) SELECT i FROM n)", requests))
		both(b, s)
	})
	b.Run("Postgres", func(b *testing.B) {
		dsn := postgrestest.Migrated(b)
		s := opened(b, store.Config{URL: dsn})
		db := postgrestest.SQL(b, dsn)
		fill(func(statement string) { mustRaw(b, db, statement) }, fmt.Sprintf("generate_series(1, %d) AS i", requests))
		both(b, s)
	})
}
