package storetest

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
)

// story is a log with something of every kind that Verify looks at.
type story struct {
	pending, denied, spent, void string // ids
}

func (p place) story(t *testing.T) story {
	t.Helper()
	pending, denied := p.submit(t, nil), p.deny(t, p.submit(t, nil), "нет")
	spent, void := p.approve(t, p.submit(t, nil)), p.approve(t, p.submit(t, nil))
	p.write(t, func(w approvals.Writer) error {
		if err := w.Consume(spent.ID, ""); err != nil {
			return err
		}
		if err := w.Report(spent.ID, approvals.Execution{Status: "succeeded", ReportedAt: w.Now()}); err != nil {
			return err
		}
		if err := w.Void(void.ID); err != nil {
			return err
		}
		return w.Append(about(spent, audit.GrantConsumed), about(spent, audit.Reported), about(void, audit.GrantVoided))
	})
	return story{pending.ID, denied.ID, spent.ID, void.ID}
}

// What the database itself refuses, asked past gorm.
func testTriggers(t *testing.T, w world) {
	p := w.acme
	s := p.story(t)
	fill := strings.NewReplacer("$pending", s.pending, "$denied", s.denied, "$spent", s.spent, "$void", s.void)
	before := tables(t, w)
	for _, statement := range []string{
		"UPDATE audit_events SET bytes = '{}' WHERE tenant_id = 'acme' AND idx = 0",
		"UPDATE audit_events SET kind = 'x' WHERE tenant_id = 'acme'",
		"DELETE FROM audit_events WHERE tenant_id = 'acme' AND idx = 1",
		"INSERT INTO audit_events SELECT tenant_id, idx + 100, bytes, leaf, at, kind, actor_kind, actor_id, approval_id, agent_id, level, function, effect FROM audit_events WHERE tenant_id = 'acme' AND idx = 1",
		"UPDATE audit_logs SET size = size - 1 WHERE tenant_id = 'acme'",
		"UPDATE audit_logs SET root = '00' WHERE tenant_id = 'acme'",
		"DELETE FROM audit_logs WHERE tenant_id = 'acme'",

		"UPDATE approvals SET action = '{}' WHERE approval_id = '$pending'",
		"UPDATE approvals SET digest = 'x' WHERE approval_id = '$pending'",
		"UPDATE approvals SET shown_digest = 'x' WHERE approval_id = '$pending'",
		"UPDATE approvals SET carried = '[]x' WHERE approval_id = '$pending'",
		"UPDATE approvals SET agent_id = 'x' WHERE approval_id = '$pending'",
		"UPDATE approvals SET agent_owner = 'x' WHERE approval_id = '$pending'",
		"UPDATE approvals SET approval_id = 'x' WHERE approval_id = '$pending'",
		"UPDATE approvals SET tenant_id = 'beta' WHERE approval_id = '$pending'",
		"UPDATE approvals SET body_hash = 'x' WHERE approval_id = '$pending'",
		"UPDATE approvals SET idempotency_key = 'x' WHERE approval_id = '$pending'",
		"UPDATE approvals SET expires_at = '2999-01-01 00:00:00+00:00' WHERE approval_id = '$pending'",
		"UPDATE approvals SET created_at = '2000-01-01 00:00:00+00:00' WHERE approval_id = '$pending'",
		"UPDATE approvals SET call_number = 9 WHERE approval_id = '$pending'",
		"UPDATE approvals SET status = 'approved' WHERE approval_id = '$denied'",
		"UPDATE approvals SET status = 'pending' WHERE approval_id = '$spent'",
		"UPDATE approvals SET version = 9 WHERE approval_id = '$denied'",
		"UPDATE approvals SET assessment = '{}' WHERE approval_id = '$denied'",
		"DELETE FROM approvals WHERE approval_id = '$pending'",

		"UPDATE decisions SET reason = 'x' WHERE approval_id = '$denied'",
		"DELETE FROM decisions WHERE approval_id = '$denied'",
		"INSERT INTO decisions SELECT * FROM decisions WHERE approval_id = '$denied'",
		"UPDATE policies SET policy = '{}'",
		"DELETE FROM policies",
		"UPDATE executions SET status = 'failed' WHERE approval_id = '$spent'",
		"DELETE FROM executions WHERE approval_id = '$spent'",

		"UPDATE grants SET consumed_at = NULL WHERE approval_id = '$spent'",
		"UPDATE grants SET consumed_at = '2999-01-01 00:00:00+00:00' WHERE approval_id = '$spent'",
		"UPDATE grants SET voided_at = NULL WHERE approval_id = '$void'",
		"UPDATE grants SET token = 'x' WHERE approval_id = '$spent'",
		"UPDATE grants SET token = 'x' WHERE approval_id = '$void'",
		"UPDATE grants SET expires_at = '2999-01-01 00:00:00+00:00' WHERE approval_id = '$void'",
		"DELETE FROM grants WHERE approval_id = '$spent'",
	} {
		if err := w.raw(t, fill.Replace(statement)); err == nil {
			t.Errorf("%s: done, want it refused", statement)
		}
	}
	if after := tables(t, w); after != before {
		t.Errorf("the tables changed from\n%s\nto\n%s", before, after)
	}
	unspent := p.approve(t, p.submit(t, nil))
	if err := w.raw(t, fmt.Sprintf("UPDATE grants SET token = 'x' WHERE approval_id = '%s'", unspent.ID)); err == nil {
		t.Error("the token of an unspent grant was changed")
	}
	if r, err := w.Store.Audit().Verify(t.Context(), p.tenant); err != nil || !r.OK {
		t.Errorf("the trail afterwards: %s, %v", r, err)
	}
}

