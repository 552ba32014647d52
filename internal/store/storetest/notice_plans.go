package storetest

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/notices"
)

// tryNotify is notify for what may be refused.
func (p place) tryNotify(t *testing.T, fn func(w notices.Writer) error) error {
	t.Helper()
	return p.db.Store.Notices().Write(t.Context(), p.tenant, fn)
}

// A plan, and what people set, come back as they were written, are written over the version
// that was seen only, and belong to one organisation.
func testNoticePlans(t *testing.T, w world) {
	p := w.acme
	plan := notices.Plan{
		Rules: []notices.Rule{{
			ID: "rul_1", Name: "night", Steps: []notices.Step{{Targets: []notices.Target{notices.To(notices.ToOnCall, "tem_1")}, Minutes: 5}},
			When: notices.When{Levels: []string{"HIGH"}, Functions: []string{"db.*"}, Hours: notices.Hours{Days: []time.Weekday{time.Sunday}, From: "22:00", To: "07:00", Zone: "Europe/Berlin"}},
		}},
		Teams: []notices.Team{{ID: "tem_1", Name: "Payments", Members: []string{p.ada.ID}, Rotation: &notices.Rotation{
			Hours: 24, Starts: "2026-05-01", At: "09:00", Zone: "UTC", Instead: []notices.Instead{{Day: "2026-05-02", Person: p.ben.ID}},
		}}},
	}
	look := func(p place) (got notices.Plan) {
		p.notify(t, func(w notices.Writer) (err error) {
			got, err = w.NoticePlan()
			return err
		})
		return got
	}
	if got := look(p); got.Version != 0 || len(got.Rules) != 0 {
		t.Errorf("before it was made, the plan is %+v", got)
	}
	keep := func(p notices.Plan, was int64) func(w notices.Writer) error {
		return func(w notices.Writer) error { return w.KeepNoticePlan(p, was) }
	}
	p.notify(t, keep(plan, 0))
	wantFault(t, "making it twice", p.tryNotify(t, keep(plan, 0)), fault.Changed)
	plan.Version = 1
	if got := look(p); !reflect.DeepEqual(got, plan) {
		t.Errorf("the plan is %+v, want %+v", got, plan)
	}
	plan.Rules[0].Name = "day"
	p.notify(t, keep(plan, 1))
	wantFault(t, "a change of what somebody else changed", p.tryNotify(t, keep(plan, 1)), fault.Changed)
	if got := look(p); got.Version != 2 || got.Rules[0].Name != "day" {
		t.Errorf("after a change, the plan is %+v", got)
	}
	if got := look(w.beta); got.Version != 0 {
		t.Errorf("beta's plan is %+v", got)
	}

	own := notices.Own{Person: p.ada.ID, Levels: []string{"CRITICAL"}, Agents: []string{p.agent.ID}, Quiet: notices.Hours{From: "22:00", To: "07:00", Zone: "UTC"}}
	p.notify(t, func(w notices.Writer) error { return w.KeepNoticeOwn(own, 0) })
	wantFault(t, "setting it twice", p.tryNotify(t, func(w notices.Writer) error { return w.KeepNoticeOwn(own, 0) }), fault.Changed)
	own.Levels = nil
	p.notify(t, func(w notices.Writer) error { return w.KeepNoticeOwn(own, 1) })
	wantFault(t, "setting what was set elsewhere", p.tryNotify(t, func(w notices.Writer) error { return w.KeepNoticeOwn(own, 1) }), fault.Changed)
	own.Version = 2
	p.notify(t, func(w notices.Writer) error {
		got, err := w.NoticeOwn(p.ada.ID)
		if err != nil || !reflect.DeepEqual(got, own) {
			t.Errorf("ada set %+v (%v), want %+v", got, err, own)
		}
		none, err := w.NoticeOwn(p.ben.ID)
		if err != nil || none.Version != 0 || none.Person != p.ben.ID {
			t.Errorf("ben set %+v (%v), want nothing", none, err)
		}
		all, err := w.NoticeOwns()
		if err != nil || len(all) != 1 || !reflect.DeepEqual(all[0], own) {
			t.Errorf("people set %+v (%v)", all, err)
		}
		return nil
	})
}

