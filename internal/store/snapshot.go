package store

import (
	"crypto/sha256"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/store/logstate"
	"github.com/countersign/countersign/internal/store/tables"
)

// A snapshot is the state of a log at one size, so that a start reads the events after it and
// not the whole log. The signed head has its sum: one that somebody changed, or that reducers
// of another version made, is not used, and the log is read from its beginning.

// snapshotEvery is after how many events one is made: they are read in some 50 ms.
const snapshotEvery = 4096

type snapshotRow struct {
	TenantID string
	Size     int64
	Bytes    []byte
}

func (snapshotRow) TableName() string { return "audit_snapshots" }

// snap makes the next snapshot where it is time. Nothing was appended yet.
func (t *tx) snap() error {
	t.snapshot = t.state.Snapshot
	last := int64(0)
	if t.snapshot != nil {
		last = t.snapshot.Size
	}
	if t.head.Size-last < snapshotEvery {
		return nil
	}
	b, err := t.state.Bytes()
	if err != nil {
		return err
	}
	if err := t.Of("audit_snapshots").Where("size < ?", last).Delete(&snapshotRow{}).Error; err != nil { // the last one stays beside the new one
		return err
	}
	row := snapshotRow{t.Tenant, t.head.Size, b}
	if err := t.Of("audit_snapshots").Where("size = ?", row.Size).Delete(&snapshotRow{}).Error; err != nil { // of a log that was restored
		return err
	}
	if err := t.DB.Create(&row).Error; err != nil {
		return err
	}
	t.snapshot = &audit.Snapshot{Size: row.Size, Sum: sha256.Sum256(row.Bytes)}
	return nil
}

// restoreState is the state of a snapshot that a signed head names; an empty one where there is none.
func (t *tx) restoreState(named *audit.Snapshot) (*logstate.State, error) {
	if named == nil {
		return logstate.New(), nil
	}
	row, err := tables.One[snapshotRow](t.Of("audit_snapshots").Where("size = ?", named.Size), "no such snapshot")
	if err != nil && !fault.Is(err, fault.Missing) {
		return nil, err
	}
	if s := logstate.FromSnapshot(row.Bytes, *named); s != nil {
		return s, nil
	}
	return logstate.New(), nil
}
