package lifetest

import (
	"database/sql"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/tenants"
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

// bareLoop writes rows of such sizes and moves the head of a log of so many, each time in a
// transaction that locks the head first, with statements that are parsed once. It does nothing else.
func bareLoop(b *testing.B, db *sql.DB, lock string, clients, logs, n int, sizes []int) (perSecond float64) {
	b.Helper()
	must := func(statement string) {
		b.Helper()
		if _, err := db.ExecContext(b.Context(), statement); err != nil {
			b.Fatal(err)
		}
	}
	must("CREATE TABLE bare_head (tenant_id TEXT PRIMARY KEY, size BIGINT NOT NULL, note TEXT NOT NULL)")
	defer must("DROP TABLE bare_head")
	for i := range logs {
		must(fmt.Sprintf("INSERT INTO bare_head VALUES ('%d', 0, '')", i))
	}
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
		log := fmt.Sprint(i % logs)
		var size int64
		if err := tx.StmtContext(b.Context(), head).QueryRowContext(b.Context(), log).Scan(&size); err != nil {
			return err
		}
		for k, insert := range inserts {
			if _, err := tx.StmtContext(b.Context(), insert).ExecContext(b.Context(), log, i, time.Now().UTC(), strings.Repeat("x", sizes[k])); err != nil {
				return err
			}
		}
		if _, err := tx.StmtContext(b.Context(), move).ExecContext(b.Context(), strings.Repeat("n", 400), log); err != nil {
			return err
		}
		return tx.Commit()
	})
	return perSecond
}

// agents are one of each of so many organisations.
func (h *house) agents(organisations int) []auth.Agent {
	h.t.Helper()
	all := []auth.Agent{h.agent}
	town := tenants.NewService(tenants.Config{Store: h.db.Tenants(), Log: slog.New(slog.DiscardHandler)})
	for i := 1; i < organisations; i++ {
		name := fmt.Sprint("acme-", i)
		err := town.CreateTenant(h.t.Context(), name)
		if err != nil {
			h.t.Fatal(err)
		}
		_, a, err := town.CreateAgent(h.t.Context(), name, "worker", "")
		if err != nil {
			h.t.Fatal(err)
		}
		all = append(all, a)
	}
	return all
}

// BenchmarkAtOnce has clients submit calls that are let through, and spend the grants: of one
// organisation, and of twenty. The limit is the bare loop of the same rows, in the same run.
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
		for _, at := range []struct{ clients, organisations int }{{1, 1}, {8, 1}, {64, 1}, {64, 20}} {
			clients := at.clients
			for _, what := range []string{"submit", "consume"} {
				b.Run(fmt.Sprintf("%s/%s/%d/%d", database.name, what, clients, at.organisations), func(b *testing.B) {
					h := database.open(b)
					bare, agents := database.bare(b, h), h.agents(at.organisations)
					of := func(i int) auth.Agent { return agents[i%len(agents)] }
					call := func(i int) (approvals.Approval, error) {
						a, _, err := h.Submit(b.Context(), of(i), approvals.Submission{Action: action(b, harmless)})
						return a, err
					}
					submit := func(i int) error { _, err := call(i); return err }
					for b.Loop() {
						act := submit
						if what == "consume" {
							grants := make([]approvals.Approval, n)
							atOnce(b, 8, n, func(i int) (err error) { grants[i], err = call(i); return err })
							act = func(i int) error {
								_, err := h.Consume(b.Context(), of(i), grants[i].ID, grants[i].Digest, "")
								return err
							}
						}
						limit := bareLoop(b, bare, database.lock, clients, len(agents), n, bareRows[what])
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
