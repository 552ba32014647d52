package clients_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// quick lets a person decide at once, and edit.
const quick = `challenges: {low: none, medium: confirm, high: confirm, critical: confirm}
min_review_seconds: {low: 0, medium: 0, high: 0, critical: 0}
edit_before_approve: {low: true, medium: true, high: true, critical: true}
`

const password = "correct horse battery staple"

// site is the real program on an empty database, and a person who decides. Everybody
// reaches it through a door that stays where it is while the server restarts.
type site struct {
	key     string
	door    *httptest.Server
	binary  string
	dir     string
	person  http.Client
	backend atomic.Pointer[url.URL] // nil while there is none
	process *exec.Cmd
	alive   io.Closer // the process's input

	lock sync.Mutex
	told map[string]chan held // by function, what was submitted
}

// held is an answer to a submission.
type held struct {
	ID, Status, Level string
	created           bool
}

var theSite = sync.OnceValues(newSite)

func realSite(t *testing.T) *site {
	t.Helper()
	s, err := theSite()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// build links the server; it stays, so that the next run links only what is not current.
var build = sync.OnceValues(func() (string, error) {
	binary, err := filepath.Abs("../bin/clients/countersign")
	if err != nil {
		return "", err
	}
	if out, err := exec.Command("go", "build", "-ldflags", "-s -w", "-o", binary, "../cmd/server").CombinedOutput(); err != nil {
		return "", fmt.Errorf("build: %w: %s", err, out)
	}
	return binary, nil
})

func newSite() (s *site, err error) {
	s = &site{told: map[string]chan held{}}
	if s.binary, err = build(); err != nil {
		return nil, err
	}
	if s.dir, err = os.MkdirTemp("", "countersign-site-"); err != nil {
		return nil, err
	}
	s.door = httptest.NewServer(s.proxy())
	atEnd(func() {
		s.stop()
		s.door.CloseClientConnections()
		s.door.Close()
		_ = os.RemoveAll(s.dir)
	})
	policy := filepath.Join(s.dir, "policy.yaml")
	if err := os.WriteFile(policy, []byte(quick), 0o600); err != nil {
		return nil, err
	}
	for _, args := range [][]string{
		{"tenant", "create", "acme"},
		{"person", "create", "--tenant", "acme", "--roles", "operator,compliance,admin", "--password-stdin", "mei@acme.test"},
		{"policy", "import", "--tenant", "acme", "--reason", "people edit in these tests", policy},
		{"agent", "create", "--tenant", "acme", "--scopes", "submit,assess", "shop"},
	} {
		cmd := exec.Command(s.binary, append(args, "--data-dir", s.dir, "--log-level", "error")...)
		cmd.Stdin = strings.NewReader(password + "\n")
		out, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("%v: %w", args, err)
		}
		s.key = strings.TrimSpace(string(out))
	}
	if err := s.start(); err != nil {
		return nil, err
	}
	jar, err := cookiejar.New(nil)
	s.person.Jar = jar
	if err == nil {
		_, err = s.post("/sign-in", url.Values{"email": {"mei@acme.test"}, "password": {password}})
	}
	return s, err
}

// proxy passes everything on to the server, and tells who waits for it of each submission.
func (s *site) proxy() http.Handler {
	return &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.Host = r.In.Host
			r.Out.URL.Scheme, r.Out.URL.Host = "http", "127.0.0.1:1" // nobody listens there
			if to := s.backend.Load(); to != nil {
				r.Out.URL.Host = to.Host
			}
			if r.In.Method == http.MethodPost && r.In.URL.Path == "/api/v1/approvals" {
				body, _ := io.ReadAll(r.In.Body)
				var named struct{ Function string }
				_ = json.Unmarshal(body, &named)
				r.Out.Body = io.NopCloser(bytes.NewReader(body))
				r.Out.Header.Set("X-Function", named.Function)
			}
		},
		ModifyResponse: func(res *http.Response) error {
			if function := res.Request.Header.Get("X-Function"); function != "" {
				body, err := io.ReadAll(res.Body)
				if err != nil {
					return err
				}
				res.Body = io.NopCloser(bytes.NewReader(body))
				a := held{created: res.StatusCode == http.StatusCreated}
				_ = json.Unmarshal(body, &a)
				select {
				case s.submitted(function) <- a:
				default:
				}
			}
			return nil
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) },
	}
}

