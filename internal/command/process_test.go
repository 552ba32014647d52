package command

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/auth/authtest"
	"github.com/countersign/countersign/internal/long"
	"github.com/countersign/countersign/internal/store/sqlitetest"
)

// beProgram makes the test binary the program itself, so that a test can start
// it as a process of its own and kill it.
const beProgram = "COUNTERSIGN_TEST_BE_PROGRAM"

// asSold is that, with passwords hashed at the product's cost; all else here hashes cheaply.
const asSold = "as sold"

func TestMain(m *testing.M) {
	if os.Getenv(beProgram) != asSold {
		hashing = authtest.Cost()
	}
	if dir := os.Getenv(beServer); dir != "" && os.Getenv(beProgram) == "" {
		os.Exit(mcpServer(dir))
	}
	if os.Getenv(beProgram) == "" {
		os.Exit(m.Run())
	}
	os.Exit(Main(os.Args[1:]))
}

// dataDir is a data folder with a database that has the current schema: migrating is most of
// what a first start costs.
func dataDir(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "data")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	sqlitetest.Create(t, Settings{DataDir: dir}.sqlitePath())
	return dir
}

// process is the server as a process of its own; under the race detector, which sees nothing of
// another process, in this one.
type process struct {
	url   string
	cmd   *exec.Cmd
	ended chan struct{}
	end   func() // of one in this process
}

// program is a command line as a process of its own.
func program(set Settings, args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], append(args, "--data-dir", set.DataDir)...)
	cmd.Env = append(os.Environ(), beProgram+"=1", "COUNTERSIGN_AGENT_RATE=0", "COUNTERSIGN_DATABASE_URL="+set.DatabaseURL)
	return cmd
}

// start runs the server on a free port and returns when it listens.
func start(t testing.TB, set Settings) *process {
	t.Helper()
	if testing.Short() {
		a, end := served(t, set, slog.New(slog.DiscardHandler))
		return &process{url: a.URL(), end: end}
	}
	return serving(t, program(set, serve...))
}

var serve = []string{"serve", "--addr", "127.0.0.1:0", "--log-level", "error"}

// serving starts a server and returns when it listens.
func serving(t testing.TB, cmd *exec.Cmd) *process {
	t.Helper()
	long.NotUnderRace(t, oneAtATime)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p := &process{cmd: cmd, ended: make(chan struct{})}
	t.Cleanup(p.kill)
	lines := bufio.NewReader(out)
	line, err := lines.ReadString('\n')
	go func() {
		_, _ = io.Copy(io.Discard, lines)
		_ = cmd.Wait()
		close(p.ended)
	}()
	where, ok := strings.CutPrefix(strings.TrimSpace(line), "Countersign listens on ")
	if err != nil || !ok {
		t.Fatalf("the server said %q: %v", line, err)
	}
	p.url = where
	return p
}

// kill ends the process as a power cut would end it, and waits until it is gone.
func (p *process) kill() {
	if p.end != nil {
		p.end()
		return
	}
	_ = p.cmd.Process.Kill()
	<-p.ended
}

// agent is a client of one server that knows that servers die: an error of the
// connection is an answer too.
type agentClient struct {
	http http.Client
	url  string
	key  string
	head atomic.Pointer[string] // the last signed head that it was given, which it sends back
}

// call sends one request; ok is false when no whole answer came back.
func (c *agentClient) call(method, path, idempotency, body string) (r reply, ok bool) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, c.url+path, strings.NewReader(body))
	if err != nil {
		return r, false
	}
	req.Header.Set("Authorization", "Bearer "+c.key)
	req.Header.Set("Content-Type", "application/json")
	if idempotency != "" {
		req.Header.Set("Idempotency-Key", idempotency)
	}
	if head := c.head.Load(); head != nil {
		req.Header.Set("Countersign-Checkpoint", *head)
	}
	res, err := c.http.Do(req)
	if err != nil {
		return r, false
	}
	defer res.Body.Close()
	if head := res.Header.Get("Countersign-Checkpoint"); head != "" {
		c.head.Store(&head)
	}
	if r.raw, err = io.ReadAll(res.Body); err != nil {
		return r, false
	}
	_ = json.Unmarshal(r.raw, &r) // the status of a problem is a number
	r.status = res.StatusCode
	return r, true
}

// operator is a person's browser on a server that may die.
type operator struct {
	http http.Client
	url  string
}

func newOperator() (*operator, error) {
	jar, err := cookiejar.New(nil)
	return &operator{http: http.Client{Jar: jar}}, err
}

// get reads a page.
func (o *operator) get(path string) (status int, page string, ok bool) {
	return o.send(http.MethodGet, path, nil)
}

// post sends a form; ok is false when no whole answer came back.
func (o *operator) post(path string, form url.Values) (status int, page string, ok bool) {
	return o.send(http.MethodPost, path, form)
}

func (o *operator) send(method, path string, form url.Values) (status int, page string, ok bool) {
	req, err := http.NewRequest(method, o.url+path, strings.NewReader(form.Encode()))
	if err != nil {
		return 0, "", false
	}
	if form != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("Origin", o.url)
	}
	res, err := o.http.Do(req)
	if err != nil {
		return 0, "", false
	}
	defer res.Body.Close()
	whole, err := io.ReadAll(res.Body)
	return res.StatusCode, string(whole), err == nil
}

// listed are the ids of a page of the agent's approvals, and where the next begins.
func listed(r reply) (ids []string, next string) {
	var page struct {
		Approvals []struct{ ID string }
		Next      string `json:"next_cursor"`
	}
	_ = json.Unmarshal(r.raw, &page)
	for _, a := range page.Approvals {
		ids = append(ids, a.ID)
	}
	return ids, page.Next
}

// withoutControlVariable is how make controls says which control to run without: a copy of
// the program that gets an environment of its own has to run without it, too.
const withoutControlVariable = "COUNTERSIGN_WITHOUT_CONTROL"
