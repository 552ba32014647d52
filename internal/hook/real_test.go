package hook

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/httpapi"
	"github.com/countersign/countersign/internal/httpserver"
	"github.com/countersign/countersign/internal/live"
	"github.com/countersign/countersign/internal/long"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/store"
	"github.com/countersign/countersign/internal/store/headstest"
	"github.com/countersign/countersign/internal/store/sqlitetest"
	"github.com/countersign/countersign/internal/tenants"
)

// house is the real server on a real database, with one agent and one operator who is
// asked for a simple confirmation.
type house struct {
	*machine
	url      string
	agent    auth.Agent
	operator auth.Member
	service  *approvals.Service
	db       *store.Store
	people   *tenants.Service
	before   func(r *http.Request) // of each request
}

func newHouse(t *testing.T) *house {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	long.NotUnderRace(t, "one call follows the other")
	log := slog.New(slog.DiscardHandler)
	heads := headstest.New()
	db, err := store.Open(t.Context(), store.Config{Path: sqlitetest.Create(t, filepath.Join(t.TempDir(), "db")), Log: log, Heads: heads})
	must(err)
	t.Cleanup(func() { _ = db.Close() })
	people := tenants.NewService(tenants.Config{Store: db.Tenants(), Log: log})
	must(people.CreateTenant(t.Context(), "acme"))
	policy := scoring.DefaultPolicy()
	policy.Challenges.Medium, policy.Challenges.High, policy.MinReviewSeconds = scoring.ChallengeConfirm, scoring.ChallengeConfirm, scoring.PerLevel[int]{}
	policy.EditBeforeApprove.Medium, policy.EditBeforeApprove.High = true, true
	_, err = people.ImportPolicy(t.Context(), "acme", tenants.Change{Base: 1, Policy: policy, Reason: "a test"})
	must(err)
	key, agent, err := people.CreateAgent(t.Context(), "acme", "claude", "")
	must(err)
	ada, err := people.CreatePerson(t.Context(), "acme", "ada@acme.test", "Ada", "", []auth.Role{auth.Operator})
	must(err)
	document, err := approvals.NewSigningKey()
	must(err)
	signer, err := approvals.NewEd25519Signer(document)
	must(err)
	ring, err := approvals.NewKeyring(time.Now, []*approvals.Ed25519Signer{signer})
	must(err)

	h := &house{agent: agent, operator: auth.Member{Tenant: "acme", Person: ada, Roles: []auth.Role{auth.Operator}}, people: people, db: db, before: func(*http.Request) {}}
	server := httptest.NewUnstartedServer(nil)
	h.url = "http://" + server.Listener.Addr().String()
	public := func() string { return h.url }
	h.service = approvals.NewService(approvals.Config{Store: db.Approvals(), Live: live.New(), Signer: ring, Issuer: public, Now: time.Now, Log: log})
	t.Cleanup(h.service.Stop)
	metrics := httpapi.NewMetrics()
	edge := httpserver.Config{Log: log, PublicURL: public, Observe: metrics.Observe}
	e := httpserver.New(edge)
	httpapi.Register(e, httpapi.Config{
		Approvals: h.service, Agents: people, Trail: headstest.Trail{Store: db, Heads: heads}, JWKS: ring.JWKS, Ready: db.Ready, PublicURL: public, Metrics: metrics, Now: time.Now, Log: log,
	})
	handler, err := httpserver.Handler(e, edge)
	must(err)
	server.Config = httpserver.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.before(r)
		handler.ServeHTTP(w, r)
	}), log)
	server.Start()
	t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
	h.machine = newMachine(t, h.url)
	h.settings(fmt.Sprintf(`{"url":%q,"key":%q,"wait_seconds":20}`, h.url, key), 0o600)
	h.args = nil
	return h
}

// all are the approvals, newest first.
func (h *house) all() []approvals.Approval {
	h.t.Helper()
	page, _, err := h.service.List(context.Background(), h.agent, approvals.Filter{Limit: 50})
	if err != nil {
		h.t.Fatal(err)
	}
	var all []approvals.Approval
	for _, v := range page {
		a, err := h.service.Get(context.Background(), h.agent, v.ID)
		if err != nil {
			h.t.Fatal(err)
		}
		all = append(all, a)
	}
	return all
}

