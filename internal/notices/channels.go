package notices

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
)

const (
	// MaxChannels bounds how many an organisation has beside those of people: each held
	// request is sent to all.
	MaxChannels = 50
	maxName     = 60   // characters
	maxField    = 8192 // characters: a template
)

// Listed is a channel as the settings show it.
type Listed struct {
	Channel
	About About
	Shown string // where it leads
	Set   []string
	Test  *Told // the newest test; nil where there was none
	// Fails is the newest notice, where it was not delivered in its first attempt and is not
	// yet; nil where it was, or where there was none.
	Fails *Told
	// Detailed says that it says more than level, agent and link; Detail is what the policy
	// has to list for that, as the channel is now.
	Detailed bool
	Detail   scoring.DetailedChannel
}

// Overview is what the settings of notices show.
type Overview struct {
	Channels []Listed
	// People says that the own channels of people say more than level, agent and link.
	People bool
	Policy int64 // the version that says so
	Now    time.Time
}

func may(m auth.Member, p auth.Permission) error {
	if !m.May(p) {
		return fault.New(fault.Denied, "your roles in %s don't allow this; an admin can change them", m.Tenant)
	}
	return nil
}

// Overview lists the channels of the organisation, without their secrets.
func (s *Service) Overview(ctx context.Context, m auth.Member) (o Overview, err error) {
	if err := may(m, auth.ReadNotices); err != nil {
		return o, err
	}
	err = s.store.Read(ctx, m.Tenant, func(r Reader) error {
		p, version, err := r.Policy()
		if err != nil {
			return err
		}
		o = Overview{People: p.Notices.DetailToPeople, Policy: version, Now: r.Now()}
		all, err := r.NoticeChannels()
		if err != nil {
			return err
		}
		for _, c := range all {
			if c.Person != "" {
				continue
			}
			l, err := s.listed(r, m.Tenant, c)
			if err != nil {
				return err
			}
			o.Channels = append(o.Channels, l)
		}
		return nil
	})
	return o, err
}

// Any reports whether the organisation has a channel.
func (s *Service) Any(ctx context.Context, tenant string) (any bool, err error) {
	err = s.store.Read(ctx, tenant, func(r Reader) error {
		all, err := r.NoticeChannels()
		any = len(all) > 0
		return err
	})
	return any, err
}

// listed is a channel without its secrets.
func (s *Service) listed(r Reader, tenant string, c SealedChannel) (Listed, error) {
	l := Listed{Channel: c.Channel}
	secrets, err := s.sealer.open(tenant, c.ID, c.Sealed)
	if err != nil {
		s.log.Error("the secrets of a channel cannot be read", "tenant", tenant, "channel", c.ID, "error", err)
	}
	whole := c.Channel
	whole.Settings.Secrets = secrets
	if sender, ok := s.senders[c.Kind]; ok {
		l.About = sender.About()
		l.Shown = sender.Shown(whole.Settings)
	} else {
		l.About = About{Kind: c.Kind, Label: fault.Verbatim(c.Kind)}
	}
	p, _, err := r.Policy()
	if err != nil {
		return l, err
	}
	if l.Detailed, err = s.detailed(p.Notices, tenant, whole); err != nil {
		return l, err
	}
	if l.Detail, err = s.asDetailed(tenant, whole, l.Shown); err != nil {
		return l, err
	}
	for name, value := range secrets {
		if value != "" {
			l.Set = append(l.Set, name)
		}
	}
	slices.Sort(l.Set)
	switch newest, err := r.NewestDelivery(c.ID); {
	case err == nil && newest.State != Delivered:
		l.Fails = &newest
	case err != nil && !fault.Is(err, fault.Missing):
		return l, err
	}
	test, err := r.TestDelivery(c.ID)
	if fault.Is(err, fault.Missing) {
		return l, nil
	}
	l.Test = &test
	return l, err
}

// Channel returns one channel of the organisation. fault.Missing.
func (s *Service) Channel(ctx context.Context, m auth.Member, id string) (l Listed, now time.Time, err error) {
	if err := may(m, auth.ReadNotices); err != nil {
		return l, now, err
	}
	err = s.store.Read(ctx, m.Tenant, func(r Reader) error {
		c, err := ofOrganisation(r, id)
		if err != nil {
			return err
		}
		now = r.Now()
		l, err = s.listed(r, m.Tenant, c)
		return err
	})
	return l, now, err
}

func ofOrganisation(r Reader, id string) (SealedChannel, error) {
	c, err := r.NoticeChannel(id)
	if err == nil && c.Person != "" {
		err = fault.New(fault.Missing, "no such channel")
	}
	return c, err
}

// Draft is what an admin typed about a channel.
type Draft struct {
	Kind  string // of a new one
	Name  string
	Tells []Kind
	// Values are those of Form, by name. An empty secret keeps the one that is set.
	Values map[string]string
	// Version is that of the channel that they saw.
	Version int64
}

