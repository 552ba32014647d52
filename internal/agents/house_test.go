//go:build agents

package agents

import (
	"bufio"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// binaries are the programs under test, built once.
var binaries = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "countersign-bin")
	if err != nil {
		return "", err
	}
	for name, from := range map[string]string{"countersign": "server", "countersign-hook": "countersign-hook"} {
		cmd := exec.Command("go", "build", "-o", filepath.Join(dir, name), "../../cmd/"+from)
		if out, err := cmd.CombinedOutput(); err != nil {
			return "", fmt.Errorf("%w: %s", err, out)
		}
	}
	return dir, nil
})

// house is a real server with an organisation, an operator and agents.
type house struct {
	dir  string // of the data
	bin  string
	addr string
	cmd  *exec.Cmd
}

const password = "correct horse battery staple"

// theHouse is the one that all tests share.
var theHouse = sync.OnceValues(func() (*house, error) {
	bin, err := binaries()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "countersign-house")
	if err != nil {
		return nil, err
	}
	h := &house{dir: filepath.Join(dir, "data"), bin: bin}
	if h.addr, err = freeAddress(); err != nil {
		return nil, err
	}
	for _, c := range []struct{ in, args string }{
		{"", "tenant create acme"},
		{password + "\n", "person create --tenant acme --roles operator,admin mei@acme.test --password-stdin"},
		{"min_review_seconds: {medium: 0}\nedit_before_approve: {low: true, medium: true, high: true, critical: true}\n", "policy import --tenant acme --reason tests"},
	} {
		if out, err := h.command(c.in, strings.Fields(c.args)...); err != nil {
			return nil, fmt.Errorf("%s: %w: %s", c.args, err, out)
		}
	}
	return h, h.start()
})

func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// command runs our own program.
func (h *house) command(in string, args ...string) (string, error) {
	cmd := exec.Command(filepath.Join(h.bin, "countersign"), args...)
	cmd.Env = append(os.Environ(), "COUNTERSIGN_DATA_DIR="+h.dir, "COUNTERSIGN_LOG_LEVEL=error")
	cmd.Stdin = strings.NewReader(in)
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%w: %s", err, errs.String())
	}
	return strings.TrimSpace(string(out)), err
}

