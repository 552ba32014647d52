package store_test

import (
	"errors"
	"maps"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/long"
	"github.com/countersign/countersign/internal/store"
	"github.com/countersign/countersign/internal/store/headstest"
	"github.com/countersign/countersign/internal/store/postgrestest"
	"github.com/countersign/countersign/internal/store/storetest"
)

// Row-level security holds by itself: with the tenant's condition taken out of
// every statement, every method answers beta what it answered before, and nothing
// of acme changes. The control shows what the conditions hold back when there is
// no row-level security.
func TestRowLevelSecurityHoldsAlone(t *testing.T) {
	t.Parallel()
	long.NotUnderRace(t, "one call follows the other")
	seed := postgrestest.Migrated(t)
	planting, err := store.Open(t.Context(), store.Config{URL: seed, Heads: headstest.New()})
	if err != nil {
		t.Fatal(err)
	}
	raw := postgrestest.SQL(t, seed)
	canary := storetest.Plant(t, storetest.Database{Store: planting, Raw: raw})
	mustRaw(t, raw, "UPDATE presences SET seen_at = seen_at + interval '1 hour'") // a look is over soon, and this test takes a while
	// A database is copied while nobody is connected to it.
	if err := errors.Join(planting.Close(), raw.Close()); err != nil {
		t.Fatal(err)
	}
	type run struct {
		read, wrote storetest.Answers
		acme        string
	}
	ask := func(filtered bool, before ...string) (r run) {
		db := openPostgresAt(t, postgrestest.Copy(t, seed))
		for _, statement := range before {
			mustRaw(t, db.Raw, statement)
		}
		taken := func() int64 { return 1 }
		if !filtered {
			taken = db.Store.WithoutTenants()
		}
		r.read, r.wrote = canary.Ask(t, db.Store, "beta")
		if taken() == 0 {
			t.Fatal("no condition was taken out of a statement")
		}
		r.acme = of(t, db, "acme")
		return r
	}
	planted := of(t, openPostgresAt(t, postgrestest.Copy(t, seed)), "acme")
	with, without, bare := ask(true), ask(false), ask(false, `DO $$ DECLARE t name; BEGIN
		FOR t IN SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relrowsecurity LOOP
			EXECUTE format('ALTER TABLE %I DISABLE ROW LEVEL SECURITY', t);
		END LOOP; END $$`)

	for _, part := range []struct{ want, got storetest.Answers }{{with.read, without.read}, {with.wrote, without.wrote}} {
		for method, calls := range part.want {
			for call, answer := range calls {
				if got := part.got[method][call]; got != answer {
					t.Errorf("%s %.200s\nanswers without its condition %.500s\nwith it                       %.500s", method, call, got, answer)
				}
			}
		}
	}
	if with.acme != planted || without.acme != planted {
		t.Errorf("beta changed what is acme's:\n%s\nwas\n%s\nwith conditions it is\n%s", without.acme, planted, with.acme)
	}
	for method, calls := range with.read {
		switch {
		case strings.HasSuffix(method, ".Now"):
		case strings.HasSuffix(method, "Ahead"), method == "tenants.Entering": // they answer nothing
		case method == "audit.Head", method == "audit.Signed": // one row, in no order: chance decides whose
		case maps.Equal(calls, bare.read[method]):
			t.Errorf("control: %s leaks nothing without any protection, so Canary does not ask it for what acme has", method)
		}
	}
	if bare.acme == planted {
		t.Error("control: without any protection nothing of acme changed, so this test sees no writes")
	}
}

// of is everything that a tenant has, in every table.
func of(t *testing.T, db storetest.Database, tenant string) string {
	t.Helper()
	var tables, all []string
	collect(t, db.Raw, &tables, "SELECT c.relname FROM pg_class c JOIN pg_attribute ON attrelid = c.oid AND attname = 'tenant_id' WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' ORDER BY 1")
	for _, table := range tables {
		collect(t, db.Raw, &all, "SELECT '"+table+" ' || count(*) || ' ' || coalesce(md5(string_agg(x::text, '|' ORDER BY x::text)), '') FROM "+table+" x WHERE tenant_id = '"+tenant+"'")
	}
	return strings.Join(all, "\n")
}

func openPostgresAt(t *testing.T, dsn string) storetest.Database {
	t.Helper()
	return storetest.Database{Store: openAt(t, store.Config{URL: dsn}), Raw: postgrestest.SQL(t, dsn), Disarm: disableTriggers}
}
