package console

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/internal/console/untrusted"
	"github.com/countersign/countersign/internal/console/urls"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/httpserver"
	"github.com/countersign/countersign/internal/scoring/workspace"
	"github.com/countersign/countersign/internal/tenants"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/settings"
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

func readAgentForm(c call) agentForm {
	return agentForm{
		described: tenants.Description{Contact: c.field("contact"), TicketLink: c.field("ticket_link")},
		name:      c.field("name"), owner: c.field("owner"), reason: c.field("reason"), slug: c.field("slug"),
		life: c.field("expires"), overlap: c.field("overlap"), environment: c.field("environment"), workspace: c.field("workspace"), sandboxed: c.field("sandboxed") != "", typed: c.field("typed"), assess: c.field("assess") != "", sure: c.field("sure") != "",
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
func (f agentForm) newKey(c call) (tenants.NewKey, error) {
	life, err := hours(f.life, "expires")
	return tenants.NewKey{ID: c.field("key"), Scopes: f.scopes(), Life: life}, err
}

// agentID returns the agent of the path; what cannot be one is nobody.
func (c call) agentID() (string, error) {
	if id := c.Param("agent"); auth.IsID("agt", id) {
		return id, nil
	}
	return "", fault.New(fault.Missing, "there is no agent with this ID in this organisation")
}

// agentsPage lists the agents.
func (s *Console) agentsPage(c call) error { return s.showAgents(c, http.StatusOK, agentForm{}) }

func (s *Console) showAgents(c call, status int, f agentForm) error {
	l, err := s.tenants.Agents(c.Request().Context(), c.member)
	if err != nil {
		return err
	}
	return show(c, status, settings.AgentsPage(s.page(c, c.say.Say("Agents"), views.PlaceSettings), agentsOf(c.say, c.member, l, f)))
}

// newAgentPage is the form of a new agent.
func (s *Console) newAgentPage(c call) error { return s.showNewAgent(c, http.StatusOK, agentForm{}) }

func (s *Console) showNewAgent(c call, status int, f agentForm) error {
	owners, err := s.tenants.Owners(c.Request().Context(), c.member)
	if err != nil {
		return err
	}
	return show(c, status, settings.NewAgentPage(s.page(c, c.say.Say("Create agent"), views.PlaceSettings), newAgentOf(c.say, c.member, owners, f)))
}

// createAgent makes an agent, and answers with the page that shows its key. There
// is no redirect on the way: the key would have to be kept somewhere meanwhile.
func (s *Console) createAgent(c call) error {
	f := readAgentForm(c)
	key, err := f.newKey(c)
	if err == nil {
		err = c.awake()
	}
	var secret string
	var a auth.Agent
	if err == nil {
		secret, a, err = s.tenants.MakeAgent(c.Request().Context(), c.member, tenants.NewAgent{
			Name: f.name, Owner: f.owner, Scopes: key.Scopes, Life: key.Life, KeyID: key.ID,
		})
	}
	if err != nil {
		return s.agentRefused(c, err, f, s.showNewAgent)
	}
	return s.showKey(c, a.ID, key.ID, secret)
}

// agentPage is one agent.
func (s *Console) agentPage(c call) error {
	offered := present.Trim(c.QueryParam("workspace"), 400)
	return s.showAgent(c, http.StatusOK, agentForm{offered: offered, binding: offered != ""})
}

func (s *Console) showAgent(c call, status int, f agentForm) error {
	id, err := c.agentID()
	if err != nil {
		return err
	}
	l, err := s.tenants.Agent(c.Request().Context(), c.member, id)
	if err != nil {
		return err
	}
	a := l.Agents[0]
	known, err := s.approvals.AgentTrust(c.Request().Context(), c.member, id)
	if err != nil {
		return err
	}
	b, err := s.bindingBasis(c)
	if err != nil {
		return err
	}
	tools, err := s.tenants.Tools(c.Request().Context(), c.member, id)
	if err != nil {
		return err
	}
	view := agentOf(c.say, c.member, l, known, b, f)
	if view.Replay, err = s.bindingReplay(c, a, f); err != nil {
		return err
	}
	view.Tools, view.ToolsLink = toolsFact(c.say, len(tools)), views.Link{Label: c.say.Say("Tools of %s", a.Name), URL: urls.Tools(c.member.Tenant, id)}
	return show(c, status, settings.AgentPage(s.page(c, c.say.Say("Settings: %s", a.Name), views.PlaceSettings), view))
}

// showKey shows a new key, this once.
func (s *Console) showKey(c call, agent, key, secret string) error {
	l, err := s.tenants.Agent(c.Request().Context(), c.member, agent)
	if err != nil {
		return err
	}
	p := s.page(c, c.say.Say("API key for %s", l.Agents[0].Name), views.PlaceSettings)
	return show(c, http.StatusOK, settings.KeyShownPage(p, keyShownOf(c.say, c.member, l, key, secret, s.publicURL(), c.single)))
}

// rotateKey gives an agent a new key beside the old ones.
func (s *Console) rotateKey(c call) error {
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
		secret, err := s.tenants.RotateKey(c.Request().Context(), c.member, id, key, overlap)
		if err != nil {
			return err
		}
		return s.showKey(c, id, key.ID, secret)
	})
}

