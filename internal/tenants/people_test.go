package tenants_test

import (
	"context"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/tenants"
)

const good = "correct horse battery staple"

// invite makes an invitation to acme.
func (v *town) invite(email string, roles ...auth.Role) string {
	v.t.Helper()
	token, _, err := v.Invite(v.t.Context(), v.people["adam"], auth.NewID("tkt"), email, roles)
	must(v.t, err)
	return token
}

func (v *town) roles(tenant, person string) []auth.Role {
	v.t.Helper()
	m, err := v.Member(v.t.Context(), tenant, person)
	if fault.Is(err, fault.Missing) {
		return nil
	}
	must(v.t, err)
	return m.Roles
}

func TestInviteAndJoin(t *testing.T) {
	t.Parallel()
	v := newTown(t)
	adam := v.people["adam"]
	token := v.invite(" Omar@New.example ", auth.Operator, auth.Admin)
	e := v.last(audit.PersonInvited, adam)
	b, err := e.Bytes()
	must(t, err)
	if strings.Contains(strings.ToLower(string(b)), "omar") || strings.Contains(string(b), token) {
		t.Errorf("the event names the address or the link: %s", b)
	}
	for range 3 { // looking uses nothing up
		k, err := v.CheckTicket(t.Context(), tenants.TicketJoin, token)
		if err != nil || k.Email != "omar@new.example" || k.Tenant != "acme" || !slices.Equal(k.Roles, []auth.Role{auth.Operator, auth.Admin}) {
			t.Fatalf("the ticket is %+v, %v", k, err)
		}
	}
	_, err = v.CheckTicket(t.Context(), tenants.TicketPassword, token)
	wantFault(t, "as a reset", err, fault.SignInFailed)
	for what, in := range map[string]tenants.Joining{
		"no password":      {Token: token},
		"a short password": {Token: token, Password: "short"},
		"a hidden name":    {Token: token, Password: good, Name: "Ada\u202e"},
		"a long name":      {Token: token, Password: good, Name: strings.Repeat("x", 201)},
	} {
		_, _, err := v.Join(t.Context(), in)
		wantFault(t, what, err, fault.InvalidForm)
	}
	p, k, err := v.Join(t.Context(), tenants.Joining{Token: token, Name: " Omar Diaz ", Password: good, From: "::1"})
	if err != nil || p.Name != "Omar Diaz" || p.Email != "omar@new.example" || k.Tenant != "acme" {
		t.Fatalf("joined as %+v, %v", p, err)
	}
	if e := v.last(audit.PersonJoined, auth.Member{Person: p}); e.Data.Get("ticket").Text() != k.ID {
		t.Errorf("the event says %s", e.Data.Canonical())
	}
	if got := v.roles("acme", p.ID); !slices.Equal(got, k.Roles) {
		t.Errorf("the roles are %v", got)
	}
	if _, err := v.SignIn(t.Context(), tenants.SigningIn{Email: "omar@new.example", Password: good, From: "::1"}); err != nil {
		t.Errorf("signing in: %v", err)
	}
	_, _, err = v.Join(t.Context(), tenants.Joining{Token: token, Password: good})
	wantFault(t, "using it twice", err, fault.SignInFailed)
	for what, c := range map[string]struct {
		by, id, email string
		roles         []auth.Role
		want          fault.Code
	}{
		"a member":                {"adam", auth.NewID("tkt"), "OMAR@new.example", auth.Roles(), fault.AlreadyExists},
		"no address":              {"adam", auth.NewID("tkt"), "omar", auth.Roles(), fault.InvalidForm},
		"an address of two lines": {"adam", auth.NewID("tkt"), "a@b.example\nc", auth.Roles(), fault.InvalidForm},
		"no roles":                {"adam", auth.NewID("tkt"), "x@b.example", nil, fault.InvalidForm},
		"unknown roles":           {"adam", auth.NewID("tkt"), "x@b.example", []auth.Role{"owner"}, fault.InvalidForm},
		"no id":                   {"adam", "", "x@b.example", auth.Roles(), fault.InvalidForm},
		"twice":                   {"adam", k.ID, "x@b.example", auth.Roles(), fault.AlreadyExists},
		"an operator":             {"ada", auth.NewID("tkt"), "x@b.example", auth.Roles(), fault.Denied},
	} {
		_, _, err := v.Invite(t.Context(), v.people[c.by], c.id, c.email, c.roles)
		wantFault(t, what, err, c.want)
	}
}