// submitted is where submissions of a function are told. Each test has functions of its own.
func (s *site) submitted(function string) chan held {
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.told[function] == nil {
		s.told[function] = make(chan held, 16)
	}
	return s.told[function]
}

// next is the next submission of a function.
func (s *site) next(t *testing.T, function string) held {
	t.Helper()
	select {
	case a := <-s.submitted(function):
		return a
	case <-time.After(30 * time.Second):
		t.Fatalf("%s was not submitted", function)
		return held{}
	}
}

// start runs the server and returns when it listens. It says its public URL, so the port is chosen here.
func (s *site) start() error {
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	addr := free.Addr().String()
	if err := free.Close(); err != nil {
		return err
	}
	// It is killed when its input ends: by stop, and also when these tests die.
	const guard = `"$0" "$@" </dev/null & read -r; kill -9 $!; wait $! 2>/dev/null`
	s.process = exec.Command("bash", "-c", guard, s.binary, "serve", "--addr", addr, "--public-url", s.door.URL, "--data-dir", s.dir, "--log-level", "error")
	s.process.Env = append(os.Environ(), "COUNTERSIGN_AGENT_RATE=0")
	s.process.Stderr = os.Stderr
	out, err := s.process.StdoutPipe()
	if err != nil {
		return err
	}
	if s.alive, err = s.process.StdinPipe(); err != nil {
		return err
	}
	if err := s.process.Start(); err != nil {
		return err
	}
	lines := bufio.NewReader(out)
	line, err := lines.ReadString('\n')
	if err != nil || !strings.Contains(line, "listens on") {
		return fmt.Errorf("the server said %q: %w", line, err)
	}
	s.backend.Store(&url.URL{Scheme: "http", Host: addr})
	go func() { _, _ = io.Copy(io.Discard, lines) }()
	return nil
}

// stop kills the server, as a power cut would.
func (s *site) stop() {
	s.backend.Store(nil)
	if s.alive != nil {
		_ = s.alive.Close()
		_ = s.process.Wait()
	}
}

func (s *site) get(path string) (string, error) {
	res, err := s.person.Get(s.door.URL + path)
	if err != nil {
		return "", err
	}
	return page(res)
}

func (s *site) post(path string, form url.Values) (string, error) {
	req, err := http.NewRequest(http.MethodPost, s.door.URL+path, strings.NewReader(form.Encode()))
	if err != nil {
		return "", err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Origin", s.door.URL)
	res, err := s.person.Do(req)
	if err != nil {
		return "", err
	}
	return page(res)
}

func page(res *http.Response) (string, error) {
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %d: %.2000s", res.Request.URL.Path, res.StatusCode, text)
	}
	return string(text), err
}

var hidden = regexp.MustCompile(`<input[^>]*type="hidden"[^>]*name="(\w+)"[^>]*value="([^"]*)"`)

// fields are the hidden fields of a page's forms.
func fields(page string) url.Values {
	form := url.Values{}
	for _, m := range hidden.FindAllStringSubmatch(page, -1) {
		form.Set(m[1], m[2])
	}
	return form
}

// decide has the person decide a request.
func (s *site) decide(t *testing.T, id, verdict, reason string) {
	t.Helper()
	text, err := s.get("/t/acme/approvals/" + id)
	if err != nil {
		t.Fatal(err)
	}
	form := fields(text)
	form.Set("verdict", verdict)
	form.Set("reason", reason)
	if _, err := s.post("/t/acme/approvals/"+id+"/decide", form); err != nil {
		t.Fatal(err)
	}
}

