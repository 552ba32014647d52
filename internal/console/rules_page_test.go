package console

import (
	"net/http"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/scoring"
)

// What the rule model says beside its rules stands on the request page, as it is published.
func TestRulesSayWhatAnActionMayDo(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	a := s.submit(`{"function":"run_python","code":"shutil.rmtree('/srv/exports')"}`)
	s.signedIn("ada").get("/t/acme/approvals/"+a.ID).want(t, http.StatusOK,
		"Estimated impact", "Significant impact, may require manual intervention to undo",
		"Affected resources", "file:/srv/exports", "Recommendation", "This action cannot be easily undone", "Approval recommendation", "Require confirmation")
}

// Where no rule fired, the page doesn't say of what is held that nothing is expected of it.
func TestNoImpactIsSaidWhereNoRuleFired(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	a := s.submit(`{"function":"transfer_funds","arguments":{"to_account":"FR14","amount":25000,"currency":"EUR"}}`)
	page := s.signedIn("ada").get("/t/acme/approvals/"+a.ID).want(t, http.StatusOK, "CRITICAL")
	if strings.Contains(page.body, "Estimated impact") {
		t.Error("the page estimates an impact that no rule speaks of")
	}
}

// What an assessor says is text of the organisation, with the agent's in it: it is masked
// where it is a secret, and markup nowhere.
func TestAssessorsWordsAreTexts(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.policy(func(p *scoring.Policy) {
		p.Rules.Assessor = `{"level": "HIGH", "reasons": ["Touches <b>books</b>"], "affected_resources": ["account:" + action.arguments.account, string(action.arguments.key)],
			"estimated_impact": "Moves <i>money</i>", "recommendations": ["Call <u>accounting</u>"]}`
	})
	const key = "AKIA" + "IOSFODNN7EXAMPLE"
	a := s.submit(`{"function":"frobnicate","arguments":{"account":"<script>alert(1)</script>","key":"` + key + `"}}`)
	page := s.signedIn("ada").get("/t/acme/approvals/"+a.ID).want(t, http.StatusOK, "Moves &lt;i&gt;money&lt;/i&gt;", "Call &lt;u&gt;accounting&lt;/u&gt;", "account:&lt;script&gt;", "[REDACTED:aws-access-key]")
	if strings.Contains(page.body, key) || strings.Contains(page.body, "<script>alert") {
		t.Error("the page holds the key, or markup of the agent's")
	}
}
