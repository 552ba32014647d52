package audit_test

import (
	"crypto/sha256"
	"fmt"
	"testing"

	"github.com/countersign/countersign/internal/audit"
)

// forest is a log's leaves, and every kept node as appending told it.
type forest struct {
	leaves [][]byte
	kept   map[audit.Node][]byte
	heads  []audit.Head // by size
}

func grow(t *testing.T, size int) forest {
	t.Helper()
	f := forest{kept: map[audit.Node][]byte{}, heads: []audit.Head{{}}}
	var head audit.Head
	for i := range size {
		leaf := audit.Leaf(fmt.Appendf(nil, "event %d", i))
		f.leaves = append(f.leaves, leaf[:])
		var err error
		head, err = head.Grow(leaf, func(n audit.Node, hash []byte) {
			if _, twice := f.kept[n]; twice || !n.Kept() {
				t.Errorf("told of %+v, which is kept already or never", n)
			}
			f.kept[n] = hash
		})
		if err != nil {
			t.Fatal(err)
		}
		f.heads = append(f.heads, head)
	}
	return f
}

// node computes from the leaves alone.
func (f forest) node(n audit.Node) ([]byte, error) {
	from, to := n.Pos<<n.Height, (n.Pos+1)<<n.Height
	if to > uint64(len(f.leaves)) {
		return nil, fmt.Errorf("%+v is not in the tree", n)
	}
	return audit.Join(f.leaves[from:to])
}

func TestProofs(t *testing.T) {
	t.Parallel()
	f := grow(t, 600)
	for size := 1; size <= 600; size++ {
		for index := 0; index < size; index += 1 + size/40 {
			leaf := [sha256.Size]byte(f.leaves[index])
			p, err := audit.Prove(int64(index), leaf, f.heads[size], f.node)
			if err != nil || !p.Holds() {
				t.Fatalf("event %d of %d: %v, holds %v", index, size, err, p.Holds())
			}
			if p.Leaf[0] ^= 1; p.Holds() {
				t.Fatalf("event %d of %d: another leaf is proved too", index, size)
			}
			p.Leaf[0] ^= 1
			if len(p.Path) > 0 {
				p.Path[0].Left = !p.Path[0].Left
				if p.Holds() {
					t.Fatalf("event %d of %d: the wrong side is proved too", index, size)
				}
			}
		}
	}
	for _, index := range []int64{-1, 600, 1 << 40} {
		if _, err := audit.Prove(index, [sha256.Size]byte{}, f.heads[600], f.node); err == nil {
			t.Errorf("event %d of 600 was proved", index)
		}
	}
}

func TestKeptNodes(t *testing.T) {
	t.Parallel()
	f := grow(t, 600)
	if len(f.kept) != 2 {
		t.Errorf("%d nodes are kept of 600 events, want 2", len(f.kept))
	}
	for n, hash := range f.kept {
		if want, err := f.node(n); err != nil || string(want) != string(hash) {
			t.Errorf("%+v is %x, its leaves make %x, %v", n, hash, want, err)
		}
	}
	for _, n := range []int{0, 3} {
		if _, err := audit.Join(make([][]byte, n)); err == nil {
			t.Errorf("%d hashes were joined", n)
		}
	}
}
