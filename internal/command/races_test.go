package command

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/countersign/countersign/internal/long"
	"github.com/countersign/countersign/internal/store/postgrestest"
)

// arena is one organisation and its servers: one on SQLite, two on one Postgres.
type arena struct {
	set     Settings
	servers []*process
	agents  []*agentClient // one for each server
	mei     []*operator    // the same session on each server
	ben     []*operator
	tend    func() // does what the autovacuum of a real Postgres does, which those of tests lack
}

// onArenas runs a test on both, and lets an auditor have the last word.
func onArenas(t *testing.T, test func(t *testing.T, a *arena)) {
	enter := func(t *testing.T, servers int, set Settings, tend func()) {
		t.Helper()
		a := &arena{set: set, tend: tend}
		key := crashTenant(t, set)
		code, _, errs := command(t, testPassword+"\n", "person", "create", "--data-dir", set.DataDir, "--database-url", set.DatabaseURL, "--tenant", "acme", "--roles", "operator", "--password-stdin", "ben@acme.test")
		if code != 0 {
			t.Fatal(errs)
		}
		for range servers {
			p := start(t, set)
			a.servers = append(a.servers, p)
			a.agents = append(a.agents, &agentClient{url: p.url, key: key})
		}
		a.mei, a.ben = a.signIn(t, "mei@acme.test"), a.signIn(t, "ben@acme.test")
		test(t, a)
		for _, p := range a.servers {
			p.kill()
		}
		if code, out, errs := command(t, "", "audit", "verify", "--data-dir", set.DataDir, "--database-url", set.DatabaseURL); code != 0 {
			t.Errorf("the trail does not hold: %s %s", out, errs)
		}
	}
	t.Run("SQLite", func(t *testing.T) {
		t.Parallel()
		enter(t, 1, Settings{DataDir: dataDir(t)}, func() {})
	})
	t.Run("two servers on Postgres", func(t *testing.T) {
		t.Parallel()
		dsn := postgrestest.Migrated(t)
		db := postgrestest.SQL(t, dsn)
		enter(t, 2, Settings{DataDir: dataDir(t), DatabaseURL: dsn}, func() {
			if _, err := db.ExecContext(t.Context(), "VACUUM ANALYZE"); err != nil {
				t.Error(err)
			}
		})
	})
}

// signIn signs a person in on the first server. Cookies do not know ports, so it
// is the same session on the others.
func (a *arena) signIn(t *testing.T, email string) (on []*operator) {
	t.Helper()
	o, err := newOperator()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range a.servers {
		on = append(on, &operator{http: o.http, url: p.url})
	}
	if status, _, _ := on[0].post("/sign-in", url.Values{"email": {email}, "password": {testPassword}}); status != http.StatusOK {
		t.Fatalf("sign-in: %d", status)
	}
	for _, at := range on { // a verdict is given when its answer is there, not when the page after it is
		at.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	}
	return on
}

func anyOf[T any](all []T) T { return all[rand.IntN(len(all))] }

// TestEverybodyRaces lets two operators, the agent and the clock race for many
// approvals, on whichever server. Whatever each of them was told, there is one
// order of events that explains all of it: one verdict, one grant that is spent
// once, and nothing that happens after the end.
func TestEverybodyRaces(t *testing.T) {
	t.Parallel()
	long.Race(t)
	onArenas(t, func(t *testing.T, a *arena) {
		const atOnce = 6
		races, next := long.Count(80, 2000), 0
		if testing.Short() { // under the race detector
			races = 12
		}
		ended := map[string]int{"approved": 0, "denied": 0, "cancelled": 0, "expired": 0}
		var mu sync.Mutex
		// Each end must be proved of some: races go on until it was.
		another := func() (n int, more bool) {
			mu.Lock()
			defer mu.Unlock()
			next++
			return next, next <= races || next <= 20*races && slices.Contains(slices.Collect(maps.Values(ended)), 0)
		}
		var all sync.WaitGroup
		for range atOnce {
			all.Go(func() {
				for n, more := another(); more; n, more = another() {
					if n%100 == 0 {
						a.tend()
					}
					status := a.race(t, n)
					mu.Lock()
					ended[status]++
					mu.Unlock()
				}
			})
		}
		all.Wait()
		for status, n := range ended {
			if n == 0 {
				t.Errorf("no race ended %s, so nothing was proved of it: %v", status, ended)
			}
		}
		t.Logf("the races ended %v", ended)
	})
}

