// Package clienttest is a Countersign for tests: it answers the agent API as the real
// one does, signs real grants, and fails on demand. It scores nothing; a test says what
// becomes of a call.
package clienttest

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/countersign/countersign/grant"
)

// Key is the key that the server accepts.
const Key = "csk_test"

// Verdict is what becomes of a submission.
type Verdict struct {
	Status    string // approved (by the policy, at once), pending, blocked, denied, …
	Then      string // what a pending one becomes when it is waited for; "" stays pending
	Level     string // "" is LOW, or MEDIUM where people are asked
	Reason    string
	Arguments map[string]any // an operator's edit
	Rewrites  map[string]any // arguments without secrets
}

// Server is one server. Its fields are set before it is asked.
type Server struct {
	URL string
	// Judge says what becomes of a submission; nil approves all.
	Judge func(submission map[string]any) Verdict
	// Fault may answer in place of the server; true means that it did. call counts the
	// requests from 1.
	Fault func(w http.ResponseWriter, r *http.Request, call int) bool
	// Change may change an answer before it is sent. path is that of the request.
	Change func(path string, answer map[string]any)
	// Forge signs with a key that is not published.
	Forge bool
	// Life is how long a grant is good.
	Life time.Duration

	mu        sync.Mutex
	calls     int
	public    ed25519.PublicKey
	private   ed25519.PrivateKey
	kid       string
	approvals map[string]*approval
	byKey     map[string]string
	sent      []map[string]any
	paths     []string
	canaries  []string
}

type approval struct {
	id, session, toolCall, digest string
	verdict                       Verdict
	status, level                 string
	act                           map[string]json.RawMessage
	spentBy                       string
	spent                         bool
	reported                      map[string]any
}

// New starts a server that ends with the test.
func New(t testing.TB) *Server {
	t.Helper()
	s := &Server{Life: 5 * time.Minute, approvals: map[string]*approval{}, byKey: map[string]string{}}
	s.Rotate(t)
	server := httptest.NewServer(s)
	t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
	s.URL = server.URL
	return s
}

// Rotate replaces the key that signs and forgets the old one.
func (s *Server) Rotate(t testing.TB) {
	t.Helper()
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.public, s.private, s.kid = public, private, "gk_"+hex.EncodeToString(public[:4])
}

// Sent are the submissions so far, each as it came.
func (s *Server) Sent() []map[string]any { s.mu.Lock(); defer s.mu.Unlock(); return s.sent }

// Paths are the requests so far: method and path.
func (s *Server) Paths() []string { s.mu.Lock(); defer s.mu.Unlock(); return s.paths }

// Canaries are the nonces that came.
func (s *Server) Canaries() []string { s.mu.Lock(); defer s.mu.Unlock(); return s.canaries }

// State says of each approval, oldest first unsorted, what became of it.
func (s *Server) State() (spent, cancelled int, reports []map[string]any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range s.approvals {
		if a.spent {
			spent++
		}
		if a.status == "cancelled" {
			cancelled++
		}
		if a.reported != nil {
			reports = append(reports, a.reported)
		}
	}
	return spent, cancelled, reports
}

// Steal makes what is spent somebody else's.
func (s *Server) Steal() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range s.approvals {
		if a.spent {
			a.spentBy = "somebody else"
		}
	}
}

// ServeHTTP answers like the agent API.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.calls++
	call := s.calls
	s.paths = append(s.paths, r.Method+" "+r.URL.Path)
	s.mu.Unlock()
	if s.Fault != nil && s.Fault(w, r, call) {
		return
	}
	if r.URL.Path == "/.well-known/jwks.json" {
		if r.Header.Get("Authorization") != "" {
			Problem(w, 400, "malformed-json", "the key was sent where nobody asks for it")
			return
		}
		s.mu.Lock()
		x := base64.RawURLEncoding.EncodeToString(s.public)
		kid := s.kid
		s.mu.Unlock()
		answer(w, 200, map[string]any{"keys": []any{map[string]any{"kty": "OKP", "crv": "Ed25519", "alg": "EdDSA", "use": "sig", "kid": kid, "x": x}}})
		return
	}
	if r.Header.Get("Authorization") != "Bearer "+Key {
		Problem(w, 401, "unauthenticated", "the key is unknown, expired or revoked")
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	status, found := s.route(r, body)
	if problem, ok := found["problem"].(string); ok {
		Problem(w, status, problem, found["detail"].(string))
		return
	}
	if s.Change != nil {
		s.Change(r.Method+" "+r.URL.Path, found)
	}
	answer(w, status, found)
}

