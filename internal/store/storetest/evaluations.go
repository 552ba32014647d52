package storetest

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/scoring/patterns"
)

// evaluated stores the record of an evaluation with every member set.
func (p place) evaluated(t *testing.T, edit func(e *approvals.Evaluation)) (e approvals.Evaluation, total approvals.SessionTotal) {
	t.Helper()
	p.write(t, func(w approvals.Writer) (err error) {
		e = p.evaluation(w.Now())
		if edit != nil {
			edit(&e)
		}
		total, err = w.KeepEvaluation(e)
		return err
	})
	return e, total
}

func (p place) evaluation(now time.Time) approvals.Evaluation {
	return approvals.Evaluation{
		ID: auth.NewUUID(), At: now, Approval: "apr_1", Agent: p.agent.ID, Session: "s1", ToolCall: "call_é", LifecyclePoint: "pre-tool-call", Function: "löschen",
		PolicyVersion: 1, LibraryVersion: "7", ScanTook: 1234 * time.Microsecond, Counts: patterns.Counts{Critical: 1, High: 2, Medium: 3, Low: 4},
		RawScore: 51.449999999999996, NumericScore: 51, Severity: patterns.Critical, BaseAction: patterns.Confirm, Action: patterns.Block,
		ActionReason: patterns.ReasonThreshold, Threshold: 50, Exceeded: true,
		Matches: []approvals.EvaluationMatch{{ID: "a", Severity: patterns.Critical, Action: patterns.Confirm, Field: "/code", Start: 3, End: 5}},
	}
}

func (p place) evaluations(t *testing.T, q approvals.EvaluationQuery) (all []approvals.Evaluation) {
	t.Helper()
	q.Limit = max(q.Limit, 100)
	p.read(t, func(r approvals.Reader) (err error) {
		all, err = r.Evaluations(q)
		return err
	})
	return all
}

func (p place) sessionTotal(t *testing.T, session string) (s approvals.SessionTotal) {
	t.Helper()
	p.read(t, func(r approvals.Reader) (err error) {
		s, err = r.SessionTotal(p.agent.ID, session)
		return err
	})
	return s
}

// What is recorded comes back whole, and is of one tenant.
func testEvaluations(t *testing.T, w world) {
	p := w.acme
	first, total := p.evaluated(t, nil)
	if got := p.evaluations(t, approvals.EvaluationQuery{}); len(got) != 1 || !reflect.DeepEqual(got[0], first) {
		t.Errorf("it came back as %+v, want %+v", got, first)
	}
	want := approvals.SessionTotal{Agent: p.agent.ID, Session: "s1", Evaluations: 1, Points: 51, Peak: 51, Counts: first.Counts, Last: first.At}
	if total != want || p.sessionTotal(t, "s1") != want {
		t.Errorf("its session comes to %+v, want %+v", total, want)
	}
	day := first.At.AddDate(0, 0, 1)
	second, _ := p.evaluated(t, func(e *approvals.Evaluation) {
		e.At, e.Counts, e.NumericScore, e.Matches, e.Severity, e.Approval = day, patterns.Counts{}, 0, nil, "", "apr_2"
	})
	dry, none := p.evaluated(t, func(e *approvals.Evaluation) { e.DryRun, e.Approval = true, "" })
	loose, alone := p.evaluated(t, func(e *approvals.Evaluation) { e.Session = "" })
	if none != (approvals.SessionTotal{}) || alone != none {
		t.Errorf("a dry run counts %+v, one without a session %+v", none, alone)
	}
	want.Evaluations, want.Last = 2, second.At
	if got := p.sessionTotal(t, "s1"); got != want {
		t.Errorf("the session comes to %+v, want %+v", got, want)
	}
	ids := func(q approvals.EvaluationQuery) (ids []string) {
		for _, e := range p.evaluations(t, q) {
			ids = append(ids, e.ID)
		}
		return ids
	}
	for _, c := range []struct {
		what string
		q    approvals.EvaluationQuery
		want []string
	}{
		{"all", approvals.EvaluationQuery{}, []string{loose.ID, dry.ID, second.ID, first.ID}},
		{"dry runs", approvals.EvaluationQuery{DryRun: true}, []string{dry.ID}},
		{"matched", approvals.EvaluationQuery{Matched: true}, []string{loose.ID, dry.ID, first.ID}},
		{"a session", approvals.EvaluationQuery{Agent: p.agent.ID, Session: "s1"}, []string{dry.ID, second.ID, first.ID}},
		{"a time", approvals.EvaluationQuery{From: day, To: day.Add(time.Microsecond)}, []string{second.ID}},
		{"below", approvals.EvaluationQuery{Before: dry.ID}, []string{second.ID, first.ID}},
	} {
		if got := ids(c.q); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.what, got, c.want)
		}
	}
	p.read(t, func(r approvals.Reader) error {
		days, err := r.SessionDays(p.agent.ID, "s1", nil, 10)
		want := []approvals.SessionDay{
			{Day: day.UTC().Format(time.DateOnly), Evaluations: 1},
			{Day: first.At.UTC().Format(time.DateOnly), Evaluations: 1, Points: 51, Peak: 51, Counts: first.Counts},
		}
		if !reflect.DeepEqual(days, want) {
			t.Errorf("its days are %+v, want %+v", days, want)
		}
		without, errWithout := r.SessionDays(p.agent.ID, "s1", []string{"apr_1"}, 10)
		if !reflect.DeepEqual(without, want[:1]) {
			t.Errorf("without one request its days are %+v", without)
		}
		if err == nil {
			err = errWithout
		}
		return err
	})
	if got := w.beta.evaluations(t, approvals.EvaluationQuery{}); len(got) > 0 {
		t.Errorf("another tenant reads %+v", got)
	}
	if _, err := p.db.Raw.ExecContext(t.Context(), "UPDATE evaluations SET threshold = 100"); err == nil || !strings.Contains(err.Error(), "evaluations do not change") {
		t.Errorf("a record was changed: %v", err)
	}
}

