package approvals

import (
	"context"
	"time"

	"github.com/countersign/countersign/internal/auth"
)

// UsageDays is over how many days Usage counts, today among them.
const UsageDays = 30

// Usage is what became, within the last UsageDays, of the requests in which each
// value of a dimension took part: each rule, pattern or function.
func (s *Service) Usage(ctx context.Context, m auth.Member, d Dimension) (map[string]Tally, error) {
	if err := may(m, auth.ReadQueue); err != nil {
		return nil, err
	}
	usage := map[string]Tally{}
	err := s.store.Read(ctx, m.Tenant, func(r Reader) error {
		today := r.Now().UTC().Truncate(24 * time.Hour)
		rows, err := r.Rollups(RollupQuery{Dimension: d, From: day(today.AddDate(0, 0, 1-UsageDays)), To: day(today), Sum: true})
		for _, row := range rows {
			if !row.Others {
				usage[row.Value] = row.Tally
			}
		}
		return err
	})
	return usage, err
}
