package notices

import (
	"slices"
	"testing"
	"time"
)

// people are a directory of two members with a channel each, one without, and two channels
// of the organisation.
func people() Directory {
	both := []Kind{Held, Escalated}
	return Directory{
		Channels: []Channel{
			{ID: "ops", Name: "#ops", Kind: "chat", State: Active, Tells: both},
			{ID: "hook", Name: "hook", Kind: "program", State: Active, Tells: both},
			{ID: "quiet", Name: "#quiet", Kind: "chat", State: Paused, Tells: both},
			{ID: "ada-mail", Person: "ada", Kind: "email", State: Active, Tells: both},
			{ID: "ben-mail", Person: "ben", Kind: "email", State: Active, Tells: both},
			{ID: "gone-mail", Person: "gone", Kind: "email", State: Active, Tells: both},
		},
		People: map[string]Someone{"ada": {ID: "ada", Name: "Ada"}, "ben": {ID: "ben", Name: "Ben"}, "mei": {ID: "mei", Name: "Mei"}},
		Owns: map[string]Own{
			"ben": {Person: "ben", Quiet: Hours{From: "22:00", To: "07:00", Zone: "UTC"}},
		},
		Plan: Plan{Teams: []Team{
			{ID: "pay", Name: "Payments", Members: []string{"ada", "ben"}, Rotation: &Rotation{Hours: 24, Starts: "2026-05-01", At: "00:00", Zone: "UTC"}},
		}},
		Program: func(c Channel) bool { return c.Kind == "program" },
	}
}

var noon, midnight = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC), time.Date(2026, 5, 1, 23, 30, 0, 0, time.UTC)

// The first rule that matches decides, and each one before it says what did not match.
func TestFirstRuleDecides(t *testing.T) {
	t.Parallel()
	rules := []Rule{
		{Name: "level", When: When{Levels: []string{"CRITICAL"}}},
		{Name: "agent", When: When{Agents: []string{"agt_1"}}},
		{Name: "function", When: When{Functions: []string{"db.*", "deploy"}}},
		{Name: "environment", When: When{Environments: []string{"Production"}}},
		{Name: "hours", When: When{Hours: Hours{From: "22:00", To: "06:00", Zone: "UTC"}}},
		{Name: "both", When: When{Levels: []string{"MEDIUM"}, Environments: []string{"staging"}}},
	}
	for _, c := range []struct {
		asked Asked
		at    time.Time
		want  string
	}{
		{Asked{Level: "CRITICAL", Agent: "agt_1", Function: "deploy"}, noon, "level"},
		{Asked{Level: "HIGH", Agent: "agt_1", Function: "deploy"}, noon, "agent"},
		{Asked{Level: "HIGH", Function: "deploy"}, noon, "function"},
		{Asked{Level: "HIGH", Function: "db.drop"}, noon, "function"},
		{Asked{Level: "HIGH", Function: "deploy_all", Environment: "production"}, noon, "environment"},
		{Asked{Level: "HIGH", Function: "x"}, midnight, "hours"},
		{Asked{Level: "MEDIUM", Environment: "staging"}, noon, "both"},
		{Asked{Level: "HIGH", Environment: "staging"}, noon, ""},
	} {
		p := Plan{Rules: rules}
		r, ok, why := p.Rule(c.asked, c.at)
		if r.Name != c.want || ok != (c.want != "") {
			t.Errorf("%+v at %s: the rule %q decides, want %q", c.asked, c.at, r.Name, c.want)
		}
		if at := slices.IndexFunc(rules, func(r Rule) bool { return r.Name == c.want }); at >= 0 && len(why) != at {
			t.Errorf("%+v: %d rules say what did not match, want %d", c.asked, len(why), at)
		}
	}
}

// Targets become channels; who is not called is there with the reason.
func TestWhoIsCalled(t *testing.T) {
	t.Parallel()
	high, critical := Asked{Level: "HIGH", Agent: "agt_1"}, Asked{Level: "CRITICAL", Agent: "agt_1"}
	for _, c := range []struct {
		name   string
		target Target
		asked  Asked
		at     time.Time
		want   []string
		not    []string
	}{
		{"a channel", To(ToChannel, "ops"), high, noon, []string{"ops"}, nil},
		{"a channel that is off", To(ToChannel, "quiet"), high, noon, nil, []string{"the channel #quiet is turned off"}},
		{"a channel that is gone", To(ToChannel, "x"), high, noon, nil, []string{"the channel was deleted"}},
		{"somebody's own channel is no channel of the organisation", To(ToChannel, "ada-mail"), high, noon, nil, []string{"the channel was deleted"}},
		{"a person", To(ToPerson, "ada"), high, noon, []string{"ada-mail"}, nil},
		{"a person without a channel", To(ToPerson, "mei"), high, noon, nil, []string{"hasn't set up a channel yet (Account › Notices)"}},
		{"who left", To(ToPerson, "gone"), high, noon, nil, []string{"is no longer a member"}},
		{"quiet hours", To(ToPerson, "ben"), high, midnight, nil, []string{"these are their quiet hours"}},
		{"quiet hours and CRITICAL", To(ToPerson, "ben"), critical, midnight, []string{"ben-mail"}, nil},
		{"a team", To(ToTeam, "pay"), high, noon, []string{"ada-mail", "ben-mail"}, nil},
		{"a team at night", To(ToTeam, "pay"), high, midnight, []string{"ada-mail"}, []string{"these are their quiet hours"}},
		{"who is on call", To(ToOnCall, "pay"), high, noon, []string{"ada-mail"}, nil},
		{"who is on call the day after", To(ToOnCall, "pay"), high, noon.Add(24 * time.Hour), []string{"ben-mail"}, nil},
		{"a team that is gone", To(ToOnCall, "x"), high, noon, nil, []string{"no one is on call"}},
	} {
		d := people()
		all := d.step(Step{Targets: []Target{c.target, c.target}}, c.asked, c.at)
		var not []string
		for _, one := range all {
			if !one.Not.Empty() && !slices.Contains(not, one.Not.String()) {
				not = append(not, one.Not.String())
			}
		}
		if got := ids(all); !slices.Equal(got, c.want) || !slices.Equal(not, c.not) {
			t.Errorf("%s: called are %q, not called %q; want %q and %q", c.name, got, not, c.want, c.not)
		}
	}
}

