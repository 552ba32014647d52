package console

import (
	"strings"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/tenants"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/review"
	"github.com/countersign/countersign/views/texts"
)

// The guide leads from an empty organisation to one that works. It is shown to whoever
// sees the agents, where a request would be, until every step is done or the person
// closes it.

func guideURL(tenant string) string { return "/t/" + tenant + "/guide" }

// firstSteps is the guide; nil where there is none.
func (s *Console) firstSteps(c call, q queueOf) (*review.FirstSteps, error) {
	if q.filter.narrows() || q.after() != nil || !c.member.May(auth.ReadAgents) {
		return nil, nil
	}
	g, err := s.tenants.Guide(c.Request().Context(), c.member)
	if err != nil || g.Closed {
		return nil, err
	}
	called, err := s.notices.Any(c.Request().Context(), c.member.Tenant)
	if err != nil || g.Done() && called {
		return nil, err
	}
	v := &review.FirstSteps{Close: guideURL(c.member.Tenant) + "/close", Steps: []review.Step{
		s.sampleStep(c, g), decideStep(c, g, q), agentStep(c, g), s.callStep(c, g), colleagueStep(c, g), noticesStep(c, called),
	}}
	for _, step := range v.Steps {
		if step.Done {
			v.Done++
		}
	}
	return v, nil
}

func (s *Console) sampleStep(c call, g tenants.Guide) review.Step {
	step := review.Step{
		Title: c.say.Say("Send a sample request"), Done: g.Asked,
		Text: c.say.Say("It asks to post a message. Nothing is posted, whatever you decide."),
	}
	switch {
	case g.Asked:
	case c.member.May(auth.ManageAgents):
		step.Post = &views.Link{Label: c.say.Say("Send a sample request"), URL: guideURL(c.member.Tenant) + "/sample"}
	default:
		step.Text += " " + c.say.Say("An admin can send one.")
	}
	return step
}

func decideStep(c call, g tenants.Guide, q queueOf) review.Step {
	step := review.Step{
		Title: c.say.Say("Make your first decision"), Done: g.Decided,
		Text: c.say.Say("Open the request from the queue, read what it would do, then approve or deny it."),
	}
	switch {
	case g.Decided:
	case !c.member.May(auth.Decide):
		step.Text = c.say.Say("An operator opens the request from the queue, reads what it would do, then approves or denies it.")
	case len(q.page.Lines) > 0:
		step.Action = &views.Link{Label: c.say.Say("Open the request"), URL: requestURL(c.member.Tenant, q.page.Lines[0].ID)}
	}
	return step
}

func agentStep(c call, g tenants.Guide) review.Step {
	step := review.Step{
		Title: c.say.Say("Create an agent"), Done: g.Agent,
		Text: c.say.Say("Your program gets a name, an owner and an API key. The key is shown once."),
	}
	agents := "/t/" + c.member.Tenant + "/settings/" + settingsAgents
	switch {
	case g.Agent:
		step.Action = &views.Link{Label: c.say.Say("See the agents"), URL: agents}
	case c.member.May(auth.ManageAgents):
		step.Action = &views.Link{Label: c.say.Say("Create an agent"), URL: agents + "/new"}
	default:
		step.Text += " " + c.say.Say("An admin can create one.")
	}
	return step
}

func (s *Console) callStep(c call, g tenants.Guide) review.Step {
	step := review.Step{
		Title: c.say.Say("Connect your agent"), Done: g.Used,
		Text: c.say.Say("Replace KEY with the API key. The request appears in the queue by itself. Approve it, then use the approval."),
	}
	if g.Called {
		step.Text = c.say.Say("Your agent can reach Countersign. Approve its request, then use the approval: it's valid once.")
	}
	if !g.Used {
		step.Examples = examplesOf(c.say, "KEY", s.publicURL())
	}
	return step
}

// examplesOf are the snippets: a request, the use of what was approved, and both as a program.
func examplesOf(say texts.Printer, secret, base string) []views.Secret {
	return []views.Secret{
		{ID: "example", Label: say.Say("curl: submit a request"), Value: exampleOf(say, secret, base)},
		{ID: "example-use", Label: say.Say("curl: use the approval, with ID and DIGEST from the answer"), Value: useExampleOf(base)},
		{ID: "example-go", Label: say.Say("Go: submit, wait and use it"), Value: strings.ReplaceAll(goExample, "URL", base)},
	}
}

func colleagueStep(c call, g tenants.Guide) review.Step {
	step := review.Step{
		Title: c.say.Say("Invite a colleague"), Done: g.Colleague,
		Text: c.say.Say("With two people, no one decides for their own agent, and someone else reviews any change that weakens the policy."),
	}
	switch {
	case g.Colleague:
	case !c.member.May(auth.ManagePeople):
		step.Text += " " + c.say.Say("An admin can invite one.")
	default:
		step.Action = &views.Link{Label: c.say.Say("Invite a colleague"), URL: "/t/" + c.member.Tenant + "/settings/" + settingsPeople + "/new"}
	}
	return step
}

func noticesStep(c call, called bool) review.Step {
	step := review.Step{
		Title: c.say.Say("Get called when something is held"), Done: called,
		Text: c.say.Say("By Slack, Teams, email or a webhook. Without it a request waits until someone opens the queue."),
	}
	switch {
	case called:
	case !c.member.May(auth.ManageNotices):
		step.Text += " " + c.say.Say("An admin can set it up.")
	default:
		step.Action = &views.Link{Label: c.say.Say("Set up notices"), URL: noticesURL(c.member.Tenant)}
	}
	return step
}

// goExample submits, waits for the answer, and uses the approval.
const goExample = `package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strings"
)

// call reads the API key from COUNTERSIGN_KEY.
func call(method, path, body string) (a struct{ ID, Status, Digest string }) {
	req, err := http.NewRequest(method, "URL/api/v1/approvals"+path, strings.NewReader(body))
	if err != nil {
		log.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+os.Getenv("COUNTERSIGN_KEY"))
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		log.Fatal(err)
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode >= 300 {
		log.Fatalf("%s %s %v", res.Status, answer, err)
	}
	if err := json.Unmarshal(answer, &a); err != nil {
		log.Fatal(err)
	}
	return a
}

func main() {
	a := call("POST", "", ` + "`" + `{"function": "delete_user", "arguments": {"user_id": "usr_123"}, "environment": "staging"}` + "`" + `)
	for a.Status == "pending" {
		a = call("GET", "/"+a.ID+"?wait=60", "")
	}
	if a.Status == "approved" {
		a = call("POST", "/"+a.ID+"/consume", fmt.Sprintf(` + "`" + `{"digest": %q}` + "`" + `, a.Digest))
	}
	fmt.Println(a.Status) // act on "consumed", and on nothing else
}
`

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
func (s *Console) sendSample(c call) error {
	if err := c.awake(); err != nil {
		return err
	}
	agent, err := s.tenants.Sample(c.Request().Context(), c.member)
	if err != nil {
		return err
	}
	action, err := sampleAction()
	if err != nil {
		return err
	}
	a, _, err := s.approvals.Submit(c.Request().Context(), agent, approvals.Submission{Action: action})
	if err != nil {
		return err
	}
	if a.Status.Final() { // the policy asks nobody at this level
		return goTo(c, requestURL(c.member.Tenant, a.ID))
	}
	return goTo(c, queueURL(c.member.Tenant))
}

// closeGuide is the person's own choice, for good.
func (s *Console) closeGuide(c call) error {
	if err := s.tenants.CloseGuide(c.Request().Context(), c.member); err != nil {
		return err
	}
	return goTo(c, queueURL(c.member.Tenant))
}