func (s *Server) route(r *http.Request, body []byte) (int, map[string]any) {
	id, what, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/api/v1/approvals/"), "/")
	switch {
	case r.URL.Path == "/api/v1/agent":
		var last any // the newest canary
		if n := len(s.canaries); n > 0 {
			last = map[string]any{"nonce": s.canaries[n-1], "at": "2026-01-02T03:04:05Z"}
		}
		return 200, map[string]any{"name": "tester", "tenant": "acme", "scopes": []string{"submit"}, "workspace": nil, "environment": "", "server_version": "test", "last_canary": last}
	case r.URL.Path == "/api/v1/tools":
		return 200, map[string]any{"new": 1, "changed": 0, "waiting": 1}
	case r.URL.Path == "/api/v1/assessments":
		digest, _ := grant.Digest(body)
		return 200, map[string]any{"dry_run": true, "status": "approved", "level": "LOW", "digest": digest}
	case r.URL.Path == "/api/v1/approvals" && r.Method == http.MethodPost:
		return s.submit(r, body)
	}
	s.mu.Lock()
	a := s.approvals[id]
	s.mu.Unlock()
	if a == nil {
		return 404, map[string]any{"problem": "not-found", "detail": "there is no such approval"}
	}
	switch what {
	case "":
		if r.URL.Query().Has("wait") {
			s.wait(r.Context(), a)
		}
	case "cancel":
		s.mu.Lock()
		if a.status == "pending" {
			a.status = "cancelled"
		}
		s.mu.Unlock()
	case "consume":
		return s.consume(r, a, body)
	case "result":
		s.mu.Lock()
		_ = json.Unmarshal(body, &a.reported)
		s.mu.Unlock()
	}
	return 200, s.wire(a)
}

// wait decides what is to be decided, or waits for nothing.
func (s *Server) wait(ctx context.Context, a *approval) {
	s.mu.Lock()
	then := a.verdict.Then
	if a.status == "pending" && then != "" {
		a.status = then
	}
	still := a.status == "pending"
	s.mu.Unlock()
	if still {
		select {
		case <-ctx.Done():
		case <-time.After(200 * time.Millisecond): // a long poll that ends with nothing
		}
	}
}

func (s *Server) submit(r *http.Request, body []byte) (int, map[string]any) {
	var members map[string]json.RawMessage
	var plain map[string]any
	if json.Unmarshal(body, &members) != nil {
		return 400, map[string]any{"problem": "malformed-json", "detail": "no JSON"}
	}
	d := json.NewDecoder(strings.NewReader(string(body)))
	d.UseNumber()
	_ = d.Decode(&plain)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sent = append(s.sent, plain)
	if plain["lifecycle_point"] == "canary" {
		nonce, _ := plain["nonce"].(string)
		s.canaries = append(s.canaries, nonce)
		return 200, map[string]any{"status": "denied", "canary": map[string]any{"nonce": nonce, "at": "2026-01-01T00:00:00Z"}, "decision": map[string]any{"verdict": "deny", "reason": "a canary is never let through"}}
	}
	if id, again := s.byKey[r.Header.Get("Idempotency-Key")]; again {
		return 200, s.wireLocked(s.approvals[id])
	}
	act := map[string]json.RawMessage{}
	for _, name := range []string{"function", "arguments", "code", "action_type", "environment", "content"} {
		if v, ok := members[name]; ok {
			act[name] = v
		}
	}
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	_ = e.Encode(act)
	digest, err := grant.Digest(text.Bytes())
	if err != nil {
		return 422, map[string]any{"problem": "invalid-member", "detail": err.Error()}
	}
	session, _ := plain["session_id"].(string)
	toolCall, _ := plain["tool_call_id"].(string)
	for _, a := range s.approvals {
		open := a.status == "pending" || a.status == "approved" && !a.spent
		same := plain["attach"] == true || toolCall != "" && a.toolCall == toolCall
		if same && open && a.session == session && a.digest == digest {
			s.byKey[r.Header.Get("Idempotency-Key")] = a.id
			return 200, s.wireLocked(a)
		}
	}
	v := Verdict{Status: "approved"}
	if s.Judge != nil {
		v = s.Judge(plain)
	}
	level := v.Level
	if level == "" {
		level = map[bool]string{true: "LOW", false: "MEDIUM"}[v.Status == "approved"]
	}
	id := make([]byte, 16)
	_, _ = rand.Read(id)
	a := &approval{id: "apr_" + hex.EncodeToString(id), session: session, toolCall: toolCall, digest: digest, verdict: v, status: v.Status, level: level, act: act}
	if r.URL.Query().Get("consume") == "true" && v.Status == "approved" {
		a.spent, a.spentBy = true, r.Header.Get("Idempotency-Key")
	}
	s.approvals[a.id] = a
	s.byKey[r.Header.Get("Idempotency-Key")] = a.id
	return 201, s.wireLocked(a)
}

