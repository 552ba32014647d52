package tenants

import (
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
)

// Four eyes: a change that weakens the policy needs a second person who may change
// it, and one that does not is made at once (security.md, Authority). Where nobody
// else could look, the act is allowed with the typed slug, and marked
// (product.md, Who may decide).

// consent says whether somebody may make a version alone.
type consent uint8

const (
	no         consent = iota // somebody else has to accept it
	yes                       // nothing becomes weaker
	nobodyElse                // it does, but there is nobody who could look
)

// mayAlone decides about a draft that was compared.
func (d *draft) mayAlone(r Reader, m auth.Member, typed string) (consent, error) {
	if !m.May(auth.ChangePolicy) {
		return no, nil
	}
	if len(d.weakens) == 0 {
		return yes, nil
	}
	others, err := changers(r, m.Person.ID)
	if err != nil || len(others) > 0 {
		return no, err
	}
	if strings.TrimSpace(typed) != m.Tenant {
		return no, fault.Member(fault.InvalidForm, "typed", "this weakens the policy (%s), and nobody else in %s could look at it; type %s to do it alone", shortList(d.weakens), m.Tenant, m.Tenant)
	}
	return nobodyElse, nil
}

// changers are the names of those who may change the policy, without one person.
func changers(r Reader, without string) ([]string, error) {
	all, err := r.Members()
	var names []string
	for _, one := range all {
		if one.Person.ID != without && (auth.Member{Roles: one.Roles}).May(auth.ChangePolicy) {
			names = append(names, one.Person.Name)
		}
	}
	slices.Sort(names)
	return names, err
}

// shortList names the first few.
func shortList(all []string) fault.Text {
	const few = 5
	if len(all) <= few {
		return fault.Verbatim(strings.Join(all, ", "))
	}
	return fault.Textf("%s and others", strings.Join(all[:few], ", "))
}
