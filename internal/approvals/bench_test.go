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

	"github.com/countersign/countersign/internal/approvals"
)

// atOnce runs act n times by so many clients. It returns how many were done in a second, and
// what 99 of 100 took at most.
func atOnce(b *testing.B, clients, n int, act func(i int) error) (perSecond float64, p99 time.Duration) {
	b.Helper()
	took := make([]time.Duration, n)
	var next atomic.Int64
	var running sync.WaitGroup
	begun := time.Now()
	for range clients {
		running.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				at := time.Now()
				if err := act(i); err != nil {
					b.Error(err)
					return
				}
				took[i] = time.Since(at)
			}
		})
	}
	running.Wait()
	perSecond = float64(n) / time.Since(begun).Seconds()
	slices.Sort(took)
	return perSecond, took[n*99/100]
}

// bareRows are the sizes of what is inserted. Of a submission that is let through: an
// evaluation, an approval, its text, a decision, a grant and two events. Of a grant that is
// spent: one event, and what it changes.
var bareRows = map[string][]int{
	"submit":  {600, 2500, 200, 300, 500, 700, 700},
	"consume": {700, 200},
}

// bareLoop writes rows of such sizes and moves the head of a log, each time in a transaction that
// locks the head first, with statements that are parsed once. It does nothing else.
func bareLoop(b *testing.B, db *sql.DB, lock string, clients, n int, sizes []int) (perSecond float64) {
	b.Helper()
	must := func(statement string) {
		b.Helper()
		if _, err := db.ExecContext(b.Context(), statement); err != nil {
			b.Fatal(err)
		}
	}
	must("CREATE TABLE bare_head (tenant_id TEXT PRIMARY KEY, size BIGINT NOT NULL, note TEXT NOT NULL)")
	defer must("DROP TABLE bare_head")
	must("INSERT INTO bare_head VALUES ('acme', 0, '')")
	prepared := func(statement string) *sql.Stmt {
		b.Helper()
		s, err := db.PrepareContext(b.Context(), statement)
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { _ = s.Close() })
		return s
	}
	inserts := make([]*sql.Stmt, len(sizes))
	for i := range sizes {
		table := fmt.Sprint("bare_", i)
		must("CREATE TABLE " + table + " (tenant_id TEXT NOT NULL, id BIGINT NOT NULL, at TIMESTAMP NOT NULL, row TEXT NOT NULL, PRIMARY KEY (tenant_id, id))")
		defer must("DROP TABLE " + table)
		inserts[i] = prepared("INSERT INTO " + table + " VALUES ($1, $2, $3, $4)")
	}
	head := prepared("SELECT size FROM bare_head WHERE tenant_id = $1" + lock)
	move := prepared("UPDATE bare_head SET size = size + 1, note = $1 WHERE tenant_id = $2")
	perSecond, _ = atOnce(b, clients, n, func(i int) error {
		tx, err := db.BeginTx(b.Context(), nil)
		if err != nil {
			return err
		}
		defer func() { _ = tx.Rollback() }()
		var size int64
		if err := tx.StmtContext(b.Context(), head).QueryRowContext(b.Context(), "acme").Scan(&size); err != nil {
			return err
		}
		for k, insert := range inserts {
			if _, err := tx.StmtContext(b.Context(), insert).ExecContext(b.Context(), "acme", i, time.Now().UTC(), strings.Repeat("x", sizes[k])); err != nil {
				return err
			}
		}
		if _, err := tx.StmtContext(b.Context(), move).ExecContext(b.Context(), strings.Repeat("n", 400), "acme"); err != nil {
			return err
		}
		return tx.Commit()
	})
	return perSecond
}

// BenchmarkAtOnce has clients submit calls that are let through, and spend the grants. The limit
// is the bare loop of the same rows, in the same run.
func BenchmarkAtOnce(b *testing.B) {
	const n = 1000
	for _, database := range []struct {
		name, lock string
		open       func(t testing.TB) *house
		bare       func(b *testing.B, h *house) *sql.DB
	}{
		{"sqlite", "", newHouse, func(b *testing.B, _ *house) *sql.DB {
			b.Helper()
			db, err := sql.Open("sqlite", "file:"+filepath.Join(b.TempDir(), "bare.db")+"?_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_txlock=immediate")
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(func() { _ = db.Close() })
			db.SetMaxOpenConns(1)
			return db
		}},
		{"postgres", " FOR UPDATE", newPostgresHouse, func(_ *testing.B, h *house) *sql.DB {
			h.raw.SetMaxOpenConns(10)
			return h.raw
		}},
	} {
		for _, clients := range []int{1, 8, 64} {
			for _, what := range []string{"submit", "consume"} {
				b.Run(fmt.Sprintf("%s/%s/%d", database.name, what, clients), func(b *testing.B) {
					h := database.open(b)
					bare := database.bare(b, h)
					submit := func(int) error {
						h.submit(harmless)
						return nil
					}
					for b.Loop() {
						act := submit
						if what == "consume" {
							grants := make([]approvals.Approval, n)
							atOnce(b, 8, n, func(i int) error { grants[i] = h.submit(harmless); return nil })
							act = func(i int) error {
								_, err := h.consume(grants[i], grants[i].Digest, "")
								return err
							}
						}
						limit := bareLoop(b, bare, database.lock, clients, n, bareRows[what])
						perSecond, p99 := atOnce(b, clients, n, act)
						b.ReportMetric(perSecond, "per-second")
						b.ReportMetric(limit, "limit")
						b.ReportMetric(perSecond/limit, "ratio")
						b.ReportMetric(float64(p99.Microseconds())/1000, "p99-ms")
						b.ReportMetric(0, "ns/op")
					}
				})
			}
		}
	}
}
