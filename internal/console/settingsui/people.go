package settingsui

import (
	"net/http"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/console/edge"
	"github.com/countersign/countersign/internal/console/policyui"
	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/internal/console/urls"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/httpserver"
	"github.com/countersign/countersign/internal/tenants"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/settings"
)

// The people of a tenant, as its admins see them. What a person does with an
// invitation or their own account is in account.go.

// personForm is what was typed in a form of these pages, and what was wrong with it.
type personForm struct {
	fault *fault.Error
	email string
	roles []auth.Role
	sure  bool
}

func readPersonForm(c edge.Call) personForm {
	f := personForm{email: c.Field("email"), sure: c.Field("sure") != ""}
	for _, r := range c.Request().PostForm["role"] {
		f.roles = append(f.roles, auth.Role(present.Trim(r, 60)))
	}
	return f
}

// personID returns the person of the path; what cannot be one is nobody.
func personID(c edge.Call) (string, error) {
	if id := c.Param("person"); auth.IsID("per", id) {
		return id, nil
	}
	return "", fault.New(fault.Missing, "no one in this organisation has this ID")
}

// peoplePage lists the members and who is invited.
func (s *Pages) peoplePage(c edge.Call) error { return s.showPeople(c, http.StatusOK, personForm{}) }

func (s *Pages) showPeople(c edge.Call, status int, f personForm) error {
	l, err := s.Tenants.People(c.Request().Context(), c.Member)
	if err != nil {
		return err
	}
	return edge.Show(c, status, settings.PeoplePage(s.Page(c, c.Say.Say("People"), views.PlaceSettings), peopleOf(c.Say, c.Member, l, c.Away, f)))
}

// invitePage is the form of an invitation.
func (s *Pages) invitePage(c edge.Call) error { return s.showInvite(c, http.StatusOK, personForm{}) }

func (s *Pages) showInvite(c edge.Call, status int, f personForm) error {
	return edge.Show(c, status, settings.InvitePage(s.Page(c, c.Say.Say("Invite a person"), views.PlaceSettings), inviteOf(c.Say, c.Member, f)))
}

// invite makes an invitation, and answers with the page that shows its link. That
// page is the same whether the address is known anywhere or not.
func (s *Pages) invite(c edge.Call) error {
	f := readPersonForm(c)
	err := c.Awake()
	var token string
	var k tenants.Ticket
	if err == nil {
		token, k, err = s.Tenants.Invite(c.Request().Context(), c.Member, c.Field("ticket"), f.email, f.roles)
	}
	if err != nil {
		return s.personRefused(c, err, f, s.showInvite)
	}
	p := s.Page(c, c.Say.Say("Invitation"), views.PlaceSettings)
	return edge.Show(c, http.StatusOK, settings.LinkShownPage(p, linkWaits(c.Say, c.Member, k, invitedOf(c.Say, c.Member, k, s.PublicURL()+urls.Join+"?ticket="+token))))
}

// withdrawInvitation makes a link worthless before it was used.
func (s *Pages) withdrawInvitation(c edge.Call) error {
	err := c.Awake()
	if err == nil {
		err = s.Tenants.WithdrawInvitation(c.Request().Context(), c.Member, c.Param("ticket"))
	}
	if err != nil {
		return s.personRefused(c, err, personForm{}, s.showPeople)
	}
	s.Did(c, edge.DeedWithdrawn)
	return edge.GoTo(c, urls.People(c.Member.Tenant))
}

// personPage is one member.
func (s *Pages) personPage(c edge.Call) error { return s.showPerson(c, http.StatusOK, personForm{}) }

func (s *Pages) showPerson(c edge.Call, status int, f personForm) error {
	id, err := personID(c)
	if err != nil {
		return err
	}
	l, err := s.Tenants.People(c.Request().Context(), c.Member)
	if err != nil {
		return err
	}
	for _, m := range l.Members {
		if m.Person.ID == id {
			page := personPageOf(c.Say, c.Member, m, f)
			if c.Member.May(auth.ManagePeople) {
				away, err := s.awayOf(c, urls.Person(c.Member.Tenant, id), m.Person, wrongAt(c.Say, f.fault))
				if err != nil {
					return err
				}
				page.Panels = append([]views.Panel{away}, page.Panels...)
			}
			return edge.Show(c, status, settings.PersonPage(s.Page(c, m.Person.Name, views.PlaceSettings), page))
		}
	}
	return fault.New(fault.Missing, "no one in this organisation has this ID")
}

