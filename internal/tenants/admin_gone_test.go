package tenants_test

import (
	"slices"
	"testing"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/tenants"
)

// TestAdminGoneBeforeChange: who was removed since they came in changes nobody and
// nothing any more.
func TestAdminGoneBeforeChange(t *testing.T) {
	t.Parallel()
	v := newTown(t)
	alma, ada := v.people["alma"], v.people["ada"].Person.ID
	key, a := v.make("bot")
	must(t, v.RemoveMember(t.Context(), v.people["adam"], alma.Person.ID))
	for what, act := range map[string]func() error{
		"roles":        func() error { return v.SetRoles(t.Context(), alma, ada, []auth.Role{auth.Admin}) },
		"a removal":    func() error { return v.RemoveMember(t.Context(), alma, v.people["adam"].Person.ID) },
		"sessions":     func() error { return v.EndSessions(t.Context(), alma, ada) },
		"a stop":       func() error { return v.StopAgent(t.Context(), alma, a.ID, "why not") },
		"a revocation": func() error { return v.RevokeKey(t.Context(), alma, a.ID, a.KeyID) },
		"a new key": func() error {
			_, err := v.RotateKey(t.Context(), alma, a.ID, tenants.NewKey{ID: auth.NewID("key")}, 0)
			return err
		},
	} {
		wantFault(t, what, act(), fault.Denied)
	}
	v.works(key)
	if got := v.roles("acme", ada); !slices.Equal(got, []auth.Role{auth.Operator}) {
		t.Errorf("ada is %v now", got)
	}
}
