package notices

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/authority"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring/deciders"
	"github.com/countersign/countersign/internal/tenants"
)

// Call is how far a rule is with one request. It keeps the steps as they were when the
// request came: a change of the rule is for the requests after it.
type Call struct {
	Approval string
	Rule     string // its name then
	Steps    []Step
	Step     int // that was called last, from 0
	State    CallState
	Next     time.Time // when the next step is due, while calling
}

// CallState is whether there is a next step.
type CallState string

const (
	CallOpen  CallState = "calling"
	CallOver  CallState = "over"   // the request waits no more
	CallEmpty CallState = "nobody" // every step had its time, and nobody came
)

// callsAtOnce bounds how many calls of a tenant one round takes further.
const callsAtOnce = 200

// directory reads everything that says who is called.
func (s *Service) directory(r Reader) (d Directory, err error) {
	d = Directory{People: map[string]Someone{}, Owns: map[string]Own{}, snoozed: map[[2]string]bool{}, Program: s.program}
	policy, _, err := r.Policy()
	if err != nil {
		return d, err
	}
	if d.Plan, err = r.NoticePlan(); err != nil {
		return d, err
	}
	d.Deciders = policy.Deciders
	for i, t := range d.Plan.Teams {
		d.Plan.Teams[i] = t.following(d.Deciders)
	}
	sealed, err := r.NoticeChannels()
	if err != nil {
		return d, err
	}
	for _, c := range sealed {
		d.Channels = append(d.Channels, c.Channel)
	}
	owns, err := r.NoticeOwns()
	if err != nil {
		return d, err
	}
	for _, o := range owns {
		d.Owns[o.Person] = o
	}
	snoozes, err := r.Snoozes()
	if err != nil {
		return d, err
	}
	for _, z := range snoozes {
		d.snoozed[[2]string{z.Approval, z.Person}] = true
	}
	away, err := r.Absences()
	if err != nil {
		return d, err
	}
	d.Away = tenants.AwayNow(away, r.Now())
	members, err := r.Members()
	for _, m := range members {
		d.People[m.Person.ID] = someone(m)
	}
	return d, err
}

// whoIsMissing are the people who still have to approve a request: of a team with a rotation who
// is on call, if they can, else all who can. nil: it doesn't matter who.
func (d Directory) whoIsMissing(r Reader, a approvals.Approval, asked Asked) (all []Called, err error) {
	if a, err = a.Judged(r); err != nil || len(a.Needed) == 0 {
		return nil, err
	}
	all = []Called{}
	able := map[string]bool{}
	for _, n := range a.Needed {
		for _, p := range n.Able {
			able[p.ID] = true
		}
	}
	for _, n := range a.Needed {
		if n.Missing() < 1 || n.Team == "" && len(n.People) == 0 {
			continue
		}
		if c := d.onCallFor(n, asked, r.Now()); len(ids(c)) > 0 {
			all = append(all, c...)
			continue
		}
		for _, p := range n.Able {
			all = append(all, d.person(To(ToPerson, p.ID), p.ID, fault.Textf("has to approve: %s", n.Who()), asked, r.Now())...)
		}
	}
	// Of these only deputies help who can approve it themselves.
	return slices.DeleteFunc(d.withDeputies(all, asked, r.Now()), func(c Called) bool { return c.For != "" && !able[c.Person] }), nil
}

// onCallFor is who of a team is on call and can approve.
func (d Directory) onCallFor(n deciders.Needed, asked Asked, at time.Time) []Called {
	i := slices.IndexFunc(d.Plan.Teams, func(t Team) bool { return t.Name == n.Team })
	if i < 0 || n.Missing() > 1 {
		return nil
	}
	turn, ok := d.Plan.Teams[i].OnCall(at)
	if !ok || !slices.ContainsFunc(n.Able, func(p authority.Person) bool { return p.ID == turn.Person }) {
		return nil
	}
	return d.person(To(ToOnCall, d.Plan.Teams[i].ID), turn.Person, fault.Textf("on call in %s", n.Team), asked, at)
}

