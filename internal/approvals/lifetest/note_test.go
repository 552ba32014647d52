package lifetest

import (
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
)

// A yes can come with a note: the agent receives it, the trail keeps it, and no secret is in it.
func TestNote(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *house) {
		h.atOnce()
		a := h.waiting(confirm, scoring.ChallengeConfirm)
		in := form(h.show(h.ada, a.ID))
		for _, bad := range []string{strings.Repeat("x", 2001), "\u200b", "\xff"} {
			in.Reason = bad
			_, err := h.decide(h.ada, a.ID, in)
			wantFault(t, "a note that can't be read", err, fault.InvalidForm)
		}
		in.Reason = " only today, with ghp_abcdefghijklmnopqrstuvwxyz0123456789 "
		if _, err := h.decide(h.ada, a.ID, in); err != nil {
			t.Fatal(err)
		}
		d := h.get(a.ID).Decision
		if !strings.HasPrefix(d.Reason, "only today, with ") || strings.Contains(d.Reason, "ghp_") || strings.HasSuffix(d.Reason, " ") {
			t.Errorf("the note is %q", d.Reason)
		}
		if said := h.data(a.ID, audit.Approved, "reason"); said != d.Reason {
			t.Errorf("the trail says %q", said)
		}
		h.trail("")
	})
}

// Where the policy asks for a note, there is no approval without one.
func TestNoteIsRequired(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.atOnce()
	h.policy(func(p *scoring.Policy) { p.NoteRequired.Medium = true })
	a := h.waiting(confirm, scoring.ChallengeConfirm)
	v := h.show(h.ada, a.ID)
	if !v.NoteRequired {
		t.Error("the page doesn't know")
	}
	in := form(v)
	_, err := h.decide(h.ada, a.ID, in)
	if f := fault.As(err); f.Code != fault.InvalidForm || f.Member != "reason" {
		t.Fatalf("without a note: %v", err)
	}
	h.status("it", a.ID, approvals.Pending)
	in.Reason = "agreed with the team"
	if _, err := h.decide(h.ada, a.ID, in); err != nil {
		t.Fatal(err)
	}
	h.status("with a note it", a.ID, approvals.Approved)
}

// Of several who approve, the agent receives the last note, and the trail has all.
func TestNotesOfSeveral(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.atOnce()
	h.policy(func(p *scoring.Policy) { p.ApprovalsRequired.Medium = 2 })
	a := h.waiting(confirm, scoring.ChallengeConfirm)
	for _, one := range []struct {
		who  *auth.Member
		note string
	}{{&h.ada, "first"}, {&h.ben, "second"}} {
		in := form(h.show(*one.who, a.ID))
		in.Reason = one.note
		if _, err := h.decide(*one.who, a.ID, in); err != nil {
			t.Fatal(err)
		}
	}
	if d := h.get(a.ID).Decision; d.Reason != "second" || h.data(a.ID, audit.Signed, "reason") == "" || h.data(a.ID, audit.Approved, "reason") != "second" {
		t.Errorf("the decision is %+v", d)
	}
	h.trail("")
}
