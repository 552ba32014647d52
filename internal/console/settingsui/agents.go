package settingsui

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/console/edge"
	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/internal/console/untrusted"
	"github.com/countersign/countersign/internal/console/urls"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/httpserver"
	"github.com/countersign/countersign/internal/scoring/workspace"
	"github.com/countersign/countersign/internal/tenants"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/settings"
	"github.com/countersign/countersign/views/texts"
)

// The agents of a tenant: who they are, their keys, and the switches that stop them.

// agentForm is what was typed in a form of these pages, and what was wrong with it.
type agentForm struct {
	fault                     *fault.Error
	name, owner, reason, slug string
	life, overlap             string
	environment, typed        string
	workspace                 string
	assess, sure, incident    bool
	binding, sandboxed        bool
	offered                   string // a folder that a request page offers to bind the agent to
	describing                bool
	described                 tenants.Description // as it was typed
	preview                   *tenants.Bound      // what a binding would be
}

func readAgentForm(c edge.Call) agentForm {
	return agentForm{
		described: tenants.Description{Contact: c.Field("contact"), TicketLink: c.Field("ticket_link")},
		name:      c.Field("name"), owner: c.Field("owner"), reason: c.Field("reason"), slug: c.Field("slug"),
		life: c.Field("expires"), overlap: c.Field("overlap"), environment: c.Field("environment"), workspace: c.Field("workspace"), sandboxed: c.Field("sandboxed") != "", typed: c.Field("typed"), assess: c.Field("assess") != "", sure: c.Field("sure") != "",
	}
}

// bound is what the form binds to, as it was typed.
func (f agentForm) bound() tenants.Bound {
	b := tenants.Bound{Environment: f.environment}
	if folder := strings.TrimSpace(f.workspace); folder != "" {
		b.Workspace = workspace.Binding{Folder: folder, Sandboxed: f.sandboxed}
	}
	return b
}

// scopes are what the new key is to open.
func (f agentForm) scopes() []auth.Scope {
	if f.assess {
		return []auth.Scope{auth.ScopeSubmit, auth.ScopeAssess}
	}
	return []auth.Scope{auth.ScopeSubmit}
}

// hours reads a choice of hours; "" and "0" are none.
func hours(text, member string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil || n < 0 {
		return 0, fault.Member(fault.InvalidForm, member, "choose one of the times in the list")
	}
	return time.Duration(n) * time.Hour, nil
}

// newKey is the key that the form asks for.
func (f agentForm) newKey(c edge.Call) (tenants.NewKey, error) {
	life, err := hours(f.life, "expires")
	return tenants.NewKey{ID: c.Field("key"), Scopes: f.scopes(), Life: life}, err
}

// agentsPage lists the agents.
func (s *Pages) agentsPage(c edge.Call) error { return s.showAgents(c, http.StatusOK, agentForm{}) }

func (s *Pages) showAgents(c edge.Call, status int, f agentForm) error {
	l, err := s.Tenants.Agents(c.Request().Context(), c.Member)
	if err != nil {
		return err
	}
	return edge.Show(c, status, settings.AgentsPage(s.Page(c, c.Say.Say("Agents"), views.PlaceSettings), agentsOf(c.Say, c.Member, l, f)))
}

// newAgentPage is the form of a new agent.
func (s *Pages) newAgentPage(c edge.Call) error {
	return s.showNewAgent(c, http.StatusOK, agentForm{})
}

func (s *Pages) showNewAgent(c edge.Call, status int, f agentForm) error {
	owners, err := s.Tenants.Owners(c.Request().Context(), c.Member)
	if err != nil {
		return err
	}
	return edge.Show(c, status, settings.NewAgentPage(s.Page(c, c.Say.Say("Create agent"), views.PlaceSettings), newAgentOf(c.Say, c.Member, owners, f)))
}

// createAgent makes an agent, and answers with the page that shows its key. There
// is no redirect on the way: the key would have to be kept somewhere meanwhile.
func (s *Pages) createAgent(c edge.Call) error {
	f := readAgentForm(c)
	key, err := f.newKey(c)
	if err == nil {
		err = c.Awake()
	}
	var secret string
	var a auth.Agent
	if err == nil {
		secret, a, err = s.Tenants.MakeAgent(c.Request().Context(), c.Member, tenants.NewAgent{
			Name: f.name, Owner: f.owner, Scopes: key.Scopes, Life: key.Life, KeyID: key.ID,
		})
	}
	if err != nil {
		return s.agentRefused(c, err, f, s.showNewAgent)
	}
	return s.showKey(c, a.ID, key.ID, secret)
}

