package outboxtest

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/notices"
	"github.com/countersign/countersign/internal/tenants"
)

// box is a kind of channel that keeps what it is given.
type box struct {
	kind string
	mu   *sync.Mutex
	got  *[]string // where it went, and what
}

func newBox(kind string) box { return box{kind: kind, mu: &sync.Mutex{}, got: &[]string{}} }

func (b box) About() notices.About {
	return notices.About{Kind: b.kind, Label: fault.Verbatim(b.kind), Form: []notices.Field{{Name: "to", Required: true}}, Retries: notices.PeopleRetries()}
}
func (b box) Check(notices.Settings) error    { return nil }
func (b box) Shown(c notices.Settings) string { return c.Fields["to"] }
func (b box) Follows(notices.Settings) bool   { return false }
func (b box) Send(_ context.Context, c notices.Settings, m notices.Message) (string, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	*b.got = append(*b.got, c.Fields["to"]+" "+string(m.Kind))
	return "", nil
}

// since returns what came since it was asked last.
func (b box) since() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	got := *b.got
	*b.got = nil
	return got
}

// onCall is an organisation with a chat, an operator who has mail, and a rule that calls the
// operator, then the chat, each for five minutes.
func onCall(t *testing.T) (h *house, mail, chat box) {
	t.Helper()
	mail, chat = newBox("email"), newBox("chat")
	h = newHouse(t, mail, chat)
	room, _, err := h.notices.Add(t.Context(), h.admin, notices.Draft{
		Kind: "chat", Name: "#ops", Tells: []notices.Kind{notices.Held, notices.Escalated}, Values: map[string]string{"to": "#ops"},
	})
	must(t, err)
	must(t, h.notices.AddOwn(t.Context(), h.operator))
	_, err = h.notices.KeepRule(t.Context(), h.admin, 0, notices.Rule{Name: "All", Steps: []notices.Step{
		{Targets: []notices.Target{notices.To(notices.ToPerson, h.operator.Person.ID)}, Minutes: 5},
		{Targets: []notices.Target{notices.To(notices.ToPerson, h.admin.Person.ID)}, Minutes: 5}, // has no channel: takes no time
		{Targets: []notices.Target{notices.To(notices.ToChannel, room)}, Minutes: 5},
	}})
	must(t, err)
	return h, mail, chat
}

// trail counts the events of a kind.
func (h *house) trail(k audit.Kind) (n int) {
	h.t.Helper()
	page, err := h.store.Audit().Search(h.t.Context(), "acme", audit.Query{Edge: -1, Limit: 100, Filter: audit.Filter{Kinds: []audit.Kind{k}}})
	must(h.t, err)
	return len(page.Records)
}

func want(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: %q were told, want %q", what, got, want)
	}
}

// Nobody claims or decides: the next is called when the time is over and not before, each
// once, whichever of two servers is asked; in the end no one was reached.
func TestEscalation(t *testing.T) {
	t.Parallel()
	h, mail, chat := onCall(t)
	other := h.server(mail, chat) // of the same database, as after a restart
	a := h.submit(medium)
	h.round()
	want(t, "at once", append(mail.since(), chat.since()...), "operator@acme.test request.held")
	if r := h.told(a.ID).Reach; r != notices.Reached {
		t.Errorf("the call was taken, and reached is %q", r)
	}
	h.pass(5*time.Minute - 10*time.Second)
	h.round()
	want(t, "before the time is over", append(mail.since(), chat.since()...))
	h.pass(20 * time.Second)
	must(t, h.notices.Close(t.Context())) // the server ends, another goes on
	h.notices = other
	h.round()
	h.round()
	want(t, "when it is over", append(mail.since(), chat.since()...), "#ops request.escalated")
	h.pass(5 * time.Minute)
	h.round()
	h.round()
	want(t, "in the end", append(mail.since(), chat.since()...))
	if r := h.told(a.ID).Reach; r != notices.Unreached {
		t.Errorf("in the end, reached is %q", r)
	}
	if next, nobody := h.trail(audit.CalledNext), h.trail(audit.NobodyCame); next != 1 || nobody != 1 {
		t.Errorf("the trail has %d further calls and %d ends, want one each", next, nobody)
	}
}

