package command

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/gorilla/websocket"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/long"
	"github.com/countersign/countersign/internal/scoring/patterns"
	"github.com/countersign/countersign/internal/scoring/workspace"
	"github.com/countersign/countersign/internal/tenants"
)

// lockedBuffer is a log that many write.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// canaryHouse is a server to which secrets are sent.
type canaryHouse struct {
	*house
	*canaries
	log    *lockedBuffer
	tenant *crawlTenant
	keys   map[string]string // of agents, by what they are
	ids    []string          // of what was submitted
}

// TestSecretsAppearNowhere sends secrets in every member of every request that there is,
// agents' and people's, and finds none of them anywhere.
func TestSecretsAppearNowhere(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, set Settings) {
		if set.DatabaseURL != "" { // it stores what SQLite stores, and takes thrice as long
			long.Run(t)
		}
		log := &lockedBuffer{}
		h := &canaryHouse{house: bootLogging(t, set, logger(log, "debug")), canaries: newCanaries(), log: log, keys: map[string]string{}}
		h.tenant = newCrawlTenant(h.house, "acme")
		h.tenant.changePolicy(h.house, 1)
		h.ownPattern()
		h.agents()
		frames := h.listen()

		h.everyMember()
		h.everyParameter()
		h.outcomes()
		h.people()
		h.everyForm()
		h.everyName()

		h.look(t, "the frames of the queue", frames())
		h.lookAround(set)
	})
}

// ownPattern gives the organisation a pattern of its own that masks.
func (h *canaryHouse) ownPattern() {
	h.t.Helper()
	ctx := h.t.Context()
	admin := auth.Member{Tenant: "acme", Roles: auth.Roles()}
	now, err := h.Tenants.CurrentPolicy(ctx, admin)
	if err == nil {
		now.Policy.PatternOverrides.Add = append(now.Policy.PatternOverrides.Add, patterns.Pattern{
			ID: "acme-ticket", Severity: patterns.High, Action: patterns.Redact, Category: patterns.Secrets, Description: "A ticket of ours",
			Regex: []string{"ACME-TICKET-[A-Z2-7]{20,}"}, MustMatch: []string{"ACME-TICKET-" + strings.Repeat("EXAMPLE", 3)}, MustNotMatch: []string{"ACME-TICKET-1"},
		})
		_, err = h.Tenants.ImportPolicy(ctx, "acme", tenants.Change{Base: now.Version, Policy: now.Policy, Reason: "our tickets"})
	}
	if err != nil {
		h.t.Fatal(err)
	}
}

// agents makes one that may ask beforehand, and one that is bound to a workspace.
func (h *canaryHouse) agents() {
	h.t.Helper()
	ctx := h.t.Context()
	for _, name := range []string{"asking", "coding"} {
		key, _, err := h.Tenants.CreateAgent(ctx, "acme", name, "", auth.ScopeSubmit, auth.ScopeAssess)
		if err != nil {
			h.t.Fatal(err)
		}
		h.keys[name] = key
	}
	bound := tenants.NewBinding{Bound: tenants.Bound{Workspace: workspace.Binding{Folder: "/work/site"}}, Reason: "it codes"}
	if err := h.Tenants.BindFromOutside(ctx, "acme", "coding", bound); err != nil {
		h.t.Fatal(err)
	}
}

// listen collects what the queue pushes.
func (h *canaryHouse) listen() (all func() string) {
	h.t.Helper()
	dialer := websocket.Dialer{Jar: h.tenant.person.Jar}
	conn, _, err := dialer.DialContext(h.t.Context(), strings.Replace(h.URL(), "http", "ws", 1)+"/t/acme/live", http.Header{"Origin": {h.URL()}})
	if err != nil {
		h.t.Fatal(err)
	}
	var frames strings.Builder
	var done sync.WaitGroup
	done.Go(func() {
		for {
			_, frame, err := conn.ReadMessage()
			if err != nil {
				return
			}
			frames.Write(frame)
		}
	})
	return func() string {
		_ = conn.Close()
		done.Wait()
		if frames.Len() == 0 {
			h.t.Error("the queue pushed nothing, so nothing was looked at")
		}
		return frames.String()
	}
}

// ask sends a request of an agent and looks at the whole answer.
func (h *canaryHouse) ask(agent, method, path, body string, header ...string) (int, reply) {
	h.t.Helper()
	req, err := http.NewRequestWithContext(h.t.Context(), method, h.URL()+path, strings.NewReader(body))
	if err != nil {
		h.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+h.keys[agent])
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		h.t.Fatal(err)
	}
	return res.StatusCode, h.took(res, "the answer to "+method+" "+strings.SplitN(path, "?", 2)[0])
}

