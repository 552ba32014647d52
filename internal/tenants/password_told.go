package tenants

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
)

// The trail of each organisation tells which password its people have, so that a hash that
// somebody wrote into the table signs nobody in, and approves nothing (docs/security/tables.md).

// PasswordSum is what events have of a password: the SHA-256 of its stored hash, whose salt
// nobody has who reads the trail. Who has no password has a sum, too.
func PasswordSum(person, hash string) string {
	sum := sha256.Sum256([]byte(person + "\x00" + hash))
	return hex.EncodeToString(sum[:])
}

func passwordMember(person, hash string) canon.Member {
	return member("password_sum", canon.String(PasswordSum(person, hash)))
}

// passwordHeld refuses a password of which the trail of one of the person's organisations
// says that they have another one. What was chosen before trails told of it is what it is.
// unproven: a trail that is refused says nothing, so whoever can write to the database may have
// written the password.
func (s *Service) passwordHeld(ctx context.Context, p auth.Person) (unproven bool, err error) {
	all, err := s.Memberships(ctx, p.ID)
	if err != nil {
		return false, err
	}
	for _, m := range all {
		var problem string
		err := s.store.Write(ctx, m.Tenant, func(w Writer) (err error) {
			problem, err = w.PasswordMismatch(p.ID)
			return err
		})
		if fault.Is(err, fault.GrantUnproven) {
			unproven = true
			continue
		}
		if err != nil {
			return false, err
		}
		if problem != "" {
			s.log.Error("nobody signs in with this password: the table is not what the audit trail says; somebody may have written to the database", "tenant", m.Tenant, "person", p.ID, "problem", problem)
			return false, fault.New(fault.SignInFailed, "this account doesn't match the audit trail, so its password doesn't work. Tell whoever runs this server")
		}
	}
	return unproven, nil
}
