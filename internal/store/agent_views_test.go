package store_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/long"
	"github.com/countersign/countersign/internal/store"
)

// readsAction finds what reads the action of an approval, or what was masked in it.
var readsAction = regexp.MustCompile(`SELECT \*|[^(]\b(action|carried)\b`)

// A list that hands nothing back reads no action, however many it tells of; neither is
// one read of what is only compared.
func TestListsReadNoActions(t *testing.T) {
	t.Parallel()
	long.NotUnderRace(t, "one call follows the other")
	path := filepath.Join(t.TempDir(), "x.db")
	s := opened(t, store.Config{Path: path})
	db := rawAt(t, path)
	flooded(t, func(statement string) { mustRaw(t, db, statement) }, "(WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300) SELECT i FROM n)", "hex(zeroblob(3000))", "datetime('2026-01-01', i || ' seconds') || '+00:00'")
	var all []string
	if err := s.Note(func(sql string, _ []any) {
		if strings.Contains(sql, "`approvals`") {
			all = append(all, sql)
		}
	}); err != nil {
		t.Fatal(err)
	}
	if err := s.Approvals().Read(t.Context(), "acme", func(r approvals.Reader) error {
		page, more, err := r.AgentViews(approvals.Filter{Agent: "agt_1", Limit: 200})
		if len(page) != 200 || !more {
			t.Errorf("%d are listed, more: %v", len(page), more)
		}
		if err != nil {
			return err
		}
		alike, err := r.WaitingDuplicates(approvals.Act{Agent: "agt_1", Digest: "d1"}, 99)
		if len(alike) == 0 {
			t.Error("nothing waits and is alike")
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	for _, sql := range all {
		if readsAction.MatchString(sql) {
			t.Errorf("a list reads actions: %s", sql)
		}
	}
	if len(all) != 2 {
		t.Errorf("a page and what is alike take %d statements on approvals", len(all))
	}
}
