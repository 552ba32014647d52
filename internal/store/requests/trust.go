package requests

import (
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring/trust"
	"github.com/countersign/countersign/internal/store/tables"
)

// TrustRow is a row of trust_evidence.
type TrustRow struct {
	TenantID, AgentID, Function, Day, PersonID string
	Succeeded, Failed, Denied                  int64
}

// TrustLossRow is a row of trust_losses.
type TrustLossRow struct {
	TenantID, AgentID                   string
	LostAt                              time.Time
	Cause, ApprovalID, Reason, PersonID string
}

func (TrustRow) TableName() string     { return "trust_evidence" }
func (TrustLossRow) TableName() string { return "trust_losses" }

func (r TrustRow) day() trust.Day {
	return trust.Day{Day: r.Day, Person: r.PersonID, Succeeded: int(r.Succeeded), Failed: int(r.Failed), Denied: int(r.Denied)}
}

// TrustDays is what is known of an agent and a function since a day.
func (t Requests) TrustDays(agent, function, from string) ([]trust.Day, error) {
	return tables.All(t.Of("trust_evidence").Where("agent_id = ? AND function = ? AND day >= ?", agent, function, from).Order("day, person_id"), TrustRow.day)
}

// TrustFunctions is TrustDays of those functions of an agent of which most speaks for
// it; so nothing that it does puts them out of sight.
func (t Requests) TrustFunctions(agent, from string, limit int) ([]approvals.FunctionDays, error) {
	latest := t.Of("trust_evidence").Select("function").Where("agent_id = ? AND day >= ?", agent, from).
		Group("function").Order("sum(succeeded) DESC, max(day) DESC, function").Limit(limit)
	var names []string
	if err := latest.Find(&names).Error; err != nil {
		return nil, err
	}
	all := make([]approvals.FunctionDays, len(names))
	for i, name := range names {
		days, err := t.TrustDays(agent, name, from)
		if err != nil {
			return nil, err
		}
		all[i] = approvals.FunctionDays{Function: name, Days: days}
	}
	return all, nil
}

// TrustLoss is the last loss of an agent; nil where there was none.
func (t Requests) TrustLoss(agent string) (*trust.Loss, error) {
	row, err := tables.One[TrustLossRow](t.Of("trust_losses").Where("agent_id = ?", agent), "no such loss")
	if fault.Is(err, fault.Missing) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &trust.Loss{At: tables.Stamp(row.LostAt), Cause: trust.Cause(row.Cause), Approval: row.ApprovalID, Reason: row.Reason, Person: row.PersonID}, nil
}

// AddTrust counts what was decided at a time, unless trust was lost since.
func (t Requests) AddTrust(agent, function string, d trust.Day, decided time.Time) (counted bool, err error) {
	var later []string
	if err := t.Of("trust_losses").Select("agent_id").Where("agent_id = ? AND lost_at >= ?", agent, tables.Stamp(decided)).Find(&later).Error; err != nil || len(later) > 0 {
		return false, err
	}
	row := TrustRow{
		TenantID: t.Tenant, AgentID: agent, Function: function, Day: d.Day, PersonID: d.Person,
		Succeeded: int64(d.Succeeded), Failed: int64(d.Failed), Denied: int64(d.Denied),
	}
	err = t.DB.Clauses(clause.OnConflict{
		Columns: []clause.Column{{Name: "tenant_id"}, {Name: "agent_id"}, {Name: "function"}, {Name: "day"}, {Name: "person_id"}},
		DoUpdates: clause.Assignments(map[string]any{
			"succeeded": gorm.Expr("trust_evidence.succeeded + ?", row.Succeeded),
			"failed":    gorm.Expr("trust_evidence.failed + ?", row.Failed),
			"denied":    gorm.Expr("trust_evidence.denied + ?", row.Denied),
		}),
	}).Create(&row).Error
	return err == nil, err
}

// LoseTrust forgets all that is known of an agent, and keeps why. It reads the clock
// behind the lock: whoever used the trust before did so earlier.
func (t Requests) LoseTrust(agent string, l trust.Loss) (at time.Time, err error) {
	at = t.At
	if !t.Dialect.ClockCanStep() {
		if at, err = t.Clock(t.DB); err != nil {
			return at, err
		}
	}
	at = tables.Stamp(at)
	if err := t.Of("trust_evidence").Where("agent_id = ?", agent).Delete(&TrustRow{}).Error; err != nil {
		return at, err
	}
	row := TrustLossRow{TenantID: t.Tenant, AgentID: agent, LostAt: at, Cause: string(l.Cause), ApprovalID: l.Approval, Reason: l.Reason, PersonID: l.Person}
	return at, t.DB.Clauses(clause.OnConflict{
		Columns:   []clause.Column{{Name: "tenant_id"}, {Name: "agent_id"}},
		DoUpdates: clause.AssignmentColumns([]string{"lost_at", "cause", "approval_id", "reason", "person_id"}),
	}).Create(&row).Error
}
