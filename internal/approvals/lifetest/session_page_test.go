package lifetest

import (
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
)

func (h *house) session(m auth.Member, q approvals.SessionQuery) approvals.SessionPage {
	h.t.Helper()
	q.Agent, q.Session = h.agent.ID, "s1"
	if q.Limit == 0 {
		q.Limit = 50
	}
	p, err := h.Session(h.t.Context(), m, q)
	if err != nil {
		h.t.Fatal(err)
	}
	return p
}

// A session is counted, paged, and kept by whether a person was asked.
func TestSession(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	const read = `{"function":"get_user","arguments":{"user_id":"usr_1"},"session_id":"s1"}`
	began := h.clock.Now()
	through := h.submit(read)
	h.next(h.waiting(setStatus, scoring.ChallengeConfirm), 5)
	granted := h.submit(setStatus)
	waits := h.waiting(refund, scoring.ChallengeConfirm)
	h.submit(harmless) // of no session

	p := h.session(h.ada, approvals.SessionQuery{})
	if p.Counts != (approvals.SessionCounts{Calls: 4, Held: 2, Waiting: 1, Began: began}) || p.Counts.Through() != 2 || p.Counts.Per60() != 30 {
		t.Errorf("it counts %+v", p.Counts)
	}
	if len(p.Calls) != 4 || p.Calls[0].ID != waits.ID || p.Calls[3].ID != through.ID || p.Next != "" || p.Agent.ID != h.agent.ID {
		t.Errorf("its calls are %d, next %q, of %+v", len(p.Calls), p.Next, p.Agent)
	}
	if len(p.Grants) != 1 || p.Grants[0].Left != 4 || p.Grants[0].ID != granted.StandingID() || !p.Void[p.Grants[0].ID].Empty() {
		t.Errorf("its grants are %+v", p.Grants)
	}
	if held := h.session(h.ada, approvals.SessionQuery{Show: approvals.HeldOnly}); len(held.Calls) != 2 || !held.Calls[0].Held() || !held.Calls[1].Held() {
		t.Errorf("held: %d", len(held.Calls))
	}
	if free := h.session(h.ada, approvals.SessionQuery{Show: approvals.ThroughOnly}); len(free.Calls) != 2 || free.Calls[0].ID != granted.ID || free.Calls[0].Held() {
		t.Errorf("let through: %d", len(free.Calls))
	}
	first := h.session(h.ada, approvals.SessionQuery{Limit: 3})
	if rest := h.session(h.ada, approvals.SessionQuery{Limit: 3, Before: first.Next}); first.Next == "" || len(rest.Calls) != 1 || rest.Calls[0].ID != through.ID || rest.Next != "" {
		t.Errorf("the second page has %d, next %q", len(rest.Calls), rest.Next)
	}
	if p.Quiet() {
		t.Error("it is quiet while one waits")
	}
	if _, err := h.Cancel(t.Context(), h.agent, waits.ID); err != nil {
		t.Fatal(err)
	}
	h.clock.advance(2 * time.Hour)
	if p := h.session(h.ada, approvals.SessionQuery{}); !p.Quiet() {
		t.Error("two hours later it is not quiet")
	}
	for _, q := range []approvals.SessionQuery{{Agent: h.agent.ID, Limit: 5}, {Agent: h.agent.ID, Session: "s2", Limit: 5}, {Agent: h.other.ID, Session: "s1", Limit: 5}} {
		_, err := h.Session(t.Context(), h.ada, q)
		wantFault(t, "no such session", err, fault.Missing)
	}
	_, err := h.Session(t.Context(), auth.Member{Tenant: "acme"}, approvals.SessionQuery{Agent: h.agent.ID, Session: "s1", Limit: 5})
	wantFault(t, "without a role", err, fault.Denied)
}

// While questions wait for somebody, a session does not say what people made of its like.
func TestSessionSeals(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	const remove = `{"function":"delete_user","arguments":{"user_id":"usr_1"},"session_id":"s1"}`
	a := h.submit(remove)
	if _, err := h.Decide(t.Context(), h.ada, a.ID, approvals.DecideInput{Verdict: approvals.VerdictDeny, Reason: "no", Digest: a.ShownDigest, Version: a.Version}); err != nil {
		t.Fatal(err)
	}
	if p := h.session(h.ada, approvals.SessionQuery{}); p.Seals(p.Calls[0]) {
		t.Error("nothing waits, and it is sealed")
	}
	h.submit(`{"function":"delete_user","arguments":{"user_id":"usr_2"},"session_id":"s1"}`)
	p := h.session(h.ada, approvals.SessionQuery{})
	if p.Seals(p.Calls[0]) || !p.Seals(p.Calls[1]) {
		t.Errorf("sealed: %v, %v", p.Seals(p.Calls[0]), p.Seals(p.Calls[1]))
	}
	if p := h.session(h.eve, approvals.SessionQuery{}); p.Seals(p.Calls[1]) {
		t.Error("it is sealed for somebody who does not decide")
	}
}
