package tenants_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/tenants"
)

// Nobody is two people: what one person could do alone, account by account.

// several is a town whose organisation acme is not in single-person mode: adam and alma
// have signed in, and the command line made both.
func several(t *testing.T) *town {
	t.Helper()
	v := newTown(t)
	for _, who := range []string{"adam", "alma", "ada"} {
		v.signIn(who)
	}
	return v
}

func (v *town) signIn(who string) {
	v.t.Helper()
	token, err := v.SignInLink(v.t.Context(), "acme", v.people[who].Person.Email, tenants.LinkSignIn)
	must(v.t, err)
	_, err = v.RedeemLink(v.t.Context(), token)
	must(v.t, err)
}

// joins is whoever comes by an invitation.
func (v *town) joins(token string) auth.Member {
	v.t.Helper()
	p, _, err := v.Join(v.t.Context(), tenants.Joining{Token: token, Password: good, From: "::1"})
	must(v.t, err)
	m, err := v.Member(v.t.Context(), "acme", p.ID)
	must(v.t, err)
	return m
}

// stillWaits is what nothing came of although the server looked.
func (v *town) stillWaits(why, id string) {
	v.t.Helper()
	must(v.t, v.PutInForce(v.t.Context()))
	l, err := v.Waiting(v.t.Context(), v.people["cleo"]) // whose look begins nothing
	must(v.t, err)
	if len(l.People) != 1 || l.People[0].ID != id {
		v.t.Errorf("%s: what waits is %+v", why, l.People)
	}
}

// waits is the one change that waits.
func (v *town) waits(as string) tenants.PeopleProposal {
	v.t.Helper()
	l, err := v.Waiting(v.t.Context(), v.people[as])
	must(v.t, err)
	if len(l.People) != 1 {
		v.t.Fatalf("%d changes wait, want one", len(l.People))
	}
	return l.People[0]
}

func (v *town) single() bool {
	v.t.Helper()
	a, err := v.Enter(v.t.Context(), "acme", v.people["adam"].Person.ID, v.clock.now())
	must(v.t, err)
	return a.Single
}

// An admin who invites himself is not a second admin: his other account neither accepts
// what he proposed nor what it proposed itself, for as long as the policy says.
func TestInvitedBySomebodyIsNotSomebodyElse(t *testing.T) {
	t.Parallel()
	v := newTown(t)
	v.alone()
	v.signIn("adam")
	second, late := v.invite("adam+2@example.com", auth.Roles()...), v.invite("adam+3@example.com", auth.Admin)
	other, third := v.joins(second), v.joins(late)
	for what, by := range map[string]auth.Member{"his own": v.people["adam"], "the other one's": other} {
		_, p, err := v.SavePolicy(t.Context(), by, tenants.Change{Base: 1, Policy: weaker(), Reason: "x"})
		must(t, err)
		for _, who := range []auth.Member{v.people["adam"], other, third} {
			_, err := v.AcceptProposal(t.Context(), who, p.ID)
			wantFault(t, what+", accepted by "+who.Person.Name, err, fault.NotEligible)
		}
	}
	v.clock.pass(7*24*time.Hour - time.Minute)
	_, p, err := v.SavePolicy(t.Context(), v.people["adam"], tenants.Change{Base: 1, Policy: weaker(), Reason: "x"})
	must(t, err)
	_, err = v.AcceptProposal(t.Context(), other, p.ID)
	wantFault(t, "before the time is over", err, fault.NotEligible)
	v.clock.pass(time.Minute)
	if _, err = v.AcceptProposal(t.Context(), other, p.ID); err != nil {
		t.Errorf("after it: %v", err)
	}
	v.verified()
}

// verified holds the trail of acme, and the tables against it.
func (v *town) verified() {
	v.t.Helper()
	report, err := v.db.Audit().Verify(v.t.Context(), "acme")
	must(v.t, err)
	if !report.OK {
		v.t.Errorf("the trail does not hold: %s", report)
	}
}

