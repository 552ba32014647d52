package settingsui

import (
	"net/http"
	"strings"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/console/edge"
	"github.com/countersign/countersign/internal/console/policyui"
	"github.com/countersign/countersign/internal/console/urls"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/tenants"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/settings"
)

// The tools that were imported for an agent. What is accepted of them is a draft of the
// policy, which goes through the preview of the policy page.

const toolsPath = "/t/:tenant/settings/agents/:agent/tools"

// fieldEffect begins the names of the fields that correct an effect; a tool's name follows.
const fieldEffect = "effect:"

// asRead is the choice of what was read.
const asRead = "as-read"

// toolsForm is what was typed in the form of a list, and what was wrong with it.
type toolsForm struct {
	fault                *fault.Error
	server, prefix, list string
	chosen               map[string]string // of the selects, by tool
	accepting            bool              // the refusal is about them
}

func (s *Pages) toolsPage(c edge.Call) error { return s.showTools(c, http.StatusOK, toolsForm{}) }

// agentTools are the agent of the page and its tools.
func (s *Pages) agentTools(c edge.Call) (l tenants.AgentList, tools []tenants.Tool, err error) {
	id, err := edge.AgentID(c)
	if err != nil {
		return l, nil, err
	}
	if l, err = s.Tenants.Agent(c.Request().Context(), c.Member, id); err != nil {
		return l, nil, err
	}
	tools, err = s.Tenants.Tools(c.Request().Context(), c.Member, id)
	return l, tools, err
}

func (s *Pages) showTools(c edge.Call, status int, f toolsForm) error {
	ctx := c.Request().Context()
	l, tools, err := s.agentTools(c)
	if err != nil {
		return err
	}
	now, err := s.Tenants.CurrentPolicy(ctx, c.Member)
	if err != nil {
		return err
	}
	read, err := readTools(now.Policy, l.Agents[0], tools)
	if err != nil {
		return err
	}
	title := c.Say.Say("Tools of %s", l.Agents[0].Name)
	return edge.Show(c, status, settings.ToolsPage(s.Page(c, title, views.PlaceSettings), toolsOf(c.Say, c.Member, l, now, read, f)))
}

// readTool is a tool with what is read of it, and what the policy makes of a call without
// arguments.
type readTool struct {
	tenants.Tool
	effect, now effects.Effect // without what was accepted, and with it
	floor       effects.Floor
	suggested   effects.Kind
	reviewed    effects.Kind
	accepted    scoring.Function
	holds       bool // the description is the one that was accepted
}

func readTools(p scoring.Policy, a tenants.Agent, tools []tenants.Tool) ([]readTool, error) {
	compiled, err := scoring.Compile(p)
	if err != nil {
		return nil, err
	}
	all := make([]readTool, len(tools))
	for i, t := range tools {
		action, err := scoring.NewAction(canon.Object(canon.Member{Name: "function", Value: canon.String(t.Name)}))
		if err != nil {
			return nil, err
		}
		given := effects.Tool{Name: t.Name, SHA256: t.SHA256, Raises: t.Raises}
		one := readTool{Tool: t, reviewed: effects.Reviewed(t.Server, t.Own), suggested: effects.Suggested(t.Server, t.Own, t.Annotations.SaysReadOnly())}
		one.effect = effects.Examine(effects.Input{Function: t.Name}).Effects(effects.Given{Tool: &given})[0]
		as := compiled.Examine(action, nil).Given(scoring.Inputs{Agent: a.Name, Environment: a.Environment, Tool: &given}).Assess(1)
		one.now, one.floor = as.Effects[0], as.Floor
		one.accepted, _ = tenants.AcceptedTool(p, a.Name, t.Name)
		one.holds = one.accepted.Tool == t.SHA256
		all[i] = one
	}
	return all, nil
}

