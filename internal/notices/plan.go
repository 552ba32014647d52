package notices

import (
	"slices"
	"strings"
	"time"

	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
)

// Plan is whom an organisation calls to a request that waits. The first rule that matches
// decides alone; where none does, every channel that tells of requests is called.
type Plan struct {
	Rules []Rule `json:"rules"`
	Teams []Team `json:"teams"`
	// Version counts the changes; 0 is a plan that nobody made.
	Version int64 `json:"-"`
}

// Rule is for some requests, and says who is called to them, one step after the other.
type Rule struct {
	ID    string `json:"id"` // "rul_" + UUIDv7 in hex
	Name  string `json:"name"`
	When  When   `json:"when"`
	Steps []Step `json:"steps"`
}

// When is what a request must be. An empty list accepts everything; all that are set must
// match.
type When struct {
	Levels       []string `json:"levels,omitempty"`
	Agents       []string `json:"agents,omitempty"`       // ids
	Functions    []string `json:"functions,omitempty"`    // names; a * at the end is any rest
	Environments []string `json:"environments,omitempty"` // names, in any case
	Hours        Hours    `json:"hours,omitzero"`         // zero: always
}

// Step is who is called at once, and for how long they have time.
type Step struct {
	Targets []Target `json:"targets"`
	// Minutes is how long is waited for somebody to claim or decide, before the next step;
	// after the last one no one was reached.
	Minutes int `json:"minutes"`
}

// Target is who or what is called: a kind and an id, "team:tem_…".
type Target string

// The kinds of targets.
const (
	ToPerson  = "person"
	ToTeam    = "team"    // everybody of it
	ToOnCall  = "on-call" // who of a team is on call
	ToChannel = "channel"
)

// To is a target.
func To(kind, id string) Target { return Target(kind + ":" + id) }

// Split is the kind and the id.
func (t Target) Split() (kind, id string) {
	kind, id, _ = strings.Cut(string(t), ":")
	return kind, id
}

const (
	maxRules   = 50
	maxTeams   = 50
	maxTargets = 20
	maxMatched = 50 // names in one condition
	// MaxSteps is how many people or teams are called one after the other.
	MaxSteps = 5
	maxWait  = 24 * 60 // minutes
)

// Asked is what rules look at.
type Asked struct {
	Level, Agent, Function, Environment string
	AgentName                           string
	Approval                            string // its id; empty of one that is only thought of
}

// Rule finds the one that decides. why says of each that was passed over what did not match.
func (p Plan) Rule(a Asked, at time.Time) (r Rule, ok bool, why []fault.Text) {
	for _, r := range p.Rules {
		miss := r.When.misses(a, at)
		if miss.Empty() {
			return r, true, why
		}
		why = append(why, miss)
	}
	return Rule{}, false, why
}

// misses says what of a request does not match; empty for nothing.
func (w When) misses(a Asked, at time.Time) fault.Text {
	environment := func(s string) bool { return strings.EqualFold(s, a.Environment) }
	switch {
	case len(w.Levels) > 0 && !slices.Contains(w.Levels, a.Level):
		return fault.Textf("the level doesn't match")
	case len(w.Agents) > 0 && !slices.Contains(w.Agents, a.Agent):
		return fault.Textf("the agent doesn't match")
	case len(w.Functions) > 0 && !slices.ContainsFunc(w.Functions, func(p string) bool { return matches(p, a.Function) }):
		return fault.Textf("the function doesn't match")
	case len(w.Environments) > 0 && !slices.ContainsFunc(w.Environments, environment):
		return fault.Textf("the environment doesn't match")
	case w.Hours.Set() && !w.Hours.Within(at):
		return fault.Textf("it's outside its hours")
	}
	return fault.Text{}
}

// matches holds a name against a pattern whose only wildcard is a * at the end.
func matches(pattern, name string) bool {
	if begin, any := strings.CutSuffix(pattern, "*"); any {
		return strings.HasPrefix(name, begin)
	}
	return pattern == name
}

