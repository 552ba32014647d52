package outboxtest

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/notices"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/worktime"
	"github.com/countersign/countersign/internal/tenants"
)

// reminding is onCall, where requests wait for ten hours. The rule called everybody before the
// reminder is due.
func reminding(t *testing.T) (h *house, mail, chat box, a approvals.Approval) {
	t.Helper()
	h, mail, chat = onCall(t)
	h.policy(func(p *scoring.Policy) { p.ExpirySeconds = 36_000 })
	a = h.submit(medium)
	h.round()
	h.pass(7*time.Hour + 30*time.Minute - 10*time.Second)
	h.round() // the rule's next step
	want(t, "before three quarters of the time are over", append(mail.since(), chat.since()...), "operator@acme.test request.held", "#ops request.escalated")
	return h, mail, chat, a
}

// A request is reminded of once, when three quarters of its time are over, whichever of two
// servers is asked. It goes to whoever was called.
func TestReminder(t *testing.T) {
	t.Parallel()
	h, mail, chat, a := reminding(t)
	other := h.server(mail, chat)
	if d := h.told(a.ID); d.Reach != notices.Reached || len(d.All) != 2 {
		t.Errorf("what is told later counts already: %q, %d deliveries", d.Reach, len(d.All))
	}
	h.pass(20 * time.Second)
	must(t, h.notices.Close(t.Context()))
	h.notices = other
	h.round()
	h.pass(time.Hour)
	h.round()
	want(t, "then", append(mail.since(), chat.since()...), "operator@acme.test request.ending", "#ops request.ending")
	h.pass(2 * time.Hour)
	must(t, h.approvals.Sweep(t.Context()))
	h.round()
	for _, got := range append(mail.since(), chat.since()...) {
		if strings.HasSuffix(got, string(notices.Ending)) {
			t.Errorf("after the end: %q", got)
		}
	}
}

// Who snoozed a request is not called to it, and the next step comes in their place; its reminder
// wakes it.
func TestWhoSnoozedIsNotCalled(t *testing.T) {
	t.Parallel()
	h, mail, chat := onCall(t)
	h.policy(func(p *scoring.Policy) { p.ExpirySeconds = 36_000 })
	a := h.submit(medium)
	must(t, h.approvals.Snooze(t.Context(), h.operator, a.ID, h.now().AddDate(1, 0, 0)))
	h.round()
	want(t, "while it is aside", append(mail.since(), chat.since()...), "#ops request.held")
	h.pass(7*time.Hour + 30*time.Minute + 10*time.Second)
	h.round()
	h.round()
	want(t, "then", append(mail.since(), chat.since()...), "operator@acme.test request.ending", "#ops request.ending")
}

// What was decided, what lives for less than an hour, and what the policy wants no reminder of
// is not reminded of.
func TestNoReminder(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		policy func(p *scoring.Policy)
		then   func(h *house, a approvals.Approval)
	}{
		"decided": {then: func(h *house, a approvals.Approval) {
			_, err := h.approvals.Cancel(t.Context(), h.agent, a.ID)
			must(t, err)
		}},
		"short":      {policy: func(p *scoring.Policy) { p.ExpirySeconds = 3_599 }},
		"turned off": {policy: func(p *scoring.Policy) { p.RemindAtPercent = 0 }},
		"turned off meanwhile": {then: func(h *house, _ approvals.Approval) {
			h.policy(func(p *scoring.Policy) { p.RemindAtPercent = 0 })
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			chat := newBox("chat")
			h := newHouse(t, chat)
			h.add("chat", map[string]string{"to": "#ops"})
			h.policy(func(p *scoring.Policy) { p.ExpirySeconds = 3_600 })
			if c.policy != nil {
				h.policy(c.policy)
			}
			a := h.submit(medium)
			h.round()
			if c.then != nil {
				c.then(h, a)
			}
			h.pass(50 * time.Minute)
			h.round()
			for _, got := range chat.since() {
				if strings.HasSuffix(got, string(notices.Ending)) {
					t.Error(got)
				}
			}
		})
	}
}

