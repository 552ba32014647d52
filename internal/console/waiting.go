package console

import (
	"net/http"
	"regexp"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/console/urls"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/httpserver"
	"github.com/countersign/countersign/internal/tenants"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/settings"
)

// What waits for somebody else to accept it: rights, links and removals, and on pages of
// their own policies and bindings.

const (
	waitingPath = "/t/:tenant/settings/waiting"
)

var peopleProposalForm = regexp.MustCompile(`^prp_[0-9a-f]{32}$`)

// waitingPage lists them. Who opens it has seen them: from then on the waiting time
// runs.
func (s *Console) waitingPage(c call) error { return s.showWaiting(c, http.StatusOK, nil) }

func (s *Console) showWaiting(c call, status int, f *fault.Error) error {
	l, err := s.tenants.Waiting(c.Request().Context(), c.member)
	if err != nil {
		return err
	}
	var names tenants.Names
	if len(l.Bindings) > 0 {
		if names, err = s.tenants.Names(c.Request().Context(), c.member); err != nil {
			return err
		}
	}
	return show(c, status, settings.WaitingPage(s.page(c, c.say.Say("Waiting changes"), views.PlaceSettings), waitingOf(c.say, c.member, l, names, f)))
}

func (s *Console) acceptPeople(c call) error {
	return s.answerPeople(c, deedAccepted, func(id string) error { return s.tenants.AcceptPeople(c.Request().Context(), c.member, id) })
}

func (s *Console) objectPeople(c call) error {
	return s.answerPeople(c, deedRejected, func(id string) error {
		if auth.IsID("agt", id) {
			return s.tenants.ObjectBinding(c.Request().Context(), c.member, id, c.field(fieldReason))
		}
		return s.tenants.RejectPeople(c.Request().Context(), c.member, id, c.field(fieldReason))
	})
}

func (s *Console) withdrawPeople(c call) error {
	return s.answerPeople(c, deedWithdrawn, func(id string) error { return s.tenants.WithdrawPeople(c.Request().Context(), c.member, id) })
}

// answerPeople does one thing about a change that waits, and shows the list again.
func (s *Console) answerPeople(c call, what deed, do func(id string) error) error {
	id := c.Param("proposal")
	if !peopleProposalForm.MatchString(id) && !auth.IsID("agt", id) {
		return fault.New(fault.Missing, "there is no proposal with this ID in this organisation")
	}
	err := c.awake()
	if err == nil {
		err = do(id)
	}
	f := fault.As(err)
	switch {
	case err == nil:
		s.did(c, what)
		return goTo(c, urls.Waiting(c.member.Tenant))
	case f.Kind() == fault.Internal || f.Kind() == fault.NotFound:
		return err
	}
	noteRefusal(c, f)
	return s.showWaiting(c, httpserver.Status(f.Code), f)
}
