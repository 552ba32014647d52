package store_test

import (
	"context"
	"database/sql"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/live"
	"github.com/countersign/countersign/internal/long"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/store"
	"github.com/countersign/countersign/internal/store/postgrestest"
	"github.com/countersign/countersign/internal/store/rollbacktest"
	"github.com/countersign/countersign/internal/tenants"
)

// replica is one of several servers on one database.
type replica struct {
	*store.Store
	hub *live.Hub
}

const never = 24 * time.Hour

// replicas are two servers on one Postgres, with the tenants acme and beta.
func replicas(t testing.TB, poll time.Duration) (a, b replica, raw *sql.DB) {
	t.Helper()
	long.Race(t)
	dsn := postgrestest.Migrated(t)
	for _, r := range []*replica{&a, &b} {
		*r = replica{openAt(t, store.Config{URL: dsn, Log: slog.New(slog.DiscardHandler)}), live.New()}
		ctx, stop := context.WithCancel(context.Background())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			r.ReplicateEvery(ctx, r.hub, poll)
		}()
		t.Cleanup(func() {
			stop()
			<-ended
		})
	}
	for _, slug := range []string{"acme", "beta"} {
		if err := a.Tenants().CreateTenant(t.Context(), slug, scoring.DefaultPolicy(), func(tenants.Writer) error { return nil }); err != nil {
			t.Fatal(err)
		}
	}
	return a, b, postgrestest.SQL(t, dsn)
}

// happen commits an event about an approval, and tells nobody.
func (r replica) happen(t testing.TB, tenant, id string) {
	t.Helper()
	err := r.Approvals().Write(t.Context(), tenant, func(w approvals.Writer) error {
		return w.Append(audit.Event{Kind: audit.Viewed, Actor: audit.Actor{Kind: "system"}, Approval: id})
	})
	if err != nil {
		t.Fatal(err)
	}
}

// hears waits until a watcher was told of an id.
func hears(t testing.TB, w *live.Watch, id string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for {
		select {
		case <-w.C():
			if ids, _ := w.Take(); slices.Contains(ids, id) {
				return
			}
		case <-ctx.Done():
			t.Fatalf("never heard of %s", id)
		}
	}
}

func TestReplicasHearOfEachOther(t *testing.T) {
	t.Parallel()
	a, b, _ := replicas(t, never)
	acme, beta := b.hub.Watch("acme"), b.hub.Watch("beta")
	defer acme.Close()
	defer beta.Close()
	for _, id := range []string{"apr_1", "apr_2"} {
		a.happen(t, "acme", id)
		a.hub.Publish("acme", id)
		hears(t, acme, id)
	}
	// The other way round, and only to whom it belongs.
	back := a.hub.Watch("acme")
	defer back.Close()
	b.happen(t, "acme", "apr_3")
	b.hub.Publish("acme", "apr_3")
	hears(t, back, "apr_3")
	if ids, _ := beta.Take(); len(ids) != 0 {
		t.Errorf("beta heard of %v", ids)
	}
}

// A notification that was never sent costs time, not the change: whoever sent it
// may have died between the commit and the notification.
func TestReplicaFindsWhatNobodyTold(t *testing.T) {
	t.Parallel()
	a, b, _ := replicas(t, 50*time.Millisecond)
	w := b.hub.Watch("acme")
	defer w.Close()
	a.happen(t, "acme", "apr_1")
	hears(t, w, "apr_1")
}

// A connection that is cut is opened again, and what happened meanwhile is found.
func TestReplicaCatchesUpAfterACut(t *testing.T) {
	t.Parallel()
	a, b, raw := replicas(t, never)
	w := b.hub.Watch("acme")
	defer w.Close()
	a.happen(t, "acme", "apr_1")
	a.hub.Publish("acme", "apr_1")
	hears(t, w, "apr_1") // b listens
	for n := range 3 {
		id := "apr_cut_" + string(rune('a'+n))
		a.happen(t, "acme", id)
		var cut int
		if err := raw.QueryRowContext(t.Context(), "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'").Scan(&cut); err != nil {
			t.Fatal(err)
		}
		if cut == 0 {
			continue // both are reconnecting: they will catch up
		}
		hears(t, w, id)
	}
}

