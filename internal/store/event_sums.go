package store

import (
	"crypto/rand"
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/store/logstate"
	"github.com/countersign/countersign/internal/store/organisation"
)

// withSums adds to an event what is to be told of the rows. A name or an address that somebody
// swapped in the table is told of by no event: it would be true from then on.
func (t *tx) withSums(e audit.Event) (audit.Event, error) {
	var members []canon.Member
	if slices.Contains(logstate.ApprovalKinds, e.Kind) {
		for _, about := range []string{e.Approval, e.Agent} {
			for name, v := range t.Sums[about] {
				members = append(members, canon.Member{Name: name, Value: canon.String(strings.Join(v, ","))})
			}
			delete(t.Sums, about)
		}
	}
	if slices.Contains(logstate.IdentityKinds, e.Kind) {
		p, err := t.salted(logstate.PersonOf(e))
		if err != nil {
			return e, err
		}
		if logged, ok := t.state.Identities[logstate.PersonOf(e)]; ok && logged.Sum != p.Identity() {
			return e, fault.New(fault.GrantUnproven, "the name or address of %s isn't the one in the audit trail, so nothing more is told of them. Tell whoever runs this server: “countersign audit verify” says what's wrong", logstate.PersonOf(e))
		}
		if p.Salt != "" {
			members = append(members, canon.Member{Name: "identity_sum", Value: canon.String(p.Identity())})
		}
	}
	if len(members) == 0 {
		return e, nil
	}
	for name, v := range e.Data.Members() {
		members = append(members, canon.Member{Name: name, Value: v})
	}
	e.Data = canon.Object(members...)
	return e, nil
}

// salted is a person's row, with a salt from now on. Nobody: an empty one.
func (t *tx) salted(person string) (r organisation.PersonRow, err error) {
	var rows []organisation.PersonRow
	if err := t.DB.Table("people").Where("person_id = ?", person).Find(&rows).Error; err != nil || len(rows) == 0 {
		return r, err
	}
	if r = rows[0]; r.Salt != "" {
		return r, nil
	}
	r.Salt = rand.Text()
	return r, t.DB.Table("people").Where("person_id = ?", person).Update("salt", r.Salt).Error
}