// Each act that gives one person more than they had waits for another, who may accept
// it at once.
func TestWeakeningsOfPeopleWait(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for what, do := range map[string]func(v *town) error{
		"an operator": func(v *town) error {
			_, err := v.Service.SetRoles(ctx, v.people["adam"], v.people["cleo"].Person.ID, []auth.Role{auth.Operator})
			return err
		},
		"an admin": func(v *town) error {
			_, err := v.Service.SetRoles(ctx, v.people["adam"], v.people["ada"].Person.ID, []auth.Role{auth.Operator, auth.Admin})
			return err
		},
		"oneself": func(v *town) error {
			_, err := v.Service.SetRoles(ctx, v.people["adam"], v.people["adam"].Person.ID, auth.Roles())
			return err
		},
		"an invitation": func(v *town) error {
			_, k, err := v.Invite(ctx, v.people["adam"], auth.NewID("tkt"), "new@example.com", []auth.Role{auth.Operator})
			if err == nil && !k.Waits {
				return errors.New("the link works at once")
			}
			return err
		},
		"a password link": func(v *town) error {
			_, k, err := v.PasswordTicket(ctx, v.people["adam"], auth.NewID("tkt"), v.people["ada"].Person.ID)
			if err == nil && !k.Waits {
				return errors.New("the link works at once")
			}
			return err
		},
		"a role that was taken away": func(v *town) error {
			must(v.t, v.SetRoles(ctx, v.people["adam"], v.people["ada"].Person.ID, []auth.Role{auth.Compliance}))
			_, err := v.Service.SetRoles(ctx, v.people["adam"], v.people["ada"].Person.ID, []auth.Role{auth.Operator})
			return err
		},
		"a suspended person's rights": func(v *town) error {
			must(v.t, v.Suspend(ctx, v.people["adam"], v.people["ada"].Person.ID, "a leak"))
			_, err := v.Reinstate(ctx, v.people["adam"], v.people["ada"].Person.ID)
			return err
		},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			v := several(t)
			must(t, do(v))
			p := v.waits("adam")
			wantFault(t, "accepting one's own", v.AcceptPeople(ctx, v.people["adam"], p.ID), fault.NotEligible)
			v.clock.pass(200 * time.Hour) // nobody saw it
			wantFault(t, "what nobody saw", v.AcceptPeople(ctx, v.people["adam"], p.ID), fault.NotEligible)
			must(t, v.AcceptPeople(ctx, v.people["alma"], p.ID))
			wantFault(t, "twice", v.AcceptPeople(ctx, v.people["alma"], p.ID), fault.Changed)
			v.verified()
		})
	}
}

// The waiting time begins with the look of another admin, who can object until it is
// over, and whom nobody can keep from that.
func TestWaitingTime(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	ask := func(v *town) tenants.PeopleProposal {
		_, err := v.Service.SetRoles(ctx, v.people["adam"], v.people["cleo"].Person.ID, []auth.Role{auth.Operator})
		must(t, err)
		return v.waits("adam") // his own look begins nothing
	}
	t.Run("it passes", func(t *testing.T) {
		v := several(t)
		p := ask(v)
		v.waits("ada") // an operator's neither, where there is another admin
		v.clock.pass(48 * time.Hour)
		v.stillWaits("nobody saw it", p.ID)
		v.waits("alma")
		v.clock.pass(24*time.Hour - time.Minute)
		v.stillWaits("too early", p.ID)
		v.clock.pass(time.Minute)
		wantFault(t, "nobody has to press anything", v.AcceptPeople(ctx, v.people["adam"], p.ID), fault.NotEligible)
		must(t, v.PutInForce(ctx))
		must(t, v.PutInForce(ctx)) // another server
		if e := v.newest("acme", audit.PeopleAccepted); !e.Data.Get("waited").Bool() || e.Actor.Kind != "system" {
			t.Errorf("the event says %s by %s", e.Data.Canonical(), e.Actor.Kind)
		}
		if m, err := v.Member(ctx, "acme", p.Person.ID); err != nil || !m.May(auth.Decide) {
			t.Errorf("it gave %v, %v", m.Roles, err)
		}
		v.verified()
	})
	t.Run("somebody objects", func(t *testing.T) {
		v := several(t)
		p := ask(v)
		v.waits("alma")
		wantFault(t, "an operator", v.RejectPeople(ctx, v.people["ada"], p.ID, "no"), fault.NotEligible)
		must(t, v.RejectPeople(ctx, v.people["alma"], p.ID, "no"))
		v.clock.pass(48 * time.Hour)
		must(t, v.PutInForce(ctx))
		if m, err := v.Member(ctx, "acme", p.Person.ID); err != nil || m.May(auth.Decide) {
			t.Errorf("after an objection: %v, %v", m.Roles, err)
		}
		v.verified()
	})
	for what, gone := range map[string]func(v *town) error{
		"suspended": func(v *town) error { return v.Suspend(ctx, v.people["adam"], v.people["alma"].Person.ID, "x") },
		"removed":   func(v *town) error { return v.RemoveMember(ctx, v.people["adam"], v.people["alma"].Person.ID) },
		"demoted": func(v *town) error {
			return v.SetRoles(ctx, v.people["adam"], v.people["alma"].Person.ID, []auth.Role{auth.Compliance})
		},
	} {
		t.Run("who saw it is "+what, func(t *testing.T) {
			v := several(t)
			p := ask(v)
			v.waits("alma")
			must(t, gone(v))
			v.clock.pass(48 * time.Hour)
			v.stillWaits("nobody is left to object", p.ID)
			v.verified()
		})
	}
}