// setRoles changes what a member may do.
func (s *Pages) setRoles(c edge.Call) error {
	f := readPersonForm(c)
	return s.withPerson(c, f, func(id string) error {
		asked, err := s.Tenants.SetRoles(c.Request().Context(), c.Member, id, f.roles)
		if err != nil {
			return err
		}
		if asked {
			s.Did(c, edge.DeedAsked)
			return edge.GoTo(c, urls.Waiting(c.Member.Tenant))
		}
		s.Did(c, edge.DeedSaved)
		return edge.GoTo(c, urls.Person(c.Member.Tenant, id))
	})
}

// removePerson ends a membership. Whoever removes themselves is led out.
func (s *Pages) removePerson(c edge.Call) error {
	f := readPersonForm(c)
	return s.withPerson(c, f, func(id string) error {
		if !f.sure {
			return fault.Member(fault.InvalidForm, "sure", "check the box to confirm; no one was removed")
		}
		asked, err := s.Tenants.RemoveMember(c.Request().Context(), c.Member, id)
		if err != nil {
			return err
		}
		if asked {
			s.Did(c, edge.DeedAsked)
			return edge.GoTo(c, urls.Waiting(c.Member.Tenant))
		}
		if id == c.Member.Person.ID {
			return edge.GoTo(c, "/")
		}
		s.Did(c, edge.DeedRemoved)
		return edge.GoTo(c, urls.People(c.Member.Tenant))
	})
}

// suspend takes every right from a member, at once.
func (s *Pages) suspend(c edge.Call) error {
	return s.withPerson(c, personForm{}, func(id string) error {
		if err := s.Tenants.Suspend(c.Request().Context(), c.Member, id, c.Field(policyui.FieldReason)); err != nil {
			return err
		}
		s.Did(c, edge.DeedSuspended)
		return edge.GoTo(c, urls.Person(c.Member.Tenant, id))
	})
}

// reinstate gives them back.
func (s *Pages) reinstate(c edge.Call) error {
	return s.withPerson(c, personForm{}, func(id string) error {
		asked, err := s.Tenants.Reinstate(c.Request().Context(), c.Member, id)
		if err != nil {
			return err
		}
		if asked {
			s.Did(c, edge.DeedAsked)
			return edge.GoTo(c, urls.Waiting(c.Member.Tenant))
		}
		s.Did(c, edge.DeedReinstated)
		return edge.GoTo(c, urls.Person(c.Member.Tenant, id))
	})
}

// endSessions makes a member sign in again.
func (s *Pages) endSessions(c edge.Call) error {
	return s.withPerson(c, personForm{}, func(id string) error {
		if err := s.Tenants.EndSessions(c.Request().Context(), c.Member, id); err != nil {
			return err
		}
		s.Did(c, edge.DeedSignedOut)
		return edge.GoTo(c, urls.Person(c.Member.Tenant, id))
	})
}

// passwordLink makes a link with which a member chooses a new password, and
// answers with the page that shows it: the same for every member.
func (s *Pages) passwordLink(c edge.Call) error {
	return s.withPerson(c, personForm{}, func(id string) error {
		token, k, err := s.Tenants.PasswordTicket(c.Request().Context(), c.Member, c.Field("ticket"), id)
		if err != nil {
			return err
		}
		p := s.Page(c, c.Say.Say("Password link"), views.PlaceSettings)
		return edge.Show(c, http.StatusOK, settings.LinkShownPage(p, linkWaits(c.Say, c.Member, k, passwordLinkOf(c.Say, c.Member, k, s.PublicURL()+urls.NewPassword+"?ticket="+token))))
	})
}

// withPerson does something to the person of the path and shows their page again
// with the message when that was refused.
func (s *Pages) withPerson(c edge.Call, f personForm, do func(id string) error) error {
	id, err := personID(c)
	if err != nil {
		return err
	}
	if err = c.Awake(); err == nil {
		err = do(id)
	}
	return s.personRefused(c, err, f, s.showPerson)
}

// personRefused shows a page again with the message and what was typed.
func (s *Pages) personRefused(c edge.Call, err error, f personForm, again func(c edge.Call, status int, f personForm) error) error {
	refusal := fault.As(err)
	if refusal == nil || refusal.Kind() == fault.Internal || refusal.Kind() == fault.NotFound {
		return err
	}
	edge.NoteRefusal(c, refusal)
	f.fault = refusal
	return again(c, httpserver.Status(refusal.Code), f)
}
