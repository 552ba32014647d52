package reconcile

import (
	"fmt"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/store/logstate"
	"github.com/countersign/countersign/internal/store/requests"
	"github.com/countersign/countersign/internal/store/tables"
)

// standingBatch is how many events or rows are read at once.
const standingBatch = 200

// verifyStanding holds every standing grant against its events: its terms, how
// often it was used and when last, and how it ended. People make them, so one short
// text for each fits in memory.
func (t Checks) verifyStanding(size int64) (at int64, problem string, err error) {
	logged := map[string]*logstate.Standing{}
	if err := t.EachEvent(func(e audit.Event) { logstate.ApplyStanding(logged, e) }, "kind IN ?", logstate.StandingKinds); err != nil {
		return 0, "", err
	}
	last := ""
	for {
		var rows []requests.StandingRow
		if err := t.Of("standing_grants").Where("standing_id > ?", last).Order("standing_id").Limit(standingBatch).Find(&rows).Error; err != nil {
			return 0, "", err
		}
		for _, r := range rows {
			last = r.StandingID
			e, ok := logged[r.StandingID]
			if !ok {
				return size, fmt.Sprintf("the standing grant %s is in the database, but no event says that it was created", r.StandingID), nil
			}
			delete(logged, r.StandingID)
			if problem := standingMismatch(r, e); problem != "" {
				return e.At, fmt.Sprintf("the standing grant %s: %s", r.StandingID, problem), nil
			}
		}
		if len(rows) < standingBatch {
			break
		}
	}
	for id, e := range logged {
		return e.At, fmt.Sprintf("the standing grant %s was created but is missing from the database", id), nil
	}
	return 0, "", nil
}

// standingMismatch names the first thing that the row has otherwise than its events.
func standingMismatch(r requests.StandingRow, e *logstate.Standing) string {
	made := logstate.Joined(r.AgentID, r.AgentName, r.AgentOwner, r.Function, tables.SHA256(r.Pattern), fmt.Sprint(r.Uses),
		tables.Instant(&r.EndsAt), r.MadeFrom, r.MadeBy, tables.Instant(&r.CreatedAt), fmt.Sprint(r.SinglePerson), r.Reason, r.SessionID, r.Effects, r.Scope)
	revoked := ""
	if r.RevokedAt != nil {
		revoked = logstate.Joined(r.RevokedBy, tables.Instant(r.RevokedAt), r.RevokeReason)
	}
	return firstDifference([]comparison{
		{"beginning", made, e.Made},
		{"number of uses", fmt.Sprint(r.Uses - r.UsesLeft), fmt.Sprint(e.Used)},
		{"last use", tables.Instant(r.LastUsedAt), e.Usage},
		{"end", revoked, e.Revoked},
	})
}
