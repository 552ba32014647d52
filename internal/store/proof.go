package store

import (
	"context"
	"encoding/hex"
	"fmt"

	"gorm.io/gorm"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/store/tables"
)

type auditNodeRow struct {
	TenantID    string
	Height, Pos int64
	Hash        string
}

func (auditNodeRow) TableName() string { return "audit_nodes" }

func nodeRow(tenant string, n audit.Node, hash []byte) auditNodeRow {
	return auditNodeRow{TenantID: tenant, Height: int64(n.Height), Pos: int64(n.Pos), Hash: hex.EncodeToString(hash)}
}

// Proof returns one event with the proof that it is in the tree of the head of
// now. fault.Missing. Whether the proof holds is for the caller to say.
func (l *AuditLog) Proof(ctx context.Context, tenant string, index int64) (r audit.Record, p audit.Proof, err error) {
	err = l.s.read(ctx, tenant, func(t *tx) error {
		row, err := tables.One[tables.EventRow](t.Of("audit_events").Where("idx = ?", index), "no such event")
		if err != nil {
			return err
		}
		r = row.Record()
		top, err := tables.One[tables.LogRow](t.Of("audit_logs"), "no such audit log")
		if err != nil {
			return err
		}
		head, err := top.Head()
		if err != nil {
			return err
		}
		p, err = audit.Prove(index, audit.Leaf(r.Bytes), head, t.node)
		return err
	})
	return r, p, err
}

// nodeRows begins the statement for one kept node.
func (t *tx) nodeRows(n audit.Node) *gorm.DB {
	return t.Of("audit_nodes").Where("height = ? AND pos = ?", int64(n.Height), int64(n.Pos))
}

// node is the hash of a perfect subtree: read where it is kept, else made of what
// lies below it.
func (t *tx) node(n audit.Node) ([]byte, error) {
	if n.Kept() {
		row, err := tables.One[auditNodeRow](t.nodeRows(n), "no such node")
		if err == nil {
			return hex.DecodeString(row.Hash)
		}
		if !fault.Is(err, fault.Missing) {
			return nil, err
		}
	}
	if n.Height == 0 {
		leaves, err := t.leaves(n.Pos, 1)
		if err != nil {
			return nil, err
		}
		return leaves[0], nil
	}
	base := (n.Height - 1) / audit.NodeSpan * audit.NodeSpan
	first, count := n.Pos<<(n.Height-base), uint64(1)<<(n.Height-base)
	if base == 0 {
		leaves, err := t.leaves(first, count)
		if err != nil {
			return nil, err
		}
		return audit.Join(leaves)
	}
	below := make([][]byte, count)
	for i := range below {
		hash, err := t.node(audit.Node{Height: base, Pos: first + uint64(i)})
		if err != nil {
			return nil, err
		}
		below[i] = hash
	}
	return audit.Join(below)
}

// leaves are the stored leaf hashes from one index on.
func (t *tx) leaves(first, count uint64) ([][]byte, error) {
	var stored []string
	err := t.Of("audit_events").Where("idx >= ? AND idx < ?", int64(first), int64(first+count)).Order("idx").Pluck("leaf", &stored).Error
	if err != nil {
		return nil, err
	}
	if uint64(len(stored)) != count {
		return nil, fmt.Errorf("%d of the events from %d to %d are missing", count-uint64(len(stored)), first, first+count-1)
	}
	hashes := make([][]byte, count)
	for i, s := range stored {
		if hashes[i], err = hex.DecodeString(s); err != nil {
			return nil, fmt.Errorf("the leaf of event %d: %w", first+uint64(i), err)
		}
	}
	return hashes, nil
}

// checkNode holds a kept node against what the events make of it. One that is not
// kept costs time and proves nothing wrong.
func (t *tx) checkNode(n audit.Node, want []byte) (problem string, err error) {
	row, err := tables.One[auditNodeRow](t.nodeRows(n), "no such node")
	switch {
	case fault.Is(err, fault.Missing):
		return "", nil
	case err != nil:
		return "", err
	case row.Hash != hex.EncodeToString(want):
		return fmt.Sprintf("the stored node %d at height %d is %.80q, the events make %x", n.Pos, n.Height, row.Hash, want), nil
	}
	return "", nil
}
