// Package requesttest has actions, and what a reader sees of them without a database. It is for tests.
package requesttest

import (
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring"
)

// Noon is when it is looked at.
var Noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

// ReviewOf is an action as a reader sees it, without a database.
func ReviewOf(t testing.TB, body string, stage approvals.Stage) approvals.Review {
	t.Helper()
	tree, err := canon.Parse([]byte(body))
	must(t, err)
	action, err := scoring.NewAction(tree)
	must(t, err)
	policy, err := scoring.Compile(scoring.DefaultPolicy())
	must(t, err)
	as := policy.Assess(action, 1, nil)
	v := approvals.Review{
		Approval: approvals.Approval{
			Tenant: "acme", ID: "apr_" + strings.Repeat("1", 32), Agent: approvals.Agent{ID: "agt_1", Name: "bot"},
			Action: action.Canonical(), Digest: action.Digest(), ShownDigest: action.Digest(), Function: action.Function(), Session: action.SessionID(),
			Status: approvals.Pending, Version: 1, Assessment: as, Treatment: as.Treatment, PolicyVersion: 1,
			CreatedAt: Noon.Add(-5 * time.Minute), ExpiresAt: Noon.Add(10 * time.Minute),
		},
		Action: action, Now: Noon, Stage: stage, Kind: as.Treatment.Challenge, Attempt: 1,
	}
	v.Reading = v.Approval.Reading(action)
	return v
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// One action of each level that is held, by what the default policy makes of it.
const (
	Medium   = `{"function":"deploy_service","arguments":{"service":"checkout-api","version":"4.18.2","note":"Zürich"},"docstring":"Deploys a service; be careful.","environment":"staging","session_id":"ses_1","justification":"vouchers are rounded wrong"}`
	High     = `{"function":"delete_user","arguments":{"user_id":"usr_123","recipient":"dana@example.com","table":"accounts","amount":48200,"reason":"irreversible"},"docstring":"Permanently delete a user. Irreversible, dangerous.","hints":{"irreversible":true,"affects_production":true},"environment":"production","session_id":"ses_2"}`
	Critical = `{"function":"run_sql","arguments":{"database":"billing"},"code":"DROP DATABASE billing;","environment":"production"}`
)
