package storetest

import (
	"context"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/scoring/trust"
)

// learn counts evidence of now, decided at a time.
func (p place) learn(t *testing.T, function string, d trust.Day, decided time.Time) {
	t.Helper()
	p.write(t, func(w approvals.Writer) error { return w.AddTrust(p.agent.ID, function, d, decided) })
}

func (p place) trusted(t *testing.T, function, from string) (days []trust.Day) {
	t.Helper()
	p.read(t, func(r approvals.Reader) (err error) {
		days, err = r.TrustDays(p.agent.ID, function, from)
		return err
	})
	return days
}

func (p place) lost(t *testing.T) (l *trust.Loss) {
	t.Helper()
	p.read(t, func(r approvals.Reader) (err error) {
		l, err = r.TrustLoss(p.agent.ID)
		return err
	})
	return l
}

func (p place) now(t *testing.T) (now time.Time) {
	t.Helper()
	p.read(t, func(r approvals.Reader) error { now = r.Now(); return nil })
	return now
}

func testTrust(t *testing.T, w world) {
	p := w.acme
	now := p.now(t)
	if l := p.lost(t); l != nil {
		t.Errorf("a new agent has lost %+v", l)
	}
	p.learn(t, "send", trust.Day{Day: "2026-03-02", Person: p.ada.ID, Succeeded: 1}, now)
	p.learn(t, "send", trust.Day{Day: "2026-03-02", Person: p.ada.ID, Succeeded: 2, Denied: 1}, now)
	p.learn(t, "send", trust.Day{Day: "2026-03-02", Failed: 1}, now)
	p.learn(t, "send", trust.Day{Day: "2026-03-01", Person: p.ben.ID, Succeeded: 1}, now)
	p.learn(t, "Send", trust.Day{Day: "2026-03-03", Person: p.ben.ID, Succeeded: 1}, now)
	w.beta.learn(t, "send", trust.Day{Day: "2026-03-02", Person: w.beta.ada.ID, Succeeded: 9}, now)

	first := trust.Day{Day: "2026-03-01", Person: p.ben.ID, Succeeded: 1}
	second := []trust.Day{{Day: "2026-03-02", Failed: 1}, {Day: "2026-03-02", Person: p.ada.ID, Succeeded: 3, Denied: 1}}
	same(t, "all of it", p.trusted(t, "send", "2026-01-01"), append([]trust.Day{first}, second...))
	same(t, "from a day on", p.trusted(t, "send", "2026-03-02"), second)
	same(t, "nothing", p.trusted(t, "other", ""), []trust.Day{})
	p.read(t, func(r approvals.Reader) error {
		all, err := r.TrustFunctions(p.agent.ID, "2026-03-02", 5)
		same(t, "by function", all, []approvals.FunctionDays{
			{Function: "send", Days: second}, {Function: "Send", Days: []trust.Day{{Day: "2026-03-03", Person: p.ben.ID, Succeeded: 1}}},
		})
		if err != nil {
			return err
		}
		all, err = r.TrustFunctions(p.agent.ID, "", 1)
		if len(all) != 1 || all[0].Function != "send" {
			t.Errorf("with the most successes: %+v", all)
		}
		return err
	})

	p.lose(t, trust.Loss{Cause: trust.DeniedHigh, Approval: "apr_1", Person: p.ada.ID})
	if l := p.lost(t); l == nil || l.At.Before(now) || l.Cause != trust.DeniedHigh || l.Approval != "apr_1" || l.Person != p.ada.ID {
		t.Errorf("lost: %+v", l)
	}
	same(t, "what is left", p.trusted(t, "send", ""), []trust.Day{})
	same(t, "of another function", p.trusted(t, "Send", ""), []trust.Day{})
	if got := w.beta.trusted(t, "send", ""); len(got) != 1 || w.beta.lost(t) != nil {
		t.Errorf("of another organisation: %+v, %+v", got, w.beta.lost(t))
	}
	// What was decided before counts no more, whenever it is reported.
	p.learn(t, "send", trust.Day{Day: "2026-03-02", Person: p.ada.ID, Succeeded: 1}, now)
	p.learn(t, "send", trust.Day{Day: "2026-03-02", Person: p.ada.ID, Succeeded: 1}, p.lost(t).At)
	same(t, "from before", p.trusted(t, "send", ""), []trust.Day{})
	after := trust.Day{Day: "2026-03-04", Person: p.ada.ID, Succeeded: 1}
	p.learn(t, "send", after, p.lost(t).At.Add(time.Microsecond))
	same(t, "from after", p.trusted(t, "send", ""), []trust.Day{after})

	p.lose(t, trust.Loss{Cause: trust.Incident, Reason: "wrote to everybody", Person: p.ben.ID})
	if l := p.lost(t); l.Cause != trust.Incident || l.Reason != "wrote to everybody" || l.Approval != "" || l.Person != p.ben.ID {
		t.Errorf("the second: %+v", l)
	}
}

func (p place) lose(t *testing.T, l trust.Loss) {
	t.Helper()
	p.write(t, func(w approvals.Writer) error {
		if err := w.LoseTrust(p.agent.ID, l); err != nil {
			return err
		}
		return w.Append(audit.Event{Kind: audit.IncidentRecorded, Actor: audit.Actor{Kind: "person", ID: l.Person}, Agent: p.agent.ID})
	})
}

// Whoever used trust did so before the incident, in the trail too: nothing stands
// behind it that was admitted on what it took away, and nothing that was learned
// before it is left.
func testTrustIsLostAtOnce(t *testing.T, w world) {
	p := w.acme
	now := p.now(t)
	p.learn(t, "send", trust.Day{Day: "2026-03-02", Person: p.ada.ID, Succeeded: 50}, now)
	const admitted, learned = "trusted", "learned"
	race(t, 24, "", func(ctx context.Context, i int) error {
		return p.try(ctx, func(w approvals.Writer) error {
			e := audit.Event{Kind: audit.Submitted, Actor: audit.Actor{Kind: "system"}, Agent: p.agent.ID}
			switch {
			case i == 12:
				if err := w.LoseTrust(p.agent.ID, trust.Loss{Cause: trust.Incident, Person: p.ada.ID}); err != nil {
					return err
				}
				e.Kind = audit.IncidentRecorded
			case i%3 == 0: // somebody's yes from before
				if err := w.AddTrust(p.agent.ID, "send", trust.Day{Day: "2026-03-02", Person: p.ben.ID, Succeeded: 1}, now); err != nil {
					return err
				}
				e.Function = learned
			default:
				days, err := w.TrustDays(p.agent.ID, "send", "")
				if err != nil {
					return err
				}
				if len(days) > 0 {
					e.Function = admitted
				}
			}
			return w.Append(e)
		})
	})
	same(t, "what is left", p.trusted(t, "send", ""), []trust.Day{})
	records, err := w.Store.Audit().Events(t.Context(), p.tenant, -1, 100)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records { // newest first
		if r.Event.Kind == audit.IncidentRecorded {
			return
		}
		if r.Event.Function == admitted {
			t.Errorf("event %d was admitted on trust that was lost before", r.Event.Index)
		}
	}
	t.Error("nobody tells of the incident")
}
