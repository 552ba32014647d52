package organisation

import (
	"encoding/json"
	"fmt"
	"time"

	"gorm.io/gorm/clause"

	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/notices"
	"github.com/countersign/countersign/internal/store/tables"
)

type planRow struct {
	TenantID, Plan string // JSON
	Version        int64
	ChangedAt      time.Time
}

type ownRow struct {
	TenantID, PersonID, Own string // JSON
	Version                 int64
	ChangedAt               time.Time
}

type callRow struct {
	TenantID, ApprovalID, Rule string
	Steps                      string // JSON
	Step                       int
	State                      string
	NextAt                     time.Time
}

func (planRow) TableName() string { return "notice_plans" }
func (ownRow) TableName() string  { return "notice_owns" }
func (callRow) TableName() string { return "notice_calls" }

// NoticePlan is who is called.
func (t Organisation) NoticePlan() (p notices.Plan, err error) {
	q := t.Of("notice_plans")
	if t.Writes {
		q = q.Clauses(clause.Locking{Strength: "NO KEY UPDATE"})
	}
	row, err := tables.One[planRow](q, "nothing was set")
	if fault.Is(err, fault.Missing) {
		return p, nil
	}
	if err != nil {
		return p, err
	}
	if err := json.Unmarshal([]byte(row.Plan), &p); err != nil {
		return p, fmt.Errorf("stored rules for notices: %w", err)
	}
	p.Version = row.Version
	return p, nil
}

// KeepNoticePlan writes it over the version that was there.
func (t Organisation) KeepNoticePlan(p notices.Plan, was int64) error {
	text, err := tables.JSON(p)
	if err != nil {
		return err
	}
	if was == 0 {
		return t.first(&planRow{TenantID: t.Tenant, Plan: text, Version: 1, ChangedAt: t.At})
	}
	r := t.Of("notice_plans").Where("version = ?", was).Updates(map[string]any{"plan": text, "version": was + 1, "changed_at": t.At})
	return tables.Changed(r, fault.New(fault.Changed, "someone else changed the rules in the meantime; check them, then make your change again"))
}

// first writes the first version of something, unless somebody else was first.
func (t Organisation) first(row any) error {
	r := t.DB.Clauses(clause.OnConflict{DoNothing: true}).Create(row)
	return tables.Changed(r, fault.New(fault.Changed, "someone else changed this first; check it, then make your change again"))
}

func (r ownRow) settings() (o notices.Own, err error) {
	if err := json.Unmarshal([]byte(r.Own), &o); err != nil {
		return o, fmt.Errorf("stored notices of %s: %w", r.PersonID, err)
	}
	o.Person, o.Version = r.PersonID, r.Version
	return o, nil
}

// NoticeOwn is what a person set.
func (t Organisation) NoticeOwn(person string) (notices.Own, error) {
	row, err := tables.One[ownRow](t.Of("notice_owns").Where("person_id = ?", person), "nothing was set")
	if fault.Is(err, fault.Missing) {
		return notices.Own{Person: person}, nil
	}
	if err != nil {
		return notices.Own{}, err
	}
	return row.settings()
}

// NoticeOwns lists what people set.
func (t Organisation) NoticeOwns() ([]notices.Own, error) {
	return tables.Each(t.Of("notice_owns").Order("person_id"), ownRow.settings)
}

// KeepNoticeOwn writes it over the version that was there.
func (t Organisation) KeepNoticeOwn(o notices.Own, was int64) error {
	text, err := tables.JSON(o)
	if err != nil {
		return err
	}
	if was == 0 {
		return t.first(&ownRow{TenantID: t.Tenant, PersonID: o.Person, Own: text, Version: 1, ChangedAt: t.At})
	}
	r := t.Of("notice_owns").Where("person_id = ? AND version = ?", o.Person, was).Updates(map[string]any{"own": text, "version": was + 1, "changed_at": t.At})
	return tables.Changed(r, fault.New(fault.Changed, "this was changed elsewhere in the meantime; check it, then make your change again"))
}

func (r callRow) call() (notices.Call, error) {
	c := notices.Call{Approval: r.ApprovalID, Rule: r.Rule, Step: r.Step, State: notices.CallState(r.State), Next: tables.Stamp(r.NextAt)}
	if err := json.Unmarshal([]byte(r.Steps), &c.Steps); err != nil {
		return c, fmt.Errorf("stored call of %s: %w", r.ApprovalID, err)
	}
	return c, nil
}

// NoticeCall is how far the call to a request is.
func (t Organisation) NoticeCall(approval string) (notices.Call, error) {
	rows, err := t.callOf(approval).Read(t.Tx)
	if err == nil && len(rows) == 0 {
		err = fault.New(fault.Missing, "no one was called by a rule")
	}
	if err != nil {
		return notices.Call{}, err
	}
	return rows[0].call()
}

func (t Organisation) callOf(approval string) *tables.Rows[callRow] {
	return tables.Want[callRow](t.Tx, "notice_calls "+approval, nil, "notice_calls", " AND approval_id = ?", approval)
}

// DueNoticeCalls are those whose next step is due.
func (t Organisation) DueNoticeCalls(limit int) ([]notices.Call, error) {
	var rows []callRow
	err := t.Of("notice_calls").Where("state = ? AND next_at <= ?", string(notices.CallOpen), t.At).
		Order("next_at, approval_id").Limit(max(0, limit)).Find(&rows).Error
	all := make([]notices.Call, len(rows))
	for i, r := range rows {
		if err != nil {
			break
		}
		all[i], err = r.call()
	}
	return all, err
}

// KeepNoticeCall writes a new one, or one that is open at the step was.
func (t Organisation) KeepNoticeCall(c notices.Call, was int) error {
	steps, err := tables.JSON(c.Steps)
	if err != nil {
		return err
	}
	if was < 0 {
		return t.first(&callRow{TenantID: t.Tenant, ApprovalID: c.Approval, Rule: c.Rule, Steps: steps, Step: c.Step, State: string(c.State), NextAt: tables.Stamp(c.Next)})
	}
	r := t.Of("notice_calls").Where("approval_id = ? AND state = ? AND step = ?", c.Approval, string(notices.CallOpen), was).
		Updates(map[string]any{"step": c.Step, "state": string(c.State), "next_at": tables.Stamp(c.Next)})
	return tables.Changed(r, fault.New(fault.Changed, "another server took over"))
}
