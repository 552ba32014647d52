package console

import (
	"net/http"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/console/edge"
	"github.com/countersign/countersign/internal/console/policyui"
	"github.com/countersign/countersign/internal/scoring"
)

// A scorer is added, tried on a call, and leads into the review of the policy; an admin
// alone cannot save what may weaken.
func TestScorersOnThePage(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	adam := s.join("adam", "admin")
	s.join("dora", "admin")
	page := adam.press("rules", "add-scorer", adam.get(settingsPath+"rules").want(t, http.StatusOK, "Custom scorers"))
	form := page.want(t, http.StatusOK, "Add a scorer", "count as 1").typed(t)
	form.Set(edge.EditPrefix+"name", "production_work")
	form.Set(edge.EditPrefix+"weight", "x")
	form.Set(edge.EditPrefix+"text", `action.environment == "production" ? 0.9 : 0.0`)
	form.Set(policyui.FieldDo, "put")
	wrong := adam.post(settingsPath+"rules", form).want(t, http.StatusUnprocessableEntity, "a number above 0")
	form = wrong.typed(t)
	form.Set(edge.EditPrefix+"weight", "2")
	form.Set(edge.EditPrefix+"text", "action.code")
	form.Set(policyui.FieldDo, "put")
	form = adam.post(settingsPath+"rules", form).want(t, http.StatusUnprocessableEntity, "a number from 0 to 1").typed(t)
	form.Set(edge.EditPrefix+"text", `action.environment == "production" ? 0.9 : 0.0`)
	form.Set(edge.TryPrefix+"function", "frobnicate")
	form.Set(edge.TryPrefix+"environment", "production")
	form.Set(policyui.FieldDo, "put")
	put := adam.post(settingsPath+"rules", form).want(t, http.StatusOK, "Custom scorer production_work", "weaker", "0.900, weight 0.666", "the mean of 0.210 by the models and 0.900 by the scorer production_work")
	adam.press("rules", "review", put).want(t, http.StatusOK, "Custom scorer production_work")
	edit := adam.press("rules", "edit-scorer:production_work", put).want(t, http.StatusOK, "Change production_work")
	gone := adam.press("rules", "drop-scorer:production_work", edit)
	if strings.Contains(gone.body, "scorer-production_work") {
		t.Error("it is still there")
	}
}

// The request page names each scorer with what it said, its share and what it adds.
func TestScorersOnTheRequestPage(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.policy(func(p *scoring.Policy) {
		p.Scorers.Own = []scoring.OwnScorer{{Name: "production_work", Expression: `action.environment == "production" ? 0.5 : 0.0`, Weight: 2, Reason: "Works in production"}}
	})
	a := s.submit(`{"function":"update_ticket","arguments":{"id":7},"environment":"production"}`)
	if a.Assessment.Scorers == nil || len(a.Assessment.Scorers.Own) != 1 {
		t.Fatalf("the assessment has %+v", a.Assessment.Scorers)
	}
	s.signedIn("ada").get("/t/acme/approvals/"+a.ID).want(t, http.StatusOK, "Models combined", "Scorer production_work", "Works in production", "0.50 × 0.666 = 0.333")
}

// How scorers count is set on the policy page, and an old version reads as blended.
func TestScorersOnThePolicyPage(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	adam := s.join("adam", "admin")
	s.join("dora", "admin")
	adam.get(policyPath).want(t, http.StatusOK, "replace the models", "Scorers that replace the models can lower CRITICAL", "needs a person")
	form := adam.edited("scorers.mode", "replace", "on_requires_approval", "hold")
	form.Set("scorers.may_lower_critical", "true")
	adam.post(policyPath+"/preview", form).
		want(t, http.StatusOK, "replace the models", "weaker", "Scorers can lower CRITICAL", "What the rules require approval for")
	adam.post(policyPath+"/preview", adam.edited("scorers.built_in_weight", "0")).want(t, http.StatusUnprocessableEntity, "above 0")
}
