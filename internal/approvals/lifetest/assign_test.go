package lifetest

import (
	"slices"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/tenants"
)

// An assignment is for somebody who may decide, holds for as long as the request waits,
// is in the trail, and keeps nobody from deciding.
func TestAssign(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	ctx := t.Context()
	a := h.submit(confirm)
	on := func(what, want string, assigned bool) {
		t.Helper()
		c := h.attention(h.ada, "").Claims[a.ID]
		if c.Name != want || (c.By != "") != assigned {
			t.Errorf("%s: %+v, want %q, assigned: %v", what, c, want, assigned)
		}
	}
	assign := func(to, from string) error { return h.Assign(ctx, h.ada, a.ID, to, from) }
	for who, to := range map[string]string{"oneself": h.ada.Person.ID, "a reader": h.eve.Person.ID, "nobody": "per_no"} {
		wantFault(t, who, assign(to, ""), fault.InvalidForm)
	}
	if err := h.Assign(ctx, h.eve, a.ID, h.ben.Person.ID, ""); err == nil {
		t.Error("a reader assigned it")
	}
	on("refused", "", false)
	must(t, assign(h.ben.Person.ID, ""))
	on("assigned", h.ben.Person.Name, true)
	must(t, assign(h.ben.Person.ID, "")) // it is his already
	h.clock.advance(approvals.ClaimFor)
	on("after the time of a claim", h.ben.Person.Name, true)
	wantFault(t, "claimed what is assigned", h.Claim(ctx, h.ada, a.ID, ""), fault.Changed)
	must(t, h.Claim(ctx, h.ben, a.ID, ""))
	on("claimed by whom it was assigned to", h.ben.Person.Name, false)
	must(t, h.Release(ctx, h.ben, a.ID))
	must(t, h.Claim(ctx, h.ada, a.ID, ""))
	wantFault(t, "assigned in place of another one", assign(h.ben.Person.ID, h.eve.Person.ID), fault.Changed)
	must(t, assign(h.ben.Person.ID, h.ada.Person.ID))
	kinds := h.trail(a.ID)
	assigned := 0
	for _, kind := range kinds {
		if kind == audit.Assigned {
			assigned++
		}
	}
	if assigned != 2 {
		t.Errorf("%d assignments in the trail: %v", assigned, kinds)
	}
	h.refuse(h.ada, a, approvals.VerdictDeny) // it is assigned to ben, and ada decides all the same
	on("decided", "", false)
	wantFault(t, "assigned after the decision", assign(h.ben.Person.ID, ""), fault.AlreadyDecided)
}

// Who failed its questions twice is no choice.
func TestAssignToWhoMayDecide(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	ctx := t.Context()
	a := h.waiting(asking, scoring.ChallengeQuiz)
	offered := func() (ids []string) {
		t.Helper()
		v, err := h.Show(ctx, h.ada, a.ID)
		must(t, err)
		for _, p := range v.Assignees {
			ids = append(ids, p.Person)
		}
		return ids
	}
	if !slices.Contains(offered(), h.ben.Person.ID) || slices.Contains(offered(), h.ada.Person.ID) || slices.Contains(offered(), h.eve.Person.ID) {
		t.Errorf("offered: %v", offered())
	}
	for range 2 {
		h.start(h.ben, a.ID)
		_ = h.answer(h.ben, a.ID, 3)
	}
	if slices.Contains(offered(), h.ben.Person.ID) {
		t.Error("somebody who is locked out is offered")
	}
	wantFault(t, "assigned to who is locked out", h.Assign(ctx, h.ada, a.ID, h.ben.Person.ID, ""), fault.InvalidForm)
}

// Who decides what was assigned to somebody who is away decides it in their place: both are in the
// record. It lets nobody decide who couldn't, counts once, and ends with the absence.
func TestDeputy(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *house) {
		ctx := t.Context()
		h.atOnce()
		named := func(m auth.Member) tenants.Named {
			return tenants.Named{ID: m.Person.ID, Name: m.Person.Name}
		}
		set := func(by, who, deputy auth.Member, until time.Time) error {
			return h.people().SetAway(ctx, by, tenants.Absence{Person: named(who), Deputy: named(deputy), Until: until})
		}
		wantFault(t, "an absence of somebody else", set(h.ada, h.ben, h.ada, time.Time{}), fault.Denied)
		wantFault(t, "oneself as a deputy", set(h.ada, h.ada, h.ada, time.Time{}), fault.InvalidForm)
		wantFault(t, "a deputy who can't decide", set(h.ada, h.ada, h.eve, time.Time{}), fault.InvalidForm)
		wantFault(t, "an end before the beginning", set(h.ada, h.ada, h.ben, h.attention(h.ada, "").Now.Add(-time.Hour)), fault.InvalidForm)
		must(t, set(h.ada, h.ada, h.ben, h.attention(h.ada, "").Now.Add(time.Hour)))
		wantFault(t, "a deputy of a deputy", set(h.ben, h.ben, h.ada, time.Time{}), fault.InvalidForm)
		assigned := func() approvals.Approval {
			a := h.waiting(confirm, scoring.ChallengeConfirm)
			must(t, h.Assign(ctx, h.ben, a.ID, h.ada.Person.ID, ""))
			return a
		}
		other, a := h.waiting(confirm, scoring.ChallengeConfirm), assigned()
		decided := func(id, forWhom string) {
			t.Helper()
			_, err := h.decide(h.ben, id, form(h.show(h.ben, id)))
			must(t, err)
			got, err := h.Get(ctx, h.agent, id)
			must(t, err)
			by, told := got.Decision.DecidedBy, ""
			if len(by) == 1 && by[0].For != nil {
				told = by[0].For.Name
			}
			if len(by) != 1 || by[0].ID != h.ben.Person.ID || told != forWhom {
				t.Errorf("decided by %+v for %q, want for %q", by, told, forWhom)
			}
		}
		decided(other.ID, "")
		decided(a.ID, h.ada.Person.Name)
		page, err := h.db.Audit().Search(ctx, "acme", audit.Query{Edge: -1, Limit: 1, Filter: audit.Filter{Kinds: []audit.Kind{audit.Approved}}})
		must(t, err)
		if e := page.Records[0].Event; e.Approval != a.ID || e.Data.Get("for").Text() != h.ada.Person.ID || !slices.Contains(e.People(), h.ada.Person.ID) {
			t.Errorf("the event has %s", e.Data.Canonical())
		}
		must(t, h.people().EndAway(ctx, h.ada, h.ada.Person.ID))
		wantFault(t, "back twice", h.people().EndAway(ctx, h.ada, h.ada.Person.ID), fault.Changed)
		decided(assigned().ID, "")
		h.wantVerified()
	})
}