// decide decides the newest approval as soon as it is waited for.
func (h *house) decide(verdict approvals.Verdict, reason, arguments string) {
	var one sync.Mutex
	h.before = func(r *http.Request) {
		one.Lock()
		defer one.Unlock()
		if !r.URL.Query().Has("wait") || h.all()[0].Status != approvals.Pending {
			return
		}
		h.decideNow(verdict, reason, arguments)
	}
}

func (h *house) decideNow(verdict approvals.Verdict, reason, arguments string) {
	a, ctx := h.all()[0], context.Background()
	if arguments != "" {
		if _, err := h.service.Edit(ctx, h.operator, a.ID, approvals.EditInput{Arguments: arguments, Digest: a.ShownDigest, Version: a.Version}); err != nil {
			h.t.Error(err)
		}
		a = h.all()[0]
	}
	v, err := h.service.Show(ctx, h.operator, a.ID)
	if err == nil {
		_, err = h.service.Decide(ctx, h.operator, a.ID, approvals.DecideInput{Verdict: verdict, Reason: reason, Digest: a.ShownDigest, Version: a.Version, Challenge: v.Challenge.ID})
	}
	if err != nil {
		h.t.Error(err)
	}
}

// heldCall is a call that people are asked about.
func heldCall(id string) string {
	return `{"session_id":"s1","cwd":"/srv/shop","hook_event_name":"PreToolUse","tool_name":"mcp__crm__set_status","tool_input":{"order":"1","n":1234567890123456789012345678901234567891},"tool_use_id":"` + id + `"}`
}

// readCall is one that the policy lets through.
const readCall = `{"session_id":"s1","cwd":"/srv/shop","hook_event_name":"PreToolUse","tool_name":"mcp__crm__get_order","tool_input":{"order":"1"},"tool_use_id":"r1"}`

