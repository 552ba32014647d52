package tenants

import (
	"context"
	"net/mail"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/authority"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
)

// People: who can sign in, and what they may in a tenant. People are global, so
// nothing here tells one tenant about another (docs/adr/0012-people-are-global-memberships-are-not.md).

// CreatePerson makes somebody who can sign in, with these roles in one tenant.
// An empty password means that only links sign them in. An address that is known
// already gets the roles in this tenant and keeps its password.
func (s *Service) CreatePerson(ctx context.Context, tenant, email, name, password string, roles []auth.Role) (auth.Person, error) {
	p, hash, err := s.newPerson(ctx, email, name, password)
	if err != nil {
		return auth.Person{}, err
	}
	if roles, err = auth.CheckRoles(roles); err != nil {
		return auth.Person{}, err
	}
	if err := s.exists(ctx, tenant); err != nil {
		return auth.Person{}, err
	}
	known, _, err := s.store.PersonByEmail(ctx, p.Email)
	switch {
	case err == nil && password != "":
		return auth.Person{}, fault.Member(fault.AlreadyExists, "email", "%s already has an account; leave out the password to add them to %s", p.Email, tenant)
	case err == nil:
		p = known
	case !fault.Is(err, fault.Missing):
		return auth.Person{}, err
	}
	return p, s.store.Write(ctx, tenant, func(w Writer) error {
		if known.ID == "" {
			if err := w.CreatePerson(p, hash); err != nil {
				return err
			}
		}
		return grant(w, audit.PersonCreated, tenant, p.ID, roles, system)
	})
}

// Grant gives somebody who can sign in roles in a tenant, in place of those they
// have there. It is the break-glass of the command line: no rule of the console
// stands in its way, and the trail says that nobody but the system did it.
func (s *Service) Grant(ctx context.Context, tenant, email string, roles []auth.Role) (auth.Person, error) {
	roles, err := auth.CheckRoles(roles)
	if err != nil {
		return auth.Person{}, err
	}
	if err := s.exists(ctx, tenant); err != nil {
		return auth.Person{}, err
	}
	p, _, err := s.store.PersonByEmail(ctx, address(email))
	if fault.Is(err, fault.Missing) {
		return p, fault.Member(fault.Missing, "email", "no one with the address %s can sign in; create them with: person create", address(email))
	}
	if err != nil {
		return p, err
	}
	return p, s.store.Write(ctx, tenant, func(w Writer) error { return grant(w, audit.RolesGranted, tenant, p.ID, roles, system) })
}

// grant gives a person roles in a tenant and says so in the trail; somebody who was no
// member of it has none before. To whom was one already, roles are granted, whatever it was
// called.
func grant(w Writer, kind audit.Kind, tenant, person string, roles []auth.Role, by audit.Actor) error {
	before, password := canon.Value{}, member("password_sum", canon.Value{})
	m, err := w.Membership(person)
	isNew := fault.Is(err, fault.Missing)
	switch {
	case isNew:
	case err != nil:
		return err
	default:
		kind, before = audit.RolesGranted, roleNames(m.Held())
	}
	if err := w.Grant(person, roles); err != nil {
		return err
	}
	if isNew { // of who was a member the trail has it
		hash, err := w.PasswordHash(person)
		if err != nil {
			return err
		}
		password = passwordMember(person, hash)
	}
	if err := w.Append(aboutPerson(tenant, kind, by, person, member("roles", roleNames(roles)), member("before", before), password)); err != nil {
		return err
	}
	return settleMode(w, tenant, person)
}

func roleNames(roles []auth.Role) canon.Value {
	names := make([]canon.Value, len(roles))
	for i, r := range roles {
		names[i] = canon.String(string(r))
	}
	return canon.Array(names...)
}

// aboutPerson is an event about somebody, by id only.
func aboutPerson(tenant string, k audit.Kind, by audit.Actor, person string, data ...canon.Member) audit.Event {
	data = append([]canon.Member{member("person", canon.String(person))}, data...)
	return audit.Event{Tenant: tenant, Kind: k, Actor: by, Data: canon.Object(data...)}
}

// newPerson checks what was typed and hashes the password outside any transaction.
func (s *Service) newPerson(ctx context.Context, email, name, password string) (auth.Person, string, error) {
	p := auth.Person{ID: auth.NewID("per"), Email: address(email), Name: strings.TrimSpace(name)}
	if err := checkAddress(email); err != nil {
		return p, "", err
	}
	if p.Name == "" {
		p.Name = nameFrom(p.Email)
	}
	// Others read it beside what they decide: nothing in it may hide or turn around
	// what stands there.
	if utf8.RuneCountInString(p.Name) > 200 || strings.ContainsFunc(p.Name, func(r rune) bool { return !unicode.IsPrint(r) }) || !utf8.ValidString(p.Name) {
		return p, "", fault.Member(fault.InvalidForm, "name", "enter a name of at most 200 characters without hidden characters")
	}
	if err := unnamed("name", p.Name); err != nil {
		return p, "", err
	}
	if password == "" {
		return p, "", nil
	}
	if err := auth.CheckPassword(password); err != nil {
		return p, "", err
	}
	hash, err := s.passwords.Hash(ctx, password)
	return p, hash, err
}

