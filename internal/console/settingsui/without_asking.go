package settingsui

import (
	"net/http"
	"slices"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/console/edge"
	"github.com/countersign/countersign/internal/console/policyui"
	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/internal/console/request"
	"github.com/countersign/countersign/internal/console/untrusted"
	"github.com/countersign/countersign/internal/console/urls"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/tenants"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/settings"
	"github.com/countersign/countersign/views/texts"
)

// "What runs without asking": all of it for one agent, each with its use and a way to end
// it.

const withoutPath = "/t/:tenant/settings/agents/:agent/without-asking"

// withoutPage lists it.
func (s *Pages) withoutPage(c edge.Call) error {
	ctx := c.Request().Context()
	id, err := edge.AgentID(c)
	if err != nil {
		return err
	}
	names, err := s.Tenants.Names(ctx, c.Member)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(names.Agents, func(n tenants.Named) bool { return n.ID == id })
	if at < 0 {
		return fault.New(fault.Missing, "there is no agent with this ID in this organisation")
	}
	v, err := s.Approvals.WithoutAsking(ctx, c.Member, id, names.Agents[at].Name)
	if err != nil {
		return err
	}
	var tools []tenants.Tool
	if c.Member.May(auth.ReadAgents) {
		if tools, err = s.Tenants.Tools(ctx, c.Member, id); err != nil {
			return err
		}
	}
	w := without{tools: tools, say: c.Say, member: c.Member, agent: names.Agents[at], v: v}
	return edge.Show(c, http.StatusOK, settings.WithoutAskingPage(s.Page(c, c.Say.Say("What runs without asking"), views.PlaceSettings), w.view()))
}

// without is the page before it has words.
type without struct {
	say    texts.Printer
	member auth.Member
	agent  tenants.Named
	v      approvals.WithoutAsking
	tools  []tenants.Tool // none for those who may not read about agents
}

func (w without) view() settings.WithoutAsking {
	s := settings.WithoutAsking{
		Items: edge.SettingsItems(w.say, w.member, urls.PlaceAgents), Title: w.say.Say("What runs without asking"),
		Back:     views.Link{Label: present.Flat(w.say, w.agent.Name), URL: urls.Agents(w.member.Tenant) + "/" + w.agent.ID},
		Summary:  w.say.Say("What the agent %s can do without asking, besides calls that are always safe.", present.Flat(w.say, w.agent.Name)),
		Sections: []settings.WithoutSection{w.entries(), w.grants(), w.record(), w.workspace()},
	}
	if !w.member.May(auth.ReadAgents) {
		s.Back = views.Link{Label: w.say.Say("Standing approvals"), URL: urls.StandingGrants(w.member.Tenant)}
	} else {
		s.Sections = append(s.Sections, w.imported())
	}
	return s
}

// used says how often something let one of the newest calls through.
func (w without) used(u approvals.Use) string {
	return w.say.Say("%d of its last %d calls", u.Count, w.v.Calls)
}

func (w without) last(row *settings.WithoutRow, at time.Time) {
	if !at.IsZero() {
		row.Last, row.LastISO = present.LastUse(w.say, &at, w.v.Now)
	}
}

func (w without) entries() settings.WithoutSection {
	s := settings.WithoutSection{
		ID: "entries", Title: w.say.Say("Entries of the function registry"),
		Note: w.say.Say("How the policy classifies functions, whatever their names. Removing an entry is a policy change."),
		None: w.say.Say("No entries for this agent."),
	}
	for _, f := range w.v.Entries {
		row := settings.WithoutRow{Name: untrusted.Runs(f.Glob), URL: urls.Settings(w.member.Tenant, urls.PlaceFunctions) + "#" + present.EntryID("function", f.Name()), What: untrusted.Runs(w.entryWords(f)), Used: w.used(w.v.ByEntry[f.Name()])}
		w.last(&row, w.v.ByEntry[f.Name()].Last)
		if ends := f.Ends(); !ends.IsZero() {
			row.Until, row.UntilISO = present.InWords(w.say, present.PolicyDay, ends), ends.Format(present.IsoForm)
			if !w.v.Now.Before(ends) {
				row.Over = w.say.Say("expired")
			}
		}
		if w.member.May(auth.ProposePolicy) {
			row.End = &views.WithoutEnd{
				URL: urls.Settings(w.member.Tenant, urls.PlaceFunctions), Label: w.say.Say("Remove"), Of: present.Flat(w.say, f.Glob),
				Hidden: []views.Hidden{{Name: policyui.FieldBase, Value: policyui.BaseText(w.v.Policy)}, {Name: policyui.FieldDo, Value: "drop:" + f.Name()}},
			}
		}
		s.Rows = append(s.Rows, row)
	}
	return s
}

