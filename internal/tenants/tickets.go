package tenants

import (
	"context"
	"slices"
	"time"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/authority"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
)

// Tickets: the links that admins hand to people. An admin never learns from one
// whether an address is known outside of their tenant, and cannot reach an account
// that another tenant relies on (docs/adr/0012-people-are-global-memberships-are-not.md).

// How long tickets work. An invitation may have to wait for a Monday.
const (
	JoinLife     = 72 * time.Hour
	PasswordLife = 24 * time.Hour
)

// Invite makes a ticket with which whoever has this address can join the tenant.
// It replaces an earlier one for the address. id is chosen before, so that what is
// sent twice makes one.
func (s *Service) Invite(ctx context.Context, m auth.Member, id, email string, roles []auth.Role) (token string, k Ticket, err error) {
	k = Ticket{ID: id, Tenant: m.Tenant, Kind: TicketJoin, Email: address(email), By: m.Person.ID}
	if err := checkAddress(email); err != nil {
		return "", k, err
	}
	if k.Roles, err = auth.CheckRoles(roles); err != nil {
		return "", k, err
	}
	return s.issue(ctx, m, k, func(w Writer, k *Ticket) (audit.Event, error) {
		members, err := w.Members()
		if err != nil {
			return audit.Event{}, err
		}
		if slices.ContainsFunc(members, func(o Membership) bool { return o.Person.Email == k.Email }) {
			return audit.Event{}, fault.Member(fault.AlreadyExists, "email", "%s is already a member of %s", k.Email, m.Tenant)
		}
		k.ExpiresAt = w.Now().Add(JoinLife)
		way, err := rightsWay(w, "", func(p *authority.Person) { p.Decides, p.Manages = decidesOrManages(k.Roles) })
		if err != nil {
			return audit.Event{}, err
		}
		if err := k.wait(w, m, way, ActInvite); err != nil {
			return audit.Event{}, err
		}
		return k.event(audit.PersonInvited, personActor(m), member("roles", roleNames(k.Roles)), member("expires_at", instant(&k.ExpiresAt)), member("link_sum", canon.String(TicketSum(k.hash, k.Email))), alone(way)), nil
	})
}

// wait makes a link wait where somebody else has to accept it: then it opens nothing
// until that is done.
func (k *Ticket) wait(w Writer, m auth.Member, way authority.Way, act PeopleAct) error {
	if k.Waits = way == authority.Another; !k.Waits {
		return nil
	}
	k.ExpiresAt = w.Now().Add(waitingLife)
	return ask(w, m, PeopleProposal{Act: act, Person: auth.Person{ID: k.Person}, Ticket: k.ID, Email: k.Email, Roles: k.Roles})
}

// PasswordTicket makes a ticket with which a member can choose a new password. It
// is made for every member alike; whether it may be used is decided when it is
// (see ChoosePassword).
func (s *Service) PasswordTicket(ctx context.Context, m auth.Member, id, person string) (token string, k Ticket, err error) {
	k = Ticket{ID: id, Tenant: m.Tenant, Kind: TicketPassword, Person: person, By: m.Person.ID}
	return s.issue(ctx, m, k, func(w Writer, k *Ticket) (audit.Event, error) {
		is, err := w.Membership(person)
		if err != nil {
			return audit.Event{}, err
		}
		k.Email, k.ExpiresAt = is.Person.Email, w.Now().Add(PasswordLife)
		st, err := w.Authority()
		if err != nil {
			return audit.Event{}, err
		}
		way := st.PasswordLink(m.Person.ID, person)
		if err := k.wait(w, m, way, ActPassword); err != nil {
			return audit.Event{}, err
		}
		e := aboutPerson(m.Tenant, audit.ResetIssued, personActor(m), person, member("link_sum", canon.String(TicketSum(k.hash, k.Email))), member("ticket", canon.String(k.ID)), member("expires_at", instant(&k.ExpiresAt)), alone(way))
		return e, nil
	})
}

