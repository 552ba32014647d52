package lifetest

import (
	"fmt"
	"testing"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/tenants"
)

// What the state of a log let go because it was over is over for good: a row that says otherwise
// gives nothing, and what a grant came of stays as long as the grant.
func TestWhatIsLetGoIsOver(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *house) {
		h.hasty()
		grow := func() {
			t.Helper()
			err := h.db.Tenants().Write(t.Context(), "acme", func(w tenants.Writer) error {
				var all []audit.Event
				for range 1100 { // more than a state hears before it lets go
					all = append(all, audit.Event{Kind: audit.SignedOut, Actor: audit.Actor{Kind: "system"}})
				}
				return w.Append(all...)
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		body := confirmWith("nightly")
		h.allow(h.ada, ahead(h.waiting(body, scoring.ChallengeConfirm), 1))
		a := h.submit(body)
		if a.Status != approvals.Approved {
			t.Fatalf("it is %s", a.Status)
		}
		now, err := h.rooms().PolicyOf(t.Context(), "acme")
		if err != nil {
			t.Fatal(err)
		}
		lax := now.Policy
		lax.Challenges.Low = scoring.ChallengeConfirm
		_, proposed, err := h.rooms().SavePolicy(t.Context(), h.ada, tenants.Change{Base: now.Version, Policy: lax, Reason: "x"})
		if err != nil || proposed == nil {
			t.Fatalf("%v, %v", proposed, err)
		}
		if err := h.people().RejectProposal(t.Context(), h.eve, proposed.ID, "no"); err != nil {
			t.Fatal(err)
		}
		ticket := auth.NewID("tkt")
		if _, _, err := h.people().Invite(t.Context(), h.eve, ticket, "new@acme.test", []auth.Role{auth.Operator}); err != nil {
			t.Fatal(err)
		}
		if err := h.rooms().WithdrawInvitation(t.Context(), h.eve, ticket); err != nil {
			t.Fatal(err)
		}
		grow()
		if _, err := h.consume(a, a.Digest, ""); err != nil {
			t.Errorf("the grant of a standing approval that is used up: %v", err)
		}
		grow()
		open := h.waiting(confirm, scoring.ChallengeConfirm)
		v := h.show(h.ada, open.ID)
		for what, forged := range map[string]struct {
			table, do, undo string
			act             func() error
			refused         bool // by an error; otherwise a call is held
		}{
			"a standing approval that was used up": {
				table: "standing_grants", do: "UPDATE standing_grants SET uses = 2, uses_left = 1", undo: "UPDATE standing_grants SET uses = 1, uses_left = 0",
				act: func() error {
					if b := h.submit(body); b.Status != approvals.Pending {
						return fmt.Errorf("it is %s", b.Status)
					}
					return nil
				},
			},
			"a policy that was rejected": {
				table: "policy_proposals", do: "UPDATE policy_proposals SET state = 'open', closed_at = NULL", undo: "UPDATE policy_proposals SET state = 'rejected', closed_at = created_at", refused: true,
				act: func() error { _, err := h.people().AcceptProposal(t.Context(), h.eve, proposed.ID); return err },
			},
			"a link that was withdrawn": {
				table: "tickets", do: "UPDATE tickets SET email = 'mallory@acme.test', withdrawn_at = NULL", undo: "UPDATE tickets SET email = 'new@acme.test', withdrawn_at = created_at", refused: true,
				act: func() error { _, err := h.decide(h.ada, open.ID, form(v)); return err },
			},
		} {
			for _, restarted := range []bool{false, true} {
				h.disarmIfAny(forged.table)
				h.exec(forged.do)
				if restarted {
					h.restart()
				}
				err := forged.act()
				if forged.refused {
					wantFault(t, fmt.Sprintf("%s, restarted %t", what, restarted), err, fault.GrantUnproven)
				} else if err != nil {
					t.Errorf("%s, restarted %t: %v", what, restarted, err)
				}
				h.exec(forged.undo)
			}
		}
		if _, err := h.decide(h.ada, open.ID, form(v)); err != nil {
			t.Errorf("as it was: %v", err)
		}
	})
}
