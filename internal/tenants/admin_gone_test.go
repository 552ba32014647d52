package tenants_test

import (
	"database/sql"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/long"
	"github.com/countersign/countersign/internal/store"
	"github.com/countersign/countersign/internal/store/headstest"
	"github.com/countersign/countersign/internal/store/postgrestest"
	"github.com/countersign/countersign/internal/tenants"
)

// deed is something that alma does with the roles that she came in with.
type deed struct {
	what  string
	ready func() error // what must be so before; nil: nothing
	do    func() error
}

// deeds are one of each kind, none of which anything but her roles stands in the way
// of.
func (v *town) deeds() []deed {
	t, ctx := v.t, v.t.Context()
	adam, alma, ada := v.people["adam"], v.people["alma"], v.people["ada"].Person.ID
	_, bot := v.make("bot")
	_, idle := v.make("idle")
	must(t, v.StopAgent(ctx, adam, idle.ID, "a leak"))
	_, invitation, err := v.Invite(ctx, adam, auth.NewID("tkt"), "new@example.com", []auth.Role{auth.Operator})
	must(t, err)
	_, hers := v.save("alma", 1, weaker())
	_, other := v.save("ada", 1, weaker())
	return []deed{
		{what: "roles", do: func() error { return v.SetRoles(ctx, alma, ada, []auth.Role{auth.Admin}) }},
		{what: "a removal", do: func() error { return v.RemoveMember(ctx, alma, ada) }},
		{what: "sessions", do: func() error { return v.EndSessions(ctx, alma, ada) }},
		{what: "an invitation", do: func() error {
			_, _, err := v.Invite(ctx, alma, auth.NewID("tkt"), "alma@example.net", []auth.Role{auth.Admin})
			return err
		}},
		{what: "an end of an invitation", do: func() error { return v.WithdrawInvitation(ctx, alma, invitation.ID) }},
		{what: "a link for a password", do: func() error {
			_, _, err := v.PasswordTicket(ctx, alma, auth.NewID("tkt"), ada)
			return err
		}},
		{what: "an agent", do: func() error {
			_, _, err := v.MakeAgent(ctx, alma, tenants.NewAgent{Name: "hers", Owner: ada, KeyID: auth.NewID("key")})
			return err
		}},
		{what: "a stop", do: func() error { return v.StopAgent(ctx, alma, bot.ID, "why not") }},
		{what: "a start", do: func() error {
			_, err := v.StartAgent(ctx, alma, idle.ID, newKey())
			return err
		}},
		{what: "an incident", do: func() error { return v.RecordIncident(ctx, alma, bot.ID, "why not") }},
		{what: "a new key", do: func() error {
			_, err := v.RotateKey(ctx, alma, bot.ID, newKey(), 0)
			return err
		}},
		{what: "an expiry", do: func() error { return v.SetExpiry(ctx, alma, bot.ID, bot.KeyID, time.Hour) }},
		{what: "a revocation", do: func() error { return v.RevokeKey(ctx, alma, bot.ID, bot.KeyID) }},
		{what: "a policy", do: func() error {
			_, _, err := v.SavePolicy(ctx, alma, tenants.Change{Base: 1, Policy: tighter(), Reason: "x"})
			return err
		}},
		{what: "a proposal", do: func() error {
			_, _, err := v.SavePolicy(ctx, alma, tenants.Change{Base: 1, Policy: weaker(), Reason: "x"})
			return err
		}},
		{what: "a yes to a proposal", do: func() error {
			_, err := v.AcceptProposal(ctx, alma, other.ID)
			return err
		}},
		{what: "a no to a proposal", do: func() error { return v.RejectProposal(ctx, alma, other.ID, "no") }},
		{what: "her own proposal", do: func() error { return v.WithdrawProposal(ctx, alma, hers.ID) }},
		{what: "an export", do: func() error {
			m := alma
			m.Roles = []auth.Role{auth.Compliance}
			return v.TellExport(ctx, m, audit.Event{Kind: audit.Exported, Actor: audit.Actor{Kind: "person", ID: m.Person.ID}})
		}},
		{what: "the kill switch", do: func() error { return v.StopAll(ctx, alma, "acme", "") }},
		{what: "an end of the halt", ready: func() error { return v.StopAll(ctx, adam, "acme", "") }, do: func() error { return v.Resume(ctx, alma, "x") }},
	}
}

