package organisation

import (
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/countersign/countersign/internal/store/tables"
	"github.com/countersign/countersign/internal/tenants"
)

type guideClosedRow struct {
	TenantID, PersonID string
	ClosedAt           time.Time
}

func (guideClosedRow) TableName() string { return "guides_closed" }

// Guide asks for one row of each: the queue asks on every page until nothing is left to do.
func (t Organisation) Guide(person string) (g tenants.Guide, err error) {
	any := func(found *bool, q *gorm.DB, column string) {
		var one []string
		if err == nil {
			err = q.Limit(1).Pluck(column, &one).Error
			*found = len(one) > 0
		}
	}
	if any(&g.Closed, t.Of("guides_closed").Where("person_id = ?", person), "person_id"); g.Closed || err != nil {
		return g, err
	}
	any(&g.Asked, t.Of("approvals"), "approval_id")
	// Whoever has a thousand decisions without one of a person reads no guide.
	some := t.Of("decisions").Select("approval_id, decided_by").Limit(1000)
	any(&g.Decided, t.DB.Table("(?) AS sample", some).Where("decided_by LIKE ?", `%"kind":"person"%`), "approval_id")
	any(&g.Agent, t.Of("agents").Where("name <> ?", tenants.SampleAgent), "agent_id")
	any(&g.Called, t.Of("agents").Where("name <> ? AND last_used_at IS NOT NULL", tenants.SampleAgent), "agent_id")
	used := t.Of("grants").Select("approval_id, consumed_at").Limit(1000)
	any(&g.Used, t.DB.Table("(?) AS sample", used).Where("consumed_at IS NOT NULL"), "approval_id")
	var members []string
	if err == nil {
		err = t.Of("memberships").Limit(2).Pluck("person_id", &members).Error
	}
	if g.Colleague = len(members) > 1; !g.Colleague && err == nil {
		invited, e := t.Invitations()
		g.Colleague, err = len(invited) > 0, e
	}
	return g, err
}

// CloseGuide notes that a person closed it.
func (t Organisation) CloseGuide(person string) error {
	row := guideClosedRow{TenantID: t.Tenant, PersonID: person, ClosedAt: t.At}
	return tables.Classify(t.DB.Clauses(clause.OnConflict{DoNothing: true}).Create(&row).Error)
}

// OpenChanges counts the open proposals that are not this person's.
func (t Organisation) OpenChanges(person string) (n int, err error) {
	rows, err := t.openChanges(person).Read(t.Tx)
	for _, r := range rows {
		n += r.N
	}
	return n, err
}

type countRow struct{ N int }

func (t Organisation) openChanges(person string) *tables.Rows[countRow] {
	count := func(table, where string) *gorm.DB { return t.Of(table).Select("count(*)").Where(where, person) }
	return tables.WantOf[countRow]("open changes "+person, []string{"policy_proposals", "people_proposals", "agents"}, nil, "SELECT (?) + (?) + (?) AS n",
		count("policy_proposals", "state = 'open' AND author_id <> ?"), count("people_proposals", "state = 'open' AND author_id <> ?"),
		count("agents", "asked_at IS NOT NULL AND asked_by <> ?"))
}