// Sessions that are above are listed while they are, the latest first.
func testSessionsAbove(t *testing.T, w world) {
	p := w.acme
	above := func() (all []string) {
		p.read(t, func(r approvals.Reader) error {
			sessions, err := r.SessionsAbove(time.Unix(0, 0), 10)
			for _, s := range sessions {
				all = append(all, s.Session)
			}
			return err
		})
		return all
	}
	for n, session := range []string{"s1", "s2", "s3"} {
		e, total := p.evaluated(t, func(e *approvals.Evaluation) {
			e.Session, e.At = session, e.At.Add(time.Duration(n)*time.Second)
		})
		total.Above, total.AboveAt = n != 1, e.At
		total.SeenName, total.SeenAt, total.SeenPoints = "Ada", e.At, total.Points
		p.write(t, func(w approvals.Writer) error { return w.MarkSession(total) })
		if got := p.sessionTotal(t, session); got != total {
			t.Errorf("marked as %+v, want %+v", got, total)
		}
	}
	if got := above(); !slices.Equal(got, []string{"s3", "s1"}) {
		t.Errorf("above are %v", got)
	}
	p.evaluated(t, func(e *approvals.Evaluation) { e.At = e.At.Add(time.Minute) }) // counting keeps the mark
	if got := above(); !slices.Equal(got, []string{"s1", "s3"}) {
		t.Errorf("above are %v", got)
	}
	p.read(t, func(r approvals.Reader) error {
		late, err := r.SessionsAbove(r.Now().Add(time.Hour), 10)
		if len(late) > 0 {
			t.Errorf("of late there are %+v", late)
		}
		return err
	})
}

// Whoever counts in one session at the same time counts all of it, and each sees another
// total.
func testSessionsAreCountedAtOnce(t *testing.T, w world) {
	const n = 8
	p := w.acme
	var mu sync.Mutex
	seen := map[int64]bool{}
	var done sync.WaitGroup
	for range n {
		done.Go(func() {
			var total approvals.SessionTotal
			err := p.try(context.WithoutCancel(t.Context()), func(w approvals.Writer) (err error) {
				total, err = w.KeepEvaluation(p.evaluation(w.Now()))
				return err
			})
			mu.Lock()
			defer mu.Unlock()
			if seen[total.Evaluations] = true; err != nil {
				t.Error(err)
			}
		})
	}
	done.Wait()
	if total := p.sessionTotal(t, "s1"); total.Evaluations != n || total.Counts.Low != 4*n || total.Points != 51*n || len(seen) != n {
		t.Errorf("it comes to %+v, and was seen at %v", total, seen)
	}
}

// testEvaluationsAreForgotten deletes what is old, little by little, and nothing else.
func testEvaluationsAreForgotten(t *testing.T, w world) {
	const old, limit = 7, 3
	p := w.acme
	var before time.Time
	for n := range old + 2 {
		e, _ := p.evaluated(t, func(e *approvals.Evaluation) {
			e.Session, e.At = fmt.Sprint(n), e.At.AddDate(0, 0, -40)
			if n >= old {
				e.At = e.At.AddDate(0, 0, 10)
			}
		})
		before = e.At
	}
	w.beta.evaluated(t, func(e *approvals.Evaluation) { e.At = e.At.AddDate(-1, 0, 0) })
	var gone []int
	for forgotten := limit; forgotten > 0; {
		p.write(t, func(w approvals.Writer) (err error) {
			forgotten, err = w.ForgetEvaluations(before.Add(-time.Hour), limit)
			return err
		})
		gone = append(gone, forgotten)
	}
	if !slices.Equal(gone, []int{3, 3, 1, 0}) {
		t.Errorf("%v went at once", gone)
	}
	if left := p.evaluations(t, approvals.EvaluationQuery{}); len(left) != 2 || left[1].Session != fmt.Sprint(old) {
		t.Errorf("left are %+v", left)
	}
	if of := p.sessionTotal(t, "0"); of.Evaluations != 0 {
		t.Errorf("of an old session is left %+v", of)
	}
	if of := p.sessionTotal(t, fmt.Sprint(old)); of.Evaluations != 1 {
		t.Errorf("of another session is left %+v", of)
	}
	if left := w.beta.evaluations(t, approvals.EvaluationQuery{}); len(left) != 1 {
		t.Errorf("of another tenant are left %+v", left)
	}
}
