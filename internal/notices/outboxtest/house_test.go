// Package outboxtest sends notices from the outbox of a real database to receivers. The tests of
// notices itself need no database: together, the store would be compiled once more for them.
package outboxtest

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/live"
	"github.com/countersign/countersign/internal/notices"
	"github.com/countersign/countersign/internal/outbound"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/store"
	"github.com/countersign/countersign/internal/store/headstest"
	"github.com/countersign/countersign/internal/store/sqlitetest"
	"github.com/countersign/countersign/internal/tenants"
)

// base is the public URL of these tests.
const base = "https://console.test"

// What the default policy makes of them.
const (
	medium   = `{"function":"deploy_service","arguments":{"service":"checkout","env":"staging"},"docstring":"Deploy to production.","justification":"Release 41 is ready."}`
	high     = `{"function":"delete_user","arguments":{"user_id":"usr_829113","env":"production"},"docstring":"Permanently remove a user account.","justification":"HR asked for usr_829113."}`
	harmless = `{"function":"get_user","arguments":{"user_id":"usr_1"}}`
)

// house is an organisation, with real services on a real database. Its clock begins at the
// real time and is moved by hand: receivers hold timestamps against theirs.
type house struct {
	t         *testing.T
	store     *store.Store
	hub       *live.Hub
	sealer    *notices.Sealer
	log       *slog.Logger
	approvals *approvals.Service
	tenants   *tenants.Service
	notices   *notices.Service
	admin     auth.Member
	operator  auth.Member
	agent     auth.Agent

	mu    sync.Mutex
	moved time.Duration
}

func (h *house) now() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return time.Now().Add(h.moved)
}

// pass moves the clock.
func (h *house) pass(d time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.moved += d
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// loopback is what the receivers of tests need.
func loopback(t testing.TB) *outbound.Client {
	t.Helper()
	networks, err := outbound.ParseNetworks("127.0.0.0/8, ::1")
	must(t, err)
	return outbound.New(outbound.Config{Allowed: networks})
}

func newHouse(t *testing.T, senders ...notices.Sender) *house {
	t.Helper()
	h := &house{t: t, hub: live.New(), log: slog.New(slog.DiscardHandler)}
	var err error
	h.store, err = store.Open(t.Context(), store.Config{Path: sqlitetest.Create(t, filepath.Join(t.TempDir(), "x.db")), Now: h.now, Heads: headstest.New()})
	must(t, err)
	t.Cleanup(func() { _ = h.store.Close() })
	h.sealer, err = notices.NewSealer(notices.NewSealKey())
	must(t, err)
	if len(senders) == 0 {
		senders = []notices.Sender{notices.Webhook{Client: loopback(t)}}
	}
	h.furnish()
	h.notices = h.server(senders...)
	return h
}

// server is one of the servers on this database.
func (h *house) server(senders ...notices.Sender) *notices.Service {
	s := notices.NewService(notices.Config{
		Store: h.store.Notices(), Senders: senders, Sealer: h.sealer, Base: func() string { return base }, Live: h.hub, Now: h.now, Log: h.log,
	})
	h.t.Cleanup(func() { _ = s.Close(context.WithoutCancel(h.t.Context())) })
	return s
}

func (h *house) furnish() {
	t := h.t
	t.Helper()
	key, err := approvals.NewSigningKey()
	must(t, err)
	signer, err := approvals.NewEd25519Signer(key)
	must(t, err)
	h.approvals = approvals.NewService(approvals.Config{Store: h.store.Approvals(), Live: h.hub, Signer: signer, Issuer: func() string { return base }, Now: h.now, Log: h.log})
	t.Cleanup(h.approvals.Stop)
	h.tenants = tenants.NewService(tenants.Config{Store: h.store.Tenants(), Log: h.log})
	must(t, h.tenants.CreateTenant(t.Context(), "acme"))
	for name, m := range map[string]*auth.Member{"admin": &h.admin, "operator": &h.operator} {
		roles := []auth.Role{auth.Role(name)}
		p, err := h.tenants.CreatePerson(t.Context(), "acme", name+"@acme.test", "", "", roles)
		must(t, err)
		*m = auth.Member{Tenant: "acme", Person: p, Roles: roles, SignedInAt: h.now()}
	}
	_, h.agent, err = h.tenants.CreateAgent(t.Context(), "acme", "support-triage", "")
	must(t, err)
}

// submit hands an action in.
func (h *house) submit(body string) approvals.Approval {
	h.t.Helper()
	tree, err := canon.Parse([]byte(body))
	must(h.t, err)
	action, err := scoring.NewAction(tree)
	must(h.t, err)
	a, _, err := h.approvals.Submit(h.t.Context(), h.agent, approvals.Submission{Action: action})
	must(h.t, err)
	return a
}

// add makes a channel that tells of everything, and returns its id and what is shown once.
func (h *house) add(kind string, values map[string]string) (id, once string) {
	h.t.Helper()
	id, once, err := h.notices.Add(h.t.Context(), h.admin, notices.Draft{Kind: kind, Name: "#ops", Tells: notices.Kinds(), Values: values})
	must(h.t, err)
	return id, once
}

// round delivers what is due, and what becomes due by that.
func (h *house) round() {
	h.t.Helper()
	must(h.t, h.notices.Deliver(h.t.Context()))
	h.notices.Wait()
}

// told is what became of the notices about a request.
func (h *house) told(approval string) notices.Deliveries {
	h.t.Helper()
	d, err := h.notices.Deliveries(h.t.Context(), h.operator, approval)
	must(h.t, err)
	return d
}

// received is one call that a receiver got.
type received struct {
	header http.Header
	body   []byte
}

// receiver is an HTTP server that keeps what it got.
type receiver struct {
	*httptest.Server
	mu  sync.Mutex
	got []received
	// answer says what is answered to a call; nil is 204.
	answer func(w http.ResponseWriter, r *http.Request)
}

func newReceiver(t testing.TB, answer func(w http.ResponseWriter, r *http.Request)) *receiver {
	t.Helper()
	r := &receiver{answer: answer}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		body, err := io.ReadAll(q.Body)
		if err != nil {
			t.Errorf("read: %v", err)
		}
		r.mu.Lock()
		r.got = append(r.got, received{header: q.Header.Clone(), body: body})
		answer := r.answer
		r.mu.Unlock()
		if answer == nil {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		answer(w, q)
	}))
	t.Cleanup(r.Close)
	return r
}

// calls are those that came so far.
func (r *receiver) calls() []received {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]received(nil), r.got...)
}

// then changes what is answered from now on.
func (r *receiver) then(answer func(w http.ResponseWriter, r *http.Request)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answer = answer
}

// status answers with one.
func status(code int) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}