// agentPage is one agent.
func (s *Pages) agentPage(c edge.Call) error {
	offered := present.Trim(c.QueryParam("workspace"), 400)
	return s.showAgent(c, http.StatusOK, agentForm{offered: offered, binding: offered != ""})
}

func (s *Pages) showAgent(c edge.Call, status int, f agentForm) error {
	id, err := edge.AgentID(c)
	if err != nil {
		return err
	}
	l, err := s.Tenants.Agent(c.Request().Context(), c.Member, id)
	if err != nil {
		return err
	}
	a := l.Agents[0]
	known, err := s.Approvals.AgentTrust(c.Request().Context(), c.Member, id)
	if err != nil {
		return err
	}
	b, err := s.bindingBasis(c)
	if err != nil {
		return err
	}
	tools, err := s.Tenants.Tools(c.Request().Context(), c.Member, id)
	if err != nil {
		return err
	}
	view := agentOf(c.Say, c.Member, l, known, b, f)
	if view.Replay, err = s.bindingReplay(c, a, f); err != nil {
		return err
	}
	view.Tools, view.ToolsLink = toolsFact(c.Say, len(tools)), views.Link{Label: c.Say.Say("Tools of %s", a.Name), URL: urls.Tools(c.Member.Tenant, id)}
	return edge.Show(c, status, settings.AgentPage(s.Page(c, c.Say.Say("Settings: %s", a.Name), views.PlaceSettings), view))
}

// showKey shows a new key, this once.
func (s *Pages) showKey(c edge.Call, agent, key, secret string) error {
	l, err := s.Tenants.Agent(c.Request().Context(), c.Member, agent)
	if err != nil {
		return err
	}
	p := s.Page(c, c.Say.Say("API key for %s", l.Agents[0].Name), views.PlaceSettings)
	return edge.Show(c, http.StatusOK, settings.KeyShownPage(p, keyShownOf(c.Say, c.Member, l, key, secret, s.PublicURL(), c.Single)))
}

// rotateKey gives an agent a new key beside the old ones.
func (s *Pages) rotateKey(c edge.Call) error {
	f := readAgentForm(c)
	return s.withAgent(c, f, func(id string) error {
		key, err := f.newKey(c)
		if err != nil {
			return err
		}
		overlap, err := hours(f.overlap, "overlap")
		if err != nil {
			return err
		}
		secret, err := s.Tenants.RotateKey(c.Request().Context(), c.Member, id, key, overlap)
		if err != nil {
			return err
		}
		return s.showKey(c, id, key.ID, secret)
	})
}

// startAgent lets a stopped agent act again, with a new key.
func (s *Pages) startAgent(c edge.Call) error {
	f := readAgentForm(c)
	return s.withAgent(c, f, func(id string) error {
		key, err := f.newKey(c)
		if err != nil {
			return err
		}
		// Should the withdrawal have broken off when it was stopped: nothing from
		// before may be spent afterwards.
		if err := s.withdraw(c, id); err != nil {
			return err
		}
		secret, err := s.Tenants.StartAgent(c.Request().Context(), c.Member, id, key)
		if err != nil {
			return err
		}
		return s.showKey(c, id, key.ID, secret)
	})
}

// stopAgent makes an agent's keys worthless and ends what it has open.
func (s *Pages) stopAgent(c edge.Call) error {
	f := readAgentForm(c)
	return s.withAgent(c, f, func(id string) error {
		if !f.sure {
			return fault.Member(fault.InvalidForm, "sure", "check the box to confirm; nothing was stopped")
		}
		stopped := s.Tenants.StopAgent(c.Request().Context(), c.Member, id, f.reason)
		if stopped != nil && !fault.Is(stopped, fault.Changed) {
			return stopped
		}
		// Also where it was stopped before: that withdrawal may have broken off.
		if err := s.withdraw(c, id); err != nil {
			return err
		}
		if stopped != nil {
			return stopped
		}
		s.Did(c, edge.DeedStopped)
		return edge.GoTo(c, urls.Agent(c.Member.Tenant, id))
	})
}

