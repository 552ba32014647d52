package storetest

import (
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
)

// What became of the newest calls is counted by agent and function.
func testHeldCalls(t *testing.T, w world) {
	p := w.acme
	ask := func(function string) approvals.Approval {
		return p.submit(t, func(a *approvals.Approval) { a.Function = function })
	}
	p.called(t, "s1", "tag")
	failed := p.called(t, "s1", "tag")
	p.consume(t, failed)
	p.reports(t, failed, "failed")
	newest := p.called(t, "s2", "tag")
	ask("wait")
	held := func(since, lately time.Duration, calls, groups int) (all []approvals.HeldCalls) {
		if err := w.Store.Approvals().Read(t.Context(), p.tenant, func(r approvals.Reader) (err error) {
			all, err = r.HeldCalls(r.Now().Add(-since), r.Now().Add(-lately), calls, groups)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		return all
	}
	rank := int(newest.Assessment.Level)
	tag := approvals.HeldCalls{Agent: p.agent.ID, Function: "tag", Approved: 3, Against: 1, Held: 3, Highest: rank, Newest: newest.ID}
	wait := approvals.HeldCalls{Agent: p.agent.ID, Function: "wait", Held: 1, Highest: rank}
	same(t, "all", held(24*time.Hour, time.Hour, 100, 10), []approvals.HeldCalls{tag, wait})
	same(t, "of one function", held(24*time.Hour, time.Hour, 100, 1), []approvals.HeldCalls{tag})
	same(t, "of the newest call", held(24*time.Hour, time.Hour, 1, 10), []approvals.HeldCalls{wait})
	same(t, "none since", held(-time.Hour, time.Hour, 100, 10), []approvals.HeldCalls(nil))
	tag.Held, wait.Held = 0, 0
	same(t, "none lately", held(24*time.Hour, -time.Hour, 100, 10), []approvals.HeldCalls{tag, wait})
}

// What an agent asked is counted by function and by what became of it, the most first.
func testAgentCalls(t *testing.T, w world) {
	p := w.acme
	ask := func(function string) approvals.Approval {
		return p.submit(t, func(a *approvals.Approval) { a.Function = function })
	}
	p.called(t, "s1", "tag")
	ask("wait")
	p.called(t, "s2", "tag")
	ask("tag")
	calls := func(agent, function string, since time.Duration, calls, functions int) (all []approvals.AgentCalls) {
		p.read(t, func(r approvals.Reader) (err error) {
			all, err = r.AgentCalls(agent, function, r.Now().Add(-since), calls, functions)
			return err
		})
		return all
	}
	tag, wait := approvals.AgentCalls{Function: "tag", Asked: 3, Approved: 2, Waiting: 1}, approvals.AgentCalls{Function: "wait", Asked: 1, Waiting: 1}
	same(t, "all", calls(p.agent.ID, "", time.Hour, 100, 10), []approvals.AgentCalls{tag, wait})
	same(t, "of one function", calls(p.agent.ID, "wait", time.Hour, 100, 10), []approvals.AgentCalls{wait})
	same(t, "what it asks most", calls(p.agent.ID, "", time.Hour, 100, 1), []approvals.AgentCalls{tag})
	same(t, "of the newest", calls(p.agent.ID, "", time.Hour, 1, 10), []approvals.AgentCalls{{Function: "tag", Asked: 1, Waiting: 1}})
	same(t, "none since", calls(p.agent.ID, "", -time.Hour, 100, 10), []approvals.AgentCalls(nil))
	same(t, "of nobody", calls("agt_no", "", time.Hour, 100, 10), []approvals.AgentCalls(nil))
}
