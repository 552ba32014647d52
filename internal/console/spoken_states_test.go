package console

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/console/urls"
	"github.com/countersign/countersign/internal/scoring"
)

// What a request can become, and what stops agents, in a language with an accent on
// each letter of the catalogue: no argument of a text is English.
func TestEveryOutcomeIsSaid(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	adam, ada := s.join("adam", auth.Admin), s.signedIn("ada")
	s.inTwo()
	check := func(b *browser, paths ...string) {
		t.Helper()
		for _, path := range append(paths, "/t/acme/queue", "/t/acme/history", "/t/acme/audit") {
			page := b.in(accented, path, nil).want(t, http.StatusOK)
			for _, raw := range english(t, page.body) {
				t.Errorf("%s: %s", path, raw)
			}
		}
	}

	first := s.submit(medium)
	form := url.Values{"verdict": {"request_changes"}, "reason": {"no"}, "digest": {first.ShownDigest}, "version": {"1"}}
	ada.post(urls.Request("acme", first.ID)+"/decide", form).want(t, http.StatusSeeOther)
	second := s.revise(strings.Replace(medium, `"version":"4.18.2"`, `"version":"4.18.3","amount":7`, 1), first.ID)
	check(ada, urls.Request("acme", first.ID), urls.Request("acme", second.ID))

	passed := s.submit(`{"function":"get_user","arguments":{"user_id":"usr_1"}}`)
	_, err := s.approvals.Consume(t.Context(), s.agent, passed.ID, passed.Digest, "")
	must(t, err)
	_, err = s.approvals.Report(t.Context(), s.agent, passed.ID, "failed", "usr_1")
	must(t, err)
	check(ada, urls.Request("acme", passed.ID))

	s.policy(func(p *scoring.Policy) { p.ApprovalsRequired.Critical = 2 })
	signed := s.submit(critical)
	check(ada, urls.Request("acme", signed.ID))
	check(adam, urls.Request("acme", signed.ID))

	s.policy(func(p *scoring.Policy) { p.Challenges.Critical = scoring.ChallengeDeny })
	blocked := s.submit(critical)
	check(ada, urls.Request("acme", blocked.ID))

	late := s.submit(medium)
	s.clock.pass(61 * time.Minute)
	must(t, s.approvals.Sweep(t.Context()))
	check(ada, urls.Request("acme", late.ID))

	s.submit(medium)
	dora := s.join("dora", auth.Admin) // adam was away
	halt := dora.get(agentsPath).form(t, `name="slug"`)
	halt.Set("slug", "acme")
	halt.Set("reason", "usr_1")
	dora.post(agentsPath+"/stop-all", halt).want(t, http.StatusSeeOther)
	check(dora, agentsPath)
	check(ada, urls.Request("acme", second.ID))

	for id, want := range map[string]approvals.Status{
		first.ID: approvals.ChangesRequested, passed.ID: approvals.Approved, blocked.ID: approvals.Blocked, late.ID: approvals.Expired,
	} {
		if got := s.approval(id).Status; got != want {
			t.Errorf("a request is %s, want %s: the test no longer sees it", got, want)
		}
	}
}
