package trailui

import (
	"slices"
	"strconv"

	"github.com/countersign/countersign/internal/scoring"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/console/filter"
	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/internal/console/request"
	"github.com/countersign/countersign/internal/console/untrusted"
	"github.com/countersign/countersign/internal/console/urls"
	shown "github.com/countersign/countersign/internal/scoring/headline"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/review"
	"github.com/countersign/countersign/views/texts"
)

// What the page of a session says.

func (v sessionView) here() string { return "/t/" + v.member.Tenant + "/sessions/" + v.query.Agent }

func (v sessionView) view() review.SessionOne {
	p := v.page
	s := review.SessionOne{
		Title:   append([]views.Run{{Text: v.say.Say("Session") + " "}}, present.Headline(v.say, p.Session)...),
		Back:    views.Link{Label: v.say.Say("History"), URL: "/t/" + v.member.Tenant + "/history"},
		Summary: present.SayAt(v.say, present.MomentForm, texts.Key("of %s, %s to %s"), present.Flat(v.say, p.Agent.Name), p.Counts.Began, p.Last),
		Stats:   v.stats(), Grants: v.grants(), Files: v.files(), Problems: filter.ProblemsOf(v.address),
		Label: v.say.Say("Newest first"), Alert: v.alert(), Acknowledge: v.acknowledge(), Session: v.page.Session, Score: v.score(),
	}
	if v.member.May(auth.ReadAgents) {
		s.Back = views.Link{Label: present.Flat(v.say, p.Agent.Name), URL: urls.Agents(v.member.Tenant) + "/" + p.Agent.ID}
	}
	s.State, s.Tone, s.Icon = v.state()
	s.Links = []views.Link{{Label: v.say.Say("Decisions of this session"), URL: request.HistoryOfSession(v.member.Tenant, p.Agent.ID, p.Session)}}
	if p.Counts.Calls == approvals.SessionCalls {
		s.Note = v.say.Say("Based on the latest %d calls.", p.Counts.Calls)
	}
	for _, w := range []struct {
		show  approvals.HeldFilter
		label string
	}{{"", v.say.Say("All calls")}, {approvals.HeldOnly, v.say.Say("Held")}, {approvals.ThroughOnly, v.say.Say("Not held")}} {
		s.Windows = append(s.Windows, views.Window{Label: w.label, URL: v.address.At(v.here(), "before", "", "show", string(w.show)), Here: w.show == v.query.Show})
	}
	for _, a := range p.Calls {
		if p.Seals(a) {
			s.Sealed = v.say.Say("Requests in this session are waiting for your answers. Decisions on similar requests stay hidden until then.")
		}
		s.Rows = append(s.Rows, v.row(a))
	}
	if len(s.Rows) == 0 {
		s.Empty, s.Label = v.empty(), ""
	}
	if p.Next != "" {
		s.Older = v.address.At(v.here(), "before", p.Next)
	}
	if v.query.Before != "" {
		s.Newest = v.address.At(v.here(), "before", "")
	}
	return s
}

func (v sessionView) empty() *views.Empty {
	e := &views.Empty{Search: true, Title: v.say.Say("No matching calls"), Text: untrusted.Runs(v.say.Say("Every call of this session went through without asking.")), Action: &views.Link{Label: v.say.Say("All calls"), URL: urls.Session(v.member.Tenant, v.query.Agent, v.query.Session)}}
	switch {
	case v.query.Before != "":
		e.Text = untrusted.Runs(v.say.Say("No earlier calls."))
	case v.query.Show == approvals.ThroughOnly:
		e.Text = untrusted.Runs(v.say.Say("Every call of this session was held or blocked."))
	}
	return e
}

// state says whether the session goes on: an agent does not say when one ends.
func (v sessionView) state() (word string, tone views.Tone, icon views.Icon) {
	switch n := v.page.Counts.Waiting; {
	case n > 0:
		return v.say.Say("%d waiting", n), views.ToneWarn, views.IconHourglass
	case v.page.Quiet():
		return v.say.Say("quiet"), views.TonePlain, views.IconClock
	default:
		return v.say.Say("active"), views.ToneOK, views.IconCheck
	}
}

