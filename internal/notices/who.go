package notices

import (
	"slices"
	"time"

	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring/deciders"
	"github.com/countersign/countersign/internal/tenants"
)

// Own is what a person set about being called. It narrows what rules say.
type Own struct {
	Person string `json:"-"`
	// Levels and Agents (ids) are those to which they are called; none is all.
	Levels []string `json:"levels,omitempty"`
	Agents []string `json:"agents,omitempty"`
	// Quiet are the hours in which they are called to CRITICAL requests only.
	Quiet   Hours `json:"quiet,omitzero"`
	Version int64 `json:"-"`
}

// quietEnds is the level that quiet hours do not hold back.
const quietEnds = "CRITICAL"

// refuses says why a person is not called; empty where they are.
func (o Own) refuses(a Asked, at time.Time) fault.Text {
	switch {
	case len(o.Levels) > 0 && !slices.Contains(o.Levels, a.Level):
		return fault.Textf("their own settings leave out %s", a.Level)
	case len(o.Agents) > 0 && !slices.Contains(o.Agents, a.Agent):
		return fault.Textf("their own settings leave out this agent")
	case a.Level != quietEnds && o.Quiet.Set() && o.Quiet.Within(at):
		return fault.Textf("these are their quiet hours")
	}
	return fault.Text{}
}

// Someone is a member of the organisation.
type Someone struct {
	ID, Name string
	Email    string
	Decides  bool // their roles let them decide
	// Suspended people stay in rules and teams, and are not called.
	Suspended bool
}

// Directory is everything that says who is called.
type Directory struct {
	Plan     Plan
	Channels []Channel
	Owns     map[string]Own     // by person; who set nothing is not in it
	People   map[string]Someone // by person
	// Program reports whether a channel is for programs, which rules do not narrow.
	Program func(Channel) bool
	// Deciders are the teams that decide: a team of the plan with the same name has their people.
	Deciders deciders.Settings

	// Away are those who are away, for whom their deputies are called, too.
	Away []tenants.Absence

	snoozed map[[2]string]bool // what people put aside for now, by approval and person
	missing []Called           // who still has to approve the request; nil: it doesn't matter who
}

// Called is one channel that is called, or somebody who is not and why.
type Called struct {
	Target  Target
	Person  string  // "" where a channel of the organisation is called
	Channel Channel // the zero one where Not says why nobody is called
	// For is in whose place they are called, by id; empty in nobody's.
	For string
	// Why says how it comes to this one: as who is on call; may be empty.
	Why fault.Text
	Not fault.Text
}

// step is who is called in one step. A channel that is there twice is called once.
func (d Directory) step(s Step, a Asked, at time.Time) (all []Called) {
	seen := map[string]bool{}
	add := func(found []Called) {
		for _, c := range found {
			if c.Channel.ID == "" || !seen[c.Channel.ID] {
				seen[c.Channel.ID] = true
				all = append(all, c)
			}
		}
	}
	for _, t := range s.Targets {
		kind, id := t.Split()
		team, there := d.Plan.team(id)
		switch kind {
		case ToChannel:
			add([]Called{d.channel(t, id)})
		case ToPerson:
			add(d.person(t, id, fault.Text{}, a, at))
		case ToTeam:
			for _, m := range team.Members {
				add(d.person(t, m, fault.Textf("a member of %s", team.Name), a, at))
			}
			switch {
			case !there:
				add([]Called{{Target: t, Not: fault.Textf("the team was deleted")}})
			case len(team.Members) == 0:
				add([]Called{{Target: t, Not: fault.Textf("the team has no members")}})
			}
		case ToOnCall:
			turn, ok := team.OnCall(at)
			switch {
			case !ok:
				add([]Called{{Target: t, Not: fault.Textf("no one is on call")}})
			case turn.Instead:
				add(d.person(t, turn.Person, fault.Textf("took this day's on-call shift in %s", team.Name), a, at))
			default:
				add(d.person(t, turn.Person, fault.Textf("on call in %s", team.Name), a, at))
			}
		}
	}
	return d.withDeputies(all, a, at)
}

