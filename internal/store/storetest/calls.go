package storetest

import (
	"context"
	"errors"
	"testing"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
)

// called stores an approved call of a function in a session. Nobody spent it yet.
func (p place) called(t *testing.T, session, function string) approvals.Approval {
	t.Helper()
	return p.approve(t, p.submit(t, func(a *approvals.Approval) { a.Session, a.Function = session, function }))
}

func (p place) consume(t *testing.T, a approvals.Approval) {
	t.Helper()
	p.write(t, func(w approvals.Writer) error {
		if err := w.Consume(a.ID, ""); err != nil {
			return err
		}
		return w.Append(about(a, audit.GrantConsumed))
	})
}

func (p place) reports(t *testing.T, a approvals.Approval, status string) {
	t.Helper()
	p.write(t, func(w approvals.Writer) error {
		if err := w.Report(a.ID, approvals.Execution{Status: status, ReportedAt: w.Now()}); err != nil {
			return err
		}
		e := about(a, audit.Reported)
		e.Data = canon.Object(canon.Member{Name: "status", Value: canon.String(status)})
		return w.Append(e)
	})
}

// wantCalls asks twice: asking counts nothing.
func (p place) wantCalls(t *testing.T, what, session, function string, want int) {
	t.Helper()
	for range 2 {
		p.read(t, func(r approvals.Reader) error {
			n, err := r.Calls(p.agent.ID, session, function)
			if n != want {
				t.Errorf("%s: of %s %d calls of %q are counted in the session %q, want %d", what, p.tenant, n, function, session, want)
			}
			return err
		})
	}
}

// A call counts once its grant was spent, until it is reported failed.
func testCallCounts(t *testing.T, w world) {
	p := w.acme
	p.submit(t, func(a *approvals.Approval) { a.Session, a.Function = "s", "f" })
	p.deny(t, p.submit(t, func(a *approvals.Approval) { a.Session, a.Function = "s", "f" }), "no")
	first, second, none := p.called(t, "s", "f"), p.called(t, "s", "f"), p.called(t, "", "f")
	p.wantCalls(t, "asked, denied and approved", "s", "f", 0)
	for _, a := range []approvals.Approval{first, second, none, p.called(t, "s", "g"), p.called(t, "s2", "f")} {
		p.consume(t, a)
	}
	p.wantCalls(t, "spent twice", "s", "f", 2)
	p.wantCalls(t, "of another function", "s", "g", 1)
	p.wantCalls(t, "in another session", "s2", "f", 1)
	p.wantCalls(t, "without a session", "", "f", 0)
	w.beta.wantCalls(t, "of another tenant", "s", "f", 0)
	p.reports(t, first, "succeeded")
	p.wantCalls(t, "succeeded", "s", "f", 2)
	p.reports(t, second, "failed")
	p.wantCalls(t, "one failed", "s", "f", 1)
	p.reports(t, none, "failed")

	third, stop := p.called(t, "s", "f"), errors.New("stop")
	_ = p.try(t.Context(), func(tx approvals.Writer) error { return errors.Join(tx.Consume(third.ID, ""), stop) })
	p.wantCalls(t, "a consumption that was rolled back", "s", "f", 1)
	all := []approvals.Approval{third}
	for range 7 {
		all = append(all, p.called(t, "s", "f"))
	}
	n := race(t, 16, fault.AlreadyConsumed, func(ctx context.Context, i int) error {
		return p.try(ctx, func(tx approvals.Writer) error {
			if err := tx.Consume(all[i/2].ID, ""); err != nil {
				return err
			}
			return tx.Append(about(all[i/2], audit.GrantConsumed))
		})
	})
	p.wantCalls(t, "eight at once, each twice", "s", "f", 1+n)
	if r, err := w.Store.Audit().Verify(t.Context(), p.tenant); err != nil || !r.OK || n != len(all) {
		t.Errorf("%d were spent, and the counts do not hold: %+v, %v", n, r, err)
	}
}

// Who makes an agent's calls look familiar by hand is found.
func testCallCountsHold(t *testing.T, w world) {
	p := w.acme
	p.consume(t, p.called(t, "s", "f"))
	undo := w.keep(t, "call_counts")
	for what, edit := range map[string]string{
		"a higher count":   "UPDATE call_counts SET calls = 9",
		"no count":         "DELETE FROM call_counts",
		"an invented one":  "INSERT INTO call_counts SELECT tenant_id, agent_id, session_id, 'g', 9 FROM call_counts",
		"another session":  "UPDATE call_counts SET session_id = 's2'",
		"another function": "UPDATE call_counts SET function = 'g'",
	} {
		w.mustRaw(t, "%s", edit)
		if r, err := w.Store.Audit().Verify(t.Context(), p.tenant); err != nil || r.OK {
			t.Errorf("%s is not found: %+v, %v", what, r, err)
		}
		undo(t)
	}
	if r, err := w.Store.Audit().Verify(t.Context(), p.tenant); err != nil || !r.OK {
		t.Errorf("every edit was taken back, and still: %+v, %v", r, err)
	}
}
