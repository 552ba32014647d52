package store

import (
	"context"
	"encoding/hex"
	"slices"

	"gorm.io/gorm/clause"

	"github.com/countersign/countersign/internal/audit"
)

// How it is told that a server of this installation wrote an event. The events that were there
// before it had its key have their seal in a table of their own, since no event changes.

type auditSealRow struct {
	TenantID string
	Idx      int64
	Seal     string
}

func (auditSealRow) TableName() string { return "audit_seals" }

// SealWith makes the store seal what it appends, and read no event at use that is not sealed
// with the key. It comes before anything else is done with the store.
func (s *Store) SealWith(key audit.SealKey) { s.seal = key }

// sealed is the seal of an event that is appended; "" without a key.
func (t *tx) sealed(index int64, leaf []byte) string {
	if t.store.seal == nil {
		return ""
	}
	return t.store.seal.Seal(t.tenant, index, leaf)
}

// recordsOf are the records of these rows, and whether each is sealed.
func (t *tx) recordsOf(rows []auditEventRow) ([]audit.Record, error) {
	records := make([]audit.Record, len(rows))
	for i, r := range rows {
		records[i] = r.record()
	}
	if t.store.seal == nil {
		return records, nil
	}
	return records, t.findUnsealed(t.store.seal, rows, records)
}

// findUnsealed marks those of the records that are not sealed with the key.
func (t *tx) findUnsealed(key audit.SealKey, rows []auditEventRow, records []audit.Record) error {
	var beside []int64
	for i, r := range rows {
		if !key.Sealed(t.tenant, r.Idx, records[i].Leaf, r.Seal) {
			records[i].Unsealed = true
			beside = append(beside, r.Idx)
		}
	}
	if len(beside) == 0 {
		return nil
	}
	var kept []auditSealRow
	if err := t.of("audit_seals").Where("idx IN ?", beside).Find(&kept).Error; err != nil {
		return err
	}
	seals := map[int64][]string{}
	for _, k := range kept {
		seals[k.Idx] = append(seals[k.Idx], k.Seal)
	}
	for i, r := range records {
		if r.Unsealed {
			records[i].Unsealed = !slices.ContainsFunc(seals[r.Event.Index], func(seal string) bool { return key.Sealed(t.tenant, r.Event.Index, r.Leaf, seal) })
		}
	}
	return nil
}

// SealStored seals every event that is stored with a new key, and tells how many of how many
// organisations are done. It does not say whether what is stored is true: Verify does.
func (s *Store) SealStored(ctx context.Context, key audit.SealKey, progress func(done, of int)) error {
	all, err := s.Tenants().Tenants(ctx)
	if err != nil {
		return err
	}
	for i, tenant := range all {
		for last, more := int64(-1), true; more; {
			err := s.write(ctx, tenant, func(t *tx) error {
				from := last
				var rows []auditEventRow
				if err := t.of("audit_events").Select("idx", "leaf").Where("idx > ?", from).Order("idx").Limit(verifyBatch).Find(&rows).Error; err != nil {
					return err
				}
				if more = len(rows) == verifyBatch; len(rows) == 0 {
					return nil
				}
				seals := make([]auditSealRow, len(rows))
				for i, r := range rows {
					leaf, _ := hex.DecodeString(r.Leaf) // one that is no hex is for Verify to find
					seals[i] = auditSealRow{tenant, r.Idx, key.Seal(tenant, r.Idx, leaf)}
				}
				if err := t.db.Clauses(clause.OnConflict{DoNothing: true}).Create(&seals).Error; err != nil {
					return err
				}
				last = rows[len(rows)-1].Idx
				return nil
			})
			if err != nil {
				return err
			}
		}
		progress(i+1, len(all))
	}
	return nil
}

// Sealed reports whether any event was sealed when it was written, and whether the newest such
// event of any organisation is sealed with this key: if not, it is the key of other servers.
func (s *Store) Sealed(ctx context.Context, key audit.SealKey) (some, ours bool, err error) {
	all, err := s.Tenants().Tenants(ctx)
	for _, tenant := range all {
		if ours || err != nil {
			break
		}
		err = s.read(ctx, tenant, func(t *tx) error {
			var rows []auditEventRow
			if err := t.of("audit_events").Order("idx DESC").Limit(1).Find(&rows).Error; err != nil || len(rows) == 0 {
				return err
			}
			some = some || rows[0].Seal != ""
			if key == nil {
				return nil
			}
			newest := []audit.Record{rows[0].record()}
			err := t.findUnsealed(key, rows, newest)
			ours = !newest[0].Unsealed
			return err
		})
	}
	return some, ours, err
}
