package drivers

import (
	"context"

	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"
)

// channel is where servers on one database notify each other.
const channel = "countersign"

// Notify goes over the pool, outside of any transaction: inside of one it would
// cost each commit a lock that all tenants share.
func (Postgres) Notify(db *gorm.DB, payload string) error {
	return db.Exec("SELECT pg_notify(?, ?)", channel, payload).Error
}

// Listen has a connection of its own: a pool would close it, or give it to
// somebody else.
func (d Postgres) Listen(ctx context.Context, connected func(), heard func(payload string)) error {
	c, err := pgx.ConnectConfig(ctx, d.server(true))
	if err != nil {
		return err
	}
	// The context that ended must not keep the farewell from being said.
	defer func() { _ = c.Close(context.WithoutCancel(ctx)) }()
	if _, err := c.Exec(ctx, "LISTEN "+channel); err != nil {
		return err
	}
	connected()
	for {
		n, err := c.WaitForNotification(ctx)
		if err != nil {
			return err
		}
		heard(n.Payload)
	}
}
