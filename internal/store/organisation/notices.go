package organisation

import (
	"fmt"
	"strings"
	"time"

	"gorm.io/gorm"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/notices"
	"github.com/countersign/countersign/internal/store/requests"
	"github.com/countersign/countersign/internal/store/tables"
)

type noticeRow struct {
	TenantID, NoticeID, Kind    string
	ApprovalID, Subject, OnlyTo string
	At                          time.Time
	RoutedAt                    *time.Time
}

type deliveryRow struct {
	TenantID, NoticeID, ChannelID, ApprovalID string
	State                                     string
	Attempts, Failures                        int
	NextAt                                    time.Time
	LastAt                                    *time.Time
	LastError                                 string
	DeliveredAt                               *time.Time
	Ref                                       string
}

func (noticeRow) TableName() string   { return "notices" }
func (deliveryRow) TableName() string { return "notice_deliveries" }

func (r noticeRow) notice() notices.Notice {
	return notices.Notice{ID: r.NoticeID, Kind: notices.Kind(r.Kind), Approval: r.ApprovalID, Subject: r.Subject, Only: r.OnlyTo, At: tables.Stamp(r.At)}
}

func (r deliveryRow) delivery() notices.Delivery {
	return notices.Delivery{
		Notice: r.NoticeID, Channel: r.ChannelID, Approval: r.ApprovalID, State: notices.State(r.State), Attempts: r.Attempts, Failures: r.Failures,
		Next: tables.Stamp(r.NextAt), Last: tables.StampPointer(r.LastAt), LastError: r.LastError, DeliveredAt: tables.StampPointer(r.DeliveredAt), Ref: r.Ref,
	}
}

// channels are there, or not: one of those that are not deleted.
func (t Organisation) channels() *tables.Rows[channelRow] {
	return tables.Want[channelRow](t.Tx, "notice_channels any", nil, "notice_channels", " AND state <> ? LIMIT 1", string(notices.Deleted))
}

// Outbox adds what is to be told of these events, where there is anybody to tell.
func (t Organisation) Outbox(events []audit.Event) error {
	all := notices.Of(events...)
	if len(all) == 0 {
		return nil
	}
	some, err := t.channels().Read(t.Tx)
	if err != nil || len(some) == 0 {
		return err
	}
	for _, n := range all {
		if err := t.PostNotice(n); err != nil {
			return err
		}
	}
	return nil
}

// PostNotice adds one to the outbox, from now on or, where it says so, from later on.
func (t Organisation) PostNotice(n notices.Notice) error {
	at := t.At
	if n.At.After(at) {
		at = tables.Stamp(n.At)
	}
	return t.DB.Create(&noticeRow{TenantID: t.Tenant, NoticeID: n.ID, Kind: string(n.Kind), ApprovalID: n.Approval, Subject: n.Subject, OnlyTo: n.Only, At: at}).Error
}

// UnroutedNotices lists those of which it is not known yet who is told.
func (t Organisation) UnroutedNotices(limit int) ([]notices.Notice, error) {
	return tables.All(t.Of("notices").Where("routed_at IS NULL AND at <= ?", t.At).Order("at, notice_id").Limit(max(0, limit)), noticeRow.notice)
}

// RouteNotice writes who is told.
func (t Organisation) RouteNotice(n notices.Notice, channels []string) error {
	r := t.Of("notices").Where("notice_id = ? AND routed_at IS NULL", n.ID).Update("routed_at", t.At)
	if err := tables.Changed(r, fault.New(fault.Changed, "the recipients are already set")); err != nil {
		return err
	}
	for _, id := range channels {
		row := deliveryRow{TenantID: t.Tenant, NoticeID: n.ID, ChannelID: id, ApprovalID: n.Approval, State: string(notices.Waiting), NextAt: t.At}
		if err := t.DB.Create(&row).Error; err != nil {
			return err
		}
	}
	return nil
}

