package store_test

import (
	"database/sql"
	"io/fs"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/long"
	"github.com/countersign/countersign/internal/store/postgrestest"
	"github.com/countersign/countersign/internal/store/storetest"
	"github.com/countersign/countersign/migrations"
)

// The migration that asks what a set of questions is about gives older sets the digest of the
// whole act, in every organisation, also as somebody whom row-level security binds.
func TestOldQuestionsAreAboutTheWholeAct(t *testing.T) {
	t.Parallel()
	long.NotUnderRace(t, "one call follows the other")
	for database, open := range map[string]func(t *testing.T) storetest.Database{"sqlite": open, "postgres": openPostgres} {
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			db := open(t)
			slugs := storetest.FillQuestions(t, db)
			tx, err := db.Raw.BeginTx(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer tx.Rollback()
			file, err := fs.ReadFile(migrations.Files, "0086_quiz_core."+database+".sql")
			if err != nil {
				t.Fatal(err)
			}
			up, down, _ := strings.Cut(string(file), "-- +goose Down")
			statements := []string{down}
			if database == "postgres" {
				role := postgrestest.Role(t, db.Raw, "")
				statements = append(statements, "GRANT USAGE, CREATE ON SCHEMA public TO "+role, "GRANT SELECT ON tenants TO "+role, "ALTER TABLE challenges OWNER TO "+role, "SET LOCAL ROLE "+role)
			}
			for _, statement := range append(statements, up) {
				if _, err := tx.ExecContext(t.Context(), statement); err != nil {
					t.Fatalf("%s: %v", statement, err)
				}
			}
			if database == "postgres" { // what the role may not see counts, too
				if _, err := tx.ExecContext(t.Context(), "RESET ROLE"); err != nil {
					t.Fatal(err)
				}
			}
			for _, tenant := range slugs {
				all, right := coresOf(t, tx, tenant)
				if all == 0 || right != all {
					t.Errorf("%s: %d of %d sets of questions are about the whole act", tenant, right, all)
				}
			}
		})
	}
}

func coresOf(t *testing.T, tx *sql.Tx, tenant string) (all, right int) {
	t.Helper()
	const query = "SELECT count(*), coalesce(sum(CASE WHEN core = shown_digest AND core <> '' THEN 1 ELSE 0 END), 0) FROM challenges WHERE tenant_id = $1"
	if err := tx.QueryRowContext(t.Context(), query, tenant).Scan(&all, &right); err != nil {
		t.Fatal(err)
	}
	return all, right
}
