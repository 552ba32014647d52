package storetest

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring/level"
)

// counted is what the rollups must say, counted from the approvals and the trail
// themselves, one question at a time.
func (p place) counted(t *testing.T) map[string]approvals.Tally {
	t.Helper()
	return p.countedOf(t, func(audit.Event) bool { return true }, func(approvals.Approval) bool { return true })
}

// countedOf is that of these submissions, and of the ends of these approvals.
func (p place) countedOf(t *testing.T, submitted func(audit.Event) bool, ended func(approvals.Approval) bool) map[string]approvals.Tally {
	t.Helper()
	want := map[string]approvals.Tally{}
	add := func(d approvals.Dimension, at time.Time, value string, count func(*approvals.Tally)) {
		k := fmt.Sprint(d, " ", at.UTC().Format(time.DateOnly), " ", value, false)
		one := want[k]
		count(&one)
		want[k] = one
	}
	page, err := p.db.Store.Audit().Search(t.Context(), p.tenant, audit.Query{Edge: -1, Limit: 10000, Filter: audit.Filter{Kinds: []audit.Kind{audit.Submitted}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range page.Records {
		e := r.Event
		if !submitted(e) {
			continue
		}
		for d, value := range map[approvals.Dimension]string{approvals.ByAll: "", approvals.ByLevel: e.Level, approvals.ByFunction: e.Function, approvals.ByAgentID: e.Agent} {
			add(d, e.At, value, func(t *approvals.Tally) { t.Submitted++ })
		}
	}
	var all []approvals.Approval
	p.read(t, func(r approvals.Reader) (err error) {
		all, err = r.Approvals(approvals.Filter{Limit: 2000})
		return err
	})
	for _, a := range all {
		if a.Decision == nil || !ended(a) {
			continue
		}
		values := [][2]string{
			{"all", ""},
			{"level", a.Assessment.Level.String()},
			{"function", a.Function},
			{"agent", a.Agent.ID},
			{"score", fmt.Sprint(min(9, int(math.Floor(a.Assessment.Score*10))))},
			{"points", fmt.Sprintf("%s %d", a.Assessment.Patterns.CategoricalSeverity, min(9, a.Assessment.Patterns.NumericScore/10))},
			{"hour", "15"}, // as it is written
		}
		if a.Session != "" {
			values = append(values, [2]string{"session", a.Agent.ID + " " + a.Session})
		}
		rules := slices.Compact(slices.Sorted(slices.Values(a.Assessment.Rules.TriggeredRules)))
		for _, r := range rules {
			values = append(values, [2]string{"rule", r})
		}
		for _, m := range a.Assessment.Patterns.MatchedPatterns {
			values = append(values, [2]string{"pattern", m.ID})
		}
		person := a.Decision.DecidedBy[0].Kind == approvals.ByPerson
		verdict := func(t *approvals.Tally) {
			switch {
			case a.Status == approvals.Approved && person:
				t.Approved++
				if a.Decision.Evidence.ReviewSeconds < map[level.Level]float64{level.Low: 3, level.Medium: 6, level.High: 20, level.Critical: 60}[a.Assessment.Level] {
					t.Fast++
				}
			case a.Status == approvals.Approved:
				t.Allowed++
			case a.Status == approvals.Denied:
				t.Denied++
			case a.Status == approvals.ChangesRequested:
				t.ChangesRequested++
			case a.Status == approvals.Expired:
				t.Expired++
			case a.Status == approvals.Cancelled:
				t.Cancelled++
			case a.Status == approvals.Blocked:
				t.Blocked++
			}
		}
		took := func(t *approvals.Tally, d time.Duration) {
			t.Waited++
			t.WaitMicros += d.Microseconds()
			for i, bound := range approvals.WaitBounds() {
				if d.Seconds() <= bound {
					t.Waits[i]++
					break
				}
			}
		}
		for _, v := range values {
			value := func(at time.Time) string {
				if v[0] == "hour" {
					return at.UTC().Format(v[1])
				}
				return v[1]
			}
			add(approvals.Dimension(v[0]), a.Decision.DecidedAt, value(a.Decision.DecidedAt), func(t *approvals.Tally) {
				verdict(t)
				t.Scored++
				t.ScoreMicros += int64(math.Round(a.Assessment.Score * 1e6))
				t.ScoreSquares += int64(math.Round(a.Assessment.Score * a.Assessment.Score * 1e6))
				t.Evaluated++
				t.Points += int64(a.Assessment.Patterns.NumericScore)
				if person {
					took(t, a.Decision.DecidedAt.Sub(a.CreatedAt))
				}
			})
			if e := a.Execution; e != nil {
				add(approvals.Dimension(v[0]), e.ReportedAt, value(e.ReportedAt), func(t *approvals.Tally) {
					if e.Status == "failed" {
						t.Failed++
					} else {
						t.Succeeded++
					}
				})
			}
		}
		if person || a.Status != approvals.Approved && a.Status != approvals.Blocked {
			cause := a.Assessment.Cause()
			add(approvals.ByCause, a.Decision.DecidedAt, a.Agent.ID+" "+string(cause.Kind)+":"+cause.Name, func(t *approvals.Tally) {
				verdict(t)
				t.Scored++
				t.ScoreMicros += int64(math.Round(a.Assessment.Score * 1e6))
				t.ScoreSquares += int64(math.Round(a.Assessment.Score * a.Assessment.Score * 1e6))
				t.Evaluated++
				t.Points += int64(a.Assessment.Patterns.NumericScore)
				if person {
					took(t, a.Decision.DecidedAt.Sub(a.CreatedAt))
				}
			})
		}
		if person {
			add(approvals.ByOperator, a.Decision.DecidedAt, a.Decision.DecidedBy[0].ID, func(t *approvals.Tally) {
				verdict(t)
				if e := a.Decision.Evidence; e != nil {
					took(t, time.Duration(e.ReviewSeconds*float64(time.Second)))
				}
			})
		}
	}
	return want
}

func (p place) sameCounts(t *testing.T, what string) {
	t.Helper()
	got, want := p.rolled(t), p.counted(t)
	for k := range want {
		if got[k] != want[k] {
			t.Errorf("%s, %s:\n got %+v\nwant %+v", what, k, got[k], want[k])
		}
	}
	for k := range got {
		if _, ok := want[k]; !ok {
			t.Errorf("%s: %q is in the rollups only: %+v", what, k, got[k])
		}
	}
}

// testRollups counts random histories, in one go and cut off everywhere.
func testRollups(t *testing.T, w world) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 1))
	t.Logf("seed %d", seed)
	p := w.acme
	w.beta.history(t, r, 3)
	p.happen(t, 700, func(int) audit.Event { return happened(audit.SignedIn) }) // more than one stretch
	p.history(t, r, 40)
	for _, killed := range []*only{{before: 0, after: -9}, {before: 1, after: -9}, {before: -9, after: 0}} {
		s, o := counter(p)
		o.before, o.after = killed.before, killed.after
		if err := s.RollUp(t.Context()); !errors.Is(err, errKilled) {
			t.Errorf("a server that is killed says %v", err)
		}
	}
	p.rollUp(t)
	p.sameCounts(t, "after kills")
	p.rollUp(t)
	p.history(t, r, 10)
	p.rollUp(t)
	p.sameCounts(t, "with more")
	if len(w.beta.rolled(t)) != 0 {
		t.Error("beta has rollups that nobody counted")
	}
	w.beta.rollUp(t)
	w.beta.sameCounts(t, "of another tenant")
	p.sameCounts(t, "after another tenant was counted")
	p.read(t, func(r approvals.Reader) error {
		counted, size, err := r.RolledUp()
		if counted != size || size < 700 {
			t.Errorf("%d of %d events are counted", counted, size)
		}
		return err
	})
	testSums(t, p)
	testSessionRollups(t, p)
}

