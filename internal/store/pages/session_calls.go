package pages

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/scoring/workspace"
	"github.com/countersign/countersign/internal/store/requests"
	"github.com/countersign/countersign/internal/store/tables"
)

// What a session came to. Each reads a stretch of the index of sessions, never more than
// it is told.

// SessionCounts counts what became of the newest calls.
func (t Pages) SessionCounts(agent, session string, calls int) (c approvals.SessionCounts, err error) {
	of := t.matching(approvals.Filter{Agent: agent, Session: session, Limit: calls})
	err = t.DB.Table("(?) AS newest", of.Select("approvals.status, "+wasHeld+" AS held")).
		Select(`count(*) AS calls, count(CASE WHEN held THEN 1 END) AS held,
			count(CASE WHEN status = 'pending' THEN 1 END) AS waiting, count(CASE WHEN status = 'blocked' AND NOT held THEN 1 END) AS blocked`).Scan(&c).Error
	if err != nil {
		return c, err
	}
	var first []requests.ApprovalRow
	err = t.Of("approvals").Select("approval_id, created_at").Where("agent_id = ? AND session_id = ?", agent, session).Order("approval_id").Limit(1).Find(&first).Error
	if len(first) > 0 {
		c.Began = tables.Stamp(first[0].CreatedAt)
	}
	return c, err
}

// SessionWrites is what those that were allowed wrote. Most wrote nothing, so the database
// looks for the word before anything is read.
func (t Pages) SessionWrites(agent, session string, calls int) ([]approvals.CallWrites, error) {
	newest := t.matching(approvals.Filter{Agent: agent, Session: session, Limit: calls}).Select("approvals.approval_id, approvals.created_at, approvals.status, approvals.assessment")
	var rows []struct {
		ApprovalID, Assessment string
		CreatedAt              time.Time
	}
	err := t.DB.Table("(?) AS newest", newest).Where("status = ? AND assessment LIKE ?", string(approvals.Approved), `%"writes":[%`).Order("approval_id DESC").Find(&rows).Error
	if err != nil {
		return nil, err
	}
	var all []approvals.CallWrites
	for _, r := range rows {
		var said struct {
			Workspace struct {
				Writes []workspace.File `json:"writes"`
			} `json:"workspace"`
		}
		if err := json.Unmarshal([]byte(r.Assessment), &said); err != nil {
			return nil, fmt.Errorf("stored approval %s: %w", r.ApprovalID, err)
		}
		if len(said.Workspace.Writes) > 0 {
			all = append(all, approvals.CallWrites{Approval: r.ApprovalID, At: tables.Stamp(r.CreatedAt), Files: said.Workspace.Writes})
		}
	}
	return all, nil
}
