package lifetest

import (
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
}

func (h *house) attention(m auth.Member, about string) approvals.Attention {
	h.t.Helper()
	at, err := h.Attention(h.t.Context(), m, about)
	must(h.t, err)
	return at
}

// A snooze is for one person's queue and never longer than the reminder, the end or, of CRITICAL, a
// quarter of an hour allow. It is in no trail, and what it was about waits as before.
func TestSnooze(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	ctx := t.Context()
	h.policy(func(p *scoring.Policy) { p.ExpirySeconds = 36_000 })
	a := h.submit(confirm)
	events, far := len(h.trail(a.ID)), h.clock.Now().AddDate(1, 0, 0)
	queue := func(what string, m auth.Member, rows, aside int) {
		t.Helper()
		page, err := h.Queue(ctx, m, approvals.QueueQuery{Limit: 10})
		must(t, err)
		if len(page.Lines) != rows || len(page.Snoozed) != aside || page.Total != rows+aside {
			t.Errorf("%s: %d rows, %d aside, %d in all; want %d and %d", what, len(page.Lines), len(page.Snoozed), page.Total, rows, aside)
		}
	}
	must(t, h.Snooze(ctx, h.ada, a.ID, far))
	queue("who snoozed it", h.ada, 0, 1)
	queue("a colleague", h.ben, 1, 0)
	if got := h.attention(h.ada, "").Snoozes[a.ID][h.ada.Person.ID]; !got.Equal(a.CreatedAt.Add(450 * time.Minute)) {
		t.Errorf("it is back at %s, want the reminder after three quarters of ten hours", got)
	}
	if got := len(h.trail(a.ID)); got != events {
		t.Errorf("%d events of a snooze", got-events)
	}
	must(t, h.Wake(ctx, h.ada, a.ID))
	queue("woken", h.ada, 1, 0)
	must(t, h.Snooze(ctx, h.ada, a.ID, far))
	must(t, h.Ask(ctx, h.ben, a.ID, "Why?"))
	queue("after a question", h.ada, 1, 0)
	h.clock.advance(9 * time.Hour) // past the reminder
	must(t, h.Snooze(ctx, h.ada, a.ID, far))
	h.clock.advance(49 * time.Minute)
	queue("until ten minutes before the end", h.ada, 0, 1)
	h.clock.advance(time.Minute)
	queue("and no longer", h.ada, 1, 0)
	h.clock.advance(9*time.Minute + 30*time.Second)
	wantFault(t, "so shortly before its end", h.Snooze(ctx, h.ada, a.ID, far), fault.Changed)
	h.clock.advance(time.Minute)
	must(t, h.Sweep(ctx))
	h.status("nobody decided", a.ID, approvals.Expired)

	c := h.submit(explicit)
	must(t, h.Snooze(ctx, h.ada, c.ID, far))
	h.clock.advance(15 * time.Minute)
	queue("CRITICAL", h.ada, 1, 0)
}

// A look counts 45 seconds by the database's clock, is renewed, has five seconds of
// grace when its page closes, and ends with the decision. It is in no trail.
func TestLooks(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	ctx := t.Context()
	a := h.submit(confirm)
	events := len(h.trail(a.ID))
	looking := func(what string, want ...string) {
		t.Helper()
		var got []string
		for _, l := range h.attention(h.ben, "").Looks[a.ID] {
			got = append(got, l.Name)
		}
		if len(got) != len(want) || len(got) > 0 && got[0] != want[0] {
			t.Errorf("%s: %q look, want %q", what, got, want)
		}
	}
	must(t, h.Look(ctx, h.ada, a.ID))
	looking("at once", h.ada.Person.Name)
	h.clock.advance(approvals.LookAgain)
	must(t, h.Look(ctx, h.ada, a.ID))
	h.clock.advance(approvals.LookFor - time.Microsecond)
	looking("renewed", h.ada.Person.Name)
	h.clock.advance(time.Microsecond)
	looking("after its time")
	must(t, h.Look(ctx, h.ada, a.ID))
	must(t, h.LookAway(ctx, h.ada, a.ID))
	looking("just closed", h.ada.Person.Name)
	h.clock.advance(approvals.LookGrace)
	looking("closed")
	must(t, h.Look(ctx, h.ada, a.ID))
	if got := len(h.trail(a.ID)); got != events {
		t.Errorf("%d events of looks", got-events)
	}
	h.refuse(h.ben, a, approvals.VerdictDeny)
	looking("decided")
	must(t, h.Look(ctx, h.ada, a.ID))
	looking("opened after the decision")
	wantFault(t, "a look at nothing", h.Look(ctx, h.ada, "apr_no"), fault.Missing)
	nobody := h.ada
	nobody.Roles = nil
	wantFault(t, "a look without the right", h.Look(ctx, nobody, a.ID), fault.Denied)
	if _, err := h.Attention(ctx, nobody, ""); !fault.Is(err, fault.Denied) {
		t.Errorf("who looks, without the right: %v", err)
	}
}