// entryWords say what an entry does, and for what.
func (w without) entryWords(f scoring.Function) string {
	words := w.say.Say("any arguments")
	if f.Pattern != nil {
		words = w.say.Say("one shape of arguments")
	}
	if f.Agent == "" {
		words = w.say.Say("%s, every agent", words)
	}
	if f.LowerTo != level.Safe {
		words = w.say.Say("lowered to %s, %s", present.LevelWord(w.say, f.LowerTo), words)
	}
	if f.Effect != "" {
		words = w.say.Say("treated as %s, %s", string(f.Effect), words)
	}
	return words
}

func (w without) grants() settings.WithoutSection {
	s := settings.WithoutSection{
		ID: "grants", Title: w.say.Say("Standing and session approvals"),
		Note: w.say.Say("Calls operators approved in advance, with a limit and an expiry. Ending one also voids its unused approvals."),
		None: w.say.Say("None open."),
	}
	for _, g := range w.v.Standing {
		what := w.say.Say("these arguments, allowed by %s", g.MadeBy.Name)
		if g.Session != "" {
			what = w.say.Say("one session, allowed by %s", g.MadeBy.Name)
		}
		row := settings.WithoutRow{
			Name: request.GrantName(w.say, g), URL: urls.StandingGrant(w.member.Tenant, g.ID), What: untrusted.Runs(what), Used: present.UsedOf(w.say, g),
			Until: present.InWords(w.say, texts.Key("2 Jan, 15:04"), g.EndsAt), UntilISO: g.EndsAt.Format(present.IsoForm),
		}
		row.Last, row.LastISO = present.LastUse(w.say, g.LastUsedAt, w.v.Now)
		if !w.v.Void[g.ID].Empty() {
			row.Over = w.say.Say("no effect")
		}
		if w.member.May(auth.Decide) {
			row.End = &views.WithoutEnd{
				URL: urls.StandingGrant(w.member.Tenant, g.ID) + "/revoke", Label: w.say.Say("End"), Of: request.GrantLabel(w.say, g),
				Hidden: []views.Hidden{{Name: "reason", Value: w.say.Say("ended on the page “What runs without asking”")}},
			}
		}
		s.Rows = append(s.Rows, row)
	}
	return s
}

// workspace is the folder in which the agent works. It ends on the agent's page.
func (w without) workspace() settings.WithoutSection {
	s := settings.WithoutSection{
		ID: "workspace", Title: w.say.Say("Workspace"),
		Note: w.say.Say("The agent works freely in this folder. Leaving it, destroying it or bringing in outside code is held."),
		None: w.say.Say("Not bound."),
	}
	folder := w.v.Bound.Folder()
	if folder == nil {
		return s
	}
	what := w.say.Say("no sandbox")
	if folder.Sandboxed {
		what = w.say.Say("a sandbox")
	}
	row := settings.WithoutRow{Name: untrusted.Runs(present.Flat(w.say, folder.Folder)), URL: urls.WithoutAsking(w.member.Tenant, w.agent.ID) + "#workspace", What: untrusted.Runs(what), Used: w.used(w.v.ByWorkspace)}
	if w.member.May(auth.ReadAgents) {
		row.URL = urls.Agents(w.member.Tenant) + "/" + w.agent.ID + "#bind"
	}
	w.last(&row, w.v.ByWorkspace.Last)
	s.Rows = append(s.Rows, row)
	return s
}

// imported are the tools that were imported for the agent. They end on their own page.
func (w without) imported() settings.WithoutSection {
	s := settings.WithoutSection{
		ID: "tools", Title: w.say.Say("Imported tools"),
		Note: w.say.Say("Imported descriptions say what a tool does when its name doesn't."),
		None: toolsFact(w.say, 0),
	}
	if len(w.tools) == 0 {
		return s
	}
	row := settings.WithoutRow{Name: untrusted.Runs(w.say.Say("Tools of %s", present.Flat(w.say, w.agent.Name))), URL: urls.Tools(w.member.Tenant, w.agent.ID), What: untrusted.Runs(toolsFact(w.say, len(w.tools))), Used: w.used(w.v.ByTool)}
	w.last(&row, w.v.ByTool.Last)
	s.Rows = append(s.Rows, row)
	return s
}

func (w without) record() settings.WithoutSection {
	s := settings.WithoutSection{
		ID: "record", Title: w.say.Say("Track record"),
		Note: w.say.Say("A track record of approved, successful calls can lower MEDIUM to LOW."),
		None: w.say.Say("The policy doesn't use track records."),
	}
	if !w.v.Trust.Enabled {
		return s
	}
	row := settings.WithoutRow{Name: untrusted.Runs(w.say.Say("Record")), URL: urls.Policy(w.member.Tenant), What: untrusted.Runs(w.say.Say("functions with enough successful calls")), Used: w.used(w.v.ByRecord)}
	if w.member.May(auth.ReadAgents) {
		row.URL = urls.Agents(w.member.Tenant) + "/" + w.agent.ID + "#record-head"
	}
	w.last(&row, w.v.ByRecord.Last)
	s.Rows = append(s.Rows, row)
	return s
}
