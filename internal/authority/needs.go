package authority

import "slices"

// Need is so many of these people among those who sign.
type Need struct {
	Any   []string
	Count int
}

// Place is what of a need is met, by the signatures that count.
type Place struct {
	Need
	Signed []string // each here and nowhere else
	Able   []Person // who could sign for it now
}

// Missing is how many are.
func (p Place) Missing() int { return p.Count - len(p.Signed) }

// open is for how many signatures it does not matter whose they are.
func (r Request) open() int {
	n := r.Required
	for _, need := range r.Needs {
		n -= need.Count
	}
	return max(n, 0)
}

// placed gives as many people as it can a need each: a person counts for one, and who signed
// first for another one where that makes room. The order in which they sign says nothing.
func (r Request) placed(people []string) [][]string {
	places := make([][]string, len(r.Needs))
	var place func(id string, tried []bool) bool
	place = func(id string, tried []bool) bool {
		for i, n := range r.Needs {
			if tried[i] || !slices.Contains(n.Any, id) {
				continue
			}
			tried[i] = true
			if len(places[i]) < n.Count {
				places[i] = append(places[i], id)
				return true
			}
			for at, other := range places[i] {
				if place(other, tried) {
					places[i][at] = id
					return true
				}
			}
		}
		return false
	}
	for _, id := range people {
		place(id, make([]bool, len(r.Needs)))
	}
	return places
}

// fits reports whether somebody can count beside those who do: for a need that is not met yet, or
// where it does not matter who.
func (r Request) fits(counted []string, who string) bool {
	if len(r.Needs) == 0 {
		return true
	}
	all := append(slices.Clone(counted), who)
	met := 0
	for _, place := range r.placed(all) {
		met += len(place)
	}
	return len(all)-met <= r.open()
}

// Places are the needs of r, in their order, and last the signatures of whomever, where there are any.
// enough says that there are people who could sign all of it together.
func (s State) Places(r Request) (all []Place, enough bool) {
	counted := s.Counted(r)
	able := func(any []string) (people []Person) {
		for _, p := range s.People {
			if !p.decides() || slices.Contains(r.Signed, p.ID) || any != nil && !slices.Contains(any, p.ID) {
				continue
			}
			if why, _ := s.refuses(r, counted, p.ID); why == 0 {
				people = append(people, p)
			}
		}
		return people
	}
	left := slices.Clone(counted)
	for i, signed := range r.placed(counted) {
		all = append(all, Place{Need: r.Needs[i], Signed: signed, Able: able(r.Needs[i].Any)})
		left = slices.DeleteFunc(left, func(id string) bool { return slices.Contains(signed, id) })
	}
	if n := r.open(); n > 0 {
		all = append(all, Place{Need: Need{Count: n}, Signed: left, Able: able(nil)})
	}
	for _, p := range able(nil) {
		if r.fits(counted, p.ID) && !slices.ContainsFunc(counted, func(id string) bool { return s.Related(id, p.ID) }) {
			counted = append(counted, p.ID)
		}
	}
	return all, len(counted) >= r.Required
}
