package tenants

import (
	"context"
	"slices"
	"time"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
)

// What a person does with their own account. It concerns every tenant of theirs,
// so the trail of each is told.

// freshSignIn is how old a sign-in may be that stands in for a password.
const freshSignIn = 15 * time.Minute

// PasswordChange is what somebody hands in who wants another password.
type PasswordChange struct {
	Person   string
	SignedIn time.Time
	// Current is the password until now. Who has none needs a sign-in of the last
	// quarter of an hour instead.
	Current, New string
}

// ChangePassword gives a person the password they chose, and ends all their
// sessions, the one that asked included.
func (s *Service) ChangePassword(ctx context.Context, in PasswordChange) (auth.Person, error) {
	a, err := s.Account(ctx, in.Person, in.SignedIn)
	if err != nil {
		return auth.Person{}, err
	}
	if err := auth.CheckPassword(in.New); err != nil {
		return auth.Person{}, err
	}
	if err := s.proveOwn(ctx, a, in); err != nil {
		return auth.Person{}, err
	}
	hash, err := s.passwords.Hash(ctx, in.New)
	if err != nil {
		return auth.Person{}, err
	}
	return a.Person, s.changeOwn(ctx, a.ID, audit.Actor{Kind: "person", ID: a.ID}, audit.PasswordChanged,
		func(w Writer) error { return w.SetPassword(a.ID, hash) },
		func() error { return s.store.SetPassword(ctx, a.ID, hash) }, passwordMember(a.ID, hash))
}

// proveOwn makes sure that it is the person who asks.
func (s *Service) proveOwn(ctx context.Context, a Account, in PasswordChange) error {
	if a.PasswordHash == "" {
		now, err := s.store.Now(ctx)
		if err == nil && now.Sub(in.SignedIn) > freshSignIn {
			return fault.Member(fault.WrongPassword, "current", "you don't have a password yet; sign in with a new link, then set one within 15 minutes")
		}
		return err
	}
	// By themselves: who is signed in is not shut out by what strangers try.
	ok, err := s.try(ctx, guess{hash: a.PasswordHash, password: in.Current, limits: []auth.Limit{s.doors.Own(a.ID)}, known: true})
	if err != nil {
		return err
	}
	if !ok {
		return fault.Member(fault.WrongPassword, "current", "that isn't your current password")
	}
	return nil
}

// EndOwnSessions ends everything that a person has signed in, everywhere.
func (s *Service) EndOwnSessions(ctx context.Context, person string) error {
	return s.changeOwn(ctx, person, audit.Actor{Kind: "person", ID: person}, audit.SessionsRevoked,
		func(w Writer) error { return w.EndAllSessions(person) },
		func() error { return s.store.EndAllSessions(ctx, person) })
}

// SetPassword gives somebody a password on the command line: for who lost theirs
// and belongs to several tenants.
func (s *Service) SetPassword(ctx context.Context, email, password string) (auth.Person, error) {
	if err := auth.CheckPassword(password); err != nil {
		return auth.Person{}, err
	}
	p, _, err := s.store.PersonByEmail(ctx, address(email))
	if fault.Is(err, fault.Missing) {
		return p, fault.Member(fault.Missing, "email", "no one with the address %s can sign in; create them with: person create", address(email))
	}
	if err != nil {
		return p, err
	}
	hash, err := s.passwords.Hash(ctx, password)
	if err != nil {
		return p, err
	}
	return p, s.changeOwn(ctx, p.ID, system, audit.PasswordChanged,
		func(w Writer) error { return w.SetPassword(p.ID, hash) },
		func() error { return s.store.SetPassword(ctx, p.ID, hash) }, passwordMember(p.ID, hash))
}

// changeOwn does something to an account, together with the events in the trails of all of
// the person's tenants. Who is a member of nothing has no trail.
func (s *Service) changeOwn(ctx context.Context, person string, by audit.Actor, kind audit.Kind, change func(w Writer) error, alone func() error, more ...canon.Member) error {
	all, err := s.Memberships(ctx, person)
	if err != nil {
		return err
	}
	if len(all) == 0 {
		return alone()
	}
	slugs := make([]string, len(all))
	for i, m := range all {
		slugs[i] = m.Tenant
	}
	tell := func(w Writer, tenant string) error {
		return w.Append(aboutPerson(tenant, kind, by, person, append([]canon.Member{member("everywhere", canon.Bool(true))}, more...)...))
	}
	err = s.store.WriteEach(ctx, slugs, func(w Writer, tenant string) error {
		if tenant == slugs[0] {
			if err := change(w); err != nil {
				return err
			}
		}
		return tell(w, tenant)
	})
	if err != nil {
		return err
	}
	if all, err = s.Memberships(ctx, person); err != nil {
		return err
	}
	for _, m := range all {
		if slices.Contains(slugs, m.Tenant) {
			continue
		}
		// They joined it meanwhile, with the password of before.
		if err := s.store.Write(ctx, m.Tenant, func(w Writer) error { return tell(w, m.Tenant) }); err != nil {
			return err
		}
	}
	return nil
}
