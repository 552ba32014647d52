package notices

import (
	"slices"
	"strings"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/fault"
)

// A reminder tells once, before a request ends, that silence denies it. It waits in the outbox
// until it is due: At is when.

// remindLater puts the reminder of a request into the outbox; later is false where it is
// due. Where the policy wants none, there is nothing to put.
func remindLater(w Writer, a approvals.Approval) (later bool, err error) {
	p, _, err := w.Policy()
	if err != nil {
		return false, err
	}
	at, ok := approvals.RemindAt(a, p)
	if !ok || !at.After(w.Now()) {
		return !ok, nil
	}
	n := New(Ending)
	n.Approval, n.At = a.ID, at
	return true, w.PostNotice(n)
}

// remind tells of a request that ends soon. One that got more time meanwhile is reminded of
// later, and one that is over not at all.
func (s *Service) remind(w Writer, id string) error {
	a, err := w.Approval(id)
	if err != nil || a.Status.Final() || !a.ExpiresAt.After(w.Now()) {
		return err
	}
	if later, err := remindLater(w, a); err != nil || later {
		return err
	}
	d, err := s.directory(w)
	if err != nil {
		return err
	}
	told, err := d.reminded(w, a)
	if err != nil || len(told) == 0 {
		return err
	}
	now := New(Ending) // a new one: the notices of a channel are sent and listed in the order of their ids
	now.Approval = a.ID
	if err := w.PostNotice(now); err != nil {
		return err
	}
	return w.RouteNotice(now, told)
}

// reminded are the channels of whoever was called so far, of the agent's contact, and of
// programs.
func (d Directory) reminded(r Reader, a approvals.Approval) ([]string, error) {
	asked, now := askedOf(a), r.Now()
	var all []Called
	switch c, err := r.NoticeCall(a.ID); {
	case fault.Is(err, fault.Missing):
		all = d.unruled(asked, now)
	case err != nil:
		return nil, err
	default:
		for _, step := range c.Steps[:c.Step+1] {
			all = append(all, d.step(step, asked, now)...)
		}
	}
	contact, err := d.contact(r, a)
	if err != nil {
		return nil, err
	}
	if contact != "" {
		all = append(all, d.person(To(ToPerson, contact), contact, fault.Text{}, asked, now)...)
	}
	told := append(ids(all), d.programs(Ending)...)
	slices.Sort(told)
	return slices.Compact(told), nil
}

// contact is the member whose address the agent's contact is; else the agent's owner. Nothing
// is sent to an address that no member has.
func (d Directory) contact(r Reader, a approvals.Approval) (string, error) {
	agents, err := r.Agents()
	if err != nil {
		return "", err
	}
	for _, one := range agents {
		if one.ID != a.Agent.ID || one.Contact == "" {
			continue
		}
		for id, p := range d.People {
			if strings.EqualFold(p.Email, strings.TrimPrefix(one.Contact, "mailto:")) {
				return id, nil
			}
		}
	}
	return a.Agent.Owner, nil
}

// left is a time in words, rounded down.
func left(d time.Duration) fault.Text {
	switch {
	case d >= 48*time.Hour:
		return fault.Textf("%d days", int(d/(24*time.Hour)))
	case d >= time.Hour:
		return fault.Textf("%d h", int(d/time.Hour))
	}
	return fault.Textf("%d min", int(max(d, 0)/time.Minute))
}
