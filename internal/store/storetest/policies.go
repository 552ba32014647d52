package storetest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/tenants"
)

// tenantCreated is the event as the service writes it.
func tenantCreated() audit.Event {
	sum, _ := scoring.DefaultPolicy().SHA256()
	e := happened(audit.TenantCreated)
	e.Data = canon.Object(canon.Member{Name: "policy_version", Value: canon.Int(1)}, canon.Member{Name: "policy_sha256", Value: canon.String(sum)})
	return e
}

// govern is the other door, for steps that must succeed.
func (p place) govern(t *testing.T, fn func(w tenants.Writer) error) {
	t.Helper()
	if err := p.db.Store.Tenants().Write(t.Context(), p.tenant, fn); err != nil {
		t.Fatalf("write: %v", err)
	}
}

// elaborate is a policy with something in every kind of member.
func elaborate() scoring.Policy {
	p := scoring.DefaultPolicy()
	p.Functions = []scoring.Function{{Glob: "delete_*", Hints: map[string]any{"rows": 0.1, "irreversible": true}, Docstring: "<b>حذف 🗑</b>\n&", Floor: level.High}}
	p.PatternOverrides.Disable = []string{"iban"}
	p.Rules.Removed = []string{"print_output"}
	return p
}

func testPolicyVersions(t *testing.T, w world) {
	p := w.acme
	v := tenants.PolicyVersion{Version: 2, Policy: elaborate(), Reason: "зачем", Author: p.ada, Accepted: p.ben, SinglePerson: true}
	p.govern(t, func(w tenants.Writer) error {
		v.CreatedAt = w.Now()
		if err := w.CreatePolicy(v); err != nil {
			return err
		}
		return w.CreatePolicy(tenants.PolicyVersion{Version: 3, Policy: scoring.DefaultPolicy(), Reason: "back", Author: auth.Person{ID: "per_gone"}, CreatedAt: w.Now()})
	})
	err := w.Store.Tenants().Read(t.Context(), p.tenant, func(r tenants.Reader) error {
		got, err := r.PolicyVersion(2)
		same(t, "version 2", got, v)
		if err != nil || len(v.Policy.Differences(got.Policy)) != 0 {
			t.Errorf("its policy came back otherwise: %+v, %v", v.Policy.Differences(got.Policy), err)
		}
		first, err := r.PolicyVersion(1)
		if err != nil || first.Author.ID != "" || first.Reason != "" || first.SinglePerson || first.CreatedAt.Location() != time.UTC {
			t.Errorf("version 1 is %+v, %v", first, err)
		}
		third, err := r.PolicyVersion(3)
		if err != nil || third.Author != (auth.Person{ID: "per_gone"}) {
			t.Errorf("version 3 is by %+v, %v", third.Author, err)
		}
		for _, none := range []int64{0, -1, 4, 1 << 60} {
			_, err := r.PolicyVersion(none)
			wantFault(t, fmt.Sprintf("version %d", none), err, fault.Missing)
		}
		numbers := func(before int64, limit int) string {
			var all []int64
			for _, one := range must(r.PolicyVersions(before, limit)) {
				all = append(all, one.Version)
			}
			return fmt.Sprint(all)
		}
		if got := numbers(0, 2) + numbers(2, 2) + numbers(1, 2); got != "[3 2][1][]" {
			t.Errorf("the pages are %s", got)
		}
		_, current, err := r.Policy()
		if current != 3 {
			t.Errorf("version %d is current", current)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	wantFault(t, "a version that is there", w.Store.Tenants().Write(t.Context(), p.tenant, func(w tenants.Writer) error { return w.CreatePolicy(v) }), fault.Changed)
	won := race(t, 8, fault.Changed, func(ctx context.Context, _ int) error {
		return w.Store.Tenants().Write(ctx, p.tenant, func(w tenants.Writer) error {
			return w.CreatePolicy(tenants.PolicyVersion{Version: 4, Policy: scoring.DefaultPolicy(), CreatedAt: w.Now()})
		})
	})
	if won != 1 {
		t.Errorf("%d made version 4, want 1", won)
	}
	wantFault(t, "a version of another tenant", w.Store.Tenants().Read(t.Context(), w.beta.tenant, func(r tenants.Reader) error {
		_, err := r.PolicyVersion(2)
		return err
	}), fault.Missing)
}

func testProposals(t *testing.T, w world) {
	p, s := w.acme, w.Store.Tenants()
	var made []tenants.Proposal
	for i := range 3 {
		p.govern(t, func(w tenants.Writer) error {
			one := tenants.Proposal{ID: auth.NewID("ppl"), Base: 1, Policy: elaborate(), Reason: "зачем", Author: p.ada, CreatedAt: w.Now(), State: tenants.ProposalOpen}
			if i == 0 {
				one.Weakens = []string{"/pattern_overrides/disable/iban"}
			}
			made = append(made, one)
			return w.CreateProposal(one)
		})
	}
	ended := made[1]
	ended.State, ended.ClosedBy, ended.Answer = tenants.ProposalRejected, p.ben, "нет"
	p.govern(t, func(w tenants.Writer) error {
		now := w.Now()
		ended.ClosedAt = &now
		return w.CloseProposal(ended)
	})
	err := s.Read(t.Context(), p.tenant, func(r tenants.Reader) error {
		open, err := r.Proposals()
		same(t, "the open ones", open, []tenants.Proposal{made[0], made[2]})
		got := must(r.Proposal(ended.ID))
		same(t, "the one that ended", got, ended)
		_, missing := r.Proposal("ppl_none")
		wantFault(t, "one that is not there", missing, fault.Missing)
		return err
	})
	if err != nil {
		t.Error(err)
	}
	again := ended
	again.State = tenants.ProposalAccepted
	wantFault(t, "ending it again", s.Write(t.Context(), p.tenant, func(w tenants.Writer) error { return w.CloseProposal(again) }), fault.Changed)
	won := race(t, 8, fault.Changed, func(ctx context.Context, i int) error {
		one := made[0]
		one.State, one.ClosedBy = []tenants.ProposalState{tenants.ProposalWithdrawn, tenants.ProposalRejected}[i%2], p.ada
		return s.Write(ctx, p.tenant, func(w tenants.Writer) error { return w.CloseProposal(one) })
	})
	if won != 1 {
		t.Errorf("%d ended one proposal, want 1", won)
	}
	for name, act := range map[string]func(w tenants.Writer) error{
		"reading": func(w tenants.Writer) error { _, err := w.Proposal(made[2].ID); return err },
		"making one from a version that this tenant has not": func(w tenants.Writer) error {
			one := made[2]
			one.ID, one.Base = auth.NewID("ppl"), 7
			return w.CreateProposal(one)
		},
	} {
		wantFault(t, "beta "+name, s.Write(t.Context(), w.beta.tenant, act), fault.Missing)
	}
	wantFault(t, "beta ending it", s.Write(t.Context(), w.beta.tenant, func(w tenants.Writer) error { return w.CloseProposal(again) }), fault.Changed)
	if open := must(list(t, w.beta)); len(open) != 0 {
		t.Errorf("beta lists %d proposals", len(open))
	}
}

func list(t *testing.T, p place) (open []tenants.Proposal, err error) {
	t.Helper()
	return open, p.db.Store.Tenants().Read(t.Context(), p.tenant, func(r tenants.Reader) error {
		open, err = r.Proposals()
		return err
	})
}

// debate is a policy with a history that the real service wrote: a version, an
// accepted, a rejected, a withdrawn and an open proposal.
func (p place) debate(t *testing.T) (open string) {
	t.Helper()
	p.govern(t, func(w tenants.Writer) error {
		return errors.Join(w.Grant(p.ada.ID, []auth.Role{auth.Admin}), w.Grant(p.ben.ID, []auth.Role{auth.Admin}))
	})
	s := tenants.NewService(tenants.Config{Store: p.db.Store.Tenants(), Log: slog.New(slog.DiscardHandler)})
	ada := auth.Member{Tenant: p.tenant, Person: p.ada, Roles: []auth.Role{auth.Admin}}
	ben := auth.Member{Tenant: p.tenant, Person: p.ben, Roles: []auth.Role{auth.Admin}}
	save := func(base int64, grant int) *tenants.Proposal {
		policy := scoring.DefaultPolicy()
		policy.GrantSeconds = grant
		_, proposed, err := s.SavePolicy(t.Context(), ada, tenants.Change{Base: base, Policy: policy, Reason: "зачем"})
		if err != nil {
			t.Fatal(err)
		}
		return proposed
	}
	save(1, 100)
	if _, err := s.AcceptProposal(t.Context(), ben, save(2, 200).ID); err != nil {
		t.Fatal(err)
	}
	if err := s.RejectProposal(t.Context(), ben, save(3, 300).ID, "нет"); err != nil {
		t.Fatal(err)
	}
	if err := s.WithdrawProposal(t.Context(), ada, save(3, 400).ID); err != nil {
		t.Fatal(err)
	}
	return save(3, 500).ID
}

// Versions and proposals are kept as they were made, and held against the trail.
func testPoliciesHold(t *testing.T, w world) {
	open := w.acme.debate(t)
	for _, statement := range []string{
		"UPDATE policies SET reason = 'x' WHERE version = 2",
		"UPDATE policies SET author_id = 'x' WHERE version = 2",
		"UPDATE policies SET accepted_by = '' WHERE version = 3",
		"UPDATE policies SET single_person = TRUE WHERE version = 2",
		"DELETE FROM policies WHERE version = 3",
		"UPDATE policy_proposals SET policy = '{}' WHERE proposal_id = '$open'",
		"UPDATE policy_proposals SET reason = 'x' WHERE proposal_id = '$open'",
		"UPDATE policy_proposals SET author_id = 'x' WHERE proposal_id = '$open'",
		"UPDATE policy_proposals SET weakens = '[]' WHERE proposal_id = '$open'",
		"UPDATE policy_proposals SET base = 1 WHERE proposal_id = '$open'",
		"UPDATE policy_proposals SET proposal_id = 'x' WHERE proposal_id = '$open'",
		"UPDATE policy_proposals SET tenant_id = 'beta' WHERE proposal_id = '$open'",
		"UPDATE policy_proposals SET created_at = '2000-01-01 00:00:00+00:00' WHERE proposal_id = '$open'",
		"UPDATE policy_proposals SET state = 'accepted' WHERE proposal_id = '$open'", // without a time
		"UPDATE policy_proposals SET state = 'open', closed_at = NULL WHERE state = 'rejected'",
		"UPDATE policy_proposals SET answer = 'x' WHERE state = 'rejected'",
		"UPDATE policy_proposals SET state = 'accepted' WHERE state = 'withdrawn'",
		"DELETE FROM policy_proposals WHERE proposal_id = '$open'",
	} {
		if err := w.raw(t, strings.ReplaceAll(statement, "$open", open)); err == nil {
			t.Errorf("%s: done, want it refused", statement)
		}
	}
	if r, err := w.Store.Audit().Verify(t.Context(), w.acme.tenant); err != nil || !r.OK {
		t.Errorf("the trail: %s, %v", r, err)
	}
}

func testPoliciesVerify(t *testing.T, w world) {
	for name, c := range map[string]struct{ edit, says string }{
		"first version":      {"UPDATE policies SET policy = replace(policy, '\"block\"', '\"hold\"') WHERE tenant_id = 'acme' AND version = 1", "version 1 of the policy: the stored policy"},
		"a version":          {"UPDATE policies SET policy = replace(policy, '\"grant_seconds\":200', '\"grant_seconds\":20') WHERE tenant_id = 'acme' AND version = 3", "version 3 of the policy: the stored policy"},
		"its reason":         {"UPDATE policies SET reason = 'x' WHERE tenant_id = 'acme' AND version = 2", "stored reason"},
		"its author":         {"UPDATE policies SET author_id = 'per_x' WHERE tenant_id = 'acme' AND version = 2", "stored author"},
		"who accepted it":    {"UPDATE policies SET accepted_by = '' WHERE tenant_id = 'acme' AND version = 3", "stored accepter"},
		"its mark":           {"UPDATE policies SET single_person = TRUE WHERE tenant_id = 'acme' AND version = 2", "stored single person"},
		"its time":           {"UPDATE policies SET created_at = '2020-01-01 00:00:00+00:00' WHERE tenant_id = 'acme' AND version = 2", "stored time"},
		"one more":           {"INSERT INTO policies (tenant_id, version, policy, created_at) SELECT tenant_id, 4, policy, created_at FROM policies WHERE tenant_id = 'acme' AND version = 1", "version 4 of the policy is in the database, but no event"},
		"another number":     {"UPDATE policies SET version = 9 WHERE tenant_id = 'acme' AND version = 2", "version 2 of the policy was created but is missing"},
		"a proposal":         {"UPDATE policy_proposals SET policy = '{}' WHERE proposal_id = '$open'", "stored beginning"},
		"its proposer":       {"UPDATE policy_proposals SET author_id = 'per_x' WHERE proposal_id = '$open'", "stored beginning"},
		"its end":            {"UPDATE policy_proposals SET state = 'accepted' WHERE state = 'rejected'", "stored end"},
		"its end taken back": {"UPDATE policy_proposals SET state = 'open', closed_at = NULL, closed_by = '', answer = '' WHERE state = 'withdrawn'", "stored end"},
		"a proposal removed": {"DELETE FROM policy_proposals WHERE proposal_id = '$open'", "was created but is missing"},
		"a proposal added":   {"INSERT INTO policy_proposals SELECT tenant_id, 'ppl_zz', base, policy, reason, author_id, weakens, created_at, state, closed_at, closed_by, answer FROM policy_proposals WHERE proposal_id = '$open'", "ppl_zz is in the database, but no event"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, w.open)
			open := w.acme.debate(t)
			arm := w.Disarm(t, w.Raw)
			w.mustRaw(t, "%s", strings.ReplaceAll(c.edit, "$open", open))
			arm()
			r, err := w.Store.Audit().Verify(t.Context(), "acme")
			if err != nil || r.OK || r.FirstBroken < 0 || !strings.Contains(r.Problem, c.says) {
				t.Errorf("found %+v, %v; want it to say %q", r, err, c.says)
			}
		})
	}
}
