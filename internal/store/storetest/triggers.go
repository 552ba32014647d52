package storetest

import "testing"

// dropTriggers takes every trigger away and returns what puts them back, so that
// an edit can be made that only the comparison with the log finds.
func (d Database) dropTriggers(t *testing.T) (restore func()) {
	t.Helper()
	rows, err := d.Raw.QueryContext(t.Context(), "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	all := map[string]string{}
	for rows.Next() {
		var name, definition string
		if err := rows.Scan(&name, &definition); err != nil {
			t.Fatal(err)
		}
		all[name] = definition
	}
	if err := rows.Err(); err != nil || len(all) < 15 {
		t.Fatalf("%d triggers, %v", len(all), err)
	}
	_ = rows.Close()
	for name := range all {
		d.mustRaw(t, "DROP TRIGGER %s", name)
	}
	return func() {
		t.Helper()
		for _, definition := range all {
			d.mustRaw(t, "%s", definition)
		}
	}
}
