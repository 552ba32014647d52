package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/patterns"
	"github.com/countersign/countersign/internal/scoring/scan"
)

func testRoundTrip(t *testing.T, w world) {
	p := w.acme
	a := p.submit(t, func(a *approvals.Approval) {
		a.Revises = "apr_before"
		a.Carried = []patterns.Match{{ID: "x", Category: patterns.Secrets, Action: patterns.Redact, Places: []scan.Place{{Pointer: "/code", Start: 1, End: 2}}}}
	})
	got := p.get(t, a.ID)
	same(t, "a pending approval", got, a)
	same(t, "its treatment", got.Assessment.Treatment, a.Treatment)
	if string(got.Action) != string(a.Action) {
		t.Errorf("the action came back as %s", got.Action)
	}
	if _, err := got.Parsed(); err != nil {
		t.Errorf("the stored action does not parse: %v", err)
	}
	done := p.approve(t, a)
	same(t, "an approved one", p.get(t, a.ID), done)
	denied := p.deny(t, p.submit(t, nil), "нет\u202e 📁")
	same(t, "a denied one", p.get(t, denied.ID), denied)

	// One that the policy decided is final from the start, under an idempotency key.
	var auto approvals.Approval
	p.write(t, func(w approvals.Writer) error {
		auto = p.approved(p.propose(t, w.Now()), w.Now())
		auto.Decision.Evidence = nil
		return w.Create(auto, "k1", "hash")
	})
	p.read(t, func(r approvals.Reader) error {
		got, hash, err := r.ApprovalByKey(p.agent.ID, "k1")
		same(t, "the one with the key", got, auto)
		if hash != "hash" {
			t.Errorf("its body hash is %q", hash)
		}
		for _, c := range [][2]string{{p.agent.ID, "k2"}, {p.agent.ID, ""}, {"", "k1"}, {"agt_other", "k1"}} {
			_, _, err := r.ApprovalByKey(c[0], c[1])
			wantFault(t, fmt.Sprintf("agent %q, key %q", c[0], c[1]), err, fault.Missing)
		}
		_, err2 := r.Approval("")
		wantFault(t, "the empty id", err2, fault.Missing)
		return err
	})
	wantFault(t, "an agent that does not exist", p.try(t.Context(), func(w approvals.Writer) error {
		a := p.propose(t, w.Now())
		a.Agent.ID = "agt_no"
		return w.Create(a, "", "")
	}), fault.Missing)
	wantFault(t, "an id that is taken", p.try(t.Context(), func(w approvals.Writer) error { return w.Create(a, "", "") }), fault.AlreadyExists)
}

func testDecide(t *testing.T, w world) {
	p := w.acme
	a := p.submit(t, nil)
	decide := func(id string, was int64) error {
		return p.try(t.Context(), func(w approvals.Writer) error {
			b := p.denied(a, "no", w.Now())
			b.ID = id
			return w.Decide(b, was)
		})
	}
	wantFault(t, "another version", decide(a.ID, 2), fault.Changed)
	wantFault(t, "version 0", decide(a.ID, 0), fault.Changed)
	wantFault(t, "an id that is not there", decide("apr_no", 1), fault.Missing)
	if got := p.get(t, a.ID); got.Status != approvals.Pending || got.Decision != nil {
		t.Fatalf("a refused decision left %s, %+v", got.Status, got.Decision)
	}
	done := p.deny(t, a, "no")
	wantFault(t, "a second decision", decide(a.ID, 1), fault.AlreadyDecided)
	wantFault(t, "a second decision for another version", decide(a.ID, 2), fault.AlreadyDecided)
	wantFault(t, "an approval after it", p.try(t.Context(), func(w approvals.Writer) error {
		return w.Decide(p.approved(a, w.Now()), 1)
	}), fault.AlreadyDecided)
	same(t, "the approval after all that", p.get(t, a.ID), done)

	// The second control: the decision row is unique even where the status lies.
	b := p.submit(t, nil)
	w.mustRaw(t, "INSERT INTO decisions (tenant_id, approval_id, verdict, reason, decided_at, decided_by) VALUES ('acme', '%s', 'deny', '', '2026-01-01 00:00:00+00:00', '[]')", b.ID)
	wantFault(t, "a decision beside one that is stored", p.try(t.Context(), func(w approvals.Writer) error {
		return w.Decide(p.approved(b, w.Now()), 1)
	}), fault.AlreadyDecided)
	if got := p.get(t, b.ID); got.Status != approvals.Pending {
		t.Errorf("it is %s now", got.Status)
	}
}

