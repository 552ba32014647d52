package lifetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/effects"
)

// approves lets n calls of a function be approved by people.
func (h *house) approves(n int, body string) (last approvals.Approval) {
	h.t.Helper()
	for i := range n {
		last = h.waiting(fmt.Sprintf(body, i), scoring.ChallengeConfirm)
		h.yes(h.ada, last, time.Minute)
	}
	return last
}

func (h *house) coach() approvals.Coached {
	h.t.Helper()
	c, err := h.Coach(h.t.Context(), h.ada)
	if err != nil {
		h.t.Fatal(err)
	}
	return c
}

const (
	tag     = `{"function":"update_ticket","arguments":{"ticket_id":%d,"topic":"invoice"}}`
	refunds = `{"function":"create_refund","arguments":{"charge_id":"ch_%d","amount":5,"currency":"EUR"}}`
	noted   = `{"function":"add_note","arguments":{"ticket_id":%d,"text":"seen"}}`
	seen    = `{"function":"mark_ticket_seen","arguments":{"ticket_id":%d,"by":"Mei"}}`
)

// Functions that people approve again and again are suggested; and not one of which
// anything speaks against.
func TestCoach(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.approves(19, tag)
	if c := h.coach(); len(c.Suggestions) != 0 || c.Held != 19 {
		t.Errorf("after 19: %+v", c)
	}
	last := h.approves(1, tag)
	h.approves(20, refunds)
	c := h.coach()
	if len(c.Suggestions) != 1 || c.Held != 40 || c.Saved != 20 {
		t.Fatalf("after 20: %+v", c)
	}
	s := c.Suggestions[0]
	if s.Function != "update_ticket" || s.Newest != last.ID || s.AgentName != h.agent.Name || s.Approved != 20 || s.Held != 20 {
		t.Errorf("it suggests %+v", s)
	}
	if d, err := h.DraftEntry(t.Context(), h.ada, s.Newest); err != nil || !d.Refused.Empty() {
		t.Errorf("and no entry can be made of it: %s, %v", d.Refused, err)
	}
	// Each of these alone takes a suggestion away.
	h.approves(20, noted)
	if c := h.coach(); len(c.Suggestions) != 2 {
		t.Fatalf("two of them: %+v", c)
	}
	h.refuse(h.ben, h.waiting(fmt.Sprintf(noted, 99), scoring.ChallengeConfirm), approvals.VerdictRequestChanges)
	if c := h.coach(); len(c.Suggestions) != 1 || c.Suggestions[0].Function != "update_ticket" {
		t.Errorf("after a change was asked for: %+v", c.Suggestions)
	}
	h.approves(20, seen)
	if c := h.coach(); len(c.Suggestions) != 2 {
		t.Fatalf("two again: %+v", c)
	}
	if err := h.withdrawYes(h.ada, h.approves(1, seen).ID); err != nil {
		t.Fatal(err)
	}
	if c := h.coach(); len(c.Suggestions) != 1 || c.Suggestions[0].Function != "update_ticket" {
		t.Errorf("after one was withdrawn: %+v", c.Suggestions)
	}
	h.ran(h.approves(1, tag), "failed")
	if c := h.coach(); len(c.Suggestions) != 0 {
		t.Errorf("after one failed: %+v", c.Suggestions)
	}
	if _, err := h.Coach(t.Context(), auth.Member{Tenant: "acme"}); !fault.Is(err, fault.Denied) {
		t.Errorf("without a role: %v", err)
	}
	if c, err := h.Coach(t.Context(), auth.Member{Tenant: "beta", Person: h.ada.Person, Roles: auth.Roles()}); err == nil && c.Held != 0 {
		t.Errorf("another organisation: %+v, %v", c, err)
	}
}

// Neither money nor access is suggested, at whatever level people approved it.
func TestCoachSuggestsNothingSerious(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.policy(func(p *scoring.Policy) { p.Challenges.High = scoring.ChallengeConfirm }) // an entry could lower it to MEDIUM
	last := h.approves(20, `{"function":"share_folder","arguments":{"folder_id":"f%d"}}`)
	if last.Assessment.Effects[0].Kind != effects.Permission || !h.show(h.ada, last.ID).Lowerable {
		t.Fatalf("it is %s, %+v", last.Assessment.Level, last.Assessment.Effects)
	}
	if c := h.coach(); len(c.Suggestions) != 0 || c.Held != 20 {
		t.Errorf("it suggests %+v", c)
	}
}

// An incident counts against all of an agent's functions, and time takes nothing back
// within the window.
func TestCoachAfterAnIncident(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.approves(20, tag)
	high := h.waiting(asking, scoring.ChallengeQuiz)
	h.refuse(h.ben, high, approvals.VerdictDeny)
	if c := h.coach(); len(c.Suggestions) != 0 {
		t.Errorf("after an incident: %+v", c.Suggestions)
	}
}
