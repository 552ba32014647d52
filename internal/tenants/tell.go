package tenants

import (
	"context"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
)

// TellExport writes down that m takes something out of here, and refuses whoever may
// not any more. When it returns nil the event is on disk.
func (s *Service) TellExport(ctx context.Context, m auth.Member, e audit.Event) error {
	return s.writeFor(ctx, m, auth.ExportAudit, func(w Writer, _ auth.Member) error { return w.Append(e) })
}

// Tell writes an event that belongs to no change of state, and that nobody is asked
// for any more: that the trail was verified. When it returns nil the event is on disk.
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
