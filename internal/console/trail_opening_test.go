package console

import (
	"net/http"
	"net/url"
	"slices"
	"testing"

	"github.com/countersign/countersign/internal/audit"
)

// The trail opens with what people did and set. The calls have a page of their own, each on one row that
// holds all its entries.
func TestTheTrailBeginsWithPeople(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ada, cleo := s.signedIn("ada"), s.signedIn("cleo")
	a := s.submit(medium)
	ada.denies(a, "not today")
	const path, denied, submitted, signedIn = "/t/acme/audit", `<span class="mono">approval.denied</span>`, `<span class="mono">approval.submitted</span>`, `<span class="mono">sign_in.succeeded</span>`
	opening := cleo.get(path).want(t, http.StatusOK, signedIn, "Export all as JSON lines")
	opening.without(t, denied, submitted)
	if same := cleo.get(path + "?show=people"); !slices.Equal(found(same, entryRows), found(opening, entryRows)) {
		t.Errorf("people and settings are %v, the opening page has %v", found(same, entryRows), found(opening, entryRows))
	}
	calls := cleo.get(path+"?show=calls").want(t, http.StatusOK, denied)
	calls.without(t, signedIn)
	of := s.matching(audit.Filter{Approval: a.ID})
	if rows, all := found(calls, entryRows), found(calls, entryLinks); len(rows) != 1 || len(all) != len(of) || len(of) < 2 {
		t.Errorf("one call is on %d rows, with %d of %d entries", len(rows), len(all), len(of))
	}
	if rows := found(cleo.get(path+"?approval="+a.ID), entryRows); len(rows) != len(of) {
		t.Errorf("the page of one request has %d rows for %d entries", len(rows), len(of))
	}
	cleo.get(path+"?show=any").want(t, http.StatusOK, signedIn, denied)
	cleo.get(path+"?show=some").want(t, http.StatusUnprocessableEntity, "people, calls or any")
	cleo.post(path+".csv", url.Values{"show": {"people"}}).want(t, http.StatusOK, "sign_in.succeeded").without(t, "approval.denied")
}
