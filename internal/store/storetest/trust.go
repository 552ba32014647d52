package storetest

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring/trust"
)

// learn counts evidence, decided at a time, and tells of it.
func (p place) learn(t *testing.T, function string, d trust.Day, decided time.Time) {
	t.Helper()
	p.write(t, func(w approvals.Writer) error {
		counted, err := w.AddTrust(p.agent.ID, function, d, decided)
		if err != nil || !counted {
			return err
		}
		told := audit.Learned{Day: d.Day, Person: d.Person, Succeeded: int64(d.Succeeded), Failed: int64(d.Failed), Denied: int64(d.Denied)}
		return w.Append(audit.Event{
			Kind: audit.Reported, Actor: audit.Actor{Kind: "agent", ID: p.agent.ID}, Agent: p.agent.ID, Function: function,
			Data: canon.Object(audit.TrustLearned(told)),
		})
	})
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

// testTrustHolds edits the record of an agent by hand.
func testTrustHolds(t *testing.T, w world) {
	p := w.acme
	holds := func(when string) {
		t.Helper()
		if r, err := w.Store.Audit().Verify(t.Context(), "acme"); err != nil || !r.OK {
			t.Fatalf("%s: %s, %v", when, r, err)
		}
	}
	now := p.now(t)
	holds("nothing is known")
	p.learn(t, "send", trust.Day{Day: "2026-03-01", Person: p.ada.ID, Succeeded: 1}, now)
	p.lose(t, trust.Loss{Cause: trust.DeniedHigh, Approval: "apr_1", Person: p.ada.ID})
	p.lose(t, trust.Loss{Cause: trust.Incident, Reason: "it wrote to everybody", Person: p.ben.ID})
	p.learn(t, "send", trust.Day{Day: "2026-03-01", Person: p.ada.ID, Succeeded: 1}, now) // from before: not counted
	later := p.lost(t).At.Add(time.Second)
	for range 2 {
		p.learn(t, "send", trust.Day{Day: "2026-03-02", Person: p.ada.ID, Succeeded: 1}, later)
		p.learn(t, "send", trust.Day{Day: "2026-03-02", Failed: 1}, later)
	}
	p.learn(t, "Send", trust.Day{Day: "2026-03-02", Person: p.ben.ID, Denied: 1}, later)
	w.beta.learn(t, "send", trust.Day{Day: "2026-03-02", Person: w.beta.ada.ID, Succeeded: 3}, now)
	holds("untouched")

	undo := w.keep(t, "trust_evidence", "trust_losses")
	const evidence, loss = "UPDATE trust_evidence SET ", "UPDATE trust_losses SET "
	for name, c := range map[string]struct{ edit, says string }{
		"one more success":    {evidence + "succeeded = 3 WHERE succeeded = 2", "3 succeeded, 0 failed"},
		"one failure less":    {evidence + "failed = 1 WHERE failed = 2", "0 succeeded, 1 failed"},
		"a denial less":       {evidence + "denied = 0", "for \"Send\""},
		"somebody else's":     {evidence + "person_id = 'per_x' WHERE succeeded > 0", "per_x"},
		"on another day":      {evidence + "day = '2026-03-09' WHERE failed > 0", "2026-03-09"},
		"of another function": {evidence + "function = 'pay' WHERE failed > 0", "\"pay\""},
		"a failure deleted":   {"DELETE FROM trust_evidence WHERE failed > 0", "the database has nothing"},
		"added":               {"INSERT INTO trust_evidence SELECT tenant_id, agent_id, 'pay', day, person_id, 9, 0, 0 FROM trust_evidence WHERE succeeded > 0", "9 succeeded"},
		"the loss deleted":    {"DELETE FROM trust_losses", "stored loss is \"\""},
		"lost earlier":        {loss + "lost_at = '2020-01-01 00:00:00+00:00'", "stored loss"},
		"for another reason":  {loss + "reason = 'by mistake'", "stored loss"},
		"a word moved":        {loss + "person_id = person_id || ' it', reason = 'wrote to everybody'", "stored loss"},
		"of another sort":     {loss + "cause = 'denied'", "stored loss"},
	} {
		t.Run(name, func(t *testing.T) {
			arm := w.Disarm(t, w.Raw)
			w.mustRaw(t, "%s", c.edit)
			arm()
			r, err := w.Store.Audit().Verify(t.Context(), "acme")
			if err != nil || r.OK || !strings.Contains(r.Problem, c.says) || !strings.Contains(r.Problem, p.agent.ID) {
				t.Errorf("found %+v, %v; want it to say %q", r, err, c.says)
			}
			arm = w.Disarm(t, w.Raw)
			undo(t)
			arm()
		})
	}
	holds("put back")
}

func (p place) lose(t *testing.T, l trust.Loss) {
	t.Helper()
	p.write(t, func(w approvals.Writer) error {
		at, err := w.LoseTrust(p.agent.ID, l)
		if err != nil {
			return err
		}
		e := audit.Event{Kind: audit.IncidentRecorded, Actor: audit.Actor{Kind: "person", ID: l.Person}, Agent: p.agent.ID}
		if l.Cause == trust.DeniedHigh {
			e.Kind, e.Approval = audit.Denied, l.Approval
		}
		e.Data = canon.Object(canon.Member{Name: "reason", Value: canon.String(l.Reason)}, audit.TrustLost(at))
		return w.Append(e)
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
				if _, err := w.LoseTrust(p.agent.ID, trust.Loss{Cause: trust.Incident, Person: p.ada.ID}); err != nil {
					return err
				}
				e.Kind = audit.IncidentRecorded
			case i%3 == 0: // somebody's yes from before
				if _, err := w.AddTrust(p.agent.ID, "send", trust.Day{Day: "2026-03-02", Person: p.ben.ID, Succeeded: 1}, now); err != nil {
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
