package lifetest

import (
	"log/slog"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/auth/authtest"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/tenants"
)

// Nobody is two people: who signs beside whom.

var hashes = authtest.Passwords(2)

// doorsKey is that of every service of these tests: they are one server.
var doorsKey = auth.NewDoorsKey()

func (h *house) people() *tenants.Service {
	doors, err := auth.NewDoors(doorsKey)
	if err != nil {
		h.t.Fatal(err)
	}
	return tenants.NewService(tenants.Config{Store: h.db.Tenants(), Passwords: hashes, Doors: doors, Log: slog.New(slog.DiscardHandler)})
}

func (h *house) joins(token string) auth.Member {
	h.t.Helper()
	p, _, err := h.people().Join(h.t.Context(), tenants.Joining{Token: token, Password: "correct horse battery staple", From: "::1"})
	if err != nil {
		h.t.Fatal(err)
	}
	return auth.Member{Tenant: "acme", Person: p, Roles: []auth.Role{auth.Operator}, SignedInAt: freshly}
}

// signIn is somebody signing in: with the second one single-person mode ends.
func (h *house) signIn(all ...auth.Member) {
	h.t.Helper()
	for _, m := range all {
		token, err := h.people().SignInLink(h.t.Context(), "acme", m.Person.Email, tenants.LinkSignIn)
		if err == nil {
			_, err = h.people().RedeemLink(h.t.Context(), token)
		}
		if err != nil {
			h.t.Fatal(err)
		}
	}
}

// Two whom one person invited do not sign together, until that is long enough ago.
func TestInvitedByOnePersonAreOne(t *testing.T) {
	t.Parallel()
	h, _ := several(t, 2)
	first, second := "", ""
	for email, token := range map[string]*string{"one@acme.test": &first, "two@acme.test": &second} {
		var err error
		if *token, _, err = h.people().Invite(t.Context(), h.eve, auth.NewID("tkt"), email, []auth.Role{auth.Operator}); err != nil {
			t.Fatal(err)
		}
	}
	one, two := h.joins(first), h.joins(second)
	h.policy(func(p *scoring.Policy) { p.ExpirySeconds = 86_400 })
	a := h.waiting(confirm, scoring.ChallengeConfirm)
	v := h.read(one, a.ID)
	if _, err := h.decide(one, a.ID, form(v)); err != nil {
		t.Fatal(err)
	}
	v = h.read(two, a.ID)
	if v.Stage != approvals.StageNotEligible || len(v.Eligible) != 2 {
		t.Errorf("the second one sees %s, and that %v can", v.Stage, v.Eligible)
	}
	_, err := h.decide(two, a.ID, form(v))
	wantFault(t, "another account of one person", err, fault.NotEligible)
	v = h.read(h.ada, a.ID)
	if done, err := h.decide(h.ada, a.ID, form(v)); err != nil || done.Status != approvals.Approved {
		t.Errorf("somebody else: %s, %v", done.Status, err)
	}

	h.clock.advance(7 * 24 * time.Hour)
	a = h.waiting(confirm, scoring.ChallengeConfirm)
	for _, m := range []auth.Member{one, two} {
		v = h.read(m, a.ID)
		if _, err := h.decide(m, a.ID, form(v)); err != nil {
			t.Errorf("after a week: %v", err)
		}
	}
	h.status("after a week", a.ID, approvals.Approved)
	h.wantVerified()
}

func (h *house) wantVerified() {
	h.t.Helper()
	if report, err := h.db.Audit().Verify(h.t.Context(), "acme"); err != nil || !report.OK {
		h.t.Errorf("the trail does not hold: %v, %v", report, err)
	}
}