// issue stores a ticket with its event; fill completes both.
func (s *Service) issue(ctx context.Context, m auth.Member, k Ticket, fill func(w Writer, k *Ticket) (audit.Event, error)) (string, Ticket, error) {
	if err := allow(m, auth.ManagePeople); err != nil {
		return "", k, err
	}
	if !auth.IsID("tkt", k.ID) {
		return "", k, fault.Member(fault.InvalidForm, "ticket", "the form isn't complete; open the page again")
	}
	token, hash := auth.NewTicket(m.Tenant)
	k.hash = hash
	err := s.writeHeld(ctx, m, auth.ManagePeople, func(w Writer, _ auth.Member) error {
		e, err := fill(w, &k)
		if err != nil {
			return err
		}
		if err := k.replaces(w, m); err != nil {
			return err
		}
		if err := w.AddTicket(k, hash); fault.Is(err, fault.AlreadyExists) {
			return fault.Member(fault.AlreadyExists, "ticket", "this is already done, and the link was shown only once; if you didn't pass it on, create another")
		} else if err != nil {
			return err
		}
		return w.Append(e)
	})
	if err != nil {
		return "", k, err
	}
	return token, k, nil
}

// replaces ends what was asked for about earlier links for the same thing: they are
// worthless from now on.
func (k Ticket) replaces(w Writer, m auth.Member) error {
	open, err := w.PeopleProposals()
	if err != nil {
		return err
	}
	act := map[TicketKind]PeopleAct{TicketJoin: ActInvite, TicketPassword: ActPassword}[k.Kind]
	for _, p := range open {
		if p.Act == act && p.Email == k.Email && p.Ticket != k.ID {
			if err := p.end(w, m); err != nil {
				return err
			}
		}
	}
	return nil
}

// event is about a ticket; an address is never in it.
func (k Ticket) event(kind audit.Kind, by audit.Actor, data ...canon.Member) audit.Event {
	data = append([]canon.Member{member("ticket", canon.String(k.ID))}, data...)
	return audit.Event{Tenant: k.Tenant, Kind: kind, Actor: by, Data: canon.Object(data...)}
}

// WithdrawInvitation makes an invitation worthless.
func (s *Service) WithdrawInvitation(ctx context.Context, m auth.Member, id string) error {
	return s.writeFor(ctx, m, auth.ManagePeople, func(w Writer, _ auth.Member) error {
		if err := w.WithdrawTicket(id); fault.Is(err, fault.Changed) {
			return fault.New(fault.Changed, "this invitation was used or withdrawn, or has expired")
		} else if err != nil {
			return err
		}
		if err := w.Append(Ticket{ID: id, Tenant: m.Tenant}.event(audit.InviteWithdrawn, personActor(m))); err != nil {
			return err
		}
		return noLongerAsked(w, m, id)
	})
}

// noLongerAsked ends what was asked for about a link that is worthless now.
func noLongerAsked(w Writer, m auth.Member, ticket string) error {
	open, err := w.PeopleProposals()
	if err != nil {
		return err
	}
	for _, p := range open {
		if p.Ticket != ticket {
			continue
		}
		return p.end(w, m)
	}
	return nil
}

// end closes what came to nothing because its link did.
func (p PeopleProposal) end(w Writer, m auth.Member) error {
	p.State, p.ClosedBy = ProposalWithdrawn, m.Person
	if err := w.ClosePeopleProposal(p); err != nil {
		return err
	}
	return w.Append(p.event(m.Tenant, audit.PeopleWithdrawn, personActor(m)))
}

// CheckTicket returns a ticket that still can be used, and uses nothing up. Every
// reason why one cannot has the same answer.
func (s *Service) CheckTicket(ctx context.Context, kind TicketKind, token string) (k Ticket, err error) {
	tenant, hash, ok := auth.SplitTicket(token)
	if !ok {
		return k, linkGone()
	}
	err = s.store.Read(ctx, tenant, func(r Reader) (err error) {
		if k, err = r.Ticket(hash); err != nil {
			return err
		}
		return k.good(r, kind)
	})
	if fault.Is(err, fault.Missing) {
		return Ticket{}, linkGone()
	}
	return k, err
}