// What somebody set for themselves narrows what a rule says.
func TestOwnSettingsNarrow(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		own  Own
		want string
	}{
		{Own{}, ""},
		{Own{Levels: []string{"HIGH"}, Agents: []string{"agt_1"}}, ""},
		{Own{Levels: []string{"CRITICAL"}}, "their own settings leave out HIGH"},
		{Own{Agents: []string{"agt_2"}}, "their own settings leave out this agent"},
		{Own{Quiet: Hours{From: "11:00", To: "13:00", Zone: "UTC"}}, "these are their quiet hours"},
	} {
		if got := c.own.refuses(Asked{Level: "HIGH", Agent: "agt_1"}, noon).String(); got != c.want {
			t.Errorf("%+v: %q, want %q", c.own, got, c.want)
		}
	}
}

// A step that reaches nobody takes no time; without a rule everything that tells of requests
// is called; programs are told of everything.
func TestForesee(t *testing.T) {
	t.Parallel()
	d := people()
	d.Plan.Rules = []Rule{{Name: "first", When: When{Levels: []string{"HIGH"}}, Steps: []Step{
		{Targets: []Target{To(ToPerson, "mei")}, Minutes: 5}, {Targets: []Target{To(ToPerson, "ada")}, Minutes: 10}, {Targets: []Target{To(ToChannel, "ops")}, Minutes: 5},
	}}}
	f := d.Foresee(Asked{Level: "HIGH"}, noon)
	if f.Rule != "first" || len(f.Steps) != 3 || !f.Steps[1].At.Equal(noon) || !f.Steps[2].At.Equal(noon.Add(10*time.Minute)) || len(f.Programs) != 1 || f.Programs[0].ID != "hook" {
		t.Errorf("foreseen is %+v", f)
	}
	if at, all := d.from(d.Plan.Rules[0].Steps, 0, Asked{Level: "HIGH"}, noon); at != 1 || !slices.Equal(ids(all), []string{"ada-mail"}) {
		t.Errorf("the first step that reaches somebody is %d: %v", at, ids(all))
	}
	f = d.Foresee(Asked{Level: "LOW"}, midnight)
	if f.Rule != "" || len(f.Passed) != 1 || !slices.Equal(ids(f.Steps[0].Called), []string{"ops", "ada-mail"}) {
		t.Errorf("without a rule, foreseen is %+v", f)
	}
}

// A plan refuses what could never call anybody.
func TestPlanChecks(t *testing.T) {
	t.Parallel()
	p := Plan{Teams: []Team{{ID: "pay", Name: "Payments", Members: []string{"ada"}}}}
	good := Rule{Name: "n", Steps: []Step{{Targets: []Target{To(ToTeam, "pay")}, Minutes: 5}}}
	if err := p.check(good); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(r *Rule){
		"no name":                func(r *Rule) { r.Name = " " },
		"no step":                func(r *Rule) { r.Steps = nil },
		"an empty step":          func(r *Rule) { r.Steps = []Step{{Minutes: 5}} },
		"no wait":                func(r *Rule) { r.Steps = []Step{{Targets: good.Steps[0].Targets}} },
		"a level of nothing":     func(r *Rule) { r.When.Levels = []string{"URGENT"} },
		"a star in the middle":   func(r *Rule) { r.When.Functions = []string{"a*b"} },
		"nobody on call":         func(r *Rule) { r.Steps = []Step{{Targets: []Target{To(ToOnCall, "pay")}, Minutes: 5}} },
		"a team that is gone":    func(r *Rule) { r.Steps = []Step{{Targets: []Target{To(ToTeam, "x")}, Minutes: 5}} },
		"a kind of target":       func(r *Rule) { r.Steps = []Step{{Targets: []Target{"moon:x"}, Minutes: 5}} },
		"hours without an end":   func(r *Rule) { r.When.Hours.From = "09:00" },
		"too many steps in line": func(r *Rule) { r.Steps = slices.Repeat(r.Steps, MaxSteps+1) },
	} {
		r := good
		if change(&r); p.check(r) == nil {
			t.Errorf("a rule with %s is accepted", name)
		}
	}
}