// importTools takes a list, as a file or pasted.
func (s *Pages) importTools(c edge.Call) error {
	f := toolsForm{server: strings.TrimSpace(c.Field("server")), prefix: strings.TrimSpace(c.Field("prefix")), list: c.Field("list")}
	return s.withTools(c, edge.DeedSaved, f, func(id string) error {
		list, err := c.Upload("file")
		if err != nil {
			return err
		}
		switch pasted := strings.TrimSpace(f.list) != ""; {
		case pasted && len(list) > 0:
			return fault.Member(fault.InvalidForm, "list", "choose a file or paste a list, not both")
		case pasted:
			list = []byte(f.list)
		}
		_, _, err = s.Tenants.ImportTools(c.Request().Context(), c.Member, id, tenants.ToolImport{Server: f.server, Prefix: f.prefix, List: list})
		return err
	})
}

// acceptTools leads what was chosen into the preview of a policy.
func (s *Pages) acceptTools(c edge.Call) error {
	f := toolsForm{chosen: map[string]string{}, accepting: true}
	for name, values := range c.Request().PostForm {
		if tool, ok := strings.CutPrefix(name, fieldEffect); ok && len(values) == 1 {
			f.chosen[tool] = values[0]
		}
	}
	ctx := c.Request().Context()
	l, tools, err := s.agentTools(c)
	if err != nil {
		return err
	}
	d, err := s.Policy.VersionsOf(ctx, c.Member, policyui.Draft{policyui.FieldBase: c.Field(policyui.FieldBase)})
	if err != nil {
		return s.toolsRefused(c, err, f)
	}
	accept := map[string]effects.Kind{}
	for tool, chosen := range f.chosen {
		kind := effects.Kind(chosen)
		if chosen == asRead {
			kind = ""
		} else if !kind.Valid() {
			return s.toolsRefused(c, fault.Member(fault.InvalidForm, fieldEffect+tool, "choose one of the effects in the list"), f)
		}
		accept[tool] = kind
	}
	lists := policyui.ListsOf(tenants.AcceptTools(d.Base.Policy, l.Agents[0].Name, tools, accept))
	d.Draft = policyui.DraftOf(c.Say, d.Base.Policy)
	d.Draft[edge.FieldLists] = lists.Field(d.Base.Policy)
	d.Draft[policyui.FieldReason] = strings.TrimSpace(c.Field(policyui.FieldReason))
	p, wrong := d.Draft.Policy(c.Say, d.Base.Policy)
	switch {
	case d.Draft[edge.FieldLists] == "":
		return s.toolsRefused(c, fault.Member(fault.InvalidForm, "effects", "nothing would change: everything is accepted as it is chosen"), f)
	case len(wrong) > 0:
		return s.toolsRefused(c, fault.Member(fault.InvalidForm, "effects", "%s", wrong[0].Text), f)
	case d.Base.Version != d.Current.Version:
		return s.Policy.ShowStale(c, d)
	}
	return s.Policy.ShowPreview(c, http.StatusOK, d, p, nil)
}

// removeTools takes the tools of a server away.
func (s *Pages) removeTools(c edge.Call) error {
	return s.withTools(c, edge.DeedRemoved, toolsForm{}, func(id string) error {
		_, err := s.Tenants.RemoveTools(c.Request().Context(), c.Member, id, c.Field("server"))
		return err
	})
}

// withTools does something to the tools of the agent of the path, and shows the page
// again with the message where that was refused.
func (s *Pages) withTools(c edge.Call, what edge.Deed, f toolsForm, do func(id string) error) error {
	id, err := edge.AgentID(c)
	if err != nil {
		return err
	}
	if err = c.Awake(); err == nil {
		err = do(id)
	}
	if err == nil {
		s.Did(c, what)
		return edge.GoTo(c, urls.Tools(c.Member.Tenant, id))
	}
	return s.toolsRefused(c, err, f)
}

func (s *Pages) toolsRefused(c edge.Call, err error, f toolsForm) error {
	return s.agentRefused(c, err, agentForm{}, func(c edge.Call, status int, refused agentForm) error {
		f.fault = refused.fault
		return s.showTools(c, status, f)
	})
}
