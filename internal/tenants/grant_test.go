package tenants_test

import (
	"testing"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
)

// TestGrantIsRecordedAsWhatItIs: the break-glass is told as such, also for somebody who was
// no member; whoever is made a member otherwise is created.
func TestGrantIsRecordedAsWhatItIs(t *testing.T) {
	t.Parallel()
	v := newTown(t)
	ctx := t.Context()
	must(t, v.CreateTenant(ctx, "fresh"))
	if _, err := v.Grant(ctx, "fresh", v.people["adam"].Person.Email, []auth.Role{auth.Admin}); err != nil {
		t.Fatal(err)
	}
	e := v.newest("fresh", audit.RolesGranted)
	if e.Data.Get("person").Text() != v.people["adam"].Person.ID || !e.Data.Get("before").IsAbsent() || e.Data.Get("roles").Len() != 1 {
		t.Errorf("told is %s", e.Data.Canonical())
	}
	if _, err := v.CreatePerson(ctx, "fresh", "new@acme.test", "", "", []auth.Role{auth.Operator}); err != nil {
		t.Fatal(err)
	}
	kinds := map[audit.Kind]int{}
	for _, e := range v.events("fresh") {
		kinds[e.Kind]++
	}
	if kinds[audit.PersonCreated] != 1 || kinds[audit.RolesGranted] != 1 {
		t.Errorf("the trail has %v", kinds)
	}
}