// edit has the person change the arguments.
func (s *site) edit(t *testing.T, id, arguments string) {
	t.Helper()
	text, err := s.get("/t/acme/approvals/" + id + "/edit")
	if err != nil {
		t.Fatal(err)
	}
	form := fields(text)
	form.Set("arguments", arguments)
	if text, err := s.post("/t/acme/approvals/"+id+"/edit", form); err != nil || !strings.Contains(text, "edited") {
		t.Fatalf("edit: %v %.500s", err, text)
	}
}

// status asks the server as the agent does.
func (s *site) read(t *testing.T, id string) (a struct {
	Status    string
	Execution *struct{ State, Status, Detail string }
},
) {
	t.Helper()
	req, _ := http.NewRequest(http.MethodGet, s.door.URL+"/api/v1/approvals/"+id, nil)
	req.Header.Set("Authorization", "Bearer "+s.key)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if err := json.NewDecoder(res.Body).Decode(&a); err != nil {
		t.Fatal(err)
	}
	return a
}

// call is a gated call of a function of the site.
func (s *site) call(function string, args ...any) command {
	return command{"op": "gate", "url": s.door.URL, "key": s.key, "wait": 60, "function": function, "args": args, "session": "s-" + function}
}

// begin starts a call and answers where its end is told.
func begin(l *language, c command) chan gated {
	ended := make(chan gated, 1)
	go func() {
		var got gated
		if err := l.ask(c, &got); err != nil {
			got.Raised = err.Error()
		}
		ended <- got
	}()
	return ended
}

// names gives each client, and each way to call in Python, functions of its own.
func eachWay(t *testing.T, f func(t *testing.T, l *language, mode, suffix string)) {
	t.Helper()
	for _, l := range languages {
		modes := []string{"async"}
		if l.name == "python" {
			modes = []string{"sync", "async"}
		}
		for _, mode := range modes {
			t.Run(l.name+" "+mode, func(t *testing.T) {
				t.Parallel()
				f(t, l, mode, "_"+l.name+"_"+mode)
			})
		}
	}
}

