package tenants_test

import (
	"database/sql"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/store/storetest"
)

// What the trail says of who may do what wins: whoever edits the tables past their guards
// is found.
func TestEditedAuthorityIsFound(t *testing.T) {
	t.Parallel()
	v := newTown(t)
	storetest.Busy(t, v.Service, v.people, func() { v.clock.pass(time.Second) })
	v.verified()
	storetest.EditEach(t, v.raw(), false, storetest.AuthorityEdits, func(t *testing.T, says string) {
		report, err := v.db.Audit().Verify(t.Context(), "acme")
		if err != nil || report.OK || !strings.Contains(report.Problem, says) {
			t.Errorf("it says %q, %v, want %q", report.Problem, err, says)
		}
	})
	v.verified()
}

// raw is the database past everything that the store checks.
func (v *town) raw() *sql.DB {
	v.t.Helper()
	raw, err := sql.Open("sqlite", v.path)
	must(v.t, err)
	v.t.Cleanup(func() { must(v.t, raw.Close()) })
	return raw
}
