package authority_test

import (
	"fmt"
	"slices"
	"time"

	"github.com/countersign/countersign/internal/authority"
	"github.com/countersign/countersign/internal/long"
)

// One person against the rules: they act with every account that they can get, nobody
// else does anything, and every path of their acts is walked, up to stepsOfModel of
// them. The model keeps what the tables keep (who is a member, who invited whom, what is
// open); what is allowed it asks of the functions that the services ask.

const (
	accounts = 3
	waitDays = 1 // of the waiting time
	kinDays  = 7 // of a tie
)

// stepsOfModel is how far: each step more makes it three times as many worlds.
func stepsOfModel() int { return long.Count(7, 8) }

// rights are roles as bits.
type rights uint8

const (
	decides rights = 1 << iota
	manages
	none rights = 0
)

// account is one of the accounts of the model.
type account struct {
	member, suspended, held, signedIn bool // held: the person who acts can sign in with it
	rights                            rights
	lost                              [2]int8        // 1 + for how many days it has lost each right; 0: it has not
	tiedSince                         bool           // it was tied to somebody after that, on the same day
	since                             int8           // 1 + for how many days it has its rights, where that is less than since it opened what waits; 0: longer
	tied                              [accounts]int8 // 1 + for how many days it is tied to each other; 0: it never was
	invited                           int8           // 1 + who invited it with an open link; 0: nobody
	as                                rights         // with which rights
	link                              int8           // 1 + who made a password link for it
}

// kind is what can wait for somebody else.
type kind uint8

const (
	nothing kind = iota
	roles
	invitation
	password
	weakerPolicy
	noticesDetail // that notices say more than level, agent and link
	acceptedTool  // that calls of an imported tool are judged as less than their name says
)

// proposal is what waits.
type proposal struct {
	kind       kind
	by, target int8
	to         rights
	removes    bool
	restores   bool
	opened     [accounts]int8 // 1 + for how many days each has seen it; 0: has not
}

// world is everything, comparable.
type world struct {
	people   [accounts]account
	single   bool
	required int8
	own      [accounts]bool
	signed   [accounts]int8 // 1 + who signed, in order
	open     proposal
	approved bool
	marked   bool // as done by a single person

	asks    kind // which other weakening of the policy is asked for; nothing for none
	weaker  bool // it took force
	ahead   bool // whether somebody may allow calls ahead
	allowed int8 // 1 + who did
	alone   bool // in single-person mode
}

var names = [accounts]string{"one", "two", "three"}

var today = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// ago is the time that so many days and one are kept as.
func ago(days int8) time.Time { return today.AddDate(0, 0, 1-int(days)) }

// older is how a number of days is kept a day later; what is older than most is as old
// as that.
func older(days *int8, most int8) {
	if *days > 0 && *days <= most {
		*days++
	}
}

func (a account) person(id string) authority.Person {
	lately := func(days int8) bool { return days > 0 && days <= kinDays }
	p := authority.Person{
		ID: id, Name: id, Decides: a.member && a.rights&decides != 0, Manages: a.member && a.rights&manages != 0, Suspended: a.suspended,
		Decided: lately(a.lost[0]), Managed: lately(a.lost[1]), SignedIn: a.signedIn,
	}
	for _, days := range a.lost {
		if lately(days) && (p.LostAt.IsZero() || ago(days).Before(p.LostAt)) {
			p.LostAt = ago(days)
		}
	}
	if a.since > 0 {
		p.Since = ago(a.since)
	}
	return p
}

// state is the world as the services see it.
func (w *world) state() authority.State {
	s := authority.State{Now: today, Single: w.single, Wait: waitDays * 24 * time.Hour, Kinship: kinDays * 24 * time.Hour, People: make([]authority.Person, 0, accounts)}
	for i, a := range w.people {
		s.People = append(s.People, a.person(names[i]))
		for j, days := range a.tied {
			if days == 0 {
				continue
			}
			at := ago(days)
			if !a.tiedSince {
				at = at.Add(-time.Minute) // before what was lost on that day
			}
			s.Ties = append(s.Ties, authority.Tie{Person: names[i], By: names[j], At: at})
		}
	}
	return s
}

// tie says that by made the account i what it is.
func (w *world) tie(i, by int8) {
	a := &w.people[i]
	a.tied[by] = 1
	a.tiedSince = a.lost != [2]int8{}
}

