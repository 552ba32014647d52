package tables

import (
	"maps"
	"slices"

	"gorm.io/gorm"
)

// Known is what a transaction read, and the tables that it read it from.
type Known struct {
	value any
	of    []string
}

// Once is what a transaction has read already by this name, or what read returns, which it makes of these tables.
// One that only reads sees one state, and one that writes has the log for itself: what is decided by moves only
// where it writes itself, and then what was written is read again. So a page that shows many
// requests, and an act that asks for the policy in five places, read it once.
func Once[T any](t *Tx, name string, of []string, read func() (T, error)) (T, error) {
	if k, ok := t.Known[name]; ok && t.keeps() {
		return k.value.(T), nil
	}
	v, err := read()
	if err == nil {
		t.keep(name, of, v)
	}
	return v, err
}

// keeps says that nobody else changes what was read.
func (t *Tx) keeps() bool { return !t.Writes || t.Holds }

func (t *Tx) keep(name string, of []string, v any) {
	if !t.keeps() {
		return
	}
	if t.Known == nil {
		t.Known = map[string]Known{}
	}
	t.Known[name] = Known{v, of}
}

// inTx is where a statement finds the transaction that it is part of.
type inTx struct{}

// forget makes the transaction read again what it read from a table, of which it wrote some; "" are all tables.
// What the acts before it in its group know stays: it may be undone.
func (t *Tx) forget(table string) {
	changed := func(k Known) bool { return table == "" || slices.Contains(k.of, table) }
	for _, k := range t.Known {
		if changed(k) {
			t.Known = maps.Clone(t.Known)
			maps.DeleteFunc(t.Known, func(_ string, k Known) bool { return changed(k) })
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
