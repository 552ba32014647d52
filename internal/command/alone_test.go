package command

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/net/html"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/long"
	"github.com/countersign/countersign/internal/store/postgrestest"
)

// What one person can reach who knows nothing but the addresses of the console: eve is an
// admin and an operator, and has a browser. A request needs two people.

// besieged is an organisation with eve in it, and its servers.
type besieged struct {
	t       *testing.T
	set     Settings
	servers []*process
	agents  []*agentClient
	people  map[string][]*operator // by name: the same session on each server
	ids     map[string]string
}

// theMedium is held, asks no questions, and needs two people here.
const theMedium = `{"function": "deploy_service", "arguments": {"env": "staging"}, "docstring": "Deploy to production.", "session_id": "ses-1"}`

// onBesieged runs a test on one server with SQLite, and on two with one Postgres, and
// verifies the trail afterwards.
func onBesieged(t *testing.T, test func(b *besieged)) {
	enter := func(t *testing.T, servers int, set Settings) {
		t.Helper()
		b := &besieged{t: t, set: set, people: map[string][]*operator{}, ids: map[string]string{}}
		b.commands("", "tenant", "create", "acme")
		for name, roles := range map[string]string{"eve": "admin,operator", "bob": "admin,operator", "carol": "operator"} {
			b.commands(testPassword+"\n", "person", "create", "--tenant", "acme", "--roles", roles, "--password-stdin", name+"@acme.test")
		}
		b.commands("min_review_seconds: {low: 0, medium: 0, high: 0, critical: 0}\napprovals_required: {low: 1, medium: 2, high: 2, critical: 2}\n",
			"policy", "import", "--tenant", "acme", "--reason", "two people")
		key := b.commands("", "agent", "create", "--tenant", "acme", "worker")
		for range servers {
			p := start(t, set)
			b.servers = append(b.servers, p)
			b.agents = append(b.agents, &agentClient{url: p.url, key: key})
		}
		for _, name := range []string{"eve", "bob", "carol"} {
			b.signIn(name, testPassword)
		}
		b.findPeople()
		test(b)
		for _, p := range b.servers {
			p.kill()
		}
		b.commands("", "audit", "verify")
	}
	t.Run("SQLite", func(t *testing.T) {
		t.Parallel()
		enter(t, 1, Settings{DataDir: dataDir(t)})
	})
	t.Run("two servers on Postgres", func(t *testing.T) {
		t.Parallel()
		enter(t, 2, Settings{DataDir: dataDir(t), DatabaseURL: postgrestest.Migrated(t)})
	})
}

// commands runs the command line, which must succeed, and returns what it says.
func (b *besieged) commands(input string, args ...string) string {
	b.t.Helper()
	code, out, errs := command(b.t, input, append(args, "--data-dir", b.set.DataDir, "--database-url", b.set.DatabaseURL)...)
	if code != 0 {
		b.t.Fatalf("%v: %s %s", args, out, errs)
	}
	return strings.TrimSpace(out)
}

// browsers are one session, on each of the servers. A verdict is given when its answer is
// there, so nothing is followed.
func (b *besieged) browsers() (on []*operator) {
	b.t.Helper()
	o, err := newOperator()
	if err != nil {
		b.t.Fatal(err)
	}
	for _, p := range b.servers {
		at := &operator{http: o.http, url: p.url}
		at.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
		on = append(on, at)
	}
	return on
}

func (b *besieged) signIn(name, password string) {
	b.t.Helper()
	b.people[name] = b.browsers()
	if status, _ := b.posts(name, "/sign-in", url.Values{"email": {name + "@acme.test"}, "password": {password}}); status != http.StatusSeeOther {
		b.t.Fatalf("sign-in as %s: %d", name, status)
	}
}

// posts sends a form to every server, one after the other, and returns the mildest answer:
// an attack that works on one of them works.
func (b *besieged) posts(name, path string, form url.Values) (status int, page string) {
	b.t.Helper()
	status = http.StatusInternalServerError
	for _, o := range b.people[name] {
		code, text, ok := o.post(path, form)
		if !ok || code >= http.StatusInternalServerError {
			b.t.Fatalf("%s, as %s: %d %s", path, name, code, text)
		}
		if code < status {
			status, page = code, text
		}
	}
	return status, page
}

func (b *besieged) reads(name, path string) string {
	b.t.Helper()
	_, page, ok := b.people[name][0].get(path)
	if !ok {
		b.t.Fatal(path)
	}
	return page
}