// fill makes the settings of a channel of a draft; was is what they were.
func (s *Service) fill(d Draft, kind string, was Settings) (sender Sender, c Settings, err error) {
	sender, ok := s.senders[kind]
	if !ok || sender.About().Personal {
		return nil, c, fault.Member(fault.InvalidForm, "kind", "%.40q isn't a kind of channel; choose one from the list", kind)
	}
	c = Settings{Fields: map[string]string{}, Secrets: map[string]string{}}
	for name, value := range was.Secrets {
		c.Secrets[name] = value
	}
	for _, f := range sender.About().Form {
		value := strings.TrimSpace(d.Values[f.Name])
		switch {
		case utf8.RuneCountInString(value) > maxField:
			return nil, c, fault.Member(fault.InvalidForm, f.Name, "shorten it to at most %d characters; it has %d", maxField, utf8.RuneCountInString(value))
		case f.Made:
		case f.Secret && value != "":
			c.Secrets[f.Name] = value
		case !f.Secret && value != "":
			c.Fields[f.Name] = value
		}
		if f.Required && c.Fields[f.Name] == "" && c.Secrets[f.Name] == "" {
			return nil, c, fault.Member(fault.InvalidForm, f.Name, "%s is missing", f.Label)
		}
	}
	return sender, c, sender.Check(c)
}

// check refuses names and kinds.
func (d Draft) check() error {
	name := strings.TrimSpace(d.Name)
	switch {
	case name == "":
		return fault.Member(fault.InvalidForm, "name", "give the channel a name, for example #ops")
	case utf8.RuneCountInString(name) > maxName:
		return fault.Member(fault.InvalidForm, "name", "the name has more than %d characters", maxName)
	case scoring.HoldsSecret(name):
		return fault.Member(fault.InvalidForm, "name", "the name contains what looks like a secret, and everyone can see names; choose another")
	case len(d.Tells) == 0:
		return fault.Member(fault.InvalidForm, "tells", "choose at least one kind of notice")
	}
	for _, k := range d.Tells {
		if !slices.Contains(Kinds(), k) {
			return fault.Member(fault.InvalidForm, "tells", "%.40q isn't a kind of notice", string(k))
		}
	}
	return nil
}

// writing runs fn for somebody who may manage notices, and still may then.
func (s *Service) writing(ctx context.Context, m auth.Member, fn func(w Writer) error) error {
	if err := may(m, auth.ManageNotices); err != nil {
		return err
	}
	return s.store.Write(ctx, m.Tenant, func(w Writer) error {
		now, err := w.Membership(m.Person.ID)
		if err != nil && !fault.Is(err, fault.Missing) {
			return err
		}
		if err := may(auth.Member{Tenant: m.Tenant, Person: m.Person, Roles: now.Roles}, auth.ManageNotices); err != nil {
			return err
		}
		return fn(w)
	})
}

func actor(m auth.Member) audit.Actor { return audit.Actor{Kind: "person", ID: m.Person.ID} }

// Add makes a channel, and returns its id and what is shown once: the secret with which the
// receiver checks what arrives; "" where there is none.
func (s *Service) Add(ctx context.Context, m auth.Member, d Draft) (id, once string, err error) {
	if err := d.check(); err != nil {
		return "", "", err
	}
	sender, set, err := s.fill(d, d.Kind, Settings{})
	if err != nil {
		return "", "", err
	}
	if maker, ok := sender.(Maker); ok {
		once = maker.Make(&set)
	}
	c := Channel{ID: auth.NewID("chn"), Kind: d.Kind, Name: strings.TrimSpace(d.Name), Settings: set, Tells: d.Tells, State: Active}
	err = s.writing(ctx, m, func(w Writer) error {
		all, err := w.NoticeChannels()
		if err != nil {
			return err
		}
		all = slices.DeleteFunc(all, func(c SealedChannel) bool { return c.Person != "" })
		if len(all) >= MaxChannels {
			return fault.New(fault.InvalidForm, "there are already %d channels, which is the limit; delete one first", MaxChannels)
		}
		return s.keep(w, m.Tenant, c, 0, c.event(audit.ChannelAdded, actor(m), c.tellsData(), shownData(sender, c)))
	})
	return c.ID, once, err
}

func shownData(sender Sender, c Channel) canon.Member {
	return canon.Member{Name: "to", Value: canon.String(sender.Shown(c.Settings))}
}

// keep seals and writes a channel with its event.
func (s *Service) keep(w Writer, tenant string, c Channel, was int64, e audit.Event) error {
	sealed, err := s.sealer.seal(tenant, c.ID, c.Settings.Secrets)
	if err != nil {
		return err
	}
	if err := w.KeepNoticeChannel(SealedChannel{Channel: c, Sealed: sealed}, was); err != nil {
		return err
	}
	return w.Append(e)
}

