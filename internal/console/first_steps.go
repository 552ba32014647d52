package console

import (
	"fmt"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/console/edge"
	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/internal/console/request"
	"github.com/countersign/countersign/internal/console/urls"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/tenants"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/review"
	"github.com/countersign/countersign/views/settings"
	"github.com/countersign/countersign/views/texts"
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
		step.Examples = examplesOf(c.Say, "KEY", s.PublicURL())
	}
	return step
}

// examplesOf are the ways to connect a program, each one text to copy. The key is written to
// the settings by the shell itself, so that no list of processes has it.
func examplesOf(say texts.Printer, secret, base string) []views.Secret {
	file := fmt.Sprintf(`(umask 077; mkdir -p ~/.config/countersign; echo '{"url":"%s","key":"%s"}' > ~/.config/countersign/config.json)`, base, secret) + "\n"
	hook := func(agent string) string {
		return fmt.Sprintf("%scountersign hook install %[2]s && countersign hook doctor %[2]s", file, agent)
	}
	return []views.Secret{
		{ID: "connect-claude", Label: say.Say("Claude Code"), Value: hook("claude-code")},
		{ID: "connect-codex", Label: say.Say("Codex"), Value: hook("codex")},
		{ID: "connect-gemini", Label: say.Say("Gemini"), Value: hook("gemini")},
		{ID: "connect-mcp", Label: say.Say("MCP"), Value: file + "countersign mcp install --client claude-desktop"},
		{ID: "connect-python", Label: say.Say("Python"), Value: file + pythonExample},
		{ID: "connect-typescript", Label: say.Say("TypeScript"), Value: file + typescriptExample},
		{ID: "connect-curl", Label: say.Say("curl"), Value: exampleOf(say, secret, base)},
	}
}

const (
	pythonExample = `pip install ./countersign_client-*.whl   # from the release
python3 - <<'END'
import countersign

@countersign.gate
def delete_user(user_id: str):
    """Permanently remove a user account."""
    print("deleted", user_id)

delete_user("usr_123")   # waits until someone decides
END`
	typescriptExample = `npm install ./countersign-*.tgz   # from the release
node --input-type=module - <<'END'
import { gate } from "countersign";

const deleteUser = gate(({ user_id }) => console.log("deleted", user_id), { name: "delete_user" });

await deleteUser({ user_id: "usr_123" });   // waits until someone decides
END`
)

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

// exampleOf is a first submission for a shell; it is held, so that there is something
// to decide.
func exampleOf(say texts.Printer, secret, base string) string {
	return say.Say("export COUNTERSIGN_KEY='%s'\ncurl -sS '%s/api/v1/approvals' \\\n  -H \"Authorization: Bearer $COUNTERSIGN_KEY\" \\\n  -H 'Content-Type: application/json' \\\n  -d '{\"function\":\"delete_user\",\"arguments\":{\"user_id\":\"usr_123\"},\"environment\":\"staging\"}'", secret, base)
}

// connectedOf says how far the program of an agent is with a key: of its newest where key is "".
func connectedOf(say texts.Printer, m auth.Member, l tenants.AgentList, key string) settings.Connected {
	a := l.Agents[0]
	call, gate := settings.ConnectedStep{Text: say.Say("Waiting for the first call")}, settings.ConnectedStep{Text: say.Say("The gate wasn't tested yet: countersign hook doctor does that")}
	for _, k := range l.Keys[a.ID] {
		if k.ID == key || key == "" && k.Works(l.Now) {
			if when, _ := present.LastUse(say, k.LastUsedAt, l.Now); when != "" {
				call = settings.ConnectedStep{Text: say.Say("A call came %s", when), Done: true}
			}
			break
		}
	}
	if c := a.Canary; c != nil {
		when, _ := present.LastUse(say, &c.At, l.Now)
		if gate = (settings.ConnectedStep{Text: say.Say("The gate refused a test call %s", when), Done: true}); c.Failed != "" {
			gate = settings.ConnectedStep{Text: say.Say("The gate let a test call run %s", when)}
		}
	}
	return settings.Connected{URL: urls.Agent(m.Tenant, a.ID), Steps: []settings.ConnectedStep{call, gate}}
}
