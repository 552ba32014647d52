package console

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/console/edge"
	"github.com/countersign/countersign/internal/console/urls"
	"github.com/countersign/countersign/internal/long"
	"github.com/countersign/countersign/internal/scoring"
)

// While a quiz is open, nothing that this operator can look at tells what is asked: another
// window on the queue, the session, the history, the trail, a search, what is pushed. Each
// place tells it before and afterwards, and to somebody else meanwhile. (A crawl of every
// address is in internal/command.)
func TestNoOtherPageTellsDuringAQuiz(t *testing.T) {
	t.Parallel()
	long.Race(t)
	s := newSite(t)
	s.policy(func(p *scoring.Policy) {
		yak(p)
		p.Evaluations.SessionAlertAbove = 1
	})
	must1(s.tenants.Grant(t.Context(), "acme", "ada@example.com", []auth.Role{auth.Operator, auth.Compliance}))
	const (
		user, mail, table = "usr_94317", "quentin.q@example.com", "ledger_main_7"
		session           = "offboarding of " + user
	)
	body := func(function, more string) string {
		return `{"function":"` + function + `","arguments":{"user_id":"` + user + `","memo":"yak"` + more + `},"docstring":"Permanently remove; irreversible.","environment":"production","session_id":"` + session + `"}`
	}
	ada, cleo := s.signedIn("ada"), s.signedIn("cleo")
	ended := s.submit(body("suspend_user", `,"note":"first"`))
	ada.denies(ended, "not "+user+" yet")
	other := s.submit(body("delete_account", ``))
	a := s.submit(body("delete_user", `,"recipient":"`+mail+`","table":"`+table+`","amount":48217`))
	path := "/t/acme/approvals/" + a.ID
	lists := map[string]string{
		"the queue":             "/t/acme/queue",
		"the rows":              "/t/acme/queue/rows",
		"a search of the queue": "/t/acme/queue?q=delete",
	}
	closed := map[string]string{
		"the session":              urls.Session("acme", a.Agent.ID, session),
		"the history":              "/t/acme/history",
		"the trail":                "/t/acme/audit?show=any",
		"the entry of the request": "/t/acme/audit/" + s.indexOf(a.ID, "approval.submitted"),
		"another entry":            "/t/acme/audit/" + s.indexOf(other.ID, "approval.submitted"),
		"another request":          "/t/acme/approvals/" + other.ID,
		"one that ended":           "/t/acme/approvals/" + ended.ID,
		"its agent":                urls.Overview("acme", a.Agent.ID),
	}
	// named is a page without the addresses and forms that have the session's name.
	named := func(b *browser, page string, status int) string {
		main := b.get(page).want(t, status).body
		if _, inner, found := strings.Cut(main, "<main"); found { // rows are alone
			main, _, _ = strings.Cut(inner, "</main>")
		}
		for _, escaped := range []string{url.QueryEscape(session), url.PathEscape(session), `value="` + session + `"`} {
			main = strings.ReplaceAll(main, escaped, "")
		}
		return main
	}
	tells := func(who *browser, when string) {
		for _, places := range []map[string]string{lists, closed} {
			for place, page := range places {
				if !strings.Contains(named(who, page, http.StatusOK), user) {
					t.Errorf("%s says nothing of it %s, so nothing is tested", place, when)
				}
			}
		}
	}
	ada.get(path)
	tells(ada, "before the quiz")
	ada.get("/t/acme/queue").want(t, http.StatusOK, "The score of the session "+session+" is above 1")
	feed, beside, elsewhere := ada.live("/t/acme/live"), ada.live("/t/acme/live?open="+a.ID), ada.live("/t/acme/live?open="+other.ID)
	for _, conn := range []*websocket.Conn{feed, beside, elsewhere} {
		s.settled(conn)
	}
	s.clock.pass(11 * time.Second)
	ada.post(path+"/start", nil).want(t, http.StatusSeeOther)
	silent := func(place, body string) {
		t.Helper()
		if _, inner, found := strings.Cut(body, "<main"); found {
			body, _, _ = strings.Cut(inner, "</main>")
		}
		for _, secret := range []string{user, mail, table, "48217", "suspend"} {
			if at := strings.Index(body, secret); at >= 0 {
				t.Errorf("%s tells %s: …%s…", place, secret, body[max(0, at-200):at+40])
			}
		}
	}
	for place, page := range lists {
		silent(place, named(ada, page, http.StatusOK))
	}
	ada.get("/t/acme/queue").want(t, http.StatusOK).without(t, user, url.QueryEscape(user))
	for place, page := range closed {
		silent(place, named(ada, page, http.StatusConflict))
	}
	for _, file := range []string{"/t/acme/audit.csv", "/t/acme/audit.jsonl", "/t/acme/history.csv"} {
		silent(file, ada.post(file, nil).want(t, http.StatusConflict).body)
	}
	// A search tells nothing: of what is there it finds as little as of what is not.
	for _, query := range []string{"q=%s", "q=delete+%s", "q=%s&agent=" + a.Agent.ID, "q=%s&environment=production"} {
		var found []string
		for _, text := range []string{user, "usr_00000"} {
			rows := ada.get("/t/acme/queue?"+strings.ReplaceAll(query, "%s", text)).want(t, http.StatusOK).body
			_, rows, _ = strings.Cut(rows, `id="rows"`)
			rows, _, _ = strings.Cut(rows, "</main>")
			found = append(found, strings.ReplaceAll(rows, text, ""))
		}
		if found[0] != found[1] || strings.Contains(found[0], other.ID) {
			t.Errorf("a search by %s finds\n%s\nand otherwise\n%s", query, found[0], found[1])
		}
	}
	// What comes in and what ends meanwhile is pushed without them.
	s.submit(body("suspend_user", `,"note":"second"`))
	s.signedIn("bob").denies(other, "no "+user)
	last := s.submit(strings.ReplaceAll(medium, "checkout-api", "last"))
	for place, conn := range map[string]*websocket.Conn{"the push to the queue": feed, "the push to the request": beside, "the push to another request": elsewhere} {
		for frame := ""; !strings.Contains(frame, last.ID); {
			frame = next(t, conn)
			silent(place, frame)
		}
	}
	ada.post("/t/acme/approvals/"+other.ID+"/claim", url.Values{"from": {"nobody"}}).want(t, http.StatusConflict).without(t, user)
	// What is done to another request is done, and what became of it is not said here.
	third := s.submit(body("suspend_user", `,"note":"third"`))
	form := url.Values{"pick": {third.ID + " 1 " + third.ShownDigest}, "reason": {"no " + user}}
	silent("a denial", ada.post("/t/acme/queue/deny", form).want(t, http.StatusOK, "1 request denied").body)
	cleo.get("/t/acme/history").want(t, http.StatusOK, user, `id="approval-`+third.ID)

	// Leaving leads to the page that was wanted.
	away := ada.get("/t/acme/history?q="+user).want(t, http.StatusConflict, "You&#39;re answering questions", `href="`+path+`"`).form(t, `name="to"`)
	if to := ada.post(path+"/leave", away).want(t, http.StatusSeeOther).location(); to != "/t/acme/history?q="+user {
		t.Errorf("leaving leads to %s", to)
	}
	ada.get("/t/acme/history?q="+user).want(t, http.StatusOK, `id="approval-`+ended.ID)
	ada.get("/t/acme/audit?text="+user).want(t, http.StatusOK, a.ID, other.ID)
	if to := ada.post(path+"/leave", url.Values{"to": {"//evil.test/t/acme"}}).want(t, http.StatusSeeOther).location(); to != path {
		t.Errorf("leaving leads to %s", to)
	}
}

