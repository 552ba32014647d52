package reconcile

import (
	"fmt"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/store/logstate"
	"github.com/countersign/countersign/internal/store/requests"
)

// denialsBatch is how many rows are read at once.
const denialsBatch = 500

// verifyDenials holds what is kept of denials and blocks against the events that tell of
// it: who takes one out by hand, so that asking again is let through, is found. It keeps
// one agent's in memory.
func (t Checks) verifyDenials(size int64) (at int64, problem string, err error) {
	return t.eachAgent(func(agent string) (int64, string, error) {
		logged, err := t.loggedDenials(agent)
		if err != nil {
			return 0, "", err
		}
		at, problem, err := t.denialsMismatch(agent, logged, size)
		return at, about("denials of agent "+agent, problem), err
	})
}

// loggedDenials reads the events of an agent in order, from the first denial or block on.
func (t Checks) loggedDenials(agent string) (map[string]logstate.Denial, error) {
	logged := map[string]logstate.Denial{}
	var first []int64
	err := t.Of("audit_events").Where("agent_id = ? AND kind IN ?", agent, []audit.Kind{audit.Denied, audit.Blocked}).Order("idx").Limit(1).Pluck("idx", &first).Error
	if err != nil || len(first) == 0 {
		return logged, err
	}
	return logged, t.EachEvent(func(e audit.Event) { logstate.ApplyDenial(logged, e) },
		"agent_id = ? AND idx >= ? AND (kind IN ? OR kind = ? AND actor_kind = 'person')", agent, first[0], []audit.Kind{audit.Submitted, audit.Denied, audit.Blocked}, audit.Approved)
}

// denialsMismatch names the first thing that the table has otherwise than what is
// logged, of which it leaves nothing.
func (t Checks) denialsMismatch(agent string, logged map[string]logstate.Denial, size int64) (at int64, problem string, err error) {
	for last := ""; ; {
		var rows []requests.DenialRow
		if err := t.Of("denials").Where("agent_id = ? AND likeness > ?", agent, last).Order("likeness").Limit(denialsBatch).Find(&rows).Error; err != nil {
			return 0, "", err
		}
		for _, r := range rows {
			last = r.Likeness
			d, ok := logged[last]
			if !ok {
				return size, fmt.Sprintf("the database keeps %s as similar to %s, but no event mentions it", last, r.ApprovalID), nil
			}
			delete(logged, last)
			if got := (logstate.Denial{At: d.At, Approval: r.ApprovalID, Level: level.Level(r.LevelRank).String(), Asked: r.Asked, When: d.When}); got != d {
				return d.At, fmt.Sprintf("%s is kept as similar to %s at %s and asked for %d times, but its events say similar to %s at %s and %d times", last, got.Approval, got.Level, got.Asked, d.Approval, d.Level, d.Asked), nil
			}
		}
		if len(rows) < denialsBatch {
			break
		}
	}
	for l, d := range logged {
		return d.At, fmt.Sprintf("%s is no longer kept as similar to %s", l, d.Approval), nil
	}
	return 0, "", nil
}