var (
	personLink   = regexp.MustCompile(`settings/people/(per_[0-9a-f]{32})`)
	ticketLink   = regexp.MustCompile(`\?ticket=([^"<\s]+)`)
	proposalLink = regexp.MustCompile(`(?:settings/waiting|policy/proposals)/(p[rp][pl]_[0-9a-f]{32})`)
	agentKey     = regexp.MustCompile(`csk_acme_[A-Za-z0-9_-]{20,}`)
	agentLink    = regexp.MustCompile(`settings/agents/(agt_[0-9a-f]{32})`)
)

// findPeople reads who has which id.
func (b *besieged) findPeople() {
	b.t.Helper()
	for _, m := range personLink.FindAllStringSubmatch(b.reads("bob", "/t/acme/settings/people"), -1) {
		at := "/t/acme/settings/people/" + m[1]
		for _, name := range []string{"eve", "bob", "carol"} {
			reader := "eve" // each page has the address of its reader, too
			if name == reader {
				reader = "bob"
			}
			if strings.Contains(b.reads(reader, at), name+"@acme.test") {
				b.ids[name] = m[1]
			}
		}
	}
	if len(b.ids) < 3 {
		b.t.Fatalf("the people page names %v", b.ids)
	}
}

// asks is an action that needs two people.
func (b *besieged) asks() reply {
	b.t.Helper()
	r, ok := b.agents[0].call("POST", "/api/v1/approvals", "", theMedium)
	if !ok || r.Status != "pending" || r.Level != "MEDIUM" {
		b.t.Fatalf("submitted: %d %s", r.status, r.raw)
	}
	return r
}

// signs approves as somebody, on each server.
func (b *besieged) signs(name string, r reply, also url.Values) int {
	b.t.Helper()
	page := "/t/acme/approvals/" + r.ID
	form := fields(b.reads(name, page))
	form.Set("digest", r.ShownDigest)
	form.Set("version", "1")
	form.Set("verdict", "approve")
	for member, values := range also {
		form[member] = values
	}
	status, _ := b.posts(name, page+"/decide", form)
	return status
}

// status is that of a request on each server, and whether anybody can spend its grant.
func (b *besieged) pending(r reply, after string) {
	b.t.Helper()
	for _, a := range b.agents {
		now, _ := a.call("GET", "/api/v1/approvals/"+r.ID, "", "")
		spent, _ := a.call("POST", "/api/v1/approvals/"+r.ID+"/consume", "", fmt.Sprintf(`{"digest": %q}`, r.Digest))
		if now.Status != "pending" || spent.status < http.StatusBadRequest {
			b.t.Fatalf("after %s the request is %s, and consume answers %d %s", after, now.Status, spent.status, spent.raw)
		}
	}
}

// accepts tries to accept, as somebody, everything that waits.
func (b *besieged) accepts(name string) (answers []int) {
	b.t.Helper()
	seen := map[string]bool{}
	for _, page := range []string{"/t/acme/settings/waiting", "/t/acme/settings/policy"} {
		for _, m := range proposalLink.FindAllStringSubmatch(b.reads("bob", page)+b.reads("eve", page), -1) {
			at := "/t/acme/settings/waiting/" + m[1]
			if strings.HasPrefix(m[1], "ppl_") {
				at = "/t/acme/settings/policy/proposals/" + m[1]
			}
			if seen[at] {
				continue
			}
			seen[at] = true
			b.reads(name, at)
			status, _ := b.posts(name, at+"/accept", url.Values{"read": {"yes"}})
			answers = append(answers, status)
		}
	}
	return answers
}

func ticketField() url.Values { return url.Values{"ticket": {auth.NewID("tkt")}} }

