package deciders_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/scoring/deciders"
	"github.com/countersign/countersign/internal/scoring/level"
)

const (
	ada = "per_00000000000000000000000000000001"
	ben = "per_00000000000000000000000000000002"
)

func people(ids ...string) (all []deciders.Person) {
	for _, id := range ids {
		all = append(all, deciders.Person{Person: id})
	}
	return all
}

func globs(s string) *regexp.Regexp {
	return regexp.MustCompile("(?i)^" + strings.ReplaceAll(regexp.QuoteMeta(s), `\*`, ".*") + "$")
}

// Every rule that matches counts, and of what asks the same people the larger number.
func TestNeeds(t *testing.T) {
	t.Parallel()
	s := deciders.Settings{
		Teams: []deciders.Team{{Name: "security", Members: people(ada)}, {Name: "finance", Members: people(ben)}},
		Rules: []deciders.Rule{
			{Name: "deploys", Functions: []string{"deploy_*"}, Needs: []deciders.Need{{Team: "security"}}},
			{Name: "production", Environments: []string{"production"}, Level: level.High, Needs: []deciders.Need{{Team: "security", AtLeast: 2}}},
			{Name: "payer", Agents: []string{"payer"}, Needs: []deciders.Need{{Team: "finance"}, {People: people(ada, ben), AtLeast: 2}}},
		},
	}
	production := func(s string) bool { return s == "prod" || s == "production" }
	for _, c := range []struct {
		what string
		r    deciders.Request
		want int
	}{
		{"nothing matches", deciders.Request{Agent: "bot", Function: "read", Bound: "staging", Level: level.High}, 0},
		{"a function, in any case", deciders.Request{Agent: "bot", Function: "Deploy_Service", Bound: "staging", Level: level.Low}, 1},
		{"bound to it", deciders.Request{Agent: "bot", Function: "read", Bound: "Production", Level: level.High}, 2},
		{"at a higher level", deciders.Request{Agent: "bot", Function: "read", Bound: "production", Level: level.Critical}, 2},
		{"below its level", deciders.Request{Agent: "bot", Function: "read", Bound: "production", Level: level.Medium}, 0},
		{"bound elsewhere, but the call says so", deciders.Request{Agent: "bot", Function: "read", Bound: "staging", Said: []string{"", "prod"}, Level: level.High}, 2},
		{"bound to none, whatever it says", deciders.Request{Agent: "bot", Function: "read", Said: []string{"staging"}, Level: level.High}, 2},
		{"two rules about one team", deciders.Request{Agent: "bot", Function: "deploy_service", Bound: "prod", Level: level.High}, 2},
		{"an agent", deciders.Request{Agent: "payer", Function: "pay", Bound: "staging", Level: level.Low}, 3},
		{"all of them", deciders.Request{Agent: "payer", Function: "deploy_x", Level: level.Critical}, 5},
	} {
		if got := deciders.Count(s.Compile(globs).Needs(c.r, production)); got != c.want {
			t.Errorf("%s: it takes %d people, want %d", c.what, got, c.want)
		}
	}
}

func TestCover(t *testing.T) {
	t.Parallel()
	security, two := deciders.Need{Team: "security"}, deciders.Need{Team: "security", AtLeast: 2}
	either, one := deciders.Need{People: people(ada, ben)}, deciders.Need{People: people(ada)}
	for _, c := range []struct {
		what        string
		is, was     []deciders.Need
		covers, and bool // and the other way round
	}{
		{"the same", []deciders.Need{security}, []deciders.Need{security}, true, true},
		{"more of a team", []deciders.Need{two}, []deciders.Need{security}, true, false},
		{"another one besides", []deciders.Need{security, either}, []deciders.Need{either}, true, false},
		{"fewer to choose from", []deciders.Need{one}, []deciders.Need{either}, true, false},
		{"one doesn't stand for two", []deciders.Need{one}, []deciders.Need{either, one}, false, true},
		{"a team and people", []deciders.Need{security}, []deciders.Need{either}, false, false},
	} {
		if got := deciders.Cover(c.is, c.was); got != c.covers {
			t.Errorf("%s: covered is %v", c.what, got)
		}
		if got := deciders.Cover(c.was, c.is); got != c.and {
			t.Errorf("%s, the other way round: covered is %v", c.what, got)
		}
	}
}

func TestProblems(t *testing.T) {
	t.Parallel()
	fine := func() deciders.Settings {
		return deciders.Settings{
			Teams: []deciders.Team{{Name: "security", Members: people(ada, "ben@example.com")}, {Name: "nobody yet"}},
			Rules: []deciders.Rule{{Name: "all", Needs: []deciders.Need{{Team: "security", AtLeast: 2}, {People: people(ben)}}}},
		}
	}
	if found := fine().Problems(); len(found) > 0 {
		t.Errorf("fine settings: %v", found)
	}
	for want, change := range map[string]func(s *deciders.Settings){
		"/teams/1/name":             func(s *deciders.Settings) { s.Teams[1].Name = "Security" },
		"/teams/0/name":             func(s *deciders.Settings) { s.Teams[0].Name = "security "; s.Rules[0].Needs[0].Team = "security " },
		"/teams/0/members/1/person": func(s *deciders.Settings) { s.Teams[0].Members[1].Person = ada },
		"/teams/0/members/0/person": func(s *deciders.Settings) { s.Teams[0].Members[0].Person = "ada" },
		"/rules/0/needs/0/team":     func(s *deciders.Settings) { s.Rules[0].Needs[0].Team = "finance" },
		"/rules/0/needs/0/at_least": func(s *deciders.Settings) { s.Rules[0].Needs[0].AtLeast = 21 },
		"/rules/0/needs/1/at_least": func(s *deciders.Settings) { s.Rules[0].Needs[1].AtLeast = 2 },
		"/rules/0/needs/0":          func(s *deciders.Settings) { s.Rules[0].Needs[0].People = people(ada) },
		"/rules/0/needs/1":          func(s *deciders.Settings) { s.Rules[0].Needs[1] = deciders.Need{Team: "security"} },
		"/rules/0/needs":            func(s *deciders.Settings) { s.Rules[0].Needs = nil },
		"/rules/0/agents/0":         func(s *deciders.Settings) { s.Rules[0].Agents = []string{""} },
	} {
		s := fine()
		change(&s)
		found := s.Problems()
		if len(found) != 1 || found[0].Member != want {
			t.Errorf("%s: found %v", want, found)
		}
	}
}
