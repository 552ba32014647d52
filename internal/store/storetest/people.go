package storetest

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/authority"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/tenants"
)

// member is what the place says about a person.
func (p place) member(t *testing.T, person string) (m tenants.Membership, err error) {
	t.Helper()
	p.house(t, func(w tenants.Writer) error {
		m, err = w.Membership(person)
		return nil
	})
	return m, err
}

func testMemberships(t *testing.T, w world) {
	p, other := w.acme, w.beta
	p.house(t, func(w tenants.Writer) error {
		return w.Grant(other.ada.ID, []auth.Role{auth.Compliance}) // a member of both
	})
	m, err := p.member(t, other.ada.ID)
	if err != nil || m.JoinedAt.IsZero() || m.JoinedAt.Location() != time.UTC || m.LastSignIn != nil || m.SessionsFrom != nil {
		t.Errorf("the new member is %+v, %v", m, err)
	}
	wantFault(t, "removing a stranger", p.tryHouse(t.Context(), func(w tenants.Writer) error { return w.RemoveMember(other.ben.ID) }), fault.Missing)
	wantFault(t, "removing nobody", p.tryHouse(t.Context(), func(w tenants.Writer) error { return w.RemoveMember("") }), fault.Missing)
	p.house(t, func(w tenants.Writer) error { return w.RemoveMember(other.ada.ID) })
	_, err = p.member(t, other.ada.ID)
	wantFault(t, "after it", err, fault.Missing)
	if m, err := other.member(t, other.ada.ID); err != nil || len(m.Roles) != 2 {
		t.Errorf("beta's own membership is %+v, %v", m, err)
	}
	if _, err := p.member(t, p.ada.ID); err != nil {
		t.Errorf("somebody else went, too: %v", err)
	}
	wantOperators(t, p, p.ada.ID)
}

// wantOperators holds who may decide, in the order of their ids.
func wantOperators(t *testing.T, p place, ids ...string) {
	t.Helper()
	slices.Sort(ids)
	p.read(t, func(r approvals.Reader) error {
		s, err := r.Authority()
		s.People = slices.DeleteFunc(s.People, func(one authority.Person) bool { return !s.Decides(one.ID) })
		var got []string
		for _, one := range s.People {
			got = append(got, one.ID)
		}
		same(t, "operators of "+p.tenant, got, ids)
		return err
	})
}

// Entrances say the same as the memberships themselves.
func testEntrances(t *testing.T, w world) {
	p, other := w.acme, w.beta
	hold := func() {
		t.Helper()
		p.house(t, func(w tenants.Writer) error {
			all, err := w.Entrances()
			if err != nil {
				return err
			}
			members, err := w.Members()
			want := map[string]tenants.Entrance{}
			for _, m := range members {
				want[m.Person.ID] = tenants.Entrance{Roles: m.Roles, SessionsFrom: m.SessionsFrom}
			}
			same(t, "entrances", all, want)
			return err
		})
	}
	hold()
	p.house(t, func(w tenants.Writer) error { return w.Grant(other.ada.ID, []auth.Role{auth.Compliance, auth.Admin}) })
	hold()
	p.house(t, func(w tenants.Writer) error { return w.EndSessions(p.ada.ID) })
	p.house(t, func(w tenants.Writer) error { return w.EndAllSessions(other.ada.ID) })
	hold()
	p.house(t, func(w tenants.Writer) error { return w.RemoveMember(other.ada.ID) })
	hold()
}

func testSignIns(t *testing.T, w world) {
	p, other, s := w.acme, w.beta, w.Store.Tenants()
	p.house(t, func(w tenants.Writer) error { return w.Grant(other.ada.ID, []auth.Role{auth.Admin}) })
	var now time.Time
	p.house(t, func(w tenants.Writer) error {
		now = w.Now()
		if err := w.SignedIn(other.ada.ID); err != nil {
			return err
		}
		return w.EndSessions(other.ada.ID)
	})
	here, _ := p.member(t, other.ada.ID)
	there, _ := other.member(t, other.ada.ID)
	if here.LastSignIn == nil || !here.LastSignIn.Equal(now) || here.SessionsFrom == nil || !here.SessionsFrom.Equal(now) {
		t.Errorf("in acme she is %+v, want both at %v", here, now)
	}
	if there.LastSignIn != nil || there.SessionsFrom != nil {
		t.Errorf("in beta she is %+v: one tenant wrote into another", there)
	}
	if a, err := s.Account(t.Context(), other.ada.ID); err != nil || a.SessionsFrom != nil || a.Person != other.ada || a.PasswordHash != "$argon2id$" {
		t.Errorf("her account is %+v, %v", a, err)
	}

	p.house(t, func(w tenants.Writer) error {
		now = w.Now()
		return w.SetPassword(other.ada.ID, "new")
	})
	a, err := s.Account(t.Context(), other.ada.ID)
	if err != nil || a.PasswordHash != "new" || a.SessionsFrom == nil || !a.SessionsFrom.Equal(now) {
		t.Errorf("after a new password her account is %+v, %v", a, err)
	}
	if there, _ := other.member(t, other.ada.ID); there.SessionsFrom == nil || !there.SessionsFrom.Equal(now) {
		t.Errorf("in beta her sessions end %v, want %v", there.SessionsFrom, now)
	}
	for name, step := range map[string]func(w tenants.Writer) error{
		"SetPassword":    func(w tenants.Writer) error { return w.SetPassword("", "x") },
		"EndAllSessions": func(w tenants.Writer) error { return w.EndAllSessions("per_no") },
		"EndSessions":    func(w tenants.Writer) error { return w.EndSessions(other.ben.ID) },
		"SignedIn":       func(w tenants.Writer) error { return w.SignedIn(other.ben.ID) },
	} {
		wantFault(t, name+" of nobody", p.tryHouse(t.Context(), step), fault.Missing)
	}
	if err := s.SetPassword(t.Context(), p.ben.ID, "by nobody"); err != nil {
		t.Error(err)
	}
	if err := s.EndAllSessions(t.Context(), p.ben.ID); err != nil {
		t.Error(err)
	}
	if a, err := s.Account(t.Context(), p.ben.ID); err != nil || a.PasswordHash != "by nobody" || a.SessionsFrom == nil {
		t.Errorf("ben's account is %+v, %v", a, err)
	}
	wantFault(t, "a password for nobody", s.SetPassword(t.Context(), "", "x"), fault.Missing)
	wantFault(t, "the sessions of nobody", s.EndAllSessions(t.Context(), "%"), fault.Missing)
	_, err = s.Account(t.Context(), "per_no")
	wantFault(t, "nobody's account", err, fault.Missing)
}

