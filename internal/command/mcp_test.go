package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/countersign/countersign/client"
)

// beServer makes the test binary an MCP server with a file of notes, so that nothing has
// to be installed. The gateway gives its server no variable of Countersign's own.
const beServer = "MCP_TEST_SERVER"

// mcpServer is that server. What it does is seen in its folder, in a file for each tool.
func mcpServer(dir string) int {
	s := mcp.NewServer(&mcp.Implementation{Name: "notes", Version: "1"}, nil)
	code := make(chan int, 1)
	tool := func(name string, do func(arguments string) string) {
		s.AddTool(&mcp.Tool{Name: name, Description: "Works with notes.", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(_ context.Context, q *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			f, err := os.OpenFile(filepath.Join(dir, name), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
			if err != nil {
				return nil, err
			}
			defer f.Close()
			fmt.Fprintf(f, "%s\n", q.Params.Arguments)
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: do(string(q.Params.Arguments))}}}, nil
		})
	}
	tool("list_notes", func(string) string { return strings.Join(os.Environ(), "\n") })
	tool("deploy_notes", func(arguments string) string { return "deployed " + arguments })
	tool("read_and_end", func(string) string { code <- 7; select {} })
	fmt.Println("[banner] of a library")
	fmt.Fprintln(os.Stderr, "the server's own words")
	go func() {
		_ = s.Run(context.Background(), &mcp.StdioTransport{})
		code <- 0
	}()
	return <-code
}

// desk is an agent's desk: a server of ours, a person, and a home folder with the
// settings of a gateway.
type desk struct {
	t      *testing.T
	set    Settings
	server *process
	person *operator
	key    string
	home   string
	notes  string // what the MCP server did
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{t: t, set: Settings{DataDir: dataDir(t)}, home: t.TempDir(), notes: t.TempDir()}
	d.key = crashTenant(t, d.set)
	d.server = start(t, d.set)
	var err error
	if d.person, err = newOperator(); err != nil {
		t.Fatal(err)
	}
	d.person.url = d.server.url
	if status, _, ok := d.person.post("/sign-in", url.Values{"email": {"mei@acme.test"}, "password": {testPassword}}); !ok || status != http.StatusOK {
		t.Fatalf("sign-in: %d", status)
	}
	dir := filepath.Join(d.home, ".config", "countersign")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf(`{"url":%q,"key":%q}`, d.server.url, d.key)
	if err := os.WriteFile(filepath.Join(dir, "config.json"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return d
}

// decide opens a request and decides about it.
func (d *desk) decide(where string, change url.Values) {
	d.t.Helper()
	u, err := url.Parse(where)
	if err != nil {
		d.t.Fatal(err)
	}
	_, page, _ := d.person.get(u.Path)
	form := fields(page)
	for name, value := range change {
		form[name] = value
	}
	if status, page, ok := d.person.post(u.Path+"/decide", form); !ok || status != http.StatusOK {
		d.t.Fatalf("decide %v: %d %s", change, status, page)
	}
}

// gatewayRun is a gateway as a process of its own, with a client.
type gatewayRun struct {
	*mcp.ClientSession
	cmd *exec.Cmd
	out bytes.Buffer // all that came on standard output
	err locked
}

type locked struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *locked) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// gateway starts countersign mcp in front of the notes server, with nothing of this
// environment but what an MCP client passes.
func (d *desk) gateway(flags ...string) *gatewayRun {
	d.t.Helper()
	args := append(append([]string{"mcp", "--name", "notes"}, flags...), "--", os.Args[0])
	g := &gatewayRun{cmd: exec.Command(os.Args[0], args...)}
	g.cmd.Env = []string{"HOME=" + d.home, "PATH=" + os.Getenv("PATH"), beProgram + "=1", beServer + "=" + d.notes, withoutControlVariable + "=" + os.Getenv(withoutControlVariable)}
	g.cmd.Stderr = &g.err
	in, err := g.cmd.StdinPipe()
	if err != nil {
		d.t.Fatal(err)
	}
	out, err := g.cmd.StdoutPipe()
	if err != nil {
		d.t.Fatal(err)
	}
	if err := g.cmd.Start(); err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() { in.Close(); _ = g.cmd.Process.Kill(); _ = g.cmd.Wait() })
	c := mcp.NewClient(&mcp.Implementation{Name: "desk", Version: "1"}, nil)
	line := &mcp.IOTransport{Reader: io.NopCloser(io.TeeReader(out, &g.out)), Writer: in}
	if g.ClientSession, err = c.Connect(context.Background(), line, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"}); err != nil {
		d.t.Fatalf("%v: %s", err, g.err.String())
	}
	return g
}

func (g *gatewayRun) call(t *testing.T, tool, arguments string) (string, bool) {
	t.Helper()
	res, err := g.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)})
	if err != nil {
		t.Fatalf("%s: %v, %s", tool, err, g.err.String())
	}
	return res.Content[0].(*mcp.TextContent).Text, !res.IsError
}

// ran is what a tool was called with.
func (d *desk) ran(tool string) []string {
	text, err := os.ReadFile(filepath.Join(d.notes, tool))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		d.t.Fatal(err)
	}
	return slices.DeleteFunc(strings.Split(string(text), "\n"), func(s string) bool { return s == "" })
}

var address = regexp.MustCompile(`https?://\S+/approvals/apr_[0-9a-f]{32}`)