// check refuses what is no rule of this plan. The names of the fields are those of the form.
func (p Plan) check(r Rule) error {
	if err := checkName(r.Name); err != nil {
		return err
	}
	for _, l := range r.When.Levels {
		if !slices.Contains(Levels(), l) {
			return fault.Member(fault.InvalidForm, "levels", "%.20q isn't a level; choose from the list", l)
		}
	}
	for field, all := range map[string][]string{"agents": r.When.Agents, "functions": r.When.Functions, "environments": r.When.Environments} {
		if len(all) > maxMatched {
			return fault.Member(fault.InvalidForm, field, "%d is too many; the limit is %d", len(all), maxMatched)
		}
		for _, name := range all {
			if len(name) > scoring.MaxNameBytes || strings.Contains(strings.TrimSuffix(name, "*"), "*") {
				return fault.Member(fault.InvalidForm, field, "%.60q isn't a name; a * can only be at its end", name)
			}
		}
	}
	if err := r.When.Hours.Check("when_"); err != nil {
		return err
	}
	if len(r.Steps) == 0 || len(r.Steps) > MaxSteps {
		return fault.Member(fault.InvalidForm, "step1", "choose who is called first; a rule has 1 to %d steps", MaxSteps)
	}
	for i, s := range r.Steps {
		if err := p.checkStep(i, s); err != nil {
			return err
		}
	}
	return nil
}

func (p Plan) checkStep(i int, s Step) error {
	field := "step" + string(rune('1'+i))
	switch {
	case len(s.Targets) == 0:
		return fault.Member(fault.InvalidForm, field, "choose who is called in this step, or leave out the later ones")
	case len(s.Targets) > maxTargets:
		return fault.Member(fault.InvalidForm, field, "%d is too many; at most %d can be called at once", len(s.Targets), maxTargets)
	case s.Minutes < 1 || s.Minutes > maxWait:
		return fault.Member(fault.InvalidForm, "wait"+string(rune('1'+i)), "enter the minutes to wait, 1 to %d", maxWait)
	}
	for _, t := range s.Targets {
		kind, id := t.Split()
		team, known := p.team(id)
		switch {
		case kind == ToPerson, kind == ToChannel:
		case kind != ToTeam && kind != ToOnCall, !known:
			return fault.Member(fault.InvalidForm, field, "someone who is called was removed; choose from the list")
		case kind == ToOnCall && team.Rotation == nil:
			return fault.Member(fault.InvalidForm, field, "the team %s has no rotation, so no one is on call; set one, or call everyone in it", team.Name)
		}
	}
	return nil
}

// checkName refuses names of rules and teams.
func checkName(name string) error {
	switch {
	case strings.TrimSpace(name) == "":
		return fault.Member(fault.InvalidForm, "name", "give it a name, for example Production at night")
	case len([]rune(name)) > maxName:
		return fault.Member(fault.InvalidForm, "name", "the name has more than %d characters", maxName)
	case scoring.HoldsSecret(name):
		return fault.Member(fault.InvalidForm, "name", "the name contains what looks like a secret, and everyone can see names; choose another")
	}
	return nil
}

// Levels are those of requests that can wait, the highest first.
func Levels() []string { return []string{"CRITICAL", "HIGH", "MEDIUM", "LOW"} }

func (p Plan) team(id string) (Team, bool) {
	i := slices.IndexFunc(p.Teams, func(t Team) bool { return t.ID == id })
	if i < 0 {
		return Team{}, false
	}
	return p.Teams[i], true
}

// rule is the place of one, or -1.
func (p Plan) rule(id string) int {
	return slices.IndexFunc(p.Rules, func(r Rule) bool { return r.ID == id })
}

// uses finds a rule that calls a team.
func (p Plan) uses(team string) (Rule, bool) {
	for _, r := range p.Rules {
		for _, s := range r.Steps {
			if slices.Contains(s.Targets, To(ToTeam, team)) || slices.Contains(s.Targets, To(ToOnCall, team)) {
				return r, true
			}
		}
	}
	return Rule{}, false
}
