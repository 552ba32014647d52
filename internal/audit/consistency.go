package audit

import (
	"bytes"
	"fmt"
)

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
