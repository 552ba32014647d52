package drivers_test

import (
	"strings"
	"testing"

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
		if err := drivers.CheckAs(t.Context(), dsn, role); !fault.Is(err, fault.InvalidSetting) || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", attributes, err)
		}
	}
	if err := drivers.CheckAs(t.Context(), dsn, "countersign_app"); err != nil {
		t.Errorf("the role itself: %v", err)
	}
}
