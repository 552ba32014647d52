package trailui

import (
	"cmp"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/console/edge"
	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/internal/console/request"
	"github.com/countersign/countersign/internal/console/untrusted"
	"github.com/countersign/countersign/internal/console/urls"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/tenants"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/review"
	"github.com/countersign/countersign/views/texts"
	"github.com/countersign/countersign/views/trail"
)

// The page of an agent for those who decide about it: who answers for it, what it asks for
// and what became of that. Its keys and switches are in the settings.

const overviewPath = "/t/:tenant/agents/:agent"

// timelineLength is how many entries the page lists.
const timelineLength = 20

// decidedKinds are what people decide about an agent's requests, changedKinds what changes
// for it, and haltKinds what concerns all agents.
var (
	decidedKinds = []audit.Kind{audit.Approved, audit.Signed, audit.Denied, audit.ChangesRequested, audit.Edited}
	changedKinds = []audit.Kind{
		audit.AgentCreated, audit.AgentKeyRotated, audit.AgentKeyRevoked, audit.AgentKeyExpiry, audit.AgentStopped, audit.AgentStarted, audit.AgentBound,
		audit.AgentDescribed, audit.AgentCanary, audit.AgentSilent, audit.AgentBindingAsked, audit.AgentBindingDropped, audit.IncidentRecorded, audit.ToolsImported, audit.ToolsRemoved,
		audit.StandingCreated, audit.StandingRevoked, audit.SessionScoreRose, audit.Expired,
	}
	haltKinds = []audit.Kind{audit.AgentsStopped, audit.AgentsResumed}
)

// overviewPage shows it.
func (s *Pages) overviewPage(c edge.Call) error {
	ctx := c.Request().Context()
	id, err := edge.AgentID(c)
	if err != nil {
		return err
	}
	o := overview{say: c.Say, member: c.Member}
	if o.about, err = s.Tenants.AgentAbout(ctx, c.Member, id); err != nil {
		return err
	}
	if o.seen, err = s.Approvals.AgentOverview(ctx, c.Member, id); err != nil {
		return err
	}
	if o.timeline, err = s.timeline(c, id); err != nil {
		return err
	}
	if c.Member.May(auth.ReadAgents) {
		if o.list, err = s.Tenants.Agent(ctx, c.Member, id); err != nil {
			return err
		}
		if o.known, err = s.Approvals.AgentTrust(ctx, c.Member, id); err != nil {
			return err
		}
	}
	return edge.Show(c, http.StatusOK, trail.AgentOverviewPage(s.Page(c, o.about.Name, views.PlaceHistory), o.view()))
}

// timeline is what people decided about an agent and what changed for it, newest first.
func (s *Pages) timeline(c edge.Call, agent string) (rows []trail.AuditRow, err error) {
	ctx, tenant := c.Request().Context(), c.Member.Tenant
	var found []audit.Record
	for _, f := range []audit.Filter{
		{Agent: agent, Kinds: decidedKinds, Actor: audit.Actor{Kind: "person"}}, {Agent: agent, Kinds: changedKinds}, {Kinds: haltKinds},
	} {
		page, err := s.Audit.Search(ctx, tenant, audit.Query{Filter: f, Edge: -1, Limit: timelineLength})
		if err != nil {
			return nil, err
		}
		found = append(found, page.Records...)
	}
	slices.SortFunc(found, func(a, b audit.Record) int { return cmp.Compare(b.Event.Index, a.Event.Index) })
	found = found[:min(len(found), timelineLength)]
	if found, err = s.hideScores(ctx, c.Member, found, ""); err != nil {
		return nil, err
	}
	t := trailPage{say: c.Say, member: c.Member, now: s.Now().UTC()}
	if t.names, err = s.Tenants.Names(ctx, c.Member); err != nil {
		return nil, err
	}
	if err := s.Former(ctx, t.names, found); err != nil {
		return nil, err
	}
	t.named = s.Named(ctx, c.Member, t.names, found)
	for _, r := range found {
		rows = append(rows, t.row(r.Event))
	}
	return rows, nil
}

// overview is the page before it has words.
type overview struct {
	say      texts.Printer
	member   auth.Member
	about    tenants.AgentAbout
	seen     approvals.AgentOverview
	timeline []trail.AuditRow
	// known and list are for those who may read about agents: its record, and the names
	// of whoever ended it.
	known approvals.AgentTrust
	list  tenants.AgentList
}

