package organisation

import (
	"strings"
	"time"

	"gorm.io/gorm"

	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/store/tables"
	"github.com/countersign/countersign/internal/tenants"
)

// TicketRow is a row of tickets.
type TicketRow struct {
	TenantID, TicketID, TokenHash, Kind, Email, PersonID, Roles, CreatedBy string
	CreatedAt, ExpiresAt                                                   time.Time
	UsedAt, WithdrawnAt                                                    *time.Time
	Waits                                                                  bool
}

func (TicketRow) TableName() string { return "tickets" }

func (t Organisation) tickets(openOnly bool) *tables.Rows[TicketRow] {
	where, args := "", []any(nil)
	if openOnly {
		where, args = " AND used_at IS NULL AND withdrawn_at IS NULL AND (waits OR expires_at > ?)", []any{t.At}
	}
	return tables.Want(t.Tx, "tickets"+where, func(a, b TicketRow) int { return strings.Compare(a.TicketID, b.TicketID) }, "tickets", where, args...)
}

// TicketRows are all links, or those that open something.
func (t Organisation) TicketRows(openOnly bool) ([]TicketRow, error) {
	return t.tickets(openOnly).Read(t.Tx)
}

func (r TicketRow) ticket(tenant string) tenants.Ticket {
	return tenants.Ticket{
		ID: r.TicketID, Tenant: tenant, Kind: tenants.TicketKind(r.Kind), Email: r.Email, Person: r.PersonID, Roles: splitRoles(r.Roles),
		By: r.CreatedBy, CreatedAt: tables.Stamp(r.CreatedAt), ExpiresAt: tables.Stamp(r.ExpiresAt), Waits: r.Waits,
	}
}

// openTickets begins a statement on tickets that still can be used.
func (t Organisation) openTickets() *gorm.DB {
	return t.Of("tickets").Where("used_at IS NULL AND withdrawn_at IS NULL AND expires_at > ?", t.At)
}

// AddTicket stores a ticket, in place of those for the same thing.
func (t Organisation) AddTicket(k tenants.Ticket, hash string) error {
	if err := t.openTickets().Where("kind = ? AND email = ?", string(k.Kind), k.Email).Update("withdrawn_at", t.At).Error; err != nil {
		return err
	}
	row := TicketRow{
		TenantID: t.Tenant, TicketID: k.ID, TokenHash: hash, Kind: string(k.Kind), Email: k.Email, PersonID: k.Person,
		Roles: joinRoles(k.Roles), CreatedBy: k.By, CreatedAt: t.At, ExpiresAt: tables.Stamp(k.ExpiresAt), Waits: k.Waits,
	}
	return tables.Classify(t.DB.Create(&row).Error)
}

// Ticket returns one that still can be used.
func (t Organisation) Ticket(hash string) (tenants.Ticket, error) {
	row, err := tables.One[TicketRow](t.openTickets().Where("token_hash = ?", hash), "no such ticket")
	return row.ticket(t.Tenant), err
}

// Invitations lists the tickets to join that still can be used, newest first.
func (t Organisation) Invitations() ([]tenants.Ticket, error) {
	return tables.All(t.openTickets().Where("kind = ?", string(tenants.TicketJoin)).Order("created_at DESC, ticket_id DESC"), func(r TicketRow) tenants.Ticket { return r.ticket(t.Tenant) })
}

// UseTicket marks a ticket as used, once.
func (t Organisation) UseTicket(hash string) (tenants.Ticket, error) {
	k, err := t.Ticket(hash)
	if err != nil {
		return k, err
	}
	used := t.openTickets().Where("token_hash = ?", hash).Update("used_at", t.At)
	return k, tables.Changed(used, fault.New(fault.Missing, "no such ticket"))
}

// AcceptTicket lets one that waits be used, until then.
func (t Organisation) AcceptTicket(id string, until time.Time) error {
	accepted := t.openTickets().Where("ticket_id = ? AND waits", id).Updates(map[string]any{"waits": false, "expires_at": tables.Stamp(until)})
	return tables.Changed(accepted, fault.New(fault.Changed, "the link was withdrawn, or another one took its place"))
}

// WithdrawPasswordLinks makes those worthless that choose a password for somebody else and
// wait for nobody.
func (t Organisation) WithdrawPasswordLinks() (ids []string, err error) {
	const others = "kind = ? AND NOT waits AND created_by <> person_id"
	kind := string(tenants.TicketPassword)
	if err := t.openTickets().Where(others, kind).Order("ticket_id").Pluck("ticket_id", &ids).Error; err != nil || len(ids) == 0 {
		return nil, err
	}
	return ids, t.openTickets().Where(others, kind).Update("withdrawn_at", t.At).Error
}

// WithdrawTicket makes one worthless that still can be used.
func (t Organisation) WithdrawTicket(id string) error {
	gone := t.openTickets().Where("ticket_id = ?", id).Update("withdrawn_at", t.At)
	if gone.Error != nil || gone.RowsAffected > 0 {
		return gone.Error
	}
	if _, err := tables.One[TicketRow](t.Of("tickets").Where("ticket_id = ?", id), "no such ticket"); err != nil {
		return err
	}
	return fault.New(fault.Changed, "the ticket was used, was withdrawn or has expired")
}
