package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/store/tables"
)

// FuzzSignedHead: of all rows that somebody makes of two signed heads only those two are taken,
// whatever else stands around the note.
func FuzzSignedHead(f *testing.F) {
	secret, err := audit.NewCheckpointKey()
	if err != nil {
		f.Fatal(err)
	}
	key, err := audit.ParseCheckpointKey(secret)
	if err != nil {
		f.Fatal(err)
	}
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	signed := map[int64]audit.Checkpoint{
		5:    {Tenant: "acme", Size: 5, Root: bytes.Repeat([]byte{5}, 32), At: at, Epoch: 1},
		9000: {Tenant: "acme", Size: 9000, Root: bytes.Repeat([]byte{9}, 32), At: at, Epoch: 2, Snapshot: &audit.Snapshot{Size: 8192, Sum: sha256.Sum256([]byte("x"))}},
	}
	for size, c := range signed {
		note, err := key.Sign(c)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(note, size, hex.EncodeToString(c.Root), "acme")
		f.Add(bytes.Replace(note, []byte("\n5\n"), []byte("\n4\n"), 1), size-1, hex.EncodeToString(c.Root), "acme")
		f.Add(note, size, hex.EncodeToString(c.Root), "rival")
		f.Add(append(note, note...), size, hex.EncodeToString(c.Root), "acme")
	}
	f.Fuzz(func(t *testing.T, note []byte, size int64, root, tenant string) {
		x := &tx{Tx: &tables.Tx{Tenant: tenant}, store: &Store{heads: plainHeads{key}}}
		row := tables.LogRow{TenantID: tenant, Size: size, Root: root, Note: string(note)}
		head, err := row.Head()
		if err != nil {
			return
		}
		got, problem := x.signedHead(row, head)
		if problem != "" || size == 0 && len(note) == 0 {
			return
		}
		want, ok := signed[size]
		if !ok || !got.Equal(want) || tenant != want.Tenant || !bytes.Equal(head.RootHash(), want.Root) || got.Epoch != want.Epoch || !got.At.Equal(want.At) ||
			(got.Snapshot == nil) != (want.Snapshot == nil) || got.Snapshot != nil && *got.Snapshot != *want.Snapshot {
			t.Errorf("taken is %+v with the root %s of %s, from the note %q", got, root, tenant, note)
		}
	})
}
