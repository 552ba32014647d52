package client

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"
)

// Key is an agent's key. It prints as "[key]"; convert it to a string to send it.
type Key string

// String, GoString and MarshalText keep a key out of logs and errors.
func (k Key) String() string {
	return "[key]" // never what it is
}

func (Key) GoString() string             { return "[key]" }
func (Key) MarshalText() ([]byte, error) { return []byte("[key]"), nil }

// Settings say where the server is and who asks.
type Settings struct {
	URL  string        // the console's public URL
	Key  Key           // csk_…
	CA   string        // PEM file of the only authorities to believe; "" means those of the system
	Wait time.Duration // how long to wait for a person; 0 means that the program decides
	Dir  string        // where the pinned keys are kept; "" keeps them in memory only
}

const (
	maxSettingsBytes = 64 << 10
	maxWaitSeconds   = 86_400
	maxExpirySeconds = 30 * 86_400 // what the server accepts as expires_in_seconds
)

// SettingsPath is the file that Load reads: COUNTERSIGN_CONFIG, else
// countersign/config.json below XDG_CONFIG_HOME, else below ~/.config. It is "" where
// none of them is set. getenv is os.Getenv, or a test's.
func SettingsPath(getenv func(string) string) string {
	if path := getenv("COUNTERSIGN_CONFIG"); path != "" {
		return path
	}
	base := getenv("XDG_CONFIG_HOME")
	if !filepath.IsAbs(base) { // the XDG specification: a relative one is to be ignored
		home := getenv("HOME")
		if home == "" {
			home = getenv("USERPROFILE")
		}
		if home == "" {
			return ""
		}
		base = filepath.Join(home, ".config")
	}
	return filepath.Join(base, "countersign", "config.json")
}

// Load reads the settings file and lets COUNTERSIGN_URL and COUNTERSIGN_KEY win. The
// file may be missing where both are set and COUNTERSIGN_CONFIG does not name it. A
// file that others can read or write is refused, because it holds a key.
func Load(getenv func(string) string) (Settings, error) {
	var s Settings
	path := SettingsPath(getenv)
	url, key := getenv("COUNTERSIGN_URL"), getenv("COUNTERSIGN_KEY")
	if path != "" {
		s.Dir = filepath.Dir(path)
		err := s.read(path)
		if absent := errors.Is(err, fs.ErrNotExist) && getenv("COUNTERSIGN_CONFIG") == ""; err != nil && !absent {
			return Settings{}, err
		}
	}
	if url != "" && url != s.URL && s.Key != "" && key == "" {
		// Whoever sets the environment of an agent, a repository's settings for one, must not
		// be sent its key.
		return Settings{}, fmt.Errorf("COUNTERSIGN_URL names another server than %s, whose key is for that server alone; set COUNTERSIGN_KEY, too, or neither", path)
	}
	if url != "" {
		s.URL = url
	}
	if key != "" {
		s.Key = Key(key)
	}
	if s.URL == "" || s.Key == "" {
		return Settings{}, fmt.Errorf("no server or no key is set: write {\"url\": …, \"key\": …} to %s with mode 0600, or set COUNTERSIGN_URL and COUNTERSIGN_KEY", orWord(path, "a file that COUNTERSIGN_CONFIG names"))
	}
	return s, nil
}

func orWord(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// read fills s from a file. Its mode is that of the opened file, so nobody can swap
// the file between the two looks.
func (s *Settings) read(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("the settings can't be read: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("the settings can't be read: %w", err)
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("the settings %s aren't a regular file", path)
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 && runtime.GOOS != "windows" {
		return fmt.Errorf("the settings %s hold a key and have mode %04o; run: chmod 600 %s", path, mode, path)
	}
	content, err := io.ReadAll(io.LimitReader(f, maxSettingsBytes+1))
	if err != nil {
		return fmt.Errorf("the settings can't be read: %w", err)
	}
	var file struct {
		URL         string `json:"url"`
		Key         Key    `json:"key"`
		CA          string `json:"ca"`
		WaitSeconds *int64 `json:"wait_seconds"`
	}
	d := json.NewDecoder(bytes.NewReader(content))
	d.DisallowUnknownFields() // a misspelt member would silently mean its default
	if err := d.Decode(&file); err != nil {
		// The error could quote the key.
		return fmt.Errorf("the settings %s can't be understood: expected JSON with url, key and, where needed, ca and wait_seconds, and nothing else", path)
	}
	if d.More() || len(content) > maxSettingsBytes {
		return fmt.Errorf("the settings %s hold more than one JSON object", path)
	}
	if w := file.WaitSeconds; w != nil {
		if *w < 1 || *w > maxWaitSeconds {
			return fmt.Errorf("wait_seconds in %s is %d; between 1 and %d is accepted", path, *w, maxWaitSeconds)
		}
		s.Wait = time.Duration(*w) * time.Second
	}
	s.URL, s.Key, s.CA = file.URL, file.Key, file.CA
	return nil
}
