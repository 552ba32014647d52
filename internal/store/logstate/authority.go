package logstate

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/tenants"
)

// Gained reports whether somebody who had these roles may decide or manage more by those.
func Gained(before, after string) bool { return Lost(after, before) != "" }

// Lost are the roles that decide or manage which somebody has no more.
func Lost(before, after string) string {
	now := strings.Split(after, ",")
	return strings.Join(slices.DeleteFunc(strings.Split(before, ","), func(r string) bool {
		return r != string(auth.Operator) && r != string(auth.Admin) || slices.Contains(now, r)
	}), ",")
}

// Authority is what the events say of who may do what. Each text is what a row of a
// table would say, with the index of the event.
type Authority struct {
	Members        map[string]Member // by person
	Ties, Openings map[string]int64
	Losses         map[string]int64 // that must be stored
	Before         map[string]int64 // that may be: they are of before losses were kept
	Proposals      map[string]*Proposal
	Passwords      map[string]Sum
	Ended          string // who ended single-person mode, and when
	EndedAt        int64
	ModeKnown      bool // the trail says from the beginning, or since an upgrade, which mode it was
	Single         bool
	OpenOnly       bool  // of proposals: the others are no longer among them
	Told           int64 // how far the log was when it said any of this last
}

// Member is what they say of one person.
type Member struct {
	At               int64
	Roles, Suspended string
	Since            string // when they got the rights that they have; "" for members of before that was kept
}

// AuthorityKinds are what Authority follows from.
var AuthorityKinds = []audit.Kind{
	audit.TenantCreated, audit.ModeStated, audit.SinglePersonEnded, audit.PersonCreated, audit.RolesGranted, audit.PersonJoined, audit.RolesChanged,
	audit.PersonRemoved, audit.PersonSuspended, audit.PersonReinstated, audit.PasswordChanged, audit.PeopleProposed, audit.PeopleAccepted,
	audit.PeopleRejected, audit.PeopleWithdrawn, audit.WaitingOpened,
}

// Fill makes the maps that are missing.
func (logged *Authority) Fill() {
	made(&logged.Members)
	made(&logged.Ties)
	made(&logged.Openings)
	made(&logged.Losses)
	made(&logged.Before)
	made(&logged.Proposals)
	made(&logged.Passwords)
}

// Copied is what a comparison may take from until nothing is left, without the proposals that
// somebody closed.
func (logged Authority) Copied() Authority {
	logged.Members, logged.Ties, logged.Openings = maps.Clone(logged.Members), maps.Clone(logged.Ties), maps.Clone(logged.Openings)
	logged.Losses, logged.Proposals, logged.OpenOnly = maps.Clone(logged.Losses), StillOpen(logged.Proposals), true
	return logged
}

// Apply adds one event.
func (logged *Authority) Apply(e audit.Event) {
	logged.Told = e.Index + 1
	d, at := e.Data, audit.FormatTime(e.At)
	person := d.Get("person").Text()
	m := logged.Members[person]
	m.At = e.Index
	if slices.Contains(passwordKinds, e.Kind) {
		applyPassword(logged.Passwords, e)
	}
	switch e.Kind {
	case audit.TenantCreated, audit.ModeStated:
		if single := d.Get("single_person_mode"); !single.IsAbsent() {
			logged.ModeKnown, logged.Single = true, single.Bool()
			maps.Copy(logged.Before, logged.Losses)
			clear(logged.Losses)
		}
		return
	case audit.SinglePersonEnded:
		logged.Ended, logged.EndedAt = Joined(person, at), e.Index
		return
	case audit.PasswordChanged:
		if by := d.Get("link_by").Text(); by != "" {
			logged.Ties[Joined(person, by, tenants.TiePassword, at)] = e.Index
		}
		return
	case audit.WaitingOpened:
		logged.Openings[Joined(d.Get("subject").Text(), e.Actor.ID, at)] = e.Index
		return
	case audit.PeopleProposed, audit.PeopleAccepted, audit.PeopleRejected, audit.PeopleWithdrawn:
		logged.applyProposal(e)
		return
	case audit.PersonJoined:
		if by := d.Get("invited_by").Text(); by != "" {
			logged.Ties[Joined(person, by, tenants.TieInvited, at)] = e.Index
		}
		m.Roles, m.Suspended = textsOf(d.Get("roles")), ""
		m.gain("", at, logged.ModeKnown)
	case audit.PersonSuspended:
		m.Suspended = Joined(e.Actor.ID, at, d.Get("reason").Text())
	case audit.PersonReinstated:
		m.Suspended, m.Since = "", at
	case audit.PersonRemoved:
		logged.lose(m, person, "", at)
		delete(logged.Members, person)
		return
	default:
		logged.lose(m, person, textsOf(d.Get("roles")), at)
		m.Roles = textsOf(d.Get("roles"))
		m.gain(textsOf(d.Get("before")), at, logged.ModeKnown)
	}
	logged.Members[person] = m
}

// gain notes when somebody got rights that they had not before.
func (m *Member) gain(before, at string, kept bool) {
	if Gained(before, m.Roles) {
		if m.Since = at; !kept {
			m.Since = ""
		}
	}
}

func (logged *Authority) lose(m Member, person, after, at string) {
	if gone := Lost(m.Roles, after); gone != "" {
		logged.Losses[Joined(person, gone, at)] = m.At
	}
}

func (logged *Authority) applyProposal(e audit.Event) {
	d, id := e.Data, e.Data.Get("proposal").Text()
	if e.Kind == audit.PeopleProposed {
		logged.Proposals[id] = &Proposal{At: e.Index, Opened: Joined(
			d.Get("act").Text(), d.Get("person").Text(), d.Get("ticket").Text(), textsOf(d.Get("roles")), textsOf(d.Get("before")), e.Actor.ID, audit.FormatTime(e.At))}
		return
	}
	p := logged.Proposals[id]
	if p == nil {
		return
	}
	state := map[audit.Kind]tenants.ProposalState{
		audit.PeopleAccepted: tenants.ProposalAccepted, audit.PeopleRejected: tenants.ProposalRejected, audit.PeopleWithdrawn: tenants.ProposalWithdrawn,
	}[e.Kind]
	p.At, p.Closed = e.Index, Joined(string(state), e.Actor.ID, audit.FormatTime(e.At), d.Get("reason").Text(), strconv.FormatBool(d.Get("waited").Bool()))
}

// textsOf are the texts of a list, as a column has them.
func textsOf(v canon.Value) string {
	var all []string
	for _, one := range v.Elements() {
		all = append(all, one.Text())
	}
	return strings.Join(all, ",")
}

// Rights are those of the members of an organisation, as of a size of its log.
type Rights struct {
	Size    int64
	Told    int64             // Authority.Told
	Members map[string]Member // nil: this log doesn't name everybody
}

// MembersOnly is a copy that grows by what is logged of members, and by nothing else.
func (logged Authority) MembersOnly() Authority {
	of := Authority{Members: maps.Clone(logged.Members), ModeKnown: logged.ModeKnown, Told: logged.Told}
	of.Fill()
	return of
}

// Rights are what Authority says of members, as of a size of the log.
func (logged Authority) Rights(size int64) *Rights {
	if !logged.ModeKnown {
		return &Rights{Size: size, Told: logged.Told}
	}
	return &Rights{size, logged.Told, logged.Members}
}
