package command

import (
	"database/sql"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/countersign/countersign/internal/long"
	"github.com/countersign/countersign/internal/store/storetest"
)

// columnsOf is what docs/security/columns.yaml says of a table.
type columnsOf struct {
	Compared          []string
	Drawn, Irrelevant map[string][]string // by what they are drawn from, and by reason
}

// named are the columns that it names, each once.
func (c columnsOf) named(t *testing.T, table string) (all []string) {
	t.Helper()
	all = slices.Clone(c.Compared)
	for _, by := range []map[string][]string{c.Drawn, c.Irrelevant} {
		for why, columns := range by {
			if why == "" {
				t.Errorf("%s: %q have no reason", table, columns)
			}
			all = append(all, columns...)
		}
	}
	slices.Sort(all)
	return all
}

// TestColumns: each column of the schema has a line that says what becomes of an edit of it,
// and an edit of each that is compared is found.
func TestColumns(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/security/columns.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var want map[string]columnsOf
	if err := yaml.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	onBoth(t, func(t *testing.T, set Settings) {
		filledOrganisation(t, set)
		raw := rawDatabase(t, set)
		have := columns(t, raw, set.DatabaseURL != "")
		for _, table := range slices.Sorted(maps.Keys(have)) {
			if named, there := want[table].named(t, table), slices.Sorted(maps.Keys(have[table])); !slices.Equal(named, there) {
				t.Errorf("%s has the columns %q, and docs/security/columns.yaml names %q", table, there, named)
			}
		}
		for table := range want {
			if have[table] == nil {
				t.Errorf("there is no table %s", table)
			}
		}
		edits, turn, every := map[string]storetest.Edit{}, 0, 1
		if set.DatabaseURL != "" { // whose rows are compared by the same program
			every = long.Count(12, 1)
		}
		for _, table := range slices.Sorted(maps.Keys(want)) {
			c := want[table]
			for _, column := range c.Compared {
				if turn++; turn%every != 0 {
					continue
				}
				edits[table+"."+column] = storetest.Edit{Table: table, Statement: editOf(table, column, have[table][column], set.DatabaseURL != "")}
			}
		}
		ignoreChecks(t, raw, set.DatabaseURL != "")
		db, err := openToRead(t.Context(), set, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		holds := func(t *testing.T) (problem string) {
			t.Helper()
			r, err := db.Audit().Verify(t.Context(), "acme")
			if err != nil {
				return err.Error() // what can't be read is no honest database either
			}
			return r.Problem
		}
		if problem := holds(t); problem != "" {
			t.Fatal(problem)
		}
		storetest.EditEach(t, raw, set.DatabaseURL != "", edits, func(t *testing.T, _ string) {
			if problem := holds(t); problem == "" || strings.HasPrefix(problem, "the trigger") {
				t.Errorf("nobody finds it: %q", problem)
			}
		})
		if problem := holds(t); problem != "" {
			t.Error(problem)
		}
	})
}

// columns are the types of all columns, by table.
func columns(t *testing.T, raw *sql.DB, postgres bool) map[string]map[string]string {
	t.Helper()
	query := "SELECT m.name, c.name, c.type FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%'"
	if postgres {
		query = "SELECT table_name, column_name, data_type FROM information_schema.columns WHERE table_schema = current_schema()"
	}
	rows, err := raw.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	all := map[string]map[string]string{}
	for rows.Next() {
		var table, column, kind string
		if err := rows.Scan(&table, &column, &kind); err != nil {
			t.Fatal(err)
		}
		if all[table] == nil {
			all[table] = map[string]string{}
		}
		all[table][column] = strings.ToUpper(kind)
	}
	if err := rows.Err(); err != nil || len(all) < 20 {
		t.Fatalf("%d tables, %v", len(all), err)
	}
	return all
}

// ignoreChecks lets what the schema refuses be written.
func ignoreChecks(t *testing.T, raw *sql.DB, postgres bool) {
	t.Helper()
	statement := "PRAGMA ignore_check_constraints = 1"
	raw.SetMaxOpenConns(1)
	if postgres {
		statement = `DO $$ DECLARE c record; BEGIN
			FOR c IN SELECT conrelid::regclass AS t, conname AS n FROM pg_constraint WHERE contype = 'c' AND connamespace = current_schema()::regnamespace LOOP
				EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', c.t, c.n);
			END LOOP; END $$`
	}
	if _, err := raw.ExecContext(t.Context(), statement); err != nil {
		t.Fatal(err)
	}
}

// special are edits of columns in which not every change of every row is one to find.
var special = map[string]string{
	"tickets.used_at":            "UPDATE tickets SET used_at = NULL WHERE used_at IS NOT NULL",
	"tickets.withdrawn_at":       "UPDATE tickets SET withdrawn_at = NULL WHERE withdrawn_at IS NOT NULL",
	"people.sessions_from":       "UPDATE people SET sessions_from = NULL WHERE name = 'Otto'",
	"agents.stop_reason":         "UPDATE agents SET stop_reason = 'x' WHERE stopped_at IS NOT NULL",
	"agents.stopped_by":          "UPDATE agents SET stopped_by = 'x' WHERE stopped_at IS NOT NULL",
	"agents.asked_by":            "UPDATE agents SET asked_by = 'x' WHERE asked_at IS NOT NULL",
	"agents.asked_reason":        "UPDATE agents SET asked_reason = 'x' WHERE asked_at IS NOT NULL",
	"agents.asked_environment":   "UPDATE agents SET asked_environment = 'x' WHERE asked_at IS NOT NULL",
	"agents.asked_workspace":     "UPDATE agents SET asked_workspace = '/x' WHERE asked_at IS NOT NULL",
	"agents.asked_sandboxed":     "UPDATE agents SET asked_sandboxed = NOT asked_sandboxed WHERE asked_at IS NOT NULL",
	"decisions.decided_by":       "UPDATE decisions SET decided_by = replace(decided_by, 'Otto', 'Olga')",
	"memberships.suspend_reason": "UPDATE memberships SET suspend_reason = 'x' WHERE suspended_at IS NOT NULL",
	"memberships.suspended_by":   "UPDATE memberships SET suspended_by = 'x' WHERE suspended_at IS NOT NULL",
	"people.person_id":           "UPDATE people SET person_id = 'per_x' WHERE name = 'Otto'",
	"memberships.sessions_from":  "UPDATE memberships SET sessions_from = NULL WHERE suspended_at IS NOT NULL",
}

// editOf changes one value of a column.
func editOf(table, column, kind string, postgres bool) string {
	if s := special[table+"."+column]; s != "" {
		return s
	}
	change := column + " || 'x'"
	switch {
	case strings.HasPrefix(kind, "TIMESTAMP"):
		change = "'2020-01-01 00:00:00+00:00'"
	case kind == "BOOLEAN":
		change = "NOT " + column
	case strings.Contains(kind, "INT"):
		change = column + " + 1000"
	}
	where := column + " IS NOT NULL"
	if table == "people" {
		where += " AND name = 'Otto'"
	} else {
		where += " AND tenant_id = 'acme'"
	}
	row := "rowid"
	if postgres {
		row = "ctid"
	}
	return fmt.Sprintf("UPDATE %[1]s SET %[2]s = %[3]s WHERE %[4]s = (SELECT %[4]s FROM %[1]s WHERE %[5]s LIMIT 1)", table, column, change, row, where)
}
