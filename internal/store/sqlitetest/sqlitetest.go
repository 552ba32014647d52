// Package sqlitetest gives a test a SQLite database of its own.
package sqlitetest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/store/drivers"
)

// migrated is the file of an empty SQLite database with the current schema. It is
// made once for all tests of a package: migrating is most of what opening costs.
var migrated = sync.OnceValues(func() (file []byte, err error) {
	if shared := os.Getenv(templateShared); shared != "" {
		return os.ReadFile(shared)
	}
	dir, err := os.MkdirTemp("", "countersign-schema-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "schema.db")
	d := drivers.SQLite{Path: path, Now: time.Now}
	db, err := d.OpenWriter()
	if err != nil {
		return nil, err
	}
	pool, err := db.DB()
	if err != nil {
		return nil, err
	}
	if err := errors.Join(d.Migrate(context.Background(), pool, nil), pool.Close()); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

// templateShared is where somebody who started this test program has such a file.
const templateShared = "TEST_SQLITE_TEMPLATE"

// Shared makes such a file for the test programs that this one runs, and returns what
// their environment says of it.
func Shared(t testing.TB) []string {
	t.Helper()
	return []string{templateShared + "=" + Create(t, filepath.Join(t.TempDir(), "schema.db"))}
}

// Create writes an empty database with the current schema to path, and returns path.
func Create(t testing.TB, path string) string {
	t.Helper()
	file, err := migrated()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
