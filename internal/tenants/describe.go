package tenants

import (
	"context"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
)

// Description is what an admin says of an agent to those who decide about it. It decides
// nothing.
type Description struct {
	// Contact is whom to ask: an address, a handle of a chat, or a text.
	Contact string
	// TicketLink is where a ticket is that a call names, with TicketPlace in its place.
	TicketLink string
}

const (
	// TicketPlace stands in a TicketLink where the ticket's name goes.
	TicketPlace = "{ticket}"
	// MaxContact and MaxTicketLink bound them, and maxTicket the name of a ticket, in characters.
	MaxContact    = 200
	MaxTicketLink = 300
	maxTicket     = 100
)

// DescribeAgent says whom to ask about an agent, and where its tickets are.
func (s *Service) DescribeAgent(ctx context.Context, m auth.Member, id string, d Description) error {
	d = Description{Contact: scoring.MaskText(strings.TrimSpace(d.Contact)), TicketLink: strings.TrimSpace(d.TicketLink)}
	if utf8.RuneCountInString(d.Contact) > MaxContact || strings.ContainsFunc(d.Contact, func(r rune) bool { return !unicode.IsGraphic(r) }) {
		return fault.Member(fault.InvalidForm, "contact", "enter a contact of at most %d ordinary characters", MaxContact)
	}
	if !isTicketLink(d.TicketLink) {
		return fault.Member(fault.InvalidForm, "ticket_link", "enter an address that starts with https:// and has {ticket} behind the host, for example https://tracker.example/browse/{ticket}, of at most %d characters", MaxTicketLink)
	}
	return s.changeAgent(ctx, m, id, func(w Writer, a Agent) error {
		if a.Description == d {
			return nil
		}
		if err := w.DescribeAgent(id, d); err != nil {
			return err
		}
		return w.Append(a.event(audit.AgentDescribed, personActor(m), member("contact", canon.String(d.Contact)), member("ticket_link", canon.String(d.TicketLink))))
	})
}

// isTicketLink reports whether a link is empty or safe to fill: https alone, and nothing
// that is filled in chooses the host.
func isTicketLink(link string) bool {
	if link == "" {
		return true
	}
	if utf8.RuneCountInString(link) > MaxTicketLink || strings.ContainsFunc(link, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune(`"<>\^`+"`", r) }) ||
		scoring.MaskText(link) != link {
		return false
	}
	host, rest, found := strings.Cut(strings.TrimPrefix(link, "https://"), "/")
	u, err := url.Parse(strings.ReplaceAll(link, TicketPlace, "x"))
	return err == nil && strings.HasPrefix(link, "https://") && found && u.User == nil && u.Hostname() != "" && !strings.ContainsAny(host, "{}?#@") && strings.Contains(rest, TicketPlace)
}

// Ticket is the address of a ticket, "" where there is none. Whatever the name is, it
// stays one part of the path or of the query.
func (d Description) Ticket(name string) string {
	name = strings.TrimSpace(name)
	if d.TicketLink == "" || name == "" || strings.Trim(name, ".") == "" || utf8.RuneCountInString(name) > maxTicket || !isTicketLink(d.TicketLink) {
		return ""
	}
	return strings.ReplaceAll(d.TicketLink, TicketPlace, strings.ReplaceAll(url.QueryEscape(name), "+", "%20"))
}

// AgentAbout is what those who decide may know of an agent.
type AgentAbout struct {
	Agent
	OwnerName string // "" for nobody, and for somebody who left
}

// AgentAbout reads it. fault.Missing.
func (s *Service) AgentAbout(ctx context.Context, m auth.Member, id string) (about AgentAbout, err error) {
	if err := allow(m, auth.ReadQueue); err != nil {
		return about, err
	}
	err = s.store.Read(ctx, m.Tenant, func(r Reader) (err error) {
		if about.Agent, err = r.Agent(id); err != nil || about.Owner == "" {
			return err
		}
		one, err := r.Membership(about.Owner)
		if fault.Is(err, fault.Missing) {
			return nil
		}
		about.OwnerName = one.Person.Name
		return err
	})
	return about, err
}
