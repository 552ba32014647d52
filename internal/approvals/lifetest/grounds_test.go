package lifetest

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

// later begins an act that waits for whoever came before it.
func later(act func() error) (done func() error) {
	ended := make(chan error, 1)
	go func() { ended <- act() }()
	return func() error { return <-ended }
}

// TestNothingIsReadBeforeTheLog: an act that waits for its turn goes by what those did who came
// before it, whatever it is that they changed.
func TestNothingIsReadBeforeTheLog(t *testing.T) {
	t.Parallel()
	long.Race(t)
	stricter := func(h *house) {
		h.policy(func(p *scoring.Policy) {
			p.Challenges.Low, p.Challenges.Medium = scoring.ChallengeDeny, scoring.ChallengeDeny
		})
	}
	for what, c := range map[string]struct {
		first func(h *house)
		act   func(t *testing.T, h *house) (act func() error, check func(err error))
	}{
		"a yes of somebody who is removed": {(*house).dismiss, func(t *testing.T, h *house) (func() error, func(error)) {
			h.policy(func(p *scoring.Policy) { p.MinReviewSeconds.Medium = 0 })
			a := h.waiting(confirm, scoring.ChallengeConfirm)
			v := h.show(h.ada, a.ID)
			return func() error {
					_, err := h.Decide(t.Context(), h.ada, a.ID, approvals.DecideInput{Verdict: approvals.VerdictApprove, Digest: a.ShownDigest, Version: a.Version, Challenge: v.Challenge.ID})
					return err
				}, func(err error) {
					wantFault(t, "it", err, fault.NotEligible)
					h.status("the request", a.ID, approvals.Pending)
				}
		}},
		"a no of somebody who is removed": {(*house).dismiss, func(t *testing.T, h *house) (func() error, func(error)) {
			a := h.waiting(confirm, scoring.ChallengeConfirm)
			return func() error {
					_, err := h.Decide(t.Context(), h.ada, a.ID, approvals.DecideInput{Verdict: approvals.VerdictDeny, Reason: "no", Digest: a.ShownDigest, Version: a.Version})
					return err
				}, func(err error) {
					wantFault(t, "it", err, fault.NotEligible)
					h.wantTrail("the request", a.ID, audit.Submitted)
				}
		}},
		"a revocation by somebody who is removed": {(*house).dismiss, func(t *testing.T, h *house) (func() error, func(error)) {
			g := h.allow(h.ben, ahead(h.waiting(confirm, scoring.ChallengeConfirm), 3))
			return func() error { return h.RevokeStanding(t.Context(), h.ada, g.ID, "no") }, func(err error) {
				wantFault(t, "it", err, fault.Denied)
				if h.standing(g.ID).RevokedAt != nil {
					t.Error("it is revoked")
				}
			}
		}},
		"a submission under a stricter policy": {stricter, func(t *testing.T, h *house) (func() error, func(error)) {
			var a approvals.Approval
			return func() (err error) {
					a, _, err = h.Submit(t.Context(), h.agent, approvals.Submission{Action: action(t, harmless)})
					return err
				}, func(err error) {
					if err != nil || a.Status != approvals.Blocked || a.PolicyVersion != 2 {
						t.Errorf("%s by version %d, %v; want it blocked by version 2", a.Status, a.PolicyVersion, err)
					}
				}
		}},
		"a consumption under a stricter policy": {stricter, func(t *testing.T, h *house) (func() error, func(error)) {
			a := h.submit(harmless)
			return func() error { _, err := h.consume(a, a.Digest, ""); return err }, func(err error) {
				wantFault(t, "it", err, fault.StricterNow)
				h.wantTrail("its grant", a.ID, audit.Submitted, audit.Approved, audit.GrantVoided)
			}
		}},
		"a submission whose standing approval is by somebody who is removed": {(*house).dismiss, func(t *testing.T, h *house) (func() error, func(error)) {
			h.allow(h.ada, ahead(h.waiting(confirm, scoring.ChallengeConfirm), 3))
			var a approvals.Approval
			return func() (err error) {
					a, _, err = h.Submit(t.Context(), h.agent, approvals.Submission{Action: action(t, confirm)})
					return err
				}, func(err error) {
					if err != nil || a.Status != approvals.Pending {
						t.Errorf("it is %s, %v; want it to wait for somebody", a.Status, err)
					}
				}
		}},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			h := newPostgresHouse(t)
			act, check := c.act(t, h)
			release := h.hold("SELECT 1 FROM audit_logs WHERE tenant_id = 'acme' FOR UPDATE")
			before := h.blocked(func() error { c.first(h); return nil })
			done := later(act) // behind it
			release()
			if err := before(); err != nil {
				t.Fatal(err)
			}
			check(done())
		})
	}
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
