package console

import (
	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/console/edge"
	"github.com/countersign/countersign/internal/console/request"
	"github.com/countersign/countersign/internal/console/settingsui"
	"github.com/countersign/countersign/internal/console/urls"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/tenants"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/review"
)

// The guide leads from an empty organisation to one that works. It is shown to whoever
// sees the agents, where a request would be, until every step is done or the person
// closes it.

func guideURL(tenant string) string { return "/t/" + tenant + "/guide" }

// firstSteps is the guide; nil where there is none.
func (s *Console) firstSteps(c edge.Call, q request.Queue) (*review.FirstSteps, error) {
	if q.Filter.Narrows() || q.After() != nil || !c.Member.May(auth.ReadAgents) {
		return nil, nil
	}
	g, err := s.Tenants.Guide(c.Request().Context(), c.Member)
	if err != nil || g.Closed {
		return nil, err
	}
	called, err := s.Notices.Any(c.Request().Context(), c.Member.Tenant)
	if err != nil || g.Done() && called {
		return nil, err
	}
	v := &review.FirstSteps{Close: guideURL(c.Member.Tenant) + "/close", Steps: []review.Step{
		s.sampleStep(c, g), decideStep(c, g, q), agentStep(c, g), s.callStep(c, g), colleagueStep(c, g), noticesStep(c, called),
	}}
	for _, step := range v.Steps {
		if step.Done {
			v.Done++
		}
	}
	return v, nil
}

func (s *Console) sampleStep(c edge.Call, g tenants.Guide) review.Step {
	step := review.Step{
		Title: c.Say.Say("Send a sample request"), Done: g.Asked,
		Text: c.Say.Say("It asks to post a message. Nothing is posted, whatever you decide."),
	}
	switch {
	case g.Asked:
	case c.Member.May(auth.ManageAgents):
		step.Post = &views.Link{Label: c.Say.Say("Send a sample request"), URL: guideURL(c.Member.Tenant) + "/sample"}
	default:
		step.Text += " " + c.Say.Say("An admin can send one.")
	}
	return step
}

func decideStep(c edge.Call, g tenants.Guide, q request.Queue) review.Step {
	step := review.Step{
		Title: c.Say.Say("Make your first decision"), Done: g.Decided,
		Text: c.Say.Say("Open the request from the queue, read what it would do, then approve or deny it."),
	}
	switch {
	case g.Decided:
	case !c.Member.May(auth.Decide):
		step.Text = c.Say.Say("An operator opens the request from the queue, reads what it would do, then approves or denies it.")
	case len(q.Page.Lines) > 0:
		step.Action = &views.Link{Label: c.Say.Say("Open the request"), URL: urls.Request(c.Member.Tenant, q.Page.Lines[0].ID)}
	}
	return step
}

func agentStep(c edge.Call, g tenants.Guide) review.Step {
	step := review.Step{
		Title: c.Say.Say("Create an agent"), Done: g.Agent,
		Text: c.Say.Say("Your program gets a name, an owner and an API key. The key is shown once."),
	}
	agents := "/t/" + c.Member.Tenant + "/settings/" + urls.PlaceAgents
	switch {
	case g.Agent:
		step.Action = &views.Link{Label: c.Say.Say("See the agents"), URL: agents}
	case c.Member.May(auth.ManageAgents):
		step.Action = &views.Link{Label: c.Say.Say("Create an agent"), URL: agents + "/new"}
	default:
		step.Text += " " + c.Say.Say("An admin can create one.")
	}
	return step
}

func (s *Console) callStep(c edge.Call, g tenants.Guide) review.Step {
	step := review.Step{
		Title: c.Say.Say("Connect your agent"), Done: g.Used,
		Text: c.Say.Say("Replace KEY with the API key. The request appears in the queue by itself. Approve it, then use the approval."),
	}
	if g.Called {
		step.Text = c.Say.Say("Your agent can reach Countersign. Approve its request, then use the approval: it's valid once.")
	}
	if !g.Used {
		step.Examples = settingsui.ExamplesOf(c.Say, "KEY", s.PublicURL())
	}
	return step
}

func colleagueStep(c edge.Call, g tenants.Guide) review.Step {
	step := review.Step{
		Title: c.Say.Say("Invite a colleague"), Done: g.Colleague,
		Text: c.Say.Say("With two people, no one decides for their own agent, and someone else reviews any change that weakens the policy."),
	}
	switch {
	case g.Colleague:
	case !c.Member.May(auth.ManagePeople):
		step.Text += " " + c.Say.Say("An admin can invite one.")
	default:
		step.Action = &views.Link{Label: c.Say.Say("Invite a colleague"), URL: "/t/" + c.Member.Tenant + "/settings/" + urls.PlacePeople + "/new"}
	}
	return step
}

func noticesStep(c edge.Call, called bool) review.Step {
	step := review.Step{
		Title: c.Say.Say("Get called when something is held"), Done: called,
		Text: c.Say.Say("By Slack, Teams, email or a webhook. Without it a request waits until someone opens the queue."),
	}
	switch {
	case called:
	case !c.Member.May(auth.ManageNotices):
		step.Text += " " + c.Say.Say("An admin can set it up.")
	default:
		step.Action = &views.Link{Label: c.Say.Say("Set up notices"), URL: urls.Notices(c.Member.Tenant)}
	}
	return step
}

// sampleAction is what a sample asks. It is held at MEDIUM by the default policy: the
// shortest way through a decision.
func sampleAction() (scoring.Action, error) {
	return scoring.NewAction(canon.Object(
		canon.Member{Name: "function", Value: canon.String("post_message")},
		canon.Member{Name: "arguments", Value: canon.Object(
			canon.Member{Name: "channel", Value: canon.String("#general")},
			canon.Member{Name: "text", Value: canon.String("Hello from Countersign!")},
		)},
		canon.Member{Name: "justification", Value: canon.String("This is a sample request. Nothing is posted, whatever you decide.")},
	))
}

// sendSample submits it as an agent would, and leads to it.
func (s *Console) sendSample(c edge.Call) error {
	if err := c.Awake(); err != nil {
		return err
	}
	agent, err := s.Tenants.Sample(c.Request().Context(), c.Member)
	if err != nil {
		return err
	}
	action, err := sampleAction()
	if err != nil {
		return err
	}
	a, _, err := s.Approvals.Submit(c.Request().Context(), agent, approvals.Submission{Action: action})
	if err != nil {
		return err
	}
	if a.Status.Final() { // the policy asks nobody at this level
		return edge.GoTo(c, urls.Request(c.Member.Tenant, a.ID))
	}
	return edge.GoTo(c, urls.Queue(c.Member.Tenant))
}

// closeGuide is the person's own choice, for good.
func (s *Console) closeGuide(c edge.Call) error {
	if err := s.Tenants.CloseGuide(c.Request().Context(), c.Member); err != nil {
		return err
	}
	return edge.GoTo(c, urls.Queue(c.Member.Tenant))
}
