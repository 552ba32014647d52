package audit

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"
)

// Checkpoint is the head of a tenant's log at one moment. Signed and kept where
// nobody can reach who can write to the database, it shows later that no event
// below Size was changed or cut off. Its text is C2SP's tlog-checkpoint, with the
// time as an extension line:
//
//	countersign/acme
//	48213
//	base64 of the root
//	2026-11-21T19:43:13.000000Z
//	epoch 1
//	snapshot 40960 base64 of the SHA-256 of the snapshot
//
// Each event moves the head, and the head is signed in the same transaction. Notes of before
// that have neither an epoch nor a snapshot.
type Checkpoint struct {
	Tenant string
	Size   int64
	Root   []byte
	// At is when it was signed, by the clock of who signed it: told, never decided by.
	At time.Time
	// Epoch counts the restores of the log, from 1 on; 0 in a note of before heads were signed.
	Epoch int64
	// Snapshot is the newest state that was kept of the log; nil where there is none yet.
	Snapshot *Snapshot
}

// Snapshot names a state that was grown from the first Size events of a log.
type Snapshot struct {
	Size int64
	Sum  [sha256.Size]byte // of its bytes
}

const (
	// checkpointName is the signer's name in every note; keys differ in their hash.
	checkpointName = "countersign"
	// maxNote is more than a note with ten signatures of strangers has.
	maxNote = 8 << 10
)

func (c Checkpoint) text() string {
	text := fmt.Sprintf("%s/%s\n%d\n%s\n%s\n", checkpointName, c.Tenant, c.Size, base64.StdEncoding.EncodeToString(c.Root), FormatTime(c.At))
	if c.Epoch > 0 {
		text += fmt.Sprintf("epoch %d\n", c.Epoch)
	}
	if c.Snapshot != nil {
		text += fmt.Sprintf("snapshot %d %s\n", c.Snapshot.Size, base64.StdEncoding.EncodeToString(c.Snapshot.Sum[:]))
	}
	return text
}

// Equal reports whether both say the same of the log; the time is no part of that.
func (c Checkpoint) Equal(o Checkpoint) bool {
	return c.Tenant == o.Tenant && c.Size == o.Size && bytes.Equal(c.Root, o.Root)
}

// String names it in a sentence.
func (c Checkpoint) String() string {
	return fmt.Sprintf("the checkpoint of %d events signed at %s", c.Size, FormatTime(c.At))
}

// SignedCheckpoint is a checkpoint with the note that says so.
type SignedCheckpoint struct {
	Checkpoint
	// Note is empty where nothing was signed yet.
	Note []byte
	// Problem says why the log got no newer checkpoint: it is not the one that was
	// signed with events added. Empty when all is well.
	Problem string
}

// CheckpointKey signs checkpoints (Ed25519). It is safe for concurrent use.
type CheckpointKey struct {
	signer note.Signer
	public string
}

// NewCheckpointKey makes a key and returns its secret text, in the form of note.NewSigner.
func NewCheckpointKey() (secret string, err error) {
	secret, _, err = note.GenerateKey(rand.Reader, checkpointName)
	return secret, err
}

// ParseCheckpointKey reads what NewCheckpointKey wrote. No error repeats it.
func ParseCheckpointKey(secret string) (*CheckpointKey, error) {
	secret = strings.TrimSpace(secret)
	signer, err := note.NewSigner(secret)
	if err != nil || signer.Name() != checkpointName {
		return nil, errors.New("it is no secret key for checkpoints")
	}
	// NewSigner held the form: the fifth part is one byte for Ed25519 and the seed.
	parts := strings.SplitN(secret, "+", 5)
	raw, err := base64.StdEncoding.DecodeString(parts[len(parts)-1])
	if err != nil || len(raw) != 1+ed25519.SeedSize {
		return nil, errors.New("it is no secret key for checkpoints")
	}
	public, err := note.NewEd25519VerifierKey(checkpointName, ed25519.NewKeyFromSeed(raw[1:]).Public().(ed25519.PublicKey))
	if err != nil {
		return nil, fmt.Errorf("checkpoint key: %w", err)
	}
	return &CheckpointKey{signer, public}, nil
}