// withDeputies adds the deputies of those among them who are away, but for whom it was left to
// themselves not to be called, and for deputies who are called anyhow.
func (d Directory) withDeputies(all []Called, a Asked, at time.Time) []Called {
	called := func(person string) bool {
		return slices.ContainsFunc(all, func(c Called) bool { return c.Person == person })
	}
	for _, one := range d.Away {
		person := d.People[one.Person.ID]
		if !one.Gone.Empty() || !called(one.Person.ID) || called(one.Deputy.ID) || person.ID == "" || person.Suspended || !d.Owns[person.ID].refuses(a, at).Empty() {
			continue
		}
		for _, c := range d.person(To(ToPerson, one.Deputy.ID), one.Deputy.ID, fault.Textf("in place of %s, who is away", one.Person.Name), a, at) {
			c.For = one.Person.ID
			all = append(all, c)
		}
	}
	return all
}

// standIns notes who was called in whose place.
func standIns(w Writer, approval string, all []Called) error {
	for _, c := range all {
		if c.For == "" {
			continue
		}
		if err := w.StandIn(approval, c.For, c.Person); err != nil {
			return err
		}
	}
	return nil
}

func (d Directory) channel(t Target, id string) Called {
	i := slices.IndexFunc(d.Channels, func(c Channel) bool { return c.ID == id && c.Person == "" })
	switch {
	case i < 0:
		return Called{Target: t, Not: fault.Textf("the channel was deleted")}
	case d.Channels[i].State != Active:
		return Called{Target: t, Not: fault.Textf("the channel %s is turned off", d.Channels[i].Name)}
	}
	return Called{Target: t, Channel: d.Channels[i]}
}

// person is each channel of their own.
func (d Directory) person(t Target, id string, why fault.Text, a Asked, at time.Time) (all []Called) {
	not := func(f fault.Text) []Called { return []Called{{Target: t, Person: id, Why: why, Not: f}} }
	switch p, ok := d.People[id]; {
	case !ok:
		return not(fault.Textf("is no longer a member"))
	case p.Suspended:
		return not(fault.Textf("is suspended"))
	}
	if f := d.Owns[id].refuses(a, at); !f.Empty() {
		return not(f)
	}
	if d.snoozed[[2]string{a.Approval, id}] {
		return not(fault.Textf("has snoozed it"))
	}
	for _, c := range d.Channels {
		if c.Person == id && c.State == Active {
			all = append(all, Called{Target: t, Person: id, Channel: c, Why: why})
		}
	}
	if len(all) == 0 {
		return not(fault.Textf("hasn't set up a channel yet (Account › Notices)"))
	}
	return all
}

// from is who is called from a step on, with whoever still has to approve: steps that reach nobody
// are passed over. reached is the step that reaches somebody, or how many there are.
func (d Directory) from(steps []Step, first int, a Asked, at time.Time) (reached int, all []Called) {
	for i := first; i < len(steps); i++ {
		if found := d.step(steps[i], a, at); len(ids(found)) > 0 {
			return i, once(append(found, d.missing...))
		}
	}
	return len(steps), nil
}

// ids are the channels that are called.
func ids(all []Called) (out []string) {
	for _, c := range all {
		if c.Channel.ID != "" {
			out = append(out, c.Channel.ID)
		}
	}
	return out
}

// unruled is who is called where no rule matches: every channel that tells of requests, those
// of people as they set it; of people only those who are missing, where it matters who approves.
func (d Directory) unruled(a Asked, at time.Time) (all []Called) {
	for _, c := range d.Channels {
		switch {
		case c.State != Active || !c.Tell(Held):
		case c.Person == "":
			all = append(all, Called{Target: To(ToChannel, c.ID), Channel: c})
		case d.missing == nil:
			all = append(all, d.person(To(ToPerson, c.Person), c.Person, fault.Text{}, a, at)...)
		}
	}
	return d.withDeputies(once(append(all, d.missing...)), a, at)
}

// programs are told of whatever they are set to tell, whatever rules say.
func (d Directory) programs(k Kind) (out []string) {
	for _, c := range d.Channels {
		if c.State == Active && c.Person == "" && c.Tell(k) && d.Program(c) {
			out = append(out, c.ID)
		}
	}
	return out
}

// once keeps the first of each channel.
func once(all []Called) (out []Called) {
	for _, c := range all {
		if !slices.ContainsFunc(out, func(o Called) bool { return o.Channel.ID == c.Channel.ID && o.Person == c.Person }) {
			out = append(out, c)
		}
	}
	return out
}
