package notices

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/tenants"
)

// Routing is what the page of the rules shows.
type Routing struct {
	Directory
	Agents []tenants.Agent
	Now    time.Time
}

// Routing reads the rules and teams of the organisation, and who can be called.
func (s *Service) Routing(ctx context.Context, m auth.Member) (r Routing, err error) {
	if err := may(m, auth.ReadNotices); err != nil {
		return r, err
	}
	err = s.store.Read(ctx, m.Tenant, func(rd Reader) error {
		r.Now = rd.Now()
		if r.Agents, err = rd.Agents(); err != nil {
			return err
		}
		r.Directory, err = s.directory(rd)
		return err
	})
	return r, err
}

// Foreseen is who would be called for a request, and why.
type Foreseen struct {
	// Rule is the one that decides; "" where none matches. Passed are the names of those
	// before it, with what did not match.
	Rule   string
	Passed []Passed
	Steps  []ForeseenStep
	// Programs are channels that are told of it anyway.
	Programs []Channel
}

// Passed is a rule that did not match.
type Passed struct {
	Rule string
	Why  fault.Text
}

// ForeseenStep is who is called then.
type ForeseenStep struct {
	// At is when, if nobody claims or decides: steps that reach nobody take no time.
	At     time.Time
	Called []Called
}

// Foresee says who would be called for a request that comes at a time.
func (d Directory) Foresee(a Asked, at time.Time) (f Foreseen) {
	for _, c := range d.Channels {
		if slices.Contains(d.programs(Held), c.ID) {
			f.Programs = append(f.Programs, c)
		}
	}
	rule, ok, why := d.Plan.Rule(a, at)
	for i, w := range why {
		f.Passed = append(f.Passed, Passed{d.Plan.Rules[i].Name, w})
	}
	if !ok {
		all := slices.DeleteFunc(d.unruled(a, at), func(c Called) bool { return c.Channel.ID != "" && d.Program(c.Channel) })
		f.Steps = []ForeseenStep{{At: at, Called: all}}
		return f
	}
	f.Rule = rule.Name
	for _, s := range rule.Steps {
		all := d.step(s, a, at)
		f.Steps = append(f.Steps, ForeseenStep{At: at, Called: all})
		if len(ids(all)) > 0 {
			at = at.Add(time.Duration(s.Minutes) * time.Minute)
		}
	}
	return f
}

// changePlan writes what fn makes of the plan whose version the admin saw, with what was
// there before and after.
func (s *Service) changePlan(ctx context.Context, m auth.Member, version int64, fn func(r Reader, p *Plan) (change, error)) error {
	return s.writing(ctx, m, func(w Writer) error {
		p, err := w.NoticePlan()
		if err != nil {
			return err
		}
		seen := p.Version == version
		c, err := fn(w, &p)
		if !seen && !fault.Is(err, fault.Missing) { // what is not there is told to whoever saw any version
			return fault.New(fault.Changed, "someone else changed the rules in the meantime; check them, then make your change again")
		}
		if err != nil {
			return err
		}
		if err := w.KeepNoticePlan(p, version); err != nil {
			return err
		}
		return w.Append(c.event(m))
	})
}

// change is one change of the plan; nil stands for what is not there.
type change struct {
	what, name    string
	before, after any
}

func (c change) event(m auth.Member) audit.Event {
	return audit.Event{Kind: audit.RoutingChanged, Actor: actor(m), Data: canon.Object(
		canon.Member{Name: "what", Value: canon.String(c.what)}, canon.Member{Name: "name", Value: canon.String(c.name)},
		canon.Member{Name: "before", Value: data(c.before)}, canon.Member{Name: "after", Value: data(c.after)},
	)}
}

// data is what a struct of ours says as JSON.
func data(v any) canon.Value {
	text, err := json.Marshal(v)
	if err != nil {
		return canon.String(err.Error())
	}
	tree, err := canon.Parse(text)
	if err != nil {
		return canon.String(string(text))
	}
	return tree
}

// KeepRule adds a rule at the end, or changes the one with its id. It returns the id.
func (s *Service) KeepRule(ctx context.Context, m auth.Member, version int64, r Rule) (string, error) {
	r.Name = strings.TrimSpace(r.Name)
	err := s.changePlan(ctx, m, version, func(rd Reader, p *Plan) (c change, err error) {
		if err := p.check(r); err != nil {
			return c, err
		}
		here, err := whoIsHere(rd)
		if err == nil {
			err = here.check(r)
		}
		if err != nil {
			return c, err
		}
		c = change{what: "rule", name: r.Name}
		at := p.rule(r.ID)
		switch {
		case r.ID == "" && len(p.Rules) >= maxRules:
			return c, fault.New(fault.InvalidForm, "there are already %d rules, which is the limit; delete one first", maxRules)
		case r.ID == "":
			r.ID = auth.NewID("rul")
			p.Rules = append(p.Rules, r)
		case at < 0:
			return c, fault.New(fault.Missing, "no such rule")
		default:
			c.before = p.Rules[at]
			p.Rules[at] = r
		}
		c.after = r
		return c, nil
	})
	return r.ID, err
}

// MoveRule sets a rule one place up or down.
func (s *Service) MoveRule(ctx context.Context, m auth.Member, version int64, id string, up bool) error {
	return s.changePlan(ctx, m, version, func(_ Reader, p *Plan) (c change, err error) {
		at := p.rule(id)
		if at < 0 {
			return c, fault.New(fault.Missing, "no such rule")
		}
		to := at + 1
		if up {
			to = at - 1
		}
		if to < 0 || to >= len(p.Rules) {
			return c, fault.New(fault.Changed, "the rule is already in that position")
		}
		c = change{what: "order", name: p.Rules[at].Name, before: p.names()}
		p.Rules[at], p.Rules[to] = p.Rules[to], p.Rules[at]
		c.after = p.names()
		return c, nil
	})
}