func TestRealServer(t *testing.T) {
	t.Parallel()
	s := realSite(t)
	eachWay(t, func(t *testing.T, l *language, mode, suffix string) {
		calls := func(function string, args ...any) command {
			c := s.call(function+suffix, args...)
			c["mode"] = mode
			return c
		}
		t.Run("harmless", func(t *testing.T) {
			var got gated
			l.do(t, calls("list_orders", "open"), &got)
			right(t, got.ranOnce(`["open",[],false,{}]`))
			a := s.next(t, "list_orders"+suffix)
			if e := s.read(t, a.ID).Execution; a.Level != "LOW" || a.Status != "approved" || e == nil || e.State != "reported" || e.Status != "succeeded" {
				t.Errorf("%+v, execution %+v", a, e)
			}
		})
		t.Run("approved", func(t *testing.T) {
			c := calls("update_order", "ord_1", "a", true)
			c["kwargs"] = map[string]any{"flag": true}
			ended := begin(l, c)
			a := s.next(t, "update_order"+suffix)
			s.decide(t, a.ID, "approve", "")
			got := <-ended
			right(t, got.ranOnce(`["ord_1",["a",true],true,{}]`))
			if mode == "async" && got.Ticks == 0 {
				t.Error("the loop stood still while the call was held")
			}
		})
		t.Run("denied", func(t *testing.T) {
			ended := begin(l, calls("update_price", "sku_1"))
			s.decide(t, s.next(t, "update_price"+suffix).ID, "deny", "Not during the freeze.")
			got := <-ended
			right(t, got.deniedAs("denied"))
			if got.Denied != nil && got.Denied.Reason != "Not during the freeze." {
				t.Errorf("the reason is %q", got.Denied.Reason)
			}
		})
		t.Run("changes requested", func(t *testing.T) {
			ended := begin(l, calls("update_stock", "sku_1"))
			s.decide(t, s.next(t, "update_stock"+suffix).ID, "request_changes", "Only sku_2.")
			right(t, (<-ended).deniedAs("changes_requested"))
		})
		t.Run("edited", func(t *testing.T) {
			ended := begin(l, calls("update_address", "usr_1", json.Number("1234567890123456789")))
			a := s.next(t, "update_address"+suffix)
			s.edit(t, a.ID, `{"first": "usr_2", "rest": [1234567890123456790, 1000000000000000000001], "flag": false, "more": {}}`)
			s.decide(t, a.ID, "approve", "")
			right(t, (<-ended).ranOnce(`["usr_2",[1234567890123456790,1000000000000000000001],false,{}]`))
			if e := s.read(t, a.ID).Execution; e == nil || e.Status != "succeeded" {
				t.Errorf("execution %+v", e)
			}
		})
		t.Run("an edit that does not fit", func(t *testing.T) {
			ended := begin(l, calls("update_phone", "usr_1"))
			a := s.next(t, "update_phone"+suffix)
			s.edit(t, a.ID, `{"first": "usr_2", "rest": [], "flag": false, "more": {}, "extra": 1}`)
			s.decide(t, a.ID, "approve", "")
			right(t, (<-ended).deniedAs("edited"))
			if e := s.read(t, a.ID).Execution; e == nil || e.Status != "failed" {
				t.Errorf("execution %+v", e)
			}
		})
		t.Run("it fails", func(t *testing.T) {
			c := calls("get_order", "ord_1")
			c["fails"] = true
			var got gated
			l.do(t, c, &got)
			e := s.read(t, s.next(t, "get_order"+suffix).ID).Execution
			if len(got.Ran) != 1 || !strings.Contains(got.Raised, "it broke") || e == nil || e.Status != "failed" || !strings.Contains(e.Detail, "it broke") {
				t.Errorf("%+v, execution %+v", got, e)
			}
		})
		// The first gives up; a yes that comes later serves the identical call, once.
		t.Run("the patience ends", func(t *testing.T) {
			c := calls("update_email", "usr_1")
			c["wait"] = 1
			var got gated
			l.do(t, c, &got)
			right(t, got.deniedAs("pending"))
			a := s.next(t, "update_email"+suffix)
			s.decide(t, a.ID, "approve", "")
			got = gated{}
			l.do(t, calls("update_email", "usr_1"), &got)
			right(t, got.ranOnce(`["usr_1",[],false,{}]`))
			if b := s.next(t, "update_email"+suffix); b.ID != a.ID || b.created {
				t.Errorf("people were asked again: %+v after %+v", b, a)
			}
			ended := begin(l, calls("update_email", "usr_1"))
			if b := s.next(t, "update_email"+suffix); b.ID == a.ID || b.Status != "pending" {
				t.Errorf("one yes served twice: %+v", b)
			} else {
				s.decide(t, b.ID, "deny", "once is enough")
			}
			right(t, (<-ended).deniedAs("denied"))
		})
	})
}

// The server is killed while a call is held, and comes back: nothing is lost.
func TestTheServerRestarts(t *testing.T) {
	s, err := newSite()
	if err != nil {
		t.Fatal(err)
	}
	var ended []chan gated
	var ids []string
	for _, l := range languages {
		ended = append(ended, begin(l, s.call("update_order_"+l.name, "ord_1")))
		ids = append(ids, s.next(t, "update_order_"+l.name).ID)
	}
	s.stop()
	if err := s.start(); err != nil {
		t.Fatal(err)
	}
	for i, id := range ids {
		s.decide(t, id, "approve", "")
		right(t, (<-ended[i]).ranOnce(`["ord_1",[],false,{}]`))
	}
}