// A server that was told how far a log went does nothing on an earlier state of it, whether it
// has read that much itself or not, and although it shares no directory.
func TestReplicaHearsHowFarALogWent(t *testing.T) {
	t.Parallel()
	a, b, raw := replicas(t, never)
	w := b.hub.Watch("acme")
	defer w.Close()
	a.happen(t, "acme", "apr_0")
	b.happen(t, "acme", "apr_1") // so that it has read all that is put back
	earlier := rollbacktest.Take(t, raw, false)
	a.happen(t, "acme", "apr_2")
	a.hub.Publish("acme", "apr_2")
	hears(t, w, "apr_2")
	earlier.PutBack(t)
	err := b.Approvals().Write(t.Context(), "acme", func(approvals.Writer) error { return nil })
	if !fault.Is(err, fault.GrantUnproven) {
		t.Errorf("on an earlier state: %v, want it refused", err)
	}
	if err := b.Approvals().Write(t.Context(), "beta", func(approvals.Writer) error { return nil }); err != nil {
		t.Errorf("another organisation: %v", err)
	}
}

// A server that hears no other one does nothing for agents until it does again.
func TestDeafReplicaDoesNothingForAgents(t *testing.T) {
	t.Parallel()
	a, b, raw := replicas(t, never)
	w := b.hub.Watch("acme")
	defer w.Close()
	a.happen(t, "acme", "apr_1")
	a.hub.Publish("acme", "apr_1")
	hears(t, w, "apr_1") // b listens
	act := func() error {
		return b.Approvals().WriteAs(t.Context(), auth.Agent{Tenant: "acme"}, approvals.Call{}, func(approvals.Writer) error { return nil })
	}
	if err := act(); err != nil {
		t.Fatal(err)
	}
	admit := func(yes string) {
		t.Helper()
		mustRaw(t, raw, "UPDATE pg_database SET datallowconn = "+yes+" WHERE datname = current_database()")
	}
	admit("false")
	mustRaw(t, raw, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'")
	within := func(what string, want func(error) bool) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		for err := act(); !want(err); err = act() {
			if ctx.Err() != nil {
				t.Fatalf("%s: %v", what, err)
			}
		}
	}
	within("while it hears no one", func(err error) bool { return fault.Is(err, fault.NotReady) })
	admit("true")
	within("when it hears again", func(err error) bool { return err == nil })
}

// More tenants than a notification can name are all of them.
func TestManyTenantsAtOnce(t *testing.T) {
	t.Parallel()
	a, b, _ := replicas(t, never)
	w := b.hub.Watch("acme")
	defer w.Close()
	a.happen(t, "acme", "apr_1")
	for n := range 1000 {
		a.hub.Publish("tenant-with-a-long-name-"+string(rune('a'+n%26))+string(rune('a'+n/26%26))+string(rune('a'+n/676)), "apr_x")
	}
	a.hub.Publish("acme", "apr_1")
	hears(t, w, "apr_1")
}

// On a database of one server there is nobody to tell.
func TestSQLiteHasOneServer(t *testing.T) {
	t.Parallel()
	open(t).Store.Replicate(t.Context(), live.New())
}

// BenchmarkHintBetweenServers is from the commit on one server to the hint on the
// other one. Its limit is the promise that a decision appears there within 250 ms.
func BenchmarkHintBetweenServers(b *testing.B) {
	const limit = 250.0 // ms
	here, there, _ := replicas(b, never)
	w := there.hub.Watch("acme")
	defer w.Close()
	here.happen(b, "acme", "apr_first")
	here.hub.Publish("acme", "apr_first")
	hears(b, w, "apr_first") // both listen
	var total, worst time.Duration
	for b.Loop() {
		id := auth.NewID("apr")
		here.happen(b, "acme", id)
		committed := time.Now()
		here.hub.Publish("acme", id)
		hears(b, w, id)
		took := time.Since(committed)
		total, worst = total+took, max(worst, took)
	}
	mean := float64(total.Microseconds()) / 1000 / float64(b.N)
	b.ReportMetric(mean, "ms/hint")
	b.ReportMetric(float64(worst.Microseconds())/1000, "ms/slowest-hint")
	b.ReportMetric(limit, "limit")
	b.ReportMetric(mean/limit, "ratio")
}

// What happens to a whole tenant has no approval, and is heard of all the same.
func TestReplicasHearOfTheHouse(t *testing.T) {
	t.Parallel()
	a, b, _ := replicas(t, 50*time.Millisecond)
	w := b.hub.Watch("acme")
	defer w.Close()
	for _, kind := range []audit.Kind{audit.AgentsStopped, audit.AgentsResumed, audit.PolicyChanged} {
		err := a.Tenants().Write(t.Context(), "acme", func(w tenants.Writer) error {
			return w.Append(audit.Event{Kind: kind, Actor: audit.Actor{Kind: "system"}})
		})
		if err != nil {
			t.Fatal(err)
		}
		hears(t, w, live.House)
	}
}
