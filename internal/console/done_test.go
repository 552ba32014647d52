package console

import (
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"testing"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/console/edge"
	"github.com/countersign/countersign/views/texts"
)

const donePart = `id="done"`

// The page that a settings form leads to says what was done, once.
func TestAFormSaysWhatItDid(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	adam := s.join("adam", auth.Admin)
	s.join("amy", auth.Admin)
	s.join("zoe", auth.Compliance)
	_, agent := adam.create("nightly")
	one := agentsPath + "/" + agent.ID
	person := peoplePath + "/" + s.personID("zoe")
	own := adam.get("/t/acme/account/notices").form(t, `name="quiet_from"`)
	own["levels"] = []string{"HIGH"} // the helper checks every box
	own.Del("quiet_days")
	own.Del("agents")
	for _, did := range []struct {
		path string
		form url.Values
		says string
	}{
		{"/t/acme/settings/reasons", url.Values{"deny": {"Freeze"}}, "Saved."},
		{"/t/acme/account/notices", own, "Saved."},
		{one + "/describe", url.Values{"contact": {"#payments"}}, "Saved."},
		{one + "/incident", url.Values{"reason": {"it lied"}}, "Incident recorded."},
		{one + "/stop", url.Values{"sure": {"yes"}, "reason": {"it lied"}}, "Agent stopped."},
		{person + "/suspend", url.Values{"reason": {"on leave"}}, "Suspended."},
		{person + "/reinstate", url.Values{}, "Reinstated."},
		{person + "/sign-out", url.Values{}, "Signed out everywhere."},
		{person + "/roles", url.Values{"role": {"operator", "compliance"}}, "Another admin has to accept this change."},
	} {
		to := adam.post(did.path, did.form).want(t, http.StatusSeeOther).location()
		page := adam.get(to).want(t, http.StatusOK, donePart, did.says)
		if page.header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s may be kept: %v", to, page.header)
		}
		adam.get(to).want(t, http.StatusOK).without(t, donePart)
	}

	// What is refused did nothing, and no address or made-up cookie says otherwise.
	adam.post("/t/acme/settings/reasons", url.Values{"deny": {"Twice\nTwice"}}).want(t, http.StatusUnprocessableEntity).without(t, donePart)
	adam.get("/t/acme/settings/reasons?done=saved&saved=1").want(t, http.StatusOK).without(t, donePart)
	at, err := url.Parse(adam.url)
	must(t, err)
	adam.client.Jar.(*cookiejar.Jar).SetCookies(at, []*http.Cookie{{Name: "countersign_done", Value: "<b>hired", Path: "/"}})
	adam.get("/t/acme/settings/reasons").want(t, http.StatusOK).without(t, donePart, "hired")
}

func TestEveryDeedHasItsSentence(t *testing.T) {
	t.Parallel()
	for what, text := range edge.DeedTexts {
		if (texts.Printer{}).Key(text) == "" {
			t.Errorf("%s says nothing", what)
		}
	}
}