func someone(m tenants.Membership) Someone {
	as := auth.Member{Tenant: m.Tenant, Person: m.Person, Roles: m.Roles}
	return Someone{ID: m.Person.ID, Name: m.Person.Name, Email: m.Person.Email, Decides: as.May(auth.Decide), Suspended: m.Suspended != nil}
}

// program reports whether a channel is for programs: they want every notice.
func (s *Service) program(c Channel) bool {
	sender, ok := s.senders[c.Kind]
	return ok && sender.About().Late
}

func askedOf(a approvals.Approval) Asked {
	return Asked{Approval: a.ID, Level: a.Assessment.Level.String(), Agent: a.Agent.ID, AgentName: a.Agent.Name, Function: a.Function, Environment: a.Subject().Environment}
}

// whom is who is told of a notice. Where a rule calls somebody to a request, its call begins;
// events are for the end of the transaction.
func (s *Service) whom(w Writer, n Notice) (told []string, events []audit.Event, err error) {
	d, err := s.directory(w)
	if err != nil {
		return nil, nil, err
	}
	if n.Kind == Assigned || n.Kind == Mentioned {
		a, err := w.Approval(n.Approval)
		if err != nil {
			return nil, nil, err
		}
		all := d.person(To(ToPerson, n.Subject), n.Subject, fault.Text{}, askedOf(a), w.Now())
		if n.Kind == Assigned {
			all = d.withDeputies(all, askedOf(a), w.Now())
		}
		return ids(all), nil, standIns(w, n.Approval, all)
	}
	if n.Kind == Ending {
		return nil, nil, s.remind(w, n.Approval)
	}
	if n.Kind != Held || n.Only != "" {
		called := map[string]bool{}
		if n.Kind.Ends() {
			all, _, _, err := w.DeliveriesOf(n.Approval)
			if err != nil {
				return nil, nil, err
			}
			for _, c := range callsOf(all) {
				called[c.Channel] = true
			}
		}
		return route(n, d.Channels, s.follows, called), nil, nil
	}
	a, err := w.Approval(n.Approval)
	if err != nil {
		return nil, nil, err
	}
	if !a.Status.Final() {
		if _, err := remindLater(w, a); err != nil {
			return nil, nil, err
		}
	}
	asked, now := askedOf(a), w.Now()
	if d.missing, err = d.whoIsMissing(w, a, asked); err != nil {
		return nil, nil, err
	}
	rule, ok, _ := d.Plan.Rule(asked, now)
	if !ok {
		all := d.unruled(asked, now)
		return ids(all), nil, standIns(w, a.ID, all)
	}
	c := Call{Approval: a.ID, Rule: rule.Name, Steps: rule.Steps, State: CallOpen}
	var all []Called
	c.Step, all = d.from(c.Steps, 0, asked, now)
	switch {
	case a.Status.Final():
		c.State, c.Step, c.Next = CallOver, 0, now
	case c.Step == len(c.Steps) && len(ids(d.missing)) > 0:
		c.Step--
		all, c.Next = d.missing, now.Add(c.wait())
	case c.Step == len(c.Steps):
		c.State, c.Step, c.Next = CallEmpty, len(c.Steps)-1, now
		events = append(events, nobodyCame(a, c))
	default:
		c.Next = now.Add(c.wait())
	}
	if err := standIns(w, a.ID, all); err != nil {
		return nil, nil, err
	}
	return append(ids(all), d.programs(Held)...), events, w.KeepNoticeCall(c, -1)
}

// wait is how much time the last step has.
func (c Call) wait() time.Duration { return time.Duration(c.Steps[c.Step].Minutes) * time.Minute }

func nobodyCame(a approvals.Approval, c Call) audit.Event {
	return escalation(a, audit.NobodyCame, canon.Member{Name: "rule", Value: canon.String(c.Rule)})
}

