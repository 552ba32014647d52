//go:build unix

package service

import (
	"encoding/xml"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A service has exactly our words, whatever the folder is called.
func TestUnits(t *testing.T) {
	t.Parallel()
	s := Server{Program: `/opt/100% "own"/countersign`, Addr: "127.0.0.1:8080", Dir: `/home/a & b/$data\x`}
	want := `ExecStart="/opt/100%% \"own\"/countersign" "serve" "--addr" "127.0.0.1:8080" "--public-url" "http://127.0.0.1:8080" "--data-dir" "/home/a & b/$$data\\x"`
	if u := unit(s); !strings.Contains(u, want+"\n") || !strings.Contains(u, "UMask=0077") {
		t.Errorf("%s\nwant %s", u, want)
	}
	var words []string
	d := xml.NewDecoder(strings.NewReader(plist(s)))
	for inArray := false; ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			inArray = inArray || token.Name.Local == "array"
		case xml.EndElement:
			inArray = inArray && token.Name.Local != "array"
		case xml.CharData:
			if text := strings.TrimSpace(string(token)); inArray && text != "" {
				words = append(words, text)
			}
		}
	}
	if got, want := strings.Join(words, "|"), strings.Join(append([]string{s.Program}, s.args()...), "|"); got != want {
		t.Errorf("launchd starts %s, want %s", got, want)
	}
}

// With a manager of services the server becomes one; the commands of the manager are these.
func TestStart(t *testing.T) {
	home, bin := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "systemctl"), []byte("#!/bin/sh\necho \"$@\" >> \"$HOME/said\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":/usr/bin:/bin")
	t.Setenv("HOME", home)
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, map[string]string{"/readyz": `{"status":"ready"}`, "/.well-known/jwks.json": `{"keys":[{"kid":"gk_1"}]}`}[r.URL.Path])
	}))
	t.Cleanup(up.Close)
	as, s := As{OS: "linux", Home: home}, Server{Program: "/opt/countersign", Addr: strings.TrimPrefix(up.URL, "http://"), Dir: home}
	if !as.Works(t.Context()) {
		t.Error("a manager that answers doesn't count")
	}
	file, err := as.Start(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != unit(s) || file != filepath.Join(home, ".config/systemd/user/countersign.service") {
		t.Errorf("%s: %s %v", file, text, err)
	}
	said, err := os.ReadFile(filepath.Join(home, "said"))
	if want := "--user show-environment\n--user daemon-reload\n--user enable countersign.service\n--user restart countersign.service\n"; err != nil || string(said) != want {
		t.Errorf("it said %s, want %s", said, want)
	}
	if (As{OS: "windows"}).Works(t.Context()) {
		t.Error("Windows has no manager that we know")
	}
}

// Only what answers as our server does is one.
func TestRunning(t *testing.T) {
	t.Parallel()
	for name, handler := range map[string]http.HandlerFunc{
		"not found":       http.NotFound,
		"another program": func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>") },
		"no keys": func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/readyz" {
				_, _ = io.WriteString(w, `{"status":"ready"}`)
			}
		},
		"elsewhere": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://192.0.2.1/", http.StatusFound)
		},
	} {
		up := httptest.NewServer(handler)
		t.Cleanup(up.Close)
		if _, running, err := (Server{Addr: strings.TrimPrefix(up.URL, "http://")}).Running(t.Context()); running || !errors.Is(err, ErrInUse) {
			t.Errorf("%s: %v %v", name, running, err)
		}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	if _, running, err := (Server{Addr: l.Addr().String()}).Running(t.Context()); running || err != nil {
		t.Errorf("nobody: %v %v", running, err)
	}
}

// A server that ends at once is no server, and leaves no process id behind.
func TestInBackgroundFails(t *testing.T) {
	t.Parallel()
	s := Server{Program: "/bin/false", Addr: "127.0.0.1:1", Dir: t.TempDir()}
	if err := s.InBackground(t.Context()); err == nil || !strings.Contains(err.Error(), s.LogFile()) {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(s.PIDFile()); err == nil {
		t.Error("it left a process id")
	}
}

func TestLoopback(t *testing.T) {
	t.Parallel()
	for addr, want := range map[string]bool{"127.0.0.1:8080": true, "localhost:1": true, "[::1]:80": true, "0.0.0.0:8080": false, ":8080": false, "10.0.0.1:1": false, "127.0.0.1": false, "localhost.evil.example:1": false} {
		if Loopback(addr) != want {
			t.Errorf("%q: %v", addr, !want)
		}
	}
}