// The operations one by one, as a program uses them that wants more than the gate.
func TestOperations(t *testing.T) {
	t.Parallel()
	s := realSite(t)
	each(t, func(t *testing.T, l *language) {
		type answer struct {
			Result  json.RawMessage
			Raised  string
			Problem *struct {
				Code, Detail, Instance string
				Status                 int
				Errors                 []any
			}
		}
		ask := func(method string, args []any, kwargs map[string]any) (a answer) {
			t.Helper()
			l.do(t, command{"op": "call", "url": s.door.URL, "key": s.key, "wait": 60, "method": method, "args": args, "kwargs": kwargs}, &a)
			return a
		}
		result := func(a answer, into any) {
			t.Helper()
			if err := json.Unmarshal(a.Result, into); err != nil {
				t.Fatalf("%s, raised %q, problem %+v", a.Result, a.Raised, a.Problem)
			}
		}
		var self struct{ Name, Tenant string }
		if result(ask("agent", nil, nil), &self); self.Name != "shop" || self.Tenant != "acme" {
			t.Errorf("agent: %+v", self)
		}
		function := "update_ticket_" + l.name
		act := map[string]any{"function": function, "arguments": map[string]any{"id": json.Number("9007199254740993")}}
		var dry struct {
			Status, Digest string
			DryRun         bool `json:"dry_run"`
		}
		if result(ask("assess", []any{function, act["arguments"]}, nil), &dry); !dry.DryRun || dry.Status != "pending" {
			t.Errorf("assess: %+v", dry)
		}
		members := map[string]any{"docstring": "Changes a ticket.", "session_id": "ops-" + l.name, "idempotency_key": "ops-" + l.name}
		var a, b struct{ ID, Status, Digest string }
		result(ask("submit", []any{function, act["arguments"]}, members), &a)
		result(ask("submit", []any{function, act["arguments"]}, members), &b)
		if a.ID != b.ID || a.Status != "pending" || a.Digest != dry.Digest {
			t.Errorf("submitted %+v, again %+v; the dry run has %s", a, b, dry.Digest)
		}
		if early := ask("consume", []any{a.ID, a.Digest}, nil); early.Problem == nil || early.Problem.Code != "not-approved" || early.Problem.Status != 409 || early.Problem.Instance == "" {
			t.Errorf("consumed early: %+v", early.Problem)
		}
		s.decide(t, a.ID, "approve", "")
		waited := ask("wait", []any{a.ID}, nil) // resumed with the id alone
		if result(waited, &b); b.Status != "approved" {
			t.Errorf("waited: %+v", b)
		}
		var proven []json.RawMessage
		result(ask("verify", []any{waited.Result, act}, nil), &proven)
		if len(proven) != 2 || string(proven[1]) != `"`+a.Digest+`"` {
			t.Fatalf("verified: %s", proven)
		}
		if other := ask("verify", []any{waited.Result, map[string]any{"function": function, "arguments": map[string]any{"id": json.Number("9007199254740992")}}}, nil); !strings.Contains(other.Raised, "Unproven") {
			t.Errorf("another act: %+v", other)
		}
		key := map[string]any{"idempotency_key": "run-" + l.name}
		if spent := ask("consume", []any{a.ID, a.Digest}, key); spent.Problem != nil || spent.Raised != "" {
			t.Errorf("consume: %+v", spent)
		}
		if again := ask("consume", []any{a.ID, a.Digest}, key); !strings.Contains(again.Raised, "Unproven") {
			t.Errorf("a replay is no yes: %+v", again)
		}
		if again := ask("consume", []any{a.ID, a.Digest}, nil); again.Problem == nil || again.Problem.Code != "already-consumed" {
			t.Errorf("twice: %+v", again)
		}
		var ran struct {
			Execution struct{ State, Status, Detail string }
		}
		if result(ask("report", []any{a.ID, "succeeded", "it is changed"}, nil), &ran); ran.Execution.State != "reported" || ran.Execution.Detail != "it is changed" {
			t.Errorf("report: %+v", ran)
		}
		result(ask("submit", []any{function, map[string]any{"id": 2}}, nil), &b)
		if result(ask("cancel", []any{b.ID}, nil), &b); b.Status != "cancelled" {
			t.Errorf("cancel: %+v", b)
		}
		if bad := ask("submit", []any{function, "text"}, nil); bad.Problem == nil || bad.Problem.Code != "invalid-member" || len(bad.Problem.Errors) == 0 {
			t.Errorf("a bad member: %+v", bad.Problem)
		}
		if none := ask("get", []any{"apr_" + strings.Repeat("0", 32)}, nil); none.Problem == nil || none.Problem.Code != "not-found" {
			t.Errorf("nobody's approval: %+v", none.Problem)
		}
	})
}