// race is one approval that everybody acts on at once. It returns how it ended.
func (a *arena) race(t *testing.T, n int) string {
	expires := n%4 == 0 // about then, the others act
	seconds := 600
	if expires {
		seconds = 1
	}
	body := fmt.Sprintf(`{"function": "deploy_service", "arguments": {"env": "staging", "build": "%d"}, "docstring": "Deploy to production.", "expires_in_seconds": %d}`, n, seconds)
	r := anyOf(a.agents).patiently("POST", "/api/v1/approvals", fmt.Sprintf("race-%d", n), body)
	if r.status != http.StatusCreated || r.Status != "pending" {
		t.Errorf("race %d: submitted: %d %s", n, r.status, r.raw)
		return ""
	}
	at, page := "/api/v1/approvals/"+r.ID, "/t/acme/approvals/"+r.ID
	_, shown, _ := anyOf(a.mei).get(page)
	yes, no := fields(shown), fields(shown)
	for _, form := range []url.Values{yes, no} { // the page has no form where its time was over on a slow machine
		form.Set("digest", r.ShownDigest)
		form.Set("version", "1")
	}
	yes.Set("verdict", "approve")
	no.Set("verdict", "deny")
	no.Set("reason", "lost the race")
	no.Del("reader") // Ben posts it, and Mei opened the page

	agent := func(method, path, key, body string) told {
		r := anyOf(a.agents).patiently(method, path, key, body)
		says := r.Status
		if strings.HasPrefix(r.Type, "urn:") {
			says = r.Type[strings.LastIndex(r.Type, ":")+1:]
		}
		return told{r.status, says}
	}
	withdraw := url.Values{"reason": {"wrong cluster"}}
	person := func(who []*operator, to string, form url.Values) told {
		status := http.StatusServiceUnavailable
		for status == http.StatusServiceUnavailable {
			status, _, _ = anyOf(who).post(page+to, form)
		}
		if status == http.StatusSeeOther {
			status = http.StatusOK
		}
		return told{code: status}
	}
	spend := func(key string) told { return agent("POST", at+"/consume", key, `{"digest": "`+r.Digest+`"}`) }
	type attempt struct {
		verb verb
		do   func() told
	}
	acts := []attempt{
		{approves, func() told { return person(a.mei, "/decide", yes) }},
		{denies, func() told { return person(a.ben, "/decide", no) }},
		{cancels, func() told { return agent("POST", at+"/cancel", "", "") }},
		{consumes, func() told { return spend("one") }},
		{consumes, func() told { return spend("two") }},
		{reads, func() told { return agent("GET", at, "", "") }},
		{reads, func() told { return agent("GET", at, "", "") }},
	}
	if n%2 == 0 { // soon after the yes, where there is one
		acts = append(acts, attempt{withdraws, func() told { return person(a.ben, "/withdraw", withdraw) }}, attempt{withdraws, func() told { return person(a.ben, "/withdraw", withdraw) }})
	}
	// Not everybody takes part in every race, so that everybody wins some.
	if leave := n % 3; leave > 0 && !expires {
		acts[leave] = attempt{consumes, func() told { return spend("three") }}
	}
	if expires {
		until := time.NewTimer(time.Until(r.ExpiresAt.Add(time.Duration(rand.IntN(60)-40) * time.Millisecond)))
		defer until.Stop()
		<-until.C
	}
	var history []porcupine.Operation
	var mu sync.Mutex
	begun := time.Now()
	act := func(client int, v verb, do func() told) {
		call := time.Since(begun).Nanoseconds()
		answer := do()
		end := time.Since(begun).Nanoseconds()
		mu.Lock()
		defer mu.Unlock()
		history = append(history, porcupine.Operation{ClientId: client, Input: v, Call: call, Output: answer, Return: end})
	}
	var all sync.WaitGroup
	for _, i := range rand.Perm(len(acts)) {
		all.Go(func() { act(i, acts[i].verb, acts[i].do) })
	}
	all.Wait()
	act(0, consumes, func() told { return spend("late") })
	last, _ := anyOf(a.agents).call("GET", at+"?wait=60", "", "")
	act(0, reads, func() told { return told{last.status, last.Status} })

	if !porcupine.CheckOperations(lives, history) {
		t.Errorf("race %d, %s: no order of events explains %+v", n, r.ID, history)
	}
	if d := last.Decision; d == nil || last.Status != "expired" && !last.DecidedAt.Before(last.ExpiresAt) {
		t.Errorf("race %d, %s: %s, which was due at %s: %s", n, r.ID, last.Status, last.ExpiresAt, last.raw)
	}
	return last.Status
}

