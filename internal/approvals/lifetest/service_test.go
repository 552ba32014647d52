package lifetest

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/long"
	"github.com/countersign/countersign/internal/scoring"
)

func TestSubmit(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	now := h.clock.Now()

	auto := h.submit(harmless)
	if d := auto.Decision; auto.Status != approvals.Approved || d.Verdict != approvals.VerdictApprove || d.DecidedBy[0].Kind != approvals.ByPolicy || d.Evidence != nil ||
		auto.Grant == nil || auto.Grant.Token == "" || !auto.Grant.ExpiresAt.Equal(now.Add(300*time.Second)) {
		t.Errorf("a harmless one: %s, %+v, %+v", auto.Status, auto.Decision, auto.Grant)
	}
	h.wantTrail("a harmless one", auto.ID, audit.Submitted, audit.Approved)

	no := h.submit(blocked)
	if no.Status != approvals.Blocked || no.Decision.Verdict != approvals.VerdictBlock || no.Decision.Reason == "" || no.Grant != nil {
		t.Errorf("a blocked one: %s, %+v, %+v", no.Status, no.Decision, no.Grant)
	}
	h.wantTrail("a blocked one", no.ID, audit.Submitted, audit.Blocked)
	_, err := h.Consume(t.Context(), h.agent, no.ID, no.Digest, "")
	wantFault(t, "spending a blocked one", err, fault.NotApproved)

	for body, kind := range map[string]scoring.ChallengeKind{confirm: scoring.ChallengeConfirm, asking: scoring.ChallengeQuiz, explicit: scoring.ChallengeExplicit} {
		a := h.waiting(body, kind)
		if a.Decision != nil || a.Grant != nil || a.Version != 1 || a.PolicyVersion != 1 || !a.CreatedAt.Equal(now) || !a.ExpiresAt.Equal(now.Add(900*time.Second)) {
			t.Errorf("%s: %+v", kind, a)
		}
		if a.Digest != action(t, body).Digest() || a.Digest != a.ShownDigest {
			t.Errorf("%s: the digests are %s and %s", kind, a.Digest, a.ShownDigest)
		}
		h.wantTrail(string(kind), a.ID, audit.Submitted)
	}

	short, _, err := h.Submit(t.Context(), h.agent, approvals.Submission{Action: action(t, confirm), ExpiresIn: 7})
	if err != nil || !short.ExpiresAt.Equal(now.Add(7*time.Second)) || short.CallNumber != 1 {
		t.Errorf("seven seconds: until %v, call %d, %v", short.ExpiresAt, short.CallNumber, err)
	}
}

// What the policy says of a level and a function limits how long an action waits,
// and an agent can shorten that and not lengthen it.
func TestExpiryByLevelAndFunction(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.policy(func(p *scoring.Policy) {
		p.ExpirySecondsByLevel.Medium, p.ExpirySecondsByLevel.High = 600, 60
		p.Functions = append(p.Functions, scoring.Function{Glob: "run_*", ExpirySeconds: 120})
	})
	for _, c := range []struct {
		what, body  string
		asked, want int
	}{
		{"MEDIUM", confirm, 0, 600},
		{"MEDIUM, asking for more", confirm, 86_400, 600},
		{"MEDIUM, asking for less", confirm, 5, 5},
		{"HIGH", asking, 0, 60},
		{"a function", explicit, 3600, 120},
		{"a level without a limit", harmless, 3600, 3600},
	} {
		a, _, err := h.Submit(t.Context(), h.agent, approvals.Submission{Action: action(t, c.body), ExpiresIn: c.asked})
		if err != nil || !a.ExpiresAt.Equal(a.CreatedAt.Add(time.Duration(c.want)*time.Second)) {
			t.Errorf("%s: it waits %v, want %d seconds (%v)", c.what, a.ExpiresAt.Sub(a.CreatedAt), c.want, err)
		}
	}
}

// TestSecretsAreMasked: the secret is nowhere in the database, and the grant still
// binds the original.
func TestSecretsAreMasked(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	const secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
	a := h.submit(`{"function":"call_api","arguments":{"url":"https://a.example","token":"` + secret + `"}}`)
	if strings.Contains(string(a.Action), secret) || !strings.Contains(string(a.Action), "[REDACTED:") || a.Digest == a.ShownDigest || len(a.Carried) == 0 {
		t.Errorf("stored is %s, digests %s and %s, %d carried", a.Action, a.Digest, a.ShownDigest, len(a.Carried))
	}
	h.trail(a.ID)
	var n int
	if err := h.raw.QueryRowContext(t.Context(), "SELECT (SELECT count(*) FROM approvals WHERE action || assessment || carried LIKE '%"+secret+"%') + (SELECT count(*) FROM audit_events WHERE bytes LIKE '%"+secret+"%')").Scan(&n); err != nil || n != 0 {
		t.Errorf("%d rows hold the secret, %v", n, err)
	}
}

