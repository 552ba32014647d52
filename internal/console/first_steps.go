package console

import (
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/tenants"
	"github.com/countersign/countersign/views"
)

// firstSteps lead from an empty organisation to its first decision. They are shown
// to whoever sees the agents, until one of those has called.
func (s *Console) firstSteps(c call, q queueOf) (*views.FirstSteps, error) {
	if q.page.Total > 0 || q.filter.narrows() || q.after() != nil || !c.member.May(auth.ReadAgents) {
		return nil, nil
	}
	l, err := s.tenants.Agents(c.Request().Context(), c.member)
	if err != nil || hasCalled(l) {
		return nil, err
	}
	create := views.Step{
		Title: c.say.Say("Create an agent"), Done: len(l.Agents) > 0,
		Text: c.say.Say("Give the agent a name, an owner and an API key. The key is shown once."),
	}
	agents := "/t/" + c.member.Tenant + "/settings/" + settingsAgents
	switch {
	case create.Done:
		create.Action = &views.Link{Label: c.say.Say("See the agents"), URL: agents}
	case c.member.May(auth.ManageAgents):
		create.Action = &views.Link{Label: c.say.Say("Create an agent"), URL: agents + "/new"}
	default:
		create.Text += " " + c.say.Say("An admin of this organisation can do that.")
	}
	return &views.FirstSteps{Steps: []views.Step{
		create,
		{
			Title: c.say.Say("Send an action that needs a decision"), Text: c.say.Say("Run this in any shell, with your key in place of KEY:"),
			Example: &views.Secret{ID: "example", Label: c.say.Say("A first submission"), Value: exampleOf(c.say, "KEY", s.publicURL())},
		},
		{Title: c.say.Say("Decide"), Text: c.say.Say("It appears in the queue automatically. Open it, check what it would do, then approve or deny it. The agent hears right away.")},
	}}, nil
}

// hasCalled says that one of the agents has used its key.
func hasCalled(l tenants.AgentList) bool {
	for _, keys := range l.Keys {
		for _, k := range keys {
			if k.LastUsedAt != nil {
				return true
			}
		}
	}
	for _, did := range l.Recent {
		if did.Count > 0 {
			return true
		}
	}
	return false
}
