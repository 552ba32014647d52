package organisation

import (
	"time"

	"gorm.io/gorm"

	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/store/tables"
	"github.com/countersign/countersign/internal/tenants"
)

// LinkRow is a row of sign_in_links.
type LinkRow struct {
	TokenHash, Kind string
	PersonID        *string
	ExpiresAt       time.Time
	UsedAt          *time.Time
}

func (LinkRow) TableName() string { return "sign_in_links" }

// Link is the row as tenants has it.
func (r LinkRow) Link() tenants.Link {
	l := tenants.Link{Hash: r.TokenHash, Kind: tenants.LinkKind(r.Kind), ExpiresAt: tables.Stamp(r.ExpiresAt), UsedAt: tables.StampPointer(r.UsedAt)}
	if r.PersonID != nil {
		l.Person = *r.PersonID
	}
	return l
}

// LiveLink is the condition of a link that works. That of the first person is dead once
// there is one, however they came.
func LiveLink(db *gorm.DB, hash string, now time.Time) *gorm.DB {
	return db.Where("token_hash = ? AND used_at IS NULL AND expires_at > ?", hash, now).
		Where("kind <> ? OR NOT EXISTS (SELECT 1 FROM people)", string(tenants.LinkFirstRun))
}

// UseLink marks a link as used inside this transaction.
func (t Organisation) UseLink(hash string) (tenants.Link, error) { return UseLink(t.DB, hash, t.At) }

// UseLink marks a link as used, unless it is that of the demo.
func UseLink(db *gorm.DB, hash string, now time.Time) (tenants.Link, error) {
	row, err := tables.One[LinkRow](LiveLink(db, hash, now), "no such link")
	if err != nil || row.Kind == string(tenants.LinkDemo) {
		return row.Link(), err
	}
	used := LiveLink(db.Table("sign_in_links"), hash, now).Update("used_at", now)
	return row.Link(), tables.Changed(used, fault.New(fault.Missing, "no such link"))
}