// startAgent lets a stopped agent act again, with a new key.
func (s *Console) startAgent(c call) error {
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
		secret, err := s.tenants.StartAgent(c.Request().Context(), c.member, id, key)
		if err != nil {
			return err
		}
		return s.showKey(c, id, key.ID, secret)
	})
}

// stopAgent makes an agent's keys worthless and ends what it has open.
func (s *Console) stopAgent(c call) error {
	f := readAgentForm(c)
	return s.withAgent(c, f, func(id string) error {
		if !f.sure {
			return fault.Member(fault.InvalidForm, "sure", "check the box to confirm; nothing was stopped")
		}
		stopped := s.tenants.StopAgent(c.Request().Context(), c.member, id, f.reason)
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
		s.did(c, deedStopped)
		return goTo(c, urls.Agent(c.member.Tenant, id))
	})
}

// recordIncident takes away what is known in an agent's favour.
func (s *Console) recordIncident(c call) error {
	f := readAgentForm(c)
	f.incident = true
	return s.withAgent(c, f, func(id string) error {
		if err := s.tenants.RecordIncident(c.Request().Context(), c.member, id, f.reason); err != nil {
			return err
		}
		s.did(c, deedIncident)
		return goTo(c, urls.Agent(c.member.Tenant, id))
	})
}

// previewBinding shows what a binding would have changed of the agent's newest calls, with
// the form that makes it.
func (s *Console) previewBinding(c call) error {
	f := readAgentForm(c)
	f.binding = true
	id, err := c.agentID()
	if err == nil {
		err = c.awake()
	}
	var to tenants.Bound
	if err == nil {
		to, err = s.tenants.CheckBinding(c.Request().Context(), c.member, id, tenants.NewBinding{Bound: f.bound(), Reason: f.reason})
	}
	if err != nil {
		return s.agentRefused(c, err, f, s.showAgent)
	}
	f.preview = &to
	return s.showAgent(c, http.StatusOK, f)
}

// bindAgent binds an agent, or asks another admin for it; acceptBinding
// and dropBinding answer that.
func (s *Console) bindAgent(c call) error {
	f := readAgentForm(c)
	f.binding = true
	id, err := c.agentID()
	if err == nil {
		err = c.awake()
	}
	in := tenants.NewBinding{Bound: f.bound(), Reason: f.reason, Typed: f.typed}
	asked := false
	if err == nil {
		var to tenants.Bound
		if to, err = s.tenants.CheckBinding(c.Request().Context(), c.member, id, in); err == nil {
			f.preview = &to // what is refused from here on is shown beside what was looked at
			asked, err = s.tenants.BindAgent(c.Request().Context(), c.member, id, in)
		}
	}
	if err != nil {
		return s.agentRefused(c, err, f, s.showAgent)
	}
	to := urls.Agent(c.member.Tenant, id)
	if asked {
		s.did(c, deedAsked)
		return goTo(c, to+"#"+dropPanel) // which says who has to accept it
	}
	s.did(c, deedSaved)
	return goTo(c, to)
}

func (s *Console) acceptBinding(c call) error {
	f := readAgentForm(c)
	f.binding = true
	return s.withAgent(c, f, func(id string) error {
		if err := s.tenants.AcceptBinding(c.Request().Context(), c.member, id, f.bound()); err != nil {
			return err
		}
		s.did(c, deedAccepted)
		return goTo(c, urls.Agent(c.member.Tenant, id))
	})
}

func (s *Console) dropBinding(c call) error {
	return s.withAgent(c, agentForm{binding: true}, func(id string) error {
		if err := s.tenants.DropBinding(c.Request().Context(), c.member, id); err != nil {
			return err
		}
		s.did(c, deedRemoved)
		return goTo(c, urls.Agent(c.member.Tenant, id))
	})
}

