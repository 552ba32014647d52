package store

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"gorm.io/gorm"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/store/drivers"
	"github.com/countersign/countersign/internal/store/tables"
)

// Before heads were signed, each event was sealed by itself with a secret of the data
// directory. The first start of a program that signs them holds each log against those seals,
// for the last time, and signs what holds.

// FirstSignature says how a log is signed of which no signature counts yet.
type FirstSignature struct {
	SealKey  audit.SealKey      // nil where nothing was sealed
	Event    func() audit.Event // what the log tells of it
	Progress func(done, of int64)
	// Kept is what somebody kept of a log whose key was lost, in place of what this directory
	// remembers; the zero value is nothing.
	Kept *audit.Checkpoint
}

// remembered is the newest head that is known outside of the database.
func (t *tx) remembered() (audit.SignedCheckpoint, error) {
	if t.anew != nil && t.anew.Kept != nil {
		return audit.SignedCheckpoint{Checkpoint: *t.anew.Kept}, nil
	}
	return t.store.heads.Remembered(t.Tenant)
}

// auditSealRow is a seal of an event that was there before its server had the key.
type auditSealRow struct {
	TenantID string
	Idx      int64
	Seal     string
}

func (auditSealRow) TableName() string { return "audit_seals" }

// SignedTenants are the organisations whose log has a signed head, and those whose log has
// none; one without events needs none.
func (s *Store) SignedTenants(ctx context.Context) (signed, unsigned []string, err error) {
	err = s.readGlobal(ctx, func(db *gorm.DB) error {
		all, err := s.tenantsIn(db)
		for _, tenant := range all {
			if err != nil {
				return err
			}
			err = s.enter(db, tenant, false, func(t *tx) error {
				row, err := tables.One[tables.LogRow](t.Of("audit_logs"), "no such audit log")
				switch {
				case err != nil:
					return err
				case row.Note != "":
					signed = append(signed, tenant)
				case row.Size > 0:
					unsigned = append(unsigned, tenant)
				}
				return nil
			})
		}
		return err
	})
	return signed, unsigned, err
}

// SignFirst reads the whole log of an organisation, holds it against its seals where there is a
// key, and signs it, with an event that says so. fault.GrantUnproven: it does not hold.
func (s *Store) SignFirst(ctx context.Context, tenant string, first FirstSignature) error {
	return s.signAnew(ctx, map[string]FirstSignature{tenant: first}, func(*tx, FirstSignature) error { return nil }, func() error { return nil })
}

// Recover signs logs with a new key that key makes, after all of them were verified, and hold
// against what was kept of them. It is one transaction, so that nobody changes what was verified
// before it is signed. fault.GrantUnproven: one does not hold, and none is signed.
func (s *Store) Recover(ctx context.Context, logs map[string]FirstSignature, key func() error) error {
	ctx = drivers.WithoutLimit(ctx)
	problem, err := s.checkTriggers(ctx)
	if err != nil {
		return err
	}
	return s.signAnew(ctx, logs, func(t *tx, first FirstSignature) error {
		t.anew = &first
		var against []audit.Checkpoint
		if first.Kept.Tenant != "" {
			against = append(against, *first.Kept)
		}
		report, err := t.verify(problem, first.Progress, against...)
		if err == nil && !report.OK {
			err = fault.New(fault.GrantUnproven, "%s: broken at event %s: %s", t.Tenant, strconv.FormatInt(report.FirstBroken, 10), report.Problem)
		}
		return err
	}, key)
}

// signAnew holds the logs, looks at each, and then signs all of them.
func (s *Store) signAnew(ctx context.Context, logs map[string]FirstSignature, look func(*tx, FirstSignature) error, held func() error) error {
	tenants := slices.Sorted(maps.Keys(logs))
	return s.perform(&act{ctx: ctx, tenants: tenants, anew: logs, run: func(g *group, db *gorm.DB) error {
		for _, tenant := range tenants {
			if err := g.enter(db, tenant, func(t *tx) error { return look(t, logs[tenant]) }); err != nil {
				return err
			}
		}
		if err := held(); err != nil {
			return err
		}
		for _, tenant := range tenants {
			if err := g.enter(db, tenant, func(t *tx) error { return t.Append(logs[tenant].Event()) }); err != nil {
				return err
			}
		}
		return nil
	}})
}

// sealsHold names the first of these events that its key did not seal.
func (t *tx) sealsHold(rows []tables.EventRow) (problem string, err error) {
	if t.anew == nil || t.anew.SealKey == nil {
		return "", nil
	}
	var later []auditSealRow
	if err := t.Of("audit_seals").Where("idx >= ? AND idx <= ?", rows[0].Idx, rows[len(rows)-1].Idx).Find(&later).Error; err != nil {
		return "", err
	}
	seals := map[int64][]string{}
	for _, b := range later {
		seals[b.Idx] = append(seals[b.Idx], b.Seal)
	}
	for _, r := range rows {
		leaf := audit.Leaf([]byte(r.Bytes))
		sealed := func(seal string) bool { return t.anew.SealKey.Sealed(t.Tenant, r.Idx, leaf[:], seal) }
		if !slices.ContainsFunc(append(seals[r.Idx], r.Seal), sealed) {
			return fmt.Sprintf("event %d: no server with the key of this data directory wrote it: its seal is missing or wrong", r.Idx), nil
		}
	}
	return "", nil
}
