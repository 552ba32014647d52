package command

import (
	"context"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gorilla/websocket"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/console"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/tenants"
)

// What may be asked of the request of this test, and what else says it: another request that
// waits, one that ended, the names of a session, of a function and of an agent.
const (
	asksUser, asksMail, asksTable, asksAmount = "usr_94317", "quentin.q@vossen.example", "ledger_main_7", "48217"
	asksSession                               = "offboarding of " + asksUser
	asksEnvironment                           = "prod-vossen-3" // no word that a page may say of itself
)

var whatIsAsked = []string{asksUser, asksMail, asksTable, asksAmount, asksEnvironment}

func askedBody(function, more string) string {
	return fmt.Sprintf(`{"function": %q, "arguments": {"user_id": %q, "recipient": %q, "table": %q, "amount": %s%s}, "docstring": "Permanently remove; irreversible.", "environment": %q, "session_id": %q, "justification": "Asked by %s."}`,
		function, asksUser, asksMail, asksTable, asksAmount, more, asksEnvironment, asksSession, asksMail)
}

// answeringTenant is an organisation in which everything says what a quiz asks for that its one
// operator, who is admin and auditor too, has not opened yet.
func (h *house) answeringTenant() (c *crawlTenant, asked reply) {
	h.t.Helper()
	c = newCrawlTenant(h, "acme")
	c.changePolicy(h, 1)
	ctx := h.t.Context()
	now, err := h.Tenants.CurrentPolicy(ctx, auth.Member{Tenant: "acme", Person: auth.Person{ID: c.personID(h)}, Roles: auth.Roles()})
	if err == nil {
		now.Policy.MinReviewSeconds = scoring.PerLevel[int]{}
		now.Policy.Functions = append(now.Policy.Functions, scoring.Function{Glob: "read_" + asksTable, Docstring: "Reads " + asksTable})
		_, err = h.Tenants.ImportPolicy(ctx, "acme", tenants.Change{Base: now.Version, Policy: now.Policy, Reason: "for " + asksUser})
	}
	if err != nil {
		h.t.Fatal(err)
	}
	submit := func(body string) reply {
		h.t.Helper()
		a := h.call(c.key, "POST", "/api/v1/approvals", body)
		if a.status != http.StatusCreated {
			h.t.Fatalf("submit: %d %s", a.status, a.raw)
		}
		c.actions = append(c.actions, a.ID)
		return a
	}
	ended := submit(askedBody("suspend_user", ""))
	form := url.Values{"verdict": {"deny"}, "reason": {"not " + asksUser}, "digest": {ended.ShownDigest}, "version": {"1"}}
	if status, page := c.person.post("/t/acme/approvals/"+ended.ID+"/decide", form); status != http.StatusOK {
		h.t.Fatalf("deny: %d %.300s", status, page)
	}
	submit(askedBody("delete_"+asksTable, ""))
	submit(askedBody("delete_account", ""))
	submit(askedBody("delete_user", "")) // the same call again
	asked = submit(askedBody("delete_user", ""))
	if asked.Level != "HIGH" || asked.Challenge.Kind != "quiz" {
		h.t.Fatalf("no quiz: %s", asked.raw)
	}
	return c, asked
}

func (c *crawlTenant) personID(h *house) (id string) {
	h.t.Helper()
	err := h.Store.Tenants().Read(h.t.Context(), c.slug, func(r tenants.Reader) error {
		all, err := r.Members()
		for _, m := range all {
			if m.Person.Email == c.canary+"@"+c.slug+".test" {
				id = m.Person.ID
			}
		}
		return err
	})
	if err != nil || id == "" {
		h.t.Fatalf("no person: %v", err)
	}
	return id
}