func (v sessionView) stats() []views.Stat {
	c := v.page.Counts
	used := 0
	for _, g := range v.page.Grants {
		used += g.Uses - g.Left
	}
	return []views.Stat{
		{Label: v.say.Say("Held per 60 calls"), Value: perSixty(c.Per60()), Note: v.say.Say("%d of %d calls", c.Held, c.Calls)},
		{Label: v.say.Say("Pending now"), Value: present.Grouped(v.say, c.Waiting), Note: v.say.Say("for a person")},
		{Label: v.say.Say("Auto-approved"), Value: present.Grouped(v.say, c.Through()), Note: v.say.Say("%d of them by session approvals", used)},
		{Label: v.say.Say("Blocked"), Value: present.Grouped(v.say, c.Blocked), Note: v.say.Say("by the policy")},
	}
}

// perSixty is a rate in one decimal.
func perSixty(n float64) string { return strconv.FormatFloat(n, 'f', 1, 64) }

func (v sessionView) row(a approvals.Approval) review.SessionRow {
	r := review.SessionRow{
		ID: a.ID, URL: urls.Request(v.member.Tenant, a.ID), Level: present.LevelOf(a.Assessment.Level),
		When: present.DayOf(v.say, a.CreatedAt, v.now), ISO: a.CreatedAt.Format(present.IsoForm), Ago: since(v.say, a.CreatedAt, v.now),
	}
	r.Sentence, r.Command = present.HeadlineOf(v.say, a.Subject().Row(shown.MaxLine)), commandOf(v.say, a)
	r.Verdict, r.Tone, r.By = v.became(a)
	if v.page.Seals(a) {
		r.Verdict, r.Tone, r.By = v.say.Say("Held"), views.TonePlain, v.say.Say("ended, hidden")
	}
	if !v.sealed[a.ID] {
		r.Why, r.WhyURL = v.why(a)
	}
	if w := a.Assessment.Workspace; w != nil && len(w.Writes) > 0 {
		r.Writes = v.say.Say("writes %d files", len(w.Writes))
	}
	return r
}

// became says what became of a call: of whom, and after how long.
func (v sessionView) became(a approvals.Approval) (verdict string, tone views.Tone, by string) {
	verdict, tone = present.VerdictOf(v.say, a, v.withdrew)
	switch by := v.withdrew[a.ID]; {
	case by != "":
		return verdict, tone, v.say.Say("by %s: “%s”", by, request.Gist(v.say, a.Grant.VoidReason))
	case a.Void():
		return verdict, tone, present.EndedBy(v.say, a)
	case a.Status == approvals.Pending:
		return verdict, views.ToneWarn, v.say.Say("for %s", present.Lasting(v.say, v.page.Now.Sub(a.CreatedAt).Seconds()))
	case a.Status == approvals.Approved && !a.Held():
		return v.say.Say("Auto-approved"), tone, v.say.Say("by %s", present.DecidedBy(v.say, a))
	case a.Held() && a.Decision != nil:
		return verdict, tone, v.say.Say("by %s, %s after submission", present.DecidedBy(v.say, a), present.Lasting(v.say, a.Decision.DecidedAt.Sub(a.CreatedAt).Seconds()))
	}
	return verdict, tone, v.say.Say("by %s", present.DecidedBy(v.say, a))
}

// why says what let a call through, or what held it, with where that can be changed.
func (v sessionView) why(a approvals.Approval) (words []views.Run, link string) {
	as := a.Assessment
	because := as.Floor.Because
	if w := as.Workspace; w != nil && w.Because != "" {
		because = w.Because
	}
	switch {
	case as.SessionGrant != nil:
		return v.granted(as.SessionGrant.ID), urls.StandingGrant(v.member.Tenant, as.SessionGrant.ID)
	case a.StandingID() != "":
		return untrusted.Runs(v.say.Say("standing approval")), urls.StandingGrant(v.member.Tenant, a.StandingID())
	case !a.Held() && as.Trust != nil && as.Trust.Lowered:
		return untrusted.Runs(v.say.Say("the record of the agent")), ""
	case a.Held() || a.Status == approvals.Blocked:
		c := a.Assessment.Cause()
		if l := present.CauseLink(v.say, v.member, a.Agent.ID, c); l != nil {
			link = l.URL
		}
		if because != "" && (c.Kind == scoring.CauseWorkspace || c.Kind == scoring.CauseEffect) {
			return untrusted.InEnglish(present.Headline(v.say, because)), link
		}
		return present.Headline(v.say, present.CauseWords(v.say, c)), link
	case because != "":
		return untrusted.InEnglish(present.Headline(v.say, because)), ""
	}
	return untrusted.InEnglish(present.Headline(v.say, as.Explanation)), ""
}

