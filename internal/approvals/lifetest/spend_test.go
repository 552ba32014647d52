package lifetest

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/long"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/store/rollbacktest"
)

func (h *house) consume(a approvals.Approval, digest, key string) (time.Time, error) {
	spent, err := h.Consume(h.t.Context(), h.agent, a.ID, digest, key)
	return spent.At, err
}

// TestConsumeOnce: fifty at once, and one of them runs.
func TestConsumeOnce(t *testing.T) {
	t.Parallel()
	long.Race(t)
	h := newHouse(t)
	a := h.submit(harmless)
	won := race(t, 50, fault.AlreadyConsumed, func(ctx context.Context, _ int) error {
		_, err := h.Consume(ctx, h.agent, a.ID, a.Digest, "")
		return err
	})
	if won != 1 {
		t.Errorf("%d of 50 spent one grant", won)
	}
	if g := h.get(a.ID).Grant; g.ConsumedAt == nil || !g.ConsumedAt.Equal(h.clock.Now()) {
		t.Errorf("the grant: %+v", g)
	}
	h.wantTrail("fifty at once", a.ID, audit.Submitted, audit.Approved, audit.GrantConsumed)

	// With one key they are one call that is repeated.
	b := h.submit(harmless)
	var mu sync.Mutex
	times, replayed := map[time.Time]bool{}, 0
	won = race(t, 50, "", func(ctx context.Context, _ int) error {
		spent, err := h.Consume(ctx, h.agent, b.ID, b.Digest, "k")
		mu.Lock()
		defer mu.Unlock()
		times[spent.At] = true
		if spent.Replayed {
			replayed++
		}
		return err
	})
	if won != 50 || len(times) != 1 || replayed != 49 {
		t.Errorf("%d answers with %d times, %d of them replayed", won, len(times), replayed)
	}
	h.wantTrail("one call fifty times", b.ID, audit.Submitted, audit.Approved, audit.GrantConsumed)
	_, err := h.consume(b, action(t, confirm).Digest(), "k")
	wantFault(t, "the key of the call, for another digest", err, fault.AlreadyConsumed)
}

// TestConsumeRefused: who, what, when.
func TestConsumeRefused(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	a := h.submit(harmless)
	_, err := h.Consume(t.Context(), h.other, a.ID, a.Digest, "")
	wantFault(t, "another agent", err, fault.Missing)
	_, err = h.Consume(t.Context(), h.agent, "apr_no", a.Digest, "")
	wantFault(t, "none", err, fault.Missing)
	for _, digest := range []string{"", "x", a.Digest + " ", strings.ToUpper(a.Digest), action(t, confirm).Digest()} {
		_, err = h.consume(a, digest, "k")
		wantFault(t, "the digest "+digest, err, fault.DigestMismatch)
	}
	pending := h.waiting(confirm, scoring.ChallengeConfirm)
	_, err = h.consume(pending, pending.Digest, "")
	wantFault(t, "a pending one", err, fault.NotApproved)
	denied := h.refuse(h.ada, pending, approvals.VerdictDeny)
	_, err = h.consume(denied, denied.Digest, "")
	wantFault(t, "a denied one", err, fault.NotApproved)
	h.wantTrail("nothing was spent", a.ID, audit.Submitted, audit.Approved)

	first := h.clock.Now()
	at, err := h.consume(a, a.Digest, "k")
	if err != nil || !at.Equal(first) {
		t.Errorf("after the refusals: %v, %v", at, err)
	}
	h.clock.advance(time.Hour) // a repeated call is answered when the grant is long over
	at, err = h.consume(a, a.Digest, "k")
	if err != nil || !at.Equal(first) {
		t.Errorf("repeated: %v, %v; want %v", at, err, first)
	}
	for name, c := range map[string][2]string{"without a key": {a.Digest, ""}, "with another key": {a.Digest, "l"}, "with another digest": {denied.Digest, "k"}} {
		_, err = h.consume(a, c[0], c[1])
		wantFault(t, "again "+name, err, fault.AlreadyConsumed)
	}
	h.wantTrail("spent", a.ID, audit.Submitted, audit.Approved, audit.GrantConsumed)

	b := h.submit(harmless)
	h.clock.advance(300*time.Second - time.Microsecond)
	c := h.submit(harmless)
	h.clock.advance(time.Microsecond)
	_, err = h.consume(b, b.Digest, "")
	wantFault(t, "at its end", err, fault.GrantExpired)
	if _, err = h.consume(c, c.Digest, ""); err != nil {
		t.Errorf("long before its end: %v", err)
	}
	h.wantTrail("expired", b.ID, audit.Submitted, audit.Approved)
}

