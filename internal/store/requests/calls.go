package requests

import (
	"fmt"

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
	rows, err := t.row(approval).Read(t.Tx) // it was read before, in most cases
	if err == nil && len(rows) == 0 {
		err = fault.New(fault.Missing, "no such approval")
	}
	if err != nil || rows[0].SessionID == "" {
		return err
	}
	of := rows[0]
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

// CallsOf is the count of a function in a session.
func (t Requests) CallsOf(agent, session, function string) *tables.Rows[callCountRow] {
	return tables.Want[callCountRow](t.Tx, fmt.Sprintf("call_counts %s %q %q", agent, session, function), nil,
		"call_counts", " AND agent_id = ? AND session_id = ? AND function = ?", agent, session, function)
}

// Calls returns how many calls were counted so far.
func (t Requests) Calls(agent, session, function string) (n int, err error) {
	if session == "" {
		return 0, nil
	}
	rows, err := t.CallsOf(agent, session, function).Read(t.Tx)
	for _, r := range rows {
		n = int(r.Calls)
	}
	return n, err
}
