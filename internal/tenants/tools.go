package tenants

import (
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/toollist"
)

// The tools of servers, as an admin imported them for an agent. An import alone lowers
// nothing: what is accepted of a tool is an entry of the policy, which counts while the
// server describes the tool as it did then (docs/policy.md).

// Tool is one of them.
type Tool struct {
	toollist.Tool
	Server     string
	News       ToolNews
	ImportedAt time.Time // when its server's list was imported
	ImportedBy string    // person; "" on the command line
}

// ToolNews is what the last import found of a tool.
type ToolNews string

const (
	ToolSame    ToolNews = ""
	ToolAdded   ToolNews = "added"
	ToolChanged ToolNews = "changed" // schema, description or annotations
	// ToolGone is a tool that its server no longer has, or that somebody took away: it
	// stays while what it raises was not looked at by a second person.
	ToolGone ToolNews = "gone"
)

// ToolImport is what somebody imports.
type ToolImport struct {
	Server string // what the organisation calls it; "" is taken from Prefix or the tools
	Prefix string
	List   []byte
}

const (
	// maxAgentTools bounds what one agent has of all servers.
	maxAgentTools = 2000
	// toolDescription is how much of a description is kept, in bytes.
	toolDescription = 500
)

var serverForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._@/-]{0,63}$`)

// Tools lists what was imported for an agent, by name.
func (s *Service) Tools(ctx context.Context, m auth.Member, agent string) (all []Tool, err error) {
	if err := allow(m, auth.ReadAgents); err != nil {
		return nil, err
	}
	err = s.store.Read(ctx, m.Tenant, func(r Reader) error {
		all, err = r.ImportedTools(agent)
		return err
	})
	return all, err
}

// ImportTools makes a list the tools of one server of an agent. It returns all that the
// agent has then, and the name of the server.
func (s *Service) ImportTools(ctx context.Context, m auth.Member, agent string, in ToolImport) (all []Tool, server string, err error) {
	if err := allow(m, auth.ManageAgents); err != nil { // before the list is read
		return nil, "", err
	}
	tools, server, err := in.read()
	if err != nil {
		return nil, "", err
	}
	err = s.giveAgent(ctx, m, agent, func(w Writer, a Agent) error {
		all, err = importTools(w, a, server, tools, personActor(m))
		return err
	})
	return all, server, err
}

// ImportToolsFor is ImportTools on the command line, for the agent of a name.
func (s *Service) ImportToolsFor(ctx context.Context, tenant, agent string, in ToolImport) (all []Tool, server string, err error) {
	if err := s.exists(ctx, tenant); err != nil {
		return nil, "", err
	}
	tools, server, err := in.read()
	if err != nil {
		return nil, "", err
	}
	err = s.store.Write(ctx, tenant, func(w Writer) error {
		agents, err := w.Agents()
		if err != nil {
			return err
		}
		at := slices.IndexFunc(agents, func(a Agent) bool { return a.Name == agent })
		if at < 0 {
			return fault.Member(fault.Missing, "name", "%s has no agent with this name", tenant)
		}
		if err := s.held(w, tenant); err != nil { // what is there already becomes true by this
			return err
		}
		all, err = importTools(w, agents[at], server, tools, system)
		return err
	})
	return all, server, err
}

// read is the list, and the server that it is of.
func (in ToolImport) read() ([]toollist.Tool, string, error) {
	tools, err := toollist.Parse(in.List, in.Prefix)
	if err != nil {
		return nil, "", err
	}
	server := in.Server
	if server == "" {
		server = serverOf(in.Prefix, tools)
	}
	if !serverForm.MatchString(server) {
		return nil, "", fault.Member(fault.InvalidForm, "server", "a server's name is 1 to 64 letters, digits and . _ @ / -, starting with a letter or digit (for example github)")
	}
	if err := unnamed("server", server); err != nil {
		return nil, "", err
	}
	for i, t := range tools {
		if scoring.HoldsSecret(t.Name) {
			return nil, "", fault.Member(fault.InvalidForm, "list", "the name of tool %s contains a secret, and names are stored and shown as they are; rename the tool and replace the secret", strconv.Itoa(i+1))
		}
	}
	return tools, server, nil
}

// serverOf is the server that a prefix such as mcp__github__ names, else the reviewed one
// whose tools these are.
func serverOf(prefix string, tools []toollist.Tool) string {
	named := strings.Trim(strings.TrimPrefix(prefix, "mcp__"), "_-./:@")
	if named != "" {
		return named
	}
	names := make([]string, len(tools))
	for i, t := range tools {
		names[i] = t.Own
	}
	if known := effects.ServerOf(names); known != "" {
		return known
	}
	return "tools"
}

// importTools writes what an import changes, and tells of it.
func importTools(w Writer, a Agent, server string, tools []toollist.Tool, by audit.Actor) ([]Tool, error) {
	before, err := w.ImportedTools(a.ID)
	if err != nil {
		return nil, err
	}
	accepted, err := acceptedTools(w, a)
	if err != nil {
		return nil, err
	}
	old := map[string]Tool{}
	others := 0
	for _, t := range before {
		if old[t.Name] = t; t.Server != server {
			others++
		}
	}
	if others+len(tools) > maxAgentTools {
		return nil, fault.Member(fault.InvalidForm, "list", "the agent would have %d tools; at most %d are accepted", others+len(tools), maxAgentTools)
	}
	next := make([]Tool, len(tools))
	for i, t := range tools {
		t.Description = beginning(scoring.MaskText(t.Description), toolDescription)
		next[i] = Tool{Tool: t, Server: server, News: ToolAdded, ImportedAt: w.Now(), ImportedBy: by.ID}
		was, there := old[t.Name]
		switch {
		case !there:
			continue
		case was.Server != server:
			return nil, fault.Member(fault.InvalidForm, "prefix", "the tool %s already belongs to the server %s; use another prefix to tell them apart", t.Name, was.Server)
		case was.SHA256 == t.SHA256:
			next[i].News = ToolSame
		default:
			next[i].News = ToolChanged
		}
		if !accepted(was) {
			next[i].Raises = effects.Worse(was.Raises, t.Raises)
		}
		delete(old, t.Name)
	}
	gone := []canon.Value{}
	for _, t := range before {
		if _, left := old[t.Name]; !left || t.Server != server {
			continue
		}
		gone = append(gone, canon.String(t.Name))
		if t.Raises != "" && !accepted(t) {
			t.News = ToolGone
			next = append(next, t)
		}
	}
	if err := w.SetTools(a.ID, server, next); err != nil {
		return nil, err
	}
	all, err := w.ImportedTools(a.ID)
	if err != nil {
		return nil, err
	}
	if err := w.Append(a.event(audit.ToolsImported, by,
		member("server", canon.String(server)), member("tools", canon.Int(int64(len(tools)))),
		member("added", names(next, ToolAdded)), member("changed", names(next, ToolChanged)), member("gone", canon.Array(gone[:min(len(gone), toldTools)]...)),
		member("sha256", canon.String(listDigest(tools))), member("tools_sum", canon.String(ToolsSum(all))), member("tools_whole", canon.String(ToolsWhole(all))))); err != nil {
		return nil, err
	}
	return all, nil
}

// RemoveTools takes the tools of a server away from an agent. What a description raises
// stays until somebody else accepted another effect for it: taking it away would be a
// weakening. It returns what stays.
func (s *Service) RemoveTools(ctx context.Context, m auth.Member, agent, server string) (kept []Tool, err error) {
	err = s.giveAgent(ctx, m, agent, func(w Writer, a Agent) error {
		kept = nil
		all, err := w.ImportedTools(a.ID)
		if err != nil {
			return err
		}
		accepted, err := acceptedTools(w, a)
		if err != nil {
			return err
		}
		gone := []canon.Value{}
		there := false
		for _, t := range all {
			switch {
			case t.Server != server:
				continue
			case t.Raises != "" && !accepted(t):
				t.News = ToolGone
				kept = append(kept, t)
			default:
				gone = append(gone, canon.String(t.Name))
			}
			there = true
		}
		if !there {
			return fault.New(fault.Changed, "there are no tools from the server %s", server)
		}
		if err := w.SetTools(a.ID, server, kept); err != nil {
			return err
		}
		if all, err = w.ImportedTools(a.ID); err != nil {
			return err
		}
		return w.Append(a.event(audit.ToolsRemoved, personActor(m),
			member("server", canon.String(server)), member("tools", canon.Int(int64(len(gone)))),
			member("gone", canon.Array(gone[:min(len(gone), toldTools)]...)), member("kept", names(kept, ToolGone)), member("tools_sum", canon.String(ToolsSum(all))), member("tools_whole", canon.String(ToolsWhole(all)))))
	})
	return kept, err
}

// toldTools is how many tools an event names; it has the digest of all.
const toldTools = 200

// names are those of the tools with this news.
func names(all []Tool, news ToolNews) canon.Value {
	found := []canon.Value{}
	for _, t := range all {
		if t.News == news && len(found) < toldTools {
			found = append(found, canon.String(t.Name))
		}
	}
	return canon.Array(found...)
}

// listDigest is that of a list: of the digests of its tools, in its order.
func listDigest(tools []toollist.Tool) string {
	all := make([]canon.Value, len(tools))
	for i, t := range tools {
		all[i] = canon.Array(canon.String(t.Name), canon.String(t.SHA256))
	}
	return strings.TrimPrefix(canon.Digest(canon.Array(all...)), "sha256:")
}

// ToolsSum is the sum of all that is stored of an agent's tools and counts for its calls.
func ToolsSum(all []Tool) string {
	rows := make([]canon.Value, len(all))
	for i, t := range all {
		rows[i] = canon.Array(canon.String(t.Name), canon.String(t.Server), canon.String(t.SHA256), canon.String(string(t.Raises)))
	}
	return strings.TrimPrefix(canon.Digest(canon.Array(rows...)), "sha256:")
}

// ToolsWhole is the sum of all else that is kept of tools.
func ToolsWhole(all []Tool) string {
	rows := make([]canon.Value, len(all))
	for i, t := range all {
		annotations, _ := json.Marshal(t.Annotations) // our own types can always be written
		rows[i] = canon.Array(canon.String(t.Name), canon.String(t.Own), canon.String(t.Description), canon.String(string(annotations)),
			canon.String(string(t.News)), canon.String(audit.FormatTime(t.ImportedAt)), canon.String(t.ImportedBy))
	}
	return strings.TrimPrefix(canon.Digest(canon.Array(rows...)), "sha256:")
}

// acceptedTools says of which tools of an agent the policy in force says an effect.
func acceptedTools(r Reader, a Agent) (func(Tool) bool, error) {
	p, _, err := r.Policy()
	return func(t Tool) bool {
		f, ok := AcceptedTool(p, a.Name, t.Name)
		return ok && f.Effect != "" && f.Tool == t.SHA256
	}, err
}

// AcceptedTool is what a policy has of a tool of an agent, described as now or otherwise.
func AcceptedTool(p scoring.Policy, agent, tool string) (scoring.Function, bool) {
	at := slices.IndexFunc(p.Functions, func(f scoring.Function) bool { return f.Tool != "" && f.Agent == agent && f.Glob == tool })
	if at < 0 {
		return scoring.Function{}, false
	}
	return p.Functions[at], true
}

// AcceptTools is a policy with what is to be accepted of tools of an agent: by name, ""
// for what the name says.
func AcceptTools(p scoring.Policy, agent string, tools []Tool, accept map[string]effects.Kind) scoring.Policy {
	functions := slices.Clone(p.Functions)
	for _, t := range tools {
		kind, said := accept[t.Name]
		if !said {
			continue
		}
		at := slices.IndexFunc(functions, func(f scoring.Function) bool { return f.Tool != "" && f.Agent == agent && f.Glob == t.Name })
		switch {
		case at >= 0 && kind == "":
			functions = slices.Delete(functions, at, at+1)
		case at >= 0 && functions[at].Effect == kind && functions[at].Tool == t.SHA256: // and whatever else it says
		case at >= 0:
			functions[at] = scoring.Function{Glob: t.Name, Agent: agent, Tool: t.SHA256, Effect: kind}
		case kind != "":
			functions = append(functions, scoring.Function{Glob: t.Name, Agent: agent, Tool: t.SHA256, Effect: kind})
		}
	}
	p.Functions = functions
	return p
}

// beginning is a text of at most so many bytes.
func beginning(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most] + "…"
}