// An address that is known elsewhere gets the same invitation, and joins with its
// own password only.
func TestJoinAsSomebodyKnown(t *testing.T) {
	t.Parallel()
	v := newTown(t)
	rival := v.people["rita"]
	rob, err := v.CreatePerson(t.Context(), "rival", "rob@example.com", "Rob Roy", good, []auth.Role{auth.Operator})
	must(t, err)
	before := len(v.events("rival"))
	token := v.invite("rob@example.com", auth.Compliance)
	l, err := v.People(t.Context(), v.people["adam"])
	must(t, err)
	if len(l.Members) != 4 || len(l.Invitations) != 1 || l.Invitations[0].Person != "" {
		t.Errorf("acme sees %+v", l)
	}
	_, _, err = v.Join(t.Context(), tenants.Joining{Token: token, Name: "Somebody Else", Password: "another good password", From: "::1"})
	wantFault(t, "another password", err, fault.WrongPassword)
	all := v.events("acme")
	if e := all[len(all)-1]; e.Kind != audit.InviteRefused || e.Actor.Kind != "system" {
		t.Errorf("the refusal is recorded as %s by %+v; it must name nobody", e.Kind, e.Actor)
	}
	_, _, err = v.Join(t.Context(), tenants.Joining{Token: token, SignedIn: rival.Person.ID, From: "::1"})
	wantFault(t, "signed in as somebody else", err, fault.InvalidForm)
	if got := v.roles("acme", rob.ID); got != nil {
		t.Fatalf("he has %v already", got)
	}
	p, _, err := v.Join(t.Context(), tenants.Joining{Token: token, Name: "Somebody Else", Password: good, From: "::1"})
	if err != nil || p != rob {
		t.Errorf("joined as %+v, %v", p, err)
	}
	if got := v.roles("rival", rob.ID); !slices.Equal(got, []auth.Role{auth.Operator}) {
		t.Errorf("in rival he is %v", got)
	}
	if got := v.events("rival"); len(got) != before {
		t.Errorf("rival's trail was told: %s", got[len(got)-1].Kind)
	}
	again := v.invite("rita@example.com", auth.Operator)
	if p, _, err := v.Join(t.Context(), tenants.Joining{Token: again, SignedIn: rival.Person.ID}); err != nil || p != rival.Person {
		t.Errorf("signed in as the invited person: %+v, %v", p, err)
	}
	guess := v.invite("guess@example.com", auth.Operator)
	_, err = v.CreatePerson(t.Context(), "rival", "guess@example.com", "", good, []auth.Role{auth.Operator})
	must(t, err)
	for range 5 {
		_, _, err = v.Join(t.Context(), tenants.Joining{Token: guess, Password: "another good password", From: "::2"})
		wantFault(t, "a guess", err, fault.WrongPassword)
	}
	_, _, err = v.Join(t.Context(), tenants.Joining{Token: guess, Password: good, From: "::2"})
	wantFault(t, "after five guesses", err, fault.RateLimited)
}

// Who was removed must not come back by a link of their own, and a ticket ends.
func TestTicketsEnd(t *testing.T) {
	t.Parallel()
	v := newTown(t)
	adam, alma := v.people["adam"], v.people["alma"]
	_, err := v.CheckTicket(t.Context(), tenants.TicketJoin, "")
	wantFault(t, "no token", err, fault.SignInFailed)
	check := func(what, token string, want fault.Code) {
		t.Helper()
		_, err := v.CheckTicket(t.Context(), tenants.TicketJoin, token)
		if want == "" {
			must(t, err)
			return
		}
		wantFault(t, what, err, want)
		_, _, err = v.Join(t.Context(), tenants.Joining{Token: token, Password: good})
		wantFault(t, what+", used", err, want)
	}
	token := v.invite("x@new.example", auth.Admin)
	check("new", token, "")
	must(t, v.SetRoles(t.Context(), alma, adam.Person.ID, []auth.Role{auth.Operator}))
	check("of somebody who is no admin any more", token, fault.SignInFailed)
	must(t, v.SetRoles(t.Context(), alma, adam.Person.ID, []auth.Role{auth.Admin}))
	check("of an admin again", token, "")
	must(t, v.RemoveMember(t.Context(), alma, adam.Person.ID))
	check("of somebody who was removed", token, fault.SignInFailed)

	mine := func(email string) (string, tenants.Ticket) {
		token, k, err := v.Invite(t.Context(), alma, auth.NewID("tkt"), email, []auth.Role{auth.Operator})
		must(t, err)
		return token, k
	}
	first, _ := mine("y@new.example")
	second, k := mine("y@new.example")
	check("replaced", first, fault.SignInFailed)
	check("the newer one", second, "")
	wantFault(t, "an operator withdraws", v.WithdrawInvitation(t.Context(), v.people["ada"], k.ID), fault.Denied)
	wantFault(t, "rival withdraws", v.WithdrawInvitation(t.Context(), v.people["rita"], k.ID), fault.Missing)
	must(t, v.WithdrawInvitation(t.Context(), alma, k.ID))
	v.last(audit.InviteWithdrawn, alma)
	check("withdrawn", second, fault.SignInFailed)
	wantFault(t, "withdrawn twice", v.WithdrawInvitation(t.Context(), alma, k.ID), fault.Changed)
	third, _ := mine("y@new.example")
	v.clock.pass(tenants.JoinLife)
	check("expired", third, fault.SignInFailed)
}

