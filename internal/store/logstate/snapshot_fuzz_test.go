package logstate

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"testing"

	"github.com/countersign/countersign/internal/audit"
)

// FuzzSnapshot: a snapshot that isn't, byte by byte, the one that a signed head names is no state.
func FuzzSnapshot(f *testing.F) {
	s := New()
	s.Head = audit.Head{Size: 4096, Root: bytes.Repeat([]byte{1}, 32)}
	s.Authority.Members["per_1"] = Member{Roles: "operator"}
	s.Open["apr_1"] = &Approval{Agent: "agt_1", Refs: []Ref{{1, [32]byte{1}}}}
	whole, err := s.Bytes()
	if err != nil {
		f.Fatal(err)
	}
	named := audit.Snapshot{Size: 4096, Sum: sha256.Sum256(whole)}
	f.Add(whole, int64(4096))
	f.Add(whole, int64(4095))
	f.Add(whole[:len(whole)-1], int64(4096))
	f.Add(append(binary.BigEndian.AppendUint32(nil, Version-1), whole[4:]...), int64(4096))
	f.Add(bytes.Replace(whole, []byte("operator"), []byte("compliac"), 1), int64(4096))
	f.Fuzz(func(t *testing.T, b []byte, size int64) {
		got := FromSnapshot(b, audit.Snapshot{Size: size, Sum: named.Sum})
		if want := bytes.Equal(b, whole) && size == named.Size; (got != nil) != want {
			t.Errorf("taken is %v of %d bytes at %d, want %t", got, len(b), size, want)
		}
	})
}
