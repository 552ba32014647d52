package requests

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/store/tables"
)

// MaxAttention bounds how many looks, and how many claims, are told at once.
const MaxAttention = 2000

type presenceRow struct {
	TenantID, PersonID, ApprovalID string
	SinceAt, SeenAt                time.Time
}

func (presenceRow) TableName() string { return "presences" }

type claimRow struct {
	TenantID, ApprovalID, PersonID string
	ClaimedAt, UntilAt             time.Time
	AssignedBy                     string
}

func (claimRow) TableName() string { return "claims" }

// attention begins a query on one of the two tables: pending approvals only, with
// the names of people.
func (t Requests) attention(table, columns string) *gorm.DB {
	return t.Of(table).
		Select(table+".approval_id, "+table+".person_id, people.name, "+columns).
		Joins("JOIN approvals ON approvals.tenant_id = "+table+".tenant_id AND approvals.approval_id = "+table+".approval_id AND approvals.status = ?", string(approvals.Pending)).
		Joins("JOIN people ON people.person_id = " + table + ".person_id").
		Limit(MaxAttention)
}

type lookRow struct {
	ApprovalID, PersonID, Name string
	SinceAt, SeenAt            time.Time
}

// onPending is a name of rows on pending approvals that count at this time, and their tables.
func (t Requests) onPending(table string) (name string, of []string) {
	return fmt.Sprint(table, " at ", t.At.UnixMicro()), []string{table, "approvals", "people", "memberships"}
}

func (t Requests) looks() *tables.Rows[lookRow] {
	name, of := t.onPending("presences")
	return tables.Chosen(name, of, func(a, b lookRow) int {
		return cmp.Or(a.SinceAt.Compare(b.SinceAt), strings.Compare(a.PersonID, b.PersonID), strings.Compare(a.ApprovalID, b.ApprovalID))
	}, t.attention("presences", "presences.since_at, presences.seen_at").
		Where("presences.seen_at > ?", t.At.Add(-approvals.LookFor)).
		Order("presences.since_at, presences.person_id, presences.approval_id"))
}

// Looks lists who has a pending approval open, the longest look first.
func (t Requests) Looks() ([]approvals.Look, error) {
	rows, err := t.looks().Read(t.Tx)
	all := make([]approvals.Look, len(rows))
	for i, r := range rows {
		all[i] = approvals.Look{Approval: r.ApprovalID, Person: r.PersonID, Name: r.Name, Since: tables.Stamp(r.SinceAt), Seen: tables.Stamp(r.SeenAt)}
	}
	return all, err
}

// LookedAt is when the look of this person at this approval was written last.
func (t Requests) LookedAt(approval, person string) (at time.Time, ok bool, err error) {
	rows, err := t.looksAt(approval).Read(t.Tx)
	i := slices.IndexFunc(rows, func(r presenceRow) bool { return r.PersonID == person })
	if err != nil || i < 0 {
		return at, false, err
	}
	return tables.Stamp(rows[i].SeenAt), true, nil
}

func (t Requests) looksAt(approval string) *tables.Rows[presenceRow] {
	return about[presenceRow](t, "presences", []string{approval}, nil)
}

// Look notes a look, and forgets those of the same person that are over.
func (t Requests) Look(approval, person string) error {
	over := t.At.Add(-approvals.LookFor)
	if err := t.Of("presences").Where("person_id = ? AND seen_at <= ?", person, over).Delete(&presenceRow{}).Error; err != nil {
		return err
	}
	row := presenceRow{TenantID: t.Tenant, PersonID: person, ApprovalID: approval, SinceAt: t.At, SeenAt: t.At}
	return t.DB.Clauses(clause.OnConflict{
		Columns:   []clause.Column{{Name: "tenant_id"}, {Name: "person_id"}, {Name: "approval_id"}},
		DoUpdates: clause.AssignmentColumns([]string{"seen_at"}),
		Where:     clause.Where{Exprs: []clause.Expression{clause.Lte{Column: clause.Column{Table: "presences", Name: "seen_at"}, Value: t.At.Add(-approvals.LookAgain)}}},
	}).Create(&row).Error
}

// LookAway leaves a look its grace.
func (t Requests) LookAway(approval, person string) error {
	left := t.At.Add(approvals.LookGrace - approvals.LookFor)
	return t.Of("presences").Where("approval_id = ? AND person_id = ? AND seen_at > ?", approval, person, left).Update("seen_at", left).Error
}

type heldRow struct {
	ApprovalID, PersonID, Name string
	AssignedBy, Assigner       string
	ClaimedAt, UntilAt         time.Time
}

