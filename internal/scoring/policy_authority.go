package scoring

import (
	"slices"
	"time"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring/deciders"
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

func deciderLimits() map[string]limits {
	const teams, rules = "/deciders/teams", "/deciders/rules"
	person := func(all map[string]limits, at string) {
		all[at] = limits{most: deciders.MaxMembers}
		all[at+"/*"] = limits{required: []string{"person"}}
		all[at+"/*/person"] = limits{about: "id, or the email address of a member, for which the id is stored", fewest: 1, most: deciders.MaxPerson}
		all[at+"/*/name"] = limits{about: "for people who read the policy", most: deciders.MaxPerson}
	}
	all := map[string]limits{
		"/deciders":                   {about: "who has to be among the people who approve"},
		teams:                         {about: "people of whom some have to; who is in a team counts as it is now", most: deciders.MaxTeams},
		teams + "/*":                  {required: []string{"name", "members"}},
		teams + "/*/name":             {fewest: 1, most: deciders.MaxName},
		rules:                         {about: "of which requests; every rule that matches counts, and what they need adds up", most: deciders.MaxRules},
		rules + "/*":                  {required: []string{"name", "needs"}},
		rules + "/*/name":             {fewest: 1, most: deciders.MaxName},
		rules + "/*/agents":           {about: "names; unset: every one", most: deciders.MaxMatched},
		rules + "/*/agents/*":         {fewest: 1, most: deciders.MaxMatch},
		rules + "/*/functions":        {about: "whole names, in any case; * is any text, ? one character; unset: every one", most: deciders.MaxMatched},
		rules + "/*/functions/*":      {fewest: 1, most: deciders.MaxMatch},
		rules + "/*/environments":     {about: "names, in any case; an agent that is bound to none matches all; unset: every one", most: deciders.MaxMatched},
		rules + "/*/environments/*":   {fewest: 1, most: deciders.MaxMatch},
		rules + "/*/level":            {about: "the lowest; SAFE is every one", words: levelWords()},
		rules + "/*/needs":            {about: "each is met by different people", fewest: 1, most: deciders.MaxNeeds},
		rules + "/*/needs/*/team":     {about: "one of the teams", most: deciders.MaxName},
		rules + "/*/needs/*/at_least": {about: "how many of them; unset: 1", high: deciders.MaxAtLeast},
	}
	person(all, teams+"/*/members")
	person(all, rules+"/*/needs/*/people")
	return all
}

// deciders: whoever is added to a team can decide more, as somebody who is made an operator, also
// what waits. A rule only asks for more.
func (c *comparison) deciders() {
	team := func(all []deciders.Team, name string) (people map[string]any, there bool) {
		people = map[string]any{}
		i := slices.IndexFunc(all, func(t deciders.Team) bool { return t.Name == name })
		if i < 0 {
			return people, false
		}
		for _, p := range all[i].Members {
			people[p.Person] = p
		}
		return people, true
	}
	teams := func(all []deciders.Team) (names []string) {
		for _, t := range all {
			names = append(names, t.Name)
		}
		return names
	}
	for _, name := range union(teams(c.old.Deciders.Teams), teams(c.new.Deciders.Teams)) {
		old, was := team(c.old.Deciders.Teams, name)
		new, is := team(c.new.Deciders.Teams, name)
		at := "/deciders/teams/" + canon.PointerEscape(name)
		if was != is && len(old)+len(new) == 0 {
			c.differ(at, absent(was), absent(is), tightens)
		}
		for _, id := range union(sortedKeys(old), sortedKeys(new)) {
			c.differ(at+"/"+canon.PointerEscape(id), old[id], new[id], weakensUnless(old[id] != nil))
		}
	}
	rule := func(all []deciders.Rule, name string) (r deciders.Rule, is any) {
		if i := slices.IndexFunc(all, func(r deciders.Rule) bool { return r.Name == name }); i >= 0 {
			return all[i], all[i]
		}
		return r, nil
	}
	rules := func(all []deciders.Rule) (names []string) {
		for _, r := range all {
			names = append(names, r.Name)
		}
		return names
	}
	for _, name := range union(rules(c.old.Deciders.Rules), rules(c.new.Deciders.Rules)) {
		a, was := rule(c.old.Deciders.Rules, name)
		b, is := rule(c.new.Deciders.Rules, name)
		c.differ("/deciders/rules/"+canon.PointerEscape(name), was, is, weakensUnless(was == nil || is != nil && b.Covers(a)))
	}
}
