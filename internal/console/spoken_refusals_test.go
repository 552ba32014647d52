package console

import (
	"maps"
	"net/url"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/console/policyui"
	"github.com/countersign/countersign/internal/console/urls"
	"github.com/countersign/countersign/views/texts"
)

// What is refused is refused in the reader's language, at its field and on a page of
// its own.
func TestRefusalsSpeakTheReadersLanguage(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	adam, ada, nobody := s.join("adam", auth.Admin), s.signedIn("ada"), s.browser()
	s.inTwo()
	waits := s.submit(medium)
	request := "/t/acme/approvals/" + waits.ID
	decision := ada.get(request).form(t, "Approve")
	form := func(pairs ...string) url.Values {
		v := url.Values{}
		for i := 0; i < len(pairs); i += 2 {
			v.Set(pairs[i], pairs[i+1])
		}
		return v
	}
	with := func(v url.Values, pairs ...string) url.Values {
		v = maps.Clone(v)
		for i := 0; i < len(pairs); i += 2 {
			v.Set(pairs[i], pairs[i+1])
		}
		return v
	}
	list := func(page, kind string, pairs ...string) url.Values {
		opened := adam.press(page, kind, adam.get(settingsPath+page))
		return with(opened.typed(t), append([]string{policyui.FieldDo, "put"}, pairs...)...)
	}
	for _, c := range []struct {
		by   *browser
		path string
		form url.Values
		want string
	}{
		{nobody, "/sign-in", form("email", "ada@example.com", "password", "wrong"), "⟦incorrect email or password"},
		{nobody, "/first-run?token=x", nil, "⟦This link was used"},
		{ada, "/nowhere", nil, "⟦there is nothing at this address⟧"},
		{ada, "/t/other/queue", nil, "⟦there is nothing at this address, or"},
		{ada, settingsPath + urls.PlacePeople, nil, "⟦your roles in acme don&#39;t allow this"},
		{ada, "/t/acme/approvals/apr_1", nil, "⟦there is no request with this ID in this organisation"},
		{ada, request + "/decide", with(decision, "verdict", "deny", "reason", ""), "⟦enter a reason of 1 to 2,000 characters; the agent receives it"},
		{ada, request + "/decide", with(decision, "verdict", "perhaps"), "⟦the verdict is one of"},
		{ada, "/t/acme/queue/deny", form("reason", "no"), "⟦select 1 to 200 requests"},
		{ada, "/t/acme/queue/filters", form("name", "mine"), "⟦filter the list first"},
		{ada, "/account/password", form("current", "wrong", "password", "short"), "⟦a password has"},
		{adam, settingsPath + urls.PlacePeople, form("email", "nobody", "role", "operator"), "⟦enter an email address"},
		{adam, settingsPath + urls.PlacePeople, form("email", "new@example.com"), "⟦name at least one of"},
		{adam, settingsPath + "agents", form("name", "?", "owner", s.personID("ada"), "expires", "24"), "⟦an agent&#39;s name is"},
		{adam, settingsPath + "agents/stop-all", form("slug", "wrong", "reason", "x"), "⟦type acme to confirm"},
		{adam, policyPath + "/preview", adam.edited("thresholds.high", "0.1"), "⟦the threshold is 0.1; expected a number above"},
		{adam, policyPath + "/preview", adam.edited("expiry_seconds", "99999999"), "⟦is 99,999,999; expected a whole number of ⟦seconds⟧ from"},
		{adam, settingsPath + "rules", list("rules", "add", "edit-name", "Not a name", "edit-text", "x", "edit-level", "HIGH", "edit-reason", "r"), "⟦the rule name is &#34;Not a name&#34;"},
		{adam, settingsPath + "rules", list("rules", "add", "edit-name", "own", "edit-text", "(", "edit-level", "HIGH", "edit-reason", "r"), "⟦the expression &#34;"},
		{ada, urls.StandingGrants("acme") + "/preview", form("from", waits.ID, "uses", "0", "life", "1", "reason", ""), "⟦enter 1 to 1,000 times"},
	} {
		page := c.by.in(pseudo, c.path, c.form)
		if !strings.Contains(page.body, c.want) {
			t.Errorf("%s: %d, without %s: %v", c.path, page.status, c.want, saidOf(page.body))
		}
		for _, raw := range english(t, c.by.in(accented, c.path, c.form).body) {
			t.Errorf("%s: %s", c.path, raw)
		}
	}
}

// A filter of an export that cannot be read is refused in the reader's language; what
// the log and programs get of it is English.
func TestRefusedFiltersAreEnglishInTheLog(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	cleo := s.signedIn("cleo")
	s.inTwo()
	form := cleo.get("/t/acme/audit").form(t, "CSV")
	form.Set("kind", "%d")
	form.Set("colour", "red")
	page := cleo.in(pseudo, "/t/acme/audit.csv", form)
	if !strings.Contains(page.body, "⟦this list has no filter &#34;colour&#34;; it has ") || !strings.Contains(page.body, "⟦⟦Kind⟧: ⟦choose kinds from the list⟧⟧") {
		t.Errorf("%d %s", page.status, page.main())
	}
}

// saidOf are the sentences of a page that begin with a small letter, as refusals do.
func saidOf(page string) (all []string) {
	for _, text := range strings.Split(page, "⟦")[1:] {
		if len(text) > 30 && text[0] >= 'a' && text[0] <= 'z' {
			all = append(all, text[:min(len(text), 90)])
		}
	}
	return all
}

// The trail is told in the reader's language, every kind of event of it; its files
// are not.
func TestTheTrailSpeaksTheReadersLanguage(t *testing.T) {
	t.Parallel()
	for _, k := range audit.Kinds() {
		e := audit.Event{Kind: k, Actor: audit.Actor{Kind: "person"}}
		if said := texts.Pseudo().Phrase(e.Text(func(_, id string) string { return id })); foreign(said) != "" || !strings.HasPrefix(said, "⟦") {
			t.Errorf("%s: %s", k, said)
		}
	}
	s := newSite(t)
	ada, cleo := s.signedIn("ada"), s.signedIn("cleo")
	ada.denies(s.submit(medium), "no %d")
	s.inTwo()
	for path, want := range map[string]string{"?show=any": "⟦⟦Denied ", "/0": "⟦Created the organisation⟧"} {
		if page := ada.in(pseudo, "/t/acme/audit"+path, nil); !strings.Contains(page.body, want) || path == "?show=any" && !strings.Contains(page.body, ": “no %d”⟧") {
			t.Errorf("%s is without %s\n%s", path, want, page.main())
		}
	}
	if file := cleo.in(pseudo, "/t/acme/audit.csv", cleo.get("/t/acme/audit").form(t, "CSV")); !strings.Contains(file.body, "Denied ") || strings.Contains(file.body, "⟦") {
		t.Errorf("the file speaks the reader's language:\n%d %s", file.status, file.body)
	}
}
