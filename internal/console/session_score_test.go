package console

import (
	"encoding/csv"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/console/urls"
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
	page := urls.Session("acme", s.agent.ID, herd)
	title := "The score of the session herd &amp; co is above 50"
	s.yaks(2) // 37
	cleo.get("/t/acme/queue").want(t, http.StatusOK, "herd &amp; co").without(t, "score above 50", "is above 50")
	cleo.get(page).want(t, http.StatusOK, "<dd>37<small>of 100 (37.00 before rounding and cap", "<dd>2<small>2 high", "<dd>20<small>of 100", "<dd>20.0<small>over 2 calls", "<dd>50<small>a setting").without(t, "is above 50")
	s.yaks(3) // 51, 64, 74
	cleo.get("/t/acme/queue").want(t, http.StatusOK, title, "score above 50", "View the session")
	cleo.get(page).want(t, http.StatusOK, "The score of this session is above 50", "<dd>74<small>", `id="figure-session-days"`)
	told := s.matching(audit.Filter{Kinds: []audit.Kind{audit.SessionScoreRose}})
	if len(told) != 1 {
		t.Errorf("the trail tells %q", told)
	}
	cleo.get("/t/acme/audit?kind=agent_session.score_rose").want(t, http.StatusOK, "Alert: a session's score rose above 50, to 51: herd &amp; co")
	ada := s.signedIn("ada")
	cleo.get(page).without(t, "/acknowledge")
	form := ada.get(page).want(t, http.StatusOK, `name="session" value="herd &amp; co"`).form(t, `/acknowledge"`)
	form.Set("session", herd)
	ada.post(strings.Split(page, "?")[0]+"/acknowledge", form).want(t, http.StatusSeeOther)
	ada.post(strings.Split(page, "?")[0]+"/acknowledge", form).want(t, http.StatusConflict, "Ada acknowledged this session already")
	cleo.get("/t/acme/queue").want(t, http.StatusOK, "score above 50").without(t, title)
	cleo.get(page).want(t, http.StatusOK, "The score of this session is above 50", "Ada acknowledged this at").without(t, "/acknowledge")
	cleo.get("/t/acme/audit?kind=agent_session.acknowledged").want(t, http.StatusOK, "Acknowledged the alert of a session: herd &amp; co")
	s.submit(fmt.Sprintf(`{"function":"get_note","arguments":{"text":"a cat"},"session_id":%q}`, herd)) // matches nothing
	cleo.get("/t/acme/queue").without(t, title)
	s.yaks(1)
	cleo.get("/t/acme/queue").want(t, http.StatusOK, title)

	must(t, s.approvals.RollUp(t.Context()))
	cleo.get("/t/acme/insights").want(t, http.StatusOK, title, "Pattern score by day", "Mean pattern score")

	s.policy(func(p *scoring.Policy) { p.Evaluations.SessionAlertAbove = 100 })
	cleo.get("/t/acme/queue").want(t, http.StatusOK).without(t, "score above", title)
	cleo.get(page).want(t, http.StatusOK, "your policy turns the alert off").without(t, "is above 50")
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
	ada, page := s.signedIn("ada"), urls.Session("acme", s.agent.ID, herd)
	ada.get(page).want(t, http.StatusOK, "The score of this session is above 50", "4 requests waiting for your answers aren't counted because their score is hidden").without(t, "of 100", "4 high")
	trail := ada.get("/t/acme/audit?kind=agent_session.score_rose").want(t, http.StatusOK, "Alert: a session's score rose above 50").without(t, "to 51")
	if !strings.Contains(trail.body, "herd") {
		t.Error("the trail does not say which session")
	}
}

// The records of evaluations are a file for those who may export: a session's, or the dry
// runs alone. What is sealed for its reader is left out, and the trail tells of the file.
func TestEvaluationsAsAFile(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.policy(yak)
	s.yaks(1)
	waits := s.submit(`{"function":"delete_user","arguments":{"user_id":"usr_1","account":"acc_17","count":214,"note":"yak"},"docstring":"Permanently remove a user account.","environment":"production","session_id":"s2"}`)
	tree, err := canon.Parse([]byte(`{"function":"get_note","arguments":{"text":"a yak"}}`))
	must(t, err)
	tried, err := scoring.NewAction(tree)
	must(t, err)
	_, err = s.approvals.Assess(t.Context(), s.agent, tried)
	must(t, err)
	cleo := s.signedIn("cleo")
	const path = "/t/acme/evaluations.csv"
	take := func(b *browser, fields url.Values) [][]string {
		t.Helper()
		rows, err := csv.NewReader(strings.NewReader(b.post(path, fields).want(t, http.StatusOK).body)).ReadAll()
		must(t, err)
		return rows[1:]
	}
	all := take(cleo, url.Values{"days": {"7"}})
	if len(all) != 3 || all[1][2] != waits.ID || all[1][19] != "20" || all[1][26] == "" || all[0][3] != "true" {
		t.Errorf("all are %q", all)
	}
	if dry := take(cleo, url.Values{"dry_run": {"1"}}); len(dry) != 1 || dry[0][0] != all[0][0] {
		t.Errorf("dry runs are %q", dry)
	}
	if one := take(cleo, url.Values{"agent": {s.agent.ID}, "session": {herd}}); len(one) != 1 || one[0][0] != all[2][0] {
		t.Errorf("of the session there are %q", one)
	}
	cleo.post(path, url.Values{"days": {"8"}}).want(t, http.StatusUnprocessableEntity)
	cleo.post(path, url.Values{"dry_run": {"yes"}}).want(t, http.StatusUnprocessableEntity)
	if told := s.matching(audit.Filter{Kinds: []audit.Kind{audit.Exported}}); len(told) != 3 {
		t.Errorf("the trail tells of %d files", len(told))
	}
	cleo.get("/t/acme/audit?kind=audit.exported").want(t, http.StatusOK, "Exported 3 entries of the evaluations as CSV")
	cleo.get("/t/acme/audit?kind=assessment.made").want(t, http.StatusOK, "Asked what would happen")
	cleo.get(urls.Session("acme", s.agent.ID, herd)).want(t, http.StatusOK, "Evaluations as CSV")
	s.signedIn("ada").post(path, url.Values{}).want(t, http.StatusForbidden)
	both := s.member("ada")
	both.Roles = append(both.Roles, auth.Compliance)
	var sealed []approvals.Evaluated
	must(t, s.approvals.WalkEvaluations(t.Context(), both, approvals.EvaluationQuery{}, func(e approvals.Evaluated) error {
		if e.Sealed {
			sealed = append(sealed, e)
		}
		return nil
	}))
	if len(sealed) != 2 || sealed[0].Approval != waits.ID || sealed[0].NumericScore != 0 || sealed[0].Matches != nil || sealed[0].Severity != "" {
		t.Errorf("sealed are %+v", sealed)
	}
}