func TestTheLastAdminStays(t *testing.T) {
	t.Parallel()
	v := newTown(t)
	adam, alma := v.people["adam"], v.people["alma"]
	must(t, v.SetRoles(t.Context(), adam, adam.Person.ID, []auth.Role{auth.Operator, auth.Admin}))
	e := v.last(audit.RolesChanged, adam)
	if got := string(e.Data.Canonical()); !strings.Contains(got, `"before":["admin"]`) || !strings.Contains(got, `"roles":["operator","admin"]`) || !strings.Contains(got, adam.Person.ID) {
		t.Errorf("giving oneself a role is recorded as %s", got)
	}
	size := len(v.events("acme"))
	must(t, v.SetRoles(t.Context(), adam, adam.Person.ID, []auth.Role{auth.Admin, auth.Operator}))
	if len(v.events("acme")) != size {
		t.Error("the same roles again are recorded as a change")
	}
	must(t, v.SetRoles(t.Context(), adam, alma.Person.ID, []auth.Role{auth.Compliance}))
	wantFault(t, "taking the last admin's role", v.SetRoles(t.Context(), adam, adam.Person.ID, []auth.Role{auth.Operator}), fault.LastAdmin)
	wantFault(t, "removing the last admin", v.RemoveMember(t.Context(), adam, adam.Person.ID), fault.LastAdmin)
	if got := v.roles("acme", adam.Person.ID); !slices.Contains(got, auth.Admin) {
		t.Errorf("he is %v", got)
	}
	wantFault(t, "no roles", v.SetRoles(t.Context(), adam, alma.Person.ID, nil), fault.InvalidForm)
	wantFault(t, "somebody elsewhere", v.SetRoles(t.Context(), adam, v.people["rita"].Person.ID, auth.Roles()), fault.Missing)
	wantFault(t, "an operator", v.SetRoles(t.Context(), v.people["ada"], v.people["ada"].Person.ID, auth.Roles()), fault.Denied)
	wantFault(t, "an operator removes", v.RemoveMember(t.Context(), v.people["ada"], v.people["cleo"].Person.ID), fault.Denied)
	must(t, v.RemoveMember(t.Context(), adam, alma.Person.ID))
	v.last(audit.PersonRemoved, adam)
	if v.roles("acme", alma.Person.ID) != nil {
		t.Error("a removed person is a member")
	}
}

func TestSessionsEnd(t *testing.T) {
	t.Parallel()
	v := newTown(t)
	adam, rita := v.people["adam"], v.people["rita"]
	_, err := v.Grant(t.Context(), "acme", "rita@example.com", []auth.Role{auth.Operator})
	must(t, err)
	signedIn := v.clock.now()
	v.clock.pass(time.Second)
	enter := func(tenant string, since time.Time) error {
		_, err := v.Enter(t.Context(), tenant, rita.Person.ID, since)
		return err
	}
	must(t, enter("acme", signedIn))
	wantFault(t, "an operator", v.EndSessions(t.Context(), v.people["ada"], rita.Person.ID), fault.Denied)
	wantFault(t, "a stranger", v.EndSessions(t.Context(), rita, adam.Person.ID), fault.Missing)
	must(t, v.EndSessions(t.Context(), adam, rita.Person.ID))
	v.last(audit.SessionsRevoked, adam)
	wantFault(t, "an ended sign-in", enter("acme", signedIn), fault.Unauthorized)
	must(t, enter("rival", signedIn)) // one tenant's admin ends nothing in another
	_, err = v.Account(t.Context(), rita.Person.ID, signedIn)
	must(t, err)
	must(t, enter("acme", v.clock.now()))

	v.clock.pass(time.Second)
	later := v.clock.now()
	v.clock.pass(time.Second)
	must(t, v.EndOwnSessions(t.Context(), rita.Person.ID))
	v.last(audit.SessionsRevoked, rita)
	for _, tenant := range []string{"acme", "rival"} {
		wantFault(t, "her own end in "+tenant, enter(tenant, later), fault.Unauthorized)
		must(t, enter(tenant, v.clock.now()))
	}
	_, err = v.Account(t.Context(), rita.Person.ID, later)
	wantFault(t, "her account", err, fault.Unauthorized)
	_, err = v.Account(t.Context(), "per_no", later)
	wantFault(t, "nobody's account", err, fault.Unauthorized)
	wantFault(t, "a tenant of others", func() error { _, err := v.Enter(t.Context(), "acme", "per_no", later); return err }(), fault.Missing)
}