func checkAddress(typed string) error {
	email := address(typed)
	if a, err := mail.ParseAddress(email); err != nil || a.Address != email || len(email) > 254 || canon.String(email).Text() != email {
		return fault.Member(fault.InvalidForm, "email", "enter an email address like ada@example.com")
	}
	return unnamed("email", typed)
}

// nameFrom makes "Ada Lovelace" of ada.lovelace@example.com, until somebody
// writes a better one.
func nameFrom(email string) string {
	local, _, _ := strings.Cut(email, "@")
	words := strings.FieldsFunc(local, func(r rune) bool { return strings.ContainsRune("._-+", r) })
	for i, w := range words {
		words[i] = strings.ToUpper(w[:1]) + w[1:]
	}
	if len(words) == 0 {
		return email
	}
	return strings.Join(words, " ")
}

func address(email string) string { return strings.ToLower(strings.TrimSpace(email)) }

// PeopleList is what the people page shows.
type PeopleList struct {
	Members     []Membership // by name
	Invitations []Ticket     // newest first
}

// People lists the members of a tenant and who is invited.
func (s *Service) People(ctx context.Context, m auth.Member) (l PeopleList, err error) {
	if err := allow(m, auth.ReadPeople); err != nil {
		return l, err
	}
	err = s.store.Read(ctx, m.Tenant, func(r Reader) (err error) {
		if l.Members, err = r.Members(); err != nil {
			return err
		}
		l.Invitations, err = r.Invitations()
		return err
	})
	return l, err
}

// SetRoles replaces what a member may do; asked says that somebody else has to accept it.
// Nobody takes the last admin's role away, not even the admin.
func (s *Service) SetRoles(ctx context.Context, m auth.Member, person string, roles []auth.Role) (asked bool, err error) {
	roles, err = auth.CheckRoles(roles)
	if err != nil {
		return false, err
	}
	err = s.giveMember(ctx, m, person, func(w Writer, is Membership) error {
		if asked = false; slices.Equal(is.Held(), roles) {
			return nil
		}
		if err := keepAnAdmin(w, is, roles); err != nil {
			return err
		}
		way, err := rightsWay(w, person, func(p *authority.Person) { p.Decides, p.Manages = decidesOrManages(roles) })
		if err != nil {
			return err
		}
		if asked = way == authority.Another; asked {
			return ask(w, m, PeopleProposal{Act: ActRoles, Person: is.Person, Roles: roles, From: is.Held()})
		}
		return setRoles(w, m.Tenant, personActor(m), is, roles, alone(way))
	})
	return asked, err
}

func setRoles(w Writer, tenant string, by audit.Actor, is Membership, roles []auth.Role, how canon.Member) error {
	if err := keepAnAdmin(w, is, roles); err != nil {
		return err
	}
	if err := w.Grant(is.Person.ID, roles); err != nil {
		return err
	}
	if err := w.Append(aboutPerson(tenant, audit.RolesChanged, by, is.Person.ID, member("roles", roleNames(roles)), member("before", roleNames(is.Held())), how)); err != nil {
		return err
	}
	return settleMode(w, tenant, is.Person.ID)
}

func decidesOrManages(roles []auth.Role) (decides, manages bool) {
	return slices.Contains(roles, auth.Operator), slices.Contains(roles, auth.Admin)
}

// alone marks in the trail what one person did who was alone.
func alone(way authority.Way) canon.Member {
	if way == authority.Alone {
		return member("single_person", canon.Bool(true))
	}
	return member("single_person", canon.Value{})
}

// rightsWay is how somebody's rights may be changed.
func rightsWay(r Reader, person string, change func(*authority.Person)) (authority.Way, error) {
	st, err := r.Authority()
	if err != nil {
		return authority.Another, err
	}
	open, err := r.OpenRequests()
	if err != nil {
		return authority.Another, err
	}
	before := st.Find(person)
	after := before
	change(&after)
	return st.Roles(before, after, open), nil
}

// RemoveMember ends a membership: from its commit on the person may do nothing in
// this tenant. Whatever they are elsewhere stays as it is. asked says that somebody else
// has to accept it.
func (s *Service) RemoveMember(ctx context.Context, m auth.Member, person string) (asked bool, err error) {
	err = s.giveMember(ctx, m, person, func(w Writer, is Membership) error {
		if err := keepAnAdmin(w, is, nil); err != nil {
			return err
		}
		way, err := rightsWay(w, person, func(p *authority.Person) { *p = authority.Person{ID: person} })
		if err != nil {
			return err
		}
		if asked = way == authority.Another; asked {
			return ask(w, m, PeopleProposal{Act: ActRemove, Person: is.Person, From: is.Held()})
		}
		return remove(w, m.Tenant, personActor(m), is, alone(way))
	})
	return asked, err
}