// questions is the set that is open, with the right answers.
func (h *house) questions(tenant, approval, person string) (c approvals.Challenge) {
	h.t.Helper()
	err := h.Store.Approvals().Read(h.t.Context(), tenant, func(r approvals.Reader) (err error) {
		c, err = r.LatestChallenge(approval, person)
		return err
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return c
}

// answersOf are the right answers of a set, as texts.
func answersOf(c approvals.Challenge) (all []string) {
	for _, q := range c.Questions {
		right := q.Right
		for _, o := range q.Options {
			if o.ID == q.Right {
				right = o.Text
			}
		}
		all = append(all, right)
	}
	return all
}

// asksFor is every address of the tenant that shows something, on every request: all pages, and
// the forms that answer with a file or a preview. Where an address takes a search, it is
// searched by what is asked and by a part of it.
func (c *crawlTenant) asksFor(t *testing.T) (all [][2]string) {
	t.Helper()
	for _, n := range console.Routes() {
		file := regexp.MustCompile(`\.(csv|jsonl)$|/preview$`).MatchString(n.Path)
		if !strings.HasPrefix(n.Path, "/t/:tenant") || n.Method != http.MethodGet && !file || strings.HasSuffix(n.Path, "/live") || strings.HasPrefix(n.Path, waitingOf) {
			continue
		}
		for _, id := range idsFor(n.Path, c.actions) {
			path := c.fill(t, strings.Replace(n.Path, ":tenant", c.slug, 1), id)
			all = append(all, [2]string{n.Method, path})
			for _, name := range []string{"q", "text", "session", "function", "agent", "environment"} {
				if n.Method == http.MethodGet && id == "" && !strings.Contains(path, "?") {
					for _, text := range []string{asksUser, asksUser[:7], asksSession} {
						all = append(all, [2]string{n.Method, path + "?" + name + "=" + url.QueryEscape(text)})
					}
				}
			}
		}
	}
	all = append(all, [2]string{http.MethodGet, "/account"}, [2]string{http.MethodGet, "/"})
	for _, session := range []string{asksSession} {
		all = append(all, [2]string{http.MethodGet, "/t/" + c.slug + "/history?session=" + url.QueryEscape(session)})
	}
	return all
}

// says is which of these texts stand in an answer; what the reader put into the address, and
// comes back in a field or a link, tells nothing.
func says(body, address string, texts []string) (found []string) {
	body = html.UnescapeString(body)
	if u, err := url.Parse(address); err == nil {
		for _, values := range u.Query() {
			for _, v := range values {
				for _, echoed := range []string{v, url.QueryEscape(v), url.PathEscape(v)} {
					body = strings.ReplaceAll(body, echoed, "")
				}
			}
		}
	}
	for _, text := range texts {
		if strings.Contains(strings.ToLower(body), strings.ToLower(text)) {
			found = append(found, text)
		}
	}
	return found
}

// While an operator answers a quiz, no page, no file and no push that shows requests says a right
// answer, or finds one, wherever else it stands. The only exception is the question itself.
func TestNothingTellsTheAnswersOfAQuiz(t *testing.T) {
	t.Parallel()
	h := boot(t)
	c, asked := h.answeringTenant()
	own := "/t/acme/approvals/" + asked.ID
	pages := c.asksFor(t)

	var telling [][2]string
	for _, p := range pages {
		if got := h.crawl(c.person.Client, p[0], p[1], ""); len(says(string(got.whole), p[1], whatIsAsked)) > 0 {
			telling = append(telling, p)
		}
	}
	if len(telling) < 25 {
		t.Errorf("%d addresses tell something before the quiz, so little is tested", len(telling))
	}
	queue, beside, other := h.feed(c, "/live"), h.feed(c, "/live?open="+asked.ID), h.feed(c, "/live?open="+c.actions[len(c.actions)-3])

	if status, page := c.person.post(own+"/start", url.Values{}); status != http.StatusOK || !strings.Contains(page, "Question 1 of 3") {
		t.Fatalf("start: %d %.2000s", status, page)
	}
	answers := slices.Concat(answersOf(h.questions("acme", asked.ID, c.personID(h))), whatIsAsked)
	for _, p := range pages {
		got := h.crawl(c.person.Client, p[0], p[1], "")
		body := string(got.whole)
		if p[1] == own { // the options are shown, of course
			before, rest, _ := strings.Cut(body, "<fieldset")
			_, after, _ := strings.Cut(rest, "</fieldset>")
			body = before + after
		}
		// What an admin wrote into the policy is no request: its pages stay open.
		if found := says(body, p[1], answers); len(found) > 0 && !strings.HasPrefix(p[1], "/t/acme/settings/policy") {
			t.Errorf("%s %s (%d) tells %v", p[0], p[1], got.status, found)
		}
		if got.status >= http.StatusInternalServerError {
			t.Errorf("%s %s: %d", p[0], p[1], got.status)
		}
	}

	// What comes and goes meanwhile. What was pushed before the questions began may wait in the feeds.
	feeds := map[string]<-chan string{"the queue": queue, "the request": beside, "another request": other}
	begun := h.call(c.key, "POST", "/api/v1/approvals", `{"function": "deploy_service", "arguments": {"env": "staging"}, "docstring": "Deploy to production."}`)
	for name, frames := range feeds {
		for all := ""; !strings.Contains(all, begun.ID); {
			frame, ok := <-frames
			if !ok {
				t.Fatalf("the push to %s ended", name)
			}
			all += frame
		}
	}
	for _, body := range []string{askedBody("suspend_user", `, "note": "second"`), askedBody("delete_user", "")} {
		if a := h.call(c.key, "POST", "/api/v1/approvals", body); a.status != http.StatusCreated {
			t.Fatalf("submit: %s", a.raw)
		}
	}
	if r := h.call(c.key, "POST", "/api/v1/approvals/"+c.actions[len(c.actions)-3]+"/cancel", ""); r.status != http.StatusOK {
		t.Fatalf("cancel: %d %s", r.status, r.raw)
	}
	last := h.call(c.key, "POST", "/api/v1/approvals", `{"function": "deploy_service", "arguments": {"env": "staging"}, "docstring": "Deploy to production."}`)
	for name, frames := range feeds {
		for all := ""; !strings.Contains(all, last.ID); {
			frame, ok := <-frames
			if !ok {
				t.Fatalf("the push to %s ended", name)
			}
			all += frame
			if found := says(frame, "", answers); len(found) > 0 {
				t.Errorf("the push to %s tells %v: %.300s", name, found, frame)
			}
		}
	}

	// Somebody else reads on, and so does the operator afterwards.
	if status, _ := c.person.post(own+"/leave", url.Values{}); status != http.StatusOK {
		t.Fatalf("leave: %d", status)
	}
	after := 0
	others := slices.DeleteFunc(slices.Clone(pages), func(p [2]string) bool { return slices.Contains(telling, p) })
	for _, p := range slices.Concat(telling, others) {
		if after == len(telling) {
			break
		}
		if got := h.crawl(c.person.Client, p[0], p[1], ""); len(says(string(got.whole), p[1], whatIsAsked)) > 0 {
			after++
		}
	}
	if after < len(telling) {
		t.Errorf("%d addresses tell something after the quiz, %d before", after, len(telling))
	}
}

// feed opens one of the live addresses, and reads on while others are looked at: who does not
// answer the server's pings is taken for gone.
func (h *house) feed(c *crawlTenant, address string) <-chan string {
	h.t.Helper()
	dialer := websocket.Dialer{Jar: c.person.Jar}
	conn, _, err := dialer.DialContext(context.WithoutCancel(h.t.Context()), strings.Replace(h.URL(), "http", "ws", 1)+"/t/"+c.slug+address, http.Header{"Origin": {h.URL()}})
	if err != nil {
		h.t.Fatal(err)
	}
	frames := make(chan string, 4096)
	var reading sync.WaitGroup
	reading.Go(func() {
		defer close(frames)
		for {
			_, frame, err := conn.ReadMessage()
			if err != nil {
				return
			}
			frames <- string(frame)
		}
	})
	h.t.Cleanup(func() { _ = conn.Close(); reading.Wait() })
	return frames
}
