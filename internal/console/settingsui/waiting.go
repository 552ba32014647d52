package settingsui

import (
	"net/http"
	"regexp"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/console/edge"
	"github.com/countersign/countersign/internal/console/policyui"
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
func (s *Pages) waitingPage(c edge.Call) error { return s.showWaiting(c, http.StatusOK, nil) }

func (s *Pages) showWaiting(c edge.Call, status int, f *fault.Error) error {
	l, err := s.Tenants.Waiting(c.Request().Context(), c.Member)
	if err != nil {
		return err
	}
	var names tenants.Names
	if len(l.Bindings) > 0 {
		if names, err = s.Tenants.Names(c.Request().Context(), c.Member); err != nil {
			return err
		}
	}
	return edge.Show(c, status, settings.WaitingPage(s.Page(c, c.Say.Say("Waiting changes"), views.PlaceSettings), waitingOf(c.Say, c.Member, l, names, f)))
}

func (s *Pages) acceptPeople(c edge.Call) error {
	return s.answerPeople(c, edge.DeedAccepted, func(id string) error { return s.Tenants.AcceptPeople(c.Request().Context(), c.Member, id) })
}

func (s *Pages) objectPeople(c edge.Call) error {
	return s.answerPeople(c, edge.DeedRejected, func(id string) error {
		if auth.IsID("agt", id) {
			return s.Tenants.ObjectBinding(c.Request().Context(), c.Member, id, c.Field(policyui.FieldReason))
		}
		return s.Tenants.RejectPeople(c.Request().Context(), c.Member, id, c.Field(policyui.FieldReason))
	})
}

func (s *Pages) withdrawPeople(c edge.Call) error {
	return s.answerPeople(c, edge.DeedWithdrawn, func(id string) error { return s.Tenants.WithdrawPeople(c.Request().Context(), c.Member, id) })
}

// answerPeople does one thing about a change that waits, and shows the list again.
func (s *Pages) answerPeople(c edge.Call, what edge.Deed, do func(id string) error) error {
	id := c.Param("proposal")
	if !peopleProposalForm.MatchString(id) && !auth.IsID("agt", id) {
		return fault.New(fault.Missing, "there is no proposal with this ID in this organisation")
	}
	err := c.Awake()
	if err == nil {
		err = do(id)
	}
	f := fault.As(err)
	switch {
	case err == nil:
		s.Did(c, what)
		return edge.GoTo(c, urls.Waiting(c.Member.Tenant))
	case f.Kind() == fault.Internal || f.Kind() == fault.NotFound:
		return err
	}
	edge.NoteRefusal(c, f)
	return s.showWaiting(c, httpserver.Status(f.Code), f)
}
