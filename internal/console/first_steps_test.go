package console

import (
	"net/http"
	"testing"

	"github.com/countersign/countersign/internal/auth"
)

// The first steps are shown to whoever sees the agents, and until one has called.
func TestFirstSteps(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	const begin, queue = "Get started", "/t/acme/queue"
	admin, compliance := s.join("adam", auth.Admin), s.join("cora", auth.Compliance)
	for _, b := range []*browser{admin, compliance} {
		b.get(queue).want(t, http.StatusOK, begin, "See the agents", "(done)", s.console.publicURL()+"/api/v1/approvals", "COUNTERSIGN_KEY=&#39;KEY&#39;")
	}
	s.signedIn("ada").get(queue).want(t, http.StatusOK, "You're all caught up").without(t, begin)
	admin.get(queue+"?q=x").want(t, http.StatusOK).without(t, begin)

	a := s.submit(medium)
	admin.get(queue).want(t, http.StatusOK, a.ID).without(t, begin)
	_, err := s.console.approvals.Cancel(t.Context(), s.agent, a.ID)
	must(t, err)
	admin.get(queue).want(t, http.StatusOK, "You're all caught up").without(t, begin)
}
