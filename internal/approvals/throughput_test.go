package approvals_test

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// atOnce runs act n times by so many clients, and returns how many a second, and the time that
// 99 of 100 took at most.
func atOnce(b *testing.B, clients, n int, act func(client int) error) (perSecond float64, p99 time.Duration) {
	b.Helper()
	took := make([]time.Duration, n)
	var next atomic.Int64
	var running sync.WaitGroup
	begun := time.Now()
	for c := range clients {
		running.Go(func() {
			for i := next.Add(1) - 1; i < int64(n); i = next.Add(1) - 1 {
				at := time.Now()
				if err := act(c); err != nil {
					b.Error(err)
					return
				}
				took[i] = time.Since(at)
			}
		})
	}
	running.Wait()
	slices.Sort(took)
	return float64(n) / time.Since(begun).Seconds(), took[n*99/100]
}

// bare is what a program costs that does nothing but write the rows of a submission, with
// statements that are parsed already, and commits each alone.
func bare(b *testing.B, clients, n int) float64 {
	b.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(b.TempDir(), "bare.db")+"?_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_txlock=immediate")
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	// Of a submission that is let through: an evaluation, an approval, its text, a decision, a
	// grant and two events; and the head of the log.
	sizes := []int{600, 2500, 200, 300, 500, 700, 700}
	var inserts []*sql.Stmt
	for i := range sizes {
		if _, err := db.Exec(fmt.Sprintf("CREATE TABLE t%d (tenant_id TEXT, id TEXT, at TEXT, row TEXT, PRIMARY KEY (tenant_id, id))", i)); err != nil {
			b.Fatal(err)
		}
		s, err := db.Prepare(fmt.Sprintf("INSERT INTO t%d VALUES (?, ?, ?, ?)", i))
		if err != nil {
			b.Fatal(err)
		}
		inserts = append(inserts, s)
	}
	if _, err := db.Exec("CREATE TABLE head (tenant_id TEXT PRIMARY KEY, size INTEGER, note TEXT); INSERT INTO head VALUES ('acme', 0, '')"); err != nil {
		b.Fatal(err)
	}
	grow, err := db.Prepare("UPDATE head SET size = size + 1, note = ? WHERE tenant_id = 'acme'")
	if err != nil {
		b.Fatal(err)
	}
	var id atomic.Int64
	perSecond, _ := atOnce(b, clients, n, func(int) error {
		tx, err := db.Begin()
		if err != nil {
			return err
		}
		defer tx.Rollback()
		k := id.Add(1)
		for i, s := range inserts {
			if _, err := tx.Stmt(s).Exec("acme", fmt.Sprintf("apr_%d", k), time.Now().String(), strings.Repeat("x", sizes[i])); err != nil {
				return err
			}
		}
		if _, err := tx.Stmt(grow).Exec(strings.Repeat("n", 400)); err != nil {
			return err
		}
		return tx.Commit()
	})
	return perSecond
}

// BenchmarkAtOnce submits calls of which each is let through, next to a bare loop in the same
// run.
func BenchmarkAtOnce(b *testing.B) {
	for _, clients := range []int{1, 8, 64} {
		b.Run(fmt.Sprint("submit/sqlite/", clients), func(b *testing.B) {
			h := newHouse(b)
			n := 1000
			for b.Loop() {
				limit := bare(b, clients, n)
				perSecond, p99 := atOnce(b, clients, n, func(int) error {
					h.submit(harmless)
					return nil
				})
				b.ReportMetric(perSecond, "per-second")
				b.ReportMetric(limit, "bare-per-second")
				b.ReportMetric(perSecond/limit, "of-bare")
				b.ReportMetric(float64(p99.Milliseconds()), "ms-p99")
			}
		})
	}
}
