package lifetest

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/tenants"
)

// A log whose head is taken out isn't what was signed, and somebody is told.
func TestAHeadThatIsTakenOut(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	a := h.submit(harmless)
	h.disarm("audit_logs")
	h.exec("PRAGMA foreign_keys = OFF")
	h.exec("DELETE FROM audit_logs")
	_, err := h.consume(a, a.Digest, "")
	wantFault(t, "spending", err, fault.GrantUnproven)
	_, _, err = h.Submit(t.Context(), h.agent, approvals.Submission{Action: action(t, harmless)})
	wantFault(t, "a submission", err, fault.GrantUnproven)
	if err := h.db.LookAtHeads(t.Context()); err != nil || h.heads.Problem("acme") == "" {
		t.Errorf("nobody is told: %v", err)
	}
}

// So is one with an event after the signed end.
func TestAnEventBehindTheEnd(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	a := h.submit(harmless)
	h.disarm("audit_events")
	h.exec("INSERT INTO audit_events SELECT tenant_id, idx + 1, bytes, leaf, at, kind, actor_kind, actor_id, approval_id, agent_id, level, function, effect, seal FROM audit_events ORDER BY idx DESC LIMIT 1")
	_, err := h.consume(a, a.Digest, "")
	wantFault(t, "spending", err, fault.GrantUnproven)
	if err := h.db.LookAtHeads(t.Context()); err != nil || h.heads.Problem("acme") == "" {
		t.Errorf("nobody is told: %v", err)
	}
}

// A repeated submission is told of the first only where the log tells of it.
func TestForgedKeyOfASubmission(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	send := func(key string) (approvals.Approval, bool, error) {
		return h.Submit(t.Context(), h.agent, approvals.Submission{Action: action(t, harmless), IdempotencyKey: key, Consume: true})
	}
	first, _, err := send("monday")
	if err != nil || first.Grant.ConsumedAt == nil {
		t.Fatal(err)
	}
	h.disarmIfAny("approvals")
	h.disarmIfAny("grants")
	h.exec("UPDATE approvals SET idempotency_key = 'tuesday'")
	h.exec("UPDATE grants SET consume_key = 'tuesday'")
	again, created, err := send("tuesday")
	if err == nil && !created {
		t.Errorf("another act is told that it was approved and spent: %s, created %t, %+v", again.Status, created, again.Grant)
	}
}

// What somebody wrote into the table of tools is told of by no later import.
func TestAForgedToolIsNotToldOf(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.imports("frobnicate", "Frobs.")
	h.exec("UPDATE imported_tools SET sha256 = 'sha256:' || substr(sha256, 9) || '0'")
	if r, err := h.db.Audit().Verify(t.Context(), "acme"); err != nil || r.OK {
		t.Errorf("before: %v, %v", r, err)
	}
	s := tenants.NewService(tenants.Config{Store: h.db.Tenants(), Log: slog.New(slog.DiscardHandler)})
	_, _, err := s.ImportToolsFor(t.Context(), "acme", h.agent.Name, tenants.ToolImport{Server: "rides", List: []byte(`[{"name":"get_ride","description":"Gets."}]`)})
	if r, broken := h.db.Audit().Verify(t.Context(), "acme"); broken != nil || r.OK {
		t.Errorf("after an import of another server (%v): %v, %v", err, r, broken)
	}
}

// A request whose row and event say together that it expires later is not what was signed.
func TestForgedRowWithItsEventApprovesNothing(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *house) {
		h.hasty()
		a := h.waiting(confirm, scoring.ChallengeConfirm)
		v := h.show(h.ada, a.ID)
		later := a.ExpiresAt.Add(time.Hour)
		h.disarm("approvals")
		h.disarm("audit_events")
		h.exec("UPDATE approvals SET expires_at = $1 WHERE approval_id = $2", later, a.ID)
		h.exec("UPDATE audit_events SET bytes = replace(bytes, $1, $2) WHERE approval_id = $3 AND kind = $4", audit.FormatTime(a.ExpiresAt), audit.FormatTime(later), a.ID, string(audit.Submitted))
		_, err := h.decide(h.ada, a.ID, form(v))
		wantFault(t, "a yes", err, fault.GrantUnproven)
		h.status("the request", a.ID, approvals.Pending)
	})
}

// What is held against the log is what was read, and not what takes its place a moment later.
func TestRowsThatChangeBetweenUseAndProof(t *testing.T) {
	t.Parallel()
	h := newPostgresHouse(t)
	h.disarmIfAny("standing_grants")
	h.allow(h.ada, ahead(h.waiting(confirm, scoring.ChallengeConfirm), 3))
	other := strings.Replace(confirm, "checkout", "payments", 1)
	h.waiting(other, scoring.ChallengeConfirm)
	real := h.stored("SELECT pattern FROM standing_grants")
	h.exec("UPDATE standing_grants SET pattern = $1", strings.Replace(real, "checkout", "payments", 1))
	h.waiting(other, scoring.ChallengeConfirm) // it is found
	release := h.hold("LOCK TABLE kinships IN ACCESS EXCLUSIVE MODE")
	var a approvals.Approval
	done := h.blocked(func() (err error) {
		a, _, err = h.Submit(t.Context(), h.agent, approvals.Submission{Action: action(t, other)})
		return err
	})
	h.exec("UPDATE standing_grants SET pattern = $1", real)
	release()
	if err := done(); err == nil && a.Status == approvals.Approved {
		t.Errorf("it is approved by %+v", a.Decision.DecidedBy)
		_, err := h.consume(a, a.Digest, "")
		h.exec("ALTER TABLE standing_grants ENABLE TRIGGER USER")
		r, _ := h.db.Audit().Verify(t.Context(), "acme")
		t.Errorf("spent: %v; the trail: %s", err, r)
	}
}
