package lifetest

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/long"
	"github.com/countersign/countersign/internal/scoring"
)

// atOnce lets people approve without reading for a while.
func (h *house) atOnce() {
	h.policy(func(p *scoring.Policy) { p.MinReviewSeconds = scoring.PerLevel[int]{} })
}

func (h *house) withdrawYes(m auth.Member, id string) error {
	return h.WithdrawYes(h.t.Context(), m, id, "wrong cluster")
}

// An unused yes is void when an operator, or whoever gave it, withdraws it; the agent is told why.
func TestWithdrawYes(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *house) {
		h.atOnce()
		a := h.waiting(confirm, scoring.ChallengeConfirm)
		wantFault(t, "before it is approved", h.withdrawYes(h.ada, a.ID), fault.NotApproved)
		v := h.show(h.ada, a.ID)
		offered := func(m auth.Member) bool { v := h.show(m, a.ID); return v.MayWithdraw(m, v.Now) }
		if offered(h.ada) {
			t.Error("a pending request offers it")
		}
		if _, err := h.decide(h.ada, a.ID, form(v)); err != nil {
			t.Fatal(err)
		}
		if !offered(h.ada) || !offered(h.ben) || offered(h.eve) {
			t.Error("want it offered to the operators, and to nobody else")
		}
		wantFault(t, "without a word", h.WithdrawYes(t.Context(), h.ben, a.ID, " \u200b "), fault.InvalidForm)
		wantFault(t, "somebody who is no operator", h.withdrawYes(h.eve, a.ID), fault.Denied)
		if err := h.withdrawYes(h.ben, a.ID); err != nil {
			t.Fatal(err)
		}
		if g := h.get(a.ID).Grant; g.VoidedAt == nil || g.VoidReason != "wrong cluster" || g.ConsumedAt != nil {
			t.Errorf("the grant is %+v", g)
		}
		_, err := h.consume(a, a.Digest, "")
		wantFault(t, "spending it", err, fault.GrantVoid)
		if !strings.Contains(err.Error(), "wrong cluster") {
			t.Errorf("the agent is told %q", err)
		}
		wantFault(t, "once more", h.withdrawYes(h.ada, a.ID), fault.GrantVoid)
		if offered(h.ada) {
			t.Error("it is offered once more")
		}
		h.wantTrail("what was withdrawn", a.ID, audit.Submitted, audit.Viewed, audit.ChallengeIssued, audit.Approved, audit.GrantVoided)

		again := h.submit(confirm)
		if again.Status != approvals.Pending {
			t.Errorf("asked for again it is %s, want pending", again.Status)
		}
	})
}

// A yes of the policy can be withdrawn like one of a person.
func TestWithdrawYesOfThePolicy(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	a := h.submit(harmless)
	if err := h.withdrawYes(h.ada, a.ID); err != nil {
		t.Fatal(err)
	}
	_, err := h.consume(a, a.Digest, "")
	wantFault(t, "spending it", err, fault.GrantVoid)
	h.wantTrail("it", a.ID, audit.Submitted, audit.Approved, audit.GrantVoided)
}

