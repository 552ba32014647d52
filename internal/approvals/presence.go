package approvals

import (
	"context"
	"slices"
	"time"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/tenants"
)

// Who looks at a request, and who is on it. Both are courtesy among colleagues:
// neither ever keeps anybody from deciding.

const (
	// LookFor is how long a look counts: a page without script is loaded once, one
	// with script renews its look while it is open.
	LookFor = 45 * time.Second
	// LookAgain is how old a look must be to be written again.
	LookAgain = 15 * time.Second
	// LookGrace is what is left of a look when its page closes: enough for the next
	// page of the same request to take over, as after a reload.
	LookGrace = 5 * time.Second
	// ClaimFor is how long a claim holds.
	ClaimFor = 10 * time.Minute
)

// Look is a person who has the page of a pending approval open.
type Look struct {
	Approval, Person, Name string
	Since, Seen            time.Time // when this look began, and when it was renewed
}

// Claim says that a person is on an approval, until it is decided, released or
// taken over, or the time is over.
//
// An assignment is a claim that somebody made for another person (see Assign).
type Claim struct {
	Approval, Person, Name string
	By, ByName             string // who assigned it; empty where Person took it
	At, Until              time.Time
}

// Snooze is that a person put a pending approval aside in their own queue: for nobody else, and
// nothing of the approval changes. It holds until its time, or until something happens: a question
// or an answer, an edit, an approval by one of several, a newer request, or that it is assigned to
// them.
type Snooze struct {
	Approval, Person string
	Until            time.Time
}

const (
	// maxSnoozes is how many approvals a person can put aside at once.
	maxSnoozes = 100
	// criticalSnooze is the longest for CRITICAL: long enough to ask somebody, too short to forget it.
	criticalSnooze = 15 * time.Minute
	// snoozeBack is how long before its end an approval is back at the latest, and minSnooze the
	// least that is offered.
	snoozeBack = 10 * time.Minute
	minSnooze  = time.Minute
)

// lastSnooze is until when a can be put aside: until its reminder, and always until some time before
// its end. ok is false where that is too soon.
func lastSnooze(a Approval, p scoring.Policy, now time.Time) (last time.Time, ok bool) {
	last = a.ExpiresAt.Add(-min(a.ExpiresAt.Sub(now)/4, snoozeBack))
	if at, reminded := RemindAt(a, p); reminded && at.After(now) && at.Before(last) {
		last = at
	}
	if a.Assessment.Level == level.Critical && last.Sub(now) > criticalSnooze {
		last = now.Add(criticalSnooze)
	}
	return last, a.open(now) == nil && last.Sub(now) >= minSnooze
}

// Snooze puts an approval aside for this person, with the identical ones of its row: until then, or
// until the last time that it can be, where that is earlier.
func (s *Service) Snooze(ctx context.Context, m auth.Member, id string, until time.Time) error {
	return s.aside(ctx, m, id, func(w Writer, ids []string) error {
		p, _, err := w.Policy()
		if err != nil {
			return err
		}
		held, err := w.Snoozes()
		if err != nil {
			return err
		}
		held = slices.DeleteFunc(held, func(z Snooze) bool { return z.Person != m.Person.ID || slices.Contains(ids, z.Approval) })
		if len(held)+len(ids) > maxSnoozes {
			return fault.New(fault.Changed, "you have snoozed %d requests, which is the limit; wake some of them first", len(held))
		}
		for _, one := range ids {
			a, err := w.Approval(one)
			if err != nil {
				return err
			}
			last, ok := lastSnooze(a, p, w.Now())
			switch {
			case !ok && one != id:
				continue
			case !ok:
				return fault.New(fault.Changed, "this request ends too soon to be snoozed, or has ended")
			case until.Before(last):
				last = until
			}
			if last.Sub(w.Now()) < minSnooze {
				return fault.Member(fault.InvalidForm, "for", "choose a time that's at least a minute away")
			}
			if err := w.Snooze(Snooze{Approval: one, Person: m.Person.ID, Until: last}); err != nil {
				return err
			}
		}
		return nil
	})
}

// Wake brings it back, with the identical ones.
func (s *Service) Wake(ctx context.Context, m auth.Member, id string) error {
	return s.aside(ctx, m, id, func(w Writer, ids []string) error { return w.Wake(m.Person.ID, ids) })
}

// aside does something for a person to what is one row in their queue, and tells their pages.
func (s *Service) aside(ctx context.Context, m auth.Member, id string, fn func(w Writer, ids []string) error) error {
	var ids []string
	err := s.writeFor(ctx, m, auth.ReadQueue, func(w Writer) error {
		a, err := w.Approval(id)
		if err != nil {
			return err
		}
		if ids, err = identical(w, a); err != nil {
			return err
		}
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
		return fn(w, ids)
	})
	if err == nil {
		for _, one := range ids {
			s.live.Publish(m.Tenant, one)
		}
	}
	return err
}

// Attention is who looks at which pending approval, who is on it, and which agents wait.
type Attention struct {
	Now    time.Time
	Looks  map[string][]Look // by approval; who came first is first
	Claims map[string]Claim  // by approval
	// Snoozes are until when people put approvals aside, by approval and person. Each of them is
	// told of their own.
	Snoozes map[string]map[string]time.Time
	// Unreached are the approvals to which nobody was called (package notices).
	Unreached map[string]bool
	// Waits is until when the agent of an approval waits, or waited, for an answer.
	Waits map[string]time.Time
	// Away are those who are away now.
	Away []tenants.Absence
	// MayClaim: this person may claim the approval that was asked about.
	MayClaim bool
}

