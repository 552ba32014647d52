package lifetest

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
)

// hasty lets approvals be decided at once.
func (h *house) hasty() {
	h.t.Helper()
	h.policy(func(p *scoring.Policy) { p.EarlyAnswer = scoring.EarlyFlag })
}

// Whoever writes to the tables that say what was asked, what was read, and who may decide
// it, gets nothing approved. Saying no stays open.
func TestForgedAuthorityApprovesNothing(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *house) {
		h.hasty()
		edits := map[string]struct{ table, edit, back string }{
			"a right":                 {"memberships", "UPDATE memberships SET roles = 'operator,admin' WHERE roles = 'operator'", "UPDATE memberships SET roles = 'operator' WHERE roles = 'operator,admin'"},
			"an owner":                {"agents", "UPDATE agents SET owner_id = 'per_x'", "UPDATE agents SET owner_id = ''"},
			"who made a key":          {"agent_keys", "UPDATE agent_keys SET created_by = 'per_x'", "UPDATE agent_keys SET created_by = ''"},
			"a key of somebody's own": {"agent_keys", "UPDATE agent_keys SET key_hash = 'x' || key_hash", "UPDATE agent_keys SET key_hash = substr(key_hash, 2)"},
			"the act":                 {"approvals", "UPDATE approvals SET digest = 'x' || digest WHERE status = 'pending'", "UPDATE approvals SET digest = substr(digest, 2) WHERE status = 'pending'"},
			"the owner of the act":    {"approvals", "UPDATE approvals SET agent_owner = 'per_x' WHERE status = 'pending'", "UPDATE approvals SET agent_owner = '' WHERE status = 'pending'"},
			"an earlier look":         {"first_views", "UPDATE first_views SET person_id = person_id || 'x'", "UPDATE first_views SET person_id = substr(person_id, 1, length(person_id) - 1)"},
			"another challenge":       {"challenges", "UPDATE challenges SET attempt = attempt + 1", "UPDATE challenges SET attempt = attempt - 1"},
		}
		for _, e := range edits {
			h.disarmIfAny(e.table)
		}
		for _, what := range slices.Sorted(maps.Keys(edits)) {
			a := h.waiting(confirm, scoring.ChallengeConfirm)
			v := h.show(h.ada, a.ID)
			h.exec(edits[what].edit)
			_, err := h.decide(h.ada, a.ID, form(v))
			wantFault(t, what, err, fault.GrantUnproven)
			h.status(what, a.ID, approvals.Pending)
			h.exec(edits[what].back)
			if what == "a right" { // the tables are as they were
				if _, err := h.decide(h.ada, a.ID, form(v)); err != nil {
					t.Errorf("%s, put back: %v", what, err)
				}
				continue
			}
			h.exec(edits[what].edit)
			if _, err := h.decide(h.ada, a.ID, approvals.DecideInput{Verdict: approvals.VerdictDeny, Reason: "no", Digest: v.ShownDigest, Version: v.Version}); err != nil {
				t.Errorf("%s: denied: %v", what, err)
			}
			h.exec(strings.ReplaceAll(edits[what].back, "pending", "denied"))
		}
	})
}

// disarmIfAny is disarm for a table that may have no triggers.
func (h *house) disarmIfAny(table string) {
	h.t.Helper()
	if h.clock != nil {
		var n int
		if err := h.raw.QueryRowContext(h.t.Context(), "SELECT count(*) FROM sqlite_master WHERE type = 'trigger' AND tbl_name = $1", table).Scan(&n); err != nil {
			h.t.Fatal(err)
		}
		if n == 0 {
			return
		}
	}
	h.disarm(table)
}

// A signature that nobody gave completes nothing.
func TestForgedSignature(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *house) {
		h.policy(func(p *scoring.Policy) {
			p.EarlyAnswer, p.FreshSignInMinutes = scoring.EarlyFlag, 0
			p.ApprovalsRequired.Critical = 2
		})
		a := h.waiting(explicit, scoring.ChallengeExplicit)
		signed, err := h.decide(h.ada, a.ID, form(h.show(h.ada, a.ID)))
		if err != nil || signed.Status != approvals.Pending || len(signed.Signatures) != 1 {
			t.Fatalf("signed: %s with %d signatures, %v", signed.Status, len(signed.Signatures), err)
		}
		b := h.waiting(strings.Replace(explicit, "billing.invoices", "billing.orders", 1), scoring.ChallengeExplicit)
		h.copyRow("signatures", a.ID, map[string]any{"approval_id": b.ID})
		_, err = h.decide(h.ben, b.ID, form(h.show(h.ben, b.ID)))
		wantFault(t, "with a signature that nobody gave", err, fault.GrantUnproven)
		if done, err := h.decide(h.ben, a.ID, form(h.show(h.ben, a.ID))); err != nil || done.Status != approvals.Approved {
			t.Errorf("control: with a real one it is %s, %v", done.Status, err)
		}
	})
}

