package store

import (
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/countersign/countersign/internal/fault"
)

type callCountRow struct {
	TenantID, AgentID, SessionID, Function string
	Calls                                  int64
}

func (callCountRow) TableName() string { return "call_counts" }

// CountCall returns the number of this call and remembers it.
func (t *tx) CountCall(agent, session, function string) (int, error) {
	if session == "" {
		return 1, nil
	}
	row := callCountRow{TenantID: t.tenant, AgentID: agent, SessionID: session, Function: function, Calls: 1}
	err := t.db.Clauses(clause.OnConflict{
		Columns:   []clause.Column{{Name: "tenant_id"}, {Name: "agent_id"}, {Name: "session_id"}, {Name: "function"}},
		DoUpdates: clause.Assignments(map[string]any{"calls": gorm.Expr("call_counts.calls + 1")}),
	}).Create(&row).Error
	if err != nil {
		return 0, err
	}
	return t.Calls(agent, session, function)
}

// Calls returns how many calls were counted so far.
func (t *tx) Calls(agent, session, function string) (int, error) {
	row, err := one[callCountRow](t.of("call_counts").Where("agent_id = ? AND session_id = ? AND function = ?", agent, session, function), "no such count")
	if fault.Is(err, fault.Missing) {
		return 0, nil
	}
	return int(row.Calls), err
}
