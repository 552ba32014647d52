package httpserver_test

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/internal/httpserver"
)

// pipes is a listener whose connections live in memory, so that a bubble's clock
// drives every deadline of the server.
type pipes struct {
	conns chan net.Conn
	done  chan struct{}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}
func (p *pipes) Close() error   { close(p.done); return nil }
func (p *pipes) Addr() net.Addr { return &net.IPAddr{} }

func (p *pipes) dial(context.Context, string, string) (net.Conn, error) {
	client, server := net.Pipe()
	p.conns <- server
	return client, nil
}

// waiting serves /wait, which answers after a minute, or notes that its context
// ended before.
func waiting(t *testing.T, gone chan<- struct{}, observed chan<- int) (*http.Client, func()) {
	t.Helper()
	cfg := httpserver.Config{
		Log:       slog.New(slog.DiscardHandler),
		PublicURL: func() string { return "http://localhost" },
		Observe:   func(_, _ string, status int, _ time.Duration) { observed <- status },
	}
	e := httpserver.New(cfg)
	wait := func(c echo.Context) error {
		if _, err := io.Copy(io.Discard, c.Request().Body); err != nil {
			return err
		}
		select {
		case <-time.After(time.Minute):
			return c.String(http.StatusOK, "done")
		case <-c.Request().Context().Done():
			gone <- struct{}{}
			return c.Request().Context().Err()
		}
	}
	e.GET("/wait", wait)
	e.POST("/wait", wait)
	h, err := httpserver.Handler(e, cfg)
	if err != nil {
		t.Fatal(err)
	}
	server := httpserver.NewServer(h, cfg.Log)
	listener := &pipes{conns: make(chan net.Conn), done: make(chan struct{})}
	go server.Serve(listener)
	transport := &http.Transport{DialContext: listener.dial}
	return &http.Client{Transport: transport}, func() {
		transport.CloseIdleConnections()
		server.Close()
	}
}

func TestAWaitOutlivesTheReadTimeout(t *testing.T) {
	t.Parallel()
	for _, method := range []string{"GET", "POST"} {
		synctest.Test(t, func(t *testing.T) {
			gone, observed := make(chan struct{}, 1), make(chan int, 1)
			client, stop := waiting(t, gone, observed)
			defer stop()
			req, _ := http.NewRequestWithContext(t.Context(), method, "http://localhost/wait", nil)
			if method == "POST" {
				req, _ = http.NewRequestWithContext(t.Context(), method, "http://localhost/wait", strings.NewReader("{}"))
			}
			res, err := client.Do(req)
			if err != nil {
				t.Fatalf("%s: %v", method, err)
			}
			defer res.Body.Close()
			if body, _ := io.ReadAll(res.Body); string(body) != "done" || len(gone) != 0 {
				t.Errorf("%s: answered %d %q, cancelled %d times", method, res.StatusCode, body, len(gone))
			}
		})
	}
}

func TestAClientThatGoesAwayEndsItsRequest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		gone, observed := make(chan struct{}, 1), make(chan int, 1)
		client, stop := waiting(t, gone, observed)
		defer stop()
		ctx, leave := context.WithTimeout(t.Context(), 20*time.Second)
		defer leave()
		req, _ := http.NewRequestWithContext(ctx, "GET", "http://localhost/wait", nil)
		start := time.Now()
		if res, err := client.Do(req); err == nil {
			res.Body.Close()
			t.Fatal("the client got an answer after it went away")
		}
		<-gone
		if took := time.Since(start); took != 20*time.Second {
			t.Errorf("the request ended after %v, want 20s", took)
		}
		if status := <-observed; status != 499 {
			t.Errorf("observed %d, want 499", status)
		}
	})
}

func TestABodyThatNeverEndsIsCutOff(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		gone, observed := make(chan struct{}, 1), make(chan int, 1)
		client, stop := waiting(t, gone, observed)
		defer stop()
		never, writer := io.Pipe()
		defer writer.Close()
		req, _ := http.NewRequestWithContext(t.Context(), "POST", "http://localhost/wait", never)
		start := time.Now()
		res, err := client.Do(req)
		if err == nil {
			res.Body.Close()
		}
		if took := time.Since(start); took > 20*time.Second {
			t.Errorf("a body that never ends held the connection for %v", took)
		}
		if status := <-observed; status == 200 {
			t.Error("answered as if the body had come")
		}
	})
}
