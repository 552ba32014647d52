package command

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/fault"
)

// keyFiles are the private keys that sign grants, in a directory that replicas
// share. Each is one file that is written once and never changed:
//
//	grant-key.json      the first (the only one that older versions know)
//	grant-key.2.json    the second, and so on
//
// What a key does at which time stands inside it, so a rotation is one new name
// in the directory: there or not there, never half. The name decides between two
// who rotate at once.
type keyFiles struct {
	dir string
	now func() time.Time
}

// storedKey is one key with the number in its file's name.
type storedKey struct {
	*approvals.Ed25519Signer
	number int
}

const unfinishedKey = "grant-key.new-" // a key on its way to its name; never read

var keyName = regexp.MustCompile(`^grant-key(?:\.([0-9]{1,6}))?\.json$`)

func (f keyFiles) path(number int) string {
	if number == 1 {
		return filepath.Join(f.dir, "grant-key.json")
	}
	return filepath.Join(f.dir, fmt.Sprintf("grant-key.%d.json", number))
}

// load reads all keys, in the order of their numbers; none where there is none.
func (f keyFiles) load() ([]storedKey, error) {
	const tries = 10
	for range tries {
		keys, err := f.loadOnce()
		// A file that was there a moment ago: somebody rotates. The list is out of date.
		if !errors.Is(err, fs.ErrNotExist) {
			return keys, err
		}
	}
	return nil, fmt.Errorf("signing keys: files in %s come and go", f.dir)
}

func (f keyFiles) loadOnce() (keys []storedKey, err error) {
	entries, err := os.ReadDir(f.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("data directory: %w", err)
	}
	for _, e := range entries {
		match := keyName.FindStringSubmatch(e.Name())
		if match == nil {
			continue
		}
		number := 1
		if match[1] != "" {
			if number, err = strconv.Atoi(match[1]); err != nil || number < 2 {
				continue
			}
		}
		text, err := os.ReadFile(filepath.Join(f.dir, e.Name()))
		if err != nil {
			return nil, fmt.Errorf("signing key: %w", err)
		}
		s, err := approvals.NewEd25519Signer(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Join(f.dir, e.Name()), err)
		}
		keys = append(keys, storedKey{s, number})
	}
	slices.SortFunc(keys, func(a, b storedKey) int { return a.number - b.number })
	return keys, nil
}

// open returns the keys, and makes the first where there is none. Two processes
// that start at once agree on it: whoever loses reads the winner's.
func (f keyFiles) open() (*approvals.Keyring, error) {
	if err := os.MkdirAll(f.dir, 0o700); err != nil {
		return nil, fmt.Errorf("data directory: %w", err)
	}
	keys, err := f.load()
	if err == nil && len(keys) == 0 {
		now := f.now()
		if err := f.create(1, now, now); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, fmt.Errorf("signing key: %w", err)
		}
		keys, err = f.load()
	}
	if err != nil {
		return nil, err
	}
	return f.ring(keys)
}

func (f keyFiles) ring(keys []storedKey) (*approvals.Keyring, error) {
	return approvals.NewKeyring(f.now, signers(keys))
}

func signers(keys []storedKey) []*approvals.Ed25519Signer {
	all := make([]*approvals.Ed25519Signer, len(keys))
	for i, k := range keys {
		all[i] = k.Ed25519Signer
	}
	return all
}

// create writes a new key under this number, on disk, whole or not at all: to
// another name that is then linked to its own. fs.ErrExist: the number is taken.
func (f keyFiles) create(number int, now, signs time.Time) error {
	key, err := approvals.NewSigningKeyFrom(now, signs)
	if err != nil {
		return err
	}
	return writeOnce(f.path(number), string(key))
}

// syncDir puts the names in a directory on disk, where directories can be synced.
func syncDir(path string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// rotate adds a key that signs after the lead, and deletes those whose grants are
// all over. When the keys are compromised every other key is deleted, so that the new one
// signs at once: grants that they signed no longer verify.
func (f keyFiles) rotate(compromised bool) error {
	keys, err := f.load()
	if err != nil {
		return err
	}
	if len(keys) == 0 {
		return noKeys(f.dir)
	}
	ring, err := f.ring(keys)
	if err != nil {
		return err
	}
	now := f.now()
	signs := now
	gone := map[string]bool{}
	if !compromised {
		signs = now.Add(approvals.KeyLead)
		for _, k := range ring.Keys() {
			if k.State == approvals.KeyNext {
				return fault.New(fault.AlreadyExists, "%s was published at %s and signs from %s; rotate again after that", k.ID, stamp(k.Since), stamp(k.Until))
			}
			if k.State == approvals.KeyCurrent && !signs.After(k.Since) {
				return fault.New(fault.InvalidSetting, "the current key signs since %s and this machine's clock says %s; set the clock", stamp(k.Since), stamp(now))
			}
			gone[k.ID] = k.State == approvals.KeyGone
		}
	}
	// The new key is the last by its time, so that trails are told which ones are gone: also
	// of one that was made in the same second, and of one that would have come next.
	for _, k := range keys {
		if after := k.SignsFrom.Add(time.Second); after.After(signs) {
			signs = after
		}
	}
	err = f.create(keys[len(keys)-1].number+1, now, signs)
	if errors.Is(err, fs.ErrExist) {
		return fault.New(fault.Changed, "someone else rotated at the same time; see “keys list”")
	}
	if err != nil {
		return fmt.Errorf("signing key: %w", err)
	}
	// The new key is safe on disk: only now may others go.
	for _, k := range keys {
		if compromised || gone[k.ID()] {
			if err := remove(f.path(k.number)); err != nil {
				return err
			}
		}
	}
	return errors.Join(f.sweep(now, compromised), syncDir(f.dir))
}

// abandoned is how old an unfinished key must be to be nobody's work any more.
const abandoned = time.Hour

// sweep deletes what a crash left behind: it is a private key, too.
func (f keyFiles) sweep(now time.Time, all bool) error {
	entries, err := os.ReadDir(f.dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), unfinishedKey) {
			continue
		}
		info, err := e.Info()
		if err == nil && (all || now.Sub(info.ModTime()) > abandoned) {
			err = remove(filepath.Join(f.dir, e.Name()))
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// remove deletes a file, which somebody else may have done.
func remove(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
