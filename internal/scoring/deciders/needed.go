package deciders

import (
	"cmp"
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/authority"
	"github.com/countersign/countersign/internal/fault"
)

// Needed is who has to be among the people who approve, and who of them did.
type Needed struct {
	Team   string   // "": People, or where there are none, anyone
	People []string // names
	Count  int
	Signed []string           // names of those whose signature counts here
	Able   []authority.Person // who could sign for it now
}

// Missing is how many are.
func (n Needed) Missing() int { return n.Count - len(n.Signed) }

// Who is whom it asks.
func (n Needed) Who() fault.Text {
	switch {
	case n.Team != "":
		return fault.Verbatim(n.Team)
	case len(n.People) > 0:
		return fault.Verbatim(strings.Join(n.People, ", "))
	}
	return fault.Textf("anyone")
}

// Look is who has to approve r, which has these needs, and why no one can; that is empty where they
// can. In single-person mode whoever is alone can.
func (s Settings) Look(state authority.State, r authority.Request, needs []Need) (all []Needed, noOne fault.Text) {
	places, enough := state.Places(r)
	for i, p := range places {
		n := Needed{Count: p.Count, Able: p.Able}
		for _, id := range p.Signed {
			n.Signed = append(n.Signed, state.Find(id).Name)
		}
		if i < len(needs) {
			n.Team = needs[i].Team
			for _, one := range needs[i].People {
				n.People = append(n.People, cmp.Or(state.Find(one.Person).Name, one.Name, one.Person))
			}
		}
		if noOne.Empty() && p.Missing() > len(p.Able) {
			noOne = n.short(slices.ContainsFunc(p.Any, state.Decides))
		}
		all = append(all, n)
	}
	switch {
	case state.Single && slices.ContainsFunc(state.People, func(p authority.Person) bool { return state.Sign(r, p.ID).Single }):
		noOne = fault.Text{}
	case noOne.Empty() && !enough:
		noOne = fault.Textf("it needs %d different people, and fewer can approve it together", r.Required)
	}
	return all, noOne
}

// short says that there are too few people.
func (n Needed) short(active bool) fault.Text {
	can := len(n.Signed) + len(n.Able)
	switch {
	case n.Team != "" && !active:
		return fault.Textf("team %s has no active member", n.Team)
	case n.Team != "":
		return fault.Textf("%d of team %s must approve, and %d can", n.Count, n.Team, can)
	}
	return fault.Textf("%d of these must approve, and %d can: %s", n.Count, can, n.Who())
}

// Missing is for example "1 of security, 2 of finance"; empty where nobody is.
func Missing(all []Needed) fault.Text {
	var parts []fault.Text
	for _, n := range all {
		if n.Missing() > 0 {
			parts = append(parts, fault.Textf("%d of %s", n.Missing(), n.Who()))
		}
	}
	return fault.Join(parts, ", ")
}
