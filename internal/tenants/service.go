package tenants

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
)

// signInLife is how long a sign-in link works.
const signInLife = 15 * time.Minute

// firstRunLife bounds the link that a start prints; a restart prints another.
const firstRunLife = 24 * time.Hour

// Service creates tenants, people and agents, and says who somebody is. It is
// safe for concurrent use.
type Service struct {
	store     Store
	passwords *auth.Passwords
	doors     *auth.Doors
	usage     usage
	silent    atomic.Int64 // agents, as WatchGates found last
	log       *slog.Logger
}

// Config is what a Service needs; every field is required, but for Doors where nobody signs
// in.
type Config struct {
	Store     Store
	Passwords *auth.Passwords
	Doors     *auth.Doors
	Log       *slog.Logger
}

// NewService returns a service over a store.
func NewService(c Config) *Service {
	return &Service{store: c.Store, passwords: c.Passwords, doors: c.Doors, usage: newUsage(), log: c.Log}
}

var system = audit.Actor{Kind: "system"}

// CreateTenant makes an organisation with the default policy.
func (s *Service) CreateTenant(ctx context.Context, slug string) error {
	if err := auth.CheckSlug(slug); err != nil {
		return err
	}
	if err := unnamed("slug", slug); err != nil {
		return err
	}
	return s.store.CreateTenant(ctx, slug, scoring.DefaultPolicy(), func(w Writer) error {
		return w.Append(tenantCreated(slug))
	})
}

// exists refuses a tenant that is not there, by name.
func (s *Service) exists(ctx context.Context, tenant string) error {
	all, err := s.store.Tenants(ctx)
	if err != nil || slices.Contains(all, tenant) {
		return err
	}
	return fault.Member(fault.Missing, "tenant", "there is no organisation %.60q; create it first with: tenant create", tenant)
}

// tenantCreated tells of the tenant and of the first version of its policy.
func tenantCreated(slug string) audit.Event {
	sum, _ := scoring.DefaultPolicy().SHA256() // the default policy is JSON
	return audit.Event{Tenant: slug, Kind: audit.TenantCreated, Actor: system, Data: canon.Object(
		member("policy_version", canon.Int(1)), member("policy_sha256", canon.String(sum)), member("single_person_mode", canon.Bool(true)))}
}

// Admission is what somebody who is signed in finds in a tenant.
type Admission struct {
	Member auth.Member
	Halt   *Halt // nil: the tenant's agents may act
	Single bool  // the tenant is in single-person mode
	// IdleLock is after how long without doing anything the person signs in again before
	// they decide, as the policy says.
	IdleLock time.Duration
	// Waiting counts the changes that somebody else proposed and this person can accept.
	Waiting int
	// Mentions are those of them in comments that they haven't read yet.
	Mentions []Mention
	// Away are those who are away now.
	Away []Absence
}

// Enter says what a person may do in a tenant now, with a sign-in from then.
// fault.Missing when nothing, so that a stranger cannot tell a tenant that exists
// from one that does not; fault.Unauthorized when the sign-in was ended since.
func (s *Service) Enter(ctx context.Context, tenant, person string, signedIn time.Time) (Admission, error) {
	var m Membership
	var h *Halt
	var single bool
	var p scoring.Policy
	var waiting int
	var mentions map[string][]Mention
	var away []Absence
	read := func(r Reader) (err error) {
		if err = r.Entering(person); err != nil {
			return err
		}
		if m, err = r.Membership(person); err != nil {
			return err
		}
		if single, err = r.Single(); err != nil {
			return err
		}
		if p, _, err = r.Policy(); err != nil {
			return err
		}
		if h, err = r.Halt(); err != nil {
			return err
		}
		if mentions, err = r.Mentions(person); err != nil {
			return err
		}
		if away, err = r.Absences(); err != nil {
			return err
		}
		away = AwayNow(away, r.Now())
		if may := (auth.Member{Roles: m.Roles}); may.May(auth.ChangePolicy) {
			waiting, err = r.OpenChanges(person)
		}
		return err
	}
	if err := s.store.Read(ctx, tenant, read); err != nil {
		return Admission{}, err
	}
	if over(signedIn, m.SessionsFrom) {
		return Admission{}, ended()
	}
	if m.LastSignIn == nil { // they signed in before they were a member
		if err := s.arrives(ctx, tenant, person); err != nil && !fault.Is(err, fault.GrantUnproven) { // as record
			return Admission{}, err
		}
		if err := s.store.Read(ctx, tenant, read); err != nil {
			return Admission{}, err
		}
	}
	return Admission{Member: auth.Member{Tenant: tenant, Person: m.Person, Roles: m.Roles, SignedInAt: signedIn}, Halt: h, Single: single, IdleLock: p.IdleLock(), Waiting: waiting, Mentions: mentions[person], Away: away}, nil
}