// TestStricterAtConsume: the grant is void for good; the approval keeps its status.
func TestStricterAtConsume(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	a, same := h.submit(harmless), h.submit(harmless)
	h.policy(func(p *scoring.Policy) { p.ExpirySeconds = 60; p.Challenges.Critical = scoring.ChallengeDeny })
	if _, err := h.consume(same, same.Digest, ""); err != nil {
		t.Errorf("an edit that does not touch this action: %v", err)
	}
	h.policy(func(p *scoring.Policy) { p.Challenges.Low = scoring.ChallengeConfirm })
	_, err := h.consume(a, a.Digest, "k")
	wantFault(t, "under a stricter policy", err, fault.StricterNow)
	got := h.get(a.ID)
	if got.Status != approvals.Approved || got.Grant.VoidedAt == nil || got.Grant.ConsumedAt != nil || got.Version != 1 {
		t.Errorf("afterwards: %s, %+v", got.Status, got.Grant)
	}
	h.policy(func(p *scoring.Policy) { p.Challenges.Low = scoring.ChallengeNone })
	_, err = h.consume(a, a.Digest, "k")
	wantFault(t, "when the policy is loose again", err, fault.StricterNow)
	_, err = h.Report(t.Context(), h.agent, a.ID, "succeeded", "")
	wantFault(t, "a report of what cannot have run", err, fault.NotConsumed)
	h.wantTrail("void", a.ID, audit.Submitted, audit.Approved, audit.GrantVoided)
}

// TestStricterAtDecision: the decision is not taken; the page has a new version.
func TestStricterAtDecision(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	a := h.waiting(confirm, scoring.ChallengeConfirm)
	v := h.show(h.ada, a.ID)
	h.clock.advance(3 * time.Second)
	h.policy(func(p *scoring.Policy) { p.Challenges.Medium = scoring.ChallengeExplicit })
	_, err := h.decide(h.ada, a.ID, form(v))
	wantFault(t, "under a stricter policy", err, fault.StricterNow)
	got := h.get(a.ID)
	if got.Status != approvals.Pending || got.Version != 2 || got.Treatment.Challenge != scoring.ChallengeExplicit || got.PolicyVersion != 2 ||
		got.Digest != a.Digest || string(got.Action) != string(a.Action) || !got.ExpiresAt.Equal(a.ExpiresAt) {
		t.Errorf("restated: %s, version %d, %+v", got.Status, got.Version, got.Treatment)
	}
	h.wantTrail("restated", a.ID, audit.Submitted, audit.Viewed, audit.ChallengeIssued, audit.Restated)
	_, err = h.decide(h.ada, a.ID, form(v))
	wantFault(t, "with the old page", err, fault.Changed)
	in := form(v)
	in.Version = 2
	_, err = h.decide(h.ada, a.ID, in)
	wantFault(t, "with the old challenge", err, fault.ChallengeRequired)

	// A looser policy gives nothing back, and reading begins anew.
	h.policy(func(p *scoring.Policy) { p.Challenges.Medium = scoring.ChallengeConfirm })
	v = h.show(h.ada, a.ID)
	if v.Kind != scoring.ChallengeExplicit || v.Version != 2 {
		t.Errorf("the new page asks for %s, version %d", v.Kind, v.Version)
	}
	_, err = h.decide(h.ada, a.ID, form(v))
	wantFault(t, "before the new version was read", err, fault.TooEarly)
	h.clock.advance(3 * time.Second)
	if done, err := h.decide(h.ada, a.ID, form(v)); err != nil || done.Version != 2 {
		t.Errorf("the new version: %v", err)
	}
	h.trail(a.ID)

	// Saying no is taken under any policy.
	b := h.waiting(confirm, scoring.ChallengeConfirm)
	h.policy(func(p *scoring.Policy) { p.Challenges.Medium = scoring.ChallengeDeny })
	h.refuse(h.ada, b, approvals.VerdictDeny)
	h.trail(b.ID)
}

// TestBlockedAtDecision: what the policy would block now cannot be approved.
func TestBlockedAtDecision(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	a := h.waiting(confirm, scoring.ChallengeConfirm)
	v := h.show(h.ada, a.ID)
	h.clock.advance(3 * time.Second)
	h.policy(func(p *scoring.Policy) { p.Challenges.Medium = scoring.ChallengeDeny })
	watch := h.hub.WatchID("acme", a.ID)
	defer watch.Close()
	_, err := h.decide(h.ada, a.ID, form(v))
	wantFault(t, "what is blocked now", err, fault.StricterNow)
	got := h.get(a.ID)
	if d := got.Decision; got.Status != approvals.Blocked || d.Verdict != approvals.VerdictBlock || d.DecidedBy[0].Kind != approvals.ByPolicy || got.Grant != nil {
		t.Errorf("it is %s, %+v", got.Status, got.Decision)
	}
	select {
	case <-watch.C():
	default:
		t.Error("the waiting agent was not told")
	}
	h.wantTrail("blocked at the decision", a.ID, audit.Submitted, audit.Viewed, audit.ChallengeIssued, audit.Blocked)
}

