package lifetest

import (
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/level"
)

func (h *house) entry(m auth.Member, in approvals.NewEntry) approvals.EntryDraft {
	h.t.Helper()
	d, err := h.Entry(h.t.Context(), m, in)
	if err != nil {
		h.t.Fatal(err)
	}
	return d
}

// By default it is for this agent and exactly this call; what is chosen wider is wider.
func TestEntryFromACall(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	a := h.waiting(setStatus, scoring.ChallengeConfirm)
	if !h.show(h.ada, a.ID).Lowerable {
		t.Error("the page does not offer it")
	}
	d, err := h.DraftEntry(t.Context(), h.ada, a.ID)
	if err != nil || !d.Refused.Empty() {
		t.Fatalf("%s, %v", d.Refused, err)
	}
	e := d.Entry
	if e.Glob != "update_ticket" || e.Agent != h.agent.Name || e.LowerTo != level.Low || e.Effect != "" || len(e.Pattern.Arguments) != 3 || e.Until != "2026-05-30T12:00:00Z" {
		t.Errorf("the entry is %+v", e)
	}
	h.status("a draft decides nothing", a.ID, approvals.Pending)
	replay, err := h.ReplayOf(t.Context(), h.ada, d.With(), approvals.Filter{Agent: h.agent.ID, Function: "update_ticket"}, 10)
	if err != nil || replay.Actions != 1 || replay.AutoApproved != 1 {
		t.Errorf("the replay: %+v, %v", replay, err)
	}

	others := map[string]string{
		"the same":        setStatus,
		"another ticket":  strings.Replace(setStatus, "4711", "4712", 1),
		"one value more":  strings.Replace(setStatus, `"status"`, `"note":"x","status"`, 1),
		"another session": strings.Replace(setStatus, "s1", "s2", 1),
	}
	for _, c := range []struct {
		what    string
		in      approvals.NewEntry
		through []string
	}{
		{"exactly this call", approvals.NewEntry{}, []string{"the same", "another session"}},
		{"any ticket", approvals.NewEntry{Terms: []approvals.TermInput{{Rule: approvals.RuleEquals}, {Rule: approvals.RuleAny}, {Rule: approvals.RuleEquals}}}, []string{"the same", "another session", "another ticket"}},
		{"any arguments", approvals.NewEntry{AnyArguments: true}, []string{"the same", "another session", "another ticket", "one value more"}},
	} {
		c.in.From, c.in.Days, c.in.Reason = a.ID, 90, "harmless"
		h.policy(func(p *scoring.Policy) {
			*p = h.entry(h.ada, c.in).With()
			p.Functions = p.Functions[len(p.Functions)-1:]
		})
		for what, body := range others {
			want := approvals.Pending
			if strings.Contains(strings.Join(c.through, ";"), what) {
				want = approvals.Approved
			}
			if got := h.submit(body); got.Status != want {
				t.Errorf("%s: %s is %s, want %s", c.what, what, got.Status, want)
			}
		}
	}
	if got, _, err := h.Submit(t.Context(), h.other, approvals.Submission{Action: action(t, setStatus)}); err != nil || got.Status != approvals.Pending {
		t.Errorf("another agent's is %s, %v", got.Status, err)
	}
	d = h.entry(h.ada, approvals.NewEntry{From: a.ID, EveryAgent: true, Days: 1, Reason: "x"})
	if d.Entry.Agent != "" {
		t.Errorf("for every agent it is for %q", d.Entry.Agent)
	}
}

// What no entry may let through says why, and is not offered on its page.
func TestEntryRefused(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for what, body := range map[string]string{
		"code":              `{"function":"run_python","arguments":{"x":1},"code":"eval(x)"}`,
		"a command":         `{"function":"bash","arguments":{"command":"$a$b"}}`,
		"a message outside": `{"function":"send_email","arguments":{"to":"dana@customer.test","body":"hello"}}`,
		"to the public":     `{"function":"publish_post","arguments":{"text":"hello"}}`,
		"everything":        `{"function":"update_tickets","arguments":{"ids":"*","status":"closed"}}`,
		"CRITICAL":          explicit,
		"a name with stars": `{"function":"update_*","arguments":{"ticket_id":"1"}}`,
		"a plain read":      harmless,
		"an id of 64 bits":  strings.Replace(setStatus, "4711", "1234567890123456789", 1),
		"a masked value":    `{"function":"update_ticket","arguments":{"note":"AKIAIOSFODNN7EXAMPLE"}}`,
	} {
		a := h.submit(body)
		d, err := h.DraftEntry(t.Context(), h.ada, a.ID)
		if err != nil || d.Refused.Empty() {
			t.Errorf("%s: an entry %+v is offered, %v; it is %s, %+v", what, d.Entry, err, a.Assessment.Level, a.Assessment.Effects)
		}
		if h.show(h.ada, a.ID).Lowerable {
			t.Errorf("%s: its page offers one", what)
		}
	}
	a := h.submit(setStatus)
	for what, in := range map[string]approvals.NewEntry{
		"too long":     {Days: 366, Reason: "x"},
		"no time":      {Reason: "x"},
		"no reason":    {Days: 1, Reason: " "},
		"fewer values": {Days: 1, Reason: "x", Terms: []approvals.TermInput{{Rule: approvals.RuleAny}}},
	} {
		in.From = a.ID
		_, err := h.Entry(t.Context(), h.ada, in)
		wantFault(t, what, err, fault.InvalidForm)
	}
	rita := h.eve
	rita.Roles = []auth.Role{auth.Compliance}
	_, err := h.DraftEntry(t.Context(), rita, a.ID)
	wantFault(t, "who may propose nothing", err, fault.Denied)
	_, err = h.DraftEntry(t.Context(), auth.Member{Tenant: "beta", Person: h.ada.Person, Roles: auth.Roles()}, a.ID)
	wantFault(t, "another organisation", err, fault.Missing)
	// A deletion is lowered to MEDIUM, and stays with people.
	d, err := h.DraftEntry(t.Context(), h.ada, h.submit(`{"function":"delete_ticket","arguments":{"ticket_id":"1"}}`).ID)
	if err != nil || d.LowerTo != level.Medium {
		t.Errorf("a deletion: %+v, %v", d, err)
	}
}