func remove(w Writer, tenant string, by audit.Actor, is Membership, how canon.Member) error {
	if err := keepAnAdmin(w, is, nil); err != nil {
		return err
	}
	if err := w.RemoveMember(is.Person.ID); err != nil {
		return err
	}
	return w.Append(aboutPerson(tenant, audit.PersonRemoved, by, is.Person.ID, member("roles", roleNames(is.Held())), how))
}

// Suspend takes every right from a member, at once: whoever may be compromised is
// stopped by anybody. They stay a member, and those who have to sign do not get fewer.
func (s *Service) Suspend(ctx context.Context, m auth.Member, person, reason string) error {
	reason, err := because(reason, true)
	if err != nil {
		return err
	}
	return s.changeMember(ctx, m, person, func(w Writer, is Membership) error {
		if is.Suspended != nil {
			return fault.New(fault.Changed, "%s is already suspended", is.Person.Name)
		}
		if err := keepAnAdmin(w, is, nil); err != nil {
			return err
		}
		if err := w.Suspend(person, m.Person.ID, reason); err != nil {
			return err
		}
		return w.Append(aboutPerson(m.Tenant, audit.PersonSuspended, personActor(m), person, member("roles", roleNames(is.Roles)), member("reason", canon.String(reason))))
	})
}

// Reinstate ends Suspend; asked says that somebody else has to accept it.
func (s *Service) Reinstate(ctx context.Context, m auth.Member, person string) (asked bool, err error) {
	err = s.giveMember(ctx, m, person, func(w Writer, is Membership) error {
		if asked = false; is.Suspended == nil {
			return fault.New(fault.Changed, "%s isn't suspended", is.Person.Name)
		}
		way, err := rightsWay(w, person, func(p *authority.Person) { p.Suspended = false })
		if err != nil {
			return err
		}
		if asked = way == authority.Another; asked {
			return ask(w, m, PeopleProposal{Act: ActReinstate, Person: is.Person, Roles: is.Held(), From: is.Held()})
		}
		return reinstate(w, m.Tenant, personActor(m), is, alone(way))
	})
	return asked, err
}

func reinstate(w Writer, tenant string, by audit.Actor, is Membership, how canon.Member) error {
	if err := w.Reinstate(is.Person.ID); err != nil {
		return err
	}
	if err := w.Append(aboutPerson(tenant, audit.PersonReinstated, by, is.Person.ID, member("roles", roleNames(is.Held())), how)); err != nil {
		return err
	}
	return settleMode(w, tenant, is.Person.ID)
}

// EndSessions makes a member sign in again before they do anything in this tenant.
func (s *Service) EndSessions(ctx context.Context, m auth.Member, person string) error {
	return s.changeMember(ctx, m, person, func(w Writer, _ Membership) error {
		if err := w.EndSessions(person); err != nil {
			return err
		}
		return w.Append(aboutPerson(m.Tenant, audit.SessionsRevoked, personActor(m), person))
	})
}

// changeMember runs fn on a member while no other membership changes.
func (s *Service) changeMember(ctx context.Context, m auth.Member, person string, fn func(w Writer, is Membership) error) error {
	return s.writeFor(ctx, m, auth.ManagePeople, func(w Writer, m auth.Member) error {
		is, err := w.Membership(person)
		if err != nil {
			return err
		}
		return fn(w, is)
	})
}

// giveMember is changeMember for what gives rights, or takes away those that others count on
// (writeHeld).
func (s *Service) giveMember(ctx context.Context, m auth.Member, person string, fn func(w Writer, is Membership) error) error {
	return s.changeMember(ctx, m, person, func(w Writer, is Membership) error {
		if err := s.held(w, m.Tenant); err != nil {
			return err
		}
		return fn(w, is)
	})
}

// keepAnAdmin refuses a change after which nobody could undo it.
func keepAnAdmin(r Reader, is Membership, roles []auth.Role) error {
	if !slices.Contains(is.Roles, auth.Admin) || slices.Contains(roles, auth.Admin) {
		return nil
	}
	members, err := r.Members()
	if err != nil {
		return err
	}
	for _, other := range members {
		if other.Person.ID != is.Person.ID && slices.Contains(other.Roles, auth.Admin) {
			return nil
		}
	}
	return fault.Member(fault.LastAdmin, "roles", "%s is the only admin of %s; make someone else an admin first", is.Person.Name, is.Tenant)
}
