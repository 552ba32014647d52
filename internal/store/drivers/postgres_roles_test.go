package drivers_test

import (
	"strings"
	"testing"

	"gorm.io/gorm"

	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/store/drivers"
	"github.com/countersign/countersign/internal/store/postgrestest"
)

// The one role of a server that has no user of its own for it must not see past row-level security.
func TestPostgresRefusesARoleThatCouldBypass(t *testing.T) {
	t.Parallel()
	dsn := postgrestest.Migrated(t)
	raw := postgrestest.SQL(t, dsn)
	for attributes, says := range map[string]string{"SUPERUSER": "superuser", "BYPASSRLS": "BYPASSRLS"} {
		role := postgrestest.Role(t, raw, attributes)
		if _, err := raw.Exec("GRANT countersign_app TO " + role); err != nil {
			t.Fatal(err)
		}
		if err := checkAs(t, dsn, role); !fault.Is(err, fault.InvalidSetting) || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", attributes, err)
		}
	}
	if err := checkAs(t, dsn, "countersign_app"); err != nil {
		t.Errorf("the role itself: %v", err)
	}
}

// checkAs checks a database as another role than the one that serves.
func checkAs(t *testing.T, dsn, role string) error {
	t.Helper()
	d, err := drivers.NewPostgres(dsn, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	db, err := d.OpenReader(false)
	if err != nil {
		t.Fatal(err)
	}
	pool, err := db.DB()
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	return db.WithContext(t.Context()).Transaction(func(tx *gorm.DB) error {
		if err := tx.Exec("SET LOCAL ROLE " + role).Error; err != nil {
			t.Fatal(err)
		}
		return d.Check(tx)
	}, d.Options(true))
}
