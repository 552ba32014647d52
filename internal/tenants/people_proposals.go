package tenants

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/authority"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
)

// What one admin asks for and another has to accept: rights, links, removals. Which acts
// those are, and who may accept them, package authority says (docs/policy.md).

// PeopleAct is what is asked for.
type PeopleAct string

const (
	ActRoles     PeopleAct = "roles"
	ActRemove    PeopleAct = "remove"
	ActReinstate PeopleAct = "reinstate"
	ActInvite    PeopleAct = "invite"
	ActPassword  PeopleAct = "password"
)

// How somebody is tied to somebody.
const (
	TieInvited  = "invited"
	TiePassword = "password"
)

// waitingLife is how long a link lives that waits for somebody to accept it; then it
// lives as long as any other.
const waitingLife = 30 * 24 * time.Hour

// PeopleProposal waits for somebody who may accept it. It ends once.
type PeopleProposal struct {
	ID          string // "prp_" + UUIDv7 in hex
	Act         PeopleAct
	Person      auth.Person // whom it is about; zero for ActInvite
	Email       string      // of the ticket
	Ticket      string      // id; for ActInvite and ActPassword
	Roles, From []auth.Role // to have, and had when it was asked
	Author      auth.Person
	CreatedAt   time.Time

	State    ProposalState
	ClosedAt *time.Time
	ClosedBy auth.Person
	Answer   string // why somebody objected
	Waited   bool   // nobody accepted it: the waiting time passed
	Opened   []authority.Opening
}

// Consent is where something that waits for others is, as one reader sees it.
type Consent struct {
	authority.Waiting
	Now        time.Time           // when it was asked
	Hours      int                 // of the waiting time
	Own        bool                // the reader asked for it
	Accepting  authority.Accepting // whether the reader may accept it
	TiedUntil  time.Time           // where they may not, for being tied to its author
	MayObject  bool
	Acceptors  []string
	Judges     []string // one of whom has to see it before the waiting time begins
	AuthorGone bool     // its author may not ask for it now, so no waiting time runs
}

func consentOf(s authority.State, author string, m auth.Member, opened []authority.Opening) Consent {
	me := m.Person.ID
	c := Consent{
		Waiting: s.Waits(author, opened), Now: s.Now, Hours: int(s.Wait.Hours()), Own: author == me, Accepting: s.MayAccept(author, me),
		MayObject: s.MayObject(author, me), Acceptors: nameList(s.Acceptors(author)), Judges: nameList(s.Judges(author)),
	}
	if c.Accepting == authority.Tied {
		c.TiedUntil = s.RelatedUntil(author, me)
	}
	c.AuthorGone = !s.Manages(author) && !s.Decides(author)
	return c
}

func nameList(all []authority.Person) []string {
	names := make([]string, len(all))
	for i, p := range all {
		names[i] = p.Name
	}
	slices.Sort(names)
	return names
}

// consents refuses whoever may not accept something that waits, with what has to happen.
func consents(s authority.State, author auth.Person, m auth.Member, opened []authority.Opening) error {
	c := consentOf(s, author.ID, m, opened)
	if c.Accepting == authority.Accepts {
		return nil
	}
	when := fault.Textf("the waiting time of %d hours begins when one of them opens a page that shows it: %s", c.Hours, someOf(c.Judges))
	switch {
	case len(c.Judges) == 0:
		when = fault.Textf("the waiting time can't start because no admin is available to review it; whoever runs this server can do it on the command line")
	case c.AuthorGone:
		when = fault.Textf("no waiting time runs because %s can't request it now", author.Name)
	case !c.Begun.IsZero():
		when = fault.Textf("it takes effect automatically at %s unless someone objects", c.Ends.Format(time.RFC3339))
	}
	switch c.Accepting {
	case authority.Own:
		if s.Policy(m.Person.ID, true) == authority.Alone {
			return fault.New(fault.NotEligible, "you proposed this, and no one else in %s can accept it; withdraw it and save the change yourself", m.Tenant)
		}
		return fault.New(fault.NotEligible, "you requested this, so someone else has to accept it (%s can); %s", someOf(c.Acceptors), when)
	case authority.Tied:
		return fault.New(fault.NotEligible, "you and %s may be the same person: one of you invited the other, the same person invited you both, or one used the other's link. You can't accept this until %s; %s",
			author.Name, c.TiedUntil.Format(time.RFC3339), when)
	default:
		return fault.New(fault.NotEligible, "only an admin can accept this (%s can); %s", someOf(c.Acceptors), when)
	}
}