func testRestate(t *testing.T, w world) {
	p := w.acme
	a := p.submit(t, nil)
	b := a
	b.Version, b.Assessment.Level, b.Assessment.Score = 2, level.Critical, 0.9
	b.Treatment = scoring.Treatment{Level: level.Critical, Response: scoring.Hold, Challenge: scoring.ChallengeExplicit, ApprovalsRequired: 2}
	b.Assessment.Treatment = b.Treatment
	restate := func(b approvals.Approval, was int64) error {
		return p.try(t.Context(), func(w approvals.Writer) error { return w.Restate(b, was) })
	}
	wantFault(t, "another version", restate(b, 2), fault.Changed)
	if err := restate(b, 1); err != nil {
		t.Fatal(err)
	}
	same(t, "the restated approval", p.get(t, a.ID), b)
	wantFault(t, "the same again", restate(b, 1), fault.Changed)
	wantFault(t, "a decision on the old version", p.try(t.Context(), func(w approvals.Writer) error {
		return w.Decide(p.approved(a, w.Now()), 1)
	}), fault.Changed)
	p.approve(t, b)
	wantFault(t, "a final one", restate(b, 2), fault.AlreadyDecided)
}

func testFilters(t *testing.T, w world) {
	p := w.acme
	var second auth.Agent
	if err := p.db.Store.Tenants().Write(t.Context(), p.tenant, func(w tenantWriter) error {
		second = auth.Agent{Tenant: p.tenant, ID: auth.NewID("agt"), Name: "second", KeyID: "k"}
		return newAgent(w, second, "hash of second")
	}); err != nil {
		t.Fatal(err)
	}
	w.beta.submit(t, nil) // must never show
	low := p.submit(t, func(a *approvals.Approval) {
		a.Assessment.Level, a.Function, a.Digest = level.Low, "read", "sha256:other"
	})
	soon := p.submit(t, func(a *approvals.Approval) { a.ExpiresAt = a.ExpiresAt.Add(-time.Minute) })
	high := p.submit(t, nil)
	critical := p.submit(t, func(a *approvals.Approval) {
		a.Assessment.Level, a.Session, a.Agent.ID = level.Critical, "s2", second.ID
		a.ExpiresAt = a.ExpiresAt.Add(time.Hour)
	})
	denied := p.deny(t, p.submit(t, nil), "no")

	list := func(f approvals.Filter) []string {
		t.Helper()
		var ids []string
		p.read(t, func(r approvals.Reader) error {
			all, err := r.Approvals(f)
			for _, a := range all {
				ids = append(ids, a.ID)
			}
			if alone, err := r.IDs(f); err != nil || !slices.Equal(alone, ids) {
				t.Errorf("the ids of %+v are %q, %v; listed are %q", f, alone, err, ids)
			}
			return err
		})
		return ids
	}
	pending := []approvals.Status{approvals.Pending}
	for name, c := range map[string]struct {
		f    approvals.Filter
		want []approvals.Approval
	}{
		"all":                    {approvals.Filter{}, []approvals.Approval{denied, critical, high, soon, low}},
		"pending":                {approvals.Filter{Statuses: pending}, []approvals.Approval{critical, high, soon, low}},
		"two statuses":           {approvals.Filter{Statuses: []approvals.Status{approvals.Denied, approvals.Expired}}, []approvals.Approval{denied}},
		"agent":                  {approvals.Filter{Agent: second.ID}, []approvals.Approval{critical}},
		"unknown agent":          {approvals.Filter{Agent: "agt_no"}, nil},
		"session":                {approvals.Filter{Session: "s2"}, []approvals.Approval{critical}},
		"session and agent":      {approvals.Filter{Session: "s2", Agent: p.agent.ID}, nil},
		"function":               {approvals.Filter{Function: "read"}, []approvals.Approval{low}},
		"function is no pattern": {approvals.Filter{Function: "%"}, nil},
		"digest":                 {approvals.Filter{Digest: "sha256:other"}, []approvals.Approval{low}},
		"digest of nothing":      {approvals.Filter{Digest: "sha256:none"}, nil},
		"due":                    {approvals.Filter{Statuses: pending, DueBefore: soon.ExpiresAt}, []approvals.Approval{soon}},
		"due, in another zone":   {approvals.Filter{Statuses: pending, DueBefore: soon.ExpiresAt.In(time.FixedZone("", 3*3600))}, []approvals.Approval{soon}},
		"just not due":           {approvals.Filter{DueBefore: soon.ExpiresAt.Add(-time.Microsecond)}, nil},
		"before":                 {approvals.Filter{Before: high.ID}, []approvals.Approval{soon, low}},
		"before the first":       {approvals.Filter{Before: low.ID}, nil},
		"limit":                  {approvals.Filter{Limit: 2}, []approvals.Approval{denied, critical}},
		"negative limit":         {approvals.Filter{Limit: -1, Statuses: pending}, []approvals.Approval{critical, high, soon, low}},
	} {
		var want []string
		for _, a := range c.want {
			want = append(want, a.ID)
		}
		if got := list(c.f); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func testPaging(t *testing.T, w world) {
	p := w.acme
	const n = 60
	var want []string
	p.write(t, func(w approvals.Writer) error {
		template := p.approved(p.propose(t, w.Now()), w.Now())
		for range n {
			a := template
			a.ID = auth.NewID("apr")
			g := *template.Grant
			g.ID = auth.NewID("grt")
			a.Grant = &g
			if err := w.Create(a, "", ""); err != nil {
				return err
			}
			want = append([]string{a.ID}, want...)
		}
		return nil
	})
	var got []string
	p.read(t, func(r approvals.Reader) error {
		first, err := r.Approvals(approvals.Filter{})
		if err != nil || len(first) != 50 {
			t.Errorf("without a limit: %d, %v; want 50", len(first), err)
		}
		for before := ""; ; {
			page, err := r.Approvals(approvals.Filter{Before: before, Limit: 7})
			if err != nil {
				return err
			}
			for _, a := range page {
				if a.Grant == nil || a.Decision == nil {
					t.Fatalf("%s came without its grant or decision", a.ID)
				}
				got, before = append(got, a.ID), a.ID
			}
			if len(page) < 7 {
				return nil
			}
		}
	})
	if !slices.Equal(got, want) {
		t.Errorf("the pages give %d ids, want the %d newest first, each once", len(got), n)
	}
}

func testGrants(t *testing.T, w world) {
	p := w.acme
	spent, void := p.approve(t, p.submit(t, nil)), p.approve(t, p.submit(t, nil))
	var at time.Time
	p.write(t, func(w approvals.Writer) error {
		at = w.Now()
		before, err := w.Approval(spent.ID)
		if err := errors.Join(err, w.Consume(spent.ID, "k"), w.Void(void.ID)); err != nil {
			return err
		}
		after, err := w.Approval(spent.ID)
		if err == nil && (before.Grant.ConsumedAt != nil || after.Grant.ConsumedAt == nil) {
			t.Errorf("where it is spent it reads %+v before and %+v after", before.Grant, after.Grant)
		}
		return err
	})
	spent.Grant.ConsumedAt, spent.Grant.ConsumeKey = &at, "k"
	void.Grant.VoidedAt = &at
	same(t, "the spent grant", p.get(t, spent.ID), spent)
	same(t, "the void grant", p.get(t, void.ID), void)
	for _, id := range []string{spent.ID, void.ID} {
		wantFault(t, "consume", p.try(t.Context(), func(w approvals.Writer) error { return w.Consume(id, "k") }), fault.AlreadyConsumed)
		wantFault(t, "void", p.try(t.Context(), func(w approvals.Writer) error { return w.Void(id) }), fault.AlreadyConsumed)
	}
	pending := p.submit(t, nil)
	for _, id := range []string{pending.ID, "apr_no", ""} {
		wantFault(t, "consume where there is no grant", p.try(t.Context(), func(w approvals.Writer) error { return w.Consume(id, "k") }), fault.Missing)
		wantFault(t, "void where there is no grant", p.try(t.Context(), func(w approvals.Writer) error { return w.Void(id) }), fault.Missing)
	}
	same(t, "the spent grant after all that", p.get(t, spent.ID), spent)
}

func testReports(t *testing.T, w world) {
	p := w.acme
	a := p.approve(t, p.submit(t, nil))
	report := func(id, status, detail string) error {
		return p.try(t.Context(), func(w approvals.Writer) error {
			return w.Report(id, approvals.Execution{Status: status, Detail: detail, ReportedAt: w.Now()})
		})
	}
	if err := report(a.ID, "failed", "disk full"); err != nil {
		t.Fatal(err)
	}
	wantFault(t, "a second report", report(a.ID, "succeeded", ""), fault.AlreadyReported)
	if e := p.get(t, a.ID).Execution; e == nil || e.Status != "failed" || e.Detail != "disk full" || e.ReportedAt.Location() != time.UTC {
		t.Errorf("the report is %+v", e)
	}
	wantFault(t, "a report about a pending one", report(p.submit(t, nil).ID, "failed", ""), fault.Missing)
	wantFault(t, "a report about nothing", report("apr_no", "failed", ""), fault.Missing)
	if err := report(p.approve(t, p.submit(t, nil)).ID, "perhaps", ""); err == nil {
		t.Error("a status that is none was stored")
	}
}

// An approval is final once, whoever races.
func testTwoDeciders(t *testing.T, w world) {
	p := w.acme
	for range 5 {
		a := p.submit(t, nil)
		before := p.size(t)
		won := race(t, 10, fault.AlreadyDecided, func(ctx context.Context, i int) error {
			return p.try(ctx, func(w approvals.Writer) error {
				done, kind := p.denied(a, "no", w.Now()), audit.Denied
				if i%2 == 0 {
					done, kind = p.approved(a, w.Now()), audit.Approved
				}
				if err := w.Decide(done, a.Version); err != nil {
					return err
				}
				return w.Append(about(done, kind))
			})
		})
		got := p.get(t, a.ID)
		if won != 1 || !got.Status.Final() || (got.Grant != nil) != (got.Status == approvals.Approved) {
			t.Errorf("%d won; it is %s with grant %v", won, got.Status, got.Grant)
		}
		if n := p.size(t) - before; n != 1 {
			t.Errorf("%d events were written, want 1", n)
		}
	}
}

func testParallelConsumes(t *testing.T, w world) {
	p := w.acme
	a := p.approve(t, p.submit(t, nil))
	before := p.size(t)
	won := race(t, 50, fault.AlreadyConsumed, func(ctx context.Context, i int) error {
		return p.try(ctx, func(w approvals.Writer) error {
			if err := w.Consume(a.ID, fmt.Sprint(i)); err != nil {
				return err
			}
			return w.Append(about(a, audit.GrantConsumed))
		})
	})
	if won != 1 || p.size(t)-before != 1 {
		t.Errorf("%d of 50 spent the grant, %d events; want 1 and 1", won, p.size(t)-before)
	}
}

func testEqualKeys(t *testing.T, w world) {
	p := w.acme
	won := race(t, 10, fault.AlreadyExists, func(ctx context.Context, _ int) error {
		return p.try(ctx, func(w approvals.Writer) error {
			a := p.propose(t, w.Now())
			if err := w.Create(a, "same", "hash"); err != nil {
				return err
			}
			return w.Append(submitted(a))
		})
	})
	if won != 1 {
		t.Errorf("%d submissions with one key were stored", won)
	}
	p.read(t, func(r approvals.Reader) error {
		all, err := r.Approvals(approvals.Filter{})
		if len(all) != 1 {
			t.Errorf("%d approvals are stored", len(all))
		}
		return err
	})
	// The key belongs to one agent of one tenant; no key is no key.
	w.beta.write(t, func(tx approvals.Writer) error { return tx.Create(w.beta.propose(t, tx.Now()), "same", "hash") })
	p.submit(t, nil)
	p.submit(t, nil)
}

// propose makes a pending approval that really was assessed. It is not stored yet.
func (p place) propose(t *testing.T, now time.Time) approvals.Approval {
	t.Helper()
	action := parse(t, `{"function":"delete_user","arguments":{"id":"usr_١٢٣","note":"é 📁 \u202e"},"environment":"production","session_id":"s1"}`)
	rules, err := scoring.Compile(scoring.DefaultPolicy())
	if err != nil {
		t.Fatal(err)
	}
	shown, carried, as := rules.Examine(action, nil).Mask(rules.Assess(action, 3, nil))
	// Whatever the scorer says today, what the suite stores is HIGH with a quiz.
	as.Level = level.High
	treatment := scoring.Treatment{Level: level.High, Response: scoring.Hold, Challenge: scoring.ChallengeQuiz, ApprovalsRequired: 1}
	as.Treatment = treatment
	return approvals.Approval{
		Tenant: p.tenant, ID: auth.NewID("apr"), Agent: approvals.Agent{ID: p.agent.ID, Name: p.agent.Name, Owner: p.agent.Owner},
		Action: shown.Canonical(), Digest: action.Digest(), ShownDigest: shown.Digest(), Carried: carried, CallNumber: 3,
		Function: action.Function(), Session: action.SessionID(), Status: approvals.Pending, Version: 1,
		Assessment: as, Treatment: treatment, PolicyVersion: 1, CreatedAt: now, ExpiresAt: now.Add(15 * time.Minute),
	}
}