// A link that waits opens nothing; what was accepted does, and ties whom it let in.
func TestLinksWait(t *testing.T) {
	t.Parallel()
	v := several(t)
	token, k, err := v.Invite(t.Context(), v.people["adam"], auth.NewID("tkt"), "omar@new.example", []auth.Role{auth.Admin})
	must(t, err)
	_, err = v.CheckTicket(t.Context(), tenants.TicketJoin, token)
	wantFault(t, "a link that waits", err, fault.SignInFailed)
	if !strings.Contains(fault.As(err).Detail, "doesn't work yet") {
		t.Errorf("it says: %s", fault.As(err).Detail)
	}
	_, _, err = v.Join(t.Context(), tenants.Joining{Token: token, Password: good})
	wantFault(t, "joining by it", err, fault.SignInFailed)
	must(t, v.AcceptPeople(t.Context(), v.people["alma"], v.waits("alma").ID))
	omar := v.joins(token)
	if e := v.newest("acme", audit.PersonJoined); e.Data.Get("invited_by").Text() != v.people["adam"].Person.ID || e.Data.Get("ticket").Text() != k.ID {
		t.Errorf("the event says %s", e.Data.Canonical())
	}
	_, p, err := v.SavePolicy(t.Context(), v.people["adam"], tenants.Change{Base: 1, Policy: weaker(), Reason: "x"})
	must(t, err)
	_, err = v.AcceptProposal(t.Context(), omar, p.ID)
	wantFault(t, "who was invited accepts", err, fault.NotEligible)

	token, _, err = v.PasswordTicket(t.Context(), v.people["adam"], auth.NewID("tkt"), v.people["alma"].Person.ID)
	must(t, err)
	_, err = v.ChoosePassword(t.Context(), token, good)
	wantFault(t, "a password by a link that waits", err, fault.SignInFailed)
	must(t, v.AcceptPeople(t.Context(), v.people["alma"], v.waits("alma").ID))
	_, err = v.ChoosePassword(t.Context(), token, good)
	must(t, err)
	_, err = v.AcceptProposal(t.Context(), v.people["alma"], p.ID)
	wantFault(t, "who used a link of the author accepts", err, fault.NotEligible)
	v.verified()
}

// Single-person mode ends when a second person has signed in, and never comes back.
func TestSinglePersonMode(t *testing.T) {
	t.Parallel()
	v := newTown(t)
	if e := v.events("acme")[0]; e.Kind != audit.TenantCreated || !e.Data.Get("single_person_mode").Bool() {
		t.Errorf("it begins with %s %s", e.Kind, e.Data.Canonical())
	}
	v.signIn("cleo") // compliance decides nothing
	v.signIn("adam")
	v.signIn("adam")
	if !v.single() {
		t.Fatal("it ended with one person")
	}
	v.signIn("ada")
	if v.single() {
		t.Fatal("it did not end with the second one")
	}
	if e := v.newest("acme", audit.SinglePersonEnded); e.Data.Get("person").Text() != v.people["ada"].Person.ID {
		t.Errorf("the event says %s", e.Data.Canonical())
	}
	must(t, v.RemoveMember(t.Context(), v.people["adam"], v.people["alma"].Person.ID))
	must(t, v.RemoveMember(t.Context(), v.people["adam"], v.people["ada"].Person.ID))
	if v.single() {
		t.Error("removing the others brought it back")
	}
	made, proposed, err := v.SavePolicy(t.Context(), v.people["adam"], tenants.Change{Base: 1, Policy: weaker(), Reason: "x", Typed: "acme"})
	if err != nil || made != nil || proposed == nil {
		t.Errorf("alone again he made %+v, %v", made, err)
	}
	_, k, err := v.Invite(t.Context(), v.people["adam"], auth.NewID("tkt"), "adam+2@example.com", []auth.Role{auth.Operator})
	if err != nil || !k.Waits {
		t.Errorf("alone again he invites: waits %v, %v", k.Waits, err)
	}
	// The command line is the way out, and stands in the trail.
	_, err = v.Grant(t.Context(), "acme", "ada@example.com", []auth.Role{auth.Admin})
	must(t, err)
	must(t, v.TellMode(t.Context(), "acme"))
	v.verified()
}