// TestOnePersonStaysOne: whatever an admin does with one browser, alone, what needs two
// people is not approved.
func TestOnePersonStaysOne(t *testing.T) {
	t.Parallel()
	onBesieged(t, func(b *besieged) {
		t, r := b.t, b.asks()
		refused := func(what string, status int) {
			t.Helper()
			if status < http.StatusBadRequest {
				t.Errorf("%s was answered %d", what, status)
			}
			b.pending(r, what)
		}
		if status := b.signs("eve", r, nil); status != http.StatusSeeOther {
			t.Fatalf("the first signature was answered %d", status)
		}
		refused("signing twice", b.signs("eve", r, nil))
		refused("signing with a grant for the next ten", b.signs("eve", r, url.Values{"next": {"10"}}))

		// Another operator, who is oneself.
		for _, role := range []string{"operator", "admin", "compliance"} {
			form := ticketField()
			form.Set("email", role+"@acme.test")
			form.Set("role", role)
			_, page := b.posts("eve", "/t/acme/settings/people", form)
			link := ticketLink.FindStringSubmatch(page)
			if link == nil {
				t.Fatalf("no link for %s: %.2000s", role, page)
			}
			ticket, err := url.QueryUnescape(link[1])
			if err != nil {
				t.Fatal(err)
			}
			b.people[role] = b.browsers()
			status, _ := b.posts(role, "/join", url.Values{"ticket": {ticket}, "name": {"Second"}, "password": {testPassword}})
			if role == "compliance" {
				if status != http.StatusSeeOther {
					t.Fatalf("control: compliance is invited at once, but joining was answered %d", status)
				}
				continue
			}
			refused("joining as "+role, status)
		}
		refused("signing as compliance", b.signs("compliance", r, nil))

		// The password of a colleague.
		_, page := b.posts("eve", "/t/acme/settings/people/"+b.ids["carol"]+"/password-link", ticketField())
		link := ticketLink.FindStringSubmatch(page)
		if link == nil {
			t.Fatalf("no password link: %.2000s", page)
		}
		ticket, err := url.QueryUnescape(link[1])
		if err != nil {
			t.Fatal(err)
		}
		b.people["nobody"] = b.browsers()
		status, _ := b.posts("nobody", "/new-password", url.Values{"ticket": {ticket}, "password": {"another horse battery"}, "again": {"another horse battery"}})
		refused("choosing carol's password", status)
		if status, _ := b.posts("nobody", "/sign-in", url.Values{"email": {"carol@acme.test"}, "password": {"another horse battery"}}); status < http.StatusBadRequest {
			t.Errorf("signing in as carol was answered %d", status)
		}

		// A policy that needs one person, or that waits for less.
		for _, weaker := range []url.Values{{"approvals_required.medium": {"1"}}, {"authority.waiting_hours": {"1"}}, {"authority.kinship_days": {"1"}}} {
			form := b.policyForm("eve")
			for name, values := range weaker {
				if form.Get(name) == "" {
					t.Fatalf("the form of the policy has no %s", name)
				}
				form[name] = values
			}
			form.Set("reason", "one is enough")
			form.Set("typed", "acme")
			status, _ := b.posts("eve", "/t/acme/settings/policy", form)
			if status != http.StatusSeeOther {
				t.Errorf("proposing %v was answered %d", weaker, status)
			}
			b.pending(r, fmt.Sprint("proposing ", weaker))
		}
		for _, who := range []string{"eve", "compliance"} {
			answers := b.accepts(who)
			if len(answers) < 4 || slices.Min(answers) < http.StatusBadRequest {
				t.Errorf("%s accepts, and is answered %v", who, answers)
			}
		}
		if version := b.reads("eve", "/t/acme/settings/policy/versions/3"); !strings.Contains(version, "404") && strings.Contains(version, "one is enough") {
			t.Error("a weaker policy is in force")
		}

		// Fewer who have to sign.
		for _, name := range []string{"carol", "bob"} {
			at := "/t/acme/settings/people/" + b.ids[name]
			if status, _ := b.posts("eve", at+"/suspend", url.Values{"reason": {"seems odd"}}); status != http.StatusSeeOther {
				t.Errorf("suspending %s was answered %d", name, status)
			}
			refused("deciding as "+name+", who is suspended", b.signs(name, r, nil))
			refused("signing alone, once more", b.signs("eve", r, nil))
			b.posts("eve", at+"/remove", url.Values{"sure": {"yes"}})
			b.posts("eve", at+"/roles", url.Values{"role": {"compliance"}})
			b.posts("eve", at+"/reinstate", nil)
			refused("deciding as "+name+", after asking for all of it", b.signs(name, r, nil))
			refused("signing alone, after asking for all of it", b.signs("eve", r, nil))
		}
		for _, who := range []string{"bob", "carol", "eve", "compliance"} {
			if answers := b.accepts(who); len(answers) > 0 && slices.Min(answers) < http.StatusBadRequest {
				t.Errorf("%s, who may not, accepts, and is answered %v", who, answers)
			}
		}
		if page := b.reads("eve", "/t/acme/queue"); strings.Contains(page, "single-person mode") {
			t.Error("suspending others led to single-person mode")
		}

		// What is let through ahead.
		form := url.Values{"from": {r.ID}, "uses": {"10"}, "life": {"24"}, "reason": {"always fine"}, "rule-0": {"equals"}, "seen": {""}}
		status, _ = b.posts("eve", "/t/acme/settings/standing-grants", form)
		refused("a standing approval", status)
		again, _ := b.agents[0].call("POST", "/api/v1/approvals", "", theMedium)
		if again.Status != "pending" {
			t.Errorf("the same once more is %s", again.Status)
		}

		// A key of the agent makes it one's own.
		rotated := false
		for _, m := range agentLink.FindAllStringSubmatch(b.reads("eve", "/t/acme/settings/agents"), -1) {
			if !strings.Contains(b.reads("eve", "/t/acme/settings/agents/"+m[1]), ">worker<") {
				continue
			}
			rotated = true
			status, page := b.posts("eve", "/t/acme/settings/agents/"+m[1]+"/rotate", url.Values{"key": {auth.NewID("key")}, "overlap": {"24"}})
			if key := agentKey.FindString(page); status != http.StatusOK || key == "" {
				t.Fatalf("rotating was answered %d %.1500s", status, page)
			}
		}
		if !rotated {
			t.Fatal("no agent is called worker")
		}
		own := b.asks() // with the key of before, which works for a while
		refused("signing for one's own agent", b.signs("eve", own, nil))
		b.pending(again, "rotating the key")
		b.pending(own, "signing for one's own agent")
	})
}