// testSums holds the sums of the database against those of the rows.
func testSums(t *testing.T, p place) {
	t.Helper()
	p.read(t, func(r approvals.Reader) error {
		for _, d := range approvals.Dimensions() {
			q := approvals.RollupQuery{Dimension: d, From: "2000-01-01", To: "2100-01-01"}
			rows, err := r.Rollups(q)
			if err != nil {
				return err
			}
			want := map[string]approvals.Tally{}
			for _, row := range rows {
				one := want[row.Value]
				one.Add(row.Tally)
				want[row.Value] = one
			}
			q.Sum = true
			sums, err := r.Rollups(q)
			if err != nil {
				return err
			}
			if len(sums) != len(want) {
				t.Errorf("%s: %d sums of %d values", d, len(sums), len(want))
			}
			for i, s := range sums {
				if s.Tally != want[s.Value] || s.Day != "" {
					t.Errorf("%s %q: the sum is %+v, want %+v", d, s.Value, s.Tally, want[s.Value])
				}
				if i > 0 && s.Scored > sums[i-1].Scored {
					t.Errorf("%s: %q stands behind one with less", d, s.Value)
				}
			}
			q.Limit = 1
			if few, err := r.Rollups(q); err != nil || len(sums) > 0 && (len(few) != 1 || few[0] != sums[0]) {
				t.Errorf("%s: the first is %+v, %v", d, few, err)
			}
		}
		return nil
	})
}

