package tenants

import (
	"context"
	"log/slog"
	"net/mail"
	"slices"
	"strings"
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
	throttle  *auth.Throttle
	usage     usage
	log       *slog.Logger
}

// Config is what a Service needs; every field is required.
type Config struct {
	Store     Store
	Passwords *auth.Passwords
	Throttle  *auth.Throttle
	Log       *slog.Logger
}

// NewService returns a service over a store.
func NewService(c Config) *Service {
	return &Service{store: c.Store, passwords: c.Passwords, throttle: c.Throttle, usage: newUsage(), log: c.Log}
}

var system = audit.Actor{Kind: "system"}

// CreateTenant makes an organisation with the default policy.
func (s *Service) CreateTenant(ctx context.Context, slug string) error {
	if err := auth.CheckSlug(slug); err != nil {
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
		member("policy_version", canon.Int(1)), member("policy_sha256", canon.String(sum)))}
}

// CreatePerson makes somebody who can sign in, with these roles in one tenant.
// An empty password means that only links sign them in. An address that is known
// already gets the roles in this tenant and keeps its password.
func (s *Service) CreatePerson(ctx context.Context, tenant, email, name, password string, roles []auth.Role) (auth.Person, error) {
	p, hash, err := s.newPerson(ctx, email, name, password)
	if err != nil {
		return auth.Person{}, err
	}
	if err := s.exists(ctx, tenant); err != nil {
		return auth.Person{}, err
	}
	if len(roles) == 0 {
		return auth.Person{}, fault.Member(fault.InvalidForm, "roles", "name at least one of operator, compliance, admin")
	}
	known, _, err := s.store.PersonByEmail(ctx, p.Email)
	switch {
	case err == nil && password != "":
		return auth.Person{}, fault.Member(fault.AlreadyExists, "email", "%s can sign in already; leave the password out to give them roles in %s", p.Email, tenant)
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
		return join(w, tenant, p, roles, system, known.ID == "")
	})
}

// join gives a person roles in a tenant and says so in the trail.
func join(w Writer, tenant string, p auth.Person, roles []auth.Role, by audit.Actor, isNew bool) error {
	if err := w.Grant(p.ID, roles); err != nil {
		return err
	}
	names := make([]canon.Value, len(roles))
	for i, r := range roles {
		names[i] = canon.String(string(r))
	}
	data := canon.Object(canon.Member{Name: "person", Value: canon.String(p.ID)}, canon.Member{Name: "roles", Value: canon.Array(names...)})
	kind := audit.RolesGranted
	if isNew {
		kind = audit.PersonCreated
	}
	return w.Append(audit.Event{Tenant: tenant, Kind: kind, Actor: by, Data: data})
}

// newPerson checks what was typed and hashes the password outside any transaction.
func (s *Service) newPerson(ctx context.Context, email, name, password string) (auth.Person, string, error) {
	p := auth.Person{ID: auth.NewID("per"), Email: address(email), Name: strings.TrimSpace(name)}
	if a, err := mail.ParseAddress(p.Email); err != nil || a.Address != p.Email || len(p.Email) > 254 {
		return p, "", fault.Member(fault.InvalidForm, "email", "write an e-mail address like ada@example.com")
	}
	if p.Name == "" {
		p.Name = nameFrom(p.Email)
	}
	if len(p.Name) > 200 {
		return p, "", fault.Member(fault.InvalidForm, "name", "a name has at most 200 bytes")
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

// text is a string, or Absent when there is none.
func text(s string) canon.Value {
	if s == "" {
		return canon.Value{}
	}
	return canon.String(s)
}

// Member says what a person may do in a tenant; fault.Missing when nothing, so
// that a stranger cannot tell a tenant that exists from one that does not.
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