func TestPasswords(t *testing.T) {
	t.Parallel()
	v := newTown(t)
	adam := v.people["adam"]
	ticket := func(person auth.Person) string {
		t.Helper()
		token, _, err := v.PasswordTicket(t.Context(), adam, auth.NewID("tkt"), person.ID)
		must(t, err)
		return token
	}
	ada := v.people["ada"].Person
	token := ticket(ada)
	v.last(audit.ResetIssued, adam)
	_, _, err := v.PasswordTicket(t.Context(), v.people["ada"], auth.NewID("tkt"), ada.ID)
	wantFault(t, "an operator", err, fault.Denied)
	_, _, err = v.PasswordTicket(t.Context(), adam, auth.NewID("tkt"), v.people["rita"].Person.ID)
	wantFault(t, "for somebody elsewhere", err, fault.Missing)
	_, err = v.ChoosePassword(t.Context(), token, "short")
	wantFault(t, "a short one", err, fault.InvalidForm)
	signedIn := v.clock.now()
	v.clock.pass(time.Second)
	p, err := v.ChoosePassword(t.Context(), token, good)
	if err != nil || p != ada {
		t.Errorf("chosen for %+v, %v", p, err)
	}
	v.last(audit.PasswordChanged, auth.Member{Person: ada})
	if _, err := v.SignIn(t.Context(), tenants.SigningIn{Email: ada.Email, Password: good, From: "::1"}); err != nil {
		t.Errorf("signing in with it: %v", err)
	}
	_, err = v.Enter(t.Context(), "acme", ada.ID, signedIn)
	wantFault(t, "a sign-in from before", err, fault.Unauthorized)
	_, err = v.ChoosePassword(t.Context(), token, good)
	wantFault(t, "using it twice", err, fault.SignInFailed)

	// Who belongs to a second tenant is out of reach, also when that came later.
	token = ticket(ada)
	_, err = v.Grant(t.Context(), "rival", ada.Email, []auth.Role{auth.Operator})
	must(t, err)
	_, err = v.ChoosePassword(t.Context(), token, "another good password")
	wantFault(t, "of somebody who joined rival since", err, fault.SignInFailed)
	_, err = v.ChoosePassword(t.Context(), ticket(ada), "another good password")
	wantFault(t, "of a member of rival", err, fault.SignInFailed)
	if _, err := v.SignIn(t.Context(), tenants.SigningIn{Email: ada.Email, Password: good, From: "::1"}); err != nil {
		t.Errorf("her own password: %v", err)
	}
	must(t, v.RemoveMember(t.Context(), adam, ada.ID))
	_, err = v.ChoosePassword(t.Context(), token, "another good password")
	wantFault(t, "of somebody who is former member", err, fault.SignInFailed)
}

