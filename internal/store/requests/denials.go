package requests

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/store/tables"
)

// DenialRow is a row of denials.
type DenialRow struct {
	TenantID, AgentID, Likeness, ApprovalID string
	LevelRank, Asked                        int64
}

func (DenialRow) TableName() string { return "denials" }

// Denials are the denials and blocks that an agent's acts are like in these ways, decided
// after a time, the last first.
func (t Requests) Denials(agent string, like []string, after time.Time) ([]approvals.Denial, error) {
	name := fmt.Sprintf("denials %q %q %d", agent, like, tables.Stamp(after).UnixMicro())
	return tables.Once(t.Tx, name, []string{"denials", "decisions"}, func() ([]approvals.Denial, error) {
		var rows []struct {
			Likeness, ApprovalID, Verdict, DecidedBy string
			LevelRank, Asked                         int64
			DecidedAt                                time.Time
		}
		err := t.Of("denials").Select("denials.*, decisions.verdict, decisions.decided_by, decisions.decided_at").
			Joins("JOIN decisions ON decisions.tenant_id = denials.tenant_id AND decisions.approval_id = denials.approval_id").
			Where("denials.agent_id = ? AND denials.likeness IN ? AND decisions.decided_at > ?", agent, like, tables.Stamp(after)).
			Order("decisions.decided_at DESC, denials.approval_id DESC, denials.likeness").Find(&rows).Error
		all := make([]approvals.Denial, len(rows))
		for i, r := range rows {
			all[i] = approvals.Denial{
				Likeness: r.Likeness, Approval: r.ApprovalID, Level: level.Level(r.LevelRank), Asked: int(r.Asked),
				Verdict: approvals.Verdict(r.Verdict), At: tables.Stamp(r.DecidedAt),
			}
			if err := json.Unmarshal([]byte(r.DecidedBy), &all[i].By); err != nil {
				return nil, fmt.Errorf("stored decision of %s: %w", r.ApprovalID, err)
			}
		}
		return all, err
	})
}

// KeepDenial puts d in place of what is kept of acts that are alike in these ways. What of
// it was decided after a time still counts: the level stays the highest, and its asking is
// counted on.
func (t Requests) KeepDenial(agent string, like []string, d approvals.Denial, after time.Time) (approvals.Denial, error) {
	before, err := t.Denials(agent, like, after)
	if err != nil {
		return d, err
	}
	asked := 0
	for _, b := range before {
		asked, d.Level = max(asked, b.Asked), max(d.Level, b.Level)
	}
	d.Asked = max(d.Asked+asked, 1)
	rows := make([]DenialRow, len(like))
	for i, l := range like {
		rows[i] = DenialRow{TenantID: t.Tenant, AgentID: agent, Likeness: l, ApprovalID: d.Approval, LevelRank: int64(d.Level), Asked: int64(d.Asked)}
	}
	return d, t.DB.Clauses(clause.OnConflict{
		Columns:   []clause.Column{{Name: "tenant_id"}, {Name: "agent_id"}, {Name: "likeness"}},
		DoUpdates: clause.AssignmentColumns([]string{"approval_id", "level_rank", "asked"}),
	}).Create(&rows).Error
}

// AskAgain counts that an act was asked for that is like what was denied or blocked.
func (t Requests) AskAgain(agent string, like []string) error {
	return t.Of("denials").Where("agent_id = ? AND likeness IN ?", agent, like).Update("asked", gorm.Expr("asked + 1")).Error
}

// ForgetDenials ends the denials and blocks that an act is like in one of these ways, and
// returns in which ways acts were like them.
func (t Requests) ForgetDenials(agent string, like []string) (forgotten []string, err error) {
	var ended []string
	if err := t.Of("denials").Where("agent_id = ? AND likeness IN ?", agent, like).Pluck("approval_id", &ended).Error; err != nil || len(ended) == 0 {
		return nil, err
	}
	of := func() *gorm.DB { return t.Of("denials").Where("agent_id = ? AND approval_id IN ?", agent, ended) }
	if err := of().Pluck("likeness", &forgotten).Error; err != nil {
		return nil, err
	}
	slices.Sort(forgotten)
	return forgotten, of().Delete(&DenialRow{}).Error
}