// TestAdminGoneBeforeChange: who was removed since they came in changes nobody and
// nothing any more.
func TestAdminGoneBeforeChange(t *testing.T) {
	t.Parallel()
	for db, open := range map[string]func(t *testing.T) *town{
		"sqlite": newTown,
		"postgres": func(t *testing.T) *town {
			v, _ := newPostgresTown(t)
			return v
		},
	} {
		t.Run(db, func(t *testing.T) {
			t.Parallel()
			v := open(t)
			all := v.deeds()
			must(t, v.RemoveMember(t.Context(), v.people["adam"], v.people["alma"].Person.ID))
			for _, d := range all {
				if d.ready != nil {
					must(t, d.ready())
				}
				wantFault(t, d.what, d.do(), fault.Denied)
			}
			v.wantNothingOf("alma", "a proposal that waits")
		})
	}
}

// wantNothingOf says that somebody did nothing but make one proposal.
func (v *town) wantNothingOf(who, but string) {
	v.t.Helper()
	did := 0
	for _, e := range v.events("acme") {
		if e.Actor.ID == v.people[who].Person.ID {
			did++
		}
	}
	if did != 1 {
		v.t.Errorf("the trail tells of %d acts of %s, want one: %s", did, who, but)
	}
}

// meanwhile runs act, and ends it when the transaction of another server, which did that before
// it, commits. The other one holds the log and moves it, as whoever changes a membership does.
func (v *town) meanwhile(raw *sql.DB, act func() error, that string, args ...any) error {
	v.t.Helper()
	tx, err := raw.BeginTx(v.t.Context(), nil)
	must(v.t, err)
	defer func() { _ = tx.Rollback() }()
	_, err = tx.Exec("SELECT 1 FROM audit_logs WHERE tenant_id = 'acme' FOR UPDATE")
	must(v.t, err)
	_, err = tx.Exec(that, args...)
	must(v.t, err)
	_, err = tx.Exec("SET LOCAL session_replication_role = replica") // past the triggers
	must(v.t, err)
	_, err = tx.Exec("UPDATE audit_logs SET size = size WHERE tenant_id = 'acme'")
	must(v.t, err)
	done := postgrestest.Blocked(v.t, raw, act)
	must(v.t, tx.Commit())
	return done()
}

// TestAdminGoneWhileItWaits: nor does who is removed after their roles were read.
func TestAdminGoneWhileItWaits(t *testing.T) {
	t.Parallel()
	long.Race(t)
	v, raw := newPostgresTown(t)
	alma := v.people["alma"]
	for _, d := range v.deeds() {
		if d.ready != nil {
			must(t, d.ready())
		}
		if d.what == "an export" {
			_, err := v.Grant(t.Context(), "acme", alma.Person.Email, []auth.Role{auth.Compliance})
			must(t, err)
		}
		wantFault(t, d.what, v.meanwhile(raw, d.do, "DELETE FROM memberships WHERE person_id = $1", alma.Person.ID), fault.Denied)
		_, err := v.Grant(t.Context(), "acme", alma.Person.Email, alma.Roles)
		must(t, err)
	}
	v.wantNothingOf("alma", "a proposal that waits")
}

// TestAdminMadeOperatorWhileItWaits: who may only propose by then proposes.
func TestAdminMadeOperatorWhileItWaits(t *testing.T) {
	t.Parallel()
	long.Race(t)
	v, raw := newPostgresTown(t)
	alma := v.people["alma"]
	var made *tenants.PolicyVersion
	var proposed *tenants.Proposal
	other, err := store.Open(t.Context(), store.Config{URL: v.dsn, Heads: headstest.New()})
	must(t, err)
	defer other.Close()
	var done func() error
	must(t, other.Tenants().Write(t.Context(), "acme", func(w tenants.Writer) error {
		done = postgrestest.Blocked(t, raw, func() (err error) {
			made, proposed, err = v.SavePolicy(t.Context(), alma, tenants.Change{Base: 1, Policy: tighter(), Reason: "x"})
			return err
		})
		if err := w.Grant(alma.Person.ID, []auth.Role{auth.Operator}); err != nil {
			return err
		}
		return w.Append(audit.Event{Kind: audit.RolesGranted, Actor: audit.Actor{Kind: "system"}, Data: canon.Object(
			canon.Member{Name: "person", Value: canon.String(alma.Person.ID)}, canon.Member{Name: "roles", Value: canon.Array(canon.String("operator"))})})
	}))
	must(t, done())
	if made != nil || proposed == nil {
		t.Errorf("made %v and proposed %v, want a proposal", made, proposed)
	}
}

// TestOfTwoAdminsOneIsFirst: of two who remove each other the second is told that they
// were removed, and not that the first must stay.
func TestOfTwoAdminsOneIsFirst(t *testing.T) {
	t.Parallel()
	long.Race(t)
	v, raw := newPostgresTown(t)
	adam, alma := v.people["adam"], v.people["alma"]
	err := v.meanwhile(raw, func() error { return v.RemoveMember(t.Context(), alma, adam.Person.ID) }, "DELETE FROM memberships WHERE person_id = $1", alma.Person.ID)
	wantFault(t, "the second", err, fault.Denied)
}
