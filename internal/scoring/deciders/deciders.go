// Package deciders says who has to be among the people who approve a request: the part
// "deciders" of a policy. It is pure. Who is an operator at the moment, and whose signature
// counts, is package authority's.
//
// Every rule that matches counts, and what they need adds up. So the order of the rules says
// nothing, another rule never asks for less, and an agent that gets a second rule to match gains
// nothing by it.
package deciders

import (
	"regexp"
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/authority"
	"github.com/countersign/countersign/internal/scoring/level"
)

// Settings are the teams of an organisation that decide, and what they decide.
type Settings struct {
	Teams []Team `json:"teams" yaml:"teams"`
	Rules []Rule `json:"rules" yaml:"rules"`
}

// Person is a member of the organisation by their id. Name is for people who read the policy.
type Person struct {
	Person string `json:"person" yaml:"person"`
	Name   string `json:"name,omitempty" yaml:"name,omitempty"`
}

// Team is people of whom some have to decide. Who is in it counts as it is now, for what waits too.
type Team struct {
	Name    string   `json:"name" yaml:"name"`
	Members []Person `json:"members" yaml:"members"`
}

// Rule says of some requests who has to be among those who approve them. An empty list matches
// everything; all that are set must match.
type Rule struct {
	Name         string   `json:"name" yaml:"name"`
	Agents       []string `json:"agents,omitempty" yaml:"agents,omitempty"`             // names
	Functions    []string `json:"functions,omitempty" yaml:"functions,omitempty"`       // globs, as in the function registry
	Environments []string `json:"environments,omitempty" yaml:"environments,omitempty"` // names, in any case
	// Level is the lowest that it is for; SAFE: every one.
	Level level.Level `json:"level,omitempty" yaml:"level,omitempty"`
	Needs []Need      `json:"needs" yaml:"needs"`
}

// Need is so many people of a team, or of those who are named.
type Need struct {
	Team    string   `json:"team,omitempty" yaml:"team,omitempty"`
	People  []Person `json:"people,omitempty" yaml:"people,omitempty"`
	AtLeast int      `json:"at_least,omitempty" yaml:"at_least,omitempty"` // unset: 1
}

// Request is what rules look at.
type Request struct {
	Agent, Function string
	// Bound is the environment that an admin bound the agent to; "" for none. Said are those
	// that the call itself names.
	Bound string
	Said  []string
	Level level.Level
}

// Ids are those of people.
func Ids(people []Person) []string {
	all := make([]string, len(people))
	for i, p := range people {
		all[i] = p.Person
	}
	return all
}

// HasTeam reports whether there is one of this name.
func (s Settings) HasTeam(name string) bool {
	return slices.ContainsFunc(s.Teams, func(t Team) bool { return t.Name == name })
}

// Members are the ids of who is in a team; of one that is not there nobody.
func (s Settings) Members(team string) []string {
	if i := slices.IndexFunc(s.Teams, func(t Team) bool { return t.Name == team }); i >= 0 {
		return Ids(s.Teams[i].Members)
	}
	return []string{}
}

// Asked are needs by the people who are in the teams now.
func (s Settings) Asked(needs []Need) (all []authority.Need) {
	for _, n := range needs {
		any := Ids(n.People)
		if n.Team != "" {
			any = s.Members(n.Team)
		}
		all = append(all, authority.Need{Any: any, Count: max(n.AtLeast, 1)})
	}
	return all
}

// Compiled are the rules, ready to be asked.
type Compiled []compiledRule

type compiledRule struct {
	Rule
	globs []*regexp.Regexp
}

// Compile makes the rules ready; glob is how a pattern of a function is read.
func (s Settings) Compile(glob func(string) *regexp.Regexp) Compiled {
	all := make(Compiled, len(s.Rules))
	for i, r := range s.Rules {
		all[i].Rule = r
		for _, f := range r.Functions {
			all[i].globs = append(all[i].globs, glob(f))
		}
	}
	return all
}

