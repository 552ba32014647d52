package lifetest

import (
	"fmt"
	"slices"
	"testing"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/store/rollbacktest"
	"github.com/countersign/countersign/internal/tenants"
)

// A name that somebody swapped in the table, or a salt that they took out, becomes true by no
// later sign-in and by no change of rights: it stays what verify finds.
func TestASwappedNameIsNotTold(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *house) {
		ada := h.ada.Person.ID
		signIn := func() error {
			return h.db.Tenants().Write(t.Context(), "acme", func(w tenants.Writer) error {
				return w.Append(audit.Event{Kind: audit.SignedIn, Actor: audit.Actor{Kind: "person", ID: ada}})
			})
		}
		if err := signIn(); err != nil {
			t.Fatal(err)
		}
		for what, swap := range map[string]struct{ do, undo string }{
			"a name":     {"UPDATE people SET name = name || 'x' WHERE person_id = $1", "UPDATE people SET name = substr(name, 1, length(name) - 1) WHERE person_id = $1"},
			"an address": {"UPDATE people SET email = 'x' || email WHERE person_id = $1", "UPDATE people SET email = substr(email, 2) WHERE person_id = $1"},
			"no salt":    {"UPDATE people SET password_hash = salt, salt = '' WHERE person_id = $1", "UPDATE people SET salt = password_hash, password_hash = '' WHERE person_id = $1"},
		} {
			h.exec(swap.do, ada)
			for _, restarted := range []bool{false, true} {
				if restarted {
					h.restart()
				}
				wantFault(t, what+": a sign-in", signIn(), fault.GrantUnproven)
			}
			_, err := h.rooms().CreatePerson(t.Context(), "acme", h.stored("SELECT email FROM people WHERE person_id = '"+ada+"'"), "", "", []auth.Role{auth.Admin})
			wantFault(t, what+": other rights", err, fault.GrantUnproven)
			if r, err := h.db.Audit().Verify(t.Context(), "acme"); err != nil || r.OK {
				t.Errorf("%s: the trail: %v, %v", what, r, err)
			}
			h.exec(swap.undo, ada)
		}
		if err := signIn(); err != nil {
			t.Errorf("as it was: %v", err)
		}
		h.wantVerified()
	})
}

