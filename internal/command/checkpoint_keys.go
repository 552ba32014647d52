package command

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/countersign/countersign/internal/audit"
)

// checkpointFiles are the keys that sign checkpoints of the audit trail, in the
// directory that replicas share:
//
//	checkpoint-key.1       the secret of the first, in the form of a signed note's key
//	checkpoint-key.1.pub   what verifies, one line; it stays when the secret is deleted
//
// The highest number signs. A file is written once and never changed; who creates
// the secret first has the number.
type checkpointFiles struct{ dir string }

// checkpointKeys are those of one directory.
type checkpointKeys struct {
	signer *audit.CheckpointKey
	number int
	// public are all that verify, newest first; live are those whose secret is there.
	public, live []string
}

var checkpointKeyName = regexp.MustCompile(`^checkpoint-key\.([1-9][0-9]{0,5})(\.pub)?$`)

func (f checkpointFiles) path(number int) string {
	return filepath.Join(f.dir, "checkpoint-key."+strconv.Itoa(number))
}

// load reads the keys; signer is nil where there is no secret.
func (f checkpointFiles) load() (keys checkpointKeys, err error) {
	entries, err := os.ReadDir(f.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return keys, nil
	}
	if err != nil {
		return keys, fmt.Errorf("data directory: %w", err)
	}
	public := map[int]string{}
	for _, e := range entries {
		match := checkpointKeyName.FindStringSubmatch(e.Name())
		if match == nil {
			continue
		}
		number, _ := strconv.Atoi(match[1]) // the name says that it is one
		text, err := os.ReadFile(filepath.Join(f.dir, e.Name()))
		if errors.Is(err, fs.ErrNotExist) {
			continue // somebody rotated just now
		}
		if err != nil {
			return keys, fmt.Errorf("checkpoint key: %w", err)
		}
		if match[2] != "" {
			if err := audit.CheckPublicKey(string(text)); err != nil {
				return keys, fmt.Errorf("%s: %w", filepath.Join(f.dir, e.Name()), err)
			}
			public[number] = strings.TrimSpace(string(text))
			continue
		}
		key, err := audit.ParseCheckpointKey(string(text))
		if err != nil {
			return keys, fmt.Errorf("%s: %w", filepath.Join(f.dir, e.Name()), err)
		}
		keys.live = append(keys.live, key.Public())
		if number > keys.number {
			keys.signer, keys.number = key, number
		}
	}
	if keys.signer != nil {
		public[keys.number] = keys.signer.Public() // should a crash have come between the two files
	}
	numbers := make([]int, 0, len(public))
	for n := range public {
		numbers = append(numbers, n)
	}
	slices.Sort(numbers)
	for _, n := range slices.Backward(numbers) {
		keys.public = append(keys.public, public[n])
	}
	return keys, nil
}

// open returns the keys, and makes the first where there is none.
func (f checkpointFiles) open() (checkpointKeys, error) {
	if err := os.MkdirAll(f.dir, 0o700); err != nil {
		return checkpointKeys{}, fmt.Errorf("data directory: %w", err)
	}
	keys, err := f.load()
	if err != nil || keys.signer != nil {
		return keys, err
	}
	// Numbers of keys whose secret is gone are not used again.
	if err := f.create(1 + f.last()); err != nil && !errors.Is(err, fs.ErrExist) {
		return keys, fmt.Errorf("checkpoint key: %w", err)
	}
	return f.load()
}

// last is the highest number that a name has.
func (f checkpointFiles) last() (last int) {
	entries, _ := os.ReadDir(f.dir)
	for _, e := range entries {
		if match := checkpointKeyName.FindStringSubmatch(e.Name()); match != nil {
			number, _ := strconv.Atoi(match[1])
			last = max(last, number)
		}
	}
	return last
}

// create makes the key of this number. fs.ErrExist: it is taken.
func (f checkpointFiles) create(number int) error {
	secret, err := audit.NewCheckpointKey()
	if err != nil {
		return err
	}
	key, err := audit.ParseCheckpointKey(secret)
	if err != nil {
		return err
	}
	if err := writeOnce(f.path(number), secret+"\n"); err != nil {
		return err
	}
	return writeOnce(f.path(number)+".pub", key.Public()+"\n")
}

// writeOnce writes a file with mode 0600, on disk, whole or not at all: to another
// name that is then linked to its own. fs.ErrExist: the name is taken.
func writeOnce(path, text string) error {
	dir := filepath.Dir(path)
	file, err := os.CreateTemp(dir, unfinishedKey+"*")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	if _, err := file.WriteString(text); err != nil {
		return errors.Join(err, file.Close())
	}
	if err := errors.Join(file.Sync(), file.Close()); err != nil {
		return err
	}
	if err := os.Link(file.Name(), path); err != nil {
		return err
	}
	return syncDir(dir)
}