// history is the history of this agent, narrowed further.
func (o overview) history(more string) string {
	return "/t/" + o.member.Tenant + "/history?" + more
}

func (o overview) view() trail.AgentOverview {
	tenant, id, total := o.member.Tenant, o.about.ID, o.seen.Total
	v := trail.AgentOverview{
		Name: o.about.Name, Summary: o.say.Say("What it asked for in the last %d days and what became of it.", approvals.OverviewDays), Timeline: o.timeline,
		All: []views.Link{
			{Label: o.say.Say("All its decisions"), URL: o.history("decider=any&agent=" + id)},
			{Label: o.say.Say("All its entries in the audit trail"), URL: "/t/" + tenant + "/audit?agent=" + id},
		},
	}
	owner := o.about.OwnerName
	switch {
	case o.about.Owner == "":
		owner = o.say.Say("None")
	case owner == "":
		owner = o.say.Say("Former member")
	}
	contact := o.about.Contact
	if contact == "" {
		contact = o.say.Say("None given")
	}
	v.Grants.None = o.say.Say("No standing or session approvals are open.")
	for _, g := range o.seen.Standing {
		row := grantRow(o.say, o.member, g, approvals.StandingPage{Now: o.seen.Now, Void: o.seen.Void}, o.say.Say("ended on the agent's page"))
		if g.Session != "" {
			row.Session = &views.Link{Label: present.Flat(o.say, g.Session), URL: urls.Session(tenant, id, g.Session)}
		}
		v.Grants.Rows = append(v.Grants.Rows, row)
	}
	if o.member.May(auth.ReadPolicy) {
		v.Grants.All = &views.Link{Label: o.say.Say("What runs without asking"), URL: urls.WithoutAsking(tenant, id)}
	}
	v.Facts = []views.Fact{
		{Label: o.say.Say("Owner"), Value: untrusted.Runs(present.Flat(o.say, owner))},
		{Label: o.say.Say("Contact"), Value: untrusted.Runs(present.Flat(o.say, contact))},
		present.GateFact(o.say, o.about.Agent, o.seen.Now),
		{Label: o.say.Say("Requests"), Value: untrusted.Runs(present.Grouped(o.say, total.Submitted)), Note: untrusted.Runs(o.say.Say("%s held", present.Grouped(o.say, total.Held())))},
		{Label: o.say.Say("Approval rate"), Value: present.FigureRuns(o.say, present.ShareCell(o.say, total.Approved, total.Decided())), Note: untrusted.Runs(o.say.Say("%d of %d", total.Approved, total.Decided()))},
		{Label: o.say.Say("Denied"), Value: untrusted.Runs(present.Grouped(o.say, total.Denied))},
		{Label: o.say.Say("Expired"), Value: untrusted.Runs(present.Grouped(o.say, total.Expired))},
		{Label: o.say.Say("Blocked"), Value: untrusted.Runs(present.Grouped(o.say, total.Blocked))},
	}
	if o.about.Owner != "" {
		v.Facts[0].Note = untrusted.Runs(o.say.Say("The owner can't decide this agent's requests."))
	}
	if o.about.TicketLink != "" {
		v.Facts = append(v.Facts, views.Fact{Label: o.say.Say("Ticket link"), Value: untrusted.Runs(o.about.TicketLink), Mono: true, Wide: true})
	}
	if o.about.StoppedAt != nil {
		v.Notices = append(v.Notices, views.Notice{Tone: views.ToneBad, Icon: views.IconBan, Title: o.say.Say("This agent is stopped"), Text: present.Headline(o.say, o.about.StopReason)})
	}
	for _, c := range o.seen.Calls {
		row := trail.AgentCallRow{Function: present.Headline(o.say, c.Function), URL: o.history("decider=any&agent=" + id + "&function=" + url.QueryEscape(c.Function))}
		for _, n := range []int{c.Asked, c.Approved, c.Denied, c.ChangesRequested, c.Blocked, c.Expired, c.Waiting} {
			row.Counts = append(row.Counts, present.Grouped(o.say, n))
		}
		v.Calls = append(v.Calls, row)
	}
	for _, s := range o.seen.Sessions {
		v.Sessions = append(v.Sessions, trail.AgentSession{
			Name: present.Headline(o.say, s.Session), URL: urls.Session(tenant, id, s.Session), Count: o.say.Say("%d actions ended", int(s.Scored)),
			When: present.DayOf(o.say, s.LastAt, o.seen.Now), ISO: s.LastAt.Format(present.IsoForm),
		})
	}
	v.Links = append(v.Links, views.Link{Label: o.say.Say("Insights"), URL: urls.Insights(tenant) + "?agent=" + id})
	if o.member.May(auth.ReadAgents) {
		v.Links = append(v.Links, views.Link{Label: o.say.Say("Keys and switches"), URL: urls.Agent(tenant, id)})
		record := request.RecordOf(o.say, o.known, o.list, tenant)
		v.Record = &record
	}
	return v
}