// A grant that nobody made ahead, and one that covers more, longer or more often than what
// somebody allowed, lets nothing through.
func TestForgedSessionGrants(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *house) {
		h.hasty()
		made := func() approvals.Standing {
			a := h.waiting(setStatus, scoring.ChallengeConfirm)
			in := form(h.show(h.ada, a.ID))
			in.Next = 2
			if _, err := h.decide(h.ada, a.ID, in); err != nil {
				t.Fatal(err)
			}
			page, err := h.Standing(t.Context(), h.ada, approvals.StandingQuery{Limit: 1})
			if err != nil || len(page.Standing) != 1 {
				t.Fatalf("%d grants, %v", len(page.Standing), err)
			}
			return page.Standing[0]
		}
		real := made()
		h.disarm("standing_grants")
		elsewhere := strings.Replace(setStatus, `"s1"`, `"s2"`, 1)
		for _, c := range []struct{ what, body, edit, back string }{
			{"another session", elsewhere, "UPDATE standing_grants SET session_id = 's2'", "UPDATE standing_grants SET session_id = 's1'"},
			{"no session at all", elsewhere, "UPDATE standing_grants SET session_id = '', effects = ''", ""},
			{"made by somebody else", setStatus, "UPDATE standing_grants SET made_by = '" + h.ben.Person.ID + "'", "UPDATE standing_grants SET made_by = '" + h.ada.Person.ID + "'"},
			{"more uses", setStatus, "UPDATE standing_grants SET uses = 40, uses_left = 40", "UPDATE standing_grants SET uses = 2, uses_left = 2"},
			{"fewer spent than were", setStatus, "UPDATE standing_grants SET uses_left = 1", "UPDATE standing_grants SET uses_left = 2"},
			{"a longer time", setStatus, "UPDATE standing_grants SET ends_at = '2040-01-01 00:00:00+00:00'", ""},
			{"another agent's", setStatus, "UPDATE standing_grants SET agent_id = '" + h.other.ID + "'", ""},
		} {
			h.exec(c.edit)
			if a := h.submit(c.body); a.Status != approvals.Pending {
				t.Errorf("%s: it is %s by %q", c.what, a.Status, a.StandingID())
			}
			if c.what == "another agent's" {
				a, _, err := h.Submit(t.Context(), h.other, approvals.Submission{Action: action(t, c.body)})
				if err != nil || a.Status != approvals.Pending {
					t.Errorf("%s, asked by that one: %s, %v", c.what, a.Status, err)
				}
			}
			if d := h.foretell(c.body); d.Status != approvals.Pending {
				t.Errorf("%s: a dry run says %s", c.what, d.Status)
			}
			if c.back != "" {
				h.exec(c.back)
				continue
			}
			h.exec("DELETE FROM standing_grants")
			real = made()
		}
		if a := h.submit(setStatus); a.Status != approvals.Approved || a.StandingID() != real.ID {
			t.Errorf("control: by the real one it is %s by %q", a.Status, a.StandingID())
		}
		h.exec("UPDATE standing_grants SET uses_left = 2")
		if a := h.submit(setStatus); a.Status != approvals.Pending {
			t.Errorf("a use that was given back: %s", a.Status)
		}
		h.exec("UPDATE standing_grants SET uses_left = 1")
		if err := h.RevokeStanding(t.Context(), h.ben, real.ID, "no more"); err != nil {
			t.Fatal(err)
		}
		h.exec("UPDATE standing_grants SET revoked_at = NULL, revoked_by = '', revoked_by_name = '', revoke_reason = ''")
		if a := h.submit(setStatus); a.Status != approvals.Pending {
			t.Errorf("one that was revoked: %s", a.Status)
		}
	})
}

// One yes does not stand for a request that somebody wrote to.
func TestForgedTwin(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.hasty()
	a, b, c := h.waiting(confirm, scoring.ChallengeConfirm), h.waiting(confirm, scoring.ChallengeConfirm), h.waiting(confirm, scoring.ChallengeConfirm)
	in := form(h.show(h.ada, a.ID))
	in.Also = []approvals.Twin{{ID: b.ID, Version: b.Version}, {ID: c.ID, Version: c.Version}}
	h.disarm("approvals")
	h.exec("UPDATE approvals SET agent_owner = 'per_x' WHERE approval_id = $1", b.ID)
	if _, _, err := h.DecideAlike(t.Context(), h.ada, a.ID, in); err != nil {
		t.Fatal(err)
	}
	h.status("the one that was written to", b.ID, approvals.Pending)
	h.status("the other one", c.ID, approvals.Approved)
}
