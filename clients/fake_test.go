package clients_test

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/countersign/countersign/grant"
)

// fakeKey is an agent's key of the tenant acme.
const fakeKey = "csk_acme_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

// fake answers as the server does, but for what a test changes. It approves each act: at
// once, or after one wait where held is true.
type fake struct {
	*httptest.Server
	held bool
	tls  bool
	// edit makes decision.effective of the action that was sent.
	edit func(action map[string]json.RawMessage) json.RawMessage
	// change is asked before each answer is written: it can change the answer, or write one
	// itself and return true. call counts from 1, for each step: submit, wait, consume, keys.
	change func(step string, call int, answer map[string]any, w http.ResponseWriter, r *http.Request) (written bool)

	lock    sync.Mutex
	calls   map[string]int
	acts    map[string]fakeAct
	reports []string
	sent    []map[string]json.RawMessage
	private ed25519.PrivateKey
}

type fakeAct struct{ own, spend, effective string }

func newFake(t *testing.T, f *fake) *fake {
	t.Helper()
	f.private = ed25519.NewKeyFromSeed([]byte("countersign-clients-test-seed-32"))
	f.calls, f.acts = map[string]int{}, map[string]fakeAct{}
	f.Server = httptest.NewUnstartedServer(f)
	f.Config.ErrorLog = log.New(io.Discard, "", 0) // it would tell of each certificate that a client refuses
	if f.tls {
		f.StartTLS()
	} else {
		f.Start()
	}
	t.Cleanup(f.Close)
	return f
}

// claims are those of a good grant.
func (f *fake) claims(id, digest string) map[string]any {
	return map[string]any{
		"iss": f.URL, "sub": id, "tenant": "acme", "agent": "agt_1", "digest": digest, "exp": time.Now().Add(time.Minute).Unix(), "jti": "grt_1",
	}
}

func sign(key ed25519.PrivateKey, claims map[string]any) string {
	header, _ := json.Marshal(map[string]string{"alg": "EdDSA", "kid": "gk_1", "typ": "JWT"})
	payload, _ := json.Marshal(claims)
	signed := base64.RawURLEncoding.EncodeToString(header) + "." + base64.RawURLEncoding.EncodeToString(payload)
	return signed + "." + base64.RawURLEncoding.EncodeToString(ed25519.Sign(key, []byte(signed)))
}

func (f *fake) approval(id, status string) map[string]any {
	act := f.acts[id]
	a := map[string]any{
		"id": id, "status": status, "level": "LOW", "score": 0.1, "digest": act.own, "shown_digest": act.own, "created_at": "2026-11-28T00:00:00.000000Z",
		"console_url": f.URL + "/t/acme/approvals/" + id, "assessment": map[string]any{"rewrites": false}, "decision": nil, "execution": nil,
	}
	if status == "approved" {
		a["decision"] = map[string]any{
			"verdict": "approve", "reason": "", "decided_by": []any{map[string]any{"kind": "policy", "id": "", "name": ""}},
			"effective": json.RawMessage(act.effective), "grant": sign(f.private, f.claims(id, act.spend)), "digest": act.spend,
		}
	}
	return a
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.lock.Lock()
	defer f.lock.Unlock()
	body, _ := io.ReadAll(r.Body)
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	step, status, answer := "", http.StatusOK, map[string]any{}
	switch {
	case r.URL.Path == "/.well-known/jwks.json":
		step = "keys"
		x := base64.RawURLEncoding.EncodeToString(f.private.Public().(ed25519.PublicKey))
		answer = map[string]any{"keys": []any{map[string]any{"kty": "OKP", "crv": "Ed25519", "alg": "EdDSA", "use": "sig", "kid": "gk_1", "x": x}}}
	case r.Header.Get("Authorization") != "Bearer "+fakeKey:
		step, status = "unauthenticated", http.StatusUnauthorized
		answer = map[string]any{"type": "urn:countersign:problem:unauthenticated", "title": "No valid credential", "status": 401, "detail": "the key is unknown"}
	case len(parts) < 3:
		step = parts[0]
	case len(parts) == 3:
		step, status = "submit", http.StatusCreated
		id := fmt.Sprintf("apr_%032x", len(f.acts)+1)
		answer = f.submit(id, body)
		if !f.held && r.URL.Query().Get("consume") == "true" {
			answer["execution"] = map[string]any{"state": "consumed", "status": nil, "detail": ""}
		}
	case len(parts) == 4:
		step = "wait"
		answer = f.approval(parts[3], "approved")
	case parts[4] == "consume":
		step = "consume"
		answer = map[string]any{"status": "consumed", "consumed_at": "2026-11-28T00:00:00.000000Z", "replayed": false}
		var named struct{ Digest string }
		_ = json.Unmarshal(body, &named)
		if named.Digest != f.acts[parts[3]].spend {
			status = http.StatusConflict
			answer = map[string]any{"type": "urn:countersign:problem:digest-mismatch", "title": "The digest isn't the approved one", "status": 409, "detail": "another act"}
		}
	default:
		step = parts[4]
		f.reports = append(f.reports, string(body))
		answer = f.approval(parts[3], "approved")
	}
	f.calls[step]++
	if f.change != nil && f.change(step, f.calls[step], answer, w, r) {
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(answer)
}

func (f *fake) submit(id string, body []byte) map[string]any {
	var action map[string]json.RawMessage
	_ = json.Unmarshal(body, &action)
	f.sent = append(f.sent, action)
	act := map[string]json.RawMessage{}
	for _, name := range []string{"function", "arguments", "code", "action_type", "environment", "content"} {
		if value, ok := action[name]; ok {
			act[name] = value
		}
	}
	digest := func(act map[string]json.RawMessage) string {
		text, _ := json.Marshal(act)
		d, err := grant.Digest(text)
		if err != nil {
			panic(err)
		}
		return d
	}
	a := fakeAct{own: digest(act), spend: digest(act), effective: "null"}
	if f.edit != nil && f.edit(action) != nil {
		act["arguments"] = f.edit(action)
		effective, _ := json.Marshal(act)
		a.spend, a.effective = digest(act), string(effective)
	}
	f.acts[id] = a
	if f.held {
		return f.approval(id, "pending")
	}
	return f.approval(id, "approved")
}

// count is how often a step was called.
func (f *fake) count(step string) int {
	f.lock.Lock()
	defer f.lock.Unlock()
	return f.calls[step]
}