// recordIncident takes away what is known in an agent's favour.
func (s *Pages) recordIncident(c edge.Call) error {
	f := readAgentForm(c)
	f.incident = true
	return s.withAgent(c, f, func(id string) error {
		if err := s.Tenants.RecordIncident(c.Request().Context(), c.Member, id, f.reason); err != nil {
			return err
		}
		s.Did(c, edge.DeedIncident)
		return edge.GoTo(c, urls.Agent(c.Member.Tenant, id))
	})
}

// previewBinding shows what a binding would have changed of the agent's newest calls, with
// the form that makes it.
func (s *Pages) previewBinding(c edge.Call) error {
	f := readAgentForm(c)
	f.binding = true
	id, err := edge.AgentID(c)
	if err == nil {
		err = c.Awake()
	}
	var to tenants.Bound
	if err == nil {
		to, err = s.Tenants.CheckBinding(c.Request().Context(), c.Member, id, tenants.NewBinding{Bound: f.bound(), Reason: f.reason})
	}
	if err != nil {
		return s.agentRefused(c, err, f, s.showAgent)
	}
	f.preview = &to
	return s.showAgent(c, http.StatusOK, f)
}

// bindAgent binds an agent, or asks another admin for it; acceptBinding
// and dropBinding answer that.
func (s *Pages) bindAgent(c edge.Call) error {
	f := readAgentForm(c)
	f.binding = true
	id, err := edge.AgentID(c)
	if err == nil {
		err = c.Awake()
	}
	in := tenants.NewBinding{Bound: f.bound(), Reason: f.reason, Typed: f.typed}
	asked := false
	if err == nil {
		var to tenants.Bound
		if to, err = s.Tenants.CheckBinding(c.Request().Context(), c.Member, id, in); err == nil {
			f.preview = &to // what is refused from here on is shown beside what was looked at
			asked, err = s.Tenants.BindAgent(c.Request().Context(), c.Member, id, in)
		}
	}
	if err != nil {
		return s.agentRefused(c, err, f, s.showAgent)
	}
	to := urls.Agent(c.Member.Tenant, id)
	if asked {
		s.Did(c, edge.DeedAsked)
		return edge.GoTo(c, to+"#"+dropPanel) // which says who has to accept it
	}
	s.Did(c, edge.DeedSaved)
	return edge.GoTo(c, to)
}

func (s *Pages) acceptBinding(c edge.Call) error {
	f := readAgentForm(c)
	f.binding = true
	return s.withAgent(c, f, func(id string) error {
		if err := s.Tenants.AcceptBinding(c.Request().Context(), c.Member, id, f.bound()); err != nil {
			return err
		}
		s.Did(c, edge.DeedAccepted)
		return edge.GoTo(c, urls.Agent(c.Member.Tenant, id))
	})
}

func (s *Pages) dropBinding(c edge.Call) error {
	return s.withAgent(c, agentForm{binding: true}, func(id string) error {
		if err := s.Tenants.DropBinding(c.Request().Context(), c.Member, id); err != nil {
			return err
		}
		s.Did(c, edge.DeedRemoved)
		return edge.GoTo(c, urls.Agent(c.Member.Tenant, id))
	})
}

// withdraw ends what a stopped agent has open; an agent that may act keeps it.
func (s *Pages) withdraw(c edge.Call, agent string) error {
	l, err := s.Tenants.Agent(c.Request().Context(), c.Member, agent)
	if err != nil || l.Agents[0].StoppedAt == nil {
		return err
	}
	_, _, err = s.Approvals.Withdraw(c.Request().Context(), c.Member, agent, "the agent was stopped: "+l.Agents[0].StopReason)
	return err
}

// revokeKey and setExpiry change one key.
func (s *Pages) revokeKey(c edge.Call) error {
	return s.withAgent(c, agentForm{}, func(id string) error {
		if err := s.Tenants.RevokeKey(c.Request().Context(), c.Member, id, c.Param("key")); err != nil {
			return err
		}
		s.Did(c, edge.DeedRevoked)
		return edge.GoTo(c, urls.Agent(c.Member.Tenant, id))
	})
}

