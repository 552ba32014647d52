package tables

import "gorm.io/gorm"

// Once is what a transaction has read already by this name, or what read returns. One that only
// reads sees one state, and one that writes has the log for itself: what is decided by moves only
// where it writes itself, and then all of it is read again. So a page that shows many requests,
// and an act that asks for the policy in five places, read it once.
func Once[T any](t *Tx, name string, read func() (T, error)) (T, error) {
	keeps := !t.Writes || t.Holds
	if v, ok := t.Known[name]; ok && keeps {
		return v.(T), nil
	}
	v, err := read()
	if err == nil && keeps {
		if t.Known == nil {
			t.Known = map[string]any{}
		}
		t.Known[name] = v
	}
	return v, err
}

// inTx is where a statement finds the transaction that it is part of.
type inTx struct{}

// knownTables are those of which a transaction keeps what it read.
var knownTables = map[string]bool{
	"": true, "policies": true, "agents": true, "agent_keys": true, "agent_halts": true, "memberships": true, "people": true, "kinships": true,
	"role_losses": true, "single_person_ends": true, "imported_tools": true, "denials": true,
}

// ForgetWhatChanges makes a transaction read again what it writes.
func ForgetWhatChanges(db *gorm.DB) error {
	forget := func(db *gorm.DB) {
		if t, ok := db.Statement.Context.Value(inTx{}).(*Tx); ok && knownTables[db.Statement.Table] {
			t.Known = nil
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