// start starts the server and returns when it listens.
func (h *house) start() error {
	h.cmd = exec.Command(filepath.Join(h.bin, "countersign"), "serve", "--addr", h.addr, "--log-level", "error")
	h.cmd.Env = append(os.Environ(), "COUNTERSIGN_DATA_DIR="+h.dir, "COUNTERSIGN_AGENT_RATE=0")
	h.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	h.cmd.Stderr = os.Stderr
	out, err := h.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := h.cmd.Start(); err != nil {
		return err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || !strings.Contains(line, "listens on") {
		return fmt.Errorf("the server said %q: %w", line, err)
	}
	go func() { _, _ = io.Copy(io.Discard, out) }()
	return nil
}

// kill ends the server as a power cut would.
func (h *house) kill() {
	_ = h.cmd.Process.Kill()
	_ = h.cmd.Wait()
}

// closeHouse ends what the tests shared.
func closeHouse() {
	if h, err := theHouse(); err == nil {
		h.kill()
		_ = os.RemoveAll(filepath.Dir(h.dir))
		_ = os.RemoveAll(h.bin)
	}
}

// open is the house of a test.
func open(t *testing.T) *house {
	t.Helper()
	h, err := theHouse()
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// agent makes an agent that works in a folder, and gives its key.
func (h *house) agent(t *testing.T, name, workspace string) string {
	t.Helper()
	key, err := h.command("", "agent", "create", "--tenant", "acme", name)
	if err == nil {
		_, err = h.command("", "agent", "bind", "--tenant", "acme", "--workspace", workspace, name)
	}
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// approval is what the tests look at.
type approval struct {
	ID, Status, Function, Digest string
	Arguments                    struct{ Command string }
	Execution                    *struct{ State, Status string }
	Waiting                      json.RawMessage
}

// approvals are all of an agent, the newest first.
func (h *house) approvals(t *testing.T, key string) []approval {
	t.Helper()
	req, err := http.NewRequest(http.MethodGet, "http://"+h.addr+"/api/v1/approvals?limit=100", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+key)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var page struct{ Approvals []approval }
	if err := json.NewDecoder(res.Body).Decode(&page); err != nil || res.StatusCode != http.StatusOK {
		t.Fatal(res.Status, err)
	}
	return page.Approvals
}

// spent counts the grants that were spent.
func (h *house) spent(t *testing.T, key string) (n int) {
	t.Helper()
	for _, a := range h.approvals(t, key) {
		if a.Execution != nil {
			n++
		}
	}
	return n
}

// pending waits until a request waits for a person.
func (h *house) pending(t *testing.T, key string) approval {
	t.Helper()
	for range until(t, 30*time.Second, "nothing is pending") {
		for _, a := range h.approvals(t, key) {
			if a.Status == "pending" {
				return a
			}
		}
	}
	panic("unreachable")
}

// until gives tries until the time is over, and then ends the test.
func until(t *testing.T, patience time.Duration, what string) func(func(int) bool) {
	t.Helper()
	return func(yield func(int) bool) {
		tick := time.NewTicker(100 * time.Millisecond)
		defer tick.Stop()
		end := time.After(patience)
		for i := 0; yield(i); i++ {
			select {
			case <-tick.C:
			case <-end:
				t.Fatal(what)
			}
		}
	}
}

// operator is a person's browser.
type operator struct {
	t    *testing.T
	http http.Client
	url  string
}

// operator signs Mei in.
func (h *house) operator(t *testing.T) *operator {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(h.addr)
	o := &operator{t: t, http: http.Client{Jar: jar}, url: "http://localhost:" + port}
	if status, page := o.send(http.MethodPost, "/sign-in", url.Values{"email": {"mei@acme.test"}, "password": {password}}); status != http.StatusOK {
		t.Fatalf("sign in: %d %.300s", status, page)
	}
	return o
}

func (o *operator) send(method, path string, form url.Values) (int, string) {
	o.t.Helper()
	req, err := http.NewRequest(method, o.url+path, strings.NewReader(form.Encode()))
	if err != nil {
		o.t.Fatal(err)
	}
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("Origin", o.url)
	}
	res, err := o.http.Do(req)
	if err != nil {
		o.t.Fatal(err)
	}
	defer res.Body.Close()
	page, err := io.ReadAll(res.Body)
	if err != nil {
		o.t.Fatal(err)
	}
	return res.StatusCode, string(page)
}

var (
	hiddenField = regexp.MustCompile(`<input[^>]*type="hidden"[^>]*name="(\w+)"[^>]*value="([^"]*)"`)
	textArea    = regexp.MustCompile(`(?s)<textarea[^>]*name="arguments"[^>]*>(.*?)</textarea>`)
)

func fields(page string) url.Values {
	form := url.Values{}
	for _, m := range hiddenField.FindAllStringSubmatch(page, -1) {
		form.Set(m[1], html.UnescapeString(m[2]))
	}
	return form
}

// decide reads the request and decides.
func (o *operator) decide(a approval, verdict, reason string) {
	o.t.Helper()
	path := "/t/acme/approvals/" + a.ID
	_, page := o.send(http.MethodGet, path, nil)
	form := fields(page)
	form.Set("verdict", verdict)
	form.Set("reason", reason)
	if status, page := o.send(http.MethodPost, path+"/decide", form); status != http.StatusOK {
		o.t.Fatalf("%s: %d %.2000s", verdict, status, page)
	}
}

// edit changes the command and approves it.
func (o *operator) edit(a approval, old, new string) {
	o.t.Helper()
	path := "/t/acme/approvals/" + a.ID
	_, page := o.send(http.MethodGet, path+"/edit", nil)
	form := fields(page)
	m := textArea.FindStringSubmatch(page)
	if m == nil {
		o.t.Fatalf("no form to edit: %.300s", page)
	}
	form.Set("arguments", strings.Replace(html.UnescapeString(m[1]), old, new, 1))
	if status, page := o.send(http.MethodPost, path+"/edit", form); status != http.StatusOK {
		o.t.Fatalf("edit: %d %.2000s", status, page)
	}
	o.decide(a, "approve", "")
}

// configure writes the hook's settings.
func (l *lab) configure(url, key string, wait int) string {
	l.t.Helper()
	return l.write(".config/countersign/config.json", fmt.Sprintf(`{"url":%q,"key":%q,"wait_seconds":%d}`, url, key, wait), 0o600)
}

// hookPIDs are the hooks that run for this lab.
func (l *lab) hookPIDs() []int {
	return marked(l.mark, func(cmdline string) bool { return strings.HasPrefix(filepath.Base(cmdline), "countersign") })
}