// good refuses a ticket of another kind, and one whose maker may not make such
// tickets any more: who was removed must not come back by a link of their own.
func (k Ticket) good(r Reader, kind TicketKind) error {
	if k.Kind != kind {
		return linkGone()
	}
	if k.Waits {
		return fault.New(fault.SignInFailed, "this link doesn't work yet: another admin of %s has to accept it; open it again later", k.Tenant)
	}
	by, err := r.Membership(k.By)
	if fault.Is(err, fault.Missing) || (err == nil && !(auth.Member{Roles: by.Roles}).May(auth.ManagePeople)) {
		return linkGone()
	}
	return err
}

// Joining is what somebody with an invitation hands in.
type Joining struct {
	Token string
	// Name is for those who are new; who has an account keeps theirs.
	Name string
	// Password is the new account's, or the one of the account that has the address.
	Password string
	From     string // where the request comes from
	SignedIn string // person id of whoever is signed in there; they need no password
}

// Join makes the person with the invitation's address a member. The address may
// be known or not: the way is the same, and only the right password, or being
// signed in, joins as somebody who exists.
func (s *Service) Join(ctx context.Context, in Joining) (auth.Person, Ticket, error) {
	k, err := s.CheckTicket(ctx, TicketJoin, in.Token)
	if err != nil {
		return auth.Person{}, k, err
	}
	known, hash, err := s.store.PersonByEmail(ctx, k.Email)
	if err != nil && !fault.Is(err, fault.Missing) {
		return auth.Person{}, k, err
	}
	p, isNew := known, known.ID == ""
	switch {
	case !isNew && known.ID == in.SignedIn:
	case in.Password == "":
		return p, k, auth.CheckPassword("")
	case isNew:
		p, hash, err = s.newPerson(ctx, k.Email, in.Name, in.Password)
	default:
		err = s.prove(ctx, k, known, hash, in)
	}
	if err != nil {
		return auth.Person{}, k, err
	}
	_, tokenHash, _ := auth.SplitTicket(in.Token)
	err = s.store.Write(ctx, k.Tenant, func(w Writer) error {
		if err := s.useTicket(w, k.Tenant, TicketJoin, tokenHash); err != nil {
			return err
		}
		if _, err := w.Membership(p.ID); err == nil {
			return fault.New(fault.Changed, "%s is already a member of %s", k.Email, k.Tenant)
		} else if !fault.Is(err, fault.Missing) {
			return err
		}
		if isNew {
			if err := w.CreatePerson(p, hash); fault.Is(err, fault.AlreadyExists) {
				return fault.New(fault.Changed, "something changed in the meantime; try again")
			} else if err != nil {
				return err
			}
		}
		if err := w.Grant(p.ID, k.Roles); err != nil {
			return err
		}
		if err := w.SignedIn(p.ID); err != nil {
			return err
		}
		if err := w.Tie(p.ID, k.By, TieInvited); err != nil {
			return err
		}
		if hash, err = w.PasswordHash(p.ID); err != nil { // as it is now
			return err
		}
		if err := w.Append(aboutPerson(k.Tenant, audit.PersonJoined, audit.Actor{Kind: "person", ID: p.ID}, p.ID,
			member("ticket", canon.String(k.ID)), member("roles", roleNames(k.Roles)), member("invited_by", canon.String(k.By)), passwordMember(p.ID, hash))); err != nil {
			return err
		}
		return settleMode(w, k.Tenant, p.ID)
	})
	return p, k, err
}

