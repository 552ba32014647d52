package store

import (
	"context"

	"gorm.io/gorm"
)

// Guards is what `audit verify` compares, and with what.
func (s *Store) Guards(ctx context.Context) (have, want map[string]string, err error) {
	if want, err = s.dialect.wantGuards(ctx); err != nil {
		return nil, nil, err
	}
	err = s.readGlobal(ctx, func(db *gorm.DB) (err error) {
		have, err = s.dialect.guards(db)
		return err
	})
	return have, want, err
}
