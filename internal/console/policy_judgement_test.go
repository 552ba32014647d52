package console

import (
	"net/http"
	"reflect"
	"testing"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/effects"
)

// An organisation without floors sees what they would change, and proposes them with one
// click; a second admin accepts.
func TestWhatBalancedWouldChange(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	adam, eve := s.join("adam", auth.Admin), s.join("eve", auth.Admin)
	adam.get(policyPath).want(t, http.StatusOK, "Table of floors").without(t, "What “balanced” would change")
	s.policy(func(p *scoring.Policy) { p.Judgement = effects.Settings{} }) // as one from before there were any
	s.submit(`{"function":"frobnicate"}`)
	// The replay is asked for: it takes seconds where actions are large.
	adam.get(policyPath).want(t, http.StatusOK, "What “balanced” would change", `href="`+policyPath+`?try=balanced#balanced"`, "Propose balanced").without(t, "goes up")
	page := adam.get(policyPath+"?try=balanced").want(t, http.StatusOK, "What “balanced” would change", "1 rises", "Propose balanced")
	s.signedIn("cleo").get(policyPath).want(t, http.StatusOK, "What “balanced” would change").without(t, "Propose balanced")
	form := page.form(t, "Propose balanced")
	made := adam.post(policyPath, form).want(t, http.StatusSeeOther)
	eve.get(made.location()).want(t, http.StatusOK, "Floors", "Published", "Balanced")
	open, err := s.tenants.Proposals(t.Context(), s.member("eve"))
	must(t, err)
	if want := effects.Default(); len(open) != 1 || !reflect.DeepEqual(open[0].Policy.JudgedBy(), want) {
		t.Errorf("proposed is %+v", open)
	}
}

// Each cell of the table is a choice, and what counts in the end is drawn.
func TestTheTableOfFloorsIsEdited(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	adam := s.join("adam", auth.Admin)
	form := adam.edited("judgement.floors.delete.one", "CRITICAL", "judgement.own_domains", "example.com\n\nb.example", "judgement.nonproduction", "qa")
	adam.post(policyPath+"/preview", form).want(t, http.StatusOK, "Floor where it deletes: One", "same as preset", "Your domains: b.example", "Your non-production names: qa")
	form.Set("edit", "judgement")
	adam.post(policyPath+"/preview", form).want(t, http.StatusOK, `data-own`, "was Preset: HIGH")
	form.Del("edit")
	form.Set("judgement.own_domains", "*.example.com")
	adam.post(policyPath+"/preview", form).want(t, http.StatusUnprocessableEntity, `href="#judgement.own_domains"`)
	form.Set("judgement.own_domains", "")
	form.Del("judgement.floors.delete.one")
	adam.post(policyPath+"/preview", form).want(t, http.StatusUnprocessableEntity, `href="#judgement.floors.delete.one"`)
}
