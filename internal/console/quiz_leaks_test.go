package console

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/tenants"
)

// While a quiz is open, nothing that this operator can look at tells what is asked: another
// window on the queue, the session, the history, the trail, a search, what is pushed. Each
// place tells it before, and to somebody else.
func TestNoOtherPageTellsDuringAQuiz(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	must(t, s.store.Tenants().Write(t.Context(), "acme", func(w tenants.Writer) error {
		return w.Grant(s.personID("ada"), []auth.Role{auth.Operator, auth.Compliance})
	}))
	const (
		user, mail, table = "usr_94317", "quentin.q@example.com", "ledger_main_7"
		session           = "offboarding of " + user
	)
	body := func(function, more string) string {
		return `{"function":"` + function + `","arguments":{"user_id":"` + user + `"` + more + `},"docstring":"Permanently remove; irreversible.","environment":"production","session_id":"` + session + `"}`
	}
	ada := s.signedIn("ada")
	ended := s.submit(body("suspend_user", `,"note":"first"`))
	ada.denies(ended, "not "+user+" yet")
	other := s.submit(body("delete_account", ``))
	a := s.submit(body("delete_user", `,"recipient":"`+mail+`","table":"`+table+`","amount":48217`))
	path := "/t/acme/approvals/" + a.ID
	places := map[string]string{
		"the queue":                "/t/acme/queue",
		"the queue beside it":      "/t/acme/queue?open=" + a.ID,
		"the rows":                 "/t/acme/queue/rows",
		"a search of the queue":    "/t/acme/queue?q=delete",
		"the session":              sessionOneURL("acme", a.Agent.ID, session),
		"the history":              "/t/acme/history",
		"the trail":                "/t/acme/audit",
		"the entry of the request": "/t/acme/audit/" + s.indexOf(a.ID, "approval.submitted"),
		"another entry":            "/t/acme/audit/" + s.indexOf(other.ID, "approval.submitted"),
	}
	// named is a page without the addresses and forms that have the session's name: who opened
	// it by that name knows it.
	named := func(b *browser, page string) string {
		body := b.get(page).want(t, http.StatusOK).body
		_, main, found := strings.Cut(body, "<main")
		if !found { // rows alone
			main = body
		}
		for _, escaped := range []string{url.QueryEscape(session), url.PathEscape(session), `value="` + session + `"`} {
			main = strings.ReplaceAll(main, escaped, "")
		}
		return main
	}
	ada.get(path)
	for place, page := range places {
		if !strings.Contains(named(ada, page), user) && !strings.Contains(page, "open=") {
			t.Errorf("%s says nothing of it before the quiz, so nothing is tested", place)
		}
	}
	feed := ada.live("/t/acme/live")
	beside := ada.live("/t/acme/live?open=" + a.ID)
	s.settled(feed)
	s.settled(beside)
	s.clock.pass(11 * time.Second)
	ada.post(path+"/start", nil).want(t, http.StatusSeeOther)
	for place, page := range places {
		body := named(ada, page)
		for _, secret := range []string{user, mail, table, "48217"} {
			if at := strings.Index(body, secret); at >= 0 {
				t.Errorf("%s tells %s: …%s…", place, secret, body[max(0, at-200):at+40])
			}
		}
	}
	for _, search := range []string{user, mail, table} {
		if found := ada.get("/t/acme/queue?q="+search).want(t, http.StatusOK).body; strings.Contains(found, `id="approval-`+other.ID) {
			t.Errorf("the queue's search finds another request by %s", search)
		}
		for _, list := range []string{"/t/acme/history?decider=any", "/t/acme/history?", "/t/acme/audit?"} {
			for _, part := range []string{search, search[:len(search)-2], strings.ToUpper(search)} { // or a guess, letter by letter
				page, rest, _ := strings.Cut(list, "?")
				found := ada.get(page+"?"+strings.Trim("q="+url.QueryEscape(part)+"&"+rest, "&")).want(t, http.StatusOK).body
				if strings.Contains(found, `id="approval-`+ended.ID) || strings.Contains(found, a.ID) || strings.Contains(found, other.ID) {
					t.Errorf("%s finds a request by %s", list, part)
				}
			}
		}
	}
	// What comes in meanwhile is pushed without them.
	s.submit(body("suspend_user", `,"note":"second"`))
	for name, conn := range map[string]interface{ ReadMessage() (int, []byte, error) }{"the queue": feed, "the request": beside} {
		last := s.submit(strings.ReplaceAll(medium, "checkout-api", "last"))
		for {
			_, frame, err := conn.ReadMessage()
			must(t, err)
			for _, secret := range []string{user, mail, table} {
				if strings.Contains(string(frame), secret) {
					t.Errorf("the push to %s tells %s: %.300s", name, secret, frame)
				}
			}
			if strings.Contains(string(frame), last.ID) {
				break
			}
		}
	}
	for place, page := range places {
		if who := s.signedIn("cleo"); !strings.Contains(page, "open=") && !strings.Contains(named(who, page), user) {
			t.Errorf("%s is kept from somebody who answers nothing", place)
		}
	}
	s.signedIn("cleo").get("/t/acme/history?q="+user).want(t, http.StatusOK, `id="approval-`+ended.ID)
	s.signedIn("cleo").get("/t/acme/audit?q="+user).want(t, http.StatusOK, a.ID, other.ID)
	ada.post(path+"/leave", nil).want(t, http.StatusSeeOther)
	ada.get("/t/acme/history?q="+user).want(t, http.StatusOK, `id="approval-`+ended.ID)
	for place, page := range places {
		if !strings.Contains(page, "open=") && !strings.Contains(named(ada, page), user) {
			t.Errorf("%s is kept after the quiz was left", place)
		}
	}
}
