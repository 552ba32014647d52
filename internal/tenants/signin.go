package tenants

import (
	"context"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
)

// SigningIn is what somebody hands in who signs in with a password.
type SigningIn struct {
	Email, Password string
	From            string // where the request comes from
	Device          string // the cookie of a browser that somebody signed in with before; may be empty
}

// Arrival is who signed in. Unproven: a trail that isn't what was signed couldn't say whether the
// password is theirs.
type Arrival struct {
	auth.Person
	Unproven bool
}

// SignIn checks a password. Somebody who does not exist gets the same answer after the same
// time. Failures of strangers count against the account and the address that they come
// from; those of a browser that this person signed in with before count by themselves, so
// that no stranger shuts the person out.
func (s *Service) SignIn(ctx context.Context, in SigningIn) (Arrival, error) {
	email := address(in.Email)
	p, hash, err := s.store.PersonByEmail(ctx, email)
	if err != nil && !fault.Is(err, fault.Missing) {
		return Arrival{}, err
	}
	g := guess{hash: hash, password: in.Password, limits: []auth.Limit{s.doors.Account(email), s.doors.Address(in.From)}}
	now, err := s.store.Now(ctx)
	if err != nil {
		return Arrival{}, err
	}
	if device, known := s.doors.Known(in.Device, p.ID, hash, now); known {
		all, _, err := s.store.Failures(ctx, device.Name)
		if err != nil {
			return Arrival{}, err
		}
		if all[device.Name].Count < device.Tries { // after that the cookie is worth nothing
			g.known, g.limits = true, []auth.Limit{device}
		}
	}
	ok, err := s.try(ctx, g)
	if err != nil {
		return Arrival{}, err
	}
	if !ok {
		// Somebody who does not exist is looked for in every organisation, too: that takes
		// a transaction for each, which the time of the answer must not tell of.
		if err := s.record(ctx, p, audit.SignInRefused, "password"); err != nil {
			return Arrival{}, err
		}
		return Arrival{}, fault.New(fault.SignInFailed, "incorrect email or password")
	}
	unproven, err := s.passwordHeld(ctx, p)
	if err != nil {
		return Arrival{}, err
	}
	return Arrival{p, unproven}, s.record(ctx, p, audit.SignedIn, "password")
}

// Device returns the cookie that makes the browser known with which a person just proved
// who they are.
func (s *Service) Device(ctx context.Context, person string) (cookie string, err error) {
	a, err := s.store.Account(ctx, person)
	if err != nil {
		return "", err
	}
	now, err := s.store.Now(ctx)
	return s.doors.Device(a.ID, a.PasswordHash, now), err
}

// record writes a sign-in into the trail of every tenant of the person but those whose trail is
// refused: people sign in to them, too, to say no.
func (s *Service) record(ctx context.Context, p auth.Person, kind audit.Kind, how string) error {
	all, err := s.Memberships(ctx, p.ID)
	if err != nil {
		return err
	}
	for _, m := range all {
		err := s.store.Write(ctx, m.Tenant, func(w Writer) error {
			if kind == audit.SignedIn {
				return signedIn(w, m.Tenant, p.ID, how)
			}
			return w.Append(signIn(kind, m.Tenant, p.ID, how))
		})
		if err != nil && !fault.Is(err, fault.GrantUnproven) {
			return err
		}
	}
	return nil
}

func signIn(kind audit.Kind, tenant, person, how string) audit.Event {
	return audit.Event{Tenant: tenant, Kind: kind, Actor: audit.Actor{Kind: "person", ID: person}, Data: canon.Object(member("how", canon.String(how)))}
}

// signedIn writes that a member has signed in, and what follows from it.
func signedIn(w Writer, tenant, person, how string) error {
	if err := w.SignedIn(person); err != nil {
		return err
	}
	if err := settleMode(w, tenant, person); err != nil {
		return err
	}
	return w.Append(signIn(audit.SignedIn, tenant, person, how))
}

// SignedOut writes the end of a session into the trail.
func (s *Service) SignedOut(ctx context.Context, p auth.Person) error {
	return s.record(ctx, p, audit.SignedOut, "button")
}

// linkGone is the answer to any link that does not work, whatever the reason.
func linkGone() error {
	return fault.New(fault.SignInFailed, "this link was used, has expired or was replaced by a newer one; ask for another")
}