// What is covered while somebody answers is what may show requests, and nothing else.
func TestWhatIsCoveredWhileAnswering(t *testing.T) {
	t.Parallel()
	covers, listed := map[string]bool{}, map[string]bool{}
	for _, n := range Routes() {
		address := n.Method + " " + n.Path
		listed[address] = slices.Contains(edge.ShownWhileAnswering, address)
		for _, begins := range edge.RequestPages {
			covers[begins] = covers[begins] || strings.HasPrefix(n.Path, "/t/:tenant"+begins) && edge.Covered(n)
		}
	}
	for _, begins := range edge.RequestPages {
		if !covers[begins] {
			t.Errorf("%s covers nothing", begins)
		}
	}
	for _, address := range edge.ShownWhileAnswering {
		if !listed[address] {
			t.Errorf("the rule lists %s, which nobody serves", address)
		}
	}
}

// While questions are open, only the requests of the agent that they are about are out of
// sight: others keep their row and their page, the rest of the console goes on, and a CRITICAL
// that comes offers to leave.
func TestTheConsoleStaysUsableDuringAQuiz(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	_, second, err := s.tenants.CreateAgent(t.Context(), "acme", "second", "")
	must(t, err)
	ada := s.signedIn("ada")
	a := s.submit(high)
	same := s.submit(strings.ReplaceAll(medium, "checkout-api", "same-agent"))
	other := s.submitAs(second, strings.ReplaceAll(medium, "checkout-api", "other-agent"))
	path := "/t/acme/approvals/" + a.ID
	ada.get(path)
	conn := ada.live("/t/acme/live?open=" + a.ID)
	s.settled(conn)
	s.clock.pass(11 * time.Second)
	ada.post(path+"/start", nil).want(t, http.StatusSeeOther)

	ada.get("/t/acme/queue").want(t, http.StatusOK, "other-agent", "Another request").without(t, "same-agent", "usr_123")
	ada.get("/t/acme/approvals/"+other.ID).want(t, http.StatusOK, "other-agent", "data-approve").without(t, "same-agent")
	ada.get("/t/acme/approvals/"+same.ID).want(t, http.StatusConflict, "answering questions").without(t, "same-agent")
	for _, page := range []string{"/t/acme/help", "/t/acme/settings/policy", "/t/acme/account/notices", "/t/acme/settings/waiting"} {
		ada.get(page).want(t, http.StatusOK)
	}
	urgent := s.submitAs(second, critical)
	for frame := ""; !strings.Contains(frame, "A CRITICAL request is waiting"); {
		if frame = next(t, conn); strings.Contains(frame, "A CRITICAL request is waiting") && !strings.Contains(frame, `form="leave" name="to" value="/t/acme/approvals/`+urgent.ID+`"`) {
			t.Errorf("it offers nothing: %s", frame)
		}
	}
	if to := ada.post(path+"/leave", url.Values{"to": {"/t/acme/approvals/" + urgent.ID}}).want(t, http.StatusSeeOther).location(); to != "/t/acme/approvals/"+urgent.ID {
		t.Errorf("leaving leads to %s", to)
	}
}
