package store_test

import (
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/live"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/store"
	"github.com/countersign/countersign/internal/tenants"
)

// fill makes the rollups of 90 days with 200 rules, patterns and functions each: as
// much as a tenant can have, whatever the number of its events.
func fill(b *testing.B, s *store.Store) {
	b.Helper()
	err := s.Approvals().Write(b.Context(), "acme", func(w approvals.Writer) error {
		for n := range int64(90) {
			batch := approvals.RollupBatch{From: n, To: n + 1}
			on := w.Now().AddDate(0, 0, -int(n)).Format(time.DateOnly)
			for _, d := range approvals.Dimensions() {
				values := 4
				if d == approvals.ByRule || d == approvals.ByPattern || d == approvals.ByFunction || d == approvals.ByCause {
					values = approvals.MaxRolledValues
				}
				for v := range values {
					r := approvals.Rollup{Dimension: d, Day: on, Value: fmt.Sprintf("value_%d", v)}
					for i, cell := range r.Cells() {
						*cell = int64(i+v) + n
					}
					batch.Rows = append(batch.Rows, r)
				}
			}
			if err := w.RollUp(batch); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
}

// BenchmarkInsights reads the figures of 90 days, and holds the time against that of
// the bare statements which read them.
func BenchmarkInsights(b *testing.B) {
	const limit = 2.0
	path := filepath.Join(b.TempDir(), "x.db")
	s := openAt(b, store.Config{Path: path})
	if err := s.Migrate(b.Context()); err != nil {
		b.Fatal(err)
	}
	if err := s.Tenants().CreateTenant(b.Context(), "acme", scoring.DefaultPolicy(), func(tenants.Writer) error { return nil }); err != nil {
		b.Fatal(err)
	}
	if err := s.Tenants().Write(b.Context(), "acme", func(w tenants.Writer) error {
		return w.Append(audit.Event{Kind: audit.TenantCreated, Actor: audit.Actor{Kind: "system"}})
	}); err != nil {
		b.Fatal(err)
	}
	fill(b, s)
	service := approvals.NewService(approvals.Config{Store: s.Approvals(), Live: live.New(), Log: slog.New(slog.DiscardHandler)})
	reader := auth.Member{Tenant: "acme", Roles: []auth.Role{auth.Compliance}}
	insights := func() {
		if i, err := service.Insights(b.Context(), reader, approvals.InsightsQuery{Days: 90}); err != nil || len(i.Rules) != approvals.InsightValues {
			b.Fatalf("%d rules, %v", len(i.Rules), err)
		}
	}
	type statement struct {
		sql  string
		vars []any
	}
	var all []statement
	var noting sync.Mutex
	if err := s.Note(func(sql string, vars []any) {
		noting.Lock()
		defer noting.Unlock()
		all = append(all, statement{sql, vars})
	}); err != nil {
		b.Fatal(err)
	}
	insights()
	bareOnes := all
	raw := rawAt(b, path)
	bare := func() {
		for _, one := range bareOnes {
			rows, err := raw.QueryContext(b.Context(), one.sql, one.vars...)
			if err != nil {
				b.Fatalf("%s: %v", one.sql, err)
			}
			for rows.Next() {
			}
			if err := rows.Err(); err != nil {
				b.Fatal(err)
			}
			_ = rows.Close()
		}
	}
	var whole, least time.Duration
	for b.Loop() {
		begun := time.Now()
		insights()
		half := time.Now()
		bare()
		whole, least = whole+half.Sub(begun), least+time.Since(half)
	}
	ratio := float64(whole) / float64(least)
	b.ReportMetric(float64(whole.Microseconds())/1000/float64(b.N), "ms/page")
	b.ReportMetric(ratio, "times-bare")
	b.ReportMetric(limit, "limit")
	b.ReportMetric(ratio/limit, "ratio")
}
