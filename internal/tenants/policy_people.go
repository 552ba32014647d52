package tenants

import (
	"context"

	"github.com/countersign/countersign/internal/auth"
)

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