func (s *Pages) setExpiry(c edge.Call) error {
	f := readAgentForm(c)
	return s.withAgent(c, f, func(id string) error {
		if f.life == "" {
			return fault.Member(fault.InvalidForm, "expires", "choose when the key expires")
		}
		life, err := hours(f.life, "expires")
		if err != nil {
			return err
		}
		if err := s.Tenants.SetExpiry(c.Request().Context(), c.Member, id, c.Param("key"), life); err != nil {
			return err
		}
		s.Did(c, edge.DeedSaved)
		return edge.GoTo(c, urls.Agent(c.Member.Tenant, id))
	})
}

// withAgent does something to the agent of the path and shows its page again with
// the message when that was refused.
func (s *Pages) withAgent(c edge.Call, f agentForm, do func(id string) error) error {
	id, err := edge.AgentID(c)
	if err != nil {
		return err
	}
	if err = c.Awake(); err == nil {
		err = do(id)
	}
	return s.agentRefused(c, err, f, s.showAgent)
}

// stopAll is the kill switch, resumeAll its end.
func (s *Pages) stopAll(c edge.Call) error {
	f := readAgentForm(c)
	return s.switchAll(c, f, func() error {
		return s.Tenants.StopAll(c.Request().Context(), c.Member, f.slug, f.reason)
	})
}

func (s *Pages) resumeAll(c edge.Call) error {
	f := readAgentForm(c)
	return s.switchAll(c, f, func() error { return s.Tenants.Resume(c.Request().Context(), c.Member, f.reason) })
}

func (s *Pages) switchAll(c edge.Call, f agentForm, do func() error) error {
	err := c.Awake()
	if err == nil {
		err = do()
	}
	if err == nil {
		s.TenantChanged(c.Member.Tenant)
		if !c.Member.May(auth.ReadAgents) {
			return edge.GoTo(c, urls.Queue(c.Member.Tenant))
		}
		return edge.GoTo(c, urls.Agents(c.Member.Tenant))
	}
	if !c.Member.May(auth.ReadAgents) { // whose page the form stood on
		return err
	}
	return s.agentRefused(c, err, f, s.showAgents)
}

// agentRefused shows a page again with the message and what was typed.
func (s *Pages) agentRefused(c edge.Call, err error, f agentForm, again func(c edge.Call, status int, f agentForm) error) error {
	refusal := fault.As(err)
	if refusal == nil || refusal.Kind() == fault.Internal || refusal.Kind() == fault.NotFound {
		return err
	}
	edge.NoteRefusal(c, refusal)
	f.fault = refusal
	return again(c, httpserver.Status(refusal.Code), f)
}

// describeAgent says whom to ask about an agent, and where its tickets are.
func (s *Pages) describeAgent(c edge.Call) error {
	f := readAgentForm(c)
	f.describing = true
	return s.withAgent(c, f, func(id string) error {
		d := tenants.Description{Contact: c.Field("contact"), TicketLink: c.Field("ticket_link")}
		if err := s.Tenants.DescribeAgent(c.Request().Context(), c.Member, id, d); err != nil {
			return err
		}
		s.Did(c, edge.DeedSaved)
		return edge.GoTo(c, urls.Agent(c.Member.Tenant, id))
	})
}

// describePanel is its form; nil for those who may not.
func describePanel(say texts.Printer, m auth.Member, a tenants.Agent, f agentForm) *views.Panel {
	if !m.May(auth.ManageAgents) {
		return nil
	}
	d, contact, link := a.Description, "", ""
	if f.describing && f.fault != nil {
		d, contact, link = f.described, f.at(say, "contact"), f.at(say, "ticket_link")
	}
	return &views.Panel{
		ID: "describe", Title: say.Say("Contact and tickets"), Text: untrusted.Runs(say.Say("Shown to everyone who decides this agent's requests.")),
		Form: views.PlainForm{
			URL: urls.Agent(m.Tenant, a.ID) + "/describe",
			Lines: []views.LineField{
				{ID: "contact", Name: "contact", Label: say.Say("Contact"), Value: d.Contact, Max: strconv.Itoa(tenants.MaxContact), Error: contact, Hint: say.Say("An email address, a chat handle or a short text.")},
				{ID: "ticket_link", Name: "ticket_link", Label: say.Say("Ticket link"), Value: d.TicketLink, Mono: true, Max: strconv.Itoa(tenants.MaxTicketLink), Error: link, Hint: say.Say("Starts with https:// and contains {ticket}. It's filled with the argument or metadata field called ticket, ticket_id, issue or issue_key.")},
			},
			Button: views.Button{Label: say.Say("Save")},
		},
	}
}
