package httpapi

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
)

// haltedBadge knows every key as one of an agent that is stopped.
type haltedBadge struct{ badge }

func (haltedBadge) AuthenticateAgent(context.Context, string) (auth.Agent, error) {
	return auth.Agent{Tenant: "acme", ID: "agt_1", Name: "one", Scopes: auth.Scopes(), Halted: "an admin of acme stopped all agents"}, nil
}

// While the kill switch is on an agent reads what is its own, and every other
// request is refused before it is looked at.
func TestHaltedAgentsOnlyRead(t *testing.T) {
	t.Parallel()
	d := newDesk()
	s := newSiteOn(t, d, d, haltedBadge{})
	if got := s.get(t, "/api/v1/approvals", "Authorization", "Bearer csk_acme_one"); got.StatusCode != http.StatusOK {
		t.Errorf("listing answers %d %s", got.StatusCode, got.body)
	}
	posts := 0
	for path, item := range s.document.Paths {
		if item.Post == nil || len(item.Post.Security) == 0 { // who enrols is no agent yet
			continue
		}
		posts++
		s.post(t, strings.ReplaceAll(path, "{id}", "apr_0192f3000000700080000000000000aa"), `{"nonsense":`, "Authorization", "Bearer csk_acme_one").
			refused(t, http.StatusForbidden, fault.AgentsStopped, "", "an admin of acme stopped all agents")
	}
	if posts < 4 {
		t.Errorf("looked at %d addresses", posts)
	}
	if len(d.all) != 0 {
		t.Error("something was submitted")
	}
}