// A signature counts if its signer may decide when the last one comes.
func TestSignaturesOfThoseWhoMayDecide(t *testing.T) {
	t.Parallel()
	for what, gone := range map[string]func(h *house) error{
		"suspended": func(h *house) error { return h.people().Suspend(t.Context(), h.eve, h.ada.Person.ID, "a leak") },
		"demoted": func(h *house) error {
			_, err := h.people().Grant(t.Context(), "acme", h.ada.Person.Email, []auth.Role{auth.Compliance})
			return err
		},
	} {
		h, a := several(t, 2)
		h.signIn(h.ada, h.ben)
		v := h.read(h.ada, a.ID)
		if _, err := h.decide(h.ada, a.ID, form(v)); err != nil {
			t.Fatal(err)
		}
		if err := gone(h); err != nil {
			t.Fatal(err)
		}
		v = h.read(h.ben, a.ID)
		done, err := h.decide(h.ben, a.ID, form(v))
		if err != nil || done.Status != approvals.Pending {
			t.Errorf("%s: the second signature of two makes it %s, %v", what, done.Status, err)
		}
		v = h.read(h.ben, a.ID)
		_, err = h.decide(h.ben, a.ID, form(v))
		wantFault(t, what+": the second one again", err, fault.NotEligible)
		h.status(what, a.ID, approvals.Pending)
		h.wantVerified()
	}
}

// Out of single-person mode nobody stands for those who are missing, and whoever made a
// key of the agent decides nothing that it asks.
func TestNobodyDecidesForTheirOwnKey(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.signIn(h.ada, h.ben)
	all := []auth.Role{auth.Operator, auth.Admin}
	if _, err := h.people().Grant(t.Context(), "acme", h.ada.Person.Email, all); err != nil {
		t.Fatal(err)
	}
	h.ada.Roles = all
	_, agent, err := h.people().MakeAgent(t.Context(), h.ada, tenants.NewAgent{Name: "hers", Owner: h.ben.Person.ID, KeyID: auth.NewID("key")})
	if err != nil {
		t.Fatal(err)
	}
	h.agent = agent
	a := h.waiting(confirm, scoring.ChallengeConfirm)
	for _, m := range []auth.Member{h.ada, h.ben} { // who made the key, and the owner
		v := h.read(m, a.ID)
		if v.SinglePerson {
			t.Error("it calls them a single person")
		}
		_, err := h.decide(m, a.ID, form(v))
		wantFault(t, m.Person.Name, err, fault.NotEligible)
	}
	h.wantVerified()
}

// Removing whom an open request needs waits for another admin; suspending does not, and
// nothing needs fewer people for it.
func TestSignersOfOpenRequests(t *testing.T) {
	t.Parallel()
	h, a := several(t, 2)
	h.signIn(h.ada, h.ben)
	asked, err := h.people().RemoveMember(t.Context(), h.eve, h.ada.Person.ID)
	if err != nil || !asked {
		t.Errorf("removing: waits %v, %v", asked, err)
	}
	asked, err = h.people().SetRoles(t.Context(), h.eve, h.ada.Person.ID, []auth.Role{auth.Compliance})
	if err != nil || !asked {
		t.Errorf("demoting: waits %v, %v", asked, err)
	}
	if err := h.people().Suspend(t.Context(), h.eve, h.ada.Person.ID, "a leak"); err != nil {
		t.Fatal(err)
	}
	v := h.read(h.ben, a.ID)
	for range 2 {
		_, _ = h.decide(h.ben, a.ID, form(v))
		v = h.read(h.ben, a.ID)
	}
	h.status("one of two, with the other one suspended", a.ID, approvals.Pending)
	h.wantVerified()
}

