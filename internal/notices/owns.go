package notices

import (
	"context"
	"slices"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/tenants"
)

// What people set about being called themselves. Each of them does it for one organisation.

const (
	// ownKind is the kind of channel that a person can have: to the address of their account,
	// and no other.
	ownKind  = "email"
	ownField = "to"
)

// OwnNotices is what a person's own page shows.
type OwnNotices struct {
	Own      Own
	Channels []Listed
	Devices  []Listed // browsers with push notifications
	PushKey  string   // with which browsers subscribe; "" where this server sends none
	// CanAdd says that a channel to their address can be added.
	CanAdd bool
	OnCall []OnCall
	Agents []tenants.Agent
}

// OnCall is a team in which somebody is on call now.
type OnCall struct {
	Team string
	Turn Turn
}

// OwnNotices reads what this person set.
func (s *Service) OwnNotices(ctx context.Context, m auth.Member) (o OwnNotices, err error) {
	if err := may(m, auth.ReadQueue); err != nil {
		return o, err
	}
	err = s.store.Read(ctx, m.Tenant, func(r Reader) error {
		o = OwnNotices{}
		if o.Agents, err = r.Agents(); err != nil {
			return err
		}
		if o.Own, err = r.NoticeOwn(m.Person.ID); err != nil {
			return err
		}
		all, err := r.NoticeChannels()
		if err != nil {
			return err
		}
		sender, ok := s.senders[ownKind]
		o.CanAdd = ok && sender.Check(ownSettings(m)) == nil
		if p, ok := s.push(); ok {
			o.PushKey = p.Key.Public()
		}
		for _, c := range all {
			if c.Person != m.Person.ID {
				continue
			}
			l, err := s.listed(r, m.Tenant, c)
			if err != nil {
				return err
			}
			if c.Kind == pushKind {
				o.Devices = append(o.Devices, l)
				continue
			}
			o.Channels = append(o.Channels, l)
			o.CanAdd = o.CanAdd && c.Kind != ownKind
		}
		p, err := r.NoticePlan()
		for _, t := range p.Teams {
			if turn, ok := t.OnCall(r.Now()); ok && turn.Person == m.Person.ID {
				o.OnCall = append(o.OnCall, OnCall{t.Name, turn})
			}
		}
		return err
	})
	return o, err
}

// SetOwn writes when this person is called. Version is that of what they saw.
func (s *Service) SetOwn(ctx context.Context, m auth.Member, o Own) error {
	o.Person = m.Person.ID
	for _, l := range o.Levels {
		if !slices.Contains(Levels(), l) {
			return fault.Member(fault.InvalidForm, "levels", "%.20q isn't a level; choose from the list", l)
		}
	}
	if len(o.Agents) > maxMatched {
		return fault.Member(fault.InvalidForm, "agents", "%d is too many; the limit is %d", len(o.Agents), maxMatched)
	}
	if err := o.Quiet.Check("quiet_"); err != nil {
		return err
	}
	return s.owning(ctx, m, func(w Writer) error {
		was, err := w.NoticeOwn(m.Person.ID)
		if err != nil {
			return err
		}
		if was.Version != o.Version {
			return fault.New(fault.Changed, "you changed this somewhere else in the meantime; check it, then make your change again")
		}
		if err := w.KeepNoticeOwn(o, was.Version); err != nil {
			return err
		}
		return w.Append(audit.Event{Kind: audit.OwnNoticesChanged, Actor: actor(m), Data: canon.Object(
			canon.Member{Name: "before", Value: data(was)}, canon.Member{Name: "after", Value: data(o)},
		)})
	})
}

// owning runs fn for somebody who is a member still.
func (s *Service) owning(ctx context.Context, m auth.Member, fn func(w Writer) error) error {
	if err := may(m, auth.ReadQueue); err != nil {
		return err
	}
	return s.store.Write(ctx, m.Tenant, func(w Writer) error {
		now, err := w.Membership(m.Person.ID)
		if err != nil && !fault.Is(err, fault.Missing) {
			return err
		}
		if err := may(auth.Member{Tenant: m.Tenant, Person: m.Person, Roles: now.Roles}, auth.ReadQueue); err != nil {
			return err
		}
		return fn(w)
	})
}

