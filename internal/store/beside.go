package store

import (
	"crypto/rand"
	"slices"
	"strconv"
	"strings"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/store/logstate"
)

// What rows hold beside what the services tell of an act: sums of it stand in the first event
// about the same approval, agent or person, so that an edit of a row shows. An event from
// before it had one says nothing of the row.

// beside are members for the next event about an approval or an agent, by name.
type beside map[string]map[string][]string

// tell sets the sum of what is stored of an approval.
func (b beside) tell(approval, name string, parts ...string) {
	b.add(approval, name, "")
	b[approval][name] = []string{sumOf(parts...)}
}

// add adds to the list of an agent.
func (b beside) add(agent, name, value string) {
	if b[agent] == nil {
		b[agent] = map[string][]string{}
	}
	b[agent][name] = append(b[agent][name], value)
}

// sumOf is the sum of parts, each with where it ends.
func sumOf(parts ...string) string {
	var all strings.Builder
	for _, p := range parts {
		all.WriteString(strconv.Itoa(len(p)) + ":" + p)
	}
	return sha256Hex(all.String())
}

// withSums adds to an event what is to be told of the rows. A name or an address that somebody
// swapped in the table is told of by no event: it would be true from then on.
func (t *tx) withSums(e audit.Event) (audit.Event, error) {
	var members []canon.Member
	if slices.Contains(logstate.ApprovalKinds, e.Kind) {
		for _, about := range []string{e.Approval, e.Agent} {
			for name, v := range t.beside[about] {
				members = append(members, canon.Member{Name: name, Value: canon.String(strings.Join(v, ","))})
			}
			delete(t.beside, about)
		}
	}
	if slices.Contains(logstate.IdentityKinds, e.Kind) {
		p, err := t.salted(logstate.PersonOf(e))
		if err != nil {
			return e, err
		}
		if told, ok := t.state.Identities[logstate.PersonOf(e)]; ok && told.Sum != p.identity() {
			return e, fault.New(fault.GrantUnproven, "the name or address of %s isn't the one in the audit trail, so nothing more is told of them. Tell whoever runs this server: “countersign audit verify” says what's wrong", logstate.PersonOf(e))
		}
		if p.Salt != "" {
			members = append(members, canon.Member{Name: "identity_sum", Value: canon.String(p.identity())})
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

// identity is the sum of somebody's name and address.
func (r personRow) identity() string { return sumOf(r.Salt, r.PersonID, r.Name, r.Email) }

// salted is a person's row, with a salt from now on. Nobody: an empty one.
func (t *tx) salted(person string) (r personRow, err error) {
	var rows []personRow
	if err := t.db.Table("people").Where("person_id = ?", person).Find(&rows).Error; err != nil || len(rows) == 0 {
		return r, err
	}
	if r = rows[0]; r.Salt != "" {
		return r, nil
	}
	r.Salt = rand.Text()
	return r, t.db.Table("people").Where("person_id = ?", person).Update("salt", r.Salt).Error
}
