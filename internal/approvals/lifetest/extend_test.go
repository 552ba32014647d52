package lifetest

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/long"
	"github.com/countersign/countersign/internal/scoring"
)

// A request gets more time once, from an operator, with a reason; it is as pending as before.
func TestExtend(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	ctx := t.Context()
	a, _, err := h.Submit(ctx, h.agent, approvals.Submission{Action: action(t, confirm), ExpiresIn: 100})
	must(t, err)
	in := approvals.ExtendInput{Seconds: 900, Reason: " asking the owner "}
	for what, bad := range map[string]approvals.ExtendInput{
		"no reason": {Seconds: 900}, "an invisible reason": {Seconds: 900, Reason: "\u200b"}, "too long a reason": {Seconds: 900, Reason: strings.Repeat("é", 2001)},
		"too short": {Seconds: 59, Reason: "x"}, "longer than the policy's time": {Seconds: 901, Reason: "x"}, "backwards": {Seconds: -900, Reason: "x"},
	} {
		wantFault(t, what, h.Extend(ctx, h.ada, a.ID, bad), fault.InvalidForm)
	}
	wantFault(t, "by somebody who is no operator", h.Extend(ctx, h.eve, a.ID, in), fault.NotEligible)
	wantFault(t, "of nothing", h.Extend(ctx, h.ada, "apr_no", in), fault.Missing)
	watch := h.hub.WatchID("acme", a.ID)
	defer watch.Close()
	must(t, h.Extend(ctx, h.ada, a.ID, in))
	select {
	case <-watch.C():
	default:
		t.Error("nobody was told")
	}
	wantFault(t, "a second time", h.Extend(ctx, h.ben, a.ID, in), fault.Changed)
	got := h.get(a.ID)
	e := got.Extension
	if e == nil || !got.ExpiresAt.Equal(a.ExpiresAt.Add(15*time.Minute)) || !e.Was.Equal(a.ExpiresAt) || !e.Until.Equal(got.ExpiresAt) ||
		e.Reason != "asking the owner" || e.Person != h.ada.Person.ID || got.Status != approvals.Pending || got.Version != a.Version {
		t.Fatalf("extended as %+v, it is %s until %s", e, got.Status, got.ExpiresAt)
	}
	page, _, err := h.List(ctx, h.agent, approvals.Filter{})
	must(t, err)
	if v := page[0]; v.Extension == nil || *v.Extension != *e || !v.ExpiresAt.Equal(got.ExpiresAt) {
		t.Errorf("its agent is told %+v until %s", v.Extension, v.ExpiresAt)
	}
	h.clock.advance(100 * time.Second) // when it would have expired
	must(t, h.Sweep(ctx))
	h.status("after its first time", a.ID, approvals.Pending)
	h.clock.advance(900 * time.Second)
	must(t, h.Sweep(ctx))
	h.status("after its second time", a.ID, approvals.Expired)
	h.wantTrail("extended", a.ID, audit.Submitted, audit.Extended, audit.Expired)
	wantFault(t, "when it is over", h.Extend(ctx, h.ada, a.ID, in), fault.Expired)
}

// Where only working hours count, a request of a Sunday ends on Monday, and so does its extension.
func TestOnlyWorkingHoursCount(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.policy(func(p *scoring.Policy) { p.WorkingHours.Enabled = true })
	a, _, err := h.Submit(t.Context(), h.agent, approvals.Submission{Action: action(t, confirm), ExpiresIn: 100})
	must(t, err)
	opens := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	if got := h.get(a.ID).ExpiresAt; !got.Equal(opens.Add(100 * time.Second)) {
		t.Errorf("it ends at %s, want 100 s after %s", got, opens)
	}
	if v, err := h.Show(t.Context(), h.ada, a.ID); err != nil || !v.HoursOnly {
		t.Errorf("its page doesn't say so: %v", err)
	}
	h.clock.advance(opens.Sub(h.clock.Now()) + 99*time.Second)
	must(t, h.Sweep(t.Context()))
	h.status("a second before", a.ID, approvals.Pending)
	must(t, h.Extend(t.Context(), h.ada, a.ID, approvals.ExtendInput{Seconds: 900, Reason: "x"}))
	b, _, err := h.Submit(t.Context(), h.agent, approvals.Submission{Action: action(t, confirm), ExpiresIn: 100})
	must(t, err)
	if v, err := h.Show(t.Context(), h.ada, b.ID); err != nil || v.HoursOnly {
		t.Errorf("all of its time counts, and its page says otherwise: %v", err)
	}
	h.clock.advance(901 * time.Second)
	must(t, h.Sweep(t.Context()))
	h.status("after the extension", a.ID, approvals.Expired)
}