func TestReport(t *testing.T) {
	t.Parallel()
	long.Race(t)
	h := newHouse(t)
	const secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
	a := h.submit(harmless)
	report := func(status, detail string) (approvals.Approval, error) {
		return h.Report(t.Context(), h.agent, a.ID, status, detail)
	}
	_, err := report("succeeded", "")
	wantFault(t, "before it was spent", err, fault.NotConsumed)
	if _, err := h.consume(a, a.Digest, ""); err != nil {
		t.Fatal(err)
	}
	for _, status := range []string{"", "ok", "SUCCEEDED", "failed "} {
		_, err = report(status, "")
		wantFault(t, "the status "+status, err, fault.InvalidMember)
	}
	_, err = report("failed", strings.Repeat("x", 4097))
	wantFault(t, "a long detail", err, fault.InvalidMember)
	_, err = h.Report(t.Context(), h.other, a.ID, "failed", "")
	wantFault(t, "another agent", err, fault.Missing)

	detail := "done, with " + secret + " \u202e" + strings.Repeat("x", 100)
	first, err := report("failed", detail)
	at := h.clock.Now()
	if err != nil || strings.Contains(first.Execution.Detail, secret) || !strings.Contains(first.Execution.Detail, "[REDACTED:") || !strings.Contains(first.Execution.Detail, "\u202e") {
		t.Errorf("the report: %+v, %v", first.Execution, err)
	}
	h.clock.advance(time.Second)
	again, err := report("failed", detail)
	if err != nil || !again.Execution.ReportedAt.Equal(at) {
		t.Errorf("the same again: %+v, %v", again.Execution, err)
	}
	for _, c := range [][2]string{{"succeeded", detail}, {"failed", ""}} {
		_, err = report(c[0], c[1])
		wantFault(t, "another report", err, fault.AlreadyReported)
	}
	if got := h.get(a.ID).Execution; got.Status != "failed" || got.Detail != first.Execution.Detail {
		t.Errorf("stored is %+v", got)
	}
	var n int
	if err := h.raw.QueryRowContext(t.Context(), "SELECT (SELECT count(*) FROM executions WHERE detail LIKE '%"+secret+"%') + (SELECT count(*) FROM audit_events WHERE bytes LIKE '%"+secret+"%')").Scan(&n); err != nil || n != 0 {
		t.Errorf("%d rows hold the secret, %v", n, err)
	}
	h.wantTrail("reported", a.ID, audit.Submitted, audit.Approved, audit.GrantConsumed, audit.Reported)

	b := h.submit(harmless)
	if _, err := h.consume(b, b.Digest, ""); err != nil {
		t.Fatal(err)
	}
	won := race(t, 10, fault.AlreadyReported, func(ctx context.Context, i int) error {
		_, err := h.Report(ctx, h.agent, b.ID, "succeeded", strings.Repeat("x", i))
		return err
	})
	if won != 1 {
		t.Errorf("%d different reports were taken", won)
	}
	h.trail(b.ID)
}

// BenchmarkConsume spends grants one after the other.
func BenchmarkConsume(b *testing.B) {
	for db, open := range map[string]func(t testing.TB) *house{"sqlite": newHouse, "postgres": newPostgresHouse} {
		b.Run(db, func(b *testing.B) {
			h := open(b)
			for b.Loop() {
				b.StopTimer()
				a := h.submit(harmless)
				b.StartTimer()
				if _, err := h.consume(a, a.Digest, ""); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestNothingIsSpentOnARefusedTrail: a trail that is not the one that was signed may be an
// older one, so nothing of it is spent, a repeated call neither; when it is right again it
// goes on.
func TestNothingIsSpentOnARefusedTrail(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	a, b := h.submit(harmless), h.submit(harmless)
	earlier := rollbacktest.Take(t, h.raw, true)
	if _, err := h.consume(a, a.Digest, "k"); err != nil {
		t.Fatal(err)
	}
	now := rollbacktest.Take(t, h.raw, true)
	earlier.PutBack(t)
	_, err := h.consume(b, b.Digest, "")
	wantFault(t, "a grant", err, fault.GrantUnproven)
	_, err = h.consume(a, a.Digest, "k")
	wantFault(t, "a repeated call", err, fault.GrantUnproven)
	h.wantTrail("refused", b.ID, audit.Submitted, audit.Approved)
	now.PutBack(t)
	if _, err := h.consume(b, b.Digest, ""); err != nil {
		t.Errorf("when it is right again: %v", err)
	}
}
