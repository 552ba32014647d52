package store

import (
	"fmt"

	"gorm.io/gorm/clause"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/tenants"
)

// toldPassword is what the events say of a person's password: the sum of its hash.
type toldPassword struct {
	At  int64
	Sum string
}

// passwordKinds are the events that tell of one.
var passwordKinds = []audit.Kind{audit.PersonCreated, audit.RolesGranted, audit.PersonJoined, audit.PasswordChanged, audit.PersonRemoved}

// PasswordHash is the stored hash of the password of a member.
func (t *tx) PasswordHash(person string) (string, error) {
	q := t.of("memberships").Where("memberships.person_id = ?", person).Select("people.password_hash").Joins("JOIN people ON people.person_id = memberships.person_id")
	if t.writes {
		q = q.Clauses(clause.Locking{Strength: "SHARE", Table: clause.Table{Name: "people"}})
	}
	row, err := one[struct{ PasswordHash string }](q, "no such member")
	return row.PasswordHash, err
}

// hearPassword adds one event. Events from before they had the sum say nothing of what is
// stored, but for one that says that it changed: whatever stood before is over.
func hearPassword(told map[string]toldPassword, e audit.Event) {
	person, sum := e.Data.Get("person").Text(), e.Data.Get("password_sum").Text()
	switch {
	case e.Kind == audit.PersonRemoved:
		delete(told, person)
	case sum != "":
		told[person] = toldPassword{e.Index, sum}
	case e.Kind == audit.PasswordChanged:
		delete(told, person)
	}
}

func (e toldPassword) contradicts(person, hash string) string {
	if tenants.PasswordSum(person, hash) == e.Sum {
		return ""
	}
	return fmt.Sprintf("%s: the stored password isn't the one in the events", person)
}

// replayPasswords holds the passwords of all members.
func (t *tx) replayPasswords(told toldAuthority, _ int64) (int64, string, error) {
	var rows []personRow
	err := t.db.Table("people").Where("person_id IN (?)", t.of("memberships").Select("person_id")).Order("person_id").Find(&rows).Error
	if err != nil {
		return 0, "", err
	}
	for _, r := range rows {
		e, ok := told.Passwords[r.PersonID]
		if !ok {
			continue
		}
		if problem := e.contradicts(r.PersonID, r.PasswordHash); problem != "" {
			return e.At, problem, nil
		}
	}
	return 0, "", nil
}
