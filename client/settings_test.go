package client_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/client"
)

func env(m map[string]string) func(string) string { return func(name string) string { return m[name] } }

func TestLoad(t *testing.T) {
	t.Parallel()
	const good = `{"url":"https://c.example","key":"csk_file","ca":"/ca.pem","wait_seconds":60}`
	for name, c := range map[string]struct {
		content string
		mode    os.FileMode
		env     map[string]string
		want    client.Settings
		says    string
	}{
		"a file":               {content: good, mode: 0o600, want: client.Settings{URL: "https://c.example", Key: "csk_file", CA: "/ca.pem", Wait: time.Minute}},
		"read-only":            {content: good, mode: 0o400, want: client.Settings{URL: "https://c.example", Key: "csk_file", CA: "/ca.pem", Wait: time.Minute}},
		"the environment wins": {content: good, mode: 0o600, env: map[string]string{"COUNTERSIGN_URL": "https://e.example", "COUNTERSIGN_KEY": "csk_env"}, want: client.Settings{URL: "https://e.example", Key: "csk_env", CA: "/ca.pem", Wait: time.Minute}},
		"no file":              {env: map[string]string{"COUNTERSIGN_URL": "https://e.example", "COUNTERSIGN_KEY": "csk_env"}, want: client.Settings{URL: "https://e.example", Key: "csk_env"}},
		"nothing":              {says: "no server or no key is set"},
		"a named file missing": {env: map[string]string{"COUNTERSIGN_CONFIG": "/nowhere/x.json", "COUNTERSIGN_URL": "https://e.example", "COUNTERSIGN_KEY": "csk_env"}, says: "can't be read"},
		"others can read":      {content: good, mode: 0o640, says: "run: chmod 600"},
		"others can write":     {content: good, mode: 0o602, says: "run: chmod 600", env: map[string]string{"COUNTERSIGN_URL": "https://e.example", "COUNTERSIGN_KEY": "csk_env"}},
		"nobody can read":      {content: good, mode: 0, says: "can't be read"},
		"a folder":             {mode: os.ModeDir | 0o700, says: "regular file"},
		"no JSON":              {content: `url: csk_file`, mode: 0o600, says: "can't be understood"},
		"half":                 {content: good[:40], mode: 0o600, says: "can't be understood"},
		"a misspelt member":    {content: `{"url":"https://c.example","key":"csk_file","wait":5}`, mode: 0o600, says: "can't be understood"},
		"two objects":          {content: good + good, mode: 0o600, says: "more than one"},
		"no wait":              {content: `{"url":"https://c.example","key":"csk_file","wait_seconds":0}`, mode: 0o600, says: "between 1 and 86400"},
		"no key":               {content: `{"url":"https://c.example"}`, mode: 0o600, says: "no key is set"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if name == "nobody can read" && os.Getuid() == 0 {
				c.says, c.want = "", client.Settings{URL: "https://c.example", Key: "csk_file", CA: "/ca.pem", Wait: time.Minute} // root reads everything
			}
			config := t.TempDir()
			path := filepath.Join(config, "countersign", "config.json")
			switch {
			case c.mode&os.ModeDir != 0:
				if err := os.MkdirAll(path, 0o700); err != nil {
					t.Fatal(err)
				}
			case c.content != "":
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(c.content), 0o600); err != nil {
					t.Fatal(err)
				}
				if err := os.Chmod(path, c.mode); err != nil {
					t.Fatal(err)
				}
			}
			vars := map[string]string{"XDG_CONFIG_HOME": config}
			for k, v := range c.env {
				vars[k] = v
			}
			s, err := client.Load(env(vars))
			if c.says != "" {
				if err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "csk_") {
					t.Errorf("%v, want %q and no key", err, c.says)
				}
				return
			}
			c.want.Dir = filepath.Dir(path)
			if err != nil || s != c.want {
				t.Errorf("%#v, %v", s, err)
			}
		})
	}
}

func TestSettingsPath(t *testing.T) {
	t.Parallel()
	for want, vars := range map[string]map[string]string{
		"/x/y.json":                           {"COUNTERSIGN_CONFIG": "/x/y.json", "HOME": "/h"},
		"/xdg/countersign/config.json":        {"XDG_CONFIG_HOME": "/xdg", "HOME": "/h"},
		"/h/.config/countersign/config.json":  {"XDG_CONFIG_HOME": "relative", "HOME": "/h"},
		"/h2/.config/countersign/config.json": {"HOME": "/h2"},
		"":                                    {},
	} {
		if got := client.SettingsPath(env(vars)); got != want {
			t.Errorf("%v: %s, want %s", vars, got, want)
		}
	}
}

// A key prints as a placeholder, however it is printed.
func TestKeyIsNotPrinted(t *testing.T) {
	t.Parallel()
	s := client.Settings{URL: "https://c.example", Key: "csk_secret"}
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	for _, printed := range []string{fmt.Sprint(s), fmt.Sprintf("%+v %#v %q %s", s, s, s.Key, s.Key), string(text)} {
		if strings.Contains(printed, "secret") {
			t.Error(printed)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	for url, says := range map[string]string{
		"": "base URL", "example.com": "base URL", "ftp://example.com": "base URL", "https://u:p@example.com": "base URL", "https://example.com/x/..": "base URL", "https://example.com?x=1": "base URL",
		"http://example.com": "use https",
	} {
		if _, err := client.New(client.Settings{URL: url, Key: "csk_1"}); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", url, err)
		}
	}
	for _, key := range []client.Key{"", "csk 1", "csk_\n", "csk_ä"} {
		if _, err := client.New(client.Settings{URL: "http://localhost:1", Key: key}); err == nil {
			t.Errorf("key %q is accepted", string(key))
		}
	}
	if _, err := client.New(client.Settings{URL: "https://example.com", Key: "csk_1", CA: "/nowhere"}); err == nil {
		t.Error("a missing ca is accepted")
	}
}