func TestIdempotency(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	sub := approvals.Submission{Action: action(t, confirm), IdempotencyKey: "k"}
	first, created, err := h.Submit(t.Context(), h.agent, sub)
	if err != nil || !created {
		t.Fatalf("the first: %v, %v", created, err)
	}
	h.clock.advance(time.Minute)
	again, created, err := h.Submit(t.Context(), h.agent, sub)
	if err != nil || created || again.ID != first.ID || !again.CreatedAt.Equal(first.CreatedAt) {
		t.Errorf("the same again: %s (created %v), %v; want %s", again.ID, created, err, first.ID)
	}
	h.wantTrail("the same twice", first.ID, audit.Submitted)

	other := sub
	other.Action = action(t, harmless)
	_, created, err = h.Submit(t.Context(), h.agent, other)
	wantFault(t, "another body", err, fault.IdempotencyReused)
	if created {
		t.Error("another body was stored")
	}
	byOther, created, err := h.Submit(t.Context(), h.other, sub)
	if err != nil || !created || byOther.ID == first.ID {
		t.Errorf("another agent with the same key: %v, %v, %v", byOther.ID, created, err)
	}
	// What was decided meanwhile is told, too.
	if _, err := h.Cancel(t.Context(), h.agent, first.ID); err != nil {
		t.Fatal(err)
	}
	if again, _, err := h.Submit(t.Context(), h.agent, sub); err != nil || again.Status != approvals.Cancelled {
		t.Errorf("after the cancellation: %s, %v", again.Status, err)
	}
}

// TestParallelSubmissions: fifty equal ones are one.
func TestParallelSubmissions(t *testing.T) {
	t.Parallel()
	long.Race(t)
	h := newHouse(t)
	sub := approvals.Submission{Action: action(t, confirm), IdempotencyKey: "k"}
	var mu sync.Mutex
	ids, made := map[string]bool{}, 0
	won := race(t, 50, "", func(ctx context.Context, _ int) error {
		a, created, err := h.Submit(ctx, h.agent, sub)
		mu.Lock()
		defer mu.Unlock()
		ids[a.ID] = true
		if created {
			made++
		}
		return err
	})
	if won != 50 || len(ids) != 1 || made != 1 {
		t.Errorf("%d answers, %d ids, %d created", won, len(ids), made)
	}
	for id := range ids {
		h.wantTrail("fifty at once", id, audit.Submitted)
	}
}

func TestRevises(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	revise := func(agent auth.Agent, id string) (approvals.Approval, error) {
		a, _, err := h.Submit(t.Context(), agent, approvals.Submission{Action: action(t, confirm), Revises: id})
		return a, err
	}
	open := h.waiting(confirm, scoring.ChallengeConfirm)
	denied := h.waiting(confirm, scoring.ChallengeConfirm)
	h.refuse(h.ada, denied, approvals.VerdictDeny)
	changes := h.waiting(confirm, scoring.ChallengeConfirm)
	h.refuse(h.ada, changes, approvals.VerdictRequestChanges)
	h.wantTrail("changes requested", changes.ID, audit.Submitted, audit.ChangesRequested)

	for name, id := range map[string]string{"a pending one": open.ID, "a denied one": denied.ID, "none": "apr_no", "nonsense": "\u202e'\";--"} {
		_, err := revise(h.agent, id)
		wantFault(t, name, err, fault.InvalidMember)
		if f := fault.As(err); f.Member != "/revises" {
			t.Errorf("%s: the refusal names %q", name, f.Member)
		}
	}
	_, foreign := revise(h.other, changes.ID)
	_, none := revise(h.other, "apr_no")
	wantFault(t, "another agent's", foreign, fault.InvalidMember)
	if a, b := fault.As(foreign).Detail, fault.As(none).Detail; strings.ReplaceAll(a, changes.ID, "X") != strings.ReplaceAll(b, "apr_no", "X") {
		t.Errorf("another agent's id and none are told apart: %q and %q", a, b)
	}
	again, err := revise(h.agent, changes.ID)
	if err != nil || again.Revises != changes.ID || h.get(again.ID).Revises != changes.ID {
		t.Errorf("a revision: %q, %v", again.Revises, err)
	}
	h.wantTrail("a revision", again.ID, audit.Submitted)
}

func TestCancelAndList(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	a := h.waiting(confirm, scoring.ChallengeConfirm)
	_, err := h.Cancel(t.Context(), h.other, a.ID)
	wantFault(t, "another agent cancels", err, fault.Missing)
	_, err = h.Get(t.Context(), h.other, a.ID)
	wantFault(t, "another agent reads", err, fault.Missing)
	done, err := h.Cancel(t.Context(), h.agent, a.ID)
	if err != nil || done.Status != approvals.Cancelled {
		t.Errorf("cancel: %s, %v", done.Status, err)
	}
	_, err = h.Cancel(t.Context(), h.agent, a.ID)
	wantFault(t, "cancelled twice", err, fault.AlreadyDecided)
	h.wantTrail("cancelled", a.ID, audit.Submitted, audit.Cancelled)
	late := h.waiting(confirm, scoring.ChallengeConfirm)
	h.clock.advance(15 * time.Minute)
	_, err = h.Cancel(t.Context(), h.agent, late.ID)
	wantFault(t, "cancelled too late", err, fault.Expired)
	if err := h.Sweep(t.Context()); err != nil {
		t.Error(err)
	}
	_, err = h.Cancel(t.Context(), h.agent, late.ID)
	wantFault(t, "cancelled after the sweeper came", err, fault.Expired)

	var want []string
	for range 5 {
		want = append(want, h.submit(harmless).ID)
	}
	slices.Reverse(want)
	var got []string
	f := approvals.Filter{Statuses: []approvals.Status{approvals.Approved}, Limit: 2}
	for range 5 {
		page, next, err := h.List(t.Context(), h.agent, f)
		if err != nil || len(page) > 2 {
			t.Fatalf("a page of %d, %v", len(page), err)
		}
		for _, a := range page {
			got = append(got, a.ID)
		}
		if f.Before = next; next == "" {
			break
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("listed %v, want %v", got, want)
	}
	f.Before, f.Agent = "", h.agent.ID // an agent cannot ask for another one's
	if page, _, err := h.List(t.Context(), h.other, f); err != nil || len(page) != 0 {
		t.Errorf("another agent lists %d, %v", len(page), err)
	}
}
