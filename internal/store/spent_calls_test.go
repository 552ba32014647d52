package store_test

import (
	"database/sql"
	"io/fs"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/store/postgrestest"
	"github.com/countersign/countersign/internal/store/storetest"
	"github.com/countersign/countersign/migrations"
)

// The migration to spent calls counts what was spent before it, also as somebody whom
// row-level security binds.
func TestSpentCallsAreCountedAgain(t *testing.T) {
	t.Parallel()
	for database, open := range map[string]func(t *testing.T) storetest.Database{"sqlite": open, "postgres": openPostgres} {
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			db := open(t)
			storetest.Fill(t, db)
			want := countedCalls(t, db.Raw)
			if len(want) == 0 {
				t.Fatal("nothing was spent")
			}
			file, err := fs.ReadFile(migrations.Files, "0034_spent_calls."+database+".sql")
			if err != nil {
				t.Fatal(err)
			}
			up, _, _ := strings.Cut(string(file), "-- +goose Down")
			tx, err := db.Raw.BeginTx(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer tx.Rollback()
			if database == "postgres" {
				role := postgrestest.Role(t, db.Raw, "")
				for _, statement := range []string{
					"GRANT USAGE, CREATE ON SCHEMA public TO " + role,
					"GRANT SELECT ON tenants, approvals, grants, executions TO " + role,
					"GRANT REFERENCES ON agents TO " + role,
					"ALTER TABLE call_counts OWNER TO " + role,
					"SET LOCAL ROLE " + role,
				} {
					if _, err := tx.ExecContext(t.Context(), statement); err != nil {
						t.Fatalf("%s: %v", statement, err)
					}
				}
			}
			if _, err := tx.ExecContext(t.Context(), up); err != nil {
				t.Fatal(err)
			}
			if got := countedCalls(t, tx); strings.Join(got, ", ") != strings.Join(want, ", ") {
				t.Errorf("it counts %q, want %q", got, want)
			}
		})
	}
}

func countedCalls(t *testing.T, db interface {
	Query(query string, args ...any) (*sql.Rows, error)
},
) (all []string) {
	t.Helper()
	rows, err := db.Query("SELECT tenant_id || ' ' || agent_id || ' ' || session_id || ' ' || function || ' ' || calls FROM call_counts ORDER BY 1") //nolint:noctx // of a test
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
