package command

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/store"
	"github.com/countersign/countersign/internal/tenants"
)

// The first start seals what an older version wrote; from then on nobody else adds an event.
// Another data directory is refused before it writes one, and a lost key can be replaced.
func TestTrailKey(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, set Settings) {
		at := []string{"--data-dir", set.DataDir, "--database-url", set.DatabaseURL}
		want := func(code int, says string, args ...string) {
			t.Helper()
			got, out, errs := command(t, "", append(args, at...)...)
			if got != code || !strings.Contains(out+errs, says) {
				t.Errorf("%v: exit %d, %s%s; want %d and %q", args, got, out, errs, code, says)
			}
		}
		// stranger writes to the database as a server does that has no key.
		stranger := func(tenant string) {
			t.Helper()
			if err := os.MkdirAll(set.DataDir, 0o700); err != nil {
				t.Fatal(err)
			}
			db, err := store.Open(t.Context(), set.database(slog.New(slog.DiscardHandler)))
			if err == nil {
				err = db.Migrate(t.Context())
			}
			if err == nil {
				err = tenants.NewService(tenants.Config{Store: db.Tenants(), Log: slog.New(slog.DiscardHandler)}).CreateTenant(t.Context(), tenant)
			}
			if err != nil {
				t.Fatal(err)
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
		}
		stranger("acme")
		want(0, "; no "+trailKeyPath(set.DataDir)+", so an event added by someone else wouldn't be noticed", "audit", "verify")
		want(1, "the first start of the server makes one", "keys", "trail")
		want(0, "", "tenant", "create", "beta")
		want(0, "acme: held against the tables and triggers of the database; no checkpoint", "audit", "verify")
		want(0, "; seals checked with "+trailKeyPath(set.DataDir), "audit", "verify")
		want(0, "seals the audit trails", "keys", "trail")

		stranger("gamma")
		want(1, "gamma: BROKEN at event 0: no server with the key of this data directory wrote it", "audit", "verify")
		want(0, "acme: holds", "audit", "verify", "--tenant", "acme")

		lost := filepath.Join(t.TempDir(), "lost")
		if err := os.Rename(trailKeyPath(set.DataDir), lost); err != nil {
			t.Fatal(err)
		}
		want(1, "isn't the key that the newest events of this database are sealed with", "tenant", "create", "delta")
		if err := os.WriteFile(trailKeyPath(set.DataDir), []byte("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		want(1, "isn't the key that the newest events of this database are sealed with", "tenant", "create", "delta")
		want(1, "no server with the key of this data directory wrote it", "audit", "verify", "--tenant", "beta")
		want(0, "is new and the stored trail is sealed with it", "keys", "trail", "--replace")
		want(0, "beta: holds", "audit", "verify")
		want(0, "", "tenant", "create", "delta")
		want(0, "delta: holds", "audit", "verify")
	})
}
