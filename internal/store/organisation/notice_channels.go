package organisation

import (
	"encoding/json"
	"fmt"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/notices"
	"github.com/countersign/countersign/internal/store/tables"
)

type channelRow struct {
	TenantID, ChannelID, Kind, Name string
	PersonID                        string
	Fields                          string // JSON
	Sealed, Tells, State, Why       string
	Version                         int64
	CreatedAt, ChangedAt            time.Time
}

func (channelRow) TableName() string { return "notice_channels" }

func (r channelRow) channel() (notices.SealedChannel, error) {
	c := notices.SealedChannel{Sealed: r.Sealed, Channel: notices.Channel{
		ID: r.ChannelID, Kind: r.Kind, Name: r.Name, Person: r.PersonID, Tells: notices.ParseKinds(r.Tells),
		State: notices.ChannelState(r.State), Why: r.Why, Version: r.Version, CreatedAt: tables.Stamp(r.CreatedAt), ChangedAt: tables.Stamp(r.ChangedAt),
	}}
	if err := json.Unmarshal([]byte(r.Fields), &c.Settings.Fields); err != nil {
		return c, fmt.Errorf("stored channel %s: %w", r.ChannelID, err)
	}
	return c, nil
}

// NoticeChannels lists those that are not deleted.
func (t Organisation) NoticeChannels() ([]notices.SealedChannel, error) {
	return tables.Each(t.Of("notice_channels").Where("state <> ?", string(notices.Deleted)).Order("created_at, channel_id"), channelRow.channel)
}

// NoticeChannel is one that is not deleted.
func (t Organisation) NoticeChannel(id string) (notices.SealedChannel, error) {
	q := t.Of("notice_channels").Where("channel_id = ? AND state <> ?", id, string(notices.Deleted))
	if t.Writes {
		q = q.Clauses(clause.Locking{Strength: "NO KEY UPDATE"})
	}
	row, err := tables.One[channelRow](q, "no such channel")
	if err != nil {
		return notices.SealedChannel{}, err
	}
	return row.channel()
}

// KeepNoticeChannel writes a new one, or one whose stored version is was.
func (t Organisation) KeepNoticeChannel(c notices.SealedChannel, was int64) error {
	fields, err := tables.JSON(c.Settings.Fields)
	if err != nil {
		return err
	}
	row := channelRow{
		TenantID: t.Tenant, ChannelID: c.ID, Kind: c.Kind, Name: c.Name, PersonID: c.Person, Fields: fields, Sealed: c.Sealed,
		Tells: notices.JoinKinds(c.Tells), State: string(c.State), Why: c.Why, Version: was + 1, CreatedAt: t.At, ChangedAt: t.At,
	}
	if was == 0 {
		return tables.Classify(t.DB.Create(&row).Error)
	}
	r := t.Of("notice_channels").Where("channel_id = ? AND version = ?", c.ID, was).Updates(map[string]any{
		"name": row.Name, "fields": row.Fields, "sealed": row.Sealed, "tells": row.Tells, "state": row.State, "why": row.Why,
		"version": row.Version, "changed_at": row.ChangedAt,
	})
	return tables.Changed(r, fault.New(fault.Changed, "someone else changed this channel in the meantime; check it, then make your change again"))
}

// removeChannelsOf deletes the channels of a person with their secrets; what was sent to them
// stays known.
func (t Organisation) removeChannelsOf(person string) error {
	if person == "" {
		return nil // those are the organisation's
	}
	return t.Of("notice_channels").Where("person_id = ? AND state <> ?", person, string(notices.Deleted)).Updates(map[string]any{
		"state": string(notices.Deleted), "fields": "{}", "sealed": "", "version": gorm.Expr("version + 1"), "changed_at": t.At,
	}).Error
}