// A claim holds the next call back for as long as it lasts; a decision ends it.
func TestClaimHoldsEscalationBack(t *testing.T) {
	t.Parallel()
	h, mail, chat := onCall(t)
	_, err := h.tenants.CreatePerson(t.Context(), "acme", "second@acme.test", "", "", []auth.Role{auth.Operator}) // who is alone claims nothing
	must(t, err)
	a, b := h.submit(medium), h.submit(high)
	h.round()
	must(t, h.approvals.Claim(t.Context(), h.operator, a.ID, ""))
	_ = append(mail.since(), chat.since()...)
	h.pass(5*time.Minute + time.Second)
	h.round()
	want(t, "while one of two is claimed", chat.since(), "#ops request.escalated")
	h.pass(approvals.ClaimFor)
	h.round()
	want(t, "when the claim is over", chat.since(), "#ops request.escalated")
	if d := h.told(b.ID); d.Reach != notices.Unreached {
		t.Errorf("of the other one, reached is %q", d.Reach)
	}
	c := h.submit(`{"function":"deploy_service","arguments":{"service":"search","env":"staging"},"justification":"Release 42."}`)
	h.round()
	_, err = h.approvals.Cancel(t.Context(), h.agent, c.ID)
	must(t, err)
	_ = chat.since()
	h.pass(5*time.Minute + time.Second)
	h.round()
	if got := chat.since(); slices.Contains(got, "#ops request.escalated") {
		t.Errorf("after the end, %q were told", got)
	}
}

// Nobody who is named has a channel: that is said at once.
func TestNobodyToCall(t *testing.T) {
	t.Parallel()
	h, mail, chat := onCall(t)
	own, err := h.notices.OwnNotices(t.Context(), h.operator)
	must(t, err)
	must(t, h.notices.RemoveOwn(t.Context(), h.operator, own.Channels[0].ID))
	r, err := h.notices.Routing(t.Context(), h.admin)
	must(t, err)
	rule := r.Plan.Rules[0]
	rule.Steps = rule.Steps[:2]
	_, err = h.notices.KeepRule(t.Context(), h.admin, r.Plan.Version, rule)
	must(t, err)
	a := h.submit(medium)
	h.round()
	want(t, "with nobody to call", append(mail.since(), chat.since()...))
	if d := h.told(a.ID); d.Reach != notices.Unreached {
		t.Errorf("reached is %q", d.Reach)
	}
	if n := h.trail(audit.NobodyCame); n != 1 {
		t.Errorf("the trail says so %d times", n)
	}
}

// Who may change rules is who may change channels; what was before and after is in the trail.
func TestRoutingIsTold(t *testing.T) {
	t.Parallel()
	h, _, _ := onCall(t)
	ctx := t.Context()
	if _, err := h.notices.KeepRule(ctx, h.operator, 1, notices.Rule{Name: "x"}); !fault.Is(err, fault.Denied) {
		t.Errorf("an operator changes rules: %v", err)
	}
	team := notices.Team{Name: "Payments", Members: []string{h.operator.Person.ID}, Rotation: &notices.Rotation{Hours: 24, Starts: "2026-05-01", At: "09:00", Zone: "UTC"}}
	id, err := h.notices.KeepTeam(ctx, h.admin, 1, team)
	must(t, err)
	if _, err := h.notices.KeepTeam(ctx, h.admin, 1, team); !fault.Is(err, fault.Changed) {
		t.Errorf("a change of what somebody else changed: %v", err)
	}
	if err := h.notices.TakeDay(ctx, h.admin, 2, id, "2026-05-02", h.admin.Person.ID); !fault.Is(err, fault.InvalidForm) {
		t.Errorf("a day that is over is taken: %v", err)
	}
	must(t, h.notices.TakeDay(ctx, h.admin, 2, id, h.now().Format("2006-01-02"), h.admin.Person.ID))
	rule := notices.Rule{Name: "Night", Steps: []notices.Step{{Targets: []notices.Target{notices.To(notices.ToOnCall, id)}, Minutes: 5}}}
	rule.ID, err = h.notices.KeepRule(ctx, h.admin, 3, rule)
	must(t, err)
	must(t, h.notices.MoveRule(ctx, h.admin, 4, rule.ID, true))
	if err := h.notices.RemoveTeam(ctx, h.admin, 5, id); !fault.Is(err, fault.InvalidForm) {
		t.Errorf("a team that a rule calls is deleted: %v", err)
	}
	must(t, h.notices.RemoveRule(ctx, h.admin, 5, rule.ID))
	must(t, h.notices.RemoveTeam(ctx, h.admin, 6, id))
	must(t, h.notices.SetOwn(ctx, h.operator, notices.Own{Levels: []string{"CRITICAL"}}))
	page, err := h.store.Audit().Search(ctx, "acme", audit.Query{Edge: -1, Limit: 100, Filter: audit.Filter{Kinds: []audit.Kind{audit.RoutingChanged, audit.OwnNoticesChanged}}})
	must(t, err)
	var said []string
	for _, r := range page.Records {
		said = append(said, r.Event.Sentence(nil))
	}
	slices.Reverse(said)
	want(t, "the trail", said, "Added the rule All for notices", "Added the team Payments", "Changed who takes a day on call in the team Payments", "Added the rule Night for notices",
		"Moved the rule Night for notices", "Deleted the rule Night for notices", "Deleted the team Payments", "Changed their own notices")
}

