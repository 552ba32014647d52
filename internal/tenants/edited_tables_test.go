package tenants_test

import (
	"database/sql"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/store/storetest"
	"github.com/countersign/countersign/internal/tenants"
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

// Whoever makes himself an admin in the tables, or makes something wait that nobody asked
// for, gets nothing accepted, nor does it take force by itself.
func TestForgedAuthorityAcceptsNothing(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	v := several(t)
	adam, alma := v.people["adam"], v.people["alma"]
	_, err := v.Service.SetRoles(ctx, adam, v.people["ada"].Person.ID, []auth.Role{auth.Admin})
	must(t, err)
	_, policy, err := v.SavePolicy(ctx, adam, tenants.Change{Base: 1, Policy: weaker(), Reason: "x"})
	must(t, err)
	_, agent := v.make("worker")
	bound := tenants.Bound{Environment: "staging"}
	_, err = v.BindAgent(ctx, adam, agent.ID, tenants.NewBinding{Bound: bound, Reason: "it tests"})
	must(t, err)
	people := v.waits("alma").ID
	_, err = v.ProposalConsent(ctx, alma, *policy)
	must(t, err)

	storetest.Edit{Table: "memberships", Statement: "UPDATE memberships SET roles = 'admin' WHERE person_id = '" + v.people["cleo"].Person.ID + "'"}.Make(t, v.raw(), false)
	cleo := v.people["cleo"]
	cleo.Roles = []auth.Role{auth.Admin}
	for name, code := range map[string]fault.Code{"cleo": fault.Denied, "alma": fault.GrantUnproven} { // who gets nothing from the row, and who accepts nothing beside it
		m := v.people[name]
		if name == "cleo" {
			m = cleo
		}
		wantFault(t, name+": rights", v.AcceptPeople(ctx, m, people), code)
		_, err = v.AcceptProposal(ctx, m, policy.ID)
		wantFault(t, name+": a policy", err, code)
		wantFault(t, name+": a binding", v.AcceptBinding(ctx, m, agent.ID, bound), code)
	}
	v.clock.pass(48 * time.Hour)
	v.stillWaits("the tables are not what was told", people)
	if now, err := v.PolicyOf(ctx, "acme"); err != nil || now.Version != 1 {
		t.Errorf("the policy took force: version %d, %v", now.Version, err)
	}

	storetest.Edit{Table: "memberships", Statement: "UPDATE memberships SET roles = 'compliance' WHERE person_id = '" + cleo.Person.ID + "'"}.Make(t, v.raw(), false)
	must(t, v.AcceptBinding(ctx, alma, agent.ID, bound))
	must(t, v.PutInForce(ctx))
	if now, err := v.PolicyOf(ctx, "acme"); err != nil || now.Version != 2 {
		t.Errorf("control: what waited did not take force: version %d, %v", now.Version, err)
	}
	v.verified()
}

// A link that somebody used, and of which nothing says that it was made, was put into the
// table and taken out of it: the log has it for good.
func TestUseOfAForgedLinkIsFound(t *testing.T) {
	t.Parallel()
	v := newTown(t)
	storetest.Busy(t, v.Service, v.people, func() { v.clock.pass(time.Second) })
	v.verified()
	ada := v.people["ada"].Person.ID
	must(t, v.db.Tenants().Write(t.Context(), "acme", func(w tenants.Writer) error {
		hash, err := w.PasswordHash(ada)
		if err != nil {
			return err
		}
		return w.Append(audit.Event{Kind: audit.PasswordChanged, Actor: audit.Actor{Kind: "person", ID: ada}, Data: canon.Object(
			canon.Member{Name: "person", Value: canon.String(ada)}, canon.Member{Name: "ticket", Value: canon.String("tkt_forged")},
			canon.Member{Name: "password_sum", Value: canon.String(tenants.PasswordSum(ada, hash))})})
	}))
	report, err := v.db.Audit().Verify(t.Context(), "acme")
	if err != nil || report.OK || !strings.Contains(report.Problem, "tkt_forged was used, but no event says that it was created") {
		t.Errorf("it says %q, %v", report.Problem, err)
	}
}

// A change of the password is told in every organisation of the person, with the password.
func TestPasswordIsToldEverywhere(t *testing.T) {
	t.Parallel()
	ctx, v := t.Context(), newTown(t)
	const email = "both@example.com"
	p, err := v.CreatePerson(ctx, "acme", email, "", "correct horse battery", []auth.Role{auth.Operator})
	must(t, err)
	_, err = v.CreatePerson(ctx, "rival", email, "", "", []auth.Role{auth.Operator})
	must(t, err)
	_, err = v.SetPassword(ctx, email, "another horse battery")
	must(t, err)
	for _, tenant := range []string{"acme", "rival"} {
		report, err := v.db.Audit().Verify(ctx, tenant)
		if err != nil || !report.OK {
			t.Errorf("%s: it says %q, %v", tenant, report.Problem, err)
		}
	}
	sign := func() error {
		_, err := v.SignIn(ctx, tenants.SigningIn{Email: email, Password: "another horse battery", From: "192.0.2.1"})
		return err
	}
	must(t, sign())
	_, err = v.raw().ExecContext(ctx, "UPDATE people SET password_hash = password_hash || ' ' WHERE person_id = $1", p.ID)
	must(t, err)
	for _, tenant := range []string{"acme", "rival"} {
		report, err := v.db.Audit().Verify(ctx, tenant)
		if err != nil || report.OK || !strings.Contains(report.Problem, "the stored password isn't the one in the events") {
			t.Errorf("%s: it says %q, %v", tenant, report.Problem, err)
		}
	}
}

// raw is the database past everything that the store checks.
func (v *town) raw() *sql.DB {
	v.t.Helper()
	raw, err := sql.Open("sqlite", v.path)
	must(v.t, err)
	v.t.Cleanup(func() { must(v.t, raw.Close()) })
	return raw
}