// patiently asks again, as agents do, while the answer is that the database is busy: who
// waits behind two hundred others on a slow machine is told so.
func (c *agentClient) patiently(method, path, key, body string) reply {
	for {
		if r, _ := c.call(method, path, key, body); r.status != http.StatusServiceUnavailable {
			return r
		}
	}
}

// Of 200 agents that spend one grant at once, one does.
func TestOneSpends(t *testing.T) {
	t.Parallel()
	long.Race(t)
	onArenas(t, func(t *testing.T, a *arena) {
		r, _ := a.agents[0].call("POST", "/api/v1/approvals", "", `{"function": "get_user", "arguments": {"user_id": "usr_1"}}`)
		if r.Status != "approved" {
			t.Fatalf("submitted: %d %s", r.status, r.raw)
		}
		var won atomic.Int32
		var all sync.WaitGroup
		for i := range 200 {
			all.Go(func() {
				r := a.agents[i%len(a.agents)].patiently("POST", "/api/v1/approvals/"+r.ID+"/consume", fmt.Sprint(i), fmt.Sprintf(`{"digest": %q}`, r.Digest))
				switch {
				case r.status == http.StatusOK:
					won.Add(1)
				case r.status != http.StatusConflict:
					t.Errorf("a consume was answered %d %s", r.status, r.raw)
				}
			})
		}
		all.Wait()
		if won.Load() != 1 {
			t.Errorf("the grant was spent %d times", won.Load())
		}
	})
}

// Of 50 equal submissions with one key at once, there is one approval.
func TestOneApprovalForOneKey(t *testing.T) {
	t.Parallel()
	long.Race(t)
	onArenas(t, func(t *testing.T, a *arena) {
		const body = `{"function": "deploy_service", "arguments": {"env": "production"}}`
		var ids sync.Map
		var made atomic.Int32
		var all sync.WaitGroup
		for i := range 50 {
			all.Go(func() {
				r := a.agents[i%len(a.agents)].patiently("POST", "/api/v1/approvals", "one-key", body)
				switch r.status {
				case http.StatusCreated:
					made.Add(1)
					ids.Store(r.ID, true)
				case http.StatusOK:
					ids.Store(r.ID, true)
				case http.StatusConflict: // the same call is still running
				default:
					t.Errorf("a submission was answered %d %s", r.status, r.raw)
				}
			})
		}
		all.Wait()
		r, _ := a.agents[0].call("POST", "/api/v1/approvals", "one-key", body)
		ids.Store(r.ID, true)
		n := 0
		ids.Range(func(_, _ any) bool { n++; return true })
		page, _ := a.agents[0].call("GET", "/api/v1/approvals", "", "")
		if stored, _ := listed(page); n != 1 || made.Load() != 1 || len(stored) != 1 || r.status != http.StatusOK {
			t.Errorf("one key: %d ids, made %d times, %d stored; the last call was answered %d", n, made.Load(), len(stored), r.status)
		}
	})
}
