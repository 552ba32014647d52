package approvals_test

import (
	"testing"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/long"
	"github.com/countersign/countersign/internal/scoring"
)

// dismiss takes ada's role away.
func (h *house) dismiss() {
	h.t.Helper()
	if _, err := h.rooms().RemoveMember(h.t.Context(), h.eve, h.ada.Person.ID); err != nil {
		h.t.Fatal(err)
	}
}

// TestRoleGoneBeforeDecision: who was removed while a yes waits gives none.
func TestRoleGoneBeforeDecision(t *testing.T) {
	t.Parallel()
	long.Race(t)
	h := newPostgresHouse(t)
	h.policy(func(p *scoring.Policy) { p.MinReviewSeconds.Medium = 0 })
	a := h.waiting(confirm, scoring.ChallengeConfirm)
	v, err := h.Show(t.Context(), h.ada, a.ID)
	if err != nil {
		t.Fatal(err)
	}
	release := h.hold("SELECT 1 FROM approvals WHERE approval_id = $1 FOR UPDATE", a.ID)
	done := h.blocked(func() error {
		_, err := h.Decide(t.Context(), h.ada, a.ID, approvals.DecideInput{Verdict: approvals.VerdictApprove, Digest: a.ShownDigest, Version: a.Version, Challenge: v.Challenge.ID})
		return err
	})
	h.dismiss()
	release()
	wantFault(t, "a yes of somebody who was removed", done(), fault.NotEligible)
	h.status("the request", a.ID, approvals.Pending)
}

// TestRoleGoneBehindTheOperators: so does who was removed after the operators were
// read.
func TestRoleGoneBehindTheOperators(t *testing.T) {
	t.Parallel()
	long.Race(t)
	h := newPostgresHouse(t)
	a := h.waiting(confirm, scoring.ChallengeConfirm)
	release := h.hold("SELECT 1 FROM agents WHERE agent_id = $1 FOR NO KEY UPDATE", h.agent.ID) // where the no is counted
	done := h.blocked(func() error {
		_, err := h.Decide(t.Context(), h.ada, a.ID, approvals.DecideInput{Verdict: approvals.VerdictDeny, Reason: "no", Digest: a.ShownDigest, Version: a.Version})
		return err
	})
	h.dismiss()
	release()
	wantFault(t, "a no of somebody who was removed", done(), fault.NotEligible)
	h.wantTrail("the request", a.ID, audit.Submitted)
}

// TestRoleGoneDuringDenyAll: each of many is decided by somebody who may then.
func TestRoleGoneDuringDenyAll(t *testing.T) {
	t.Parallel()
	long.Race(t)
	h := newPostgresHouse(t)
	first, second, third := h.waiting(confirm, scoring.ChallengeConfirm), h.waiting(confirm, scoring.ChallengeConfirm), h.waiting(confirm, scoring.ChallengeConfirm)
	release := h.hold("SELECT 1 FROM approvals WHERE approval_id = $1 FOR UPDATE", second.ID)
	var all []approvals.Outcome
	done := h.blocked(func() (err error) {
		_, all, err = h.DenyAll(t.Context(), h.ada, []approvals.Pick{pick(first), pick(second), pick(third)}, "no")
		return err
	})
	h.dismiss()
	release()
	if err := done(); err != nil {
		t.Fatal(err)
	}
	wantOutcomes(t, "removed after the first", all, "", fault.NotEligible, fault.NotEligible)
	h.status("the first", first.ID, approvals.Denied)
	h.status("the last", third.ID, approvals.Pending)
}

// TestRoleGoneBesideDecisions: nor does anybody do anything else by a role of
// yesterday.
func TestRoleGoneBesideDecisions(t *testing.T) {
	t.Parallel()
	for db, open := range map[string]func(t testing.TB) *house{"sqlite": newHouse, "postgres": newPostgresHouse} {
		t.Run(db, func(t *testing.T) {
			t.Parallel()
			h := open(t)
			a := h.waiting(confirm, scoring.ChallengeConfirm)
			g := h.allow(h.ben, ahead(a, 3))
			h.dismiss()
			admin := h.ada
			admin.Roles = []auth.Role{auth.Admin}
			for what, act := range map[string]func() error{
				"a revocation": func() error { return h.RevokeStanding(t.Context(), h.ada, g.ID, "no") },
				"a withdrawal": func() error {
					_, _, err := h.Withdraw(t.Context(), admin, h.agent.ID, "no")
					return err
				},
				"a filter": func() error {
					return h.SaveFilter(t.Context(), h.ada, approvals.SavedFilter{List: approvals.QueueList, Name: "mine", Query: "q=x"})
				},
				"an end of a filter":  func() error { return h.ForgetFilter(t.Context(), h.ada, approvals.QueueList, "mine") },
				"a look":              func() error { return h.Look(t.Context(), h.ada, a.ID) },
				"a release":           func() error { return h.Release(t.Context(), h.ada, a.ID) },
				"a quiz that is left": func() error { return h.LeaveQuiz(t.Context(), h.ada, a.ID) },
			} {
				wantFault(t, what, act(), fault.Denied)
			}
			h.status("the request", a.ID, approvals.Pending)
			if h.standing(g.ID).RevokedAt != nil {
				t.Error("what was allowed ahead is revoked")
			}
		})
	}
}