// TestMCP is the life of a call behind a gateway: the real program, the real server, and
// a gateway that is killed.
func TestMCP(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	g := d.gateway("--wait", "4s")

	// What only reads runs at once.
	said, ok := g.call(t, "list_notes", `{}`)
	if !ok || len(d.ran("list_notes")) != 1 {
		t.Fatalf("a read: %s", said)
	}
	if strings.Contains(said, "COUNTERSIGN_") || strings.Contains(said, "csk_") || !strings.Contains(said, "HOME=") {
		t.Errorf("the server's environment is %s", said)
	}

	// What is held is told, and nothing ran.
	const act = `{"service":"shop","env":"staging","id":12345678901234567890123456789}`
	said, ok = g.call(t, "deploy_notes", act)
	where := address.FindString(said)
	if ok || where == "" || !strings.Contains(said, "again with exactly the same arguments") || len(d.ran("deploy_notes")) > 0 {
		t.Fatalf("a held call: %s", said)
	}

	// The gateway dies while the identical call is held; the next one attaches.
	go func() {
		_, _ = g.CallTool(context.Background(), &mcp.CallToolParams{Name: "deploy_notes", Arguments: json.RawMessage(act)})
	}()
	if err := g.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = g.cmd.Wait()
	g = d.gateway("--wait", "4s")
	if said, ok = g.call(t, "deploy_notes", act); ok || address.FindString(said) != where {
		t.Fatalf("after a restart: %s, want %s", said, where)
	}
	d.decide(where, url.Values{"verdict": {"approve"}})
	if said, ok = g.call(t, "deploy_notes", act); !ok || said != "deployed "+act {
		t.Fatalf("approved: %s", said)
	}
	// A yes serves one run.
	said, ok = g.call(t, "deploy_notes", act)
	second := address.FindString(said)
	if ok || second == where || second == "" || !slices.Equal(d.ran("deploy_notes"), []string{act}) {
		t.Fatalf("the same again: %s, ran %v", said, d.ran("deploy_notes"))
	}
	d.decide(second, url.Values{"verdict": {"deny"}, "reason": {"Not during the freeze."}})
	// A no that was said while nobody waited is the answer to the next call, also of another process.
	g.Close()
	g = d.gateway("--wait", "4s")
	if said, ok = g.call(t, "deploy_notes", act); ok || said != "Not run: denied. Not during the freeze." {
		t.Errorf("denied: %s", said)
	}

	// What the console knows.
	r, _ := (&agentClient{url: d.server.url, key: d.key}).call("GET", "/api/v1/approvals", "", "")
	for _, want := range []string{`"name":"mcp__notes__deploy_notes"`, `12345678901234567890123456789`, `"succeeded"`} {
		if !strings.Contains(string(r.raw), want) {
			t.Errorf("the console does not know %s", want)
		}
	}

	// The exit code of the server, its words on standard error, and nothing but protocol
	// on standard output.
	_, err := g.CallTool(t.Context(), &mcp.CallToolParams{Name: "read_and_end", Arguments: json.RawMessage(`{}`)})
	_ = g.cmd.Wait()
	if code := g.cmd.ProcessState.ExitCode(); err == nil || code != 7 {
		t.Errorf("the server ended: %v, exit code %d, %s", err, code, g.err.String())
	}
	if !strings.Contains(g.err.String(), "the server's own words") || !strings.Contains(g.err.String(), "[banner]") || strings.Contains(g.err.String(), "csk_") {
		t.Errorf("standard error is %s", g.err.String())
	}
	for line := range strings.Lines(g.out.String()) {
		if !json.Valid([]byte(line)) {
			t.Errorf("standard output has %q", line)
		}
	}
}

// TestMCPCommandLine: what is wrong is said with exit code 2, before anything starts.
func TestMCPCommandLine(t *testing.T) {
	t.Parallel()
	for _, c := range [][]string{
		{"mcp"},
		{"mcp", "--url", "https://x/mcp", "--", "server"},
		{"mcp", "--wait", "soon", "--", "server"},
		{"mcp", "--wait", "0s", "--", "server"},
		{"mcp", "--url", "https://me:s3cret@x/mcp"},
		{"mcp", "--url", "file:///x"},
	} {
		code, out, errs := command(t, "", c...)
		if code != 2 || out != "" || errs == "" || strings.Contains(errs, "s3cret") {
			t.Errorf("%v: %d %q %q", c, code, out, errs)
		}
	}
	code, out, errs := command(t, `{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n", "mcp", "--", "/no/such/server")
	if code != 1 || out != "" || !strings.Contains(errs, "no such") {
		t.Errorf("a command that is not there: %d %q %q", code, out, errs)
	}
}

// TestMCPDocs runs what docs/mcp.md says: the command lines, with a client that leaves at
// once, and the settings.
func TestMCPDocs(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/mcp.md")
	if err != nil {
		t.Fatal(err)
	}
	lines := regexp.MustCompile("`countersign (mcp --name [^`]+)`").FindAllStringSubmatch(string(page), -1)
	if len(lines) != 2 {
		t.Errorf("the page has %d command lines, want 2", len(lines))
	}
	for _, line := range lines {
		if code, out, errs := command(t, "", strings.Fields(line[1])...); code != 0 || out != "" {
			t.Errorf("%s: %d %q %q", line[1], code, out, errs)
		}
	}
	text := regexp.MustCompile(`echo '(\{.*\})'`).FindSubmatch(page)
	file := filepath.Join(t.TempDir(), "config.json")
	if text == nil {
		t.Fatal("the page has no settings")
	}
	if err := os.WriteFile(file, bytes.ReplaceAll(text[1], []byte("…"), []byte("acme_1")), 0o600); err != nil {
		t.Fatal(err)
	}
	set, err := client.Load(func(name string) string { return map[string]string{"COUNTERSIGN_CONFIG": file}[name] })
	if err == nil {
		_, err = client.New(set)
	}
	if err != nil {
		t.Error(err)
	}
}
