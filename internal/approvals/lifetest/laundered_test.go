package lifetest

import (
	"testing"
	"time"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/tenants"
)

// A forged row does not become a true one by somebody's next act: while the tables are not
// what the trail says, nobody makes a policy of the stored one, gives an agent or a person
// anything, or is given anything by a right that is forged. Taking away always works.
func TestForgedRowsAreNotLaundered(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *house) {
		ctx, s := t.Context(), h.people()
		h.signIn(h.eve)
		forged := h.ada // an operator who writes to the database
		forged.Roles = []auth.Role{auth.Operator, auth.Admin}
		for _, table := range []string{"memberships", "policies"} {
			h.disarmIfAny(table)
		}
		const newest = "version = (SELECT max(version) FROM policies)"
		real := h.stored("SELECT policy FROM policies WHERE " + newest)
		edits := map[string][2]string{
			"a forged right":  {"UPDATE memberships SET roles = 'operator,admin' WHERE person_id = '" + h.ada.Person.ID + "'", "UPDATE memberships SET roles = 'operator' WHERE person_id = '" + h.ada.Person.ID + "'"},
			"a forged policy": {"UPDATE policies SET policy = '" + asksNobody(t, real) + "' WHERE " + newest, "UPDATE policies SET policy = '" + real + "' WHERE " + newest},
		}
		for _, c := range []struct {
			what string
			by   auth.Member
			want fault.Code
		}{{"a forged right", forged, fault.Denied}, {"a forged right", h.eve, fault.GrantUnproven}, {"a forged policy", h.eve, fault.GrantUnproven}} {
			what, by, edit := c.what, c.by, edits[c.what]
			h.exec(edit[0])
			now, err := s.CurrentPolicy(ctx, by)
			if err != nil {
				t.Fatal(err)
			}
			stricter := now.Policy
			stricter.GrantSeconds = 30
			for act, do := range map[string]func() error{
				"a stricter policy": func() error {
					made, _, err := s.SavePolicy(ctx, by, tenants.Change{Base: now.Version, Policy: stricter, Reason: "x", Typed: "acme"})
					if c.want == fault.Denied && err == nil && made == nil {
						return fault.New(fault.Denied, "it is proposed, as an operator may")
					}
					return err
				},
				"an agent": func() error {
					_, _, err := s.MakeAgent(ctx, by, tenants.NewAgent{Name: "new", KeyID: auth.NewID("key")})
					return err
				},
				"another key": func() error {
					_, err := s.RotateKey(ctx, by, h.other.ID, tenants.NewKey{ID: auth.NewID("key")}, 0)
					return err
				},
				"a longer key": func() error { return s.SetExpiry(ctx, by, h.agent.ID, h.agent.KeyID, time.Hour) },
				"an invitation": func() error {
					_, _, err := s.Invite(ctx, by, auth.NewID("tkt"), "x@acme.test", []auth.Role{auth.Operator})
					return err
				},
				"roles":     func() error { _, err := s.SetRoles(ctx, by, h.ben.Person.ID, []auth.Role{auth.Admin}); return err },
				"a removal": func() error { _, err := s.RemoveMember(ctx, by, h.ben.Person.ID); return err },
				"a binding": func() error {
					_, err := s.BindAgent(ctx, by, h.agent.ID, tenants.NewBinding{Bound: tenants.Bound{Environment: "staging"}, Reason: "x"})
					return err
				},
			} {
				if err := do(); !fault.Is(err, c.want) {
					t.Errorf("%s, %s: %v, want %s", what, act, err, c.want)
				}
			}
			if err := s.Suspend(ctx, h.eve, h.ben.Person.ID, "to be safe"); err != nil {
				t.Errorf("%s, suspending: %v", what, err)
			}
			h.exec(edit[1])
			if _, err := s.Reinstate(ctx, h.eve, h.ben.Person.ID); err != nil {
				t.Errorf("%s taken back, reinstating: %v", what, err)
			}
		}
		if _, _, err := s.SavePolicy(ctx, h.eve, tenants.Change{Base: 1, Policy: func() scoring.Policy { p := scoring.DefaultPolicy(); p.GrantSeconds = 30; return p }(), Reason: "x", Typed: "acme"}); fault.Is(err, fault.GrantUnproven) {
			t.Errorf("taken back, the policy: %v", err)
		}
		h.waiting(confirm, scoring.ChallengeConfirm)
	})
}
