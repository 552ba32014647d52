package store_test

import (
	"fmt"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/store"
	"github.com/countersign/countersign/internal/store/headstest"
	"github.com/countersign/countersign/internal/tenants"
)

// The first look at a log: with its newest snapshot, as at each start, and without one, as at
// the upgrade to signed heads. Open approvals are what is left of it in memory.
func BenchmarkFirstLook(b *testing.B) {
	const events, open = 100_000, 10_000
	path := filepath.Join(b.TempDir(), "x.db")
	heads := headstest.New()
	s := opened(b, store.Config{Path: path, Heads: heads})
	for from := 0; from < events; from += 1000 {
		err := s.Tenants().Write(b.Context(), "acme", func(w tenants.Writer) error {
			var all []audit.Event
			for i := from; i < from+1000; i++ {
				e := audit.Event{Kind: audit.Submitted, Actor: audit.Actor{Kind: "system"}, Approval: fmt.Sprintf("apr_%031d", i), Agent: "agt_1", Function: "f1", Level: "MEDIUM", Data: canon.Object(
					canon.Member{Name: "action_sha256", Value: canon.String(fmt.Sprintf("%064d", i))}, canon.Member{Name: "digest", Value: canon.String(fmt.Sprintf("%064d", i))})}
				if i >= open {
					e.Kind = audit.SignedIn
				}
				all = append(all, e)
			}
			return w.Append(all...)
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	raw := rawAt(b, path)
	look := func(b *testing.B) {
		b.Helper()
		for range b.N {
			before := heap()
			began := time.Now()
			another, err := store.Open(b.Context(), store.Config{Path: path, Heads: heads})
			if err == nil {
				err = another.LookAtHeads(b.Context())
			}
			if err != nil || heads.Problem("acme") != "" {
				b.Fatal(err, heads.Problem("acme"))
			}
			b.ReportMetric(float64(events)/time.Since(began).Seconds(), "events/s")
			b.ReportMetric(float64(heap()-before)/open, "B/open")
			if err := another.Close(); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.Run("snapshot", look)
	if _, err := raw.ExecContext(b.Context(), "DELETE FROM audit_snapshots"); err != nil {
		b.Fatal(err)
	}
	b.Run("whole", look)
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