// Attention reads all of the tenant. about is the approval that MayClaim is told
// of; it may be empty.
func (s *Service) Attention(ctx context.Context, m auth.Member, about string) (at Attention, err error) {
	if err := may(m, auth.ReadQueue); err != nil {
		return at, err
	}
	err = s.store.Read(ctx, m.Tenant, func(r Reader) (err error) {
		at, err = attention(r, m, about)
		return err
	})
	return at, err
}

func attention(r Reader, m auth.Member, about string) (at Attention, err error) {
	looks, err := r.Looks()
	if err != nil {
		return at, err
	}
	claims, err := r.Claims()
	if err != nil {
		return at, err
	}
	unreached, err := r.Unreached()
	if err != nil {
		return at, err
	}
	at = Attention{Now: r.Now(), Looks: map[string][]Look{}, Claims: make(map[string]Claim, len(claims)), Unreached: make(map[string]bool, len(unreached))}
	for _, id := range unreached {
		at.Unreached[id] = true
	}
	for _, l := range looks {
		at.Looks[l.Approval] = append(at.Looks[l.Approval], l)
	}
	for _, c := range claims {
		at.Claims[c.Approval] = c
	}
	snoozes, err := r.Snoozes()
	if err != nil {
		return at, err
	}
	at.Snoozes = map[string]map[string]time.Time{}
	for _, z := range snoozes {
		if at.Snoozes[z.Approval] == nil {
			at.Snoozes[z.Approval] = map[string]time.Time{}
		}
		at.Snoozes[z.Approval][z.Person] = z.Until
	}
	if at.Waits, err = r.Waits(nil); err != nil {
		return at, err
	}
	if at.Away, err = r.Absences(); err != nil {
		return at, err
	}
	at.Away = tenants.AwayNow(at.Away, at.Now)
	at.MayClaim, err = mayClaim(r, m, about)
	return at, err
}

// SnoozedBy are the approvals that a person put aside, in the order in which they came.
func (at Attention) SnoozedBy(person string) (ids []string) {
	for id, by := range at.Snoozes {
		if !by[person].IsZero() {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

func mayClaim(r Reader, m auth.Member, id string) (bool, error) {
	if id == "" || !m.May(auth.Decide) {
		return false, nil
	}
	a, err := r.Approval(id)
	if fault.Is(err, fault.Missing) || err == nil && a.open(r.Now()) != nil {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	who, err := a.eligibleNow(r, m)
	return err == nil && who.mayClaim(), err
}

// mayClaim: a claim tells the others, so it is for those who are not alone.
func (e eligibility) mayClaim() bool { return e.may && len(e.others) > 0 }

// Look notes that this person has the page of an approval open. It writes at most
// once in LookAgain, and nothing for one that does not wait.
func (s *Service) Look(ctx context.Context, m auth.Member, id string) error {
	if err := may(m, auth.ReadQueue); err != nil {
		return err
	}
	var due bool
	err := s.store.Read(ctx, m.Tenant, func(r Reader) (err error) {
		a, err := r.Approval(id)
		if err == nil {
			due, err = lookDue(r, m, a)
		}
		return err
	})
	if err != nil || !due {
		return err
	}
	return s.writeFor(ctx, m, auth.ReadQueue, func(w Writer) error { return w.Look(id, m.Person.ID) })
}

func lookDue(r Reader, m auth.Member, a Approval) (bool, error) {
	if a.Status.Final() {
		return false, nil
	}
	seen, ok, err := r.LookedAt(a.ID, m.Person.ID)
	return err == nil && (!ok || r.Now().Sub(seen) >= LookAgain), err
}

// LookAway ends a look in LookGrace, unless it is renewed before.
func (s *Service) LookAway(ctx context.Context, m auth.Member, id string) error {
	return s.store.Aside(ctx, m.Tenant, func(w Writer) error { return w.LookAway(id, m.Person.ID) })
}

// Claim says that this operator is on an approval, for ClaimFor. from is the person
// who was on it, as this operator saw; empty for nobody. Where that is no longer so
// it is fault.Changed.
func (s *Service) Claim(ctx context.Context, m auth.Member, id, from string) error {
	var written bool
	err := s.store.Write(ctx, m.Tenant, func(w Writer) error {
		written = false
		a, _, err := s.operating(w, m, id)
		if err != nil {
			return err
		}
		held, err := holder(w, id)
		switch {
		case err != nil:
			return err
		case held.Person == m.Person.ID && held.By == "" && held.Until.Sub(w.Now()) > ClaimFor/2:
			return nil
		case held.Person == m.Person.ID:
			from = held.Person
		case held.Person != from:
			return s.heldByAnother(held)
		}
		until := w.Now().Add(ClaimFor)
		if err := w.Claim(Claim{Approval: id, Person: m.Person.ID, At: w.Now(), Until: until}, from); err != nil {
			return err
		}
		written = true
		return w.Append(a.event(audit.Claimed, personActor(m), member("until", canon.String(audit.FormatTime(until))), member("from", text(from))))
	})
	if written && err == nil {
		s.live.Publish(m.Tenant, id)
	}
	return err
}

// Release ends the claim of this operator; where there is none, nothing happens.
func (s *Service) Release(ctx context.Context, m auth.Member, id string) error {
	var released bool
	err := s.writeFor(ctx, m, auth.Decide, func(w Writer) error {
		a, err := w.Approval(id)
		if err != nil {
			return err
		}
		if released, err = w.Release(id, m.Person.ID); err != nil || !released {
			return err
		}
		return w.Append(a.event(audit.Released, personActor(m)))
	})
	if released && err == nil {
		s.live.Publish(m.Tenant, id)
	}
	return err
}

// holder is who is on a pending approval; the zero Claim for nobody.
func holder(r Reader, id string) (Claim, error) {
	all, err := r.Claims()
	for _, c := range all {
		if c.Approval == id {
			return c, err
		}
	}
	return Claim{}, err
}
