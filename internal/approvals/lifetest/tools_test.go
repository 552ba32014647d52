package lifetest

import (
	"testing"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/tenants"
)

// imports makes these the tools of the agent's only server, described so.
func (h *house) imports(name, description string) (all []tenants.Tool) {
	h.t.Helper()
	s := tenants.NewService(tenants.Config{Store: h.db.Tenants()})
	all, _, err := s.ImportToolsFor(h.t.Context(), "acme", h.agent.Name, tenants.ToolImport{
		Server: "frobs", List: []byte(`[{"name":"` + name + `","description":"` + description + `"}]`),
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return all
}

// What was accepted of a tool lets its calls through, for the agent it was imported for,
// and while its server describes it as it did then.
func TestImportedTools(t *testing.T) {
	t.Parallel()
	const frob = `{"function":"frobnicate","arguments":{"id":7}}`
	h := newHouse(t)
	if a := h.submit(frob); a.Status != approvals.Pending || a.Assessment.Inputs.Tool != nil {
		t.Fatalf("before: %s, %+v", a.Status, a.Assessment.Inputs)
	}
	tools := h.imports("frobnicate", "Frobs.")
	held := h.submit(frob)
	if in := held.Assessment.Inputs.Tool; held.Status != approvals.Pending || in == nil || in.SHA256 != tools[0].SHA256 {
		t.Fatalf("imported: %s, %+v", held.Status, in)
	}
	accept := func(p *scoring.Policy) {
		*p = tenants.AcceptTools(*p, h.agent.Name, tools, map[string]effects.Kind{"frobnicate": effects.Read})
	}
	if r := h.replay(10, accept); r.AutoApproved != 2 || r.Moves[level.Medium-level.Low][0] != 2 { // also what was asked before the import
		t.Errorf("replayed: %+v", r)
	}
	h.policy(accept)
	a := h.submit(frob)
	if a.Status != approvals.Approved || a.Assessment.Effects[0].Kind != effects.Read {
		t.Fatalf("accepted: %s, %+v", a.Status, a.Assessment.Effects)
	}
	if d := h.assess(h.agent, frob); d.Status != approvals.Approved {
		t.Errorf("a dry run is %s", d.Status)
	}
	if b, _, err := h.Submit(t.Context(), h.other, approvals.Submission{Action: action(t, frob)}); err != nil || b.Status != approvals.Pending {
		t.Errorf("another agent's is %s, %v", b.Status, err)
	}
	h.imports("frobnicate", "Frobs them all.")
	_, err := h.consume(a, a.Digest, "")
	wantFault(t, "spending after its server changed it", err, fault.StricterNow)
	if b := h.submit(frob); b.Status != approvals.Pending {
		t.Errorf("after its server changed it: %s", b.Status)
	}
	h.imports("frobnicate", "Frobs.")
	if b := h.submit(frob); b.Status != approvals.Approved {
		t.Errorf("described as before: %s", b.Status)
	}
}

// A description alone holds what reads by its name.
func TestAnImportRaises(t *testing.T) {
	t.Parallel()
	const ride = `{"function":"get_ride","arguments":{"id":7}}`
	h := newHouse(t)
	if a := h.submit(ride); a.Status != approvals.Approved {
		t.Fatalf("before: %s", a.Status)
	}
	h.imports("get_ride", "Book a ride.")
	if a := h.submit(ride); a.Assessment.Level != level.High || a.Assessment.Effects[0].Kind != effects.Money {
		t.Errorf("imported: %s, %+v", a.Assessment.Level, a.Assessment.Effects)
	}
}
