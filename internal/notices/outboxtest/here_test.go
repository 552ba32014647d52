package outboxtest

import (
	"testing"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/notices"
)

// Rules and teams name people, teams, channels and agents that are there, and nobody else's;
// what was refused changes nothing. Who is suspended may still be named.
func TestRulesNameWhatIsThere(t *testing.T) {
	t.Parallel()
	h, service, _ := pushHouse(t, notices.Webhook{Client: loopback(t)})
	ctx := t.Context()
	h.turnOn(h.operator, service)
	channel, _ := h.add("webhook", map[string]string{"url": "https://example.com/x"})
	gone, _ := h.add("webhook", map[string]string{"url": "https://example.com/y"})
	must(t, h.notices.Remove(ctx, h.admin, gone))
	must(t, h.tenants.CreateTenant(ctx, "rival"))
	stranger, err := h.tenants.CreatePerson(ctx, "rival", "eve@rival.test", "", "", []auth.Role{auth.Operator})
	must(t, err)
	keep := func(r notices.Rule) error {
		r.Name = "all"
		_, err := h.notices.KeepRule(ctx, h.admin, 0, r)
		return err
	}
	to := func(kind, id string) notices.Rule {
		return notices.Rule{Steps: []notices.Step{{Targets: []notices.Target{notices.To(notices.ToPerson, h.admin.Person.ID)}, Minutes: 1}, {Targets: []notices.Target{notices.To(kind, id)}, Minutes: 1}}}
	}
	agent := to(notices.ToChannel, channel)
	agent.When.Agents = []string{auth.NewID("agt")}
	for name, r := range map[string]notices.Rule{
		"nobody": to(notices.ToPerson, auth.NewID("per")), "somebody of another organisation": to(notices.ToPerson, stranger.ID),
		"no channel": to(notices.ToChannel, auth.NewID("chn")), "a channel that was deleted": to(notices.ToChannel, gone), "a device": to(notices.ToChannel, h.devices(h.operator)[0].ID),
		"no team": to(notices.ToTeam, auth.NewID("tem")), "no kind": to("crowd", channel), "no agent": agent,
	} {
		field := "step2"
		if name == "no agent" {
			field = "agents"
		}
		if err := keep(r); !fault.Is(err, fault.InvalidForm) || fault.As(err).Member != field {
			t.Errorf("%s is taken: %v", name, err)
		}
	}
	if _, err := h.notices.KeepTeam(ctx, h.admin, 0, notices.Team{Name: "Payments", Members: []string{h.admin.Person.ID, stranger.ID}}); !fault.Is(err, fault.InvalidForm) {
		t.Errorf("a team with a stranger is taken: %v", err)
	}
	must(t, h.tenants.Suspend(ctx, h.admin, h.operator.Person.ID, "for this test"))
	good := to(notices.ToPerson, h.operator.Person.ID)
	good.When.Agents = []string{h.agent.ID}
	good.Steps[0].Targets = append(good.Steps[0].Targets, notices.To(notices.ToChannel, channel))
	if err := keep(good); err != nil {
		t.Errorf("what is there is refused: %v", err)
	}
	team, err := h.notices.KeepTeam(ctx, h.admin, 1, notices.Team{Name: "Payments", Members: []string{h.admin.Person.ID}, Rotation: &notices.Rotation{Hours: 24, Starts: "2026-05-01", At: "09:00", Zone: "UTC"}})
	must(t, err)
	today := h.now().Format("2006-01-02")
	if err := h.notices.TakeDay(ctx, h.admin, 2, team, today, stranger.ID); !fault.Is(err, fault.InvalidForm) {
		t.Errorf("a stranger takes a day: %v", err)
	}
	must(t, h.notices.TakeDay(ctx, h.admin, 2, team, today, h.operator.Person.ID))
}