// change writes what fn makes of a channel.
func (s *Service) change(ctx context.Context, m auth.Member, id string, version int64, fn func(c *Channel) (audit.Event, error)) error {
	return s.writing(ctx, m, func(w Writer) error {
		sealed, err := ofOrganisation(w, id)
		if err != nil {
			return err
		}
		c := sealed.Channel
		if version != 0 && c.Version != version {
			return fault.New(fault.Changed, "someone else changed this channel in the meantime (now version %s); check it, then make your change again", strconv.FormatInt(c.Version, 10))
		}
		if c.Settings.Secrets, err = s.sealer.open(m.Tenant, id, sealed.Sealed); err != nil {
			return err
		}
		was := c.Version
		e, err := fn(&c)
		if err != nil {
			return err
		}
		return s.keep(w, m.Tenant, c, was, e)
	})
}

// Change writes the settings of a channel. Empty secrets stay as they are.
func (s *Service) Change(ctx context.Context, m auth.Member, id string, d Draft) error {
	if err := d.check(); err != nil {
		return err
	}
	return s.change(ctx, m, id, d.Version, func(c *Channel) (audit.Event, error) {
		sender, set, err := s.fill(d, c.Kind, c.Settings)
		if err != nil {
			return audit.Event{}, err
		}
		c.Name, c.Tells, c.Settings = strings.TrimSpace(d.Name), d.Tells, set
		return c.event(audit.ChannelChanged, actor(m), c.tellsData(), shownData(sender, *c)), nil
	})
}

// Pause stops telling a channel, Resume begins again: also one that its receiver ended.
func (s *Service) Pause(ctx context.Context, m auth.Member, id string) error {
	return s.setState(ctx, m, id, Paused, audit.ChannelPaused)
}

// Resume tells a channel again.
func (s *Service) Resume(ctx context.Context, m auth.Member, id string) error {
	return s.setState(ctx, m, id, Active, audit.ChannelResumed)
}

func (s *Service) setState(ctx context.Context, m auth.Member, id string, to ChannelState, k audit.Kind) error {
	return s.change(ctx, m, id, 0, func(c *Channel) (audit.Event, error) {
		if c.State == to {
			return audit.Event{}, fault.New(fault.Changed, "the channel is already %s", string(to))
		}
		c.State, c.Why = to, ""
		return c.event(k, actor(m)), nil
	})
}

// Remove deletes a channel with its secrets. What was sent to it stays known.
func (s *Service) Remove(ctx context.Context, m auth.Member, id string) error {
	return s.change(ctx, m, id, 0, func(c *Channel) (audit.Event, error) {
		c.State, c.Settings = Deleted, Settings{Fields: map[string]string{}}
		return c.event(audit.ChannelRemoved, actor(m)), nil
	})
}

// Rotate makes a new secret, and returns it once. The one before is good for a while, too.
func (s *Service) Rotate(ctx context.Context, m auth.Member, id string) (once string, err error) {
	now := s.now()
	err = s.change(ctx, m, id, 0, func(c *Channel) (audit.Event, error) {
		maker, ok := s.senders[c.Kind].(Maker)
		if !ok {
			return audit.Event{}, fault.New(fault.Missing, "this kind of channel has no signing secret; change its settings instead")
		}
		once = maker.Rotate(&c.Settings, now)
		return c.event(audit.ChannelRotated, actor(m)), nil
	})
	return once, err
}

// SendTest puts a test in the outbox, for one channel.
func (s *Service) SendTest(ctx context.Context, m auth.Member, id string) error {
	return s.writing(ctx, m, func(w Writer) error {
		c, err := ofOrganisation(w, id)
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

// Preview is what a channel with these settings would send of a made-up request.
func (s *Service) Preview(ctx context.Context, m auth.Member, id string, d Draft) (string, error) {
	if err := may(m, auth.ManageNotices); err != nil {
		return "", err
	}
	was := Settings{}
	if id != "" {
		err := s.store.Read(ctx, m.Tenant, func(r Reader) error {
			c, err := ofOrganisation(r, id)
			if err != nil {
				return err
			}
			d.Kind = c.Kind
			was.Secrets, err = s.sealer.open(m.Tenant, id, c.Sealed)
			return err
		})
		if err != nil {
			return "", err
		}
	}
	sender, set, err := s.fill(d, d.Kind, was)
	if err != nil {
		return "", err
	}
	p, ok := sender.(Previewer)
	if !ok {
		return "", fault.New(fault.InvalidForm, "a channel of this kind has no template")
	}
	return p.Preview(set, s.sample(m.Tenant))
}

// sample is a made-up message.
func (s *Service) sample(tenant string) Message {
	now := s.now().UTC()
	n := New(Held)
	n.Approval = "apr_0123456789abcdef0123456789abcdef"
	return Message{
		ID: n.ID, Kind: Held, Tenant: tenant, At: now, Now: now, Approval: n.Approval, Status: "pending", Level: "HIGH", Agent: "support-triage",
		Expires: now.Add(15 * time.Minute), Link: s.base() + link(tenant, n, Channel{}), Title: "HIGH request from support-triage is waiting for a decision",
		More: &More{Sentence: `Delete user "usr_123" in production`, Target: "usr_123", Reason: "HR asked for it."}, Asked: true,
	}
}