// Needs are what the rules that match ask for together.
func (c Compiled) Needs(r Request, production func(string) bool) (all []Need) {
	for _, rule := range c {
		if rule.matches(r, production) {
			all = Merge(all, rule.Needs)
		}
	}
	return all
}

func (c compiledRule) matches(r Request, production func(string) bool) bool {
	return r.Level >= c.Level &&
		(len(c.Agents) == 0 || slices.Contains(c.Agents, r.Agent)) &&
		(len(c.globs) == 0 || slices.ContainsFunc(c.globs, func(g *regexp.Regexp) bool { return g.MatchString(r.Function) })) &&
		(len(c.Environments) == 0 || c.environment(r, production))
}

// environment reports whether a request is, or may be, in one of the rule's environments: an agent
// that is bound to none may be in any, whatever it says.
func (c compiledRule) environment(r Request, production func(string) bool) bool {
	return r.Bound == "" || slices.ContainsFunc(c.Environments, func(named string) bool {
		return slices.ContainsFunc(append([]string{r.Bound}, r.Said...), func(is string) bool {
			return strings.EqualFold(named, is) || production(named) && production(is)
		})
	})
}

// same reports whether two needs ask the same people.
func (n Need) same(o Need) bool {
	return n.Team == o.Team && slices.Equal(slices.Sorted(slices.Values(Ids(n.People))), slices.Sorted(slices.Values(Ids(o.People))))
}

// Merge is all of both: of those that ask the same people, the one that asks more of them.
func Merge(a, b []Need) []Need {
	all := slices.Clone(a)
	for _, n := range b {
		if i := slices.IndexFunc(all, n.same); i < 0 {
			all = append(all, n)
		} else if n.AtLeast > all[i].AtLeast {
			all[i] = n
		}
	}
	return all
}

// Count is how many different people it takes.
func Count(needs []Need) (n int) {
	for _, one := range needs {
		n += max(one.AtLeast, 1)
	}
	return n
}

// Cover reports whether needs ask for all that others ask for: as many of the same team, or of the
// same people or some of them.
func Cover(needs, others []Need) bool {
	free := slices.Clone(needs)
	for _, o := range others {
		i := slices.IndexFunc(free, func(n Need) bool { return n.covers(o) })
		if i < 0 {
			return false
		}
		free = slices.Delete(free, i, i+1)
	}
	return true
}

func (n Need) covers(o Need) bool {
	if n.Team != o.Team || max(n.AtLeast, 1) < max(o.AtLeast, 1) {
		return false
	}
	of := Ids(o.People)
	return !slices.ContainsFunc(Ids(n.People), func(id string) bool { return !slices.Contains(of, id) })
}

// Covers reports whether a rule asks for all that another one asks for, wherever that does.
func (r Rule) Covers(o Rule) bool {
	contains := func(wide, narrow []string) bool {
		return len(wide) == 0 || len(narrow) > 0 && !slices.ContainsFunc(narrow, func(s string) bool { return !slices.Contains(wide, s) })
	}
	return contains(r.Agents, o.Agents) && contains(r.Functions, o.Functions) && contains(r.Environments, o.Environments) &&
		r.Level <= o.Level && Cover(r.Needs, o.Needs)
}

// Tidy is the settings in the one form in which they are kept.
func (s Settings) Tidy() Settings {
	t := Settings{Teams: slices.Clone(s.Teams), Rules: slices.Clone(s.Rules)}
	for i, team := range t.Teams {
		t.Teams[i].Members = orNil(team.Members)
	}
	for i := range t.Rules {
		r := &t.Rules[i]
		r.Agents, r.Functions, r.Environments = orNil(r.Agents), orNil(r.Functions), orNil(r.Environments)
		r.Needs = slices.Clone(r.Needs)
		for j, n := range r.Needs {
			r.Needs[j].People, r.Needs[j].AtLeast = orNil(n.People), max(n.AtLeast, 1)
		}
	}
	t.Teams, t.Rules = orNil(t.Teams), orNil(t.Rules)
	return t
}

func orNil[T any](list []T) []T {
	if len(list) == 0 {
		return nil
	}
	return list
}
