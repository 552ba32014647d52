package store_test

import (
	"database/sql"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/store/storetest"
)

// Every key of tenant data begins with the tenant; the tables that have none are
// named here.
func TestKeysBeginWithTheTenant(t *testing.T) {
	t.Parallel()
	db := open(t)
	global := map[string]bool{"people": true, "sessions": true, "sign_in_links": true, "sign_in_failures": true, "leases": true, "goose_db_version": true}
	var tables []string
	collect(t, db.Raw, &tables, "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
	if len(tables) < 20 {
		t.Errorf("%d tables: %q; the test no longer sees them", len(tables), tables)
	}
	for _, table := range tables {
		if global[table] {
			continue
		}
		var first []string
		collect(t, db.Raw, &first, "SELECT name FROM pragma_table_info('"+table+"') WHERE pk = 1")
		var indexes []string
		collect(t, db.Raw, &indexes, "SELECT name FROM pragma_index_list('"+table+"')")
		for _, index := range indexes {
			collect(t, db.Raw, &first, "SELECT name FROM pragma_index_info('"+index+"') WHERE seqno = 0")
		}
		collect(t, db.Raw, &first, "SELECT \"from\" FROM pragma_foreign_key_list('"+table+"') WHERE seq = 0 AND \"table\" <> 'people'")
		for _, column := range first {
			if column != "tenant_id" {
				t.Errorf("a key of %s begins with %s", table, column)
			}
		}
	}
}

// frequent are the statements that run all the time.
func frequent() map[string]struct{ query, index string } {
	return map[string]struct{ query, index string }{
		"queue":   {"SELECT approval_id FROM approvals WHERE tenant_id = 'acme' AND status = 'pending' ORDER BY level_rank DESC, expires_at, approval_id LIMIT 50", "approvals_ranked"},
		"sweep":   {"SELECT approval_id FROM approvals WHERE tenant_id = 'acme' AND status = 'pending' AND expires_at <= '2026-01-01' ORDER BY approval_id DESC LIMIT 200", "approvals_due"},
		"agent":   {"SELECT * FROM approvals WHERE tenant_id = 'acme' AND agent_id = 'b' AND approval_id < 'c' ORDER BY approval_id DESC LIMIT 50", "approvals_agent"},
		"session": {"SELECT * FROM approvals WHERE tenant_id = 'acme' AND agent_id = 'b' AND session_id = 's' ORDER BY approval_id DESC LIMIT 50", "approvals_session"},
		"answers": {"SELECT * FROM approvals WHERE tenant_id = 'acme' AND revises <> '' AND revises = 'b' ORDER BY approval_id DESC LIMIT 20", "approvals_revises"},
		"quizzes": {"SELECT * FROM challenges WHERE tenant_id = 'acme' AND kind = 'quiz' AND issued_at >= '2026-01-01' AND state IN ('failed', 'spent') ORDER BY issued_at DESC, challenge_id DESC LIMIT 50", "challenges_graded"},
		"replay":  {"SELECT * FROM audit_events WHERE tenant_id = 'acme' AND approval_id IN ('b', 'c') AND kind IN ('x', 'y') ORDER BY approval_id, idx", "audit_events_approval"},
	}
}

// They are answered by an index, not by a walk.
func TestPlans(t *testing.T) {
	t.Parallel()
	db := open(t)
	for name, c := range frequent() {
		rows, err := db.Raw.QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+c.query)
		if err != nil {
			t.Fatal(err)
		}
		var plan []string
		for rows.Next() {
			var id, parent, unused int
			var step string
			if err := rows.Scan(&id, &parent, &unused, &step); err != nil {
				t.Fatal(err)
			}
			plan = append(plan, step)
		}
		_ = rows.Close()
		if !strings.Contains(plan[0], c.index) {
			t.Errorf("%s: %q, want it to use %s", name, plan, c.index)
		}
		if name == "queue" && len(plan) > 1 {
			t.Errorf("the queue is sorted: %q", plan)
		}
	}
}

// The same under row-level security, in a tenant that has a past.
func TestPostgresPlans(t *testing.T) {
	t.Parallel()
	db := openPostgres(t)
	storetest.Fill(t, db)
	tx, err := db.Raw.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	for _, statement := range []string{
		"SET LOCAL session_replication_role = replica",
		`DO $$ DECLARE columns TEXT; BEGIN
			SELECT string_agg(CASE attname WHEN 'approval_id' THEN 'approval_id || n' WHEN 'session_id' THEN '''s'' || n / 10'
				WHEN 'agent_id' THEN '''a'' || n % 50' ELSE quote_ident(attname) END, ', ' ORDER BY attnum)
				INTO columns FROM pg_attribute WHERE attrelid = 'approvals'::regclass AND attnum > 0 AND NOT attisdropped;
			EXECUTE 'INSERT INTO approvals SELECT ' || columns || ' FROM approvals, generate_series(1, 1000) n';
		END $$`,
		`INSERT INTO audit_events SELECT tenant_id, idx + 20 * n, bytes, leaf, at, kind, actor_kind, actor_id, approval_id || n, agent_id, level, function, effect
			FROM audit_events, generate_series(1, 500) n`,
		"ANALYZE approvals",
		"ANALYZE audit_events",
		"SET LOCAL ROLE countersign_app",
		"SET LOCAL app.tenant = 'acme'",
	} {
		if _, err := tx.ExecContext(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	for name, c := range frequent() {
		rows, err := tx.QueryContext(t.Context(), "EXPLAIN "+c.query)
		if err != nil {
			t.Fatal(err)
		}
		var plan []string
		for rows.Next() {
			var step string
			if err := rows.Scan(&step); err != nil {
				t.Fatal(err)
			}
			plan = append(plan, step)
		}
		_ = rows.Close()
		all := strings.Join(plan, "\n")
		// Several indexes answer the last two, and statistics choose among them.
		if strings.Contains(all, "Seq Scan") || !strings.Contains(all, c.index) && name != "session" && name != "replay" {
			t.Errorf("%s is answered by\n%s\nwant it to use %s", name, all, c.index)
		}
		if (name == "queue" || name == "agent") && strings.Contains(all, "Sort") {
			t.Errorf("%s is sorted:\n%s", name, all)
		}
	}
}

func collect(t *testing.T, db *sql.DB, into *[]string, query string) {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			t.Fatal(err)
		}
		*into = append(*into, s)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
}
