//go:build unix

package command

import (
	"errors"
	"os"
	"syscall"
	"testing"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/long"
)

// TestLoadWhileOthersDelete: whoever reads the directory while somebody replaces
// all keys sees the new one, never an error and never none (for which a first key
// would be made). A pipe in the place of a key holds the reader in the middle.
func TestLoadWhileOthersDelete(t *testing.T) {
	t.Parallel()
	long.Race(t)
	h := newKeyHouse(t)
	h.replica()
	if err := syscall.Mkfifo(h.path(2), 0o600); err != nil { // read before grant-key.json
		t.Fatal(err)
	}
	type loaded struct {
		keys []storedKey
		err  error
	}
	answer := make(chan loaded, 1)
	go func() {
		keys, err := h.load()
		answer <- loaded{keys, err}
	}()
	pipe, err := os.OpenFile(h.path(2), os.O_WRONLY, 0) // waits for the reader
	if err != nil {
		t.Fatal(err)
	}
	key, err := approvals.NewSigningKey()
	if err != nil {
		t.Fatal(err)
	}
	err = h.create(3, h.now(), h.now())
	if err := errors.Join(err, os.Remove(h.path(1)), os.Remove(h.path(2))); err != nil {
		t.Fatal(err)
	}
	_, err = pipe.Write(key)
	if err := errors.Join(err, pipe.Close()); err != nil {
		t.Fatal(err)
	}
	if got := <-answer; got.err != nil || len(got.keys) != 1 || got.keys[0].number != 3 {
		t.Errorf("%d keys, %v; want the third", len(got.keys), got.err)
	}
}
