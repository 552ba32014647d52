package postgrestest

import (
	"context"
	"crypto/rand"
	"database/sql"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/countersign/countersign/internal/store/drivers"
)

// Open returns the URL of a new empty database, as a superuser. It goes with the test.
func Open(t testing.TB) string {
	t.Helper()
	return create(t, "template0")
}

// Migrated returns the URL of a new database with the current schema, as a
// superuser. It goes with the test, and costs less than migrating again.
func Migrated(t testing.TB) string {
	t.Helper()
	if shared := os.Getenv(templateShared); shared != "" {
		return create(t, shared)
	}
	if external() != "" { // a template would stay behind
		dsn := Open(t)
		if err := migrate(dsn); err != nil {
			t.Fatal(err)
		}
		return dsn
	}
	template, err := template()
	if err != nil {
		t.Fatal(err)
	}
	return create(t, template)
}

// Shared starts a server for the test programs that this one runs, and returns what their
// environment says of it: each would take longer to start its own than most tests take.
func Shared(t testing.TB) []string {
	t.Helper()
	if external() != "" {
		return nil
	}
	server, err := running()
	if err != nil {
		t.Fatal(err)
	}
	name, err := template()
	if err != nil {
		t.Fatal(err)
	}
	return []string{serverGiven + "=" + server.dsn, templateShared + "=" + name}
}

// Copy returns the URL of a copy of a database to which nobody is connected. It
// goes with the test.
func Copy(t testing.TB, dsn string) string {
	t.Helper()
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	return create(t, strings.TrimPrefix(u.Path, "/"))
}

// SQL opens the database past everything that the store checks.
func SQL(t testing.TB, dsn string) *sql.DB {
	t.Helper()
	db, err := sql.Open("pgx", dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// password is that of every role that Role makes. Only a server that is not ours
// asks for it.
const password = "for tests only"

// Role makes a role with these attributes and returns its name. Roles belong to
// the whole server; this one, with what it owns, goes with the test.
func Role(t testing.TB, db *sql.DB, attributes string) (name string) {
	t.Helper()
	name = "countersign_role_" + strings.ToLower(rand.Text())
	if _, err := db.ExecContext(t.Context(), "CREATE ROLE "+name+" PASSWORD '"+password+"' "+attributes); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, statement := range []string{"REASSIGN OWNED BY " + name + " TO CURRENT_USER", "DROP OWNED BY " + name, "DROP ROLE " + name} {
			if _, err := db.ExecContext(context.Background(), statement); err != nil {
				t.Errorf("%s: %v", statement, err)
			}
		}
	})
	return name
}

// As is the URL of the same database for a role that Role made.
func As(t testing.TB, dsn, role string) string {
	t.Helper()
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	u.User = url.UserPassword(role, password)
	return u.String()
}

func create(t testing.TB, template string) string {
	t.Helper()
	server, err := running()
	if err != nil {
		t.Fatal(err)
	}
	name := newName()
	if err := server.do("CREATE DATABASE " + name + " TEMPLATE " + template + " STRATEGY FILE_COPY"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		var err error
		for range 12 { // Postgres itself waits five seconds for a connection that it ended
			if err = server.do("DROP DATABASE " + name + " WITH (FORCE)"); !strings.Contains(fmt.Sprint(err), stillOpen) {
				break
			}
		}
		if err != nil {
			t.Error(err)
		}
	})
	return server.database(name)
}

// stillOpen is the code of "database is being accessed by other users".
const stillOpen = "SQLSTATE 55006"

func newName() string { return "countersign_test_" + strings.ToLower(rand.Text()) }

// template makes the migrated database that others are copied from, once.
var template = sync.OnceValues(func() (name string, err error) {
	server, err := running()
	if err != nil {
		return "", err
	}
	name = newName() + "_template"
	if err := server.do("CREATE DATABASE " + name + " TEMPLATE template0"); err != nil {
		return "", err
	}
	return name, migrate(server.database(name))
})

func migrate(dsn string) error {
	d, err := drivers.NewPostgres(dsn, "", slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	return d.Migrate(context.Background(), nil, nil)
}