// DueDeliveries are the oldest due of each channel.
func (t Organisation) DueDeliveries() ([]notices.SealedJob, error) {
	var due []struct{ ChannelID, NoticeID string }
	err := t.Of("notice_deliveries").Select("channel_id, min(notice_id) AS notice_id").
		Where("state = 'waiting' AND next_at <= ?", t.At).Group("channel_id").Order("channel_id").Scan(&due).Error
	if err != nil {
		return nil, err
	}
	all := make([]notices.SealedJob, len(due))
	for i, d := range due {
		if all[i], err = t.job(d.NoticeID, d.ChannelID); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func (t Organisation) job(notice, channel string) (job notices.SealedJob, err error) {
	d, err := tables.One[deliveryRow](t.Of("notice_deliveries").Where("notice_id = ? AND channel_id = ?", notice, channel), "no such delivery")
	if err != nil {
		return job, err
	}
	n, err := tables.One[noticeRow](t.Of("notices").Where("notice_id = ?", notice), "no such notice")
	if err != nil {
		return job, err
	}
	c, err := tables.One[channelRow](t.Of("notice_channels").Where("channel_id = ?", channel), "no such channel")
	if err != nil {
		return job, err
	}
	sealed, err := c.channel()
	if err != nil {
		return job, err
	}
	job = notices.SealedJob{Job: notices.Job{Delivery: d.delivery(), Notice: n.notice(), Channel: sealed.Channel}, Sealed: sealed.Sealed}
	if c.PersonID != "" {
		m, err := t.Membership(c.PersonID)
		if err != nil && !fault.Is(err, fault.Missing) {
			return job, err
		}
		job.Left = err != nil || m.Suspended != nil
	}
	if n.ApprovalID == "" {
		return job, nil
	}
	var status []string
	if err := t.Of("approvals").Where("approval_id = ?", n.ApprovalID).Pluck("status", &status).Error; err != nil {
		return job, err
	}
	job.Over = len(status) == 0 || approvals.Status(status[0]).Final()
	err = t.Of("notice_deliveries").Joins("JOIN notices ON notices.tenant_id = notice_deliveries.tenant_id AND notices.notice_id = notice_deliveries.notice_id").
		Where("notice_deliveries.approval_id = ? AND notice_deliveries.channel_id = ? AND notice_deliveries.ref <> '' AND notice_deliveries.notice_id <> ?", n.ApprovalID, channel, notice).
		Where("notices.kind IN ?", calling).Order("notice_deliveries.notice_id").Pluck("notice_deliveries.ref", &job.Prior).Error
	return job, err
}

// calling are the kinds that call somebody.
var calling = []string{string(notices.Held), string(notices.Escalated), string(notices.Assigned), string(notices.Ending)}

// taking is a delivery that waits and had so many attempts.
func (t Organisation) taking(d notices.Delivery) *gorm.DB {
	return t.Of("notice_deliveries").Where("notice_id = ? AND channel_id = ? AND state = 'waiting' AND attempts = ?", d.Notice, d.Channel, d.Attempts)
}

var errTaken = fault.New(fault.Changed, "another server took it")

// TakeDelivery counts an attempt.
func (t Organisation) TakeDelivery(d notices.Delivery, next time.Time) error {
	return tables.Changed(t.taking(d).Updates(map[string]any{"attempts": d.Attempts + 1, "next_at": tables.Stamp(next), "last_at": t.At}), errTaken)
}

// MarkDelivery writes what became of an attempt.
func (t Organisation) MarkDelivery(d notices.Delivery) error {
	return tables.Changed(t.taking(d).Updates(map[string]any{
		"state": string(d.State), "failures": d.Failures, "next_at": tables.Stamp(d.Next), "last_error": d.LastError,
		"delivered_at": tables.StampPointer(d.DeliveredAt), "ref": d.Ref,
	}), errTaken)
}

type toldRow struct {
	Delivery                            deliveryRow `gorm:"embedded"`
	Kind                                string
	ChannelKind, ChannelName, ChannelOf string
}

// told begins a query on deliveries with what they are about.
func (t Organisation) told() *gorm.DB {
	return t.Of("notice_deliveries").
		Select("notice_deliveries.*, notices.kind, notice_channels.kind AS channel_kind, notice_channels.name AS channel_name, notice_channels.person_id AS channel_of").
		Joins("JOIN notices ON notices.tenant_id = notice_deliveries.tenant_id AND notices.notice_id = notice_deliveries.notice_id").
		Joins("JOIN notice_channels ON notice_channels.tenant_id = notice_deliveries.tenant_id AND notice_channels.channel_id = notice_deliveries.channel_id")
}

func (r toldRow) told() notices.Told {
	return notices.Told{Delivery: r.Delivery.delivery(), Kind: notices.Kind(r.Kind), ChannelKind: r.ChannelKind, ChannelName: r.ChannelName, Person: r.ChannelOf}
}

// maxTold bounds how many deliveries of one request are listed.
const maxTold = 500

// DeliveriesOf lists those about a request.
func (t Organisation) DeliveriesOf(approval string) (all []notices.Told, calls int, routed bool, err error) {
	of := tables.Chosen[noticeRow]("", nil, nil, t.Of("notices").Where("approval_id = ? AND at <= ?", approval, t.At))
	if err := t.Fetch(of, t.callOf(approval)); err != nil || len(of.Found) == 0 { // the call is asked for next
		return nil, 0, true, err
	}
	routed = true
	for _, n := range of.Found {
		if n.notice().Kind.Calls() {
			calls++
			routed = routed && n.RoutedAt != nil
		}
	}
	var rows []toldRow
	err = t.told().Where("notice_deliveries.approval_id = ?", approval).
		Order("notice_deliveries.notice_id, notice_channels.created_at, notice_channels.channel_id").Limit(maxTold).Find(&rows).Error
	for _, r := range rows {
		all = append(all, r.told())
	}
	return all, calls, routed, err
}

// NewestDelivery is that of the newest notice that was tried on a channel.
func (t Organisation) NewestDelivery(channel string) (notices.Told, error) {
	row, err := tables.One[toldRow](t.told().Where("notice_deliveries.channel_id = ? AND notice_deliveries.state <> ? AND (notice_deliveries.failures > 0 OR notice_deliveries.delivered_at IS NOT NULL)", channel, string(notices.Skipped)).
		Order("notice_deliveries.notice_id DESC"), "nothing was sent to this channel")
	return row.told(), err
}

// TestDelivery is the newest of a Test to a channel. One that was asked for this moment waits.
func (t Organisation) TestDelivery(channel string) (notices.Told, error) {
	asked, err := tables.One[noticeRow](t.Of("notices").Where("routed_at IS NULL AND only_to = ? AND kind = ?", channel, string(notices.Test)), "no test was asked for")
	if err == nil {
		return notices.Told{Delivery: notices.Delivery{Notice: asked.NoticeID, Channel: channel, State: notices.Waiting}, Kind: notices.Test}, nil
	}
	if !fault.Is(err, fault.Missing) {
		return notices.Told{}, err
	}
	row, err := tables.One[toldRow](t.told().Where("notice_deliveries.channel_id = ? AND notices.kind = ?", channel, string(notices.Test)).
		Order("notice_deliveries.notice_id DESC"), "no test was sent to this channel")
	return row.told(), err
}

// Unreached are requests that wait and whose calls no channel took, or to which nobody came
// in all the time that a rule gave. It says what notices.ReachOf and a Call do.
func (t Organisation) Unreached() (ids []string, err error) {
	rows, err := t.UnreachedRows().Read(t.Tx)
	for _, r := range rows {
		ids = append(ids, r.ApprovalID)
	}
	return ids, err
}

type unreachedRow struct{ ApprovalID string }

// UnreachedRows are they.
func (t Organisation) UnreachedRows() *tables.Rows[unreachedRow] {
	// From what waits to its notices: there are far more of those that are over. The level
	// leads to the index of what waits; every request has one.
	waiting := t.Of("approvals").Select("approvals.approval_id").Where(requests.IsPending + " AND approvals.level_rank >= 0")
	return tables.Chosen(fmt.Sprint("notices unreached ", t.At.UnixMicro()), []string{"notices", "notice_deliveries", "notice_calls", "claims", "approvals"}, func(a, b unreachedRow) int { return strings.Compare(a.ApprovalID, b.ApprovalID) }, t.Of("notices").Select("notices.approval_id").
		Joins("LEFT JOIN notice_deliveries ON notice_deliveries.tenant_id = notices.tenant_id AND notice_deliveries.notice_id = notices.notice_id").
		Joins(`LEFT JOIN notice_calls ON notice_calls.tenant_id = notices.tenant_id AND notice_calls.approval_id = notices.approval_id AND
			NOT EXISTS (SELECT 1 FROM claims WHERE claims.tenant_id = notices.tenant_id AND claims.approval_id = notices.approval_id AND claims.until_at > ? AND claims.assigned_by = '')`, t.At).
		Where("notices.kind IN ? AND notices.at <= ? AND notices.approval_id IN (?)", calling, t.At, waiting).
		Group("notices.approval_id").
		Having(`max(CASE WHEN notices.routed_at IS NULL OR notice_deliveries.state = 'delivered' OR
			(notice_deliveries.state = 'waiting' AND notice_deliveries.failures = 0) THEN 1 ELSE 0 END) = 0 OR max(CASE WHEN notice_calls.state = 'nobody' THEN 1 ELSE 0 END) = 1`).
		Order("notices.approval_id").Limit(requests.MaxAttention))
}

// ForgetNotices deletes old ones with their deliveries.
func (t Organisation) ForgetNotices(before time.Time, limit int) (int, error) {
	var ids []string
	if err := t.Of("notices").Where("at < ?", tables.Stamp(before)).Order("at").Limit(max(0, limit)).Pluck("notice_id", &ids).Error; err != nil || len(ids) == 0 {
		return 0, err
	}
	if err := t.Of("notice_deliveries").Where("notice_id IN ?", ids).Delete(&deliveryRow{}).Error; err != nil {
		return 0, err
	}
	return len(ids), t.Of("notices").Where("notice_id IN ?", ids).Delete(&noticeRow{}).Error
}
