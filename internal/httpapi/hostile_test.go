package httpapi

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/httpserver"
	"github.com/countersign/countersign/internal/long"
	"github.com/countersign/countersign/internal/near"
)

var postPaths = []string{
	"/api/v1/approvals", "/api/v1/approvals/" + first + "/cancel", "/api/v1/approvals/" + first + "/consume", "/api/v1/approvals/" + first + "/result",
}

// hostile are bodies that have broken JSON readers before.
func hostile() []string {
	deep := func(open, shut string, n int) string { return strings.Repeat(open, n) + strings.Repeat(shut, n) }
	return []string{
		"", "\x00", "\xff\xfe", "\ufeff{}", "null", "true", "1e999", "-0", "NaN", "{", "}", `{"":`, `"\ud800"`, `"\u0000"`, `{"a":1,"\u0061":2}`,
		deep("[", "]", 65), deep("[", "", 100_000), deep(`{"a":`, "}", 50_000), `{"function":` + deep("[", "]", 10_000) + `}`,
		"[" + strings.Repeat("0,", 10_000) + "0]", "1" + strings.Repeat("0", 200_000), "0." + strings.Repeat("9", 200_000), "1e" + strings.Repeat("9", 200_000),
		`{"function":"` + strings.Repeat(`\`, 99_999) + `"}`, `{"` + strings.Repeat("k", 200_000) + `":1}`, `{"digest":1,"status":1,"` + strings.Repeat("k", 1000) + `":1}`, `{"` + strings.Repeat("/~", 100_000) + `":{"a":1}}`,
		strings.Repeat(" ", canon.MaxBytes), strings.Repeat("{}", 100_000),
		`{"function":"f","hints":` + deep(`{"a":`, "}", 70) + `}`, `{"__proto__":{}}`, `{"function":{"toString":1}}`, `{"digest":"sha256:"}`, `{"status":null}`,
	}
}

func TestHostileBodiesAreTheCallersFault(t *testing.T) {
	t.Parallel()
	long.NotUnderRace(t, "one goroutine asks")
	s := newSite(t)
	s.post(t, "/api/v1/approvals", `{"function":"f"}`).approvalOf(t, 201)
	for _, path := range postPaths {
		for i, body := range hostile() {
			r := s.post(t, path, body)
			if r.StatusCode < 400 && (path != postPaths[1] || body != "") {
				t.Errorf("%s accepted body %d (%.40q): %s", path, i, body, r.body)
			}
			if r.StatusCode >= 500 || len(r.body) > 4096 {
				t.Errorf("%s, body %d (%.40q): %d with %d bytes %.200s", path, i, body, r.StatusCode, len(r.body), r.body)
			}
		}
	}
	if strings.Contains(s.log.String(), "level=ERROR") {
		t.Errorf("a body became our bug: %s", s.log)
	}
}

func TestABodyWithoutALengthIsBoundedToo(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for size, want := range map[int]int{canon.MaxBytes: 201, canon.MaxBytes + 1: 413, 8 * canon.MaxBytes: 413} {
		chunked := io.MultiReader(strings.NewReader(action(size, "x"))) // net/http does not know its length
		if r := s.call(t, "POST", "/api/v1/approvals", chunked); r.StatusCode != want {
			t.Errorf("%d bytes in chunks: %d %.200s, want %d", size, r.StatusCode, r.body, want)
		} else if want == 413 && !strings.Contains(string(r.body), "more than 262144") {
			t.Errorf("%d bytes in chunks were read to their end: %s", size, r.body)
		}
	}
}

// What is left of a body that was refused is no request: whoever shares the
// connection, as behind a proxy, would be answered for it.
func TestTheRestOfABodyIsNoRequest(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	const smuggled = "POST /api/v1/approvals HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n"
	for _, size := range []int{canon.MaxBytes + 1, 2*canon.MaxBytes - 10, 2*canon.MaxBytes + 10, 3 * canon.MaxBytes, 8 * canon.MaxBytes} {
		for _, chunked := range []bool{true, false} {
			body := strings.Repeat(smuggled, size/len(smuggled)+1)
			length := fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body)
			if chunked {
				length = fmt.Sprintf("Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", len(body), body)
			}
			conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
			if err != nil {
				t.Fatal(err)
			}
			var sent sync.WaitGroup
			sent.Go(func() {
				fmt.Fprintf(conn, "POST /api/v1/approvals HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer csk_acme_one\r\nContent-Type: application/json\r\n%s", conn.RemoteAddr(), length)
				_ = conn.(*net.TCPConn).CloseWrite()
			})
			answers := bufio.NewReader(conn)
			res, err := http.ReadResponse(answers, nil)
			if err != nil {
				t.Fatalf("%d bytes, chunked %v: no answer: %v", size, chunked, err)
			}
			if _, err := io.Copy(io.Discard, res.Body); err != nil || res.StatusCode < 400 || res.StatusCode > 499 {
				t.Errorf("%d bytes, chunked %v: %d, %v", size, chunked, res.StatusCode, err)
			}
			if rest, _ := io.ReadAll(answers); len(rest) > 0 {
				t.Errorf("%d bytes, chunked %v: there was a second answer: %.60q", size, chunked, rest)
			}
			_ = conn.Close()
			sent.Wait()
		}
	}
}

