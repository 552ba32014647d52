package lifetest

import (
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/tenants"
)

const updating = `{"function":"update_record","arguments":{"id":7}}`

func (h *house) bind(environment string) {
	h.t.Helper()
	if err := h.db.Tenants().Write(h.t.Context(), "acme", func(w tenants.Writer) error {
		if err := w.BindAgent(h.agent.ID, tenants.Bound{Environment: environment}); err != nil {
			return err
		}
		return w.Append(audit.Event{Kind: audit.AgentBound, Actor: audit.Actor{Kind: "system"}, Agent: h.agent.ID, Data: canon.Object(canon.Member{Name: "environment", Value: canon.String(environment)})})
	}); err != nil {
		h.t.Fatal(err)
	}
}

// What a binding let through is not spent once it has ended.
func TestABindingThatEnded(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.bind("staging")
	a := h.submit(updating)
	if a.Status != approvals.Approved || h.get(a.ID).Assessment.Inputs.Environment != "staging" || !a.Assessment.Inputs.At.Equal(a.CreatedAt) || a.Assessment.Inputs.Agent != h.agent.Name {
		t.Fatalf("it is %s: %+v", a.Status, a.Assessment.Inputs)
	}
	if d := h.assess(h.agent, updating); d.Status != approvals.Approved {
		t.Errorf("a dry run is %s", d.Status)
	}
	if r := h.replay(10, nil); r.Moves[0][0] != 1 {
		t.Errorf("replayed: %+v", r.Moves)
	}
	h.bind("")
	_, err := h.consume(a, a.Digest, "")
	wantFault(t, "spending", err, fault.StricterNow)
	wantDetail(t, err, "the agent is no longer bound to the environment staging")
	if b := h.submit(updating); b.Status != approvals.Pending || b.Assessment.Inputs.Environment != "" {
		t.Errorf("it is %s: %+v", b.Status, b.Assessment.Inputs)
	}
}

// What an entry of the registry let through is not spent once the entry has ended.
func TestAnEntryThatEnded(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.policy(func(p *scoring.Policy) {
		p.Functions = []scoring.Function{{Glob: "update_*", LowerTo: level.Low, Agent: h.agent.Name, Until: h.clock.Now().Add(time.Minute).Format(time.RFC3339)}}
	})
	a := h.submit(updating)
	if a.Status != approvals.Approved || a.Assessment.Floor.Entry == "" {
		t.Fatalf("it is %s: %+v", a.Status, a.Assessment.Floor)
	}
	if b, _, err := h.Submit(t.Context(), h.other, approvals.Submission{Action: action(t, updating)}); err != nil || b.Status != approvals.Pending {
		t.Errorf("another agent's is %s, %v", b.Status, err)
	}
	h.clock.advance(2 * time.Minute)
	_, err := h.consume(a, a.Digest, "")
	wantFault(t, "spending", err, fault.StricterNow)
	wantDetail(t, err, " ended")
	if b := h.submit(updating); b.Status != approvals.Pending {
		t.Errorf("it is %s", b.Status)
	}
}

// wantDetail wants that a fault says so.
func wantDetail(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("the refusal is %v, want %q in it", err, want)
	}
}
