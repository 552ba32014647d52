package store_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/store"
	"github.com/countersign/countersign/internal/store/postgrestest"
)

// What lets a call through is held against the state of the log, so it reads no event, however
// long the log is.
func TestHeldCallsReadNoEvents(t *testing.T) {
	t.Parallel()
	for db, c := range map[string]store.Config{"sqlite": {Path: filepath.Join(t.TempDir(), "x.db")}, "postgres": {URL: postgrestest.Migrated(t)}} {
		t.Run(db, func(t *testing.T) {
			t.Parallel()
			s := opened(t, c)
			var all, events int
			if err := s.Note(func(sql string, _ []any) {
				all++
				if strings.Contains(sql, "audit_events") {
					events++
				}
			}); err != nil {
				t.Fatal(err)
			}
			err := s.Approvals().Write(t.Context(), "acme", func(w approvals.Writer) error {
				if _, err := w.AgentMismatch("agt_1"); err != nil {
					return err
				}
				_, err := w.CallMismatch(approvals.ReadSet{Agent: "agt_1", Function: "f1", Like: []string{"x"}, DeniedSince: time.Now().Add(-time.Hour), TrustFrom: "2026-01-01"})
				return err
			})
			if err != nil || all < 4 || events > 0 {
				t.Errorf("%d statements, %d of them on events, %v", all, events, err)
			}
		})
	}
}
