package gateway

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"time"
)

// A note says of a held call in which session and as which request it was submitted.
type note struct {
	Session  string    `json:"session_id"`
	Approval string    `json:"approval"`
	Until    time.Time `json:"until"`
}

// Memory keeps notes for the next process. The server attaches a call to an open
// request of the same session and digest only, and every process has a session of its
// own: two chats never share their requests. So when a gateway ends while a call is
// held, the next one finds the session here, for this call alone. A file holds no
// argument and no key; its name is a hash of both.
//
// The zero Memory keeps nothing.
type Memory struct{ dir, of string }

// file is where a call is noted, by its digest and the name of its server.
func (m Memory) file(server, digest string) string {
	if m.dir == "" {
		return "" // which no file has
	}
	sum := sha256.Sum256([]byte(m.of + "\n" + server + "\n" + digest))
	return filepath.Join(m.folder(), hex.EncodeToString(sum[:16])+".json")
}

func (m Memory) folder() string { return filepath.Join(m.dir, "held") }

// load is the note of a call, or an empty one.
func (m Memory) load(server, digest string) (n note) {
	text, err := os.ReadFile(m.file(server, digest))
	if err != nil || json.Unmarshal(text, &n) != nil || time.Now().After(n.Until) {
		return note{}
	}
	return n
}

// keep notes a held call, and drops what is too old to be asked for.
func (m Memory) keep(server, digest string, n note) error {
	if m.dir == "" {
		return nil
	}
	if err := os.MkdirAll(m.folder(), 0o700); err != nil {
		return err
	}
	old, _ := filepath.Glob(filepath.Join(m.folder(), "*.json"))
	for _, file := range old {
		if info, err := os.Stat(file); err == nil && time.Since(info.ModTime()) > remembered {
			_ = os.Remove(file)
		}
	}
	text, err := json.Marshal(n)
	if err != nil {
		return err
	}
	return os.WriteFile(m.file(server, digest), text, 0o600)
}

// drop forgets a call that has its answer. A note that stays is only asked about once more.
func (m Memory) drop(server, digest string) { _ = os.Remove(m.file(server, digest)) }