// later is the world a day later; a request waits for a day at most.
func (w world) later() world {
	for i := range w.people {
		a := &w.people[i]
		for j := range a.lost {
			older(&a.lost[j], kinDays)
			if a.lost[j] > kinDays {
				a.lost[j] = 0
			}
		}
		for j := range a.tied {
			older(&a.tied[j], kinDays)
		}
		older(&a.since, waitDays)
		older(&w.open.opened[i], waitDays)
	}
	w.signed = [accounts]int8{}
	return w
}

func (w *world) request() authority.Request {
	r := authority.Request{Required: int(w.required)}
	for i, own := range w.own {
		if own {
			r.Own = append(r.Own, names[i])
		}
	}
	for _, who := range w.signed {
		if who > 0 {
			r.Signed = append(r.Signed, names[who-1])
		}
	}
	return r
}

// grant gives somebody rights, as the services do: what is lost is kept for a while,
// and what is new counts from now on.
func (w *world) grant(i int8, to rights) {
	a := &w.people[i]
	for bit := range int8(2) {
		if a.member && a.rights&(1<<bit) != 0 && to&(1<<bit) == 0 {
			if a.lost[bit] == 0 {
				a.lost[bit] = 1
			}
		}
	}
	a.rights = to
	w.renew(i)
}

// renew says that somebody has their rights from now on. That counts where something was
// opened that they asked for, or that they look at.
func (w *world) renew(i int8) {
	seen := w.open.opened[i] > 0 || w.open.kind != nothing && w.open.by == i && w.open.opened != [accounts]int8{}
	if w.people[i].since = 0; seen {
		w.people[i].since = 1
	}
}

// do carries out what was allowed.
func (w *world) do(p proposal) {
	a := &w.people[p.target]
	switch p.kind {
	case roles:
		switch {
		case p.removes:
			w.grant(p.target, none)
			a.member, a.suspended, a.held = false, false, false
		case p.restores:
			a.suspended = false
			w.renew(p.target)
		default:
			w.grant(p.target, p.to)
		}
	case invitation:
		a.invited, a.as = p.by+1, p.to
	case password:
		a.link = p.by + 1
	case weakerPolicy:
		w.required = 1
	case noticesDetail, acceptedTool:
		w.weaker = true
	}
	w.settle()
}

// settle ends single-person mode where that is over.
func (w *world) settle() {
	if w.state().EndsSingle() {
		w.single = false
	}
}

// close ends what waits.
func (w *world) close() {
	w.open = proposal{}
	for i := range w.people {
		w.people[i].since = 0
	}
}

// way asks how p may be done.
func (w *world) way(s authority.State, p proposal) authority.Way {
	before := w.people[p.target].person(names[p.target])
	after := w.people[p.target]
	switch p.kind {
	case password:
		return s.PasswordLink(names[p.by], names[p.target])
	case weakerPolicy, noticesDetail, acceptedTool:
		return s.Policy(names[p.by], true)
	case invitation:
		before = authority.Person{ID: names[p.target]}
		after.member, after.suspended = true, false
	}
	switch {
	case p.removes:
		after.member = false
	case p.restores:
		after.suspended = false
	default:
		after.rights = p.to
	}
	open := []authority.Request{w.request()}
	if w.approved {
		open = nil
	}
	return s.Roles(before, after.person(names[p.target]), open)
}

// act is one act, to be told.
type act struct {
	who, target int8 // accounts; −1: none
	what        string
	to          rights
}

func (a act) String() string {
	if a.who < 0 {
		return a.what
	}
	told := names[a.who] + " " + a.what
	if a.target >= 0 {
		told += fmt.Sprintf(" %s (%d)", names[a.target], a.to)
	}
	return told
}