func (h *canaryHouse) took(res *http.Response, place string) (r reply) {
	h.t.Helper()
	defer res.Body.Close()
	var whole bytes.Buffer
	_ = res.Header.Write(&whole)
	b, err := io.ReadAll(res.Body)
	if err != nil {
		h.t.Fatal(err)
	}
	whole.Write(b)
	h.look(h.t, place, whole.String())
	if res.StatusCode >= 500 {
		h.t.Errorf("%s: %d %.200s", place, res.StatusCode, b)
	}
	_ = json.Unmarshal(b, &r) // a problem's status is a number
	r.raw = b
	return r
}

// openapi is the API's own document, as far as it says what can be sent.
type openapi struct {
	Paths map[string]map[string]struct {
		Parameters  []struct{ Name, In string }
		RequestBody struct {
			Content map[string]struct {
				Schema struct {
					Ref   string `json:"$ref"`
					OneOf []struct {
						Ref string `json:"$ref"`
					}
				}
			}
		}
	}
	Components struct {
		Schemas map[string]struct{ Properties map[string]any }
	}
}

func (h *canaryHouse) document() (doc openapi) {
	h.t.Helper()
	res, err := http.Get(h.URL() + "/api/v1/openapi.json")
	if err != nil {
		h.t.Fatal(err)
	}
	defer res.Body.Close()
	if err := json.NewDecoder(res.Body).Decode(&doc); err != nil {
		h.t.Fatal(err)
	}
	return doc
}

// What becomes of a secret in a member: it is masked in a value, refused in a name or an id,
// and whatever is there has another form.
const (
	isMasked  = "masked"
	isRefused = "refused"
	isFormal  = "formal"
)

// becomes is that for every member that the document names.
var becomes = map[string]string{
	"function": isRefused, "action_type": isRefused, "environment": isRefused, "session_id": isRefused, "tool_call_id": isRefused,
	"docstring": isMasked, "code": isMasked, "content": isMasked, "justification": isMasked, "detail": isMasked, "text": isMasked,
	"arguments": isMasked, "hints": isMasked, "metadata": isMasked,
	"client": isFormal, "server": isFormal, "tools": isFormal, "token": isFormal, "host": isFormal, "attach": isFormal, "nonce": isFormal, "failed": isFormal,
	"lifecycle_point": isFormal, "expires_in_seconds": isFormal, "revises": isFormal, "digest": isFormal, "status": isFormal, "question": isFormal,
}

// everyMember sends secrets in every member of every body of the document.
func (h *canaryHouse) everyMember() {
	h.t.Helper()
	doc := h.document()
	seen := 0
	for path, methods := range doc.Paths {
		for method, op := range methods {
			body := op.RequestBody.Content["application/json"].Schema
			names := maps.Clone(doc.Components.Schemas[filepath.Base(body.Ref)].Properties)
			for _, one := range body.OneOf {
				if names == nil {
					names = map[string]any{}
				}
				maps.Copy(names, doc.Components.Schemas[filepath.Base(one.Ref)].Properties)
			}
			for name := range names {
				if becomes[name] == "" {
					h.t.Errorf("%s %s has the member %s: say in becomes what happens to a secret in it", method, path, name)
				}
				seen++
				if strings.Contains(path, "{id}") {
					continue // h.outcomes
				}
				for kind := range canaryKinds {
					h.member(strings.ToUpper(method), path, name, kind)
				}
			}
		}
	}
	if seen < 20 {
		h.t.Errorf("the document names %d members only", seen)
	}
}