func testTickets(t *testing.T, w world) {
	p := w.acme
	var now time.Time
	p.house(t, func(w tenants.Writer) error { now = w.Now(); return nil })
	ticket := func(id, email string, kind tenants.TicketKind, life time.Duration) tenants.Ticket {
		k := tenants.Ticket{
			ID: id, Tenant: p.tenant, Kind: kind, Email: email, Roles: []auth.Role{auth.Operator, auth.Admin}, By: p.ada.ID,
			ExpiresAt: now.Add(life),
		}
		if kind == tenants.TicketPassword {
			k.Person, k.Roles = p.ben.ID, nil
		}
		p.house(t, func(w tenants.Writer) error {
			k.CreatedAt = w.Now()
			return w.AddTicket(k, "hash of "+id)
		})
		return k
	}
	find := func(place place, id string) (k tenants.Ticket, err error) {
		place.house(t, func(w tenants.Writer) error {
			k, err = w.Ticket("hash of " + id)
			return nil
		})
		return k, err
	}
	one := ticket("tkt_1", "eve@new.example", tenants.TicketJoin, time.Hour)
	reset := ticket("tkt_2", p.ben.Email, tenants.TicketPassword, time.Hour)
	ticket("tkt_3", "late@new.example", tenants.TicketJoin, -time.Microsecond)
	for _, want := range []tenants.Ticket{one, reset} {
		got, err := find(p, want.ID)
		same(t, "the ticket", got, want)
		if err != nil {
			t.Error(err)
		}
	}
	for _, id := range []string{"tkt_3", "none", ""} {
		_, err := find(p, id)
		wantFault(t, "the ticket "+id, err, fault.Missing)
	}
	_, err := find(w.beta, "tkt_1")
	wantFault(t, "another tenant's", err, fault.Missing)
	for name, step := range map[string]func(w tenants.Writer) error{
		"using":       func(w tenants.Writer) error { _, err := w.UseTicket("hash of tkt_1"); return err },
		"withdrawing": func(w tenants.Writer) error { return w.WithdrawTicket("tkt_1") },
	} {
		wantFault(t, name+" another tenant's", w.beta.tryHouse(t.Context(), step), fault.Missing)
	}
	wantFault(t, "an id that is taken", p.tryHouse(t.Context(), func(w tenants.Writer) error { return w.AddTicket(one, "other") }), fault.AlreadyExists)

	// A newer one for the same address replaces the older, and nothing else.
	two := ticket("tkt_4", "eve@new.example", tenants.TicketJoin, time.Hour)
	_, err = find(p, "tkt_1")
	wantFault(t, "the replaced one", err, fault.Missing)
	if _, err := find(p, "tkt_2"); err != nil {
		t.Errorf("one of another kind was replaced, too: %v", err)
	}
	p.house(t, func(w tenants.Writer) error {
		all, err := w.Invitations()
		same(t, "the invitations", all, []tenants.Ticket{two})
		return err
	})
	p.house(t, func(w tenants.Writer) error { return w.WithdrawTicket("tkt_4") })
	_, err = find(p, "tkt_4")
	wantFault(t, "a withdrawn one", err, fault.Missing)
	wantFault(t, "withdrawing it again", p.tryHouse(t.Context(), func(w tenants.Writer) error { return w.WithdrawTicket("tkt_4") }), fault.Changed)
	wantFault(t, "withdrawing none", p.tryHouse(t.Context(), func(w tenants.Writer) error { return w.WithdrawTicket("tkt_9") }), fault.Missing)
	p.house(t, func(w tenants.Writer) error {
		all, err := w.Invitations()
		same(t, "the invitations then", all, []tenants.Ticket{})
		return err
	})
}

func testTicketRace(t *testing.T, w world) {
	p := w.acme
	p.house(t, func(w tenants.Writer) error {
		return w.AddTicket(tenants.Ticket{ID: "tkt_1", Kind: tenants.TicketJoin, Email: "a@b.example", By: p.ada.ID, ExpiresAt: w.Now().Add(time.Hour)}, "h")
	})
	won := race(t, 20, fault.Missing, func(ctx context.Context, _ int) error {
		return p.tryHouse(ctx, func(w tenants.Writer) error {
			_, err := w.UseTicket("h")
			return err
		})
	})
	if won != 1 {
		t.Errorf("%d used the ticket, want 1", won)
	}
}
