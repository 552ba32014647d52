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
	case <-time.After(3 * time.Minute): // an interpreter starts slowly on a busy machine
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