func escalation(a approvals.Approval, k audit.Kind, data ...canon.Member) audit.Event {
	return audit.Event{
		Tenant: a.Tenant, Kind: k, Actor: audit.Actor{Kind: "system"}, Approval: a.ID, Agent: a.Agent.ID,
		Level: a.Assessment.Level.String(), Function: a.Function, Effect: string(a.Effect()), Data: canon.Object(data...),
	}
}

// escalateAll takes the calls of a tenant further that are due.
func (s *Service) escalateAll(ctx context.Context, tenant string, due []Call) error {
	var failed []error
	for _, c := range due {
		err := s.store.Write(ctx, tenant, func(w Writer) error { return s.escalate(w, c) })
		switch {
		case err == nil:
			s.changed(tenant, c.Approval)
		case !fault.Is(err, fault.Changed): // else another server was there first
			failed = append(failed, err)
		}
	}
	return errors.Join(failed...)
}

// escalate is one step of one call, in one transaction with what it tells: so it happens
// once, whoever tries. A claim holds it back for as long as it lasts.
func (s *Service) escalate(w Writer, c Call) error {
	was, now := c.Step, w.Now()
	a, err := w.Approval(c.Approval)
	if err != nil {
		return err
	}
	if a.Status.Final() {
		c.State = CallOver
		return w.KeepNoticeCall(c, was)
	}
	claims, err := w.Claims()
	if err != nil {
		return err
	}
	if until, ok := claimed(claims, c.Approval); ok {
		c.Next = until
		return w.KeepNoticeCall(c, was)
	}
	d, err := s.directory(w)
	if err != nil {
		return err
	}
	asked := askedOf(a)
	if d.missing, err = d.whoIsMissing(w, a, asked); err != nil {
		return err
	}
	next, all := d.from(c.Steps, c.Step+1, asked, now)
	if next == len(c.Steps) {
		c.State, c.Next = CallEmpty, now
		if err := w.KeepNoticeCall(c, was); err != nil {
			return err
		}
		return w.Append(nobodyCame(a, c))
	}
	c.Step = next
	c.Next = now.Add(c.wait())
	if err := w.KeepNoticeCall(c, was); err != nil {
		return err
	}
	if err := standIns(w, a.ID, all); err != nil {
		return err
	}
	n := New(Escalated)
	n.Approval = c.Approval
	if err := w.PostNotice(n); err != nil {
		return err
	}
	if err := w.RouteNotice(n, append(ids(all), d.programs(Escalated)...)); err != nil {
		return err
	}
	return w.Append(escalation(a, audit.CalledNext,
		canon.Member{Name: "rule", Value: canon.String(c.Rule)},
		canon.Member{Name: "step", Value: canon.Int(int64(next + 1))},
		canon.Member{Name: "of", Value: canon.Int(int64(len(c.Steps)))},
		canon.Member{Name: "called", Value: calledData(all)}))
}

// claimed is until when somebody is on a request; ok is false where nobody is. Whom somebody
// else asked may not be there.
func claimed(claims []approvals.Claim, approval string) (until time.Time, ok bool) {
	for _, c := range claims {
		if c.Approval == approval && c.By == "" {
			return c.Until, true
		}
	}
	return until, false
}

// calledData names who was called, people by id.
func calledData(all []Called) canon.Value {
	var out []canon.Value
	for _, c := range all {
		if c.Channel.ID == "" {
			continue
		}
		members := []canon.Member{{Name: "channel", Value: canon.String(c.Channel.ID)}}
		if c.Person != "" {
			members = append(members, canon.Member{Name: "person", Value: canon.String(c.Person)})
		}
		if c.For != "" {
			members = append(members, canon.Member{Name: "for", Value: canon.String(c.For)})
		}
		out = append(out, canon.Object(members...))
	}
	return canon.Array(out...)
}