// granted names the session grant that let a call through.
func (v sessionView) granted(id string) []views.Run {
	at := slices.IndexFunc(v.page.Grants, func(g approvals.Standing) bool { return g.ID == id })
	if at < 0 {
		return untrusted.Runs(v.say.Say("session approval"))
	}
	return append([]views.Run{{Text: v.say.Say("session approval") + ": "}}, grantWords(v.say, v.page.Grants[at])...)
}

// commandOf is the command that a call runs, as it stands there; nothing where it runs none.
func commandOf(say texts.Printer, a approvals.Approval) []views.Run {
	action, err := a.Parsed()
	if err != nil {
		return nil
	}
	for name, value := range action.Arguments().Members() {
		if (name == "command" || name == "cmd") && value.Text() != "" {
			return present.Headline(say, value.Text())
		}
	}
	return nil
}

func (v sessionView) grants() views.SessionGrants {
	g := views.SessionGrants{None: v.say.Say("No session approvals. You can create one when you approve a request.")}
	if v.member.May(auth.ReadPolicy) {
		g.All = &views.Link{Label: v.say.Say("What runs without asking"), URL: urls.WithoutAsking(v.member.Tenant, v.query.Agent)}
	}
	page := approvals.StandingPage{Now: v.page.Now, Void: v.page.Void}
	for _, one := range v.page.Grants {
		g.Rows = append(g.Rows, grantRow(v.say, v.member, one, page, v.say.Say("ended on the session's page")))
	}
	return g
}

// grantRow is one thing that an agent may do without asking, with the button that ends it.
func grantRow(say texts.Printer, m auth.Member, one approvals.Standing, page approvals.StandingPage, because string) views.SessionGrant {
	row := views.SessionGrant{
		URL: urls.StandingGrant(m.Tenant, one.ID), What: grantWords(say, one), By: one.MadeBy.Name, Used: present.UsedOf(say, one),
		Ends: present.InWords(say, texts.Key("2 Jan, 15:04"), one.EndsAt), EndsISO: one.EndsAt.Format(present.IsoForm),
	}
	row.Last, row.LastISO = present.LastUse(say, one.LastUsedAt, page.Now)
	row.State, row.Tone, row.Icon = present.StandingState(say, one, page)
	if m.May(auth.Decide) && one.Over(page.Now) == "" {
		row.End = &views.WithoutEnd{URL: row.URL + "/revoke", Label: say.Say("End"), Of: request.GrantLabel(say, one), Hidden: []views.Hidden{{Name: "reason", Value: because}}}
	}
	return row
}

// grantWords say in a sentence what a session grant covers.
func grantWords(say texts.Printer, g approvals.Standing) []views.Run {
	if g.Scope != nil {
		return request.GrantName(say, g)
	}
	if g.Session == "" {
		return present.Headline(say, say.Say("calls of %s that meet its conditions", g.Function))
	}
	return present.Headline(say, say.Say("calls of %s like the one that was approved", g.Function))
}

func (v sessionView) files() review.SessionFiles {
	f := review.SessionFiles{None: v.say.Say("No calls in this session are known to write files. This is tracked only for agents bound to a workspace.")}
	if len(v.page.Writes) == 0 {
		return f
	}
	f.Note = v.say.Say("From the latest allowed calls, findings first. A finding is a reason not to run the file without asking.")
	if v.page.MoreWrites > 0 {
		f.More = v.say.Say("and %d more files", v.page.MoreWrites)
	}
	for _, w := range v.page.Writes {
		row := review.SessionFile{
			Path: present.Headline(v.say, w.Path), Times: v.say.Say("%d times", w.Times), URL: urls.Request(v.member.Tenant, w.Approval),
			Last: present.DayOf(v.say, w.At, v.now), LastISO: w.At.Format(present.IsoForm), Findings: present.FindingWords(v.say, w.File),
		}
		switch {
		case w.Gone:
			row.State = v.say.Say("deleted")
		case w.Folder:
			row.State = v.say.Say("a folder")
		}
		f.Rows = append(f.Rows, row)
	}
	return f
}
