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