func (s *Server) consume(r *http.Request, a *approval, body []byte) (int, map[string]any) {
	var in struct{ Digest string }
	_ = json.Unmarshal(body, &in)
	key := r.Header.Get("Idempotency-Key")
	want := s.wire(a)["decision"].(map[string]any)["digest"]
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case a.status != "approved":
		return 409, map[string]any{"problem": "not-approved", "detail": "it isn't approved"}
	case in.Digest != want:
		return 409, map[string]any{"problem": "digest-mismatch", "detail": "the approval is for another action"}
	case a.spent && a.spentBy != key:
		return 409, map[string]any{"problem": "already-consumed", "detail": "the grant was consumed before"}
	}
	replayed := a.spent
	a.spent, a.spentBy = true, key
	return 200, map[string]any{"status": "consumed", "consumed_at": "2026-01-01T00:00:00.000000Z", "replayed": replayed}
}

func (s *Server) wire(a *approval) map[string]any {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.wireLocked(a)
}

func (s *Server) wireLocked(a *approval) map[string]any {
	w := map[string]any{
		"id": a.id, "status": a.status, "level": a.level, "score": 0.1, "digest": a.digest, "shown_digest": a.digest,
		"assessment": map[string]any{"rewrites": a.verdict.Rewrites != nil}, "decision": nil, "execution": nil,
		"console_url": s.URL + "/t/acme/approvals/" + a.id,
	}
	if a.spent {
		w["execution"] = map[string]any{"state": "consumed", "status": nil, "detail": ""}
	}
	if a.reported != nil {
		w["execution"] = map[string]any{"state": "reported", "status": a.reported["status"], "detail": a.reported["detail"]}
	}
	if a.status == "pending" {
		return w
	}
	kind := "person"
	if a.verdict.Then == "" {
		kind = "policy"
	}
	d := map[string]any{"verdict": "deny", "reason": a.verdict.Reason, "digest": nil, "grant": nil, "effective": nil, "decided_by": []any{map[string]any{"kind": kind, "id": "p", "name": "p"}}}
	w["decision"] = d
	if a.status != "approved" {
		return w
	}
	digest := a.digest
	if args := a.verdict.Rewrites; args != nil {
		d["effective"] = s.with(a, args)
	}
	if args := a.verdict.Arguments; args != nil {
		d["effective"] = s.with(a, args)
		text, _ := json.Marshal(s.withoutNote(a, args))
		digest, _ = grant.Digest(text)
	}
	d["verdict"], d["digest"], d["grant"] = "approve", digest, s.sign(a.id, digest)
	return w
}

// with is the whole action with other arguments.
func (s *Server) with(a *approval, args map[string]any) map[string]any {
	act := s.withoutNote(a, args)
	act["docstring"] = "not covered"
	return act
}

func (s *Server) withoutNote(a *approval, args map[string]any) map[string]any {
	act := map[string]any{}
	for name, v := range a.act {
		act[name] = v
	}
	act["arguments"] = args
	return act
}

func (s *Server) sign(id, digest string) string {
	private := s.private
	if s.Forge {
		_, private, _ = ed25519.GenerateKey(rand.Reader)
	}
	head := fmt.Sprintf(`{"alg":"EdDSA","kid":%q,"typ":"JWT"}`, s.kid)
	claims := fmt.Sprintf(`{"iss":%q,"sub":%q,"tenant":"acme","agent":"agt_1","digest":%q,"exp":%d,"jti":"grt_1"}`, s.URL, id, digest, time.Now().Add(s.Life).Unix())
	signed := base64.RawURLEncoding.EncodeToString([]byte(head)) + "." + base64.RawURLEncoding.EncodeToString([]byte(claims))
	return signed + "." + base64.RawURLEncoding.EncodeToString(ed25519.Sign(private, []byte(signed)))
}

func answer(w http.ResponseWriter, status int, body any) {
	text, _ := json.Marshal(body)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(text)
}

// Problem answers with a problem document.
func Problem(w http.ResponseWriter, status int, code, detail string) {
	text, _ := json.Marshal(map[string]any{"type": "urn:countersign:problem:" + code, "title": code, "status": status, "detail": detail, "instance": "urn:countersign:request:req_1"})
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	_, _ = w.Write(text)
}