// member sends a secret of a kind in one member, in all forms that it may have.
func (h *canaryHouse) member(method, path, name string, kind int) {
	h.t.Helper()
	where := path + " " + name
	body := map[string]any{"function": "deploy_service", "arguments": map[string]any{"env": "staging"}}
	switch {
	case name == "content":
		body["lifecycle_point"] = "post-tool-result"
	case name == "nonce", name == "failed":
		body = map[string]any{"lifecycle_point": "canary", "nonce": "n"}
	case path == "/api/v1/tools":
		body = map[string]any{"server": "notes", "tools": []any{}}
	case path == "/api/v1/enrolments":
		body = map[string]any{"token": "x", "host": "laptop"}
	}
	forms := 0
	send := func(value any, form, want string) {
		h.t.Helper()
		if forms++; forms > 1 && (forms+len(name))%canaryKinds != kind || forms > 1 && path != "/api/v1/approvals" {
			return // the first form has every kind, and each of the others one
		}
		sent := maps.Clone(body)
		sent[name] = value
		b, err := json.Marshal(sent)
		if err != nil {
			h.t.Fatal(err)
		}
		agent := []string{"asking", "coding"}[forms%2]
		status, r := h.ask(agent, method, path, string(b))
		if r.ID != "" {
			h.ids = append(h.ids, r.ID)
		}
		refused := r.Type == "urn:countersign:problem:secret-in-name" && status == http.StatusUnprocessableEntity
		if want == isMasked && status != http.StatusCreated && status != http.StatusOK || want == isRefused && !refused {
			h.t.Errorf("kind %d in %s as %s: %d %.300s; want it %s", kind, where, form, status, r.raw, want)
		}
	}
	want := becomes[name]
	if kind == ownKind && want == isFormal {
		return // what has no such form is refused before anybody asks for the policy
	}
	secret := func() string {
		if name == "function" { // which has no line ends
			return strings.ReplaceAll(h.secret(kind, where), "\n", " ")
		}
		return h.secret(kind, where)
	}
	switch name {
	case "arguments", "hints", "metadata":
	case "client":
		send(map[string]any{"name": "a", "version": secret()}, "a value", "")
		send(map[string]any{"subagent": "see: " + secret()}, "a part of a value", "")
		send(map[string]any{secret(): "1"}, "a name", "")
		return
	case "tools":
		if kind != ownKind { // a description is masked by the shipped patterns
			send([]any{map[string]any{"name": "find", "description": "Finds. " + secret()}}, "a description", "")
			send([]any{map[string]any{"name": "find", "inputSchema": map[string]any{"type": "object", "title": secret()}}}, "a schema", "")
			send([]any{map[string]any{"name": "x" + secret()}}, "a name", "")
		}
		return
	default:
		send(secret(), "a text", want)
		send("see: "+secret()+", and that", "a part of a text", want)
		if kind != ownKind {
			send(map[string]any{"x": secret()}, "an object", "")
		}
		return
	}
	send(map[string]any{"note": secret()}, "a value", isMasked)
	send(map[string]any{"list": []any{map[string]any{"deep": "x " + secret()}}}, "a value inside", isMasked)
	send(map[string]any{secret(): 1}, "a name", isRefused)
	send(map[string]any{"a": []any{map[string]any{secret(): map[string]any{secret(): true}}}}, "a name inside", isRefused)
	if name == "arguments" {
		send([]any{secret()}, "an element", isMasked)
		send(map[string]any{"command": "curl -H 'X-Key: " + secret() + "' https://h.example/" + h.secret(0, where) + " > /work/site/out.sh"}, "a command", isMasked)
		send(map[string]any{"file_path": "/work/site/" + h.secret(0, where) + ".sh", "content": "echo " + secret()}, "a file", isMasked)
	}
}

// everyParameter sends secrets in every parameter, and beside what there is.
func (h *canaryHouse) everyParameter() {
	h.t.Helper()
	doc, seen := h.document(), 0
	for path, methods := range doc.Paths {
		for method, op := range methods {
			for kind := range ownKind {
				where := method + " " + path + ", parameters"
				at := strings.ReplaceAll(path, "{id}", url.PathEscape(h.secret(kind, where)))
				query := url.Values{h.secret(kind, where): {h.secret(kind, where)}}
				h.ask("asking", strings.ToUpper(method), at, agentBodies[filepath.Base(path)])
				h.ask("asking", strings.ToUpper(method), at+"?"+query.Encode(), `{"function": "get_user"}`)
				for _, p := range op.Parameters {
					seen++
					secret := strings.ReplaceAll(h.secret(kind, where+" "+p.Name), "\n", " ")
					if p.In == "header" {
						h.ask("asking", strings.ToUpper(method), strings.ReplaceAll(path, "{id}", h.tenant.actions[0]), agentBodies[filepath.Base(path)], p.Name, secret)
						continue
					}
					h.ask("asking", strings.ToUpper(method), at+"?"+url.Values{p.Name: {secret}}.Encode(), `{"function": "get_user"}`)
				}
				secret := strings.ReplaceAll(h.secret(kind, where), "\n", " ")
				h.ask("asking", strings.ToUpper(method), at, `{"function": "get_user"}`, "Content-Type", secret)
				for _, body := range []string{`{%[1]q: 1}`, `{"function": "get_user", %[1]q: {}}`, `{"function": "get_user", "arguments": {%[1]q: 1, %[1]q: 2}}`, `{"function": "get_user", "arguments": {"x": %[1]q}`, `[%[1]q]`, `%[1]q`, `%[1]s`} {
					h.ask("asking", strings.ToUpper(method), at, fmt.Sprintf(body, h.secret(kind, where)))
				}
			}
		}
	}
	if seen < 20 {
		h.t.Errorf("the document names %d parameters only", seen/ownKind)
	}
	status, r := h.ask("asking", "POST", "/api/v1/approvals", `{"function": "get_user"}`, "Idempotency-Key", h.secret(ownKind, "the idempotency key"))
	if status != http.StatusUnprocessableEntity || r.Type != "urn:countersign:problem:secret-in-name" {
		h.t.Errorf("an idempotency key with a secret: %d %s", status, r.raw)
	}
}

