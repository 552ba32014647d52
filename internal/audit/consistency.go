package audit

import (
	"bytes"
	"fmt"

	"github.com/transparency-dev/merkle/proof"
	"github.com/transparency-dev/merkle/rfc6962"
)

// ProveConsistency makes the proof that the log of head begins with the log as it
// was when it had size events (RFC 6962 §2.1.2). node returns the hash of a perfect
// subtree within the log. It does not check the result: Extends does.
func ProveConsistency(size int64, head Head, node func(Node) ([]byte, error)) ([][]byte, error) {
	if size < 0 || size > head.Size {
		return nil, fmt.Errorf("a log of %d events has no part of %d", head.Size, size)
	}
	if size == 0 {
		return nil, nil // every log begins with the empty one
	}
	needed, err := proof.Consistency(uint64(size), uint64(head.Size))
	if err != nil {
		return nil, fmt.Errorf("consistency proof: %w", err)
	}
	hashes := make([][]byte, len(needed.IDs))
	for i, id := range needed.IDs {
		if hashes[i], err = node(Node{id.Level, id.Index}); err != nil {
			return nil, fmt.Errorf("consistency proof: %w", err)
		}
	}
	path, err := needed.Rehash(hashes, rfc6962.DefaultHasher.HashChildren)
	if err != nil {
		return nil, fmt.Errorf("consistency proof: %w", err)
	}
	return path, nil
}

// Extends says what speaks against the log of head being that of the checkpoint
// with events added: "" when the proof shows that it is.
func (h Head) Extends(c Checkpoint, path [][]byte) (problem string) {
	switch {
	case h.Size < c.Size:
		return cut(h.Size, c)
	case c.Size == 0 && bytes.Equal(c.Root, Head{}.RootHash()):
		return "" // RFC 6962 has no proof for the empty log
	case c.Size == 0, proof.VerifyConsistency(rfc6962.DefaultHasher, uint64(c.Size), uint64(h.Size), path, c.Root, h.RootHash()) != nil:
		return fmt.Sprintf("the first %d events aren't those of %s, whose root is %x", c.Size, c, c.Root)
	}
	return ""
}

func cut(size int64, c Checkpoint) string {
	return fmt.Sprintf("the log has %d events, but %s has more: its end was cut off", size, c)
}

// marks are checkpoints that a log is held against while its events are read.
type marks struct {
	left []Checkpoint
	held int64 // the size of the largest that holds: what is wrong comes after
}

// reached holds the checkpoints of this size; problem names the first that does not
// fit, and at is the index from which something may be wrong.
func (m *marks) reached(tenant string, sofar Head) (at int64, problem string) {
	for _, c := range m.left {
		switch {
		case c.Tenant != tenant:
			return 0, fmt.Sprintf("%s is of tenant %.60q", c, c.Tenant)
		case c.Size == sofar.Size && !bytes.Equal(c.Root, sofar.RootHash()):
			return m.held, fmt.Sprintf("the first %d events aren't those of %s: their root is %x, it says %x", c.Size, c, sofar.RootHash(), c.Root)
		case c.Size == sofar.Size:
			m.held = c.Size
		}
	}
	return 0, ""
}

// ended names the first checkpoint that has more events than there are.
func (m *marks) ended(size int64) (problem string) {
	for _, c := range m.left {
		if c.Size > size {
			return cut(size, c)
		}
	}
	return ""
}
