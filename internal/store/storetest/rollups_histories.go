package storetest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/live"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/patterns"
)

// only is a store of these tenants whose writes fail as the test says.
type only struct {
	approvals.Store
	tenants []string
	mu      sync.Mutex
	// before and after count the writes down: at 0 one fails before its commit, or
	// after it, as if the server had been killed. Below 0 none does.
	before, after int
}

var errKilled = errors.New("killed")

func (o *only) Tenants(context.Context) ([]string, error) { return o.tenants, nil }

func (o *only) Aside(ctx context.Context, tenant string, fn func(approvals.Writer) error) error {
	o.mu.Lock()
	o.before--
	o.after--
	before, after := o.before == -1, o.after == -1
	o.mu.Unlock()
	err := o.Store.Aside(ctx, tenant, func(w approvals.Writer) error {
		if err := fn(w); err != nil || !before {
			return err
		}
		return errKilled
	})
	if err == nil && after {
		return errKilled
	}
	return err
}

// counter counts the trails of these places.
func counter(all ...place) (*approvals.Service, *only) {
	o := &only{Store: all[0].db.Store.Approvals(), before: -9, after: -9}
	for _, p := range all {
		o.tenants = append(o.tenants, p.tenant)
	}
	return approvals.NewService(approvals.Config{Store: o, Live: live.New(), Log: slog.New(slog.DiscardHandler), Now: time.Now}), o
}

func (p place) rollUp(t *testing.T) {
	t.Helper()
	s, _ := counter(p)
	if err := s.RollUp(t.Context()); err != nil {
		t.Fatalf("roll up: %v", err)
	}
}

// rolled are the rollups as a reader has them, by dimension, day and value.
func (p place) rolled(t *testing.T) map[string]approvals.Tally {
	t.Helper()
	all := map[string]approvals.Tally{}
	p.read(t, func(r approvals.Reader) error {
		for _, d := range approvals.Dimensions() {
			rows, err := r.Rollups(approvals.RollupQuery{Dimension: d, From: "2000-01-01", To: "2100-01-01"})
			if err != nil {
				return err
			}
			for _, row := range rows {
				all[fmt.Sprint(row.Dimension, " ", row.Day, " ", row.Value, row.Others)] = row.Tally
			}
		}
		return nil
	})
	return all
}

// history is what a random tenant did: submissions, ends of every kind on several
// days, reports, and events that count for nothing.
func (p place) history(t *testing.T, r *rand.Rand, n int) {
	t.Helper()
	pick := func(all ...string) string { return all[r.IntN(len(all))] }
	for range n {
		ago := time.Duration(r.IntN(5*24*3600)) * time.Second
		a := p.submit(t, func(a *approvals.Approval) {
			a.CreatedAt = a.CreatedAt.Add(-ago).Truncate(time.Microsecond)
			a.ExpiresAt = a.CreatedAt.Add(900 * time.Second)
			a.Function, a.Session = pick("delete_user", "run_sql", "", "löschen"), pick("", "s1", "s2")
			a.Assessment.Score = float64(r.IntN(1_000_001)) / 1e6
			a.Assessment.Level = []level.Level{level.Low, level.Medium, level.High, level.Critical}[r.IntN(4)]
			a.Treatment.Level = a.Assessment.Level
			a.Assessment.Rules.TriggeredRules = []string{"sudo_command", "git_commit", "sudo_command"}[:r.IntN(4)]
			a.Assessment.Patterns.MatchedPatterns = []patterns.Match{{ID: "shell-rm", Severity: patterns.High}, {ID: "sql-drop", Severity: patterns.Low}}[:r.IntN(3)]
			a.Assessment.Patterns.NumericScore = r.IntN(101)
			a.Assessment.Treatment = a.Treatment
		})
		p.end(t, r, a)
	}
}

func (p place) end(t *testing.T, r *rand.Rand, a approvals.Approval) {
	t.Helper()
	at := a.CreatedAt.Add(time.Duration(r.Int64N(int64(900 * time.Second)))).Truncate(time.Microsecond)
	kind := []audit.Kind{"", audit.Approved, audit.Approved, audit.Approved, audit.Denied, audit.ChangesRequested, audit.Expired, audit.Cancelled, audit.Blocked}[r.IntN(9)]
	if kind == "" {
		return // it waits
	}
	by := approvals.Decider{Kind: approvals.ByPolicy, ID: "1", Name: "policy"}
	end := func(s approvals.Status, v approvals.Verdict) approvals.Approval {
		d := a
		d.Status = s
		d.Decision = &approvals.Decision{Verdict: v, DecidedAt: at, DecidedBy: []approvals.Decider{by}}
		return d
	}
	var done approvals.Approval
	switch kind {
	case audit.Approved:
		done = p.approved(a, at)
		done.Decision.Evidence.ReviewSeconds = float64(r.IntN(70_000_000)) / 1e6
		if r.IntN(3) == 0 {
			done.Decision.DecidedBy, done.Decision.Evidence = []approvals.Decider{by}, nil
		}
	case audit.Denied:
		done = p.denied(a, "no", at)
	case audit.ChangesRequested:
		done = p.denied(a, "other", at)
		done.Status, done.Decision.Verdict = approvals.ChangesRequested, approvals.VerdictRequestChanges
	case audit.Expired:
		by.Kind = approvals.ByClock
		done = end(approvals.Expired, approvals.VerdictExpire)
	case audit.Cancelled:
		by.Kind = approvals.ByAgent
		done = end(approvals.Cancelled, approvals.VerdictCancel)
	default:
		done = end(approvals.Blocked, approvals.VerdictBlock)
	}
	p.write(t, func(w approvals.Writer) error {
		return errors.Join(w.Decide(done, a.Version), w.Append(about(done, kind)))
	})
	if status := []string{"", "succeeded", "failed"}[r.IntN(3)]; done.Grant != nil && status != "" {
		p.write(t, func(w approvals.Writer) error {
			e := approvals.Execution{Status: status, ReportedAt: at.Add(30 * time.Hour)}
			return errors.Join(w.Report(a.ID, e), w.Append(about(done, audit.Reported)))
		})
	}
}
