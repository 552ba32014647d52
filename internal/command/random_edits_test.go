package command

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/countersign/countersign/internal/long"
	"github.com/countersign/countersign/internal/tenants"
)

// TestRandomEdits: an edit of any row and column, by whoever can write to the database and to
// nothing else, is found, or is of a class that docs/security/columns.yaml names; and it changes
// nobody's rights.
func TestRandomEdits(t *testing.T) {
	t.Parallel()
	long.NotUnderRace(t, oneAtATime)
	text, err := os.ReadFile("../../docs/security/columns.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var named map[string]columnsOf
	if err := yaml.Unmarshal(text, &named); err != nil {
		t.Fatal(err)
	}
	onBoth(t, func(t *testing.T, set Settings) {
		filledOrganisation(t, set)
		v := newVandal(t, set)
		few := 60
		if v.postgres { // whose tables take longer to put back
			few = 30
		}
		classes := map[string]int{}
		for made := 0; made < long.Count(few, 10_000); {
			e := v.edit()
			if !v.make(e) { // the database refuses it, or it is the same as before
				v.putBack(e.table)
				continue
			}
			made++
			class := "found: " + e.table
			if problem := v.verifies(); problem == "" {
				class = v.class(e, named[e.table])
			}
			if class == "" {
				t.Errorf("nobody finds it, and nothing names it: %s", e.statement)
			}
			for right := range strings.Lines(v.rights()) {
				if !strings.Contains(v.right, right) {
					t.Errorf("somebody gets %q by it: %s", right, e.statement)
				}
			}
			v.putBack(e.table)
			if classes[class]++; made%1000 == 0 {
				t.Logf("%d edits", made)
			}
		}
		for _, class := range slices.Sorted(maps.Keys(classes)) {
			t.Logf("%5d %s", classes[class], class)
		}
		if problem := v.verifies(); problem != "" {
			t.Error(problem)
		}
	})
}

// vandal edits a database at random.
type vandal struct {
	t        *testing.T
	r        *rand.Rand
	raw      *sql.DB
	postgres bool
	kinds    map[string]map[string]string // of columns, by table
	columns  [][2]string                  // of tables that have rows
	rows     map[string]int
	verifies func() (problem string)
	rights   func() string
	right    string // before any edit
}

func newVandal(t *testing.T, set Settings) *vandal {
	t.Helper()
	seed := uint64(1)
	if long.Count(0, 1) > 0 {
		seed = rand.Uint64()
	}
	t.Logf("seed %d", seed)
	v := &vandal{t: t, r: rand.New(rand.NewPCG(seed, 1)), raw: rawDatabase(t, set), postgres: set.DatabaseURL != "", rows: map[string]int{}}
	v.kinds = columns(t, v.raw, v.postgres)
	ignoreChecks(t, v.raw, v.postgres)
	if v.postgres {
		v.do("SET session_replication_role = replica") // past triggers and foreign keys
		v.do("CREATE SCHEMA kept")
	} else {
		v.do("PRAGMA foreign_keys = OFF")
		v.do("PRAGMA synchronous = OFF")
		v.do("ATTACH ':memory:' AS kept")
	}
	for _, table := range slices.Sorted(maps.Keys(v.kinds)) {
		v.do(fmt.Sprintf("CREATE TABLE kept.%s AS SELECT * FROM %s", table, table))
		var n int
		if err := v.raw.QueryRowContext(t.Context(), "SELECT count(*) FROM "+table).Scan(&n); err != nil {
			t.Fatal(err)
		}
		v.rows[table] = n
		for _, c := range slices.Sorted(maps.Keys(v.kinds[table])) {
			if n > 0 {
				v.columns = append(v.columns, [2]string{table, c})
			}
		}
	}
	db, err := openToRead(t.Context(), set, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	server, err := openStore(t.Context(), set, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	all, err := server.Tenants().Tenants(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	v.verifies = func() string {
		for _, tenant := range all {
			r, err := db.Audit().Verify(t.Context(), tenant)
			if err != nil {
				return err.Error() // what can't be read is no honest database either
			}
			if !r.OK {
				return r.Problem
			}
		}
		return ""
	}
	v.rights = func() string {
		var told strings.Builder
		for _, tenant := range all {
			err := server.Tenants().Read(t.Context(), tenant, func(r tenants.Reader) error {
				in, err := r.Entrances()
				for _, id := range slices.Sorted(maps.Keys(in)) {
					fmt.Fprintln(&told, tenant, id, in[id].Roles)
				}
				return err
			})
			if err != nil {
				continue // nobody reads what can't be read
			}
		}
		return told.String()
	}
	v.right = v.rights()
	if problem := v.verifies(); problem != "" {
		t.Fatal(problem)
	}
	return v
}

func (v *vandal) do(statement string) {
	v.t.Helper()
	if _, err := v.raw.ExecContext(v.t.Context(), statement); err != nil {
		v.t.Fatalf("%s: %v", statement, err)
	}
}

// randomEdit is one edit; column is empty where it takes a row out or adds one.
type randomEdit struct{ table, column, statement string }

// edit changes a value, takes another row's, swaps two, takes a row out, or adds one like another.
func (v *vandal) edit() randomEdit {
	at := v.columns[v.r.IntN(len(v.columns))]
	table, column := at[0], at[1]
	row := "rowid"
	if v.postgres {
		row = "ctid"
	}
	one := func() string {
		return fmt.Sprintf("(SELECT %s FROM kept.%s LIMIT 1 OFFSET %d)", column, table, v.r.IntN(v.rows[table]))
	}
	which := func(n int) string {
		return fmt.Sprintf("%s = (SELECT %s FROM %s ORDER BY %s LIMIT 1 OFFSET %d)", row, row, table, row, n)
	}
	n := v.r.IntN(v.rows[table])
	set := func(value string) randomEdit {
		return randomEdit{table, column, fmt.Sprintf("UPDATE %s SET %s = %s WHERE %s", table, column, value, which(n))}
	}
	switch v.r.IntN(8) {
	case 0:
		return randomEdit{table, "", fmt.Sprintf("DELETE FROM %s WHERE %s", table, which(n))}
	case 1:
		names := slices.Sorted(maps.Keys(v.kinds[table]))
		values := slices.Clone(names)
		values[slices.Index(names, column)] = v.other(table, column)
		return randomEdit{table, "", fmt.Sprintf("INSERT INTO %s (%s) SELECT %s FROM %s WHERE %s", table, strings.Join(names, ", "), strings.Join(values, ", "), table, which(n))}
	case 2, 3:
		return set(one())
	case 4:
		return set("NULL")
	default:
		return set(v.other(table, column))
	}
}

// other is a value that a column may have instead of its own.
func (v *vandal) other(table, column string) string {
	kind := v.kinds[table][column]
	all := []string{column + " || 'x'", "''", "upper(" + column + ")", "substr(" + column + ", 2)", "'x'"}
	switch {
	case strings.HasPrefix(kind, "TIMESTAMP"):
		all = []string{"'2020-01-01 00:00:00+00:00'", "'2040-01-01 00:00:00+00:00'"}
	case kind == "BOOLEAN":
		all = []string{"NOT " + column}
	case strings.Contains(kind, "INT"):
		all = []string{column + " + 1", column + " - 1", "0", "2 * " + column, "-1"}
	}
	return all[v.r.IntN(len(all))]
}

// make makes an edit, and reports whether anything is another by it.
func (v *vandal) make(e randomEdit) bool {
	v.t.Helper()
	var err error
	v.unguarded(e.table, func() { _, err = v.raw.ExecContext(v.t.Context(), e.statement) })
	return err == nil && v.count(v.added(e.table))+v.count(v.lost(e.table)) > 0
}

// added are the rows that a table didn't have, and lost those that it had.
func (v *vandal) added(table string) string {
	return fmt.Sprintf("(SELECT * FROM %[1]s EXCEPT SELECT * FROM kept.%[1]s) AS rows_of", table)
}

func (v *vandal) lost(table string) string {
	return fmt.Sprintf("(SELECT * FROM kept.%[1]s EXCEPT SELECT * FROM %[1]s) AS rows_of", table)
}

func (v *vandal) count(from string) (n int) {
	v.t.Helper()
	if err := v.raw.QueryRowContext(v.t.Context(), "SELECT count(*) FROM "+from).Scan(&n); err != nil {
		v.t.Fatalf("%s: %v", from, err)
	}
	return n
}

func (v *vandal) putBack(table string) {
	v.t.Helper()
	v.unguarded(table, func() {
		v.do("DELETE FROM " + table)
		v.do(fmt.Sprintf("INSERT INTO %s SELECT * FROM kept.%s", table, table))
	})
}

// unguarded runs fn while a table has no trigger.
func (v *vandal) unguarded(table string, fn func()) {
	v.t.Helper()
	if v.postgres {
		fn()
		return
	}
	rows, err := v.raw.QueryContext(context.WithoutCancel(v.t.Context()), "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name = ?", table)
	if err != nil {
		v.t.Fatal(err)
	}
	guards := map[string]string{}
	for rows.Next() {
		var name, text string
		if err := rows.Scan(&name, &text); err != nil {
			v.t.Fatal(err)
		}
		guards[name] = text
	}
	if err := rows.Close(); err != nil {
		v.t.Fatal(err)
	}
	for name := range guards {
		v.do("DROP TRIGGER " + name)
	}
	fn()
	for _, text := range guards {
		v.do(text)
	}
}

// idle says of a column while which other one is empty it says nothing.
var idle = regexp.MustCompile(` WHERE (\w+) IS NOT NULL$`)

// partly are the columns of which some edits take away what somebody had, or say nothing, and
// give nothing; TestColumns has one of each that is found.
var partly = map[string]string{
	"tickets.used_at":           "a link that works no more",
	"tickets.withdrawn_at":      "a link that works no more",
	"people.sessions_from":      "sign-ins that end",
	"memberships.sessions_from": "sign-ins that end",
	"memberships.rights_from":   "since when somebody has rights who has none",
	"approvals.created_at":      "within a moment of when it came",
}

// class is why an edit need not be found: "" where nothing says so.
func (v *vandal) class(e randomEdit, c columnsOf) string {
	v.t.Helper()
	column := e.column
	if column == "" { // the row is another tenant's, or nobody's
		column = "tenant_id"
	}
	for _, by := range []map[string][]string{c.Drawn, c.Irrelevant} {
		for why, columns := range by {
			if slices.Contains(columns, column) || e.column == "" && len(c.Compared) == 0 {
				return "without effect: " + e.table + ": " + why
			}
		}
	}
	for column, of := range map[string]string{"tenant_id": "tenants", "agent_id": "agents", "approval_id": "approvals"} {
		if _, ok := v.kinds[e.table][column]; ok && v.count(v.lost(e.table)) == 0 && v.count(v.added(e.table)+" WHERE "+column+" IN (SELECT "+column+" FROM kept."+of+")") == 0 {
			return "without effect: rows of none of the " + of
		}
	}
	if m := idle.FindStringSubmatch(special[e.table+"."+e.column]); m != nil && v.count(v.added(e.table)+" WHERE "+m[1]+" IS NOT NULL") == 0 {
		return "without effect: " + e.table + ": what says nothing while " + m[1] + " is empty"
	}
	if why := partly[e.table+"."+e.column]; why != "" {
		return "gives nothing: " + e.table + ": " + why
	}
	return ""
}
