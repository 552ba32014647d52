package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What somebody wrote into the database without a signature isn't signed by the next start:
// neither another organisation, nor another history of one whose note was lost.
func TestAForgedHistoryIsNotSigned(t *testing.T) {
	t.Parallel()
	for what, tenant := range map[string]string{"another organisation": "rival", "a lost note": "acme"} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			set, strange := Settings{DataDir: dataDir(t)}, Settings{DataDir: dataDir(t)}
			do := func(set Settings, want int, says string, args ...string) {
				t.Helper()
				code, out, errs := command(t, "", append(args, "--data-dir", set.DataDir)...)
				if code != want || !strings.Contains(out+errs, says) {
					t.Errorf("%v: exit %d, %q %q; want %d and %q", args, code, out, errs, want, says)
				}
			}
			do(set, 0, "", "tenant", "create", "acme")
			do(set, 0, "", "tenant", "create", "third")
			do(strange, 0, "", "tenant", "create", tenant)
			do(strange, 0, "", "agent", "create", "--tenant", tenant, "worker")
			raw, err := rawDatabase(t, set).Conn(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer raw.Close()
			exec := func(statement string, args ...any) {
				t.Helper()
				if _, err := raw.ExecContext(t.Context(), statement, args...); err != nil {
					t.Fatalf("%s: %v", statement, err)
				}
			}
			var triggers []string
			rows, err := raw.QueryContext(t.Context(), "SELECT sql FROM sqlite_master WHERE type = 'trigger'")
			if err != nil {
				t.Fatal(err)
			}
			for rows.Next() {
				var text string
				if err := rows.Scan(&text); err != nil {
					t.Fatal(err)
				}
				triggers = append(triggers, text)
			}
			rows.Close()
			for _, text := range triggers {
				exec("DROP TRIGGER " + strings.Fields(text)[2])
			}
			exec("PRAGMA foreign_keys = OFF")
			exec("ATTACH ? AS strange", strange.sqlitePath())
			for _, table := range []string{"tenants", "audit_logs", "audit_events", "policies", "agents", "agent_keys"} {
				exec("DELETE FROM main." + table + " WHERE tenant_id = '" + tenant + "'")
				exec("INSERT INTO main." + table + " SELECT * FROM strange." + table)
			}
			exec("UPDATE audit_logs SET note = '' WHERE tenant_id = '" + tenant + "'")
			exec("DETACH strange")
			for _, text := range triggers {
				exec(text)
			}
			if tenant == "acme" { // as a machine leaves it that loses its power
				if err := os.WriteFile(notePath(filepath.Join(set.DataDir, "checkpoints"), tenant), nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			do(set, 0, "", "agent", "create", "--tenant", "third", "worker") // a start
			do(set, 1, "isn't signed", "audit", "verify", "--tenant", tenant)
		})
	}
}
