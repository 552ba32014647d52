package requests

import (
	"encoding/json"
	"fmt"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/store/tables"
)

// StandingRow is a row of standing_grants.
type StandingRow struct {
	TenantID, StandingID           string
	AgentID, AgentName, AgentOwner string
	Function, Pattern              string // canonical JSON
	Uses, UsesLeft                 int64
	Reason, MadeFrom               string
	MadeBy, MadeByName             string
	SinglePerson                   bool
	CreatedAt, EndsAt              time.Time
	LastUsedAt, RevokedAt          *time.Time
	RevokedBy, RevokedByName       string
	RevokeReason                   string
	SessionID, Effects             string // '' but for session grants; the effects as JSON
	Scope                          string // JSON, '' but for session grants in a workspace
}

func (StandingRow) TableName() string { return "standing_grants" }

func (r StandingRow) standing() (approvals.Standing, error) {
	pattern, err := scoring.ReadPattern([]byte(r.Pattern))
	if err != nil {
		return approvals.Standing{}, fmt.Errorf("stored standing grant %s: %w", r.StandingID, err)
	}
	g := approvals.Standing{
		ID: r.StandingID, Agent: approvals.Agent{ID: r.AgentID, Name: r.AgentName, Owner: r.AgentOwner}, Function: r.Function, Pattern: pattern,
		Uses: int(r.Uses), Left: int(r.UsesLeft), Reason: r.Reason, From: r.MadeFrom,
		MadeBy: approvals.Decider{Kind: approvals.ByPerson, ID: r.MadeBy, Name: r.MadeByName}, SinglePerson: r.SinglePerson,
		CreatedAt: tables.Stamp(r.CreatedAt), EndsAt: tables.Stamp(r.EndsAt), LastUsedAt: tables.StampPointer(r.LastUsedAt),
		RevokedAt: tables.StampPointer(r.RevokedAt), RevokeReason: r.RevokeReason,
	}
	if g.Session = r.SessionID; r.Effects != "" {
		if err := json.Unmarshal([]byte(r.Effects), &g.Effects); err != nil {
			return g, fmt.Errorf("stored session grant %s: %w", r.StandingID, err)
		}
	}
	if g.Scope, err = approvals.ReadScope(r.Scope); err != nil {
		return g, fmt.Errorf("stored session grant %s: %w", r.StandingID, err)
	}
	if r.RevokedAt != nil {
		g.RevokedBy = approvals.Decider{Kind: approvals.ByPerson, ID: r.RevokedBy, Name: r.RevokedByName}
		if auth.IsID("agt", r.RevokedBy) {
			g.RevokedBy.Kind = approvals.ByAgent
		}
	}
	return g, nil
}

// Standing returns one standing grant. Who writes holds it until the commit, so
// that nothing is spent after it was revoked.
func (t Requests) Standing(id string) (approvals.Standing, error) {
	q := t.Of("standing_grants").Where("standing_id = ?", id)
	if t.Writes {
		q = q.Clauses(clause.Locking{Strength: "NO KEY UPDATE"})
	}
	row, err := tables.One[StandingRow](q, "no such standing approval")
	if err != nil {
		return approvals.Standing{}, err
	}
	return row.standing()
}

// openStanding is the condition of one that may be used now.
func (t Requests) openStanding(q *gorm.DB) *gorm.DB {
	return q.Where("uses_left > 0 AND revoked_at IS NULL AND ends_at > ?", t.At)
}

// StandingGrants lists them, newest first.
func (t Requests) StandingGrants(f approvals.StandingQuery) ([]approvals.Standing, error) {
	q := t.Of("standing_grants").Order("standing_id DESC") // ids sort by time of creation
	if f.Agent != "" {
		q = q.Where("agent_id = ?", f.Agent)
	}
	if f.Function != "" {
		q = q.Where("function = ?", f.Function)
	}
	if f.Open {
		q = t.openStanding(q)
	}
	if f.InSession != nil {
		q = q.Where("session_id IN ?", []string{"", *f.InSession}).Where("scope = ''")
	}
	if f.Session != "" {
		q = q.Where("session_id = ?", f.Session)
	}
	if f.Scoped {
		q = q.Where("scope <> ''")
	}
	if f.Before != "" {
		q = q.Where("standing_id < ?", f.Before)
	}
	limit := f.Limit
	if limit <= 0 {
		limit = DefaultLimit
	}
	return tables.Each(q.Limit(min(limit, MaxLimit)), StandingRow.standing)
}

// CreateStanding stores a new one.
func (t Requests) CreateStanding(g approvals.Standing) error {
	row := StandingRow{
		TenantID: t.Tenant, StandingID: g.ID, AgentID: g.Agent.ID, AgentName: g.Agent.Name, AgentOwner: g.Agent.Owner,
		Function: g.Function, Pattern: string(g.Pattern.Canonical()), Uses: int64(g.Uses), UsesLeft: int64(g.Left), Reason: g.Reason, MadeFrom: g.From,
		MadeBy: g.MadeBy.ID, MadeByName: g.MadeBy.Name, SinglePerson: g.SinglePerson, CreatedAt: tables.Stamp(g.CreatedAt), EndsAt: tables.Stamp(g.EndsAt),
		SessionID: g.Session, Effects: g.EffectsText(), Scope: g.Scope.Text(),
	}
	return tables.Classify(t.DB.Create(&row).Error)
}

// UseStanding takes one use, on the condition that there is one.
func (t Requests) UseStanding(id string) (left int, err error) {
	r := t.openStanding(t.Of("standing_grants").Where("standing_id = ?", id)).
		Updates(map[string]any{"uses_left": gorm.Expr("uses_left - 1"), "last_used_at": t.At})
	if err := tables.Changed(r, fault.New(fault.Changed, "it's used up, revoked or expired")); err != nil {
		return 0, err
	}
	g, err := t.Standing(id)
	return g.Left, err
}

// RevokeStanding ends one, once.
func (t Requests) RevokeStanding(id string, by approvals.Decider, reason string) error {
	r := t.Of("standing_grants").Where("standing_id = ? AND revoked_at IS NULL", id).
		Updates(map[string]any{"revoked_at": t.At, "revoked_by": by.ID, "revoked_by_name": by.Name, "revoke_reason": reason})
	return tables.Changed(r, fault.New(fault.Changed, "it's already revoked"))
}
