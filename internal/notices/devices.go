package notices

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"slices"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
)

// Devices are browsers in which people turned push notifications on. Each is a channel of
// their own, for one organisation.

// MaxDevices bounds how many a person has: each call goes to all of them.
const MaxDevices = 10

// Device is what a browser says of itself.
type Device struct {
	Name                   string // "Chrome on Android"
	Endpoint, P256dh, Auth string // its subscription (W3C Push API)
}

// fingerprint is by what a browser finds itself in the list. The endpoint is a secret: who
// has it can take the device away.
func fingerprint(endpoint string) string {
	sum := sha256.Sum256([]byte(endpoint))
	return base64.RawURLEncoding.EncodeToString(sum[:16])
}

func (d Device) settings() Settings {
	return Settings{
		Fields:  map[string]string{fieldBrowser: d.Name, fieldDevice: fingerprint(d.Endpoint)},
		Secrets: map[string]string{fieldEndpoint: d.Endpoint, fieldP256dh: d.P256dh, fieldAuth: d.Auth},
	}
}

// Device is by what a browser finds itself in the list; "" where the channel is no device.
func (c Channel) Device() string {
	if c.Kind != pushKind {
		return ""
	}
	return c.Settings.Fields[fieldDevice]
}

// push is the kind of channel that devices are.
func (s *Service) push() (p Push, ok bool) {
	p, ok = s.senders[pushKind].(Push)
	return p, ok
}

// AddDevice turns push notifications on in a browser of this person. Somebody else who had
// them there has them no more: it is theirs now.
func (s *Service) AddDevice(ctx context.Context, m auth.Member, d Device) error {
	p, ok := s.push()
	if !ok {
		return fault.New(fault.InvalidForm, "this server can't send push notifications")
	}
	set := d.settings()
	if err := p.Check(set); err != nil {
		return err
	}
	return s.owning(ctx, m, func(w Writer) error {
		all, err := w.NoticeChannels()
		if err != nil {
			return err
		}
		mine := 0
		for _, c := range all {
			same := c.Device() == fingerprint(d.Endpoint)
			switch {
			case same && c.Person == m.Person.ID:
				return s.again(w, m, c, set)
			case same:
				if err := remove(w, c, actor(m)); err != nil {
					return err
				}
			case c.Kind == pushKind && c.Person == m.Person.ID:
				mine++
			}
		}
		if mine >= MaxDevices {
			return fault.New(fault.InvalidForm, "you already have %d devices, which is the limit; remove one first", MaxDevices)
		}
		c := Channel{ID: auth.NewID("chn"), Kind: pushKind, Name: d.Name, Person: m.Person.ID, Tells: p.About().Tells, State: Active, Settings: set}
		return s.keep(w, m.Tenant, c, 0, c.event(audit.ChannelAdded, actor(m)))
	})
}

// again writes a device that is there with what its browser says now.
func (s *Service) again(w Writer, m auth.Member, c SealedChannel, set Settings) error {
	c.Settings, c.Name, c.State, c.Why = set, set.Fields[fieldBrowser], Active, ""
	return s.keep(w, m.Tenant, c.Channel, c.Version, c.event(audit.ChannelChanged, actor(m)))
}

// RenewDevice follows a browser whose subscription has another address now. Who knows the one
// before is that browser. fault.Missing where this person has no such device here.
func (s *Service) RenewDevice(ctx context.Context, m auth.Member, before string, d Device) error {
	p, ok := s.push()
	if !ok {
		return fault.New(fault.Missing, "this server can't send push notifications")
	}
	set := d.settings()
	if err := p.Check(set); err != nil {
		return err
	}
	return s.owning(ctx, m, func(w Writer) error {
		all, err := w.NoticeChannels()
		if err != nil {
			return err
		}
		mine := func(endpoint string) func(SealedChannel) bool {
			return func(c SealedChannel) bool {
				return c.Person == m.Person.ID && c.Device() == fingerprint(endpoint)
			}
		}
		at := slices.IndexFunc(all, mine(before))
		if at < 0 {
			return fault.New(fault.Missing, "you don't have this device")
		}
		if slices.ContainsFunc(all, mine(d.Endpoint)) { // it was turned on again meanwhile
			return remove(w, all[at], actor(m))
		}
		return s.again(w, m, all[at], set)
	})
}

// remove deletes a channel with its secrets.
func remove(w Writer, c SealedChannel, by audit.Actor) error {
	c.State, c.Settings, c.Sealed = Deleted, Settings{Fields: map[string]string{}}, ""
	if err := w.KeepNoticeChannel(c, c.Version); err != nil {
		return err
	}
	return w.Append(c.event(audit.ChannelRemoved, by))
}