// Who reads goes by the log: a row that somebody wrote into the table of members, or put back,
// lets nobody in, and gives nobody a role.
func TestForgedMembersReadNothing(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *house) {
		rooms, ben := h.rooms(), h.ben.Person.ID
		if err := rooms.CreateTenant(t.Context(), "rival"); err != nil {
			t.Fatal(err)
		}
		rita, err := rooms.CreatePerson(t.Context(), "rival", "rita@rival.test", "", "", []auth.Role{auth.Admin})
		if err != nil {
			t.Fatal(err)
		}
		// roles are what somebody finds in acme, by each of the doors; none of a stranger.
		roles := func(person string) string {
			t.Helper()
			rooms := h.rooms()
			m, err := rooms.Member(t.Context(), "acme", person)
			if err != nil && !fault.Is(err, fault.Missing) {
				t.Fatal(err)
			}
			all, err := rooms.EnterAll(t.Context(), "acme", []tenants.Visitor{{Person: auth.Person{ID: person}, SignedIn: freshly}})
			if err != nil {
				t.Fatal(err)
			}
			for _, in := range all {
				if !slices.Equal(in.Roles, m.Roles) {
					t.Errorf("one door finds %v, another one %v", m.Roles, in.Roles)
				}
			}
			if (len(all) == 0) != (m.Person.ID == "") {
				t.Errorf("one door lets in %d, another one %q", len(all), m.Person.ID)
			}
			err = h.db.Tenants().Read(t.Context(), "acme", func(r tenants.Reader) error {
				listed, err := r.Members()
				if slices.ContainsFunc(listed, func(l tenants.Membership) bool { return l.Person.ID == person }) != (len(all) == 1) {
					t.Errorf("%d let in, and listed are %v", len(all), listed)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			return fmt.Sprint(m.Roles)
		}
		want := func(what, person, roleNames string) {
			t.Helper()
			for _, restarted := range []bool{false, true} {
				if restarted {
					h.restart()
				}
				if got := roles(person); got != roleNames {
					t.Errorf("%s: the roles are %s, want %s; restarted %t", what, got, roleNames, restarted)
				}
			}
		}
		want("a stranger", rita.ID, "[]")
		want("ben", ben, "[operator]")
		h.exec("INSERT INTO memberships (tenant_id, person_id, roles, created_at) SELECT 'acme', person_id, 'compliance', created_at FROM memberships WHERE tenant_id = 'rival'")
		want("a forged member", rita.ID, "[]")
		h.exec("UPDATE memberships SET roles = 'operator,admin' WHERE tenant_id = 'acme' AND person_id = $1", ben)
		want("forged roles", ben, "[operator]")
		h.exec("UPDATE memberships SET roles = 'operator' WHERE tenant_id = 'acme' AND person_id = $1", ben)
		h.exec("DELETE FROM memberships WHERE tenant_id = 'acme' AND person_id = $1", rita.ID)

		first, other := h.server(), h.process(h.heads)
		h.use(other)
		if got := roles(ben); got != "[operator]" {
			t.Errorf("at another server the roles are %s", got)
		}
		h.use(first)
		if err := h.rooms().Suspend(t.Context(), h.eve, ben, "on leave"); err != nil {
			t.Fatal(err)
		}
		h.exec("UPDATE memberships SET suspended_at = NULL WHERE tenant_id = 'acme' AND person_id = $1", ben)
		h.use(other)
		if got := roles(ben); got != "[]" { // though the row is as this server knew it
			t.Errorf("suspended at one server, at another one the roles are %s", got)
		}
		h.use(first)
		want("no longer suspended in the table", ben, "[]")
		h.exec("UPDATE memberships SET suspended_at = sessions_from WHERE tenant_id = 'acme' AND person_id = $1", ben)
		two, one := h.process(h.heads), h.server()
		h.use(two)
		if got := roles(ben); got != "[]" { // and it reads the log
			t.Errorf("at another server the roles are %s", got)
		}
		h.use(one)
		if asked, err := h.rooms().RemoveMember(t.Context(), h.eve, ben); err != nil || asked {
			t.Fatalf("it waits: %t, %v", asked, err)
		}
		h.exec("INSERT INTO memberships (tenant_id, person_id, roles, created_at) SELECT 'acme', $1, 'operator', created_at FROM memberships WHERE tenant_id = 'rival'", ben)
		want("put back", ben, "[]")
		h.use(two)
		want("put back, at another server", ben, "[]")
		two = h.process(h.heads)
		h.exec("DELETE FROM memberships WHERE tenant_id = 'acme' AND person_id = $1", ben)
		if _, err := h.rooms().CreatePerson(t.Context(), "acme", "ben@acme.test", "", "", []auth.Role{auth.Compliance}); err != nil {
			t.Fatal(err)
		}
		h.use(two)
		want("who joined at another server", ben, "[compliance]")
		h.wantVerified()
	})
}

// While a log isn't what was signed, those who were members when it held still see that; a
// server that never saw it hold lets nobody in.
func TestWhoReadsARefusedLog(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *house) {
		ada := h.ada.Person.ID
		before := rollbacktest.Take(t, h.raw, h.clock != nil)
		h.submit(harmless)
		before.PutBack(t)
		_, _, err := h.Submit(t.Context(), h.agent, approvals.Submission{Action: action(t, harmless)})
		wantFault(t, "a submission", err, fault.GrantUnproven)
		if m, err := h.rooms().Member(t.Context(), "acme", ada); err != nil || len(m.Roles) != 1 {
			t.Errorf("who was a member finds %v, %v", m.Roles, err)
		}
		h.restart()
		_, err = h.rooms().Member(t.Context(), "acme", ada)
		wantFault(t, "after a restart", err, fault.GrantUnproven)
	})
}
