package approvals

import (
	"context"
	"fmt"
	"time"

	"github.com/countersign/countersign/internal/scoring/level"
)

// PendingCount is what waits of one level in one tenant.
type PendingCount struct {
	Level  level.Level
	Count  int
	Oldest time.Time // when the oldest was submitted
}

// PendingTotal is what waits of one level in all of them.
type PendingTotal struct {
	Level  level.Level
	Count  int
	Oldest time.Duration // how long the oldest has waited; 0 where none waits
}

// Pending counts what waits in all tenants, one of each level, lowest first. It is for
// whoever runs the server: no tenant is told of it.
func (s *Service) Pending(ctx context.Context) ([]PendingTotal, error) {
	tenants, err := s.store.Tenants(ctx)
	if err != nil {
		return nil, fmt.Errorf("count what is pending: %w", err)
	}
	var all []PendingTotal
	for _, l := range level.All() {
		all = append(all, PendingTotal{Level: l})
	}
	for _, t := range tenants {
		err := s.store.Read(ctx, t, func(r Reader) error {
			counts, err := r.PendingByLevel()
			for _, c := range counts {
				for i := range all {
					if all[i].Level == c.Level {
						all[i].Count += c.Count
						all[i].Oldest = max(all[i].Oldest, r.Now().Sub(c.Oldest))
					}
				}
			}
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("count what is pending in %s: %w", t, err)
		}
	}
	return all, nil
}
