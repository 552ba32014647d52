package deciders

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring/level"
)

// Bounds of the settings. The schema of the policy names the same.
const (
	MaxTeams   = 50
	MaxMembers = 50 // of a team
	MaxRules   = 50
	MaxNeeds   = 10 // of a rule
	MaxMatched = 50 // names in one condition
	MaxAtLeast = 20
	MaxName    = 60  // bytes, of a team or a rule
	MaxPerson  = 254 // bytes of an id or an address
	MaxMatch   = 256 // bytes of an agent, a function or an environment
)

var isPerson = regexp.MustCompile(`^per_[0-9a-f]{32}$`).MatchString

// Problems lists what is wrong, with members relative to the settings.
func (s Settings) Problems() []*fault.Error {
	var c checker
	c.most("/teams", len(s.Teams), MaxTeams)
	teams := map[string]bool{}
	for i, t := range s.Teams {
		at := fmt.Sprintf("/teams/%d", i)
		c.name(at+"/name", t.Name, teams)
		c.people(at+"/members", t.Members)
	}
	c.most("/rules", len(s.Rules), MaxRules)
	rules := map[string]bool{}
	for i, r := range s.Rules {
		at := fmt.Sprintf("/rules/%d", i)
		c.name(at+"/name", r.Name, rules)
		c.names(at+"/agents", r.Agents)
		c.names(at+"/functions", r.Functions)
		c.names(at+"/environments", r.Environments)
		if r.Level > level.Critical {
			c.add(at+"/level", "is %v; expected one of LOW, MEDIUM, HIGH, CRITICAL, or none", r.Level)
		}
		if len(r.Needs) == 0 {
			c.add(at+"/needs", "is empty; expected at least one team, or people")
		}
		c.most(at+"/needs", len(r.Needs), MaxNeeds)
		for j, n := range r.Needs {
			c.need(fmt.Sprintf("%s/needs/%d", at, j), n, s)
			if slices.ContainsFunc(r.Needs[:j], n.same) {
				c.add(fmt.Sprintf("%s/needs/%d", at, j), "asks the same people as another one of the rule; put both into one, with at_least")
			}
		}
	}
	return c.found
}

type checker struct{ found []*fault.Error }

func (c *checker) add(member, format string, args ...any) {
	c.found = append(c.found, fault.Member(fault.InvalidMember, member, format, args...))
}

func (c *checker) most(at string, n, most int) {
	if n > most {
		c.add(at, "has %d entries; at most %d are accepted", n, most)
	}
}

func (c *checker) text(at, text string, most int) bool {
	if text == "" || utf8.RuneCountInString(text) > most || canon.String(text).Text() != text || strings.TrimSpace(text) != text {
		c.add(at, "has %d characters; expected 1 to %d, without U+0000 and non-characters, and no space around them", utf8.RuneCountInString(text), most)
		return false
	}
	return true
}

// name refuses what is no name, or differs from another one by its case only.
func (c *checker) name(at, name string, known map[string]bool) {
	if !c.text(at, name, MaxName) {
		return
	}
	if folded := strings.ToLower(name); known[folded] {
		c.add(at, "%q appears twice; expected each name once, whatever its case", name)
	} else {
		known[folded] = true
	}
}

func (c *checker) names(at string, all []string) {
	c.most(at, len(all), MaxMatched)
	for i, one := range all {
		c.text(fmt.Sprintf("%s/%d", at, i), one, MaxMatch)
	}
}

func (c *checker) people(at string, all []Person) {
	c.most(at, len(all), MaxMembers)
	for i, p := range all {
		here := fmt.Sprintf("%s/%d", at, i)
		switch {
		case !isPerson(p.Person) && (!strings.Contains(p.Person, "@") || len(p.Person) > MaxPerson || canon.String(p.Person).Text() != p.Person):
			c.add(here+"/person", "is %.80q; expected the email address of a member, or an id: per_ and 32 hexadecimal digits", p.Person)
		case slices.ContainsFunc(all[:i], func(o Person) bool { return o.Person == p.Person }):
			c.add(here+"/person", "appears twice; expected each person once")
		}
		if len(p.Name) > MaxPerson || canon.String(p.Name).Text() != p.Name {
			c.add(here+"/name", "has %d bytes; at most %d are accepted", len(p.Name), MaxPerson)
		}
	}
}

func (c *checker) need(at string, n Need, s Settings) {
	if n.AtLeast < 0 || n.AtLeast > MaxAtLeast {
		c.add(at+"/at_least", "is %d; expected a whole number of people from 1 to %d", n.AtLeast, MaxAtLeast)
	}
	c.people(at+"/people", n.People)
	switch {
	case (n.Team == "") == (len(n.People) == 0):
		c.add(at, "expected either a team or people")
	case n.Team != "" && !slices.ContainsFunc(s.Teams, func(t Team) bool { return t.Name == n.Team }):
		c.add(at+"/team", "is %.80q; expected one of the policy's teams", n.Team)
	case n.Team == "" && n.AtLeast > len(n.People):
		c.add(at+"/at_least", "is %d; expected at most %d, as many as are named", n.AtLeast, len(n.People))
	}
}

// ByAddress are the email addresses that stand in place of ids, each once.
func (s Settings) ByAddress() (all []string) {
	s.Named(func(p Person) Person {
		if strings.Contains(p.Person, "@") && !slices.Contains(all, p.Person) {
			all = append(all, p.Person)
		}
		return p
	})
	return all
}

// Named is the settings with everybody in them as said.
func (s Settings) Named(as func(Person) Person) Settings {
	each := func(all []Person) []Person {
		out := make([]Person, len(all))
		for i, p := range all {
			out[i] = as(p)
		}
		return out
	}
	s = s.Tidy()
	for i, t := range s.Teams {
		s.Teams[i].Members = each(t.Members)
	}
	for i, r := range s.Rules {
		for j, n := range r.Needs {
			s.Rules[i].Needs[j].People = orNil(each(n.People))
		}
	}
	return s
}
