package requests

import (
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/store/tables"
)

// How often an agent called a function in a session: as often as a grant for it was
// spent, and the call was not reported failed. What was only asked for counts nothing,
// so that asking makes nothing look familiar.

type callCountRow struct {
	TenantID, AgentID, SessionID, Function string
	Calls                                  int64
}

func (callCountRow) TableName() string { return "call_counts" }

// countCall adds a call of what an approval is about, or takes one back. Calls without a
// session are not counted: each of them is the first.
func (t Requests) countCall(approval string, by int64) error {
	of, err := tables.One[ApprovalRow](t.Of("approvals").Select("agent_id, session_id, function").Where("approval_id = ?", approval), "no such approval")
	if err != nil || of.SessionID == "" {
		return err
	}
	row := callCountRow{TenantID: t.Tenant, AgentID: of.AgentID, SessionID: of.SessionID, Function: of.Function, Calls: by}
	if by < 0 {
		return t.Of("call_counts").Where("agent_id = ? AND session_id = ? AND function = ?", row.AgentID, row.SessionID, row.Function).
			Update("calls", gorm.Expr("calls + ?", by)).Error
	}
	return t.DB.Clauses(clause.OnConflict{
		Columns:   []clause.Column{{Name: "tenant_id"}, {Name: "agent_id"}, {Name: "session_id"}, {Name: "function"}},
		DoUpdates: clause.Assignments(map[string]any{"calls": gorm.Expr("call_counts.calls + ?", by)}),
	}).Create(&row).Error
}

// Calls returns how many calls were counted so far.
func (t Requests) Calls(agent, session, function string) (int, error) {
	row, err := tables.One[callCountRow](t.Of("call_counts").Where("agent_id = ? AND session_id = ? AND function = ?", agent, session, function), "no such count")
	if fault.Is(err, fault.Missing) {
		return 0, nil
	}
	return int(row.Calls), err
}
