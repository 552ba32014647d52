package command

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/long"
	"github.com/countersign/countersign/internal/store/postgrestest"
)

// deed is one action and what the server acknowledged of it. An empty field was
// never acknowledged; it may have happened all the same.
type deed struct {
	key, body string // as submitted
	id        string
	digest    string
	shown     string
	status    string // the newest that was acknowledged
	consumed  string // when the grant was spent
	reported  bool
	denied    bool // by the operator
	confirmed bool // by the operator
	cancelled bool
}

// ledger is what an agent and an operator would swear to.
type ledger struct {
	mu    sync.Mutex
	deeds []*deed
	// acknowledged counts answers, until is after which one the server dies.
	acknowledged, until int
	die                 func()
}

// note remembers an acknowledgement, and kills the server when it is time.
func (l *ledger) note(change func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	change()
	if l.acknowledged++; l.acknowledged == l.until {
		l.die()
	}
}

// TestNothingAcknowledgedIsLost kills the server under load, at random points, and
// holds it to everything that it had acknowledged.
func TestNothingAcknowledgedIsLost(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, set Settings) {
		seed := uint64(time.Now().UnixNano())
		t.Logf("seed %d", seed)
		random := rand.New(rand.NewPCG(seed, 0))
		key := crashTenant(t, set)
		person, err := newOperator()
		if err != nil {
			t.Fatal(err)
		}
		l, kills := &ledger{}, long.Count(3, 30)
		for round := range kills {
			p := start(t, set)
			person.url = p.url
			if round == 0 {
				if status, _, ok := person.post("/sign-in", url.Values{"email": {"mei@acme.test"}, "password": {testPassword}}); !ok || status != http.StatusOK {
					t.Fatalf("sign-in: %d", status)
				}
			}
			l.retry(t, &agentClient{url: p.url, key: key})
			l.acknowledged, l.until = 0, 1+random.IntN(60)
			if round == 0 { // once, long enough for some of everything
				l.until = 60
			}
			l.die = func() { _ = p.cmd.Process.Kill() }
			l.load(round, p.url, key, person)
			p.kill()
		}
		p := start(t, set)
		l.retry(t, &agentClient{url: p.url, key: key})
		l.audit(t, &agentClient{url: p.url, key: key})
		p.kill()
		if code, out, errs := command(t, "", "audit", "verify", "--data-dir", set.DataDir, "--database-url", set.DatabaseURL); code != 0 {
			t.Errorf("the trail does not hold: %s %s", out, errs)
		}
		t.Logf("%d actions over %d kills: %s", len(l.deeds), kills, l.counts(t))
	})
}

// onBoth runs a test on a fresh database of each kind.
func onBoth(t *testing.T, test func(t *testing.T, set Settings)) {
	long.NotUnderRace(t, oneAtATime)
	t.Run("SQLite", func(t *testing.T) {
		t.Parallel()
		test(t, Settings{DataDir: dataDir(t)})
	})
	t.Run("Postgres", func(t *testing.T) {
		t.Parallel()
		test(t, Settings{DataDir: dataDir(t), DatabaseURL: postgrestest.Migrated(t)})
	})
}

// crashTenant makes the organisation, its agent and an operator who reads fast.
func crashTenant(t testing.TB, set Settings) (key string) {
	t.Helper()
	flags := []string{"--data-dir", set.DataDir, "--database-url", set.DatabaseURL, "--tenant", "acme"}
	for _, c := range []struct {
		input string
		args  []string
	}{
		{"", []string{"tenant", "create", "--data-dir", set.DataDir, "--database-url", set.DatabaseURL, "acme"}},
		{testPassword + "\n", append([]string{"person", "create", "--roles", string(auth.Operator), "--password-stdin", "mei@acme.test"}, flags...)},
		{"min_review_seconds: {low: 0, medium: 0, high: 0, critical: 0}", append([]string{"policy", "import", "--reason", "these read fast"}, flags...)},
		{"", append([]string{"agent", "create", "worker"}, flags...)},
	} {
		code, out, errs := command(t, c.input, c.args...)
		if code != 0 {
			t.Fatalf("%v: %s", c.args, errs)
		}
		key = strings.TrimSpace(out)
	}
	return key
}