// tables is the content of what must not have changed.
func tables(t *testing.T, w world) string {
	t.Helper()
	var b strings.Builder
	for _, q := range []string{
		"SELECT idx || leaf || bytes || kind FROM audit_events ORDER BY tenant_id, idx",
		"SELECT size || root || frontier FROM audit_logs ORDER BY tenant_id",
		"SELECT approval_id || status || version || action || assessment || digest FROM approvals ORDER BY approval_id",
		"SELECT approval_id || verdict || reason FROM decisions ORDER BY approval_id",
		"SELECT approval_id || token || coalesce('consumed', '') FROM grants ORDER BY approval_id",
		"SELECT tenant_id || version || policy FROM policies ORDER BY tenant_id, version",
		"SELECT approval_id || status FROM executions ORDER BY approval_id",
	} {
		rows, err := w.Raw.QueryContext(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			var s string
			if err := rows.Scan(&s); err != nil {
				t.Fatal(err)
			}
			b.WriteString(s + "\n")
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
		_ = rows.Close()
	}
	return b.String()
}

func testVerifyHolds(t *testing.T, w world) {
	p := w.acme
	p.story(t)
	head := must(w.Store.Audit().Head(t.Context(), p.tenant))
	r, err := w.Store.Audit().Verify(t.Context(), p.tenant)
	if err != nil || !r.OK || r.Size != head.Size || r.Tenant != p.tenant || !bytes.Equal(r.Root, head.Root) || r.FirstBroken != -1 {
		t.Errorf("an untouched trail: %+v, %v", r, err)
	}
	_, err = w.Store.Audit().Verify(t.Context(), "gone")
	wantFault(t, "the trail of no tenant", err, fault.Missing)

	// More than one batch.
	p.happen(t, 1100, func(int) audit.Event { return happened(audit.SignedIn) })
	if r, err := w.Store.Audit().Verify(t.Context(), p.tenant); err != nil || !r.OK || r.Size != head.Size+1100 {
		t.Errorf("a long trail: %+v, %v", r, err)
	}
}

// testVerifyFinds edits the database as somebody would who can drop triggers and
// puts them back afterwards.
func testVerifyFinds(t *testing.T, w world) {
	s := w.acme.story(t)
	fill := strings.NewReplacer("$pending", s.pending, "$denied", s.denied, "$spent", s.spent, "$void", s.void)
	undo := w.keep(t, "audit_events", "audit_logs", "approvals", "decisions", "grants", "executions")
	for name, c := range map[string]struct {
		edits []string
		says  string
	}{
		"edited byte":          {[]string{"UPDATE audit_events SET bytes = replace(bytes, 'delete_user', 'delete_usex') WHERE idx = 2"}, "leaf"},
		"bytes are no event":   {[]string{"UPDATE audit_events SET bytes = '{}' WHERE idx = 2"}, "aren't an event"},
		"edited leaf":          {[]string{"UPDATE audit_events SET leaf = 'zz' WHERE idx = 2"}, "leaf"},
		"column kind":          {[]string{"UPDATE audit_events SET kind = 'approval.approved' WHERE idx = 3"}, "column kind"},
		"column at":            {[]string{"UPDATE audit_events SET at = '2020-01-01 00:00:00+00:00' WHERE idx = 3"}, "column time"},
		"column actor":         {[]string{"UPDATE audit_events SET actor_id = 'per_x' WHERE idx = 3"}, "column actor"},
		"column approval":      {[]string{"UPDATE audit_events SET approval_id = '$spent' WHERE idx = 1"}, "column approval"},
		"removed row":          {[]string{"DELETE FROM audit_events WHERE idx = 2"}, "index 3"},
		"swapped pair":         {[]string{"UPDATE audit_events SET idx = 900 WHERE idx = 2", "UPDATE audit_events SET idx = 2 WHERE idx = 3", "UPDATE audit_events SET idx = 3 WHERE idx = 900"}, "bytes belong to event 3"},
		"truncated":            {[]string{"DELETE FROM audit_events WHERE idx >= 5"}, "5 events"},
		"truncated, size too":  {[]string{"DELETE FROM audit_events WHERE idx >= 5", "UPDATE audit_logs SET size = 5"}, "root"},
		"edited root":          {[]string{"UPDATE audit_logs SET root = '00'"}, "root"},
		"edited frontier":      {[]string{"UPDATE audit_logs SET frontier = '00'"}, "frontier"},
		"root is no hex":       {[]string{"UPDATE audit_logs SET root = 'x'"}, "head of the log can't be read"},
		"edited action":        {[]string{"UPDATE approvals SET action = '{}' WHERE approval_id = '$pending'"}, "stored action"},
		"edited digest":        {[]string{"UPDATE approvals SET digest = 'x' WHERE approval_id = '$pending'"}, "stored digest"},
		"edited shown":         {[]string{"UPDATE approvals SET shown_digest = 'x' WHERE approval_id = '$spent'"}, "stored shown digest"},
		"other agent":          {[]string{"UPDATE approvals SET agent_id = 'agt_x' WHERE approval_id = '$pending'"}, "stored agent"},
		"other function":       {[]string{"UPDATE approvals SET function = 'read' WHERE approval_id = '$pending'"}, "stored function"},
		"other agent's name":   {[]string{"UPDATE approvals SET agent_name = 'root' WHERE approval_id = '$pending'"}, "stored name of the agent"},
		"other agent's owner":  {[]string{"UPDATE approvals SET agent_owner = 'per_x' WHERE approval_id = '$denied'"}, "stored owner of the agent"},
		"edited assessment":    {[]string{"UPDATE approvals SET assessment = replace(assessment, 'HIGH', 'LOW') WHERE approval_id = '$spent'"}, "stored assessment"},
		"edited treatment":     {[]string{"UPDATE approvals SET treatment = replace(treatment, 'quiz', 'none') WHERE approval_id = '$pending'"}, "stored treatment"},
		"edited status":        {[]string{"UPDATE approvals SET status = 'approved' WHERE approval_id = '$denied'"}, "stored status"},
		"reopened":             {[]string{"UPDATE approvals SET status = 'pending' WHERE approval_id = '$denied'"}, "stored status"},
		"decided silently":     {[]string{"UPDATE approvals SET status = 'approved' WHERE approval_id = '$pending'"}, "stored status"},
		"lowered level":        {[]string{"UPDATE approvals SET level_rank = 1 WHERE approval_id = '$pending'"}, "stored level"},
		"edited verdict":       {[]string{"UPDATE decisions SET verdict = 'approve' WHERE approval_id = '$denied'"}, "stored verdict"},
		"edited reason":        {[]string{"UPDATE decisions SET reason = 'x' WHERE approval_id = '$denied'"}, "stored reason"},
		"edited decider":       {[]string{"UPDATE decisions SET decided_by = replace(decided_by, 'per_', 'per_x') WHERE approval_id = '$denied'"}, "stored decider"},
		"edited decision time": {[]string{"UPDATE decisions SET decided_at = '2020-01-01 00:00:00+00:00' WHERE approval_id = '$denied'"}, "stored time of the decision"},
		"a longer look":        {[]string{"UPDATE decisions SET evidence = replace(evidence, '\"review_seconds\":20', '\"review_seconds\":99') WHERE approval_id = '$spent'"}, "stored evidence"},
		"no evidence":          {[]string{"UPDATE decisions SET evidence = NULL WHERE approval_id = '$spent'"}, "stored evidence"},
		"invented evidence":    {[]string{"UPDATE decisions SET evidence = '{}' WHERE approval_id = '$denied'"}, "stored evidence"},
		"edited grant":         {[]string{"UPDATE grants SET expires_at = '2099-01-01 00:00:00+00:00' WHERE consumed_at IS NOT NULL"}, "stored grant"},
		"edited spending":      {[]string{"UPDATE grants SET consumed_at = '2020-01-01 00:00:00+00:00' WHERE consumed_at IS NOT NULL"}, "was spent"},
		"edited report":        {[]string{"UPDATE executions SET detail = 'forged'"}, "stored report"},
		"removed decision":     {[]string{"DELETE FROM decisions WHERE approval_id = '$denied'"}, "stored verdict"},
		"unspent again":        {[]string{"UPDATE grants SET consumed_at = NULL WHERE approval_id = '$spent'"}, "spent grant"},
		"spent silently":       {[]string{"UPDATE grants SET voided_at = NULL, consumed_at = '2026-01-01 00:00:00+00:00' WHERE approval_id = '$void'"}, "spent grant"},
		"valid again":          {[]string{"UPDATE grants SET voided_at = NULL WHERE approval_id = '$void'"}, "void grant"},
		"removed report":       {[]string{"DELETE FROM executions WHERE approval_id = '$spent'"}, "report"},
		"removed approval":     {[]string{"DELETE FROM approvals WHERE approval_id = '$pending'"}, "missing from the database"},
		"added approval":       {[]string{"INSERT INTO approvals SELECT tenant_id, 'apr_x', agent_id, agent_name, agent_owner, revises, idempotency_key, body_hash, action, digest, shown_digest, carried, call_number, function, session_id, created_at, expires_at, status, version, level_rank, assessment, treatment, policy_version, extended FROM approvals WHERE approval_id = '$pending'"}, "no event says"},
		"approval without ID":  {[]string{"INSERT INTO approvals SELECT tenant_id, '', agent_id, agent_name, agent_owner, revises, idempotency_key, body_hash, action, digest, shown_digest, carried, call_number, function, session_id, created_at, expires_at, status, version, level_rank, assessment, treatment, policy_version, extended FROM approvals WHERE approval_id = '$pending'"}, "without an id"},
		"key of nothing":       {[]string{"UPDATE grants SET consume_key = 'tuesday' WHERE approval_id = '$void'"}, "sum of the key"},
	} {
		t.Run(name, func(t *testing.T) {
			arm := w.Disarm(t, w.Raw)
			for _, e := range c.edits {
				w.mustRaw(t, "%s", fill.Replace(e))
			}
			arm()
			r, err := w.Store.Audit().Verify(t.Context(), "acme")
			if err != nil || r.OK || r.FirstBroken < 0 || !strings.Contains(r.Problem, c.says) {
				t.Errorf("found %+v, %v; want it to say %q", r, err, c.says)
			}
			arm = w.Disarm(t, w.Raw)
			undo(t)
			arm()
		})
	}
	if r, err := w.Store.Audit().Verify(t.Context(), "acme"); err != nil || !r.OK {
		t.Errorf("every edit was taken back, and still: %s, %v", r, err)
	}
}

// keep copies tables and returns what puts the copies back.
func (d Database) keep(t *testing.T, tables ...string) (undo func(t *testing.T)) {
	t.Helper()
	for _, table := range tables {
		d.mustRaw(t, "CREATE TABLE kept_%s AS SELECT * FROM %s", table, table)
	}
	return func(t *testing.T) {
		t.Helper()
		for _, table := range tables {
			d.mustRaw(t, "DELETE FROM %s", table)
			d.mustRaw(t, "INSERT INTO %s SELECT * FROM kept_%s", table, table)
		}
	}
}

// Fill puts a tenant acme with a story into an empty database, and returns its agent.
func Fill(t *testing.T, db Database) auth.Agent {
	t.Helper()
	p := newPlace(t, db, "acme")
	p.story(t)
	p.debate(t)
	return p.agent
}
