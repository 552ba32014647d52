package audit

import (
	"bytes"
	"crypto/sha256"
	"fmt"

	"github.com/transparency-dev/merkle/compact"
	"github.com/transparency-dev/merkle/rfc6962"
)

// Leaf is the leaf hash of an event's bytes: SHA-256(0x00 ‖ bytes), RFC 6962 §2.1.
func Leaf(b []byte) [sha256.Size]byte {
	return [sha256.Size]byte(rfc6962.DefaultHasher.HashLeaf(b))
}

// Head is a tenant's log at one size. The zero Head is the empty log.
type Head struct {
	Size int64
	// Root is the Merkle tree hash over all leaves, 32 bytes.
	Root []byte
	// Frontier are the roots of the perfect subtrees that the leaves make, largest
	// first: one for each bit that is set in Size. They are all that is needed to
	// append (a compact range).
	Frontier [][]byte
}

// Append returns the head with one more leaf; h stays as it is. It takes work
// logarithmic in the size. An error means that the frontier does not belong to the size.
func (h Head) Append(leaf [sha256.Size]byte) (Head, error) { return h.Grow(leaf, nil) }

// Grow is Append that also tells of every node that is kept (Node.Kept) and was
// completed by this leaf: at most one for each height, mostly none. kept may be nil.
func (h Head) Grow(leaf [sha256.Size]byte, kept func(Node, []byte)) (Head, error) {
	if h.Size < 0 {
		return Head{}, fmt.Errorf("log head: size %d", h.Size)
	}
	for _, node := range h.Frontier {
		if len(node) != sha256.Size {
			return Head{}, fmt.Errorf("log head: a frontier node of %d bytes", len(node))
		}
	}
	factory := compact.RangeFactory{Hash: rfc6962.DefaultHasher.HashChildren}
	// The range may write into the slice that it is given.
	r, err := factory.NewRange(0, uint64(h.Size), append([][]byte(nil), h.Frontier...))
	if err != nil {
		return Head{}, fmt.Errorf("log head: %w", err)
	}
	visit := func(id compact.NodeID, hash []byte) {
		if n := (Node{id.Level, id.Index}); n.Kept() && kept != nil {
			kept(n, hash)
		}
	}
	if err := r.Append(leaf[:], visit); err != nil {
		return Head{}, fmt.Errorf("log head: %w", err)
	}
	root, err := r.GetRootHash(nil)
	if err != nil {
		return Head{}, fmt.Errorf("log head: %w", err)
	}
	return Head{Size: h.Size + 1, Root: root, Frontier: append([][]byte(nil), r.Hashes()...)}, nil
}

// RootHash is Root, or the root of the empty tree, SHA-256(""), where there is none yet.
func (h Head) RootHash() []byte {
	if h.Size == 0 && len(h.Root) == 0 {
		return rfc6962.DefaultHasher.EmptyRoot()
	}
	return h.Root
}

// Equal reports whether both heads are the same, frontier included: a wrong
// frontier does not show in this root but breaks the next one.
func (h Head) Equal(o Head) bool {
	if h.Size != o.Size || !bytes.Equal(h.RootHash(), o.RootHash()) || len(h.Frontier) != len(o.Frontier) {
		return false
	}
	for i := range h.Frontier {
		if !bytes.Equal(h.Frontier[i], o.Frontier[i]) {
			return false
		}
	}
	return true
}