// Public is the key that verifies, one line: countersign+hash+base64.
func (k *CheckpointKey) Public() string { return k.public }

// Sign returns the checkpoint as a signed note (golang.org/x/mod/sumdb/note).
func (k *CheckpointKey) Sign(c Checkpoint) ([]byte, error) {
	signed, err := note.Sign(&note.Note{Text: c.text()}, k.signer)
	if err != nil {
		return nil, fmt.Errorf("sign a checkpoint: %w", err)
	}
	return signed, nil
}

// CheckPublicKey says what is wrong with a key that somebody wants to verify with.
func CheckPublicKey(key string) error {
	v, err := note.NewVerifier(strings.TrimSpace(key))
	if err != nil || v.Name() != checkpointName {
		return fmt.Errorf("it is no public key for checkpoints; one looks like %s+1a2b3c4d+AbCd…", checkpointName)
	}
	return nil
}

// OpenCheckpoint reads a signed note that one of these public keys signed; other
// signatures on it are ignored. The error says what is wrong and is for people.
func OpenCheckpoint(signed []byte, keys ...string) (Checkpoint, error) {
	if len(signed) > maxNote {
		return Checkpoint{}, fmt.Errorf("it has %d bytes, more than a checkpoint has", len(signed))
	}
	known := make([]note.Verifier, 0, len(keys))
	for _, k := range keys {
		v, err := note.NewVerifier(strings.TrimSpace(k))
		if err != nil {
			return Checkpoint{}, CheckPublicKey(k)
		}
		known = append(known, v)
	}
	n, err := note.Open(signed, note.VerifierList(known...))
	var unknown *note.UnverifiedNoteError
	switch {
	case errors.As(err, &unknown):
		return Checkpoint{}, fmt.Errorf("none of the %d known keys signed it", len(keys))
	case err != nil:
		return Checkpoint{}, errors.New("it is no signed checkpoint, or not as it was signed")
	}
	return parseCheckpoint(n.Text)
}

// NoteSize is the size that a note claims, whoever signed it; -1 where it is no checkpoint.
func NoteSize(note []byte) int64 {
	lines := bytes.SplitN(note, []byte("\n"), 3)
	if len(note) > maxNote || len(lines) < 3 || !bytes.HasPrefix(lines[0], []byte(checkpointName+"/")) {
		return -1
	}
	size, err := strconv.ParseInt(string(lines[1]), 10, 64)
	if err != nil || size < 0 {
		return -1
	}
	return size
}

// parseCheckpoint accepts exactly what text writes.
func parseCheckpoint(text string) (c Checkpoint, err error) {
	lines := strings.Split(text, "\n")
	if len(lines) < 4 {
		return c, errors.New("its text is no checkpoint")
	}
	c.Tenant = strings.TrimPrefix(lines[0], checkpointName+"/")
	c.Size, _ = strconv.ParseInt(lines[1], 10, 64)
	c.Root, _ = base64.StdEncoding.DecodeString(lines[2])
	c.At, _ = parseTime(lines[3])
	for _, line := range lines[4:] {
		switch name, rest, _ := strings.Cut(line, " "); name {
		case "epoch":
			c.Epoch, _ = strconv.ParseInt(rest, 10, 64)
		case "snapshot":
			size, sum, _ := strings.Cut(rest, " ")
			c.Snapshot = &Snapshot{}
			c.Snapshot.Size, _ = strconv.ParseInt(size, 10, 64)
			b, _ := base64.StdEncoding.DecodeString(sum)
			copy(c.Snapshot.Sum[:], b)
		}
	}
	if c.Tenant == "" || c.Size < 0 || len(c.Root) != 32 || c.text() != text {
		return Checkpoint{}, errors.New("its text is no checkpoint of an audit trail of Countersign")
	}
	return c, nil
}