func (t Requests) claims() *tables.Rows[heldRow] {
	name, of := t.onPending("claims")
	return tables.Chosen(name, of, func(a, b heldRow) int {
		return cmp.Or(a.ClaimedAt.Compare(b.ClaimedAt), strings.Compare(a.ApprovalID, b.ApprovalID))
	}, t.attention("claims", "claims.claimed_at, claims.until_at, claims.assigned_by, coalesce(assigners.name, '') AS assigner").
		Joins("LEFT JOIN people AS assigners ON assigners.person_id = claims.assigned_by").
		Where("claims.until_at > ?", t.At).Order("claims.claimed_at, claims.approval_id"))
}

// Claims lists who is on which pending approval.
func (t Requests) Claims() ([]approvals.Claim, error) {
	rows, err := t.claims().Read(t.Tx)
	all := make([]approvals.Claim, len(rows))
	for i, r := range rows {
		all[i] = approvals.Claim{Approval: r.ApprovalID, Person: r.PersonID, Name: r.Name, By: r.AssignedBy, ByName: r.Assigner, At: tables.Stamp(r.ClaimedAt), Until: tables.Stamp(r.UntilAt)}
	}
	return all, err
}

// Claim writes a claim, if the one that holds now is that of was, or there is none
// and was is empty.
func (t Requests) Claim(c approvals.Claim, was string) error {
	taken := fault.New(fault.Changed, "someone else has claimed this; reload to see who")
	row := claimRow{TenantID: t.Tenant, ApprovalID: c.Approval, PersonID: c.Person, ClaimedAt: tables.Stamp(c.At), UntilAt: tables.Stamp(c.Until), AssignedBy: c.By}
	if was != "" {
		held := t.Of("claims").Where("approval_id = ? AND person_id = ? AND until_at > ?", c.Approval, was, t.At)
		return tables.Changed(held.Updates(map[string]any{"person_id": row.PersonID, "claimed_at": row.ClaimedAt, "until_at": row.UntilAt, "assigned_by": row.AssignedBy}), taken)
	}
	return tables.Changed(t.DB.Clauses(clause.OnConflict{
		Columns:   []clause.Column{{Name: "tenant_id"}, {Name: "approval_id"}},
		DoUpdates: clause.AssignmentColumns([]string{"person_id", "claimed_at", "until_at", "assigned_by"}),
		Where:     clause.Where{Exprs: []clause.Expression{clause.Lte{Column: clause.Column{Table: "claims", Name: "until_at"}, Value: t.At}}},
	}).Create(&row), taken)
}

// Release ends the claim of this person, if it holds.
func (t Requests) Release(approval, person string) (released bool, err error) {
	r := t.Of("claims").Where("approval_id = ? AND person_id = ? AND until_at > ?", approval, person, t.At).Delete(&claimRow{})
	return r.RowsAffected > 0, r.Error
}

type waitRow struct {
	TenantID, ApprovalID string
	UntilAt              time.Time
}

func (waitRow) TableName() string { return "agent_waits" }

// WaitUntil notes until when an agent waits.
func (t Requests) WaitUntil(approval string, until time.Time) error {
	return t.DB.Clauses(clause.OnConflict{
		Columns:   []clause.Column{{Name: "tenant_id"}, {Name: "approval_id"}},
		DoUpdates: clause.AssignmentColumns([]string{"until_at"}),
	}).Create(&waitRow{TenantID: t.Tenant, ApprovalID: approval, UntilAt: tables.Stamp(until)}).Error
}

// waits are those of these approvals, or of all that are pending.
func (t Requests) waits(ids []string) *tables.Rows[waitRow] {
	q, name := t.Of("agent_waits").Limit(MaxAttention), ""
	if ids == nil {
		name = "agent_waits pending"
		q = q.Select("agent_waits.*").
			Joins("JOIN approvals ON approvals.tenant_id = agent_waits.tenant_id AND approvals.approval_id = agent_waits.approval_id AND approvals.status = ?", string(approvals.Pending))
	} else {
		q = q.Where("approval_id IN ?", ids)
	}
	return tables.Chosen[waitRow](name, []string{"agent_waits", "approvals"}, nil, q)
}

// Waits says until when agents wait.
func (t Requests) Waits(ids []string) (map[string]time.Time, error) {
	rows, err := t.waits(ids).Read(t.Tx)
	all := make(map[string]time.Time, len(rows))
	for _, r := range rows {
		all[r.ApprovalID] = tables.Stamp(r.UntilAt)
	}
	return all, err
}
