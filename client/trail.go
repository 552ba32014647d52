package client

import (
	"bytes"
	"encoding/base64"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
)

// checkpointHeader has the newest signed head of the server's audit trail, in base64.
const checkpointHeader = "Countersign-Checkpoint"

const maxCheckpoint = 8 << 10

// trail is the newest head that the server was seen to have. It goes back with each request, so a
// server whose database and files were both set back is told by whom it once answered. Nothing of
// it is believed here: a head that the server didn't sign means nothing to it.
type trail struct {
	file string // "": in memory only

	mu     sync.Mutex
	read   bool
	newest string
}

// sent is what goes with a request; "" before the first answer.
func (t *trail) sent() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.load()
	return t.newest
}

// seen keeps a head that came with an answer, if it's newer.
func (t *trail) seen(header string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.load()
	epoch, size := reach(header)
	if was, had := reach(t.newest); epoch < was || epoch == was && size <= had {
		return
	}
	t.newest = header
	if t.file != "" {
		_ = replace(t.file, []byte(header)) // a machine whose settings are read-only remembers for each process
	}
}

func (t *trail) load() {
	if t.read {
		return
	}
	t.read = true
	if text, err := os.ReadFile(t.file); err == nil {
		if _, size := reach(string(text)); size >= 0 {
			t.newest = string(text)
		}
	}
}

// reach is how far a head goes: the restores of its trail, and its events; -1 where it's no head.
func reach(header string) (epoch, size int64) {
	note, err := base64.StdEncoding.DecodeString(header)
	lines := strings.Split(string(note), "\n")
	if err != nil || len(header) > maxCheckpoint || len(lines) < 5 {
		return -1, -1
	}
	if size, err = strconv.ParseInt(lines[1], 10, 64); err != nil {
		return -1, -1
	}
	for _, line := range lines {
		if n, is := strings.CutPrefix(line, "epoch "); is {
			epoch, _ = strconv.ParseInt(n, 10, 64)
		}
	}
	return epoch, size
}

// replace writes a file at once, so that no reader sees half of it. Its mode is 0600.
func replace(path string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = bytes.NewReader(content).WriteTo(f)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
