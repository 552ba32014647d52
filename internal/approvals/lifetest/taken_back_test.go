package lifetest

import (
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/scoring"
)

// tables say otherwise.
func TestForgedRightOfAMakerLetsNothingThrough(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *house) {
		h.eve.Roles = []auth.Role{auth.Admin}
		g := h.allow(h.ada, ahead(h.waiting(confirm, scoring.ChallengeConfirm), 3))
		given := h.submit(confirm)
		if given.Status != approvals.Approved || given.StandingID() != g.ID {
			t.Fatalf("it is %s", given.Status)
		}
		h.disarmIfAny("memberships")
		if err := h.rooms().Suspend(t.Context(), h.eve, h.ada.Person.ID, "on leave"); err != nil {
			t.Fatal(err)
		}
		h.waiting(confirm, scoring.ChallengeConfirm)
		h.exec("UPDATE memberships SET suspended_at = NULL, suspended_by = '', suspend_reason = '' WHERE person_id = $1", h.ada.Person.ID)
		if a, _, err := h.Submit(t.Context(), h.agent, approvals.Submission{Action: action(t, confirm)}); err == nil && a.Status == approvals.Approved {
			t.Errorf("it is approved by %+v", a.Decision.DecidedBy)
		}
		if _, err := h.consume(given, given.Digest, ""); err == nil {
			t.Error("what they allowed is spent")
		}
	})
}

// A standing approval that was revoked takes back what it gave, though its row says otherwise.
func TestForgedRevocationSpendsNothing(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *house) {
		g := h.allow(h.ada, ahead(h.waiting(confirm, scoring.ChallengeConfirm), 3))
		given := h.submit(confirm)
		if given.StandingID() != g.ID {
			t.Fatalf("it is %s", given.Status)
		}
		if err := h.RevokeStanding(t.Context(), h.ada, g.ID, "no"); err != nil {
			t.Fatal(err)
		}
		h.disarmIfAny("standing_grants")
		h.exec("UPDATE standing_grants SET revoked_at = NULL, revoked_by = '', revoked_by_name = '', revoke_reason = ''")
		if _, err := h.consume(given, given.Digest, ""); err == nil {
			t.Error("it is spent")
		}
	})
}

// An incident takes back what the record gave, though the tables say that there was none.
func TestForgedRecordSpendsNothing(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.farm(4)
	h.policy(trusting)
	open := h.submit(mail)
	if open.Status != approvals.Approved || !open.Assessment.Trust.Lowered {
		t.Fatalf("it is %s", open.Status)
	}
	h.clock.advance(time.Second)
	if err := h.rooms().RecordIncident(t.Context(), h.eve, h.agent.ID, "it wrote to everybody"); err != nil {
		t.Fatal(err)
	}
	h.disarmIfAny("trust_losses")
	h.exec("DELETE FROM trust_losses")
	if _, err := h.consume(open, open.Digest, ""); err == nil {
		t.Error("it is spent")
	}
}
