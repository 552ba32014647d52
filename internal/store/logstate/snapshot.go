package logstate

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/gob"
	"fmt"

	"github.com/countersign/countersign/internal/audit"
)

// Version is that of the reducers and of what they grow. Whoever changes what a state
// holds, or how it follows from the events, raises it.
const Version = 4

// Bytes is the state in bytes, with the version of the reducers in front.
func (s *State) Bytes() ([]byte, error) {
	b, err := s.encode()
	return append(binary.BigEndian.AppendUint32(nil, Version), b...), err
}

// FromSnapshot is the state in a snapshot; nil where it isn't the one that is named, or of other reducers.
func FromSnapshot(b []byte, named audit.Snapshot) *State {
	if sha256.Sum256(b) != named.Sum || !bytes.HasPrefix(b, binary.BigEndian.AppendUint32(nil, Version)) {
		return nil
	}
	s, err := decodeState(b[4:])
	if err != nil || s.Head.Size != named.Size {
		return nil
	}
	return s
}

func (s *State) encode() ([]byte, error) {
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(s); err != nil {
		return nil, fmt.Errorf("write the state of a log: %w", err)
	}
	return b.Bytes(), nil
}

func decodeState(b []byte) (*State, error) {
	s := &State{}
	if err := gob.NewDecoder(bytes.NewReader(b)).Decode(s); err != nil {
		return nil, fmt.Errorf("read the state of a log: %w", err)
	}
	s.fill()
	return s, nil
}
