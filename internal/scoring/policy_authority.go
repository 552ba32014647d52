package scoring

import (
	"time"

	"github.com/countersign/countersign/internal/fault"
)

// AuthoritySettings say for how long what weakens waits where nobody accepts it, and for
// how long two accounts count as one person's because one invited the other
// (docs/policy.md). All of them zero, as in policies from before there were any, are
// DefaultAuthority.
type AuthoritySettings struct {
	// WaitingHours is how long a weakening waits after another admin saw it, 1..168.
	WaitingHours int `json:"waiting_hours" yaml:"waiting_hours"`
	// KinshipDays is for how long who was invited by somebody, or used a password link of
	// theirs, neither accepts nor co-signs what they proposed or signed, 1..90.
	KinshipDays int `json:"kinship_days" yaml:"kinship_days"`
}

const (
	maxWaitingHours = 168
	maxKinshipDays  = 90
)

// DefaultAuthority is a day of waiting, and a week after an invitation.
func DefaultAuthority() AuthoritySettings { return AuthoritySettings{WaitingHours: 24, KinshipDays: 7} }

// OrDefault is what counts.
func (s AuthoritySettings) OrDefault() AuthoritySettings {
	if s == (AuthoritySettings{}) {
		return DefaultAuthority()
	}
	return s
}

// Wait is WaitingHours.
func (s AuthoritySettings) Wait() time.Duration {
	return time.Duration(s.OrDefault().WaitingHours) * time.Hour
}

// Kinship is KinshipDays.
func (s AuthoritySettings) Kinship() time.Duration {
	return time.Duration(s.OrDefault().KinshipDays) * 24 * time.Hour
}

func (s AuthoritySettings) check(found *problems) {
	found.within("/authority/waiting_hours", s.WaitingHours, 1, maxWaitingHours, fault.Textf("hours"))
	found.within("/authority/kinship_days", s.KinshipDays, 1, maxKinshipDays, fault.Textf("days"))
}

func authorityLimits() map[string]limits {
	return map[string]limits{
		"/authority":               {about: "what one person can't do alone"},
		"/authority/waiting_hours": {about: "hours after which a weakening applies that no one accepted, counted from when another admin saw it", low: 1, high: maxWaitingHours},
		"/authority/kinship_days":  {about: "days after an invitation or a password link, in which two people don't sign together", low: 1, high: maxKinshipDays},
	}
}

// authority: what waits or ties for less time is over sooner.
func (c *comparison) authority() {
	old, new := c.old.Authority, c.new.Authority
	c.differ("/authority/waiting_hours", old.WaitingHours, new.WaitingHours, higher(old.WaitingHours, new.WaitingHours, tightens))
	c.differ("/authority/kinship_days", old.KinshipDays, new.KinshipDays, higher(old.KinshipDays, new.KinshipDays, tightens))
}
