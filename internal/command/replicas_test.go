package command

import (
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/countersign/countersign/internal/long"
	"github.com/countersign/countersign/internal/store/postgrestest"
)

// TestTwoServersAreOne starts two processes on one Postgres and one data directory:
// whatever is said to one holds on the other, and whoever races, one wins.
func TestTwoServersAreOne(t *testing.T) {
	t.Parallel()
	long.Race(t)
	set := Settings{DataDir: filepath.Join(t.TempDir(), "data"), DatabaseURL: postgrestest.Open(t)}
	key := crashTenant(t, set)
	servers := []*process{start(t, set), start(t, set)}
	var agents [2]*agentClient
	for i, p := range servers {
		agents[i] = &agentClient{url: p.url, key: key}
	}
	mei, err := newOperator()
	if err != nil {
		t.Fatal(err)
	}
	mei.url = servers[0].url
	if status, _, _ := mei.post("/sign-in", url.Values{"email": {"mei@acme.test"}, "password": {testPassword}}); status != http.StatusOK {
		t.Fatalf("sign-in: %d", status)
	}
	// Cookies do not know ports, so this is the same session on the other server.
	onOther := &operator{http: mei.http, url: servers[1].url}

	const held = `{"function": "deploy_service", "arguments": {"env": "production"}}`
	submit := func(c *agentClient, body string) reply {
		t.Helper()
		r, ok := c.call("POST", "/api/v1/approvals", "", body)
		if !ok || r.status != http.StatusCreated {
			t.Fatalf("submit: %d %s", r.status, r.raw)
		}
		return r
	}
	deny := func(a reply) url.Values {
		return url.Values{"verdict": {"deny"}, "reason": {"not here"}, "digest": {a.ShownDigest}, "version": {"1"}}
	}

	t.Run("a decision on one reaches an agent that waits on the other", func(t *testing.T) {
		a := submit(agents[0], held)
		told := make(chan reply, 1)
		go func() {
			r, _ := agents[0].call("GET", "/api/v1/approvals/"+a.ID+"?wait=60", "", "")
			told <- r
		}()
		if status, page, _ := onOther.post("/t/acme/approvals/"+a.ID+"/decide", deny(a)); status != http.StatusOK {
			t.Errorf("deny on the other server: %d %.300s", status, page)
		}
		if r := <-told; r.Status != "denied" || r.Decision == nil || r.Decision.Reason != "not here" {
			t.Errorf("the agent was told %s", r.raw)
		}
	})

	t.Run("one decision, whichever server", func(t *testing.T) {
		for range 5 {
			a := submit(agents[1], held)
			var won, lost atomic.Int32
			var all sync.WaitGroup
			for _, decide := range []func() int{
				func() int {
					status, _, _ := mei.post("/t/acme/approvals/"+a.ID+"/decide", deny(a))
					return status
				},
				func() int {
					status, _, _ := onOther.post("/t/acme/approvals/"+a.ID+"/decide", deny(a))
					return status
				},
				func() int {
					r, _ := agents[0].call("POST", "/api/v1/approvals/"+a.ID+"/cancel", "", "")
					return r.status
				},
			} {
				all.Go(func() {
					switch status := decide(); status {
					case http.StatusOK:
						won.Add(1)
					case http.StatusConflict:
						lost.Add(1)
					default:
						t.Errorf("a decision was answered %d", status)
					}
				})
			}
			all.Wait()
			if won.Load() != 1 || lost.Load() != 2 {
				t.Errorf("%d decided and %d were too late, want 1 and 2", won.Load(), lost.Load())
			}
		}
	})

	t.Run("both sign with one key", func(t *testing.T) {
		first, _ := agents[0].call("GET", "/.well-known/jwks.json", "", "")
		second, _ := agents[1].call("GET", "/.well-known/jwks.json", "", "")
		if len(first.raw) == 0 || string(first.raw) != string(second.raw) {
			t.Errorf("%s and %s", first.raw, second.raw)
		}
	})

	t.Run("who looks at a request on one is seen on the other", func(t *testing.T) {
		a := submit(agents[0], held)
		ben, err := newOperator()
		if err != nil {
			t.Fatal(err)
		}
		ben.url = servers[1].url
		flags := []string{"--data-dir", set.DataDir, "--database-url", set.DatabaseURL, "--tenant", "acme"}
		if code, _, errs := command(t, testPassword+"\n", append([]string{"person", "create", "--roles", "operator", "--password-stdin", "ben@acme.test"}, flags...)...); code != 0 {
			t.Fatal(errs)
		}
		if status, _, _ := ben.post("/sign-in", url.Values{"email": {"ben@acme.test"}, "password": {testPassword}}); status != http.StatusOK {
			t.Fatalf("sign-in: %d", status)
		}
		page := "/t/acme/approvals/" + a.ID
		if status, text, _ := mei.get(page); status != http.StatusOK || strings.Contains(text, "Ben is viewing") {
			t.Fatalf("before: %d", status)
		}
		// Ben opens it on the second server; whoever opens it, or the queue, on the first is told.
		if status, text, _ := ben.get(page); status != http.StatusOK || !strings.Contains(text, "Mei is viewing") {
			t.Errorf("on the second server, after Mei on the first: %d %.400s", status, peopleOf(text))
		}
		if status, text, _ := mei.get(page); status != http.StatusOK || !strings.Contains(text, "Ben is viewing") {
			t.Errorf("on the first server, after Ben on the second: %d %.400s", status, peopleOf(text))
		}
		if _, text, _ := mei.get("/t/acme/queue"); !strings.Contains(text, "Ben is viewing") {
			t.Error("the queue of the first server does not say that Ben is viewing")
		}
		// So is a claim.
		if status, _, _ := ben.post(page+"/claim", url.Values{}); status != http.StatusOK {
			t.Errorf("claim: %d", status)
		}
		if _, text, _ := mei.get(page); !strings.Contains(text, "Take over from Ben") {
			t.Errorf("the first server does not say that Ben is on it: %.400s", peopleOf(text))
		}
	})

	t.Run("a session approval that is ended on one is used on neither", func(t *testing.T) {
		const body = `{"function": "deploy_service", "arguments": {"service": "checkout", "env": "staging"}, "docstring": "Deploy to production.", "session_id": "s1"}`
		first := submit(agents[0], body)
		_, page, _ := mei.get("/t/acme/approvals/" + first.ID)
		form := fields(page)
		form.Set("verdict", "approve")
		form.Set("next", "50")
		if status, page, _ := mei.post("/t/acme/approvals/"+first.ID+"/decide", form); status != http.StatusOK {
			t.Fatalf("approve: %d %.300s", status, page)
		}
		if a := submit(agents[1], body); a.Status != "approved" {
			t.Fatalf("control: on the other server it is %s", a.Status)
		}
		_, list, _ := mei.get("/t/acme/settings/standing-grants")
		_, rest, found := strings.Cut(list, "/settings/standing-grants/stg_")
		if !found {
			t.Fatalf("no session approval is listed: %.300s", list)
		}
		id, _, _ := strings.Cut(rest, `"`)
		// The other server goes on using it, before, while and after it is ended.
		var ended atomic.Bool
		var after atomic.Int32
		var all sync.WaitGroup
		for range 2 {
			all.Go(func() {
				for after.Load() < 3 {
					told := ended.Load()
					switch a := submit(agents[1], body); {
					case told && a.Status != "pending":
						t.Errorf("after it was ended it is %s", a.Status)
					case told:
						after.Add(1)
					}
				}
			})
		}
		status, page, _ := mei.post("/t/acme/settings/standing-grants/stg_"+id+"/revoke", url.Values{"reason": {"no more"}})
		ended.Store(true)
		if status != http.StatusOK {
			t.Errorf("revoke: %d %.300s", status, page)
		}
		all.Wait()
		if a := submit(agents[0], body); a.Status != "pending" {
			t.Errorf("on the server that ended it, it is %s", a.Status)
		}
	})

	t.Run("one dies, the other goes on", func(t *testing.T) {
		a := submit(agents[0], held)
		servers[0].kill()
		if status, _, _ := onOther.post("/t/acme/approvals/"+a.ID+"/decide", deny(a)); status != http.StatusOK {
			t.Errorf("deny on the survivor: %d", status)
		}
		if r, _ := agents[1].call("GET", "/api/v1/approvals/"+a.ID, "", ""); r.Status != "denied" {
			t.Errorf("it is %s", r.Status)
		}
	})
	servers[1].kill()
	if code, out, errs := command(t, "", "audit", "verify", "--data-dir", set.DataDir, "--database-url", set.DatabaseURL); code != 0 {
		t.Errorf("the trail does not hold: %s %s", out, errs)
	}
}

// peopleOf is the part of a request page that says who is there.
func peopleOf(page string) string {
	_, rest, _ := strings.Cut(page, `class="people`)
	return rest
}
