package drivers

import (
	"context"
	"errors"

	"gorm.io/gorm"
)

// CheckAs checks a database as another role than the one that serves.
func CheckAs(ctx context.Context, url, role string) error {
	d, err := NewPostgres(url, "", nil)
	if err != nil {
		return err
	}
	c := d.server(true)
	c.RuntimeParams["role"] = role
	db, err := open(c)
	if err != nil {
		return err
	}
	pool, err := db.DB()
	if err != nil {
		return err
	}
	return errors.Join(db.WithContext(ctx).Transaction(func(tx *gorm.DB) error { return d.Check(tx) }, d.Options(true)), pool.Close())
}