// Who approved can withdraw that when they are no operator any more; who still says that they
// are one, and is none, can't.
func TestWithdrawYesAfterTheRoleIsGone(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.atOnce()
	mine, theirs := h.waiting(confirm, scoring.ChallengeConfirm), h.waiting(confirm, scoring.ChallengeConfirm)
	for m, a := range map[*auth.Member]approvals.Approval{&h.ada: mine, &h.ben: theirs} {
		if _, err := h.decide(*m, a.ID, form(h.show(*m, a.ID))); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := h.rooms().SetRoles(t.Context(), h.eve, h.ada.Person.ID, []auth.Role{auth.Compliance}); err != nil {
		t.Fatal(err)
	}
	wantFault(t, "what another approved", h.withdrawYes(h.ada, theirs.ID), fault.Denied)
	h.ada.Roles = []auth.Role{auth.Compliance}
	if err := h.withdrawYes(h.ada, mine.ID); err != nil {
		t.Errorf("their own: %v", err)
	}
}

// What the decision let through ahead ends with it.
func TestWithdrawYesEndsTheNext(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.atOnce()
	a := h.waiting(confirm, scoring.ChallengeConfirm)
	in := form(h.show(h.ada, a.ID))
	in.Next = 3
	if _, err := h.decide(h.ada, a.ID, in); err != nil {
		t.Fatal(err)
	}
	next := h.submit(confirm)
	if next.Status != approvals.Approved {
		t.Fatalf("the next one is %s", next.Status)
	}
	if err := h.withdrawYes(h.ada, a.ID); err != nil {
		t.Fatal(err)
	}
	h.waiting(confirm, scoring.ChallengeConfirm)
	_, err := h.consume(next, next.Digest, "")
	wantFault(t, "what it let through and was not used", err, fault.GrantVoid)
	h.trail("")
}

// Used and withdrawn at the same moment is one of the two.
func TestWithdrawnOrSpent(t *testing.T) {
	t.Parallel()
	long.Race(t)
	onBoth(t, func(t *testing.T, h *house) {
		for range long.Count(10, 200) {
			a := h.submit(harmless)
			var withdrawn, spent atomic.Bool
			if won := race(t, 2, "", func(_ context.Context, i int) (err error) {
				if i == 0 {
					if err = h.withdrawYes(h.ada, a.ID); fault.Is(err, fault.AlreadyConsumed) {
						return nil
					}
					withdrawn.Store(err == nil)
					return err
				}
				if _, err = h.consume(a, a.Digest, ""); fault.Is(err, fault.GrantVoid) {
					return nil
				}
				spent.Store(err == nil)
				return err
			}); won != 2 {
				t.Fatal("one of them failed")
			}
			g := h.get(a.ID).Grant
			if withdrawn.Load() == spent.Load() || withdrawn.Load() != (g.VoidedAt != nil) || spent.Load() != (g.ConsumedAt != nil) {
				t.Fatalf("withdrawn %v, spent %v, the grant is %+v", withdrawn.Load(), spent.Load(), g)
			}
		}
		h.trail("")
	})
}

// outcome is a request as TestEveryOrder expects it.
type outcome struct {
	status             approvals.Status
	used, void, isOver bool // isOver: the time of the request and of its grant went by
}

// does is what an act makes of an outcome, or the fault that it gets.
func (o *outcome) does(act string) fault.Code {
	switch act {
	case "expire":
		if o.isOver = true; o.status == approvals.Pending {
			o.status = approvals.Expired
		}
		return ""
	case "supersede":
		if o.status == approvals.Pending {
			o.status = approvals.Cancelled
		}
		return ""
	case "approve", "cancel":
		switch {
		case o.status == approvals.Expired:
			return fault.Expired
		case o.status != approvals.Pending:
			return fault.AlreadyDecided
		}
		o.status = map[string]approvals.Status{"approve": approvals.Approved, "cancel": approvals.Cancelled}[act]
		return ""
	}
	switch {
	case o.status != approvals.Approved:
		return fault.NotApproved
	case o.used:
		return fault.AlreadyConsumed
	case o.void:
		return fault.GrantVoid
	case o.isOver:
		return fault.GrantExpired
	}
	o.used, o.void = act == "consume", act == "withdraw"
	return ""
}

// orders are all in which these can come.
func orders(of []string) (all [][]string) {
	if len(of) == 0 {
		return [][]string{nil}
	}
	for i, first := range of {
		var rest []string
		rest = append(append(rest, of[:i]...), of[i+1:]...)
		for _, o := range orders(rest) {
			all = append(all, append([]string{first}, o...))
		}
	}
	return all
}

// TestEveryOrder does approve, withdraw, consume, supersede, expire and cancel in every order: each act is
// answered as the outcome so far says, and what is stored is that outcome. A real clock does not
// jump, so on Postgres nothing expires here; there TestEverybodyRaces lets it.
func TestEveryOrder(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *house) {
		h.policy(func(p *scoring.Policy) { p.NewerEndsOlder, p.MinReviewSeconds = true, scoring.PerLevel[int]{} })
		acts := []string{"approve", "withdraw", "supersede", "consume", "cancel", "consume"}
		if h.clock != nil {
			acts[5] = "expire"
		}
		all := orders(acts)
		for n := 0; n < len(all); n += max(1, len(all)/long.Count(40, len(all))) {
			a := h.waiting(deploys("v41"), scoring.ChallengeConfirm)
			v := h.show(h.ada, a.ID)
			want := outcome{status: approvals.Pending}
			for _, act := range all[n] {
				var err error
				switch act {
				case "approve":
					_, err = h.decide(h.ada, a.ID, form(v))
				case "withdraw":
					err = h.withdrawYes(h.ben, a.ID)
				case "consume":
					_, err = h.consume(a, a.Digest, "")
				case "cancel":
					_, err = h.Cancel(t.Context(), h.agent, a.ID)
				case "supersede":
					h.waiting(deploys("v42"), scoring.ChallengeConfirm)
				case "expire":
					h.clock.advance(time.Hour)
					err = h.Sweep(t.Context())
				}
				if code := want.does(act); code == "" && err != nil || code != "" && !fault.Is(err, code) {
					t.Fatalf("%v: %s: %v, want %q", all[n], act, err, code)
				}
			}
			got := h.get(a.ID)
			used, void := got.Grant != nil && got.Grant.ConsumedAt != nil, got.Grant != nil && got.Grant.VoidedAt != nil
			if got.Status != want.status || used != want.used || void != want.void {
				t.Errorf("%v: it is %s, used %v, void %v; want %+v", all[n], got.Status, used, void, want)
			}
		}
		h.trail("")
	})
}