func someOf(names []string) fault.Text {
	if len(names) == 0 {
		return fault.Textf("no one")
	}
	return shortList(names)
}

// objects refuses whoever may not end what waits.
func objects(s authority.State, author string, m auth.Member) error {
	if author == m.Person.ID || s.MayObject(author, m.Person.ID) {
		return nil
	}
	return fault.New(fault.NotEligible, "another admin can object to this")
}

// ask stores what waits for somebody else.
func ask(w Writer, m auth.Member, p PeopleProposal) error {
	open, err := w.PeopleProposals()
	if err != nil {
		return err
	}
	own := 0
	for _, o := range open {
		if o.Act == p.Act && o.Person.ID == p.Person.ID && o.Act != ActInvite && slices.Equal(o.Roles, p.Roles) && o.Act != ActPassword {
			return fault.Member(fault.AlreadyExists, "roles", "%s has already asked for this; it's waiting for an admin", o.Author.Name)
		}
		if o.Author.ID == m.Person.ID {
			own++
		}
	}
	if own >= maxOwn || len(open) >= MaxProposals {
		return fault.Member(fault.InvalidForm, "roles", "%d changes are waiting, %d of them yours. The limits are %d and %d, so withdraw some first", len(open), own, MaxProposals, maxOwn)
	}
	p.ID, p.Author, p.CreatedAt, p.State = auth.NewID("prp"), m.Person, w.Now(), ProposalOpen
	if err := w.CreatePeopleProposal(p); err != nil {
		return err
	}
	return w.Append(p.event(m.Tenant, audit.PeopleProposed, personActor(m),
		member("act", canon.String(string(p.Act))), member("ticket", text(p.Ticket)), member("roles", roleNames(p.Roles)), member("before", roleNames(p.From))))
}

func (p PeopleProposal) event(tenant string, k audit.Kind, by audit.Actor, data ...canon.Member) audit.Event {
	data = append([]canon.Member{member("proposal", canon.String(p.ID)), member("person", text(p.Person.ID))}, data...)
	return audit.Event{Tenant: tenant, Kind: k, Actor: by, Data: canon.Object(data...)}
}

// Waiting is what waits for others.
type Waiting struct {
	People   []PeopleProposal
	Policies []Proposal // those that weaken something
	Bindings []Agent    // with Asked
	Consent  map[string]Consent
}

// Waiting lists what waits for others, and remembers that m saw the changes of people and
// of agents: this is the page that shows them. Policies have pages of their own.
func (s *Service) Waiting(ctx context.Context, m auth.Member) (l Waiting, err error) {
	if err := allow(m, auth.ReadPolicy); err != nil {
		return l, err
	}
	read := func() error {
		return s.store.Read(ctx, m.Tenant, func(r Reader) error {
			l = Waiting{Consent: map[string]Consent{}}
			if l.People, err = r.PeopleProposals(); err != nil {
				return err
			}
			author, all, err := l.subjects(r)
			if err != nil || len(all) == 0 {
				return err
			}
			st, err := r.Authority()
			if err != nil {
				return err
			}
			opened, err := r.Openings(all)
			for _, id := range all {
				l.Consent[id] = consentOf(st, author[id], m, opened[id])
			}
			return err
		})
	}
	if err := read(); err != nil {
		return l, err
	}
	var shown []string
	for _, p := range l.People {
		shown = append(shown, p.ID)
	}
	for _, a := range l.Bindings {
		shown = append(shown, a.AskedAs())
	}
	saw, err := s.Saw(ctx, m, shown...)
	if err != nil || !saw {
		return l, err
	}
	return l, read() // what was seen just now counts from now
}

