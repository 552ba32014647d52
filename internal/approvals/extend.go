package approvals

import (
	"context"
	"time"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/worktime"
	"github.com/countersign/countersign/internal/tenants"
)

// More time for one request, once, with a reason that its agent is told. It is no step towards
// an approval: what nobody decides by then is denied all the same.

// Extension is that a person gave a request more time.
type Extension struct {
	Was, Until   time.Time // when it would have expired, and when it does
	Reason       string
	Person, Name string // who; the name as it was then
	At           time.Time
}

// ExtendInput is the form.
type ExtendInput struct {
	Seconds int    // how much later it expires: minExtension to what MostExtension says
	Reason  string // 1–2,000 characters
}

// minExtension is the least that is worth a click, in seconds.
const minExtension = 60

func (in ExtendInput) check(most time.Duration) error {
	if in.Seconds < min(minExtension, int(most/time.Second)) || time.Duration(in.Seconds)*time.Second > most {
		return fault.Member(fault.InvalidForm, "seconds", "extend by %d to %d seconds", min(minExtension, int(most/time.Second)), int(most/time.Second))
	}
	if !saysSomething(in.Reason) {
		return fault.Member(fault.InvalidForm, "reason", "enter a reason of 1 to %d characters; the agent receives it", maxReason)
	}
	return nil
}

// extend is more time, which nobody gets twice, and nobody when the time is over.
func (a Approval) extend(hours worktime.Settings, by time.Duration, reason string, who Decider, now time.Time) (Approval, error) {
	if err := a.open(now); err != nil {
		return a, err
	}
	if e := a.Extension; e != nil {
		return a, fault.New(fault.Changed, "%s already extended this until %s; a request can be extended once", e.Name, e.Until.Format(time.RFC3339))
	}
	was := a.ExpiresAt
	a.ExpiresAt = hours.End(was, by)
	a.Extension = &Extension{Was: was, Until: a.ExpiresAt, Reason: reason, Person: who.ID, Name: who.Name, At: now}
	return a, nil
}

// Extend gives a request more time. Who may refuse it may do so: they know why it waits.
func (s *Service) Extend(ctx context.Context, m auth.Member, id string, in ExtendInput) error {
	err := s.store.Write(ctx, m.Tenant, func(w Writer) error {
		a, _, err := refusable(w, m, id)
		if err != nil {
			return err
		}
		most, err := s.mostExtension(w, a)
		if err != nil {
			return err
		}
		if err := in.check(most); err != nil {
			return err
		}
		policy, _, err := w.Policy()
		if err != nil {
			return err
		}
		if a, err = a.extend(policy.WorkingHours, time.Duration(in.Seconds)*time.Second, reasonOf(in.Reason), decider(m), w.Now()); err != nil {
			return err
		}
		if err := w.Extend(a.ID, *a.Extension); err != nil {
			return err
		}
		return w.Append(a.event(audit.Extended, personActor(m),
			member("was", canon.String(audit.FormatTime(a.Extension.Was))),
			member("expires_at", canon.String(audit.FormatTime(a.ExpiresAt))),
			member("reason", canon.String(a.Extension.Reason))))
	})
	if err == nil {
		s.live.Publish(m.Tenant, id)
	}
	return err
}

// timed tells whether some of its time did not count, by the policy that it was submitted under.
func (a Approval) timed(r Reader) (Approval, error) {
	if a.Status.Final() {
		return a, nil
	}
	p, version, err := r.Policy()
	if err == nil && version != a.PolicyVersion {
		var then tenants.PolicyVersion
		then, err = r.PolicyVersion(a.PolicyVersion)
		p = then.Policy
	}
	a.HoursOnly = err == nil && p.WorkingHours.Between(a.CreatedAt, a.ExpiresAt) < a.ExpiresAt.Sub(a.CreatedAt)
	return a, err
}

// remindFrom is the shortest life of a request that is reminded of: people who are called to a
// shorter one have just been called.
const remindFrom = time.Hour

// RemindAt is when a request is reminded of, by the clock that its life has; ok is false where it
// is not.
func RemindAt(a Approval, p scoring.Policy) (at time.Time, ok bool) {
	whole, hours := a.ExpiresAt.Sub(a.CreatedAt), p.WorkingHours
	life := hours.Between(a.CreatedAt, a.ExpiresAt)
	if life == 0 { // it was submitted when other hours counted
		life, hours = whole, worktime.Settings{}
	}
	at = hours.End(a.CreatedAt, life/100*time.Duration(p.RemindAtPercent))
	return at, p.RemindAtPercent > 0 && whole >= remindFrom
}

// mostExtension is the policy's own time for such a request.
func (s *Service) mostExtension(r Reader, a Approval) (time.Duration, error) {
	policy, version, err := r.Policy()
	if err != nil {
		return 0, err
	}
	c, err := s.policies.compiled(a.Tenant, version, policy)
	if err != nil {
		return 0, err
	}
	return time.Duration(c.Expiry(a.Function, a.Assessment.Level)) * time.Second, nil
}

// offerExtension says how much more time this person may give; 0: none.
func (s *Service) offerExtension(r Reader, a Approval, who eligibility) (time.Duration, error) {
	if a.Extension != nil || !who.mayRefuse {
		return 0, nil
	}
	return s.mostExtension(r, a)
}
