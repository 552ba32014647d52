package lifetest

import (
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/scoring"
)

// asks submits as the agent does that attaches, and says whether something new was made.
func (h *house) asks(body string, attach bool) (approvals.Approval, bool) {
	h.t.Helper()
	a, created, err := h.Submit(h.t.Context(), h.agent, approvals.Submission{Action: action(h.t, body), Attach: attach})
	if err != nil {
		h.t.Fatal(err)
	}
	return a, created
}

const (
	sets      = `{"function":"set_status","arguments":{"order":"1"},"session_id":"s1"}`
	setsCall1 = `{"function":"set_status","arguments":{"order":"1"},"session_id":"s1","tool_call_id":"c1"}`
	setsCall2 = `{"function":"set_status","arguments":{"order":"1"},"session_id":"s1","tool_call_id":"c2"}`
)

// A retry finds the question that was asked before, and nothing else does.
func TestAttach(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		first, second string
		attach        bool
		between       func(h *house, first approvals.Approval)
		same          bool
	}{
		"the same tool call":          {first: setsCall1, second: setsCall1, same: true},
		"another tool call":           {first: setsCall1, second: setsCall2},
		"another tool call that asks": {first: setsCall1, second: setsCall2, attach: true, same: true},
		"without ids":                 {first: sets, second: sets},
		"without ids, asking":         {first: sets, second: sets, attach: true, same: true},
		"another act":                 {first: setsCall1, second: `{"function":"set_status","arguments":{"order":"2"},"session_id":"s1","tool_call_id":"c1"}`, attach: true},
		"another environment":         {first: setsCall1, second: `{"function":"set_status","arguments":{"order":"1"},"environment":"production","session_id":"s1","tool_call_id":"c1"}`, attach: true},
		"another session":             {first: setsCall1, second: `{"function":"set_status","arguments":{"order":"1"},"session_id":"s2","tool_call_id":"c1"}`, attach: true},
		"no session":                  {first: `{"function":"set_status","arguments":{"order":"1"},"tool_call_id":"c1"}`, second: `{"function":"set_status","arguments":{"order":"1"},"tool_call_id":"c1"}`, attach: true},
		"treated more strictly by now": {first: setsCall1, second: setsCall1, attach: true, between: func(h *house, _ approvals.Approval) {
			h.policy(func(p *scoring.Policy) { p.ApprovalsRequired.Medium = 2 })
		}},
		"somebody waits on the first":       {first: setsCall1, second: setsCall2, attach: true, between: func(h *house, a approvals.Approval) { h.waitUntil(a.ID, time.Minute) }},
		"the same call while a wait lasts":  {first: setsCall1, second: setsCall1, between: func(h *house, a approvals.Approval) { h.waitUntil(a.ID, time.Minute) }, same: true},
		"whoever waited has left":           {first: setsCall1, second: setsCall2, attach: true, between: func(h *house, a approvals.Approval) { h.waitUntil(a.ID, 0) }, same: true},
		"approved and not spent":            {first: setsCall1, second: setsCall2, attach: true, between: func(h *house, a approvals.Approval) { h.yes(h.ben, a, time.Minute) }, same: true},
		"approved and spent":                {first: setsCall1, second: setsCall1, attach: true, between: func(h *house, a approvals.Approval) { h.yes(h.ben, a, time.Minute); h.ran(a, "succeeded") }},
		"approved, and the grant is over":   {first: setsCall1, second: setsCall1, attach: true, between: func(h *house, a approvals.Approval) { h.yes(h.ben, a, time.Minute); h.clock.advance(time.Hour) }},
		"denied":                            {first: setsCall1, second: setsCall1, attach: true, between: func(h *house, a approvals.Approval) { h.refuse(h.ben, a, approvals.VerdictDeny) }},
		"its time is over and nobody swept": {first: setsCall1, second: setsCall1, attach: true, between: func(h *house, _ approvals.Approval) { h.clock.advance(24 * time.Hour) }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t)
			first, created := h.asks(c.first, c.attach)
			if !created || first.Status != approvals.Pending {
				t.Fatalf("the first is %s, created %t", first.Status, created)
			}
			if c.between != nil {
				c.between(h, first)
			}
			second, created := h.asks(c.second, c.attach)
			if (second.ID == first.ID) != c.same || created == c.same {
				t.Errorf("the second is %s and the first %s, created %t; want the same: %t", second.ID, first.ID, created, c.same)
			}
		})
	}
}

// Another agent's question is nobody's to attach to.
func TestAttachIsForTheAgentItself(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	first, _ := h.asks(setsCall1, true)
	other, created, err := h.Submit(t.Context(), h.other, approvals.Submission{Action: action(t, setsCall1), Attach: true})
	if err != nil || !created || other.ID == first.ID {
		t.Errorf("the other agent has %s, created %t, %v", other.ID, created, err)
	}
}

// What the policy approves by itself is spent where it is stored, once; what is held is not.
func TestSubmitAndConsume(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	sub := approvals.Submission{Action: action(t, harmless), Consume: true, IdempotencyKey: "k1"}
	a, _, err := h.Submit(t.Context(), h.agent, sub)
	if err != nil || a.Status != approvals.Approved || a.Grant.ConsumedAt == nil {
		t.Fatalf("%s, %+v, %v", a.Status, a.Grant, err)
	}
	h.wantTrail("spent at once", a.ID, audit.Submitted, audit.Approved, audit.GrantConsumed)
	h.wantVerified()
	again, created, err := h.Submit(t.Context(), h.agent, sub)
	if err != nil || created || again.ID != a.ID || again.Grant.ConsumedAt == nil {
		t.Errorf("the same again: %s, created %t, %v", again.ID, created, err)
	}
	if spent, err := h.Consume(t.Context(), h.agent, a.ID, a.Digest, "k1"); err != nil || !spent.Replayed {
		t.Errorf("consuming it with the key of the submission: %+v, %v", spent, err)
	}
	if _, err := h.consume(a, a.Digest, "k2"); err == nil {
		t.Error("it was spent twice")
	}
	held, _, err := h.Submit(t.Context(), h.agent, approvals.Submission{Action: action(t, sets), Consume: true})
	if err != nil || held.Status != approvals.Pending || held.Grant != nil {
		t.Errorf("a held one: %s, %+v, %v", held.Status, held.Grant, err)
	}
}

// waitUntil notes that the agent waits for so long.
func (h *house) waitUntil(id string, d time.Duration) {
	h.t.Helper()
	err := h.db.Approvals().Write(h.t.Context(), "acme", func(w approvals.Writer) error { return w.WaitUntil(id, w.Now().Add(d)) })
	if err != nil {
		h.t.Fatal(err)
	}
}
