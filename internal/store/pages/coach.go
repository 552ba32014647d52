package pages

import (
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/store/tables"
)

// HeldCalls counts what became of the newest calls, by agent and function, those that were
// held most lately first. It reads a stretch of the primary key and one row of each of two
// others for each call in it, never more than that.
func (t Pages) HeldCalls(since, lately time.Time, calls, groups int) ([]approvals.HeldCalls, error) {
	newest := t.Of("approvals").Select("tenant_id, approval_id, agent_id, function, status, level_rank, created_at").
		Where("approval_id >= ?", auth.FirstID("apr", since)).Order("approval_id DESC").Limit(calls)
	const held = "(decisions.evidence IS NOT NULL OR calls.status IN ('pending', 'expired', 'cancelled'))"
	var rows []approvals.HeldCalls
	err := t.DB.Table("(?) AS calls", newest).
		Joins("LEFT JOIN decisions ON decisions.tenant_id = calls.tenant_id AND decisions.approval_id = calls.approval_id").
		Joins("LEFT JOIN executions ON executions.tenant_id = calls.tenant_id AND executions.approval_id = calls.approval_id").
		Joins("LEFT JOIN grants ON grants.tenant_id = calls.tenant_id AND grants.approval_id = calls.approval_id").
		Select(`calls.agent_id AS agent, calls.function AS function,
			count(CASE WHEN calls.status = 'approved' AND decisions.evidence IS NOT NULL THEN 1 END) AS approved,
			count(CASE WHEN calls.status IN ('denied', 'changes_requested', 'blocked') OR executions.status = 'failed' OR grants.void_reason <> '' THEN 1 END) AS against,
			count(CASE WHEN `+held+` AND calls.created_at >= ? THEN 1 END) AS held,
			max(calls.level_rank) AS highest,
			max(CASE WHEN calls.status = 'approved' AND decisions.evidence IS NOT NULL THEN calls.approval_id END) AS newest`, tables.Stamp(lately)).
		Where("calls.tenant_id = ?", t.Tenant).
		Group("calls.agent_id, calls.function").Having("count(CASE WHEN " + held + " THEN 1 END) > 0").
		Order("held DESC, agent, calls.function").Limit(groups).Scan(&rows).Error
	return rows, err
}