// More time puts a reminder off that was not sent.
func TestReminderAfterMoreTime(t *testing.T) {
	t.Parallel()
	h, mail, chat, a := reminding(t)
	must(t, h.approvals.Extend(t.Context(), h.operator, a.ID, approvals.ExtendInput{Seconds: 36_000, Reason: "Berlin sleeps"}))
	h.pass(7*time.Hour + 30*time.Minute) // of twenty hours, fifteen
	h.round()
	want(t, "before three quarters of the new time", append(mail.since(), chat.since()...))
	h.pass(20 * time.Second)
	h.round()
	h.round()
	want(t, "then", append(mail.since(), chat.since()...), "operator@acme.test request.ending", "#ops request.ending")
}

// A reminder counts the hours that a request's time counts. Of ten hours, eight of them on the day
// after tomorrow, three quarters are over there.
func TestReminderInWorkingHours(t *testing.T) {
	t.Parallel()
	chat := newBox("chat")
	h := newHouse(t, chat)
	h.add("chat", map[string]string{"to": "#ops"})
	midnight := h.now().Truncate(24 * time.Hour)
	h.pass(midnight.Add(46 * time.Hour).Sub(h.now())) // 22:00
	h.policy(func(p *scoring.Policy) {
		p.ExpirySeconds, p.WorkingHours = 36_000, worktime.Settings{Enabled: true, Zone: "UTC"}
		*p.WorkingHours.Days()[h.now().Weekday()] = "22:00-24:00"
		*p.WorkingHours.Days()[h.now().AddDate(0, 0, 2).Weekday()] = "09:00-17:00"
	})
	h.submit(medium)
	h.round()
	h.pass(40*time.Hour + 29*time.Minute) // two hours, and five and a half less a minute
	h.round()
	for _, got := range chat.since() {
		if strings.HasSuffix(got, string(notices.Ending)) {
			t.Error("too early:", got)
		}
	}
	h.pass(2 * time.Minute)
	h.round()
	h.round()
	want(t, "then", chat.since(), "#ops request.ending")
}

// The agent's contact is told where they are a member, on their own channels; an address that no
// member has gets nothing.
func TestReminderOfTheContact(t *testing.T) {
	t.Parallel()
	for contact, wants := range map[string][]string{
		"Lead@acme.test":     {"lead@acme.test request.ending", "operator@acme.test request.ending"},
		"someone@evil.test":  {"operator@acme.test request.ending"},
		"ask on #deployment": {"operator@acme.test request.ending"},
	} {
		t.Run(contact, func(t *testing.T) {
			t.Parallel()
			h, mail, _, _ := reminding(t)
			lead, err := h.tenants.CreatePerson(t.Context(), "acme", "lead@acme.test", "", "", []auth.Role{auth.Operator})
			must(t, err)
			must(t, h.notices.AddOwn(t.Context(), auth.Member{Tenant: "acme", Person: lead, Roles: []auth.Role{auth.Operator}, SignedInAt: h.now()}))
			must(t, h.tenants.DescribeAgent(t.Context(), h.admin, h.agent.ID, tenants.Description{Contact: contact}))
			h.pass(20 * time.Second)
			h.round()
			h.round()
			got := mail.since()
			if len(got) == 2 && got[0] > got[1] { // channels are told at the same time
				got[0], got[1] = got[1], got[0]
			}
			want(t, contact, got, wants...)
		})
	}
}

// titles is a box that keeps what it is told.
type titles struct{ box }

func (b titles) Send(_ context.Context, _ notices.Settings, m notices.Message) (string, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	*b.got = append(*b.got, m.Title)
	return "", nil
}

// The reminder says beforehand what silence does, and how much time is left when it is sent.
func TestReminderSaysThatSilenceDenies(t *testing.T) {
	t.Parallel()
	chat := titles{newBox("chat")}
	h := newHouse(t, chat)
	h.add("chat", map[string]string{"to": "#ops"})
	for percent, left := range map[int]string{75: "7 days", 99: "7 h"} {
		h.policy(func(p *scoring.Policy) {
			p.LongestExpirySeconds, p.ExpirySeconds, p.RemindAtPercent = 2_592_000, 2_592_000, percent
		})
		a := h.submit(medium)
		h.round()
		h.pass(30 * 24 * time.Hour / 100 * time.Duration(percent))
		h.round()
		want(t, left, chat.since(), "MEDIUM request from support-triage is waiting for a decision", "MEDIUM request from support-triage ends in "+left+"; with no decision it is denied")
		_, err := h.approvals.Cancel(t.Context(), h.agent, a.ID)
		must(t, err)
		h.round()
		_ = chat.since()
	}
}