// TestRoleGoneDuringRevocation: nor by one that is taken away while it waits.
func TestRoleGoneDuringRevocation(t *testing.T) {
	t.Parallel()
	long.Race(t)
	h := newPostgresHouse(t)
	g := h.allow(h.ben, ahead(h.waiting(confirm, scoring.ChallengeConfirm), 3))
	release := h.hold("SELECT 1 FROM standing_grants WHERE standing_id = $1 FOR UPDATE", g.ID)
	done := h.blocked(func() error { return h.RevokeStanding(t.Context(), h.ada, g.ID, "no") })
	h.dismiss()
	release()
	wantFault(t, "a revocation", done(), fault.Denied)
	if h.standing(g.ID).RevokedAt != nil {
		t.Error("it is revoked")
	}
}

// TestPolicyReplacedMeanwhile: a new version counts from the very next submission and
// consumption, wherever they wait for something.
func TestPolicyReplacedMeanwhile(t *testing.T) {
	t.Parallel()
	long.Race(t)
	deny := func(p *scoring.Policy) {
		p.Challenges.Low, p.Challenges.Medium = scoring.ChallengeDeny, scoring.ChallengeDeny
	}
	t.Run("a submission waits for its agent", func(t *testing.T) {
		t.Parallel()
		h := newPostgresHouse(t)
		release := h.hold("SELECT 1 FROM agents WHERE agent_id = $1 FOR UPDATE", h.agent.ID)
		var a approvals.Approval
		done := h.blocked(func() (err error) {
			a, _, err = h.Submit(t.Context(), h.agent, approvals.Submission{Action: action(t, harmless)})
			return err
		})
		h.policy(deny)
		release()
		if err := done(); err != nil || a.Status != approvals.Blocked || a.PolicyVersion != 2 {
			t.Errorf("%s by version %d, %v; want it blocked by version 2", a.Status, a.PolicyVersion, err)
		}
	})
	t.Run("a consumption waits for its grant", func(t *testing.T) {
		t.Parallel()
		h := newPostgresHouse(t)
		a := h.submit(harmless)
		release := h.hold("SELECT 1 FROM grants WHERE approval_id = $1 FOR UPDATE", a.ID)
		done := h.blocked(func() error { _, err := h.consume(a, a.Digest, ""); return err })
		h.policy(deny)
		release()
		wantFault(t, "spending it", done(), fault.StricterNow)
		h.wantTrail("its grant", a.ID, audit.Submitted, audit.Approved, audit.GrantVoided)
	})
	t.Run("a consumption waits for what allowed it ahead", func(t *testing.T) {
		t.Parallel()
		h := newPostgresHouse(t)
		g := h.allow(h.ada, ahead(h.waiting(confirm, scoring.ChallengeConfirm), 3))
		a := h.submit(confirm)
		release := h.hold("SELECT 1 FROM standing_grants WHERE standing_id = $1 FOR UPDATE", g.ID)
		done := h.blocked(func() error { _, err := h.consume(a, a.Digest, ""); return err })
		h.policy(deny)
		release()
		wantFault(t, "spending it", done(), fault.StricterNow)
	})
	t.Run("its maker loses the role", func(t *testing.T) {
		t.Parallel()
		h := newPostgresHouse(t)
		g := h.allow(h.ada, ahead(h.waiting(confirm, scoring.ChallengeConfirm), 3))
		release := h.hold("SELECT 1 FROM standing_grants WHERE standing_id = $1 FOR UPDATE", g.ID)
		var a approvals.Approval
		done := h.blocked(func() (err error) {
			a, _, err = h.Submit(t.Context(), h.agent, approvals.Submission{Action: action(t, confirm)})
			return err
		})
		h.dismiss()
		release()
		if err := done(); err != nil || a.Status != approvals.Pending {
			t.Errorf("the submission is %s, %v; want it to wait for somebody", a.Status, err)
		}
	})
}