// outcomes spends grants and reports, with secrets in the key and in the detail.
func (h *canaryHouse) outcomes() {
	h.t.Helper()
	for kind := range canaryKinds {
		_, a := h.ask("asking", "POST", "/api/v1/approvals", `{"function": "get_user", "arguments": {"user_id": "u`+strconv.Itoa(kind)+`"}, "metadata": {"key": `+strconv.Quote(h.secret(kind, "metadata"))+`}}`)
		h.ids = append(h.ids, a.ID)
		path, spend := "/api/v1/approvals/"+a.ID, `{"digest": "`+a.Digest+`"}`
		key := strings.ReplaceAll(h.secret(kind, "the key of consume"), "\n", "")
		if kind != 3 { // a key in PEM form has spaces, which no idempotency key has
			if status, r := h.ask("asking", "POST", path+"/consume", spend, "Idempotency-Key", key); status != http.StatusUnprocessableEntity {
				h.t.Errorf("kind %d in the key of consume: %d %s", kind, status, r.raw)
			}
		}
		if status, r := h.ask("asking", "POST", path+"/consume", spend); status != http.StatusOK {
			h.t.Errorf("consume: %d %s", status, r.raw)
		}
		report := func(status, detail string) string {
			b, _ := json.Marshal(map[string]string{"status": status, "detail": detail})
			return string(b)
		}
		if kind != ownKind {
			h.ask("asking", "POST", path+"/result", report(h.secret(kind, "the status of a result"), ""))
			h.ask("asking", "POST", path+"/consume", `{"digest": `+strconv.Quote(h.secret(kind, "the digest of consume"))+`}`)
			h.ask("asking", "POST", path+"/cancel", `{`+strconv.Quote(h.secret(kind, "the body of cancel"))+`: 1}`)
		}
		if status, r := h.ask("asking", "POST", path+"/result", report("failed", "it said: "+h.secret(kind, "detail"))); status != http.StatusOK || !strings.Contains(string(r.raw), "[REDACTED:") {
			h.t.Errorf("kind %d in detail: %d %s; want it masked", kind, status, r.raw)
		}
		h.answer(kind)
	}
}

// answer sends a secret in the answer to a question.
func (h *canaryHouse) answer(kind int) {
	h.t.Helper()
	_, a := h.ask("asking", "POST", "/api/v1/approvals", `{"function": "deploy_service", "arguments": {"env": "staging", "n": `+strconv.Itoa(kind)+`}}`)
	h.ids = append(h.ids, a.ID)
	h.post("/t/acme/approvals/"+a.ID+"/ask", url.Values{"question": {"Which ticket?"}})
	_, asked := h.ask("asking", "GET", "/api/v1/approvals/"+a.ID, "")
	question := regexp.MustCompile(`qst_[0-9a-f]{32}`).FindString(string(asked.raw))
	text, err := json.Marshal("see: " + h.secret(kind, "an answer"))
	if err != nil {
		h.t.Fatal(err)
	}
	status, r := h.ask("asking", "POST", "/api/v1/approvals/"+a.ID+"/answers", `{"question": "`+question+`", "text": `+string(text)+`}`)
	if status != http.StatusOK || !strings.Contains(string(r.raw), "[REDACTED:") {
		h.t.Errorf("kind %d in an answer to %q: %d %s; want it masked", kind, question, status, r.raw)
	}
}
