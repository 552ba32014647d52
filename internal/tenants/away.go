package tenants

import (
	"context"
	"slices"
	"time"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
)

// Who is away, and who decides in their place. A deputy is called, and gets no right by it: whether
// they may decide a request stays the business of package authority.

// Absence is a member who is away, or will be.
type Absence struct {
	Person, Deputy Named
	Decides        bool   // the person is an operator
	By             string // who set it, by id
	From           time.Time
	Until          time.Time  // zero: until they are back
	Gone           fault.Text // why the deputy stands in for nobody; empty while they do
}

// longestAway bounds an absence that has an end.
const longestAway = 366 * 24 * time.Hour

// On reports whether they are away at a time.
func (a Absence) On(at time.Time) bool {
	return !at.Before(a.From) && (a.Until.IsZero() || at.Before(a.Until))
}

// meets reports whether two are at the same time for a while.
func (a Absence) meets(b Absence) bool { return a.On(b.From) || b.On(a.From) }

// AwayNow are those who are away at a time, with whose deputies can't stand in since they are away
// themselves: nobody stands in for a deputy.
func AwayNow(all []Absence, at time.Time) []Absence {
	now := slices.DeleteFunc(slices.Clone(all), func(a Absence) bool { return !a.On(at) })
	for i, a := range now {
		if _, away := AbsenceOf(now, a.Deputy.ID); away && a.Gone.Empty() {
			now[i].Gone = fault.Textf("%s is away, too", a.Deputy.Name)
		}
	}
	return now
}

// AbsenceOf is that of a person.
func AbsenceOf(all []Absence, person string) (Absence, bool) {
	i := slices.IndexFunc(all, func(a Absence) bool { return a.Person.ID == person })
	if i < 0 {
		return Absence{}, false
	}
	return all[i], true
}

// Absences lists who is away and who will be.
func (s *Service) Absences(ctx context.Context, m auth.Member) (all []Absence, now time.Time, err error) {
	if err := allow(m, auth.ReadQueue); err != nil {
		return nil, now, err
	}
	err = s.store.Read(ctx, m.Tenant, func(r Reader) (err error) {
		all, err = r.Absences()
		now = r.Now()
		return err
	})
	return all, now, err
}

// Deputies are the operators who could stand in for a member.
func (s *Service) Deputies(ctx context.Context, m auth.Member, of string) (all []Named, err error) {
	if err := allow(m, auth.ReadQueue); err != nil {
		return nil, err
	}
	err = s.store.Read(ctx, m.Tenant, func(r Reader) error {
		members, err := r.Members()
		all = nil
		for _, one := range members {
			if one.Person.ID != of && (auth.Member{Roles: one.Roles}).May(auth.Decide) {
				all = append(all, Named{one.Person.ID, one.Person.Name})
			}
		}
		return err
	})
	return all, err
}

// SetAway says of a member from when until when they are away and who stands in: of oneself, or as
// an admin. It takes the place of what was said before.
func (s *Service) SetAway(ctx context.Context, m auth.Member, a Absence) error {
	return s.writeFor(ctx, m, awayPermission(m, a.Person.ID), func(w Writer, m auth.Member) error {
		a.By = m.Person.ID
		if now := w.Now(); a.From.Before(now) {
			a.From = now
		}
		if !a.Until.IsZero() && (!a.Until.After(a.From) || a.Until.Sub(a.From) > longestAway) {
			return fault.Member(fault.InvalidForm, "until", "choose a day after the first one and within a year, or leave it empty")
		}
		if _, err := w.Membership(a.Person.ID); err != nil {
			return err
		}
		deputy, err := w.Membership(a.Deputy.ID)
		if err != nil && !fault.Is(err, fault.Missing) {
			return err
		}
		if err != nil || a.Deputy.ID == a.Person.ID || !(auth.Member{Roles: deputy.Roles}).May(auth.Decide) {
			return fault.Member(fault.InvalidForm, "deputy", "choose another operator who isn't suspended")
		}
		all, err := w.Absences()
		if err != nil {
			return err
		}
		if other, away := AbsenceOf(all, a.Deputy.ID); away && other.meets(a) {
			return fault.Member(fault.InvalidForm, "deputy", "%s is away in that time, too; choose someone else", other.Person.Name)
		}
		if err := w.KeepAbsence(a); err != nil {
			return err
		}
		until := canon.Value{}
		if !a.Until.IsZero() {
			until = canon.String(audit.FormatTime(a.Until))
		}
		return w.Append(aboutPerson(m.Tenant, audit.AwaySet, personActor(m), a.Person.ID, member("deputy", canon.String(a.Deputy.ID)), member("from", canon.String(audit.FormatTime(a.From))), member("until", until)))
	})
}

// EndAway says that a member is back.
func (s *Service) EndAway(ctx context.Context, m auth.Member, person string) error {
	return s.writeFor(ctx, m, awayPermission(m, person), func(w Writer, m auth.Member) error {
		all, err := w.Absences()
		if err != nil {
			return err
		}
		if _, away := AbsenceOf(all, person); !away {
			return fault.New(fault.Changed, "that absence has already ended")
		}
		if err := w.EndAbsence(person); err != nil {
			return err
		}
		return w.Append(aboutPerson(m.Tenant, audit.AwayEnded, personActor(m), person))
	})
}

func awayPermission(m auth.Member, person string) auth.Permission {
	if person == m.Person.ID {
		return auth.ReadQueue
	}
	return auth.ManagePeople
}