// AddOwn adds a channel to the address of this person's account.
func (s *Service) AddOwn(ctx context.Context, m auth.Member) error {
	sender, ok := s.senders[ownKind]
	if !ok {
		return fault.New(fault.InvalidForm, "this server can't send email; whoever runs it can set that up")
	}
	c := Channel{
		ID: auth.NewID("chn"), Kind: ownKind, Name: sender.About().Label.String(), Person: m.Person.ID, Tells: []Kind{Held, Escalated, Ending}, State: Active,
		Settings: ownSettings(m),
	}
	if err := sender.Check(c.Settings); err != nil {
		return err
	}
	return s.owning(ctx, m, func(w Writer) error {
		all, err := w.NoticeChannels()
		if err != nil {
			return err
		}
		if slices.ContainsFunc(all, func(o SealedChannel) bool { return o.Person == c.Person && o.Kind == c.Kind }) {
			return fault.New(fault.Changed, "you already have this channel")
		}
		return s.keep(w, m.Tenant, c, 0, c.event(audit.ChannelAdded, actor(m)))
	})
}

// ownSettings are those of a channel to the address of somebody's account.
func ownSettings(m auth.Member) Settings {
	return Settings{Fields: map[string]string{ownField: m.Person.Email}, Secrets: map[string]string{}}
}

// changeOwn writes what fn makes of a channel of this person.
func (s *Service) changeOwn(ctx context.Context, m auth.Member, id string, fn func(c *Channel) audit.Kind) error {
	return s.owning(ctx, m, func(w Writer) error {
		c, err := ofPerson(w, m, id)
		if err != nil {
			return err
		}
		k := fn(&c.Channel)
		if c.Settings.Secrets, err = s.sealer.open(m.Tenant, id, c.Sealed); err != nil {
			return err
		}
		return s.keep(w, m.Tenant, c.Channel, c.Version, c.event(k, actor(m)))
	})
}

func ofPerson(r Reader, m auth.Member, id string) (SealedChannel, error) {
	c, err := r.NoticeChannel(id)
	if err == nil && c.Person != m.Person.ID {
		err = fault.New(fault.Missing, "no such channel")
	}
	return c, err
}

// PauseOwn stops telling a channel of this person, ResumeOwn begins again.
func (s *Service) PauseOwn(ctx context.Context, m auth.Member, id string) error {
	return s.changeOwn(ctx, m, id, func(c *Channel) audit.Kind { c.State = Paused; return audit.ChannelPaused })
}

// ResumeOwn tells a channel again.
func (s *Service) ResumeOwn(ctx context.Context, m auth.Member, id string) error {
	return s.changeOwn(ctx, m, id, func(c *Channel) audit.Kind { c.State, c.Why = Active, ""; return audit.ChannelResumed })
}

// RemoveOwn deletes it with its secrets.
func (s *Service) RemoveOwn(ctx context.Context, m auth.Member, id string) error {
	return s.changeOwn(ctx, m, id, func(c *Channel) audit.Kind {
		c.State, c.Settings = Deleted, Settings{Fields: map[string]string{}}
		return audit.ChannelRemoved
	})
}

// TestOwn sends a test to it, whatever the hour.
func (s *Service) TestOwn(ctx context.Context, m auth.Member, id string) error {
	return s.owning(ctx, m, func(w Writer) error {
		c, err := ofPerson(w, m, id)
		if err != nil {
			return err
		}
		n := New(Test)
		n.Subject, n.Only = id, id
		if err := w.PostNotice(n); err != nil {
			return err
		}
		return w.Append(c.event(audit.ChannelTested, actor(m)))
	})
}
