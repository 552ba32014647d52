package approvals

import (
	"context"

	"github.com/countersign/countersign/internal/auth"
)

// Today is what ended since midnight, in UTC, as far as it is counted.
func (s *Service) Today(ctx context.Context, m auth.Member) (t Tally, err error) {
	if err := may(m, auth.ReadQueue); err != nil {
		return t, err
	}
	err = s.store.Read(ctx, m.Tenant, func(r Reader) error {
		on := day(r.Now())
		rows, err := r.Rollups(RollupQuery{Dimension: ByAll, From: on, To: on})
		for _, row := range rows {
			t.Add(row.Tally)
		}
		return err
	})
	return t, err
}
