package reconcile

import (
	"fmt"

	"gorm.io/gorm/clause"

	"github.com/countersign/countersign/internal/store/logstate"
	"github.com/countersign/countersign/internal/store/tables"
	"github.com/countersign/countersign/internal/tenants"
)

// PasswordHash is the stored hash of the password of a member.
func (t Checks) PasswordHash(person string) (string, error) {
	q := t.Of("memberships").Where("memberships.person_id = ?", person).Select("people.password_hash").Joins("JOIN people ON people.person_id = memberships.person_id")
	if t.Writes {
		q = q.Clauses(clause.Locking{Strength: "SHARE", Table: clause.Table{Name: "people"}})
	}
	row, err := tables.One[struct{ PasswordHash string }](q, "no such member")
	return row.PasswordHash, err
}

func passwordMismatch(e logstate.Sum, person, hash string) string {
	if tenants.PasswordSum(person, hash) == e.Sum {
		return ""
	}
	return fmt.Sprintf("%s: the stored password isn't the one in the events", person)
}

// verifyPasswords holds the passwords of all members.
func (t Checks) verifyPasswords(logged logstate.Authority, _ int64) (int64, string, error) {
	rows, err := t.org.MemberPeople()
	if err != nil {
		return 0, "", err
	}
	for _, r := range rows {
		e, ok := logged.Passwords[r.PersonID]
		if !ok {
			continue
		}
		if problem := passwordMismatch(e, r.PersonID, r.PasswordHash); problem != "" {
			return e.At, problem, nil
		}
	}
	return 0, "", nil
}