// folderOf is where a call of a coding agent runs its command, as its hook says; "" for
// every other call.
func folderOf(a scoring.Action) string {
	if cwd := a.Arguments().Get("cwd").Text(); path.IsAbs(cwd) && a.Arguments().Get("command").Kind() == canon.KindString {
		return cwd
	}
	return ""
}

// ticketNames are the arguments and members of the metadata that name a ticket.
var ticketNames = []string{"ticket", "ticket_id", "issue", "issue_key"}

// ticketOf is the ticket that a call says it belongs to; "" for none.
func ticketOf(a scoring.Action) string {
	for _, v := range []canon.Value{a.Arguments(), a.Metadata()} {
		for _, name := range ticketNames {
			switch m := v.Get(name); m.Kind() {
			case canon.KindString:
				return m.Text()
			case canon.KindNumber:
				return m.Digits()
			}
		}
	}
	return ""
}

// agentFacts say in the request's provenance who answers for the agent, and how its calls
// of the same function fared.
func agentFacts(say texts.Printer, v approvals.Review, about tenants.AgentAbout, calls approvals.AgentCalls) (all []views.Fact, ticket *views.Link) {
	owner := about.OwnerName
	if owner == "" && about.Owner != "" {
		owner = say.Say("Former member")
	}
	who := strings.Trim(owner+" · "+about.Contact, " ·")
	if who == "" {
		who = say.Say("None given")
	}
	all = append(all, views.Fact{Label: say.Say("Owner and contact"), Value: untrusted.Runs(present.Flat(say, who))})
	if program, subagent := v.Action.Client(); program+subagent != "" {
		if subagent != "" {
			program = strings.TrimSpace(program + " · " + say.Say("subagent %s", present.Flat(say, subagent)))
		}
		all = append(all, views.Fact{Label: say.Say("Sent by"), Value: untrusted.Runs(present.Flat(say, program))})
	}
	if calls.Asked > 0 {
		all = append(all, views.Fact{Label: say.Say("Denied, %s days", strconv.Itoa(approvals.OverviewDays)), Value: untrusted.Runs(say.Say("%d of %d calls of this function", calls.Denied, calls.Asked))})
	}
	if name := ticketOf(v.Action); name != "" {
		if to := about.Ticket(name); to != "" {
			ticket = &views.Link{Label: say.Say("Ticket %s", present.Flat(say, name)), URL: to}
		}
	}
	return all, ticket
}

// TellOfAgent adds to a request's provenance who answers for its agent.
func (s *Pages) TellOfAgent(c edge.Call, v approvals.Review, r *review.Request) error {
	if r.Card == nil { // while questions are answered nothing of it is shown
		return nil
	}
	ctx := c.Request().Context()
	about, err := s.Tenants.AgentAbout(ctx, c.Member, v.Agent.ID)
	if err != nil {
		return err
	}
	calls, err := s.Approvals.FunctionCalls(ctx, c.Member, v.Agent.ID, v.Function)
	if err != nil {
		return err
	}
	if folder := folderOf(v.Action); folder != "" && about.Bound == (tenants.Bound{}) && about.Asked == nil && c.Member.May(auth.ManageAgents) {
		r.Rail.Bind = &views.Link{Label: c.Say.Say("Bind it to %s", present.Flat(c.Say, folder)), URL: urls.Agent(c.Member.Tenant, v.Agent.ID) + "?" + url.Values{"workspace": {folder}}.Encode() + "#bind"}
	}
	facts, ticket := agentFacts(c.Say, v, about, calls)
	p := &r.Card.Provenance
	p.Facts = slices.Insert(p.Facts, 1, facts...)
	p.Agent, p.Ticket = &views.Link{Label: c.Say.Say("About %s", present.Flat(c.Say, v.Agent.Name)), URL: urls.Overview(c.Member.Tenant, v.Agent.ID)}, ticket
	return nil
}
