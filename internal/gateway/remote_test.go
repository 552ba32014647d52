package gateway_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/countersign/countersign/internal/gateway"
)

// remote serves a server over streamable HTTP and connects a client by hand.
func remote(t *testing.T, u *upstream, stateless, plain bool, headers string, seen func(*http.Request)) wireClient {
	t.Helper()
	h := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return u.Server }, &mcp.StreamableHTTPOptions{Stateless: stateless, JSONResponse: plain})
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen(r)
		h.ServeHTTP(w, r)
	}))
	server, err := gateway.Remote(web.URL+"/mcp", headers)
	if err != nil {
		t.Fatal(err)
	}
	near, far := mcp.NewInMemoryTransports()
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	g := &gateway.Gateway{Name: "far", Gate: newGate(), Log: slog.New(slog.DiscardHandler)}
	go func() { ended <- g.Run(ctx, far, server) }()
	c, err := near.Connect(ctx)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Close()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		stop()
		web.CloseClientConnections()
		web.Close()
	})
	return wireClient{c}
}

// Over HTTP, results stay exact, too, as events and as plain JSON, and the headers that
// the server wants come from the environment.
func TestRemote(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ stateless, plain bool }{"events": {}, "JSON": {plain: true}, "stateless": {stateless: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var mu sync.Mutex
			auth := map[string]bool{}
			u := newUpstream(mixed)
			l := remote(t, u, c.stateless, c.plain, "Authorization: Bearer s3cret\nX-Team:  blue \n\n", func(r *http.Request) {
				mu.Lock()
				defer mu.Unlock()
				auth[r.Header.Get("Authorization")+" "+r.Header.Get("X-Team")] = true
			})
			l.send(t, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}`)
			l.send(t, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
			got := l.send(t, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":`+big+`}}`)
			for _, want := range []string{`"n":1234567890123456789012345678901234567890`, `"id":9007199254740993`} {
				if !strings.Contains(got, want) {
					t.Errorf("the result came as %s, want %s in it", got, want)
				}
			}
			if !slices.Equal(u.ran(), []string{"echo" + big}) {
				t.Errorf("ran %v", u.ran())
			}
			mu.Lock()
			defer mu.Unlock()
			if len(auth) != 1 || !auth["Bearer s3cret blue"] {
				t.Errorf("headers %v", auth)
			}
		})
	}
}

func TestRemoteOfTheNewEra(t *testing.T) {
	t.Parallel()
	u := newUpstream(modern)
	l := remote(t, u, true, false, "", func(*http.Request) {})
	got := l.send(t, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{`+meta+`,"name":"echo","arguments":{"id":9007199254740993}}}`)
	if !strings.Contains(got, `{\"id\":9007199254740993}`) || !strings.Contains(got, `"resultType":"complete"`) || !strings.Contains(got, `"n":1234567890123456789012345678901234567890`) {
		t.Errorf("the result came as %s", got)
	}
}

// A secret for one server is not for where it redirects to.
func TestHeadersStayWithTheirHost(t *testing.T) {
	t.Parallel()
	leaked := make(chan string, 9)
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		leaked <- r.Header.Get("Authorization") + r.Header.Get("X-Key")
		w.WriteHeader(http.StatusNotFound)
	}))
	defer other.Close()
	first := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
	defer first.Close()
	server, err := gateway.Remote(first.URL, "Authorization: Bearer s3cret\nX-Key: k")
	if err != nil {
		t.Fatal(err)
	}
	res, err := server.HTTPClient.Post(first.URL, "application/json", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if got := <-leaked; got != "" {
		t.Errorf("another host got %q", got)
	}
}

func TestRemoteRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range [][2]string{{"ftp://x", ""}, {"https://", ""}, {"https://me:s3cret@x/mcp", ""}, {"https://x/mcp", "s3cret"}, {"https://x/mcp", ": s3cret"}} {
		if _, err := gateway.Remote(c[0], c[1]); err == nil || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%v: %v", c, err)
		}
	}
}

// TestProgram runs this test's own binary as a server.
func TestProgram(t *testing.T) {
	t.Parallel()
	said := make(words, 9)
	environ := append(os.Environ(), beProgram+"=1", "COUNTERSIGN_KEY=csk_1", "countersign_database_url=postgres://u:p@h")
	p := gateway.Command([]string{os.Args[0], "-x"}, environ, said)
	c, err := p.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	msg, err := c.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if req, ok := msg.(*jsonrpc.Request); !ok || string(req.Params) != `{"args":["-x"],"secrets":0,"home":true}` {
		t.Errorf("the program said %s", msg)
	}
	if _, err := c.Read(t.Context()); !errors.Is(err, io.EOF) {
		t.Errorf("after the last message: %v", err)
	}
	c.Close()
	if code := p.ExitCode(); code != 5 {
		t.Errorf("exit code %d", code)
	}
	close(said)
	got := slices.Sorted(said.all())
	if !slices.Equal(got, []string{"[banner] on standard output\n", "an error\n"}) {
		t.Errorf("standard error has %q", got)
	}
}

// words is a writer that any number may use.
type words chan string

func (w words) Write(p []byte) (int, error) { w <- string(p); return len(p), nil }

func (w words) all() iter.Seq[string] {
	return func(yield func(string) bool) {
		for s := range w {
			if !yield(s) {
				return
			}
		}
	}
}

const beProgram = "GATEWAY_TEST_BE_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(beProgram) == "" {
		os.Exit(m.Run())
	}
	args, _ := json.Marshal(os.Args[1:])
	secrets := strings.Count(strings.ToUpper(strings.Join(os.Environ(), "\n")), "COUNTERSIGN_")
	fmt.Println("[banner] on standard output")
	fmt.Printf(`{"jsonrpc":"2.0","method":"hello","params":{"args":%s,"secrets":%d,"home":%t}}`+"\n", args, secrets, os.Getenv("PATH") != "")
	fmt.Fprintln(os.Stderr, "an error")
	os.Exit(5)
}
