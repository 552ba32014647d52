package tenants

import (
	"context"

	"github.com/countersign/countersign/internal/audit"
)

// Tell writes an event that belongs to no change of state: that somebody took the
// trail out of here, or verified it. When it returns nil the event is on disk.
func (s *Service) Tell(ctx context.Context, tenant string, e audit.Event) error {
	return s.store.Write(ctx, tenant, func(w Writer) error { return w.Append(e) })
}

// TellKeys writes down which signing keys the server has, as far as the trail of the
// tenant does not tell it yet (audit.KeyChanges). Any number of servers may do so.
func (s *Service) TellKeys(ctx context.Context, tenant string, keys []audit.SigningKey) error {
	return s.store.Write(ctx, tenant, func(w Writer) error {
		told, err := w.Told(audit.SigningKeyPublished, audit.SigningKeyWithdrawn)
		if err != nil {
			return err
		}
		if missing := audit.KeyChanges(told, keys); len(missing) > 0 {
			return w.Append(missing...)
		}
		return nil
	})
}
