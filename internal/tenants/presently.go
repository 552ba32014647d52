package tenants

import (
	"context"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
)

// What somebody does who is signed in. Their roles were read at the door, and may be
// taken away while the act waits: so they are read again where it is written.

// Presently is the member with the roles of now, if those allow p. r is a transaction
// of m's tenant: where it writes events, they are written only if the roles are still
// these.
func Presently(r interface {
	Membership(person string) (Membership, error)
}, m auth.Member, p auth.Permission,
) (auth.Member, error) {
	now, err := r.Membership(m.Person.ID)
	if err != nil && !fault.Is(err, fault.Missing) {
		return m, err
	}
	m.Roles = now.Roles // of a stranger: none
	return m, allow(m, p)
}

// writeFor is the door for whatever a member does to the tenant, and fn gets them with
// the roles of now. Nothing that needs a role writes by another way.
func (s *Service) writeFor(ctx context.Context, m auth.Member, p auth.Permission, fn func(w Writer, m auth.Member) error) error {
	if err := allow(m, p); err != nil {
		return err
	}
	return s.store.Write(ctx, m.Tenant, func(w Writer) error {
		m, err := Presently(w, m, p)
		if err != nil {
			return err
		}
		return fn(w, m)
	})
}

// writeHeld is writeFor for what gives somebody or something more than they had, or makes a new
// state out of the stored one: that must be what the log says, or a forged row would become a
// true one by somebody's next act. What only takes away (stopping, revoking, suspending,
// rejecting) works without: it must always.
func (s *Service) writeHeld(ctx context.Context, m auth.Member, p auth.Permission, fn func(w Writer, m auth.Member) error) error {
	return s.writeFor(ctx, m, p, func(w Writer, m auth.Member) error {
		if err := s.held(w, m.Tenant); err != nil {
			return err
		}
		return fn(w, m)
	})
}