// arrives is the sign-in of somebody who comes with one of before they were a member:
// whoever works here has signed in, and a second one ends single-person mode.
func (s *Service) arrives(ctx context.Context, tenant, person string) error {
	return s.store.Write(ctx, tenant, func(w Writer) error {
		m, err := w.Membership(person)
		if err != nil || m.LastSignIn != nil {
			return err
		}
		return signedIn(w, tenant, person, "session")
	})
}

// Visitor is somebody who is signed in since then.
type Visitor struct {
	Person   auth.Person
	SignedIn time.Time
}

// EnterAll is Enter for many at once: who is not in what it returns may not be there
// (any more).
func (s *Service) EnterAll(ctx context.Context, tenant string, visitors []Visitor) (map[Visitor]auth.Member, error) {
	var entrances map[string]Entrance
	err := s.store.Read(ctx, tenant, func(r Reader) (err error) {
		entrances, err = r.Entrances()
		return err
	})
	if err != nil {
		return nil, err
	}
	in := make(map[Visitor]auth.Member, len(visitors))
	for _, v := range visitors {
		if e, ok := entrances[v.Person.ID]; ok && !over(v.SignedIn, e.SessionsFrom) {
			in[v] = auth.Member{Tenant: tenant, Person: v.Person, Roles: e.Roles, SignedInAt: v.SignedIn}
		}
	}
	return in, nil
}

// Account says who is signed in since then, where no tenant is in sight.
// fault.Unauthorized when the sign-in was ended since.
func (s *Service) Account(ctx context.Context, person string, signedIn time.Time) (Account, error) {
	a, err := s.store.Account(ctx, person)
	if fault.Is(err, fault.Missing) || (err == nil && over(signedIn, a.SessionsFrom)) {
		return Account{}, ended()
	}
	return a, err
}

func ended() error {
	return fault.New(fault.Unauthorized, "this sign-in was ended; sign in again")
}

// Now is the database's clock: by it sign-ins begin, and are ended.
func (s *Service) Now(ctx context.Context) (time.Time, error) { return s.store.Now(ctx) }

// Member says what a person may do in a tenant; fault.Missing when nothing.
func (s *Service) Member(ctx context.Context, tenant, person string) (auth.Member, error) {
	var m Membership
	err := s.store.Read(ctx, tenant, func(r Reader) (err error) {
		m, err = r.Membership(person)
		return err
	})
	if err != nil {
		return auth.Member{}, err
	}
	return auth.Member{Tenant: tenant, Person: m.Person, Roles: m.Roles}, nil
}

// Memberships lists where a person is a member, by slug.
func (s *Service) Memberships(ctx context.Context, person string) ([]Membership, error) {
	tenants, err := s.store.Tenants(ctx)
	if err != nil {
		return nil, err
	}
	var all []Membership
	for _, t := range tenants {
		m, err := s.Member(ctx, t, person)
		if fault.Is(err, fault.Missing) {
			continue
		}
		if err != nil {
			return nil, err
		}
		all = append(all, Membership{Tenant: t, Person: m.Person, Roles: m.Roles})
	}
	slices.SortFunc(all, func(a, b Membership) int { return strings.Compare(a.Tenant, b.Tenant) })
	return all, nil
}

// text is a string, or Absent when there is none.
func text(s string) canon.Value {
	if s == "" {
		return canon.Value{}
	}
	return canon.String(s)
}