// policyForm is the form of the policy as somebody's browser would send it.
func (b *besieged) policyForm(name string) url.Values {
	b.t.Helper()
	root, err := html.Parse(strings.NewReader(b.reads(name, "/t/acme/settings/policy")))
	if err != nil {
		b.t.Fatal(err)
	}
	attribute := func(n *html.Node, name string) (string, bool) {
		at := slices.IndexFunc(n.Attr, func(a html.Attribute) bool { return a.Key == name })
		if at < 0 {
			return "", false
		}
		return n.Attr[at].Val, true
	}
	sent := url.Values{}
	for form := range root.Descendants() {
		if to, _ := attribute(form, "action"); form.Data != "form" || !strings.HasSuffix(to, "/settings/policy/preview") {
			continue
		}
		for n := range form.Descendants() {
			field, named := attribute(n, "name")
			value, _ := attribute(n, "value")
			kind, _ := attribute(n, "type")
			_, checked := attribute(n, "checked")
			switch {
			case !named || n.Data == "button" || (kind == "radio" || kind == "checkbox") && !checked:
			case n.Data == "select":
				for option := range n.Descendants() {
					if _, selected := attribute(option, "selected"); selected {
						value, _ = attribute(option, "value")
						sent.Set(field, value)
					}
				}
			case n.Data == "textarea":
				if n.FirstChild != nil {
					value = n.FirstChild.Data
				}
				sent.Set(field, value)
			case kind == "checkbox" && value == "":
				sent.Set(field, "on")
			default:
				sent.Set(field, value)
			}
		}
	}
	return sent
}

// TestGrantsEndEverywhere: a grant that several servers are asked to spend at the same
// moment is spent once, and every repeat says so.
func TestGrantsEndEverywhere(t *testing.T) {
	t.Parallel()
	long.Race(t)
	onBesieged(t, func(b *besieged) {
		t, r := b.t, b.asks()
		for _, name := range []string{"bob", "carol"} {
			if status := b.signs(name, r, nil); status != http.StatusSeeOther {
				t.Fatalf("%s signs: %d", name, status)
			}
		}
		var wait sync.WaitGroup
		var mu sync.Mutex
		spent, replayed := 0, 0
		for i := range 8 {
			wait.Go(func() {
				said := b.agents[i%len(b.agents)].patiently("POST", "/api/v1/approvals/"+r.ID+"/consume", "one-key", fmt.Sprintf(`{"digest": %q}`, r.Digest))
				mu.Lock()
				defer mu.Unlock()
				switch {
				case said.status == http.StatusOK && strings.Contains(string(said.raw), `"replayed":true`):
					replayed++
				case said.status == http.StatusOK:
					spent++
				case said.status != http.StatusConflict:
					t.Errorf("consume: %d %s", said.status, said.raw)
				}
			})
		}
		wait.Wait()
		if spent != 1 {
			t.Errorf("spent %d times, replayed %d times", spent, replayed)
		}
	})
}
