package reconcile

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/store/logstate"
	"github.com/countersign/countersign/internal/store/organisation"
	"github.com/countersign/countersign/internal/store/requests"
	"github.com/countersign/countersign/internal/store/tables"
)

// endedSlack is how much earlier than its event what somebody had signed in everywhere may be
// ended in the table: one act writes to the trails of all of their organisations.
const endedSlack = time.Minute

// loggedPeople is what the events say of who people are, and of what they had signed in.
type loggedPeople struct {
	identities map[string]logstate.Sum // sums of name and address
	members    map[string]bool
	ended      map[string]time.Time // when what somebody had signed in was ended
}

var peopleKinds = append([]audit.Kind{audit.PersonSuspended, audit.SessionsRevoked, audit.PasswordChanged, audit.PersonRemoved}, logstate.IdentityKinds...)

// verifyPeople holds names, addresses and ended sign-ins against the events. Nobody decides by
// names, and there are as many sign-ins as days: so only who verifies the whole asks.
func (t Checks) verifyPeople(size int64) (at int64, problem string, err error) {
	logged := loggedPeople{map[string]logstate.Sum{}, map[string]bool{}, map[string]time.Time{}}
	if err := t.EachEvent(logged.apply, "kind IN ?", peopleKinds); err != nil {
		return 0, "", err
	}
	for _, check := range []func(loggedPeople, int64) (int64, string, error){t.verifyIdentities, t.verifyEnded, t.verifyNames} {
		if at, problem, err := check(logged, size); problem != "" || err != nil {
			return at, problem, err
		}
	}
	return 0, "", nil
}

// apply adds one event.
func (logged loggedPeople) apply(e audit.Event) {
	person := logstate.PersonOf(e)
	logstate.ApplyIdentity(logged.identities, e)
	logged.members[person] = e.Kind != audit.PersonRemoved
	switch e.Kind {
	case audit.PersonSuspended:
		logged.ended[person] = e.At
	case audit.SessionsRevoked, audit.PasswordChanged:
		if logged.ended[person] = e.At; e.Actor.ID == person || e.Kind == audit.PasswordChanged {
			logged.ended[person] = e.At.Add(-endedSlack)
		}
	case audit.PersonRemoved:
		delete(logged.ended, person)
	default:
	}
}

// verifyIdentities holds the names and addresses of everybody, members or not any more. Who was
// erased has no row.
func (t Checks) verifyIdentities(logged loggedPeople, _ int64) (int64, string, error) {
	for ids := range slices.Chunk(slices.Sorted(maps.Keys(logged.identities)), requests.CompleteBatch) {
		var rows []organisation.PersonRow
		if err := t.DB.Table("people").Where("person_id IN ?", ids).Find(&rows).Error; err != nil {
			return 0, "", err
		}
		there := map[string]bool{}
		for _, r := range rows {
			there[r.PersonID] = true
			if e := logged.identities[r.PersonID]; e.Sum != r.Identity() {
				return e.At, fmt.Sprintf("%s: the stored name or address isn't the one in the events", r.PersonID), nil
			}
		}
		for _, id := range ids {
			if logged.members[id] && !there[id] {
				return logged.identities[id].At, fmt.Sprintf("%s is a member, but no such person is in the database", id), nil
			}
		}
	}
	return 0, "", nil
}

// verifyEnded finds what was signed in and ended, and would count again.
func (t Checks) verifyEnded(logged loggedPeople, size int64) (int64, string, error) {
	var rows []organisation.MemberRow
	if err := t.org.MemberRows().Find(&rows).Error; err != nil {
		return 0, "", err
	}
	for _, r := range rows {
		m := r.Membership(t.Tenant)
		if at, ok := logged.ended[m.Person.ID]; ok && (m.SessionsFrom == nil || m.SessionsFrom.Before(at)) {
			return size, fmt.Sprintf("%s: what they had signed in was ended at %s, but isn't in the database", m.Person.ID, audit.FormatTime(at)), nil
		}
	}
	return 0, "", nil
}

// signedAs are the columns that repeat somebody's name beside their id.
var signedAs = []struct{ table, id, name string }{
	{"signatures", "person_id", "person_name"},
	{"edits", "person_id", "person_name"},
	{"extensions", "person_id", "person_name"},
	{"standing_grants", "made_by", "made_by_name"},
	{"standing_grants", "revoked_by", "revoked_by_name"},
}

// verifyNames holds the names that rows repeat against those of the people, which don't change.
func (t Checks) verifyNames(_ loggedPeople, size int64) (int64, string, error) {
	for _, c := range signedAs {
		var wrong []string
		err := t.Of(c.table).Joins("JOIN people ON people.person_id = "+c.table+"."+c.id).
			Where(c.table+"."+c.name+" <> people.name").Limit(1).Pluck(c.table+"."+c.id, &wrong).Error
		if err != nil || len(wrong) > 0 {
			return size, fmt.Sprintf("%s is in %s under another name than their own", wrong, c.table), err
		}
	}
	return 0, "", nil
}

// misnamed says which of those who decided stands there with another name than their own.
func (t Checks) misnamed(rows []stored) (problem string, err error) {
	said := map[string]string{}
	for _, r := range rows {
		var by []approvals.Decider
		_ = json.Unmarshal([]byte(tables.Text(r.DecidedBy)), &by) // what can't be read is equal to no event
		for _, d := range by {
			if d.Kind == approvals.ByPerson {
				said[d.ID+"\x00"+d.Name] = d.ID
			}
		}
	}
	var people []organisation.PersonRow
	err = t.DB.Table("people").Where("person_id IN ?", slices.Collect(maps.Values(said))).Find(&people).Error
	for _, p := range people {
		delete(said, p.PersonID+"\x00"+p.Name)
	}
	for as, id := range said {
		if slices.ContainsFunc(people, func(p organisation.PersonRow) bool { return p.PersonID == id }) {
			return fmt.Sprintf("%s is in decisions under the name %.80q, which isn't theirs", id, as[len(id)+1:]), err
		}
	}
	return "", err
}
