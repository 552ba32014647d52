package store_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/notices"
	"github.com/countersign/countersign/internal/store"
)

// Who was not reached is found from what waits. Each look at the queue asks for it, and the
// notices of 90 days are many more than those of what waits.
func TestUnreachedIsReadFromWhatWaits(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.db")
	s := opened(t, store.Config{Path: path})
	var asked []ran
	if err := s.Note(func(sql string, vars []any) {
		if strings.Contains(sql, "notice_deliveries") {
			asked = append(asked, ran{sql, vars})
		}
	}); err != nil {
		t.Fatal(err)
	}
	if err := s.Notices().Read(t.Context(), "acme", func(r notices.Reader) error {
		_, err := r.Unreached()
		return err
	}); err != nil || len(asked) != 1 {
		t.Fatalf("%d statements (%v), want one", len(asked), err)
	}
	steps := lines(t, rawAt(t, path), "EXPLAIN QUERY PLAN "+asked[0].sql, asked[0].vars...)
	for _, want := range []string{"SEARCH notices USING INDEX notices_approval (tenant_id=? AND approval_id=?)", "SEARCH approvals USING COVERING INDEX approvals_ranked"} {
		if !slices.ContainsFunc(steps, func(step string) bool { return strings.Contains(step, want) }) {
			t.Errorf("%q is missing in %q", want, steps)
		}
	}
}
