package console

import (
	"net/http"

	"github.com/countersign/countersign/internal/auth"
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

func readPersonForm(c call) personForm {
	f := personForm{email: c.field("email"), sure: c.field("sure") != ""}
	for _, r := range c.Request().PostForm["role"] {
		f.roles = append(f.roles, auth.Role(present.Trim(r, 60)))
	}
	return f
}

// personID returns the person of the path; what cannot be one is nobody.
func (c call) personID() (string, error) {
	if id := c.Param("person"); auth.IsID("per", id) {
		return id, nil
	}
	return "", fault.New(fault.Missing, "no one in this organisation has this ID")
}

// peoplePage lists the members and who is invited.
func (s *Console) peoplePage(c call) error { return s.showPeople(c, http.StatusOK, personForm{}) }

func (s *Console) showPeople(c call, status int, f personForm) error {
	l, err := s.tenants.People(c.Request().Context(), c.member)
	if err != nil {
		return err
	}
	return show(c, status, settings.PeoplePage(s.page(c, c.say.Say("People"), views.PlaceSettings), peopleOf(c.say, c.member, l, f)))
}

// invitePage is the form of an invitation.
func (s *Console) invitePage(c call) error { return s.showInvite(c, http.StatusOK, personForm{}) }

func (s *Console) showInvite(c call, status int, f personForm) error {
	return show(c, status, settings.InvitePage(s.page(c, c.say.Say("Invite a person"), views.PlaceSettings), inviteOf(c.say, c.member, f)))
}

// invite makes an invitation, and answers with the page that shows its link. That
// page is the same whether the address is known anywhere or not.
func (s *Console) invite(c call) error {
	f := readPersonForm(c)
	err := c.awake()
	var token string
	var k tenants.Ticket
	if err == nil {
		token, k, err = s.tenants.Invite(c.Request().Context(), c.member, c.field("ticket"), f.email, f.roles)
	}
	if err != nil {
		return s.personRefused(c, err, f, s.showInvite)
	}
	p := s.page(c, c.say.Say("Invitation"), views.PlaceSettings)
	return show(c, http.StatusOK, settings.LinkShownPage(p, linkWaits(c.say, c.member, k, invitedOf(c.say, c.member, k, s.publicURL()+urls.Join+"?ticket="+token))))
}

// withdrawInvitation makes a link worthless before it was used.
func (s *Console) withdrawInvitation(c call) error {
	err := c.awake()
	if err == nil {
		err = s.tenants.WithdrawInvitation(c.Request().Context(), c.member, c.Param("ticket"))
	}
	if err != nil {
		return s.personRefused(c, err, personForm{}, s.showPeople)
	}
	s.did(c, deedWithdrawn)
	return goTo(c, urls.People(c.member.Tenant))
}

// personPage is one member.
func (s *Console) personPage(c call) error { return s.showPerson(c, http.StatusOK, personForm{}) }

func (s *Console) showPerson(c call, status int, f personForm) error {
	id, err := c.personID()
	if err != nil {
		return err
	}
	l, err := s.tenants.People(c.Request().Context(), c.member)
	if err != nil {
		return err
	}
	for _, m := range l.Members {
		if m.Person.ID == id {
			return show(c, status, settings.PersonPage(s.page(c, m.Person.Name, views.PlaceSettings), personPageOf(c.say, c.member, m, f)))
		}
	}
	return fault.New(fault.Missing, "no one in this organisation has this ID")
}

// setRoles changes what a member may do.
func (s *Console) setRoles(c call) error {
	f := readPersonForm(c)
	return s.withPerson(c, f, func(id string) error {
		asked, err := s.tenants.SetRoles(c.Request().Context(), c.member, id, f.roles)
		if err != nil {
			return err
		}
		if asked {
			s.did(c, deedAsked)
			return goTo(c, urls.Waiting(c.member.Tenant))
		}
		s.did(c, deedSaved)
		return goTo(c, urls.Person(c.member.Tenant, id))
	})
}

// removePerson ends a membership. Whoever removes themselves is led out.
func (s *Console) removePerson(c call) error {
	f := readPersonForm(c)
	return s.withPerson(c, f, func(id string) error {
		if !f.sure {
			return fault.Member(fault.InvalidForm, "sure", "check the box to confirm; no one was removed")
		}
		asked, err := s.tenants.RemoveMember(c.Request().Context(), c.member, id)
		if err != nil {
			return err
		}
		if asked {
			s.did(c, deedAsked)
			return goTo(c, urls.Waiting(c.member.Tenant))
		}
		if id == c.member.Person.ID {
			return goTo(c, "/")
		}
		s.did(c, deedRemoved)
		return goTo(c, urls.People(c.member.Tenant))
	})
}

// suspend takes every right from a member, at once.
func (s *Console) suspend(c call) error {
	return s.withPerson(c, personForm{}, func(id string) error {
		if err := s.tenants.Suspend(c.Request().Context(), c.member, id, c.field(fieldReason)); err != nil {
			return err
		}
		s.did(c, deedSuspended)
		return goTo(c, urls.Person(c.member.Tenant, id))
	})
}

// reinstate gives them back.
func (s *Console) reinstate(c call) error {
	return s.withPerson(c, personForm{}, func(id string) error {
		asked, err := s.tenants.Reinstate(c.Request().Context(), c.member, id)
		if err != nil {
			return err
		}
		if asked {
			s.did(c, deedAsked)
			return goTo(c, urls.Waiting(c.member.Tenant))
		}
		s.did(c, deedReinstated)
		return goTo(c, urls.Person(c.member.Tenant, id))
	})
}

// endSessions makes a member sign in again.
func (s *Console) endSessions(c call) error {
	return s.withPerson(c, personForm{}, func(id string) error {
		if err := s.tenants.EndSessions(c.Request().Context(), c.member, id); err != nil {
			return err
		}
		s.did(c, deedSignedOut)
		return goTo(c, urls.Person(c.member.Tenant, id))
	})
}

// passwordLink makes a link with which a member chooses a new password, and
// answers with the page that shows it: the same for every member.
func (s *Console) passwordLink(c call) error {
	return s.withPerson(c, personForm{}, func(id string) error {
		token, k, err := s.tenants.PasswordTicket(c.Request().Context(), c.member, c.field("ticket"), id)
		if err != nil {
			return err
		}
		p := s.page(c, c.say.Say("Password link"), views.PlaceSettings)
		return show(c, http.StatusOK, settings.LinkShownPage(p, linkWaits(c.say, c.member, k, passwordLinkOf(c.say, c.member, k, s.publicURL()+urls.NewPassword+"?ticket="+token))))
	})
}

// withPerson does something to the person of the path and shows their page again
// with the message when that was refused.
func (s *Console) withPerson(c call, f personForm, do func(id string) error) error {
	id, err := c.personID()
	if err != nil {
		return err
	}
	if err = c.awake(); err == nil {
		err = do(id)
	}
	return s.personRefused(c, err, f, s.showPerson)
}

// personRefused shows a page again with the message and what was typed.
func (s *Console) personRefused(c call, err error, f personForm, again func(c call, status int, f personForm) error) error {
	refusal := fault.As(err)
	if refusal == nil || refusal.Kind() == fault.Internal || refusal.Kind() == fault.NotFound {
		return err
	}
	noteRefusal(c, refusal)
	f.fault = refusal
	return again(c, httpserver.Status(refusal.Code), f)
}
