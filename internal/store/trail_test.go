package store_test

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/live"
	"github.com/countersign/countersign/internal/long"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/store/storetest"
)

// REPLACE deletes without firing a delete trigger.
func TestReplaceIsRefused(t *testing.T) {
	t.Parallel()
	db := open(t)
	storetest.Fill(t, db)
	for _, statement := range []string{
		"UPDATE approvals SET version = 2 WHERE status = 'pending'",
		"INSERT INTO edits SELECT tenant_id, approval_id, 2, action, digest, 'per_x', 'X', created_at FROM approvals WHERE status = 'pending'",
	} {
		if r, err := db.Raw.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		} else if n, _ := r.RowsAffected(); n == 0 {
			t.Fatalf("%s: nothing is pending", statement)
		}
	}
	for _, table := range []string{"edits", "audit_events", "audit_logs", "approvals", "decisions", "executions", "policies", "policy_proposals", "grants"} {
		if _, err := db.Raw.ExecContext(t.Context(), "REPLACE INTO "+table+" SELECT * FROM "+table); err == nil {
			t.Errorf("REPLACE INTO %s: done, want it refused", table)
		}
	}
	for _, statement := range []string{
		"REPLACE INTO audit_logs VALUES ('acme', 1, '', '')",
		"INSERT INTO audit_logs VALUES ('new', 1, '', '')",
		"UPDATE OR REPLACE grants SET grant_id = 'x'",
	} {
		if _, err := db.Raw.ExecContext(t.Context(), statement); err == nil {
			t.Errorf("%s: done, want it refused", statement)
		}
	}
}

func TestVerifyComparesTriggers(t *testing.T) {
	t.Parallel()
	long.NotUnderRace(t, "one call follows the other")
	for name, c := range map[string]struct{ edit, says string }{
		"dropped": {"DROP TRIGGER audit_events_no_update", "audit_events_no_update is missing"},
		"changed": {"DROP TRIGGER grants_once; CREATE TRIGGER grants_once BEFORE UPDATE ON grants WHEN 0 BEGIN SELECT 1; END", "grants_once isn't"},
		"added":   {"CREATE TRIGGER extra AFTER INSERT ON approvals BEGIN DELETE FROM sessions; END", `"extra" isn't`},
	} {
		db := open(t)
		storetest.Fill(t, db)
		if _, err := db.Raw.ExecContext(t.Context(), c.edit); err != nil {
			t.Fatal(err)
		}
		r, err := db.Store.Audit().Verify(t.Context(), "acme")
		if err != nil || r.OK || !strings.Contains(r.Problem, c.says) {
			t.Errorf("%s: %+v, %v; want it to say %q", name, r, err, c.says)
		}
	}
}

// The trail that the real service writes holds: the suite's own events could
// share a mistake with the check.
func TestVerifyHoldsForTheService(t *testing.T) {
	t.Parallel()
	db := open(t)
	agent := storetest.Fill(t, db)
	key, err := approvals.NewSigningKey()
	if err != nil {
		t.Fatal(err)
	}
	signer, err := approvals.NewEd25519Signer(key)
	if err != nil {
		t.Fatal(err)
	}
	s := approvals.NewService(approvals.Config{
		Store: db.Store.Approvals(), Live: live.New(), Signer: signer, Issuer: func() string { return "http://localhost" },
		Now: time.Now, Log: slog.New(slog.DiscardHandler),
	})
	ctx, seen := t.Context(), map[approvals.Status]int{}
	for i, body := range []string{
		`{"function":"get_weather","arguments":{"city":"Oslo"}}`,
		`{"function":"delete_user","arguments":{"id":"usr_1\u202e","note":"AKIAIOSFODNN7EXAMPLE"},"environment":"production"}`,
		`{"function":"run","code":"import os; os.system('rm -rf /')","arguments":{"token":"ghp_0123456789abcdefghijABCDEFGHIJ012345"}}`,
		`{"function":"update_record","arguments":{"table":"users","id":7}}`,
		`{"function":"délete 📁","arguments":["ال"],"session_id":"s"}`,
	} {
		tree, err := canon.Parse([]byte(body))
		if err != nil {
			t.Fatal(err)
		}
		action, err := scoring.NewAction(tree)
		if err != nil {
			t.Fatal(err)
		}
		a, created, err := s.Submit(ctx, agent, approvals.Submission{Action: action, IdempotencyKey: fmt.Sprint(i)})
		if err != nil || !created {
			t.Fatalf("%s: %v, %v", body, created, err)
		}
		if again, created, err := s.Submit(ctx, agent, approvals.Submission{Action: action, IdempotencyKey: fmt.Sprint(i)}); err != nil || created || again.ID != a.ID {
			t.Errorf("%s again: %s, %v, %v; want %s", body, again.ID, created, err, a.ID)
		}
		seen[a.Status]++
		switch a.Status {
		case approvals.Approved:
			if _, err := s.Consume(ctx, agent, a.ID, a.Digest, "once"); err != nil {
				t.Error(err)
			}
			if _, err := s.Report(ctx, agent, a.ID, "succeeded", "done \u202e"); err != nil {
				t.Error(err)
			}
		case approvals.Pending:
			if _, err := s.Cancel(ctx, agent, a.ID); err != nil {
				t.Error(err)
			}
		}
	}
	if seen[approvals.Approved] == 0 || seen[approvals.Pending] == 0 {
		t.Errorf("the actions became %v; want some approved and some pending", seen)
	}
	if r, err := db.Store.Audit().Verify(ctx, "acme"); err != nil || !r.OK {
		t.Errorf("the service's own trail: %s, %v", r, err)
	}
}

// What only SQLite lets somebody write.
func TestVerifyFindsWhatIsNoTime(t *testing.T) {
	t.Parallel()
	db := open(t)
	storetest.Fill(t, db)
	for _, statement := range []string{"DROP TRIGGER audit_events_no_update", "UPDATE audit_events SET at = 'soon' WHERE idx = 1"} {
		if _, err := db.Raw.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	r, err := db.Store.Audit().Verify(t.Context(), "acme")
	if err != nil || r.OK || r.FirstBroken != 1 || !strings.Contains(r.Problem, "column time") {
		t.Errorf("found %+v, %v", r, err)
	}
}

func TestVerifyFindsAMissingHead(t *testing.T) {
	t.Parallel()
	db := open(t)
	storetest.Fill(t, db)
	for _, statement := range []string{"DROP TRIGGER audit_logs_no_delete", "DELETE FROM audit_logs WHERE tenant_id = 'acme'"} {
		if _, err := db.Raw.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	r, err := db.Store.Audit().Verify(t.Context(), "acme")
	if err != nil || r.OK || r.FirstBroken != 0 || !strings.Contains(r.Problem, "head") {
		t.Errorf("found %+v, %v", r, err)
	}
}