// prove checks the password of an account that exists. A refusal looks as it does
// for an address that nobody has, but for its being one.
func (s *Service) prove(ctx context.Context, k Ticket, known auth.Person, hash string, in Joining) error {
	if err := auth.CheckPassword(in.Password); err != nil {
		return err
	}
	ok, err := s.try(ctx, guess{hash: hash, password: in.Password, limits: []auth.Limit{s.doors.Account(known.Email), s.doors.Address(in.From)}})
	if err != nil {
		return err
	}
	if ok {
		unproven, err := s.passwordHeld(ctx, known)
		if unproven {
			err = fault.New(fault.SignInFailed, "no one joins with a password while the audit trail of one of their organisations isn't what was signed; try again once it is")
		}
		return err
	}
	err = s.store.Write(ctx, k.Tenant, func(w Writer) error { return w.Append(k.event(audit.InviteRefused, system)) })
	if err != nil {
		return err
	}
	return fault.Member(fault.WrongPassword, "password", "that isn't the password of %s here; if you sign in by link only, do that first and open this invitation again", known.Email)
}

// useTicket uses one up inside a transaction, if it is what the log says: whoever wrote one
// into the table, or ended its waiting there, opens nothing with it.
func (s *Service) useTicket(w Writer, tenant string, kind TicketKind, hash string) error {
	if err := s.held(w, tenant); fault.Is(err, fault.GrantUnproven) {
		return fault.New(fault.SignInFailed, "links don't work right now: the database doesn't match the audit trail. Tell whoever runs this server: “countersign audit verify” says what's wrong")
	} else if err != nil {
		return err
	}
	k, err := w.UseTicket(hash)
	if fault.Is(err, fault.Missing) {
		return linkGone()
	}
	if err != nil {
		return err
	}
	return k.good(w, kind)
}

// ChoosePassword uses a ticket up and gives its person a new password, which ends
// all their sessions. It is refused for somebody who is a member of any other
// tenant, when the ticket was made or since: one tenant's admin must not open an
// account that another tenant relies on.
func (s *Service) ChoosePassword(ctx context.Context, token, password string) (auth.Person, error) {
	if err := auth.CheckPassword(password); err != nil {
		return auth.Person{}, err
	}
	k, err := s.CheckTicket(ctx, TicketPassword, token)
	if err != nil {
		return auth.Person{}, err
	}
	all, err := s.Memberships(ctx, k.Person)
	if err != nil {
		return auth.Person{}, err
	}
	if len(all) != 1 || all[0].Tenant != k.Tenant {
		return auth.Person{}, fault.New(fault.SignInFailed, "this link can't set the password because the account also belongs elsewhere; whoever runs this server can set it with the command “countersign person password”")
	}
	hash, err := s.passwords.Hash(ctx, password)
	if err != nil {
		return auth.Person{}, err
	}
	_, tokenHash, _ := auth.SplitTicket(token)
	return all[0].Person, s.store.Write(ctx, k.Tenant, func(w Writer) error {
		if err := s.useTicket(w, k.Tenant, TicketPassword, tokenHash); err != nil {
			return err
		}
		link := []canon.Member{member("ticket", canon.String(k.ID))}
		if k.By != k.Person {
			if err := w.Tie(k.Person, k.By, TiePassword); err != nil {
				return err
			}
			link = append(link, member("link_by", canon.String(k.By)))
		}
		return setPassword(w, k.Tenant, k.Person, hash, audit.Actor{Kind: "person", ID: k.Person}, link...)
	})
}

func setPassword(w Writer, tenant, person, hash string, by audit.Actor, how ...canon.Member) error {
	if err := w.SetPassword(person, hash); err != nil {
		return err
	}
	return w.Append(aboutPerson(tenant, audit.PasswordChanged, by, person, append(how, passwordMember(person, hash))...))
}

// Invited reports whether the person who is signed in is the one whom a ticket
// invites. It says nothing about anybody else.
func (s *Service) Invited(ctx context.Context, k Ticket, signedIn string) (bool, error) {
	if signedIn == "" {
		return false, nil
	}
	p, err := s.store.Person(ctx, signedIn)
	if fault.Is(err, fault.Missing) {
		return false, nil
	}
	return p.Email == k.Email, err
}