// A step of a call happens once: it is written over the step that was seen, while the call
// is open. When nobody came the request is unreached, until somebody is on it.
func testNoticeCalls(t *testing.T, w world) {
	p := w.acme
	channel := p.channel(t, "ops")
	a := p.submit(t, nil)
	all, _ := p.unrouted(t)
	due := func() (ids []string) {
		p.notify(t, func(w notices.Writer) error {
			calls, err := w.DueNoticeCalls(10)
			for _, c := range calls {
				ids = append(ids, c.Approval)
			}
			return err
		})
		return ids
	}
	keep := func(c notices.Call, was int) error {
		return p.tryNotify(t, func(w notices.Writer) error {
			c.Next = w.Now().Add(c.Next.Sub(time.Time{}))
			return w.KeepNoticeCall(c, was)
		})
	}
	in := func(d time.Duration) time.Time { return time.Time{}.Add(d) }
	c := notices.Call{Approval: a.ID, Rule: "night", Steps: []notices.Step{{Targets: []notices.Target{"channel:x"}, Minutes: 5}, {Minutes: 3}}, State: notices.CallOpen, Next: in(time.Hour)}
	if err := keep(c, -1); err != nil {
		t.Fatal(err)
	}
	wantFault(t, "beginning it twice", keep(c, -1), fault.Changed)
	if ids := due(); len(ids) != 0 {
		t.Errorf("an hour before it is due, due are %v", ids)
	}
	c.Next = in(-time.Second)
	if err := keep(c, 0); err != nil {
		t.Fatal(err)
	}
	if ids := due(); !slices.Equal(ids, []string{a.ID}) {
		t.Errorf("due are %v, want %s", ids, a.ID)
	}
	c.Step = 1
	if err := keep(c, 0); err != nil {
		t.Fatal(err)
	}
	wantFault(t, "the same step again", keep(c, 0), fault.Changed)
	p.notify(t, func(w notices.Writer) error {
		return w.RouteNotice(all[0], []string{channel.ID})
	})
	unreached := func() (ids []string) {
		p.notify(t, func(w notices.Writer) (err error) {
			ids, err = w.Unreached()
			return err
		})
		return ids
	}
	if ids := unreached(); len(ids) != 0 {
		t.Errorf("while it goes on, %v are unreached", ids)
	}
	c.State = notices.CallEmpty
	if err := keep(c, 1); err != nil {
		t.Fatal(err)
	}
	wantFault(t, "a step after the end", keep(c, 1), fault.Changed)
	if ids := due(); len(ids) != 0 {
		t.Errorf("after the end, due are %v", ids)
	}
	p.notify(t, func(w notices.Writer) error {
		got, err := w.NoticeCall(a.ID)
		if err == nil && (got.State != notices.CallEmpty || got.Step != 1 || got.Rule != "night" || !reflect.DeepEqual(got.Steps, c.Steps)) {
			t.Errorf("the call is %+v", got)
		}
		return err
	})
	if ids := unreached(); !slices.Equal(ids, []string{a.ID}) {
		t.Errorf("when nobody came, %v are unreached, want %s", ids, a.ID)
	}
	p.write(t, func(w approvals.Writer) error { return w.Claim(claimed(a, p.ada, w.Now()), "") })
	if ids := unreached(); len(ids) != 0 {
		t.Errorf("while somebody is on it, %v are unreached", ids)
	}
	wantFault(t, "beta's look at it", w.beta.db.Store.Notices().Read(t.Context(), "beta", func(r notices.Reader) error {
		_, err := r.NoticeCall(a.ID)
		return err
	}), fault.Missing)
}