// workers is how many agents work at once.
const workers = 4

// load works until the server is gone.
func (l *ledger) load(round int, where, key string, person *operator) {
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() {
			c := &agentClient{url: where, key: key}
			for n := 0; l.work(c, person, fmt.Sprintf("%d-%d-%d", round, w, n), n); n++ {
			}
		})
	}
	all.Wait()
}

// work carries one action through; it is false when the server stopped answering.
func (l *ledger) work(c *agentClient, person *operator, name string, n int) bool {
	body := [...]string{
		`{"function": "get_user", "arguments": {"user_id": "` + name + `"}}`,
		`{"function": "deploy_service", "arguments": {"service": "` + name + `", "env": "staging"}, "docstring": "Deploy to production."}`,
		`{"function": "get_user", "arguments": {"user_id": "` + name + `"}}`,
		`{"function": "deploy_service", "arguments": {"service": "` + name + `", "env": "production"}}`,
		`{"function": "deploy_service", "arguments": {"service": "` + name + `", "env": "staging"}, "docstring": "Deploy to production."}`,
	}[n%5]
	d := &deed{key: name, body: body}
	l.mu.Lock()
	l.deeds = append(l.deeds, d)
	l.mu.Unlock()
	r, ok := c.call("POST", "/api/v1/approvals", d.key, d.body)
	if !ok || r.status >= 300 {
		return ok
	}
	l.note(func() { d.id, d.digest, d.shown, d.status = r.ID, r.Digest, r.ShownDigest, r.Status })
	at, page := "/api/v1/approvals/"+d.id, "/t/acme/approvals/"+d.id
	switch {
	case d.status == "approved":
	case n%5 == 1:
		if r, ok = c.call("POST", at+"/cancel", "", ""); !ok || r.status != http.StatusOK {
			return ok
		}
		l.note(func() { d.cancelled, d.status = true, r.Status })
		return true
	case n%5 == 3:
		form := url.Values{"verdict": {"deny"}, "reason": {"no " + name}, "digest": {d.shown}, "version": {strconv.Itoa(1)}}
		status, _, ok := person.post(page+"/decide", form)
		if !ok || status != http.StatusOK {
			return ok
		}
		l.note(func() { d.denied, d.status = true, "denied" })
		return true
	default:
		_, shown, _ := person.get(page)
		form := fields(shown)
		form.Set("verdict", "approve")
		status, _, ok := person.post(page+"/decide", form)
		if !ok || status != http.StatusOK {
			return ok
		}
		l.note(func() { d.confirmed, d.status = true, "approved" })
	}
	if r, ok = c.call("POST", at+"/consume", "spend-"+d.key, fmt.Sprintf(`{"digest": %q}`, d.digest)); !ok || r.status != http.StatusOK {
		return ok
	}
	l.note(func() { d.consumed = consumedAt(r) })
	if r, ok = c.call("POST", at+"/result", "", `{"status": "succeeded"}`); !ok || r.status != http.StatusOK {
		return ok
	}
	l.note(func() { d.reported = true })
	return true
}

// consumedAt is when a consume call says that the grant was spent.
func consumedAt(r reply) string {
	_, after, _ := strings.Cut(string(r.raw), `"consumed_at":"`)
	at, _, _ := strings.Cut(after, `"`)
	return at
}

