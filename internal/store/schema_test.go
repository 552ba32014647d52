package store_test

import (
	"database/sql"
	"strings"
	"testing"
)

// Every key of tenant data begins with the tenant; the tables that have none are
// named here.
func TestKeysBeginWithTheTenant(t *testing.T) {
	t.Parallel()
	db := open(t)
	global := map[string]bool{"people": true, "sessions": true, "sign_in_links": true, "goose_db_version": true}
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

// The statements that run all the time are answered by an index, not by a walk.
func TestPlans(t *testing.T) {
	t.Parallel()
	db := open(t)
	for name, c := range map[string]struct{ query, index string }{
		"queue":   {"SELECT * FROM approvals WHERE tenant_id = 'a' AND status IN ('pending') ORDER BY level_rank DESC, expires_at, approval_id LIMIT 50", "approvals_queue"},
		"sweep":   {"SELECT * FROM approvals WHERE tenant_id = 'a' AND status IN ('pending') AND expires_at <= '2026' ORDER BY approval_id DESC LIMIT 200", "approvals_due"},
		"agent":   {"SELECT * FROM approvals WHERE tenant_id = 'a' AND agent_id = 'b' AND approval_id < 'c' ORDER BY approval_id DESC LIMIT 50", "approvals_agent"},
		"session": {"SELECT * FROM approvals WHERE tenant_id = 'a' AND agent_id = 'b' AND session_id = 's' ORDER BY approval_id DESC LIMIT 50", "approvals_session"},
		"replay":  {"SELECT * FROM audit_events WHERE tenant_id = 'a' AND approval_id IN ('b', 'c') AND kind IN ('x', 'y') ORDER BY approval_id, idx", "audit_events_approval"},
	} {
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
