package command

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/long"
	"github.com/countersign/countersign/internal/store/postgrestest"
)

// Two servers on one database tell every trail of every key once, and of a rotation.
func TestTrailsAreToldOfKeys(t *testing.T) {
	t.Parallel()
	long.Race(t)
	set := Settings{DataDir: dataDir(t), DatabaseURL: postgrestest.Migrated(t)}
	servers := [2]*App{}
	for i := range servers {
		servers[i] = newApp(t, set)
	}
	for _, tenant := range []string{"acme", "rival"} {
		if err := servers[0].Tenants.CreateTenant(t.Context(), tenant); err != nil {
			t.Fatal(err)
		}
	}
	tellers := [2]*toldKeys{newToldKeys(servers[0]), newToldKeys(servers[1])}
	round := func() {
		t.Helper()
		var both sync.WaitGroup
		for i, k := range tellers {
			both.Go(func() {
				servers[i].keys.reread(t.Context())
				if err := servers[i].signed.reload(); err != nil {
					t.Error(err)
				}
				for range 2 {
					if err := k.round(t.Context()); err != nil {
						t.Error(err)
					}
				}
			})
		}
		both.Wait()
	}
	told := func(tenant string) (all []string) {
		t.Helper()
		kinds := []audit.Kind{audit.SigningKeyPublished, audit.SigningKeyWithdrawn}
		page, err := servers[0].Store.Audit().Search(t.Context(), tenant, audit.Query{Filter: audit.Filter{Kinds: kinds}, Edge: -1, Limit: 50})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range slices.Backward(page.Records) {
			all = append(all, strings.TrimPrefix(string(r.Event.Kind), "signing_key.")+" "+r.Event.Data.Get("use").Text())
			if strings.Contains(string(r.Bytes), "PRIVATE") {
				t.Errorf("a secret is in %s", r.Bytes)
			}
		}
		return all
	}
	round()
	want := []string{"published grants", "published checkpoints"}
	for _, tenant := range []string{"acme", "rival"} {
		if got := told(tenant); !slices.Equal(got, want) {
			t.Errorf("%s was told %v, want %v", tenant, got, want)
		}
	}
	// A key says in whole seconds from when it signs. The first one and the last are made in
	// the same second, or nearly, and the one between them has not begun when all is lost.
	for _, args := range [][]string{{"keys", "rotate"}, {"keys", "rotate", "--compromised"}, {"keys", "checkpoint", "--rotate"}} {
		if code, _, errs := command(t, "", append(args, "--data-dir", set.DataDir)...); code != 0 {
			t.Fatalf("%v: %s", args, errs)
		}
		round()
	}
	got := told("acme")
	slices.Sort(got)
	want = []string{"published checkpoints", "published checkpoints", "published grants", "published grants", "published grants", "withdrawn grants", "withdrawn grants"}
	if !slices.Equal(got, want) {
		t.Errorf("after a rotation acme was told %v, want %v", got, want)
	}
}

// A server that serves tells of its keys and signs the trails that are there, without
// being asked.
func TestAServerTellsAndSigns(t *testing.T) {
	t.Parallel()
	set := Settings{DataDir: dataDir(t)}
	if code, _, errs := command(t, "", "tenant", "create", "--data-dir", set.DataDir, "acme"); code != 0 {
		t.Fatal(errs)
	}
	a := bootOn(t, set)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for told, signed := false, false; !told || !signed; {
		page, err := a.Store.Audit().Search(ctx, "acme", audit.Query{Filter: audit.Filter{Kinds: []audit.Kind{audit.SigningKeyPublished}}, Edge: -1, Limit: 2})
		if err != nil {
			t.Fatalf("told: %v, signed: %v: %v", told, signed, err)
		}
		told, signed = len(page.Records) == 2, a.signed.Newest("acme").Note != nil
	}
}

// newApp is a server that listens and does not serve.
func newApp(t *testing.T, set Settings) *App {
	t.Helper()
	a, err := NewApp(t.Context(), set, Serving{Addr: "127.0.0.1:0"}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	return a
}