// subjects completes l with the policies and bindings that wait, and returns what all of it
// is kept under, the changes of people first, and who asked for each.
func (l *Waiting) subjects(r Reader) (author map[string]string, all []string, err error) {
	policies, err := r.Proposals()
	if err != nil {
		return nil, nil, err
	}
	agents, err := r.Agents()
	if err != nil {
		return nil, nil, err
	}
	author = map[string]string{}
	for _, p := range l.People {
		all, author[p.ID] = append(all, p.ID), p.Author.ID
	}
	for _, p := range policies {
		if len(p.Weakens) > 0 {
			l.Policies = append(l.Policies, p)
			all, author[p.ID] = append(all, p.ID), p.Author.ID
		}
	}
	for _, a := range agents {
		if a.Asked != nil {
			l.Bindings = append(l.Bindings, a)
			all, author[a.AskedAs()] = append(all, a.AskedAs()), a.Asked.By
		}
	}
	return author, all, nil
}

// AskedAs names the binding that is asked for an agent: another one is another subject.
func (a Agent) AskedAs() string { return a.ID + "@" + audit.FormatTime(a.Asked.At) }

// agentOf is the agent of a subject that is a binding.
func agentOf(subject string) (id string, ok bool) {
	id, _, ok = strings.Cut(subject, "@")
	return id, ok
}

// Saw remembers that m opened a page that showed these, where their look may count and is
// the first one.
func (s *Service) Saw(ctx context.Context, m auth.Member, subjects ...string) (first bool, err error) {
	if len(subjects) == 0 {
		return false, nil
	}
	var missing []string
	err = s.store.Read(ctx, m.Tenant, func(r Reader) (err error) {
		missing, err = unseen(r, m, subjects)
		return err
	})
	if err != nil || len(missing) == 0 {
		return false, err
	}
	return true, s.writeFor(ctx, m, auth.ReadPolicy, func(w Writer, m auth.Member) error {
		missing, err := unseen(w, m, subjects)
		if err != nil {
			return err
		}
		for _, id := range missing {
			if err := w.Opened(id, m.Person.ID); err != nil {
				return err
			}
			if err := w.Append(audit.Event{Tenant: m.Tenant, Kind: audit.WaitingOpened, Actor: personActor(m), Data: canon.Object(member("subject", canon.String(id)))}); err != nil {
				return err
			}
		}
		return nil
	})
}

// unseen are those of the subjects that wait for a look like that of m, who has not
// looked yet.
func unseen(r Reader, m auth.Member, subjects []string) (missing []string, err error) {
	opened, err := r.Openings(subjects)
	if err != nil {
		return nil, err
	}
	var st *authority.State
	for _, id := range subjects {
		if slices.ContainsFunc(opened[id], func(o authority.Opening) bool { return o.Person == m.Person.ID }) {
			continue
		}
		author, err := authorOf(r, id)
		if err != nil {
			return nil, err
		}
		if author == "" || author == m.Person.ID {
			continue
		}
		if st == nil {
			now, err := r.Authority()
			if err != nil {
				return nil, err
			}
			st = &now
		}
		if st.MayObject(author, m.Person.ID) {
			missing = append(missing, id)
		}
	}
	return missing, nil
}

// authorOf is who asked for something that waits; "" where it does not.
func authorOf(r Reader, subject string) (string, error) {
	switch {
	case strings.HasPrefix(subject, "prp_"):
		p, err := r.PeopleProposal(subject)
		if err != nil || p.State != ProposalOpen {
			return "", err
		}
		return p.Author.ID, nil
	case strings.HasPrefix(subject, "ppl_"):
		p, err := r.Proposal(subject)
		if err != nil || p.State != ProposalOpen || len(p.Weakens) == 0 {
			return "", err
		}
		return p.Author.ID, nil
	default:
		id, _ := agentOf(subject)
		a, err := r.Agent(id)
		if err != nil || a.Asked == nil || a.AskedAs() != subject {
			return "", err
		}
		return a.Asked.By, nil
	}
}

// AcceptPeople does what was asked for, as another admin who accepts it.
func (s *Service) AcceptPeople(ctx context.Context, m auth.Member, id string) error {
	return s.closePeople(ctx, m, auth.ManagePeople, id, func(w Writer, st authority.State, p PeopleProposal) (PeopleProposal, audit.Event, error) {
		var told audit.Event
		if err := consents(st, p.Author, m, p.Opened); err != nil {
			return p, told, err
		}
		if err := s.held(w, m.Tenant); err != nil {
			return p, told, err
		}
		if !st.Manages(p.Author.ID) {
			return p, told, fault.New(fault.Changed, "%s asked for this and is no longer an admin; request it yourself", p.Author.Name)
		}
		if err := p.carryOut(w, m.Tenant, personActor(m)); err != nil {
			return p, told, err
		}
		p.State = ProposalAccepted
		return p, p.accepted(m.Tenant, personActor(m)), nil
	})
}

