package grant_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/countersign/countersign/grant"
)

func TestParseKeys(t *testing.T) {
	t.Parallel()
	one := strings.TrimSuffix(strings.TrimPrefix(string(jwks("gk_1")), `{"keys":[`), `]}`)
	set := func(keys ...string) string { return `{"keys":[` + strings.Join(keys, ",") + `]}` }
	for name, document := range map[string]string{
		"one":                one,
		"bare":               strings.NewReplacer(`"use":"sig",`, "", `"alg":"EdDSA",`, "").Replace(one),
		"beside other kinds": `{"kty":"RSA","kid":"r","n":"AQAB","e":"AQAB"},` + one + `,{"kty":"OKP","crv":"X25519","kid":"x","x":"AAAA"},7`,
	} {
		if _, err := parse(t, []byte(set(document))).Key(t.Context(), "gk_1"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, document := range map[string]string{
		"nothing": "", "text": "keys", "a list": "[" + one + "]", "no keys": "{}", "none": set(), "keys is an object": `{"keys":` + one + `}`,
		"only other kinds": set(`{"kty":"RSA","kid":"r","n":"AQAB","e":"AQAB"}`),
		"of another curve": set(strings.Replace(one, `"Ed25519"`, `"X25519"`, 1)),
		"of another type":  set(strings.Replace(one, `"OKP"`, `"EC"`, 1)),
		"no id":            set(strings.Replace(one, `"kid":"gk_1",`, "", 1)),
		"for encryption":   set(strings.Replace(one, `"sig"`, `"enc"`, 1)),
		"another alg":      set(strings.Replace(one, `"EdDSA"`, `"HS256"`, 1)),
		"a short key":      set(strings.Replace(one, `"x":"`, `"x":"AAAA","y":"`, 1)),
		"padded key":       set(one[:len(one)-2] + `="}`),
		"one id twice":     set(one, one),
		"a private key":    set(strings.Replace(one, `{`, `{"d":"AAAA",`, 1)),
		"a shared secret":  set(one, `{"kty":"oct","kid":"s","k":"AAAA"}`),
	} {
		if keys, err := grant.ParseKeys([]byte(document)); !errors.Is(err, grant.ErrKeys) || keys != nil {
			t.Errorf("%s: %v, want %v", name, err, grant.ErrKeys)
		}
	}
	keys := parse(t, jwks("gk_1"))
	got, err := keys.Key(t.Context(), "gk_1")
	if err != nil {
		t.Fatal(err)
	}
	got[0] ^= 1
	if again, _ := keys.Key(t.Context(), "gk_1"); again[0] == got[0] {
		t.Error("a caller changed the set")
	}
}

// server gives out keys, as it is told to, and counts.
type server struct {
	*httptest.Server
	document atomic.Pointer[string]
	asked    atomic.Int32
}

func serve(t *testing.T, document string) *server {
	t.Helper()
	s := &server{}
	s.document.Store(&document)
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.asked.Add(1)
		if r.URL.Path != "/.well-known/jwks.json" {
			t.Errorf("asked for %s", r.URL)
		}
		switch d := *s.document.Load(); d {
		case "down":
			w.WriteHeader(http.StatusServiceUnavailable)
			_, _ = w.Write(jwks("gk_1"))
		case "redirect":
			http.Redirect(w, r, "/.well-known/jwks.json", http.StatusFound)
		default:
			_, _ = w.Write([]byte(d))
		}
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *server) says(document string) { s.document.Store(&document) }

// clock is a clock that stands still until it is told.
type clock struct{ seconds atomic.Int64 }

func (c *clock) Now() time.Time { return time.Unix(noon+c.seconds.Load(), 0) }

func fetched(t *testing.T, s *server, c *clock, change ...func(*grant.Remote)) *grant.Fetched {
	t.Helper()
	r := grant.Remote{Issuer: s.URL, Now: c.Now}
	for _, f := range change {
		f(&r)
	}
	keys, err := grant.FetchKeys(r)
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

// TestFetchedKeysFollowARotation: an unknown key is asked for, at most so often;
// what is known costs nothing; and what is no longer given out is forgotten.
func TestFetchedKeysFollowARotation(t *testing.T) {
	t.Parallel()
	s, c := serve(t, string(jwks("gk_1"))), &clock{}
	keys := fetched(t, s, c)
	expect := func(what, kid string, want error, asked int32) {
		t.Helper()
		if _, err := keys.Key(t.Context(), kid); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", what, err, want)
		}
		if got := s.asked.Load(); got != asked {
			t.Errorf("%s: asked %d times, want %d", what, got, asked)
		}
	}
	if s.asked.Load() != 0 {
		t.Error("asked before anything was needed")
	}
	expect("the first key", "gk_1", nil, 1)
	expect("a known key", "gk_1", nil, 1)
	s.says(string(jwks("gk_1", "gk_2")))
	expect("an unknown key, a moment later", "gk_2", grant.ErrKey, 1)
	c.seconds.Add(29)
	for range 100 {
		expect("invented keys", "gk_9", grant.ErrKey, 1)
	}
	c.seconds.Add(1)
	expect("the new key after 30 s", "gk_2", nil, 2)
	expect("the old one still", "gk_1", nil, 2)
	s.says(string(jwks("gk_2")))
	c.seconds.Add(15*60 - 1)
	expect("before they are old", "gk_1", nil, 2)
	c.seconds.Add(1)
	expect("withdrawn", "gk_1", grant.ErrKey, 3)
	expect("and the other stays", "gk_2", nil, 3)
}

// TestFetchedKeysSurviveTheServer: whatever it answers, what was had stays good,
// and it is not asked more often than allowed.
func TestFetchedKeysSurviveTheServer(t *testing.T) {
	t.Parallel()
	private := strings.Replace(string(jwks("gk_1")), `{"use"`, `{"d":"AAAA","use"`, 1)
	for _, bad := range []string{"down", "redirect", "", "{}", "<html>", private, string(jwks("gk_1")) + strings.Repeat(" ", 64<<10)} {
		t.Run(bad[:min(len(bad), 8)], func(t *testing.T) {
			t.Parallel()
			s, c := serve(t, bad), &clock{}
			keys := fetched(t, s, c)
			for range 3 {
				if _, err := keys.Key(t.Context(), "gk_1"); !errors.Is(err, grant.ErrKeys) {
					t.Errorf("nothing was ever had: %v, want %v", err, grant.ErrKeys)
				}
			}
			if n := s.asked.Load(); n != 1 {
				t.Errorf("asked %d times in one second", n)
			}
			s.says(string(jwks("gk_1")))
			c.seconds.Add(1)
			if _, err := keys.Key(t.Context(), "gk_1"); err != nil {
				t.Errorf("a second later it answers: %v", err)
			}
			s.says(bad)
			c.seconds.Add(24 * 3600)
			for range 3 {
				if _, err := keys.Key(t.Context(), "gk_1"); err != nil {
					t.Errorf("old keys were lost: %v", err)
				}
				if _, err := keys.Key(t.Context(), "gk_2"); !errors.Is(err, grant.ErrKey) {
					t.Errorf("an unknown key: %v, want %v", err, grant.ErrKey)
				}
			}
			if n := s.asked.Load(); n != 3 {
				t.Errorf("asked %d times, want 3", n)
			}
		})
	}
}

// TestFetchingEnds: every request has a deadline, also when the caller has none.
func TestFetchingEnds(t *testing.T) {
	t.Parallel()
	hangs := roundTripper(func(r *http.Request) (*http.Response, error) {
		if at, ok := r.Context().Deadline(); !ok || time.Until(at) > time.Minute {
			t.Errorf("the deadline is %v, %v; want within a minute", at, ok)
		}
		return nil, context.DeadlineExceeded
	})
	keys, err := grant.FetchKeys(grant.Remote{Issuer: issuer, Timeout: time.Minute, Client: &http.Client{Transport: hangs}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := keys.Key(context.Background(), "gk_1"); !errors.Is(err, grant.ErrKeys) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v, want %v", err, grant.ErrKeys)
	}
}

// TestFetchingIsBounded: of an answer without end little is read.
func TestFetchingIsBounded(t *testing.T) {
	t.Parallel()
	body := &endless{}
	keys, err := grant.FetchKeys(grant.Remote{Issuer: issuer, Client: &http.Client{Transport: roundTripper(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: http.StatusOK, Body: body}, nil
	})}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := keys.Key(t.Context(), "gk_1"); !errors.Is(err, grant.ErrKeys) || body.read > 65<<10 || !body.closed {
		t.Errorf("%v after %d bytes, closed %v; want %v after 64 KiB", err, body.read, body.closed, grant.ErrKeys)
	}
}

// endless is a body that goes on for longer than anybody should listen.
type endless struct {
	read   int
	closed bool
}

func (e *endless) Read(b []byte) (int, error) {
	e.read += len(b)
	if e.read > 16<<20 {
		return 0, io.EOF
	}
	return copy(b, strings.Repeat(" ", len(b))), nil
}

func (e *endless) Close() error {
	e.closed = true
	return nil
}

// TestKnownKeysDoNotWait: while one caller's request hangs, others go on with
// what there is, or give up when they want.
func TestKnownKeysDoNotWait(t *testing.T) {
	t.Parallel()
	s, c := serve(t, string(jwks("gk_1"))), &clock{}
	asking, answer := make(chan struct{}), make(chan struct{})
	hang := atomic.Bool{}
	slow := roundTripper(func(r *http.Request) (*http.Response, error) {
		if hang.Load() {
			close(asking)
			<-answer
		}
		return http.DefaultTransport.RoundTrip(r)
	})
	keys := fetched(t, s, c, func(r *grant.Remote) { r.Client = &http.Client{Transport: slow} })
	if _, err := keys.Key(t.Context(), "gk_1"); err != nil {
		t.Fatal(err)
	}
	hang.Store(true)
	c.seconds.Add(3600) // the keys are old
	var stuck sync.WaitGroup
	stuck.Go(func() {
		if _, err := keys.Key(t.Context(), "gk_1"); err != nil {
			t.Errorf("the one that asked: %v", err)
		}
	})
	<-asking
	if _, err := keys.Key(t.Context(), "gk_1"); err != nil {
		t.Errorf("meanwhile: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := keys.Key(ctx, "gk_2"); !errors.Is(err, grant.ErrKeys) || !errors.Is(err, context.Canceled) {
		t.Errorf("gave up waiting: %v, want %v", err, grant.ErrKeys)
	}
	close(answer)
	stuck.Wait()
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestOneRequestForMany: callers who need an unknown key at once make one request.
func TestOneRequestForMany(t *testing.T) {
	t.Parallel()
	s, c := serve(t, string(jwks("gk_1"))), &clock{}
	v := verifier(t, func(cfg *grant.Config) { cfg.Keys = fetched(t, s, c) })
	token := sign("gk_1", header, claims(act))
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			if _, err := v.Verify(token, []byte(act)); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if n := s.asked.Load(); n != 1 {
		t.Errorf("50 callers asked %d times", n)
	}
}

func TestRemoteRefused(t *testing.T) {
	t.Parallel()
	for _, good := range []grant.Remote{
		{Issuer: "https://approvals.example.com"},
		{Issuer: "https://approvals.example.com/"},
		{Issuer: "http://localhost:8080"},
		{Issuer: "http://127.0.0.1:8080"},
		{Issuer: "http://[::1]:8080"},
		{Issuer: "http://countersign:8080", AllowHTTP: true},
	} {
		if _, err := grant.FetchKeys(good); err != nil {
			t.Errorf("%s: %v", good.Issuer, err)
		}
	}
	for _, bad := range []grant.Remote{
		{},
		{Issuer: "approvals.example.com"},
		{Issuer: "file:///etc/passwd"},
		{Issuer: "https://"},
		{Issuer: "https://a.example/sub/../b"},
		{Issuer: "https://a.example/%73ub"},
		{Issuer: "https://u:p@a.example"},
		{Issuer: "https://a.example?x"},
		{Issuer: "https://a.example#x"},
		{Issuer: "ftp://a.example", AllowHTTP: true},
		{Issuer: "http://approvals.example.com"},
		{Issuer: "http://localhost.example.com"},
		{Issuer: "https://a.example", Timeout: -1},
		{Issuer: "https://a.example", Every: -1},
		{Issuer: "https://a.example", MaxAge: -1},
	} {
		if keys, err := grant.FetchKeys(bad); err == nil || keys != nil {
			t.Errorf("%+v: accepted", bad)
		}
	}
	client := &http.Client{}
	if _, err := grant.FetchKeys(grant.Remote{Issuer: issuer, Client: client}); err != nil || client.CheckRedirect != nil {
		t.Errorf("the caller's client was changed, or %v", err)
	}
}
