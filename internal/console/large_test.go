package console

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// What follows stands above the headline, and what was read about it behind the scores.
func TestTheConsequenceStandsFirst(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	a := s.submit(`{"function":"run_query","arguments":{"database":"billing","sql":"DROP TABLE invoices"},"environment":"production"}`)
	page := s.signedIn("ada").get("/t/acme/approvals/"+a.ID).want(t, http.StatusOK, `class="facts effects"`, "Deletes", `<span class="consequence">Deletes`, "effect, deletes:")
	if !strings.Contains(page.body, `href="#mark-1"`) {
		t.Error("nothing leads to where it was read")
	}
}

// Whether it can be undone is asked, so nothing says it meanwhile.
func TestEffectIsHiddenDuringAQuiz(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	a := s.submit(high)
	b := s.signedIn("ada")
	path := "/t/acme/approvals/" + a.ID
	b.get(path).want(t, http.StatusOK, "for good", "facts effects")
	b.post(path+"/start", nil).want(t, http.StatusSeeOther)
	page := b.get(path).want(t, http.StatusOK, "Question 1 of 3", "What it does", "1 effect")
	around, _, _ := strings.Cut(page.body, `<fieldset`)
	_, after, _ := strings.Cut(page.body, `</fieldset>`)
	answer{page.status, page.header, around + after}.without(t, "annot be undone", "an be undone", "facts effects", "it deletes")
}

// 256 KiB of arguments are ordinary input, and shown in full.
func TestLargeActionsAreShown(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	text := strings.Repeat("x\u200bé<", 20_000)
	body, err := json.Marshal(map[string]any{"function": "deploy_service", "docstring": "Deploys; careful.", "environment": "staging", "arguments": map[string]any{"service": "checkout-api", "blob": text}})
	must(t, err)
	a := s.submit(string(body))
	n := 0
	for _, page := range s.signedIn("ada").pagesOf(a.ID) {
		n += strings.Count(page.want(t, http.StatusOK, "checkout-api").body, `data-char="U+200B"`)
	}
	if n < 2*20_000 {
		t.Errorf("%d of the hidden characters are named, want each of them in the table and in the JSON", n)
	}
}