func (p PeopleProposal) accepted(tenant string, by audit.Actor) audit.Event {
	return p.event(tenant, audit.PeopleAccepted, by, member("act", canon.String(string(p.Act))), member("author", canon.String(p.Author.ID)), member("waited", canon.Bool(p.Waited)))
}

// carryOut does it. What changed too much meanwhile is refused with fault.Changed or
// fault.Missing, before anything is written.
func (p PeopleProposal) carryOut(w Writer, tenant string, by audit.Actor) error {
	how := member("proposal", canon.String(p.ID))
	if p.Act == ActInvite {
		return w.AcceptTicket(p.Ticket, w.Now().Add(JoinLife))
	}
	is, err := w.Membership(p.Person.ID)
	if err != nil {
		return err
	}
	if p.Act == ActPassword {
		return w.AcceptTicket(p.Ticket, w.Now().Add(PasswordLife))
	}
	if !slices.Equal(is.Held(), p.From) || (is.Suspended != nil) != (p.Act == ActReinstate) {
		return fault.New(fault.Changed, "the roles of %s have changed since this was requested; request it again", is.Person.Name)
	}
	switch p.Act {
	case ActRoles:
		return setRoles(w, tenant, by, is, p.Roles, how)
	case ActRemove:
		return remove(w, tenant, by, is, how)
	default:
		return reinstate(w, tenant, by, is, how)
	}
}

// RejectPeople is an admin objecting: nothing comes of it.
func (s *Service) RejectPeople(ctx context.Context, m auth.Member, id, reason string) error {
	why, err := checkReason(reason)
	if err != nil {
		return err
	}
	return s.closePeople(ctx, m, auth.ProposePolicy, id, func(w Writer, st authority.State, p PeopleProposal) (PeopleProposal, audit.Event, error) {
		if err := objects(st, p.Author.ID, m); err != nil {
			return p, audit.Event{}, err
		}
		p.State, p.Answer = ProposalRejected, why
		return p, p.event(m.Tenant, audit.PeopleRejected, personActor(m), member("author", canon.String(p.Author.ID)), member("reason", canon.String(why))), p.drop(w)
	})
}

// WithdrawPeople is its author taking it back.
func (s *Service) WithdrawPeople(ctx context.Context, m auth.Member, id string) error {
	return s.closePeople(ctx, m, auth.ReadPolicy, id, func(w Writer, _ authority.State, p PeopleProposal) (PeopleProposal, audit.Event, error) {
		if p.Author.ID != m.Person.ID {
			return p, audit.Event{}, fault.New(fault.NotEligible, "%s asked for this; another admin can object to it", p.Author.Name)
		}
		p.State = ProposalWithdrawn
		return p, p.event(m.Tenant, audit.PeopleWithdrawn, personActor(m)), p.drop(w)
	})
}

// drop makes the link worthless that waited.
func (p PeopleProposal) drop(w Writer) error {
	if p.Ticket == "" {
		return nil
	}
	if err := w.WithdrawTicket(p.Ticket); err != nil && !fault.Is(err, fault.Changed) {
		return err
	}
	return nil
}

func (s *Service) closePeople(ctx context.Context, m auth.Member, need auth.Permission, id string, end func(Writer, authority.State, PeopleProposal) (PeopleProposal, audit.Event, error)) error {
	return s.writeFor(ctx, m, need, func(w Writer, m auth.Member) error {
		p, err := w.PeopleProposal(id)
		if err != nil {
			return err
		}
		if p.State != ProposalOpen {
			return closed(Proposal{State: p.State, ClosedBy: p.ClosedBy})
		}
		st, err := w.Authority()
		if err != nil {
			return err
		}
		p, told, err := end(w, st, p)
		if err != nil {
			return err
		}
		p.ClosedBy = m.Person
		if err := w.ClosePeopleProposal(p); err != nil {
			return err
		}
		return w.Append(told)
	})
}
