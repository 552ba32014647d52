package console

import (
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/console/urls"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/toollist"
	"github.com/countersign/countersign/internal/tenants"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/settings"
)

// The tools that were imported for an agent. What is accepted of them is a draft of the
// policy, which goes through the preview of the policy page.

const toolsPath = "/t/:tenant/settings/agents/:agent/tools"

// maxToolsForm bounds the forms of these pages: a list, as a file or pasted, and the
// choices of all tools of an agent.
const maxToolsForm = toollist.MaxBytes + maxForm

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

func (s *Console) toolsPage(c call) error { return s.showTools(c, http.StatusOK, toolsForm{}) }

func (s *Console) showTools(c call, status int, f toolsForm) error {
	id, err := c.agentID()
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	l, err := s.tenants.Agent(ctx, c.member, id)
	if err != nil {
		return err
	}
	tools, err := s.tenants.Tools(ctx, c.member, id)
	if err != nil {
		return err
	}
	now, err := s.tenants.CurrentPolicy(ctx, c.member)
	if err != nil {
		return err
	}
	read, err := readTools(now.Policy, l.Agents[0], tools)
	if err != nil {
		return err
	}
	title := c.say.Say("Tools of %s", l.Agents[0].Name)
	return show(c, status, settings.ToolsPage(s.page(c, title, views.PlaceSettings), toolsOf(c.say, c.member, l, now, read, f)))
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
func (s *Console) importTools(c call) error {
	f := toolsForm{server: strings.TrimSpace(c.field("server")), prefix: strings.TrimSpace(c.field("prefix")), list: c.field("list")}
	return s.withTools(c, deedSaved, f, func(id string) error {
		list, err := c.file("file")
		if err != nil {
			return err
		}
		switch pasted := strings.TrimSpace(f.list) != ""; {
		case pasted && len(list) > 0:
			return fault.Member(fault.InvalidForm, "list", "choose a file or paste a list, not both")
		case pasted:
			list = []byte(f.list)
		}
		_, _, err = s.tenants.ImportTools(c.Request().Context(), c.member, id, tenants.ToolImport{Server: f.server, Prefix: f.prefix, List: list})
		return err
	})
}

// acceptTools leads what was chosen into the preview of a policy.
func (s *Console) acceptTools(c call) error {
	f := toolsForm{chosen: map[string]string{}, accepting: true}
	for name, values := range c.Request().PostForm {
		if tool, ok := strings.CutPrefix(name, fieldEffect); ok && len(values) == 1 {
			f.chosen[tool] = values[0]
		}
	}
	id, err := c.agentID()
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	l, err := s.tenants.Agent(ctx, c.member, id)
	if err != nil {
		return err
	}
	tools, err := s.tenants.Tools(ctx, c.member, id)
	if err != nil {
		return err
	}
	d, err := s.versionsOf(ctx, c.member, draft{fieldBase: c.field(fieldBase)})
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
	lists := listsOf(tenants.AcceptTools(d.base.Policy, l.Agents[0].Name, tools, accept))
	d.draft = draftOf(c.say, d.base.Policy)
	d.draft[fieldLists] = lists.field(d.base.Policy)
	d.draft[fieldReason] = strings.TrimSpace(c.field(fieldReason))
	p, wrong := d.draft.policy(c.say, d.base.Policy)
	switch {
	case d.draft[fieldLists] == "":
		return s.toolsRefused(c, fault.Member(fault.InvalidForm, "effects", "nothing would change: everything is accepted as it is chosen"), f)
	case len(wrong) > 0:
		return s.toolsRefused(c, fault.Member(fault.InvalidForm, "effects", "%s", wrong[0].text), f)
	case d.base.Version != d.current.Version:
		return s.showStale(c, d)
	}
	return s.showPreview(c, http.StatusOK, d, p, nil)
}

// removeTools takes the tools of a server away.
func (s *Console) removeTools(c call) error {
	return s.withTools(c, deedRemoved, toolsForm{}, func(id string) error {
		_, err := s.tenants.RemoveTools(c.Request().Context(), c.member, id, c.field("server"))
		return err
	})
}

// withTools does something to the tools of the agent of the path, and shows the page
// again with the message where that was refused.
func (s *Console) withTools(c call, what deed, f toolsForm, do func(id string) error) error {
	id, err := c.agentID()
	if err != nil {
		return err
	}
	if err = c.awake(); err == nil {
		err = do(id)
	}
	if err == nil {
		s.did(c, what)
		return goTo(c, urls.Tools(c.member.Tenant, id))
	}
	return s.toolsRefused(c, err, f)
}

func (s *Console) toolsRefused(c call, err error, f toolsForm) error {
	return s.agentRefused(c, err, agentForm{}, func(c call, status int, refused agentForm) error {
		f.fault = refused.fault
		return s.showTools(c, status, f)
	})
}

// isMultipart reports whether a form comes with files.
func isMultipart(r *http.Request) bool {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return err == nil && kind == "multipart/form-data"
}

// file is a file of the posted form; nothing where none was chosen.
func (c call) file(name string) ([]byte, error) {
	form := c.Request().MultipartForm
	if form == nil || len(form.File[name]) == 0 {
		return nil, nil
	}
	file, err := form.File[name][0].Open()
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(file)
}