// retry does what a good client does after a crash: it repeats what it never
// heard back of, with the same key, and gets the one approval that there is.
func (l *ledger) retry(t *testing.T, c *agentClient) {
	t.Helper()
	for _, d := range l.deeds {
		if d.id != "" {
			continue
		}
		first, ok := c.call("POST", "/api/v1/approvals", d.key, d.body)
		again, ok2 := c.call("POST", "/api/v1/approvals", d.key, d.body)
		if !ok || !ok2 || first.ID == "" || first.ID != again.ID || again.status != http.StatusOK {
			t.Fatalf("repeating %s: %d %s, then %d %s", d.key, first.status, first.ID, again.status, again.ID)
		}
		d.id, d.digest, d.shown, d.status = first.ID, first.Digest, first.ShownDigest, first.Status
	}
}

// audit compares everything that was acknowledged with what there is.
func (l *ledger) audit(t *testing.T, c *agentClient) {
	t.Helper()
	seen := map[string]bool{}
	for _, d := range l.deeds {
		if seen[d.id] {
			t.Errorf("%s belongs to two keys", d.id)
		}
		seen[d.id] = true
		r, ok := c.call("GET", "/api/v1/approvals/"+d.id, "", "")
		if !ok || r.status != http.StatusOK || r.Digest != d.digest {
			t.Errorf("%s: %d %s", d.key, r.status, r.raw)
			continue
		}
		if r.Status != d.status && d.status != "pending" {
			t.Errorf("%s was acknowledged as %s and is %s", d.key, d.status, r.Status)
		}
		if d.denied && !strings.Contains(string(r.raw), "no "+d.key) {
			t.Errorf("%s lost the reason of its denial: %s", d.key, r.raw)
		}
		if d.reported && !strings.Contains(string(r.raw), `"execution":{"state":"reported","status":"succeeded"`) {
			t.Errorf("%s lost its report: %s", d.key, r.raw)
		}
		if d.consumed == "" {
			continue
		}
		spend := fmt.Sprintf(`{"digest": %q}`, d.digest)
		if r, _ := c.call("POST", "/api/v1/approvals/"+d.id+"/consume", "spend-"+d.key, spend); r.status != http.StatusOK || consumedAt(r) != d.consumed {
			t.Errorf("%s was spent at %s; repeated, it answers %d %s", d.key, d.consumed, r.status, r.raw)
		}
		if r, _ := c.call("POST", "/api/v1/approvals/"+d.id+"/consume", "again-"+d.key, spend); r.status != http.StatusConflict {
			t.Errorf("%s was spent twice: %d %s", d.key, r.status, r.raw)
		}
	}
	if all := l.stored(t, c); len(all) != len(seen) {
		t.Errorf("%d approvals are stored for %d keys", len(all), len(seen))
	}
}

// counts says how much of everything was acknowledged; of nothing too little.
func (l *ledger) counts(t *testing.T) string {
	t.Helper()
	var denied, confirmed, cancelled, consumed, reported int
	for _, d := range l.deeds {
		for n, is := range map[*int]bool{&denied: d.denied, &confirmed: d.confirmed, &cancelled: d.cancelled, &consumed: d.consumed != "", &reported: d.reported} {
			if is {
				*n++
			}
		}
	}
	if min(denied, confirmed, cancelled, consumed, reported) == 0 {
		t.Error("something was never acknowledged, so nothing was proved of it")
	}
	return fmt.Sprintf("%d denied, %d confirmed, %d cancelled, %d spent, %d reported", denied, confirmed, cancelled, consumed, reported)
}

// stored lists the ids of every approval of the agent.
func (l *ledger) stored(t *testing.T, c *agentClient) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	for cursor := ""; ; {
		r, ok := c.call("GET", "/api/v1/approvals?limit=200&cursor="+url.QueryEscape(cursor), "", "")
		page, next := listed(r)
		if !ok || r.status != http.StatusOK {
			t.Fatalf("list: %d %s", r.status, r.raw)
		}
		for _, id := range page {
			if all[id] {
				t.Errorf("%s is listed twice", id)
			}
			all[id] = true
		}
		if next == "" {
			return all
		}
		cursor = next
	}
}
