package audit

import (
	"bytes"
	"crypto/sha256"
	"fmt"

	"github.com/transparency-dev/merkle/proof"
	"github.com/transparency-dev/merkle/rfc6962"
)

// Node names the root of a perfect subtree: Height 0 is a leaf, Pos counts those
// of one height from 0. It covers the leaves Pos·2^Height to (Pos+1)·2^Height − 1.
type Node struct {
	Height uint
	Pos    uint64
}

// NodeSpan is how many heights lie between the nodes that are kept: of the nodes
// inside the tree only those at 8, 16, 24, … are, one for each 256 leaves or
// kept nodes below. All others are computed from at most 255 of those.
const NodeSpan = 8

// Kept reports whether a store keeps this node.
func (n Node) Kept() bool { return n.Height > 0 && n.Height%NodeSpan == 0 }

// Proof shows that a leaf is in the tree of a head (RFC 6962 §2.1.1): hashing the
// leaf with one sibling after the other gives the root.
type Proof struct {
	Index, Size int64
	Leaf, Root  []byte // 32 bytes each
	Path        []Step // from the leaf up
}

// Step is one sibling on the way up.
type Step struct {
	Hash []byte
	Left bool // the sibling stands left: SHA-256(0x01 ‖ sibling ‖ so far)
}

// Prove makes the proof of the event at index in the log of head. node returns
// the hash of a perfect subtree within the log. It does not check the result:
// Proof.Holds does.
func Prove(index int64, leaf [sha256.Size]byte, head Head, node func(Node) ([]byte, error)) (Proof, error) {
	p := Proof{Index: index, Size: head.Size, Leaf: leaf[:], Root: head.RootHash()}
	if index < 0 || index >= head.Size {
		return p, fmt.Errorf("event %d isn't in a log of %d", index, head.Size)
	}
	needed, err := proof.Inclusion(uint64(index), uint64(head.Size))
	if err != nil {
		return p, fmt.Errorf("inclusion proof: %w", err)
	}
	hashes := make([][]byte, len(needed.IDs))
	for i, id := range needed.IDs {
		if hashes[i], err = node(Node{id.Level, id.Index}); err != nil {
			return p, fmt.Errorf("inclusion proof: %w", err)
		}
	}
	path, err := needed.Rehash(hashes, rfc6962.DefaultHasher.HashChildren)
	if err != nil {
		return p, fmt.Errorf("inclusion proof: %w", err)
	}
	// RFC 9162 §2.1.3.2: which side a sibling stands on follows from the index.
	at, last := index, head.Size-1
	for _, hash := range path {
		left := at&1 == 1 || at == last
		p.Path = append(p.Path, Step{hash, left})
		if left {
			for at&1 == 0 && at != 0 {
				at, last = at>>1, last>>1
			}
		}
		at, last = at>>1, last>>1
	}
	return p, nil
}

// Holds reports whether the path leads from the leaf to the root.
func (p Proof) Holds() bool {
	path := make([][]byte, len(p.Path))
	sofar := p.Leaf
	for i, s := range p.Path {
		path[i] = s.Hash
		if s.Left {
			sofar = rfc6962.DefaultHasher.HashChildren(s.Hash, sofar)
		} else {
			sofar = rfc6962.DefaultHasher.HashChildren(sofar, s.Hash)
		}
	}
	return p.Index >= 0 && p.Size > 0 && bytes.Equal(sofar, p.Root) &&
		proof.VerifyInclusion(rfc6962.DefaultHasher, uint64(p.Index), uint64(p.Size), p.Leaf, path, p.Root) == nil
}

// Join hashes the roots of neighbouring perfect subtrees of one height, left to
// right, into the root above them; their number is a power of two.
func Join(hashes [][]byte) ([]byte, error) {
	if n := len(hashes); n == 0 || n&(n-1) != 0 {
		return nil, fmt.Errorf("%d hashes make no perfect subtree", n)
	}
	row := append([][]byte(nil), hashes...)
	for len(row) > 1 {
		for i := range len(row) / 2 {
			row[i] = rfc6962.DefaultHasher.HashChildren(row[2*i], row[2*i+1])
		}
		row = row[:len(row)/2]
	}
	return row[0], nil
}