// names are those of the rules, in their order.
func (p Plan) names() (all []string) {
	for _, r := range p.Rules {
		all = append(all, r.Name)
	}
	return all
}

// RemoveRule deletes one. Calls that it began go on as they were.
func (s *Service) RemoveRule(ctx context.Context, m auth.Member, version int64, id string) error {
	return s.changePlan(ctx, m, version, func(_ Reader, p *Plan) (c change, err error) {
		at := p.rule(id)
		if at < 0 {
			return c, fault.New(fault.Missing, "no such rule")
		}
		c = change{what: "rule", name: p.Rules[at].Name, before: p.Rules[at]}
		p.Rules = slices.Delete(p.Rules, at, at+1)
		return c, nil
	})
}

// KeepTeam adds a team, or changes the one with its id; who took which day stays.
func (s *Service) KeepTeam(ctx context.Context, m auth.Member, version int64, t Team) (string, error) {
	t.Name = strings.TrimSpace(t.Name)
	err := s.changePlan(ctx, m, version, func(rd Reader, p *Plan) (c change, err error) {
		c = change{what: "team", name: t.Name}
		at := slices.IndexFunc(p.Teams, func(o Team) bool { return o.ID == t.ID })
		if at >= 0 && t.Rotation != nil && p.Teams[at].Rotation != nil {
			t.Rotation.Instead = p.Teams[at].Rotation.Instead
		}
		if err := checkName(t.Name); err != nil {
			return c, err
		}
		policy, _, err := rd.Policy()
		if err != nil {
			return c, err
		}
		t = t.following(policy.Deciders)
		if err := t.check(); err != nil {
			return c, err
		}
		here, err := whoIsHere(rd)
		if err == nil && slices.ContainsFunc(t.Members, func(id string) bool { return !here[To(ToPerson, id)] }) {
			err = fault.Member(fault.InvalidForm, "members", "someone in the team is no longer a member of the organisation; choose from the list")
		}
		if err != nil {
			return c, err
		}
		if used, ok := p.onCall(t.ID); ok && t.Rotation == nil {
			return c, fault.Member(fault.InvalidForm, "length", "the rule %s calls who is on call in this team; change the rule first", used.Name)
		}
		switch {
		case t.ID == "" && len(p.Teams) >= maxTeams:
			return c, fault.New(fault.InvalidForm, "there are already %d teams, which is the limit; delete one first", maxTeams)
		case t.ID == "":
			t.ID = auth.NewID("tem")
			p.Teams = append(p.Teams, t)
		case at < 0:
			return c, fault.New(fault.Missing, "no such team")
		default:
			c.before = p.Teams[at]
			p.Teams[at] = t
		}
		c.after = t
		return c, nil
	})
	return t.ID, err
}

// onCall finds a rule that calls who is on call in a team.
func (p Plan) onCall(team string) (Rule, bool) {
	for _, r := range p.Rules {
		for _, s := range r.Steps {
			if slices.Contains(s.Targets, To(ToOnCall, team)) {
				return r, true
			}
		}
	}
	return Rule{}, false
}

// RemoveTeam deletes a team that no rule calls.
func (s *Service) RemoveTeam(ctx context.Context, m auth.Member, version int64, id string) error {
	return s.changePlan(ctx, m, version, func(_ Reader, p *Plan) (c change, err error) {
		t, ok := p.team(id)
		if !ok {
			return c, fault.New(fault.Missing, "no such team")
		}
		if r, used := p.uses(id); used {
			return c, fault.New(fault.InvalidForm, "the rule %s calls this team; change the rule first", r.Name)
		}
		p.Teams = slices.DeleteFunc(p.Teams, func(o Team) bool { return o.ID == id })
		return change{what: "team", name: t.Name, before: t}, nil
	})
}

// TakeDay has somebody on call for a day in place of whose turn it is; "" gives it back.
func (s *Service) TakeDay(ctx context.Context, m auth.Member, version int64, team, day, person string) error {
	return s.changePlan(ctx, m, version, func(rd Reader, p *Plan) (c change, err error) {
		at := slices.IndexFunc(p.Teams, func(o Team) bool { return o.ID == team })
		if at < 0 || p.Teams[at].Rotation == nil {
			return c, fault.New(fault.Missing, "no such team, or it has no rotation")
		}
		if _, err := time.Parse(dayFormat, day); err != nil {
			return c, fault.Member(fault.InvalidForm, "day", "%.20q isn't a date; enter for example 2026-05-31", day)
		}
		if isOver(day, rd.Now()) {
			return c, fault.Member(fault.InvalidForm, "day", "%s is over; enter today or a later date", day)
		}
		here, err := whoIsHere(rd)
		if err == nil && person != "" && !here[To(ToPerson, person)] {
			err = fault.Member(fault.InvalidForm, "person", "this person is no longer a member of the organisation; choose from the list")
		}
		if err != nil {
			return c, err
		}
		t := p.Teams[at]
		r := t.Rotation.withInstead(day, person, rd.Now())
		c = change{what: "on-call", name: t.Name, before: t.Rotation.Instead, after: r.Instead}
		t.Rotation = &r
		p.Teams[at] = t
		return c, t.check()
	})
}
