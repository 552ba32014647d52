package pages

import (
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
)

// AgentCalls counts what became of an agent's newest calls, by function, what it asks most
// first. It reads a stretch of an index, and one row for each call in it.
func (t Pages) AgentCalls(agent, function string, since time.Time, calls, functions int) ([]approvals.AgentCalls, error) {
	newest := t.Of("approvals").Select("function, status").
		Where("agent_id = ? AND approval_id >= ?", agent, auth.FirstID("apr", since)).Order("approval_id DESC").Limit(calls)
	if function != "" {
		newest = newest.Where("function = ?", function)
	}
	var rows []approvals.AgentCalls
	err := t.DB.Table("(?) AS calls", newest).
		Select(`function, count(*) AS asked,
			count(CASE WHEN status = 'approved' THEN 1 END) AS approved,
			count(CASE WHEN status = 'denied' THEN 1 END) AS denied,
			count(CASE WHEN status = 'changes_requested' THEN 1 END) AS changes_requested,
			count(CASE WHEN status = 'blocked' THEN 1 END) AS blocked,
			count(CASE WHEN status = 'expired' THEN 1 END) AS expired,
			count(CASE WHEN status = 'pending' THEN 1 END) AS waiting`).
		Group("function").Order("asked DESC, function").Limit(functions).Scan(&rows).Error
	return rows, err
}
