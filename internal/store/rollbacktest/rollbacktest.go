// Package rollbacktest puts the rows of an earlier moment back under whoever serves a database,
// as somebody can who may write to it, past every trigger and foreign key.
package rollbacktest

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
)

// Moment is what the tables of a database held.
type Moment struct {
	raw    *sql.DB
	sqlite bool
	name   string // of the schema, or the file
	Tables []string
}

var moments atomic.Int64

// Take remembers all tables as they are.
func Take(t testing.TB, raw *sql.DB, sqlite bool) *Moment {
	t.Helper()
	m := &Moment{raw: raw, sqlite: sqlite, name: fmt.Sprintf("earlier_%d", moments.Add(1))}
	list := "SELECT tablename FROM pg_tables WHERE schemaname = current_schema() AND tablename NOT LIKE 'goose%' ORDER BY 1"
	if sqlite {
		list = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'goose%' ORDER BY 1"
	}
	m.Tables = column(t, raw, list)
	if sqlite {
		m.name = filepath.Join(t.TempDir(), m.name)
		do(t, raw, "VACUUM INTO '"+strings.ReplaceAll(m.name, "'", "''")+"'")
		return m
	}
	do(t, raw, "CREATE SCHEMA "+m.name)
	for _, table := range m.Tables {
		do(t, raw, fmt.Sprintf("CREATE TABLE %s.%s AS TABLE %s", m.name, table, table))
	}
	return m
}

// PutBack gives these tables the rows that they had; none are all of them.
func (m *Moment) PutBack(t testing.TB, tables ...string) {
	t.Helper()
	if len(tables) == 0 {
		tables = m.Tables
	}
	c, err := m.raw.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	run := func(statement string) {
		t.Helper()
		if _, err := c.ExecContext(context.WithoutCancel(t.Context()), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	if !m.sqlite {
		run("BEGIN")
		run("SET LOCAL session_replication_role = replica")
		for _, table := range tables {
			run("DELETE FROM " + table)
			run(fmt.Sprintf("INSERT INTO %s SELECT * FROM %s.%s", table, m.name, table))
		}
		run("COMMIT")
		return
	}
	triggers := column(t, m.raw, "SELECT sql FROM sqlite_master WHERE type = 'trigger'")
	names := column(t, m.raw, "SELECT name FROM sqlite_master WHERE type = 'trigger'")
	run("ATTACH '" + strings.ReplaceAll(m.name, "'", "''") + "' AS earlier")
	run("PRAGMA foreign_keys = off")
	run("BEGIN IMMEDIATE")
	for _, name := range names {
		run("DROP TRIGGER " + name)
	}
	for _, table := range tables {
		run("DELETE FROM main." + table)
		run(fmt.Sprintf("INSERT INTO main.%s SELECT * FROM earlier.%s", table, table))
	}
	for _, trigger := range triggers {
		run(trigger)
	}
	run("COMMIT")
	run("DETACH earlier")
}

// Changed are the tables that have other rows now.
func (m *Moment) Changed(t testing.TB) (tables []string) {
	t.Helper()
	now := Take(t, m.raw, m.sqlite)
	defer now.Forget(t)
	for _, table := range m.Tables {
		if !slices.Equal(m.rows(t, table), now.rows(t, table)) {
			tables = append(tables, table)
		}
	}
	return tables
}

func (m *Moment) rows(t testing.TB, table string) []string {
	t.Helper()
	raw, from := m.raw, m.name+"."+table
	if m.sqlite {
		db, err := sql.Open("sqlite", "file:"+m.name)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		raw, from = db, table
	}
	rows, err := raw.QueryContext(t.Context(), "SELECT * FROM "+from)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for rows.Next() {
		values := make([]any, len(columns))
		for i := range values {
			values[i] = new(any)
		}
		if err := rows.Scan(values...); err != nil {
			t.Fatal(err)
		}
		s := ""
		for _, v := range values {
			s += fmt.Sprintf("%v\x00", *v.(*any))
		}
		all = append(all, s)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	slices.Sort(all)
	return all
}

// Forget deletes what was remembered.
func (m *Moment) Forget(t testing.TB) {
	t.Helper()
	if !m.sqlite {
		do(t, m.raw, "DROP SCHEMA "+m.name+" CASCADE")
	}
}

func do(t testing.TB, raw *sql.DB, statement string) {
	t.Helper()
	if _, err := raw.ExecContext(t.Context(), statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

func column(t testing.TB, raw *sql.DB, query string) (all []string) {
	t.Helper()
	rows, err := raw.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}
