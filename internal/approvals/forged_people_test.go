package approvals_test

import (
	"testing"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
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