// Who is asked to decide is told on their own channels, and nobody else is: not who asked
// them, and no room of the organisation. What they set for themselves holds.
func TestWhoIsAskedIsTold(t *testing.T) {
	t.Parallel()
	h, mail, chat := onCall(t)
	second, err := h.tenants.CreatePerson(t.Context(), "acme", "second@acme.test", "", "", []auth.Role{auth.Operator})
	must(t, err)
	colleague := auth.Member{Tenant: "acme", Person: second, Roles: []auth.Role{auth.Operator}, SignedInAt: h.now()}
	must(t, h.notices.AddOwn(t.Context(), colleague))
	a, b := h.submit(medium), h.submit(high)
	h.round()
	h.round()
	want(t, "at once", append(mail.since(), chat.since()...), "operator@acme.test request.held", "operator@acme.test request.held")
	must(t, h.approvals.Assign(t.Context(), h.operator, a.ID, second.ID, ""))
	h.round()
	h.round()
	want(t, "who is asked", append(mail.since(), chat.since()...), "second@acme.test request.assigned")
	must(t, h.approvals.Assign(t.Context(), h.operator, a.ID, second.ID, second.ID)) // it is theirs
	h.round()
	want(t, "who is asked again", append(mail.since(), chat.since()...))
	must(t, h.approvals.Comment(t.Context(), h.operator, a.ID, "@"+second.Name+" or @"+second.Name+"?"))
	h.round()
	h.round()
	want(t, "who is mentioned, once", append(mail.since(), chat.since()...), "second@acme.test request.mentioned")
	must(t, h.notices.SetOwn(t.Context(), colleague, notices.Own{Levels: []string{"CRITICAL"}}))
	must(t, h.approvals.Assign(t.Context(), h.operator, b.ID, second.ID, ""))
	h.round()
	want(t, "who wants only CRITICAL ones", append(mail.since(), chat.since()...))
}

// Who is away is called still, and their deputy as well, who then decides in their place; a deputy who
// is called anyhow does it for themselves, and one who was suspended isn't called.
func TestADeputyIsCalled(t *testing.T) {
	t.Parallel()
	h, mail, chat := onCall(t)
	second, err := h.tenants.CreatePerson(t.Context(), "acme", "second@acme.test", "", "", []auth.Role{auth.Operator})
	must(t, err)
	deputy := auth.Member{Tenant: "acme", Person: second, Roles: []auth.Role{auth.Operator}, SignedInAt: h.now()}
	must(t, h.notices.AddOwn(t.Context(), deputy))
	must(t, h.tenants.SetAway(t.Context(), h.operator, tenants.Absence{Person: tenants.Named{ID: h.operator.Person.ID}, Deputy: tenants.Named{ID: second.ID}}))
	told := func() []string { return slices.Sorted(slices.Values(append(mail.since(), chat.since()...))) }
	a := h.submit(medium)
	h.round()
	want(t, "at once", told(), "operator@acme.test request.held", "second@acme.test request.held")
	done, err := h.approvals.Decide(t.Context(), deputy, a.ID, approvals.DecideInput{Verdict: approvals.VerdictDeny, Reason: "no", Digest: a.ShownDigest, Version: a.Version})
	must(t, err)
	if by := done.Decision.DecidedBy[0]; by.For == nil || by.For.ID != h.operator.Person.ID {
		t.Errorf("decided by %+v", by)
	}
	h.round()
	_ = told()
	must(t, h.approvals.Assign(t.Context(), deputy, h.submit(high).ID, h.operator.Person.ID, ""))
	h.round()
	h.round()
	want(t, "an assignment", told(), "operator@acme.test request.assigned", "operator@acme.test request.held", "second@acme.test request.assigned", "second@acme.test request.held")
	must(t, h.tenants.Suspend(t.Context(), h.admin, second.ID, "ill"))
	h.submit(medium)
	h.round()
	want(t, "with a suspended deputy", told(), "operator@acme.test request.held")
}