// A claim holds for ten minutes, is taken over by name only, is in the trail, and
// hinders nobody.
func TestClaims(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	ctx := t.Context()
	a, _, err := h.Submit(ctx, h.agent, approvals.Submission{Action: action(t, confirm), ExpiresIn: 3600})
	must(t, err)
	on := func(what, want string) {
		t.Helper()
		if got := h.attention(h.ada, "").Claims[a.ID].Name; got != want {
			t.Errorf("%s: %q is on it, want %q", what, got, want)
		}
	}
	kinds := func() (n [2]int) {
		for _, kind := range h.trail(a.ID) {
			switch kind {
			case audit.Claimed:
				n[0]++
			case audit.Released:
				n[1]++
			}
		}
		return n
	}
	for who, m := range map[string]auth.Member{"ada": h.ada, "eve": h.eve} {
		if got, want := h.attention(m, a.ID).MayClaim, who == "ada"; got != want {
			t.Errorf("%s may claim: %v", who, got)
		}
	}
	if err := h.Claim(ctx, h.eve, a.ID, ""); err == nil {
		t.Error("somebody who may not decide claimed it")
	}
	must(t, h.Claim(ctx, h.ada, a.ID, ""))
	on("claimed", h.ada.Person.Name)
	must(t, h.Claim(ctx, h.ada, a.ID, "")) // again at once: nothing to write
	if got := kinds(); got != [2]int{1, 0} {
		t.Errorf("%v events", got)
	}
	wantFault(t, "claimed what ada is on", h.Claim(ctx, h.ben, a.ID, ""), fault.Changed)
	must(t, h.Claim(ctx, h.ben, a.ID, h.ada.Person.ID))
	on("taken over", h.ben.Person.Name)
	wantFault(t, "taken over from who is not on it", h.Claim(ctx, h.ada, a.ID, h.eve.Person.ID), fault.Changed)
	must(t, h.Release(ctx, h.ada, a.ID))
	on("released by another one", h.ben.Person.Name)
	h.clock.advance(approvals.ClaimFor / 2)
	must(t, h.Claim(ctx, h.ben, a.ID, ""))
	h.clock.advance(approvals.ClaimFor - time.Microsecond)
	on("renewed", h.ben.Person.Name)
	h.clock.advance(time.Microsecond)
	on("after its time", "")
	wantFault(t, "taken over from nobody", h.Claim(ctx, h.ada, a.ID, h.ben.Person.ID), fault.Changed)
	must(t, h.Claim(ctx, h.ben, a.ID, ""))
	must(t, h.Release(ctx, h.ben, a.ID))
	must(t, h.Release(ctx, h.ben, a.ID))
	on("released", "")
	if got := kinds(); got != [2]int{4, 1} {
		t.Errorf("%v events", got)
	}
	must(t, h.Claim(ctx, h.ben, a.ID, ""))
	h.refuse(h.ada, a, approvals.VerdictDeny) // ben is on it, and ada decides all the same
	on("decided", "")
	wantFault(t, "claimed after the decision", h.Claim(ctx, h.ada, a.ID, ""), fault.AlreadyDecided)
	if h.attention(h.ada, a.ID).MayClaim {
		t.Error("what is decided may be claimed")
	}
}