func TestOwnPassword(t *testing.T) {
	t.Parallel()
	v := newTown(t)
	ada := v.people["ada"].Person
	_, err := v.Grant(t.Context(), "rival", ada.Email, []auth.Role{auth.Operator})
	must(t, err)
	change := func(current, fresh string, since time.Time) error {
		_, err := v.ChangePassword(t.Context(), tenants.PasswordChange{Person: ada.ID, SignedIn: since, Current: current, New: fresh})
		return err
	}
	old := v.clock.now()
	v.clock.pass(16 * time.Minute)
	wantFault(t, "the first one, long after the sign-in", change("", good, old), fault.WrongPassword)
	now := v.clock.now()
	wantFault(t, "a short one", change("", "short", now), fault.InvalidForm)
	v.clock.pass(time.Minute)
	must(t, change("", good, now))
	wantFault(t, "with a sign-in that it ended", change(good, "another good password", now), fault.Unauthorized)
	now = v.clock.now()
	wantFault(t, "without the current one", change("", "another good password", now), fault.WrongPassword)
	wantFault(t, "with another one", change("another good password", "another good password", now), fault.WrongPassword)
	must(t, change(good, "another good password", now))
	for _, tenant := range []string{"acme", "rival"} {
		all := v.events(tenant)
		if e := all[len(all)-1]; e.Kind != audit.PasswordChanged || e.Actor.ID != ada.ID {
			t.Errorf("%s was told %s by %+v", tenant, e.Kind, e.Actor)
		}
	}
	v.clock.pass(time.Minute)
	now = v.clock.now()
	for range 5 {
		wantFault(t, "a guess", change(good, good, now), fault.WrongPassword)
	}
	wantFault(t, "after five guesses", change("another good password", good, now), fault.RateLimited)

	_, err = v.SetPassword(t.Context(), "ADA@example.com", "by the operator of the machine")
	must(t, err)
	all := v.events("acme")
	if e := all[len(all)-1]; e.Kind != audit.PasswordChanged || e.Actor.Kind != "system" {
		t.Errorf("the command line is recorded as %s by %+v", e.Kind, e.Actor)
	}
	_, err = v.SetPassword(t.Context(), "nobody@example.com", good)
	wantFault(t, "for nobody", err, fault.Missing)
	must(t, v.RemoveMember(t.Context(), v.people["adam"], ada.ID))
	must(t, v.RemoveMember(t.Context(), v.people["rita"], ada.ID))
	_, err = v.SetPassword(t.Context(), "ada@example.com", good)
	must(t, err)
}

func TestGrant(t *testing.T) {
	t.Parallel()
	v := newTown(t)
	p, err := v.Grant(t.Context(), "acme", "RITA@example.com", []auth.Role{auth.Admin, auth.Operator, auth.Admin})
	must(t, err)
	if got := v.roles("acme", p.ID); !slices.Equal(got, []auth.Role{auth.Operator, auth.Admin}) {
		t.Errorf("granted %v", got)
	}
	_, err = v.Grant(t.Context(), "acme", "rita@example.com", []auth.Role{auth.Compliance})
	must(t, err)
	all := v.events("acme")
	if e := all[len(all)-1]; e.Kind != audit.RolesGranted || e.Actor.Kind != "system" || !strings.Contains(string(e.Data.Canonical()), `"before":["operator","admin"]`) {
		t.Errorf("the break-glass is recorded as %s by %+v: %s", e.Kind, e.Actor, e.Data.Canonical())
	}
	for what, c := range map[string]struct {
		tenant, email string
		roles         []auth.Role
		want          fault.Code
	}{
		"nobody":    {"acme", "no@example.com", auth.Roles(), fault.Missing},
		"nowhere":   {"nowhere", "rita@example.com", auth.Roles(), fault.Missing},
		"nothing":   {"acme", "rita@example.com", nil, fault.InvalidForm},
		"something": {"acme", "rita@example.com", []auth.Role{"king"}, fault.InvalidForm},
	} {
		_, err := v.Grant(t.Context(), c.tenant, c.email, c.roles)
		wantFault(t, what, err, c.want)
	}
}

// The time of a refusal must not tell whether somebody exists: the same number of
// transactions is read for both, however many organisations there are.
func TestARefusedSignInReadsTheSameForAnybody(t *testing.T) {
	t.Parallel()
	v := newTown(t)
	for n := range 5 {
		must(t, v.CreateTenant(t.Context(), "other-"+strconv.Itoa(n)))
	}
	reads := func(email string) int {
		store := &countingReads{Store: v.db.Tenants()}
		s := tenants.NewService(tenants.Config{Store: store, Passwords: passwords, Doors: doors, Log: slog.New(slog.DiscardHandler)})
		_, err := s.SignIn(t.Context(), tenants.SigningIn{Email: email, Password: "not the password", From: "::1"})
		wantFault(t, email, err, fault.SignInFailed)
		return store.reads
	}
	if known, unknown := reads("adam@example.com"), reads("nobody@example.com"); known != unknown || known < 7 {
		t.Errorf("%d transactions are read for somebody known, %d for nobody", known, unknown)
	}
}

type countingReads struct {
	tenants.Store
	reads int
}

func (c *countingReads) Read(ctx context.Context, tenant string, fn func(tenants.Reader) error) error {
	c.reads++
	return c.Store.Read(ctx, tenant, fn)
}