// Who is suspended first and removed then has been taken away all the same; and two who may
// be one person are one signer of those who would be left.
func TestSignersWhoAreTakenAwayInSteps(t *testing.T) {
	t.Parallel()
	for what, gone := range map[string]func(h *house) (bool, error){
		"removed": func(h *house) (bool, error) { return h.people().RemoveMember(t.Context(), h.eve, h.ada.Person.ID) },
		"demoted": func(h *house) (bool, error) {
			return h.people().SetRoles(t.Context(), h.eve, h.ada.Person.ID, []auth.Role{auth.Compliance})
		},
	} {
		h, _ := several(t, 2)
		h.signIn(h.ada, h.ben)
		if err := h.people().Suspend(t.Context(), h.eve, h.ada.Person.ID, "a leak"); err != nil {
			t.Fatal(err)
		}
		if asked, err := gone(h); err != nil || !asked {
			t.Errorf("suspended, then %s: waits %v, %v", what, asked, err)
		}
		h.wantVerified()
	}
	h, _ := several(t, 2)
	var links []string // made in single-person mode
	for _, email := range []string{"one@acme.test", "two@acme.test"} {
		token, _, err := h.people().Invite(t.Context(), h.eve, auth.NewID("tkt"), email, []auth.Role{auth.Operator})
		if err != nil {
			t.Fatal(err)
		}
		links = append(links, token)
	}
	for _, token := range links {
		h.joins(token)
	}
	h.signIn(h.ada, h.ben)
	if asked, err := h.people().RemoveMember(t.Context(), h.eve, h.ben.Person.ID); err != nil || asked {
		t.Errorf("ada and one of two are left: waits %v, %v", asked, err)
	}
	if asked, err := h.people().RemoveMember(t.Context(), h.eve, h.ada.Person.ID); err != nil || !asked {
		t.Errorf("two whom one person invited are left: waits %v, %v", asked, err)
	}
	h.wantVerified()
}

// Nobody edits what an agent asks for with a key that they made, although in single-person
// mode they decide it.
func TestNobodyEditsForTheirOwnKey(t *testing.T) {
	t.Parallel()
	h := editors(t)
	h.roles(h.ada, auth.Operator, auth.Admin)
	h.ada.Roles = []auth.Role{auth.Operator, auth.Admin}
	_, agent, err := h.people().MakeAgent(t.Context(), h.ada, tenants.NewAgent{Name: "hers", Owner: h.eve.Person.ID, KeyID: auth.NewID("key")})
	if err != nil {
		t.Fatal(err)
	}
	h.agent = agent
	a := h.submit(confirm)
	_, err = h.edit(h.ada, a, canary)
	wantFault(t, "who made the key", err, fault.NotEligible)
	h.roles(h.ben, auth.Compliance)
	if v := h.show(h.ada, a.ID); !v.SinglePerson || v.MayEdit {
		t.Errorf("alone: single person %v, may edit %v", v.SinglePerson, v.MayEdit)
	}
	_, err = h.edit(h.ada, a, canary)
	wantFault(t, "who made the key, alone", err, fault.NotEligible)
}

// A standing grant holds as long as its maker could decide what it covers: somebody whom
// the owner invited could while nobody else was there, and cannot when there is.
func TestStandingOfTheOwnersKin(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.roles(h.ada, auth.Compliance)
	h.roles(h.ben, auth.Compliance)
	h.clock.advance(8 * 24 * time.Hour) // until when they count as operators
	token, _, err := h.people().Invite(t.Context(), h.eve, auth.NewID("tkt"), "one@acme.test", []auth.Role{auth.Operator})
	if err != nil {
		t.Fatal(err)
	}
	one := h.joins(token)
	h.ownedFromNowOn(h.eve)
	h.allow(one, ahead(h.waiting(confirm, scoring.ChallengeConfirm), 3))
	if a := h.submit(confirm); a.Status != approvals.Approved {
		t.Errorf("with nobody else: %s", a.Status)
	}
	h.roles(h.ben, auth.Operator)
	if a := h.submit(confirm); a.Status != approvals.Pending {
		t.Errorf("with somebody else: %s", a.Status)
	}
	page, err := h.Standing(t.Context(), h.ben, approvals.StandingQuery{Limit: 10})
	if err != nil || len(page.Void) != 1 {
		t.Errorf("the list says that %v cover nothing, %v", page.Void, err)
	}
	h.wantVerified()
}
