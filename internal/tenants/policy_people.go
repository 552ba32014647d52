package tenants

import (
	"context"
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/authority"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/deciders"
)

// Addressed is a policy in which members of a tenant who are named by their address are named by
// their id: an address is no proof of who somebody is, and is easier to write.
func (s *Service) Addressed(ctx context.Context, tenant string, p scoring.Policy) (named scoring.Policy, err error) {
	err = s.store.Read(ctx, tenant, func(r Reader) error {
		named, err = addressed(r, p)
		return err
	})
	return named, err
}

func addressed(r Reader, p scoring.Policy) (scoring.Policy, error) {
	if len(p.Deciders.ByAddress()) == 0 {
		return p, nil
	}
	all, err := r.Members()
	if err != nil {
		return p, err
	}
	var unknown error
	p.Deciders = p.Deciders.Named(func(named deciders.Person) deciders.Person {
		if !strings.Contains(named.Person, "@") {
			return named
		}
		i := slices.IndexFunc(all, func(m Membership) bool { return strings.EqualFold(m.Person.Email, named.Person) })
		if i < 0 {
			unknown = fault.Member(fault.InvalidMember, "/deciders", "%s isn't the email address of a member", named.Person)
			return named
		}
		return deciders.Person{Person: all[i].Person.ID, Name: all[i].Person.Name}
	})
	if unknown == nil {
		unknown = p.Validate() // the same person by id and by address
	}
	return p, unknown
}

// Deciding is who is there, and who of them can decide: for the page of who has to.
func (s *Service) Deciding(ctx context.Context, m auth.Member) (members []Membership, state authority.State, err error) {
	if err := allow(m, auth.ReadPolicy); err != nil {
		return nil, state, err
	}
	err = s.store.Read(ctx, m.Tenant, func(r Reader) error {
		if members, err = r.Members(); err != nil {
			return err
		}
		state, err = r.Authority()
		return err
	})
	return members, state, err
}

// PolicyAdmins are the people who may change the policy of m's tenant, by name: for
// pages that say who can do what the reader may not.
func (s *Service) PolicyAdmins(ctx context.Context, m auth.Member) ([]auth.Person, error) {
	if err := allow(m, auth.ReadPolicy); err != nil {
		return nil, err
	}
	var admins []auth.Person
	err := s.store.Read(ctx, m.Tenant, func(r Reader) error {
		all, err := r.Members()
		for _, one := range all {
			if (auth.Member{Roles: one.Roles}).May(auth.ChangePolicy) {
				admins = append(admins, one.Person)
			}
		}
		return err
	})
	return admins, err
}
