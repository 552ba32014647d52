package authority

import "slices"

// Request is what people sign: one action of an agent.
type Request struct {
	Required int
	// Needs are who has to be among them; together they are no more than Required.
	Needs []Need
	// Own are the people whose agent asks: its owner, and whoever made a key with which
	// it could ask.
	Own []string
	// Signed are those who signed it, the first one first.
	Signed []string
}

// Signing is whether somebody may sign a request.
type Signing struct {
	May bool
	// Single says that nobody else could, in single-person mode: it is allowed, and marked.
	Single bool
	Why    Refusal
	// With is whom a Tied person may be.
	With Person
	// Others are those who could sign it in their place.
	Others []Person
}

// Refusal is why somebody may not sign.
type Refusal uint8

const (
	// NoOperator: they are no operator now.
	NoOperator Refusal = iota + 1
	// Signed: they signed it before.
	Signed
	// OwnAgent: it is their agent that asks.
	OwnAgent
	// TiedToSigner: they may be the same person as somebody who signed.
	TiedToSigner
	// TiedToOwner: they may be the same person as the owner, and somebody else is not.
	TiedToOwner
	// NotNeeded: they are none of those who are still missing.
	NotNeeded
)

// Sign says whether somebody may sign r now.
func (s State) Sign(r Request, who string) Signing {
	counted := s.Counted(r)
	var others, owners []Person
	for _, p := range s.People {
		if p.ID == who || !p.decides() || slices.Contains(r.Signed, p.ID) {
			continue
		}
		switch why, _ := s.refuses(r, counted, p.ID); why {
		case 0:
			others = append(others, p)
		case OwnAgent:
			owners = append(owners, p)
		}
	}
	v := Signing{Others: others}
	alone := s.Single && !slices.ContainsFunc(s.People, func(p Person) bool {
		return p.ID != who && p.decides() && !slices.Contains(r.Signed, p.ID) && !slices.Contains(r.Own, p.ID)
	})
	switch {
	case !s.Decides(who):
		v.Why = NoOperator
	case slices.Contains(r.Signed, who):
		if v.Single = alone && len(owners) == 0; !v.Single {
			v.Why = Signed
		}
		if s.Single && len(others) == 0 { // the owner is a second person, which is more than the first one twice
			v.Others = owners
		}
	default:
		if v.Why, v.With = s.refuses(r, counted, who); (v.Why == OwnAgent || v.Why == NotNeeded) && alone {
			v.Why, v.Single = 0, true
		}
	}
	v.May = v.Why == 0
	return v
}

// refuses is what stands between an operator and r, whatever they signed.
func (s State) refuses(r Request, counted []string, who string) (Refusal, Person) {
	if slices.Contains(r.Own, who) {
		return OwnAgent, Person{}
	}
	for _, id := range counted {
		if id != who && s.Related(id, who) {
			return TiedToSigner, s.Find(id)
		}
	}
	for _, id := range r.Own {
		if s.Related(id, who) && s.unrelated(r.Own) {
			return TiedToOwner, s.Find(id)
		}
	}
	if !r.fits(counted, who) {
		return NotNeeded, Person{}
	}
	return 0, Person{}
}

// unrelated reports whether there is an operator who cannot be one of these people, or
// was until lately.
func (s State) unrelated(own []string) bool {
	return slices.ContainsFunc(s.People, func(p Person) bool {
		return (p.Decides || p.Decided) && !slices.ContainsFunc(own, func(id string) bool { return s.wasRelated(id, p) })
	})
}

// Counted are those of the signatures of r that count now: of people who may decide it
// at this moment and are needed, no two of whom may be one person.
func (s State) Counted(r Request) (all []string) {
	for _, id := range r.Signed {
		if !s.Decides(id) || slices.Contains(all, id) {
			continue
		}
		why, _ := s.refuses(r, all, id)
		if why == 0 || why == OwnAgent && s.Single && r.fits(all, id) {
			all = append(all, id)
		}
	}
	return all
}

// Discounts is why the signature of this person under r doesn't count now, and who with; 0
// where it counts.
func (s State) Discounts(r Request, id string) (Refusal, Person) {
	counted := s.Counted(r)
	switch {
	case slices.Contains(counted, id):
		return 0, Person{}
	case !s.Decides(id):
		return NoOperator, s.Find(id)
	}
	return s.refuses(r, counted, id)
}

// Complete reports whether r has every signature that it needs, with the last one of
// somebody who may sign as v says.
func (s State) Complete(r Request, v Signing) bool {
	return v.May && (v.Single || len(s.Counted(r)) >= r.Required)
}
