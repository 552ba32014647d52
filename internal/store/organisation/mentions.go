package organisation

import (
	"time"

	"gorm.io/gorm/clause"

	"github.com/countersign/countersign/internal/store/tables"
	"github.com/countersign/countersign/internal/tenants"
)

// Who was mentioned in a comment on a request that they haven't opened since.

type mentionRow struct {
	TenantID, PersonID, ApprovalID, ByID string
	MentionedAt                          time.Time
}

func (mentionRow) TableName() string { return "mentions" }

type mentionedRow struct {
	PersonID, ApprovalID, Name string
	MentionedAt                time.Time
}

// Mention notes one, the last in place of one before.
func (t Organisation) Mention(approval, person, by string) error {
	row := mentionRow{TenantID: t.Tenant, PersonID: person, ApprovalID: approval, ByID: by, MentionedAt: t.At}
	return tables.Classify(t.DB.Clauses(clause.OnConflict{Columns: []clause.Column{{Name: "tenant_id"}, {Name: "person_id"}, {Name: "approval_id"}}, UpdateAll: true}).Create(&row).Error)
}

// MentionSeen ends it.
func (t Organisation) MentionSeen(approval, person string) error {
	return t.Of("mentions").Where("person_id = ? AND approval_id = ?", person, approval).Delete(&mentionRow{}).Error
}

// mentionsOf are those of people, the newest first.
func (t Organisation) mentionsOf(name string, people []string) *tables.Rows[mentionedRow] {
	return tables.Chosen(name, []string{"mentions", "people"}, func(a, b mentionedRow) int { return b.MentionedAt.Compare(a.MentionedAt) },
		t.Of("mentions").Select("mentions.person_id, mentions.approval_id, mentions.mentioned_at, people.name").Joins("JOIN people ON people.person_id = mentions.by_id").
			Where("mentions.person_id IN ? AND mentions.mentioned_at > ?", people, t.At.Add(-tenants.MentionKept)))
}

// Mentions are those of these people, by person.
func (t Organisation) Mentions(people ...string) (map[string][]tenants.Mention, error) {
	name := "" // of many it's asked once
	if len(people) == 1 {
		name = "mentions of " + people[0]
	}
	rows, err := t.mentionsOf(name, people).Read(t.Tx)
	all := map[string][]tenants.Mention{}
	for _, r := range rows {
		all[r.PersonID] = append(all[r.PersonID], tenants.Mention{Approval: r.ApprovalID, By: r.Name, At: tables.Stamp(r.MentionedAt)})
	}
	return all, err
}