// TestBodiesThatBreakOff speaks to the socket itself: a client library would not
// send this.
func TestBodiesThatBreakOff(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for name, rest := range map[string]string{
		"half of what was announced":  "Content-Length: 100\r\n\r\n{",
		"a chunk that is no number":   "Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n",
		"a chunk that is not ended":   "Transfer-Encoding: chunked\r\n\r\n2\r\n{}",
		"a chunk of absurd length":    "Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n{}",
		"two lengths":                 "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}x",
		"a length that is no number":  "Content-Length: -1\r\n\r\n{}",
		"a length beyond all numbers": "Content-Length: 99999999999999999999\r\n\r\n{}",
		"a gigabyte":                  "Content-Length: 1073741824\r\n\r\n{}",
	} {
		conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(conn, "POST /api/v1/approvals HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer csk_acme_one\r\nContent-Type: application/json\r\n%s",
			conn.RemoteAddr(), rest)
		conn.(*net.TCPConn).CloseWrite()
		res, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Errorf("%s: no answer: %v", name, err)
		} else if body, _ := io.ReadAll(res.Body); res.StatusCode < 400 || res.StatusCode >= 500 {
			t.Errorf("%s: %d %s", name, res.StatusCode, body)
		}
		conn.Close()
	}
	if len(s.all) != 0 || strings.Contains(s.log.String(), "level=ERROR") {
		t.Errorf("%d approvals came of it; log: %s", len(s.all), s.log)
	}
}

// TestABodyThatTricklesIsRefused runs on a clock of its own.
func TestABodyThatTricklesIsRefused(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := handler(t)
		client, server := net.Pipe()
		listener := &oneConn{conn: make(chan net.Conn, 1), closed: make(chan struct{})}
		listener.conn <- server
		edge := httpserver.NewServer(s, newLog())
		go edge.Serve(listener)
		defer edge.Close()
		go fmt.Fprint(client, "POST /api/v1/approvals HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer csk_acme_one\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{")
		start := time.Now()
		res, err := http.ReadResponse(bufio.NewReader(client), nil)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(res.Body)
		if res.StatusCode != 400 || !bytes.Contains(body, []byte("arrive in time")) || time.Since(start) > 20*time.Second {
			t.Errorf("%d %s after %v", res.StatusCode, body, time.Since(start))
		}
	})
}

// TestAnyBody: whatever is sent, the answer is a success or a problem of the
// caller's, and the body is never repeated at length.
func TestAnyBody(t *testing.T) {
	t.Parallel()
	long.NotUnderRace(t, "one goroutine asks")
	h := unrecorded(t)
	answered := func(t rapid.TB, path, body string) {
		req := httptest.NewRequest("POST", path, strings.NewReader(body))
		req.Host = "localhost"
		req.Header.Set("Authorization", "Bearer csk_acme_one")
		req.Header.Set("Content-Type", "application/json")
		res := httptest.NewRecorder()
		h.ServeHTTP(res, req)
		if res.Code >= 500 && !strings.Contains(body, "panic") {
			t.Fatalf("%d %s", res.Code, res.Body)
		}
		if res.Code >= 400 && (res.Header().Get("Content-Type") != "application/problem+json" || res.Body.Len() > 4096) {
			t.Fatalf("%d %s", res.Code, res.Body)
		}
	}
	var short []string
	for _, body := range append(hostile(), `{"function":"f"}`, `{"function":"f","arguments":{"a":[1,"x",null]},"expires_in_seconds":60}`, `{"digest":"`+digestA+`"}`, `{"status":"failed","detail":"x"}`) {
		for _, path := range postPaths {
			answered(t, path, body)
		}
		if len(body) < 1000 {
			short = append(short, body)
		}
	}
	texts := near.Text("function", "arguments", "digest", "status", "detail", "hints", "expires_in_seconds", digestA, "f", "failed", "panic", "\u200f", "")
	for range long.Count(2, 20) { // of a hundred
		rapid.Check(t, func(t *rapid.T) {
			body := near.Text(short...).Draw(t, "body")
			if rapid.Bool().Draw(t, "well formed") {
				b, err := json.Marshal(near.Object(texts, 2).Draw(t, "object"))
				if err != nil {
					t.Fatal(err)
				}
				body = string(b)
			}
			answered(t, rapid.SampledFrom(postPaths).Draw(t, "path"), body)
		})
	}
}

func TestAnyKey(t *testing.T) {
	t.Parallel()
	holds := func(t rapid.TB, header string) {
		key, err := parseKey(header)
		if err != nil {
			if !fault.Is(err, fault.InvalidParameter) || key != "" {
				t.Errorf("%q: key %q, error %v", header, key, err)
			}
			return
		}
		if header != "" && (key == "" || len(key) > maxKey) {
			t.Errorf("%q became %q", header, key)
		}
		// Both spellings of a key are the same key.
		quoted := `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(key) + `"`
		if again, err := parseKey(quoted); header != "" && (err != nil || again != key) {
			t.Errorf("%q is %q, quoted %q, error %v", header, key, again, err)
		}
	}
	seeds := []string{"", "a", `"a"`, `"a\"b"`, `"`, `"\`, "a b", "é", strings.Repeat("k", 256)}
	for _, key := range seeds {
		holds(t, key)
	}
	for range long.Count(5, 20) { // of a hundred
		rapid.Check(t, func(t *rapid.T) { holds(t, near.Text(seeds...).Draw(t, "key")) })
	}
}