func TestRealServer(t *testing.T) {
	t.Parallel()
	t.Run("a harmless call runs after one request", func(t *testing.T) {
		t.Parallel()
		h := newHouse(t)
		for _, want := range []int{2, 1} { // the first fetches the keys
			n := 0
			h.before = func(*http.Request) { n++ }
			r := h.run("claude-code", strings.Replace(readCall, "r1", fmt.Sprint(want), 1))
			if a := h.all()[0]; !r.lets() || n != want || a.Grant.ConsumedAt == nil {
				t.Errorf("%d requests: %s%s", n, r.out.String(), r.err.String())
			}
		}
		h.run("claude-code", strings.NewReplacer("PreToolUse", "PostToolUse", "r1", "1").Replace(readCall))
		if e := h.all()[0].Execution; e == nil || e.Status != "succeeded" {
			t.Errorf("reported %+v", e)
		}
	})
	t.Run("held, approved", func(t *testing.T) {
		t.Parallel()
		h := newHouse(t)
		h.decide(approvals.VerdictApprove, "", "")
		r := h.run("claude-code", heldCall("t1"))
		if a := h.all()[0]; !r.lets() || a.Grant.ConsumedAt == nil {
			t.Errorf("%s%s", r.out.String(), r.err.String())
		}
	})
	t.Run("held, denied", func(t *testing.T) {
		t.Parallel()
		h := newHouse(t)
		h.decide(approvals.VerdictDeny, "Not during the freeze.", "")
		if r := h.run("claude-code", heldCall("t1")); r.lets() || r.code != 0 || !strings.Contains(r.out.String(), "Not during the freeze.") {
			t.Errorf("%s%s", r.out.String(), r.err.String())
		}
	})
	t.Run("held, edited", func(t *testing.T) {
		t.Parallel()
		h := newHouse(t)
		h.decide(approvals.VerdictApprove, "", `{"order":"2","n":5}`)
		if r := h.run("claude-code", heldCall("t1")); !r.lets() || !strings.Contains(r.out.String(), `"updatedInput":{"n":5,"order":"2"}`) || h.all()[0].Grant.ConsumedAt == nil {
			t.Errorf("%s%s", r.out.String(), r.err.String())
		}
	})
	t.Run("a yes after the agent left serves the identical retry once", func(t *testing.T) {
		t.Parallel()
		h := newHouse(t)
		h.killedWhileHeld("t1")
		h.decideNow(approvals.VerdictApprove, "", "")
		if r := h.run("claude-code", heldCall("t2")); !r.lets() || len(h.all()) != 1 {
			t.Errorf("the retry: %s%s, %d approvals", r.out.String(), r.err.String(), len(h.all()))
		}
		h.decide(approvals.VerdictDeny, "Once.", "")
		if r := h.run("claude-code", heldCall("t3")); r.lets() || len(h.all()) != 2 {
			t.Errorf("the third: %s%s, %d approvals", r.out.String(), r.err.String(), len(h.all()))
		}
	})
	t.Run("nobody decides", func(t *testing.T) {
		t.Parallel()
		h := newHouse(t)
		h.args = []string{"--wait", "3s"}
		if r := h.run("claude-code", heldCall("t1")); r.lets() || !strings.Contains(r.out.String()+r.err.String(), "nobody decided") && r.code == 0 {
			t.Errorf("%s%s", r.out.String(), r.err.String())
		}
	})
	t.Run("the agent is gone", func(t *testing.T) {
		t.Parallel()
		h := newHouse(t)
		h.gone = func() bool { return len(h.all()) > 0 }
		if r := h.run("claude-code", heldCall("t1")); r.code != 2 || h.all()[0].Status != approvals.Cancelled {
			t.Errorf("exit %d, %s", r.code, h.all()[0].Status)
		}
	})
	t.Run("two at once with one id", func(t *testing.T) {
		t.Parallel()
		long.Race(t)
		h := newHouse(t)
		h.decide(approvals.VerdictApprove, "", "")
		done := make(chan *run)
		for range 2 {
			go func() {
				r := &run{agent: "claude-code"}
				r.code = h.process(r, heldCall("t1")).Run(context.Background())
				done <- r
			}()
		}
		for range 2 {
			if r := <-done; !r.lets() {
				t.Errorf("%s%s", r.out.String(), r.err.String())
			}
		}
		spent := 0
		for _, a := range h.all() {
			if a.Grant != nil && a.Grant.ConsumedAt != nil {
				spent++
			}
		}
		if spent != 2 {
			t.Errorf("two calls ran on %d grants", spent)
		}
	})
	t.Run("a canary", func(t *testing.T) {
		t.Parallel()
		h := newHouse(t)
		r := h.run("claude-code", `{"hook_event_name":"PreToolUse","tool_name":"countersign_canary","tool_input":{"nonce":"n-1"}}`)
		if r.lets() || r.code != 0 || len(h.all()) != 0 {
			t.Errorf("%s%s", r.out.String(), r.err.String())
		}
		self, err := h.people.Self(t.Context(), h.agent)
		if err != nil || self.Canary == nil || self.Canary.Nonce != "n-1" {
			t.Errorf("%+v, %v", self.Canary, err)
		}
	})
	t.Run("a wrong key", func(t *testing.T) {
		t.Parallel()
		h := newHouse(t)
		h.env["COUNTERSIGN_KEY"] = "csk_wrong"
		if r := h.run("claude-code", readCall); r.lets() || r.code != 0 || !strings.Contains(r.out.String(), "unauthenticated") {
			t.Errorf("%s%s", r.out.String(), r.err.String())
		}
	})
}

// killedWhileHeld is a hook that ends while it waits, as when the agent's own patience
// is over, and returns when the server knows.
func (h *house) killedWhileHeld(id string) {
	h.t.Helper()
	ctx, cancel := context.WithCancel(h.t.Context())
	defer cancel()
	done := make(chan *run)
	go func() {
		r := &run{agent: "claude-code"}
		r.code = h.process(r, heldCall(id)).Run(ctx)
		done <- r
	}()
	h.until(true)
	cancel()
	if r := <-done; r.code != 2 || len(h.all()) != 1 || h.all()[0].Status != approvals.Pending {
		h.t.Fatalf("exit %d, %+v", r.code, h.all())
	}
	h.until(false)
}

// until returns when the server knows that somebody waits, or that nobody does.
func (h *house) until(waits bool) {
	h.t.Helper()
	for now := !waits; now != waits && h.t.Context().Err() == nil; {
		err := h.db.Approvals().Read(h.t.Context(), "acme", func(r approvals.Reader) error {
			ids, err := r.IDs(approvals.Filter{Agent: h.agent.ID, Limit: 1})
			if err != nil || len(ids) == 0 {
				return err
			}
			all, err := r.Waits(ids)
			now = all[ids[0]].After(r.Now())
			return err
		})
		if err != nil {
			h.t.Fatal(err)
		}
	}
}
