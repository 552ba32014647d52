package store_test

import (
	"database/sql"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"testing"

	"github.com/countersign/countersign/internal/store/postgrestest"
	"github.com/countersign/countersign/internal/store/storetest"
)

func TestPostgres(t *testing.T) {
	t.Parallel()
	storetest.Run(t, openPostgres)
}

func openPostgres(t *testing.T) storetest.Database {
	t.Helper()
	return openPostgresAt(t, postgrestest.Migrated(t))
}

// disableTriggers is what a superuser can do; foreign keys are triggers too.
func disableTriggers(t *testing.T, raw *sql.DB) (restore func()) {
	t.Helper()
	var tables []string
	collect(t, raw, &tables, "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'")
	for _, table := range tables {
		mustRaw(t, raw, "ALTER TABLE "+table+" DISABLE TRIGGER ALL")
	}
	return func() {
		t.Helper()
		for _, table := range tables {
			mustRaw(t, raw, "ALTER TABLE "+table+" ENABLE TRIGGER ALL")
		}
	}
}

var update = flag.Bool("update", false, "write drivers/postgres_guards.json from a fresh database")

// The guards that `audit verify` wants are those of the migrations.
func TestPostgresGuardsAreCurrent(t *testing.T) {
	t.Parallel()
	db := openPostgres(t)
	have, want, err := db.Store.Guards(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if maps.Equal(have, want) {
		return
	}
	if !*update {
		t.Fatal("drivers/postgres_guards.json is not what the migrations make; run: go test ./internal/store -run GuardsAreCurrent -update")
	}
	f, err := os.Create("drivers/postgres_guards.json")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	e := json.NewEncoder(f)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(have); err != nil {
		t.Fatal(err)
	}
}