func testSessionRollups(t *testing.T, p place) {
	t.Helper()
	p.read(t, func(r approvals.Reader) error {
		all, err := r.Approvals(approvals.Filter{Limit: 2000})
		if err != nil {
			return err
		}
		want := map[string]approvals.SessionRollup{}
		for _, a := range all {
			if a.Session == "" || a.Decision == nil {
				continue
			}
			s, micros := want[a.Session], int64(math.Round(a.Assessment.Score*1e6))
			s.Agent, s.Session = a.Agent.ID, a.Session
			s.Scored++
			s.ScoreMicros += micros
			s.PeakMicros = max(s.PeakMicros, micros)
			s.Evaluated++
			s.Points += int64(a.Assessment.Patterns.NumericScore)
			s.PeakPoints = max(s.PeakPoints, int64(a.Assessment.Patterns.NumericScore))
			for _, m := range a.Assessment.Patterns.MatchedPatterns {
				if m.ID == "shell-rm" {
					s.Counts.High++
				} else {
					s.Counts.Low++
				}
			}
			if a.Decision.DecidedAt.After(s.LastAt) {
				s.LastAt = a.Decision.DecidedAt
			}
			want[a.Session] = s
		}
		got, err := r.SessionRollups(approvals.SessionRollupQuery{From: time.Now().Add(-30 * 24 * time.Hour), Limit: 50})
		if len(got) != len(want) {
			t.Errorf("%d sessions, want %d", len(got), len(want))
		}
		for i, s := range got {
			if s != want[s.Session] || i > 0 && s.LastAt.After(got[i-1].LastAt) {
				t.Errorf("session %+v, want %+v, latest first", s, want[s.Session])
			}
		}
		if none, err := r.SessionRollups(approvals.SessionRollupQuery{From: time.Now().Add(time.Hour), Limit: 50}); err != nil || len(none) > 0 {
			t.Errorf("sessions of the future: %+v, %v", none, err)
		}
		return err
	})
}

// testRollupRace has several servers count at once.
func testRollupRace(t *testing.T, w world) {
	r := rand.New(rand.NewPCG(1, 2))
	w.acme.happen(t, 600, func(int) audit.Event { return happened(audit.SignedIn) })
	w.acme.history(t, r, 20)
	w.beta.history(t, r, 5)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			s, _ := counter(w.acme, w.beta)
			for range 3 {
				if err := s.RollUp(t.Context()); err != nil {
					t.Errorf("roll up: %v", err)
				}
			}
		})
	}
	all.Wait()
	w.acme.rollUp(t)
	w.beta.rollUp(t)
	w.acme.sameCounts(t, "four servers")
	w.beta.sameCounts(t, "four servers")
	if err := w.acme.try(t.Context(), func(w approvals.Writer) error { return w.RollUp(approvals.RollupBatch{From: 3, To: 4}) }); !fault.Is(err, fault.Changed) {
		t.Errorf("a batch that does not follow: %v", err)
	}
}

// testRollupsAreBounded has an agent name more functions than a day keeps apart,
// and cuts the trail in two different ways.
func testRollupsAreBounded(t *testing.T, w world) {
	const extra = 15
	event := func(p place) func(i int) audit.Event {
		return func(i int) audit.Event {
			return audit.Event{
				Kind: audit.Submitted, Actor: audit.Actor{Kind: "system"}, Agent: p.agent.ID, Level: "LOW",
				Function: strings.Repeat("f", i%(approvals.MaxRolledValues+extra)+1), Data: canon.Object(),
			}
		}
	}
	functions := func(p place) (rows []approvals.Rollup) {
		p.read(t, func(r approvals.Reader) (err error) {
			rows, err = r.Rollups(approvals.RollupQuery{Dimension: approvals.ByFunction, From: "2000-01-01", To: "2100-01-01", Sum: true})
			return err
		})
		return rows
	}
	w.acme.happen(t, 430, event(w.acme))
	w.acme.rollUp(t)
	for n := range 10 {
		w.beta.happen(t, 43, func(i int) audit.Event { return event(w.beta)(43*n + i) })
		w.beta.rollUp(t)
	}
	rows := functions(w.acme)
	var others, submitted int64
	for _, r := range rows {
		submitted += r.Submitted
		if r.Others {
			others += r.Submitted
		}
	}
	if len(rows) != approvals.MaxRolledValues+1 || submitted != 430 || others != 2*extra {
		t.Errorf("%d rows count %d submissions, %d of them together; want %d, 430, %d", len(rows), submitted, others, approvals.MaxRolledValues+1, 2*extra)
	}
	if cut := functions(w.beta); !slices.Equal(cut, rows) {
		t.Errorf("cut otherwise, the trail comes to %+v, want %+v", cut, rows)
	}
}