// Of those who extend, and the sweeper, one is first: the database says who.
func TestExtendRaces(t *testing.T) {
	t.Parallel()
	long.Race(t)
	h := newHouse(t)
	a, _, err := h.Submit(t.Context(), h.agent, approvals.Submission{Action: action(t, confirm), ExpiresIn: 100})
	must(t, err)
	in := approvals.ExtendInput{Seconds: 60, Reason: "x"}
	if won := race(t, 8, fault.Changed, func(ctx context.Context, _ int) error { return h.Extend(ctx, h.ada, a.ID, in) }); won != 1 {
		t.Errorf("%d extended it", won)
	}
	b, _, err := h.Submit(t.Context(), h.agent, approvals.Submission{Action: action(t, confirm), ExpiresIn: 10})
	must(t, err)
	h.clock.advance(10 * time.Second)
	won := race(t, 8, fault.Expired, func(ctx context.Context, n int) error {
		if n%2 == 0 {
			return h.Sweep(ctx)
		}
		return h.Extend(ctx, h.ben, b.ID, in)
	})
	if won != 4 {
		t.Errorf("%d ended well; the four sweepers do", won)
	}
	h.status("too late", b.ID, approvals.Expired)
}

// Neither the time nor the reason can be changed past the trail.
func TestVerifyHoldsExtensionsAgainstTheTrail(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ edit, says string }{
		"another reason": {"DROP TRIGGER extensions_no_update; UPDATE extensions SET reason = 'forged'", "extensions_no_update"},
		"longer still":   {"UPDATE approvals SET expires_at = '2030-01-01 00:00:00+00:00', extended = 1 WHERE extended = 0", "expiry"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t)
			a := h.submit(confirm)
			if name == "another reason" {
				must(t, h.Extend(t.Context(), h.ada, a.ID, approvals.ExtendInput{Seconds: 60, Reason: "x"}))
			}
			r, err := h.db.Audit().Verify(t.Context(), "acme")
			if err != nil || !r.OK {
				t.Fatalf("%+v, %v", r, err)
			}
			for _, s := range strings.Split(c.edit, "; ") {
				if _, err := h.raw.ExecContext(t.Context(), s); err != nil {
					t.Fatal(err)
				}
			}
			if r, err = h.db.Audit().Verify(t.Context(), "acme"); err != nil || r.OK || !strings.Contains(r.Problem, c.says) {
				t.Errorf("%+v, %v", r, err)
			}
		})
	}
}

// The database itself refuses a second extension, and one backwards.
func TestTheDatabaseExtendsOnce(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	a := h.submit(confirm)
	must(t, h.Extend(t.Context(), h.ada, a.ID, approvals.ExtendInput{Seconds: 60, Reason: "x"}))
	h.submit(confirm)
	for _, s := range []string{
		"UPDATE approvals SET expires_at = '2030-01-01 00:00:00+00:00' WHERE extended = 1",
		"UPDATE approvals SET expires_at = '2030-01-01 00:00:00+00:00', extended = 0 WHERE extended = 1",
		"UPDATE approvals SET expires_at = '2020-01-01 00:00:00+00:00', extended = 1 WHERE extended = 0",
		"UPDATE approvals SET expires_at = '2030-01-01 00:00:00+00:00' WHERE extended = 0",
		"DELETE FROM extensions", "UPDATE extensions SET reason = 'y'", "REPLACE INTO extensions SELECT * FROM extensions",
	} {
		if _, err := h.raw.ExecContext(t.Context(), s); err == nil {
			t.Errorf("%s: done", s)
		}
	}
	if got := h.get(a.ID); got.Extension == nil || got.Extension.Reason != "x" {
		t.Errorf("%+v", got.Extension)
	}
}
