package tenants

import (
	"strings"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/authority"
	"github.com/countersign/countersign/internal/fault"
)

// Four eyes: a change that weakens the policy needs a second person who may change
// it, and one that does not is made at once. In single-person mode, where nobody else
// could look, the act is allowed with the typed slug, and marked (docs/policy.md).

// consent says whether somebody may make a version alone.
type consent uint8

const (
	no         consent = iota // somebody else has to accept it
	yes                       // nothing becomes weaker
	nobodyElse                // it does, but there is nobody who could look, in single-person mode
)

// mayAlone decides about a draft that was compared.
func (d *draft) mayAlone(r Reader, m auth.Member, typed string) (consent, error) {
	if !m.May(auth.ChangePolicy) {
		return no, nil
	}
	if len(d.weakens) == 0 {
		return yes, nil
	}
	st, err := r.Authority()
	if err != nil || st.Policy(m.Person.ID, true) != authority.Alone {
		return no, err
	}
	if strings.TrimSpace(typed) != m.Tenant {
		return no, fault.Member(fault.InvalidForm, "typed", "this weakens the policy (%s), and no one else in %s can review it; type %s to do it alone", shortList(d.weakens), m.Tenant, m.Tenant)
	}
	return nobodyElse, nil
}

// shortList names the first few.
func shortList(all []string) fault.Text {
	const few = 5
	if len(all) <= few {
		return fault.Verbatim(strings.Join(all, ", "))
	}
	return fault.Textf("%s and others", strings.Join(all[:few], ", "))
}
