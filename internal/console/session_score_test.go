package console

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/patterns"
)

// yak is a pattern of the organisation's own: HIGH, and 20 points.
func yak(p *scoring.Policy) {
	p.PatternOverrides.Add = append(p.PatternOverrides.Add, patterns.Pattern{
		ID: "animal-yak", Severity: patterns.High, Action: patterns.Confirm, Description: "an animal",
		Regex: []string{`\byak\b`}, MustMatch: []string{"a yak"}, MustNotMatch: []string{"a cat"},
	})
	p.Evaluations.SessionAlertAbove = 50
}

const herd = "herd & co"

func (s *site) yaks(n int) {
	s.t.Helper()
	for i := range n {
		s.submit(fmt.Sprintf(`{"function":"get_note","arguments":{"text":"a yak","page":%d},"session_id":%q}`, i, herd))
	}
}

// A session above what the policy accepts stands on the queue, on its page and on the
// insights, and once in the trail.
func TestASessionAboveItsScoreIsShown(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.policy(yak)
	cleo := s.signedIn("cleo") // decides nothing
	page := sessionOneURL("acme", s.agent.ID, herd)
	title := "The score of the session herd &amp; co is above 50"
	s.yaks(2) // 37
	cleo.get("/t/acme/queue").want(t, http.StatusOK, "herd &amp; co").without(t, "score above 50", "is above 50")
	cleo.get(page).want(t, http.StatusOK, "<dd>37<small>of 100; 37.00 before rounding and the cap", "<dd>2<small>2 high", "<dd>20<small>of 100", "<dd>20.0<small>over 2 calls", "<dd>50<small>a setting").without(t, "is above 50")
	s.yaks(3) // 51, 64, 74
	cleo.get("/t/acme/queue").want(t, http.StatusOK, title, "score above 50", "Look at the session")
	cleo.get(page).want(t, http.StatusOK, "The score of this session is above 50", "<dd>74<small>", `id="figure-session-days"`)
	told := s.matching(audit.Filter{Kinds: []audit.Kind{audit.SessionScoreRose}})
	if len(told) != 1 {
		t.Errorf("the trail tells %q", told)
	}
	cleo.get("/t/acme/audit?kind=agent_session.score_rose").want(t, http.StatusOK, "Alerted: the score of a session rose above 50, to 51: herd &amp; co")
	must(t, s.approvals.RollUp(t.Context()))
	cleo.get("/t/acme/insights").want(t, http.StatusOK, title, "Pattern score by day", "Mean pattern score")

	s.policy(func(p *scoring.Policy) { p.Evaluations.SessionAlertAbove = 100 })
	cleo.get("/t/acme/queue").want(t, http.StatusOK).without(t, "score above", title)
	cleo.get(page).want(t, http.StatusOK, "your policy switches the alert off").without(t, "is above 50")
}

// Whoever has to answer questions about its requests reads that a session is above, and
// no score of theirs.
func TestTheScoreOfASessionIsSealedForThoseWhoAnswer(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.policy(yak)
	for i := range 4 {
		s.submit(fmt.Sprintf(`{"function":"delete_user","arguments":{"user_id":"usr_%d","account":"acc_17","count":214,"note":"yak"},"docstring":"Permanently remove a user account.","environment":"production","session_id":%q}`, i, herd))
	}
	ada, page := s.signedIn("ada"), sessionOneURL("acme", s.agent.ID, herd)
	ada.get(page).want(t, http.StatusOK, "The score of this session is above 50", "4 requests that wait for your answers are not counted").without(t, "of 100", "4 high")
	trail := ada.get("/t/acme/audit?kind=agent_session.score_rose").want(t, http.StatusOK, "Alerted: the score of a session rose above 50").without(t, "to 51")
	if !strings.Contains(trail.body, "herd") {
		t.Error("the trail does not say which session")
	}
}