// next lists every world to which one act leads, and the acts.
func (w world) next() (all []world, acts []act) {
	all, acts = make([]world, 0, 32), make([]act, 0, 32)
	s := w.state()
	add := func(to world, who int8, what string, about ...proposal) {
		if to == w {
			return
		}
		a := act{who: who, target: -1, what: what}
		for _, p := range about {
			a.target, a.to = p.target, p.to
		}
		all, acts = append(all, to), append(acts, a)
	}
	ask := func(p proposal, what string) {
		to := w
		switch w.way(s, p) {
		case authority.AtOnce:
			to.do(p)
		case authority.Alone:
			to.do(p)
		default:
			if w.open.kind != nothing { // one at a time: what waits beside it changes nothing
				return
			}
			to.open = p
		}
		add(to, p.by, what, p)
	}
	for i := range int8(accounts) {
		a := w.people[i]
		if !a.held {
			if a.invited > 0 && !a.member { // whoever holds the link joins
				if w.people[a.invited-1].held && s.Manages(names[a.invited-1]) {
					to := w
					to.people[i].member, to.people[i].held, to.people[i].signedIn = true, true, true
					to.people[i].rights, to.people[i].invited = a.as, 0
					to.tie(i, a.invited-1)
					to.renew(i)
					to.settle()
					add(to, i, "joins")
				}
			}
			if a.link > 0 && a.member && w.people[a.link-1].held && s.Manages(names[a.link-1]) {
				to := w
				to.people[i].held, to.people[i].signedIn = true, true
				to.people[i].link = 0
				to.tie(i, a.link-1)
				to.settle()
				add(to, i, "is taken by a password link")
			}
			continue
		}
		if !a.member || a.suspended {
			continue
		}
		me := names[i]
		if v := s.Sign(w.request(), me); v.May && !w.approved && a.rights&decides != 0 {
			to := w
			if !slices.Contains(w.signed[:], i+1) {
				to.signed[slices.Index(w.signed[:], 0)] = i + 1
			}
			if s.Complete(to.request(), v) {
				to.approved, to.marked = true, v.Single
			}
			add(to, i, "signs")
		}
		if v := s.Sign(authority.Request{Required: 1, Own: w.request().Own}, me); w.ahead && w.allowed == 0 && v.May && a.rights&decides != 0 {
			to := w
			to.allowed, to.alone = i+1, v.Single
			add(to, i, "allows calls ahead")
		}
		if w.open.kind != nothing {
			to := w
			if s.MayObject(names[w.open.by], me) && to.open.opened[i] == 0 {
				to.open.opened[i], to.people[i].since = 1, 0

				add(to, i, "opens the page")
			}
			if s.MayAccept(names[w.open.by], me) == authority.Accepts {
				to = w
				to.close()
				to.do(w.open)
				add(to, i, "accepts")
			}
		}
		if !s.Manages(me) {
			continue
		}
		if w.asks != nothing && !w.weaker {
			ask(proposal{kind: w.asks, by: i}, "asks for another weakening of the policy")
		}
		if w.required > 1 {
			ask(proposal{kind: weakerPolicy, by: i}, "asks for a weaker policy")
		}
		for j := range int8(accounts) {
			other := w.people[j]
			if !other.member {
				for _, to := range []rights{none, decides | manages} { // who may more can do all that who may less can
					ask(proposal{kind: invitation, by: i, target: j, to: to}, "invites")
				}
				continue
			}
			admins := 0
			for k := range int8(accounts) {
				if k != j && s.Manages(names[k]) {
					admins++
				}
			}
			for _, to := range []rights{none, decides, manages, decides | manages} {
				if to != other.rights && (to == decides|manages || to&^other.rights == 0) && (admins > 0 || to&manages != 0) {
					ask(proposal{kind: roles, by: i, target: j, to: to}, "gives rights to")
				}
			}
			if admins > 0 {
				ask(proposal{kind: roles, by: i, target: j, removes: true}, "removes")
				if !other.suspended {
					to := w
					to.people[j].suspended = true
					add(to, i, "suspends", proposal{target: j})
				}
			}
			if other.suspended {
				ask(proposal{kind: roles, by: i, target: j, restores: true}, "restores")
			}
			if !other.held {
				ask(proposal{kind: password, by: i, target: j}, "makes a password link for")
			}
		}
	}
	for i := range int8(accounts) {
		if a := w.people[i]; w.single && a.member && !a.held && !a.signedIn { // whoever else there is comes to work
			to := w
			to.people[i].signedIn = true
			to.settle()
			add(to, -1, names[i]+" signs in")
		}
	}
	if w.allowed > 0 && !w.approved { // as approvals.Standing.maker
		v := s.Sign(authority.Request{Required: 1, Own: w.request().Own}, names[w.allowed-1])
		if v.May && (!v.Single || w.alone) {
			to := w
			to.approved, to.marked = true, v.Single
			add(to, -1, "a call is let through ahead")
		}
	}
	if w.open.kind != nothing && s.Waits(names[w.open.by], w.looks()).Over {
		to := w
		to.close()
		to.do(w.open)
		add(to, -1, "it is put in force")
	}
	add(w.later(), -1, "a day passes")
	return all, acts
}

// looks are who opened what waits.
func (w *world) looks() (all []authority.Opening) {
	for i, days := range w.open.opened {
		if days > 0 {
			all = append(all, authority.Opening{Person: names[i], At: ago(days)})
		}
	}
	return all
}
