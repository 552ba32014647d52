package tenants_test

import (
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/tenants"
)

// An admin says whom to ask about an agent and where its tickets are; links lead to https
// alone, and the host is never filled in.
func TestDescribeAgent(t *testing.T) {
	t.Parallel()
	v := newTown(t)
	adam := v.people["adam"]
	_, a := v.make("bot")
	for _, link := range []string{
		"http://tracker.example/{ticket}", "javascript:alert('{ticket}')", "https://{ticket}.example/x", "https://tracker.example/x", "https://tracker.example", "https:///{ticket}",
		"https://me:secret@tracker.example/{ticket}", "https://tracker.example?q={ticket}", "//tracker.example/{ticket}", "https://tracker.example/{ticket}\"onclick", "https://tracker.example/ {ticket}",
		"https://tracker.example/" + strings.Repeat("x", tenants.MaxTicketLink) + "{ticket}", " HTTPS://tracker.example/{ticket}", "https://tracker.example\\@evil.example/{ticket}",
	} {
		wantFault(t, link, v.DescribeAgent(t.Context(), adam, a.ID, tenants.Description{TicketLink: link}), fault.InvalidForm)
	}
	for _, contact := range []string{strings.Repeat("x", tenants.MaxContact+1), "a\nb", "a\u202eb"} {
		wantFault(t, contact, v.DescribeAgent(t.Context(), adam, a.ID, tenants.Description{Contact: contact}), fault.InvalidForm)
	}
	said := tenants.Description{Contact: "#payments, or mei@example.com", TicketLink: "https://tracker.example/browse/{ticket}?from={ticket}"}
	wantFault(t, "an operator", v.DescribeAgent(t.Context(), v.people["ada"], a.ID, said), fault.Denied)
	wantFault(t, "an admin elsewhere", v.DescribeAgent(t.Context(), v.people["rita"], a.ID, said), fault.Missing)
	must(t, v.DescribeAgent(t.Context(), adam, a.ID, said))
	if e := v.last(audit.AgentDescribed, adam); e.Agent != a.ID || e.Data.Get("contact").Text() != said.Contact || e.Data.Get("ticket_link").Text() != said.TicketLink {
		t.Errorf("the event says %s", e.Data.Canonical())
	}
	about, err := v.AgentAbout(t.Context(), v.people["ada"], a.ID)
	must(t, err)
	if about.Description != said || about.Name != "bot" {
		t.Errorf("an operator reads %+v", about)
	}
	_, err = v.AgentAbout(t.Context(), v.people["rita"], a.ID)
	wantFault(t, "somebody elsewhere reads", err, fault.Missing)
	for name, want := range map[string]string{
		"OPS-7":              "https://tracker.example/browse/OPS-7?from=OPS-7",
		" OPS 7 ":            "https://tracker.example/browse/OPS%207?from=OPS%207",
		"../../admin?x=1&y#": "https://tracker.example/browse/..%2F..%2Fadmin%3Fx%3D1%26y%23?from=..%2F..%2Fadmin%3Fx%3D1%26y%23",
		"..":                 "", "": "", strings.Repeat("x", 101): "",
	} {
		if got := about.Ticket(name); got != want {
			t.Errorf("%q leads to %s", name, got)
		}
	}
	if got := (tenants.Description{}).Ticket("OPS-7"); got != "" {
		t.Errorf("without a link: %s", got)
	}
}
