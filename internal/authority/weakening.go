package authority

import (
	"slices"
	"time"
)

// Way is how something may be done.
type Way uint8

const (
	// AtOnce needs nobody else: it weakens nothing.
	AtOnce Way = iota
	// Alone needs nobody else although it weakens: in single-person mode, and marked so.
	Alone
	// Another waits until another admin accepts it, or the waiting time has passed.
	Another
)

// Roles says how somebody's rights may be changed: making an operator or an admin
// weakens, and so does taking away a signer whom an open request needs. The same holds
// for inviting (before is the zero Person), for giving a suspended person their rights
// back (before is suspended), and for removing (after is the zero Person).
func (s State) Roles(before, after Person, open []Request) Way {
	gains := after.decides() && !before.decides() || after.manages() && !before.manages()
	if gains || s.reduces(before, after, open) {
		return s.weakening()
	}
	return AtOnce
}

// PasswordLink says how a password link for a person may be made.
func (s State) PasswordLink(by, person string) Way {
	if by == person {
		return AtOnce
	}
	return s.weakening()
}

// Policy says how somebody may change the policy, or what an agent is bound to: what
// weakens nothing at once. Where anybody else could look, single-person mode is not
// enough.
func (s State) Policy(by string, weakens bool) Way {
	if !weakens {
		return AtOnce
	}
	if slices.ContainsFunc(s.People, func(p Person) bool { return p.Manages && p.ID != by }) {
		return Another
	}
	return s.weakening()
}

func (s State) weakening() Way {
	if s.Single {
		return Alone
	}
	return Another
}

// reduces reports whether an open request has too few signers without somebody who could
// sign it. A suspended person counts as one who could: who is suspended first and loses
// their rights then has lost them all the same.
func (s State) reduces(before, after Person, open []Request) bool {
	if !before.Decides || after.Decides {
		return false
	}
	return slices.ContainsFunc(open, func(r Request) bool {
		return !slices.Contains(r.Own, before.ID) && len(s.signers(r, before.ID)) < r.Required
	})
}

// signers are people without one of them who could sign r together.
func (s State) signers(r Request, without string) (all []string) {
	for _, p := range s.People {
		if p.ID != without && p.decides() && !slices.Contains(r.Own, p.ID) && r.fits(all, p.ID) && !slices.ContainsFunc(all, func(id string) bool { return s.Related(id, p.ID) }) {
			all = append(all, p.ID)
		}
	}
	return all
}

// judges are those whose look begins the waiting time of what author proposed: admins
// who cannot be the same person; where there is none, operators who cannot be. Where
// everybody is tied to the author, it is the other admins, and where there are none the
// operators: until then the waiting time is their way. Who lost their rights lately, or
// is suspended, still keeps others from taking their place.
func (s State) judges(author string) []Person {
	admin := func(p Person) bool { return p.Manages || p.Managed }
	operator := func(p Person) bool { return p.Decides || p.Decided }
	free := func(p Person) bool { return !s.wasRelated(author, p) }
	for _, of := range []struct {
		pool []Person
		now  func(Person) bool
	}{
		{s.others(author, func(p Person) bool { return admin(p) && free(p) }), Person.manages},
		{s.others(author, func(p Person) bool { return operator(p) && free(p) }), Person.decides},
		{s.others(author, admin), Person.manages},
		{s.others(author, operator), Person.decides},
	} {
		if len(of.pool) > 0 {
			return slices.DeleteFunc(of.pool, func(p Person) bool { return !of.now(p) || s.Related(author, p.ID) && free(p) })
		}
	}
	return nil
}

func (s State) others(author string, is func(Person) bool) (all []Person) {
	for _, p := range s.People {
		if p.ID != author && is(p) {
			all = append(all, p)
		}
	}
	return all
}

// Judges are the people one of whom has to see what author proposed.
func (s State) Judges(author string) []Person { return s.judges(author) }

// MayObject reports whether somebody can end what author proposed: every other admin,
// and whoever's look counts.
func (s State) MayObject(author, who string) bool {
	return who != author && (s.Manages(who) || slices.ContainsFunc(s.judges(author), func(p Person) bool { return p.ID == who }))
}

// Accepting is whether somebody may accept a weakening.
type Accepting uint8

const (
	// Accepts: they may.
	Accepts Accepting = iota
	// NoAdmin: they are no admin.
	NoAdmin
	// Own: it is their own.
	Own
	// Tied: they may be the same person as its author.
	Tied
)

// MayAccept says whether somebody may accept what author proposed.
func (s State) MayAccept(author, who string) Accepting {
	switch {
	case !s.Manages(who):
		return NoAdmin
	case author == who:
		return Own
	case s.Related(author, who):
		return Tied
	}
	return Accepts
}

// Acceptors are those who may accept what author proposed.
func (s State) Acceptors(author string) []Person {
	return s.others(author, func(p Person) bool { return s.MayAccept(author, p.ID) == Accepts })
}

// Waiting is where the waiting time of a weakening is.
type Waiting struct {
	Begun  time.Time // zero: nobody whose look counts has opened it
	SeenBy Person    // whose look it was
	Ends   time.Time
	Over   bool
}

// Waits says where the waiting time of what author proposed is. Only the look of
// somebody counts who could still object, and it counts only while the author could ask
// for it: who was stopped does not get what they asked for before, and who is back waits
// anew.
func (s State) Waits(author string, opened []Opening) (w Waiting) {
	asks := s.Find(author)
	if !asks.decides() && !asks.manages() {
		return w
	}
	judges := s.judges(author)
	for _, o := range opened {
		i := slices.IndexFunc(judges, func(p Person) bool { return p.ID == o.Person })
		if i < 0 {
			continue
		}
		at := o.At
		for _, since := range []time.Time{judges[i].Since, asks.Since} {
			if since.After(at) {
				at = since
			}
		}
		if w.Begun.IsZero() || at.Before(w.Begun) {
			w = Waiting{Begun: at, SeenBy: judges[i], Ends: at.Add(s.Wait), Over: !s.Now.Before(at.Add(s.Wait))}
		}
	}
	return w
}