// withdraw ends what a stopped agent has open; an agent that may act keeps it.
func (s *Console) withdraw(c call, agent string) error {
	l, err := s.tenants.Agent(c.Request().Context(), c.member, agent)
	if err != nil || l.Agents[0].StoppedAt == nil {
		return err
	}
	_, _, err = s.approvals.Withdraw(c.Request().Context(), c.member, agent, "the agent was stopped: "+l.Agents[0].StopReason)
	return err
}

// revokeKey and setExpiry change one key.
func (s *Console) revokeKey(c call) error {
	return s.withAgent(c, agentForm{}, func(id string) error {
		if err := s.tenants.RevokeKey(c.Request().Context(), c.member, id, c.Param("key")); err != nil {
			return err
		}
		s.did(c, deedRevoked)
		return goTo(c, urls.Agent(c.member.Tenant, id))
	})
}

func (s *Console) setExpiry(c call) error {
	f := readAgentForm(c)
	return s.withAgent(c, f, func(id string) error {
		if f.life == "" {
			return fault.Member(fault.InvalidForm, "expires", "choose when the key expires")
		}
		life, err := hours(f.life, "expires")
		if err != nil {
			return err
		}
		if err := s.tenants.SetExpiry(c.Request().Context(), c.member, id, c.Param("key"), life); err != nil {
			return err
		}
		s.did(c, deedSaved)
		return goTo(c, urls.Agent(c.member.Tenant, id))
	})
}

// withAgent does something to the agent of the path and shows its page again with
// the message when that was refused.
func (s *Console) withAgent(c call, f agentForm, do func(id string) error) error {
	id, err := c.agentID()
	if err != nil {
		return err
	}
	if err = c.awake(); err == nil {
		err = do(id)
	}
	return s.agentRefused(c, err, f, s.showAgent)
}

// stopAll is the kill switch, resumeAll its end.
func (s *Console) stopAll(c call) error {
	f := readAgentForm(c)
	return s.switchAll(c, f, func() error {
		return s.tenants.StopAll(c.Request().Context(), c.member, f.slug, f.reason)
	})
}

func (s *Console) resumeAll(c call) error {
	f := readAgentForm(c)
	return s.switchAll(c, f, func() error { return s.tenants.Resume(c.Request().Context(), c.member, f.reason) })
}

func (s *Console) switchAll(c call, f agentForm, do func() error) error {
	err := c.awake()
	if err == nil {
		err = do()
	}
	if err == nil {
		s.houseChanged(c.member.Tenant)
		if !c.member.May(auth.ReadAgents) {
			return goTo(c, urls.Queue(c.member.Tenant))
		}
		return goTo(c, urls.Agents(c.member.Tenant))
	}
	if !c.member.May(auth.ReadAgents) { // whose page the form stood on
		return err
	}
	return s.agentRefused(c, err, f, s.showAgents)
}

// agentRefused shows a page again with the message and what was typed.
func (s *Console) agentRefused(c call, err error, f agentForm, again func(c call, status int, f agentForm) error) error {
	refusal := fault.As(err)
	if refusal == nil || refusal.Kind() == fault.Internal || refusal.Kind() == fault.NotFound {
		return err
	}
	noteRefusal(c, refusal)
	f.fault = refusal
	return again(c, httpserver.Status(refusal.Code), f)
}

// asleepBanner says so before somebody fills in a form: stopping an agent cannot wait for
// a refusal.
func asleepBanner(c call) views.Notice {
	next := c.Request().URL.Path
	if c.Request().Method != http.MethodGet {
		next = settingsItems(c.say, c.member, "")[0].URL
	}
	return views.Notice{
		Tone: views.ToneWarn, Icon: views.IconLock, Title: c.say.Say("Sign in again to make changes"),
		Text:   untrusted.Runs(c.say.Say("You've been inactive for a while. Sign in again to make changes or stop an agent.")),
		Action: &views.Link{Label: c.say.Say("Sign in again"), URL: urls.SignIn + "?next=" + url.QueryEscape(next)},
	}
}

// awake refuses to change anything while deciding is locked: what changes who may do
// what is worth at least as much as a decision.
func (c call) awake() error {
	if c.locked {
		return fault.New(fault.Unauthorized, "nothing was changed because you've been inactive for a while; sign in and try again")
	}
	return c.ownPage()
}