// SignInLink makes a link that signs a member of the tenant in. kind is
// LinkSignIn (15 minutes, once) or LinkDemo.
func (s *Service) SignInLink(ctx context.Context, tenant, email string, kind LinkKind) (string, error) {
	p, _, err := s.store.PersonByEmail(ctx, address(email))
	if err != nil {
		return "", err
	}
	now, err := s.store.Now(ctx)
	if err != nil {
		return "", err
	}
	life := signInLife
	if kind == LinkDemo {
		life = 365 * firstRunLife // as long as the demo's database lives
	}
	token, hash := s.doors.Link(string(kind), p.ID)
	if err := s.store.CreateLink(ctx, Link{Hash: hash, Kind: kind, Person: p.ID, ExpiresAt: now.Add(life)}, false); err != nil {
		return "", err
	}
	return token, s.store.Write(ctx, tenant, func(w Writer) error {
		return w.Append(audit.Event{
			Tenant: tenant, Kind: audit.LinkIssued, Actor: system,
			Data: canon.Object(canon.Member{Name: "person", Value: canon.String(p.ID)}),
		})
	})
}

// CheckLink says whom a link would sign in, and uses nothing up: mail scanners
// open links, people press the button.
func (s *Service) CheckLink(ctx context.Context, token string) (auth.Person, error) {
	l, err := s.store.Link(ctx, auth.HashToken(token))
	if fault.Is(err, fault.Missing) || (err == nil && (l.Kind == LinkFirstRun || !s.doors.Made(token, string(l.Kind), l.Person))) {
		return auth.Person{}, linkGone()
	}
	if err != nil {
		return auth.Person{}, err
	}
	return s.store.Person(ctx, l.Person)
}

// RedeemLink uses a link up and says whom it signs in.
func (s *Service) RedeemLink(ctx context.Context, token string) (auth.Person, error) {
	if _, err := s.CheckLink(ctx, token); err != nil {
		return auth.Person{}, err
	}
	l, err := s.store.UseLink(ctx, auth.HashToken(token))
	if fault.Is(err, fault.Missing) || (err == nil && !s.doors.Made(token, string(l.Kind), l.Person)) { // whoever it is for now
		return auth.Person{}, linkGone()
	}
	if err != nil {
		return auth.Person{}, err
	}
	p, err := s.store.Person(ctx, l.Person)
	if err != nil {
		return auth.Person{}, err
	}
	return p, s.record(ctx, p, audit.SignedIn, "link")
}

// FirstRunLink makes the link that creates the first person, and voids the one
// before. needed is false when somebody can sign in already.
func (s *Service) FirstRunLink(ctx context.Context) (token string, needed bool, err error) {
	some, err := s.store.AnyPerson(ctx)
	if err != nil || some {
		return "", false, err
	}
	now, err := s.store.Now(ctx)
	if err != nil {
		return "", false, err
	}
	token, hash := s.doors.Link(string(LinkFirstRun), "")
	return token, true, s.store.CreateLink(ctx, Link{Hash: hash, Kind: LinkFirstRun, ExpiresAt: now.Add(firstRunLife)}, true)
}

// CheckFirstRun says whether the form may be shown.
func (s *Service) CheckFirstRun(ctx context.Context, token string) error {
	l, err := s.store.Link(ctx, auth.HashToken(token))
	if fault.Is(err, fault.Missing) || (err == nil && (l.Kind != LinkFirstRun || !s.doors.Made(token, string(l.Kind), ""))) {
		return linkGone()
	}
	return err
}

// FirstRun creates the organisation and its first person, who gets every role; without a
// name they are named for their address.
// The link is used up in the same transaction, so of two who race one wins and
// the other changes nothing.
func (s *Service) FirstRun(ctx context.Context, token, slug, name, email, password string) (auth.Person, error) {
	if err := s.CheckFirstRun(ctx, token); err != nil {
		return auth.Person{}, err
	}
	if err := auth.CheckSlug(slug); err != nil {
		return auth.Person{}, err
	}
	if err := unnamed("slug", slug); err != nil {
		return auth.Person{}, err
	}
	if password == "" {
		return auth.Person{}, auth.CheckPassword(password)
	}
	p, hash, err := s.newPerson(ctx, email, name, password)
	if err != nil {
		return auth.Person{}, err
	}
	create := func(w Writer) error {
		if _, err := w.UseLink(auth.HashToken(token)); err != nil {
			return linkGone()
		}
		if err := w.CreatePerson(p, hash); err != nil {
			return err
		}
		by := audit.Actor{Kind: "person", ID: p.ID}
		if err := grant(w, audit.PersonCreated, slug, p.ID, auth.Roles(), by); err != nil {
			return err
		}
		return w.SignedIn(p.ID)
	}
	err = s.store.CreateTenant(ctx, slug, scoring.DefaultPolicy(), func(w Writer) error {
		if err := w.Append(tenantCreated(slug)); err != nil {
			return err
		}
		return create(w)
	})
	if fault.Is(err, fault.AlreadyExists) {
		// The organisation was made on the command line before anybody could sign in:
		// the first person joins it.
		err = s.store.Write(ctx, slug, create)
	}
	return p, err
}
