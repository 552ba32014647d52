package store

import (
	"encoding/json"
	"fmt"

	"gorm.io/gorm/clause"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/tenants"
)

// toldPassword is what the events say of a person's password: the sum of its hash.
type toldPassword struct {
	at  int64
	sum string
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

// UnheldPassword holds the password of one member against the newest event that tells of it.
func (t *tx) UnheldPassword(person string) (problem string, err error) {
	name, err := json.Marshal(person)
	if err != nil {
		return "", err
	}
	// A person has few such events, and the trail many: the database looks for the id in
	// their bytes, which are canonical.
	var rows []auditEventRow
	err = t.of("audit_events").Where("kind IN ?", passwordKinds).Where("bytes LIKE ?", `%"person":`+string(name)+`%`).Order("idx").Find(&rows).Error
	if err != nil {
		return "", err
	}
	events, err := t.heard(rows)
	if err != nil {
		return unbroken("", err)
	}
	told := map[string]toldPassword{}
	for _, e := range events {
		hearPassword(told, e)
	}
	e, ok := told[person]
	if !ok {
		return "", nil
	}
	hash, err := t.PasswordHash(person)
	if err != nil {
		return "", err
	}
	return e.contradicts(person, hash), nil
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
	if tenants.PasswordSum(person, hash) == e.sum {
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
		e, ok := told.passwords[r.PersonID]
		if !ok {
			continue
		}
		if problem := e.contradicts(r.PersonID, r.PasswordHash); problem != "" {
			return e.at, problem, nil
		}
	}
	return 0, "", nil
}
