package tables

import (
	"maps"
	"strings"

	"gorm.io/gorm"
)

// Once is what a transaction has read already by this name, or what read returns. One that only
// reads sees one state, and one that writes has the log for itself: what is decided by moves only
// where it writes itself, and then what was written is read again. So a page that shows many
// requests, and an act that asks for the policy in five places, read it once.
func Once[T any](t *Tx, name string, read func() (T, error)) (T, error) {
	if v, ok := t.Known[name]; ok && t.keeps() {
		return v.(T), nil
	}
	v, err := read()
	if err == nil {
		t.keep(name, v)
	}
	return v, err
}

// keeps says that nobody else changes what was read.
func (t *Tx) keeps() bool { return !t.Writes || t.Holds }

func (t *Tx) keep(name string, v any) {
	if !t.keeps() {
		return
	}
	if t.Known == nil {
		t.Known = map[string]any{}
	}
	t.Known[name] = v
}

// inTx is where a statement finds the transaction that it is part of.
type inTx struct{}

// knownTables are those of which a transaction keeps what it read, by names that begin with
// them. What has another name is made of several.
var knownTables = map[string]bool{
	"policies": true, "agents": true, "agent_keys": true, "agent_halts": true, "memberships": true, "people": true, "kinships": true,
	"role_losses": true, "single_person_ends": true, "openings": true, "people_proposals": true, "tickets": true, "imported_tools": true, "denials": true,
	"notice_channels": true, "approvals": true, "signatures": true, "edits": true, "extensions": true, "first_views": true, "section_reads": true,
	"challenges": true, "call_counts": true, "decisions": true, "grants": true, "executions": true,
}

// forget makes the transaction read a table again, of which it wrote some; "" are all tables.
// What the acts before it in its group know stays: it may be undone.
func (t *Tx) forget(table string) {
	gone := func(name string) bool {
		of, _, _ := strings.Cut(name, " ")
		return table == "" || of == table || knownTables[table] && !knownTables[of]
	}
	for name := range t.Known {
		if gone(name) {
			t.Known = maps.Clone(t.Known)
			maps.DeleteFunc(t.Known, func(name string, _ any) bool { return gone(name) })
			return
		}
	}
}

// ForgetWhatChanges makes a transaction read again what it writes.
func ForgetWhatChanges(db *gorm.DB) error {
	forget := func(db *gorm.DB) {
		if t, ok := db.Statement.Context.Value(inTx{}).(*Tx); ok {
			t.forget(db.Statement.Table)
		}
	}
	for _, register := range []func() error{
		func() error { return db.Callback().Create().After("gorm:create").Register("forget", forget) },
		func() error { return db.Callback().Update().After("gorm:update").Register("forget", forget) },
		func() error { return db.Callback().Delete().After("gorm:delete").Register("forget", forget) },
		func() error { return db.Callback().Raw().After("gorm:raw").Register("forget", forget) },
	} {
		if err := register(); err != nil {
			return err
		}
	}
	return nil
}
