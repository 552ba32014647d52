package trailui

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/console/filter"
	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/internal/console/untrusted"
	"github.com/countersign/countersign/internal/console/urls"
	shown "github.com/countersign/countersign/internal/scoring/headline"
	"github.com/countersign/countersign/internal/tenants"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/texts"
	"github.com/countersign/countersign/views/trail"
)

// historyOf is a page of the history before it has words.
type historyOf struct {
	say     texts.Printer
	member  auth.Member
	address *filter.Address
	query   approvals.HistoryQuery
	page    approvals.HistoryPage
	names   tenants.Names
	// withdrew are the people who withdrew a yes of the page, by its id.
	withdrew map[string]string
	now      time.Time
	saved    *views.SavedFilters
	// opening says that the address asks for nothing, which means what people decided.
	opening bool
}

func (h historyOf) here() string { return "/t/" + h.member.Tenant + "/history" }

func (h historyOf) view() trail.History {
	v := trail.History{Summary: h.say.Say("Decisions, newest first."), Filter: h.filter()}
	if h.member.May(auth.ReadPeople) {
		v.Report = &views.Link{Label: h.say.Say("Quiz statistics"), URL: urls.Items(h.member.Tenant)}
	}
	if !h.address.OK() {
		return v
	}
	v.Tabs = h.tabs()
	v.Downloads = exportForms(h.member, h.address, "history.csv")
	decided := h.page.Decided
	if h.query.Upward {
		decided = slices.Clone(decided)
		slices.Reverse(decided)
	}
	for _, d := range decided {
		v.Rows = append(v.Rows, h.row(d))
	}
	s := spanOf{
		found: len(decided), newest: -1, oldest: -1, upward: h.query.Upward, edge: h.query.Edge, next: h.page.Next, done: h.page.Done,
		full: len(decided) >= h.query.Limit, size: h.query.Edge + 1,
	}
	if len(decided) > 0 {
		s.newest, s.oldest = decided[0].Entry, decided[len(decided)-1].Entry
	}
	v.Pages = pagesOf(h.address, h.here(), s)
	if len(decided) > 0 {
		v.Pages.Label = h.say.Say("%d requests on this page, newest decision first.", len(decided))
	}
	if h.page.Searched > 0 && !h.page.Done && !s.full {
		v.Looked = h.say.Say("Searched %d decisions, %s found.", h.page.Searched, strconv.Itoa(len(decided)))
	}
	v.Looked = strings.TrimSpace(v.Looked + " " + filter.SearchedSo(h.say, h.page.Cut))
	if len(decided) == 0 && h.page.Done {
		v.Empty = h.empty()
	}
	return v
}

// tabs part what people decided from what the policy let through and what ran out.
func (h historyOf) tabs() (all []views.Window) {
	now := h.address.Clean.Get("decider")
	kind, mine := strings.Split(now, ":")[0], "person:"+h.member.Person.ID
	for _, t := range []struct{ label, decider string }{
		{h.say.Say("Decided by people"), "person"},
		{h.say.Say("My decisions"), mine},
		{h.say.Say("Decided automatically"), "policy"},
		{h.say.Say("Expired"), "clock"},
		{h.say.Say("All"), filter.Any},
	} {
		if t.decider == mine && !h.member.May(auth.Decide) {
			continue
		}
		all = append(all, views.Window{Label: t.label, URL: h.address.At(h.here(), "decider", t.decider, "before", "", "after", ""), Here: t.decider == now || t.decider == kind && now != mine})
	}
	return all
}

func (h historyOf) row(d approvals.Decided) trail.HistoryRow {
	row := trail.HistoryRow{
		ID: d.ID, URL: urls.Request(h.member.Tenant, d.ID), Level: present.LevelOf(d.Assessment.Level),
		Sentence: present.HeadlineOf(h.say, d.Approval.Subject().Row(shown.MaxLine)), Agent: d.Agent.Name,
		Who: present.DecidedBy(h.say, d.Approval),
	}
	row.Verdict, row.Tone = present.VerdictOf(h.say, d.Approval, h.withdrew)
	if d.Decision != nil {
		at := d.Decision.DecidedAt
		row.When, row.ISO, row.Ago = present.DayOf(h.say, at, h.now), at.Format(present.IsoForm), since(h.say, at, h.now)
		if d.Decision.Verdict == approvals.VerdictDeny || d.Decision.Verdict == approvals.VerdictRequestChanges {
			row.Reason = present.Headline(h.say, "“"+d.Decision.Reason+"”")
		}
	}
	if by := h.withdrew[d.ID]; by != "" {
		row.Who = h.say.Say("%s, approved by %s", by, row.Who)
	}
	if d.Void() && d.Grant.VoidReason != "" {
		row.Reason = present.Headline(h.say, "“"+d.Grant.VoidReason+"”")
	}
	if h.member.May(auth.ReadAudit) {
		row.Entry = "/t/" + h.member.Tenant + "/audit/" + strconv.FormatInt(d.Entry, 10)
	}
	return row
}

func (h historyOf) empty() *views.Empty {
	switch {
	case h.opening:
		return &views.Empty{
			Title: h.say.Say("No decisions yet"), Text: untrusted.Runs(h.say.Say("People's decisions appear here. What was decided automatically, and what expired, has its own tab.")),
			Action: &views.Link{Label: h.say.Say("All decisions"), URL: h.address.At(h.here(), "decider", filter.Any)},
		}
	case h.address.Filtered():
		return &views.Empty{
			Search: true, Title: h.say.Say("No matching decisions"), Text: untrusted.Runs(h.say.Say("No decisions match all your filters.")),
			Action: &views.Link{Label: h.say.Say("Clear filters"), URL: h.here()},
		}
	case h.query.Edge >= 0:
		return &views.Empty{Title: h.say.Say("Nothing here"), Text: untrusted.Runs(h.say.Say("No earlier decisions.")), Action: &views.Link{Label: h.say.Say("Newest decisions"), URL: h.here()}}
	default:
		return &views.Empty{Title: h.say.Say("No decisions yet"), Text: untrusted.Runs(h.say.Say("Every decision appears here, including automatic ones."))}
	}
}

// filter is the form of the history.
func (h historyOf) filter() views.Filter {
	a, here := h.address, h.here()
	var statuses []views.Choice
	for _, s := range approvals.Statuses() {
		if s.Final() {
			statuses = append(statuses, views.Choice{Value: string(s), Label: h.say.Key(present.VerdictWords[s]), Checked: slices.Contains(a.Given["status"], string(s))})
		}
	}
	decider := filter.SelectField(a, "decider", h.say.Say("Decided by"), h.say.Say("Anyone"), []views.ChoiceGroup{
		{Label: h.say.Say("Kinds"), Choices: []views.Choice{
			{Value: "person", Label: h.say.Say("any person")}, {Value: "policy", Label: h.say.Say("the policy")}, {Value: "clock", Label: h.say.Say("System (expired)")}, {Value: "agent", Label: h.say.Say("the agent (cancelled)")},
		}},
		filter.ActorGroup(h.say, h.names, "person"),
	})
	first := &decider.Groups[0].Choices // an empty choice would mean people
	*first = slices.DeleteFunc(*first, func(c views.Choice) bool { return c.Value == "" || c.Value == filter.Any })
	if decider.Value == filter.Any {
		decider.Value = ""
	}
	*first = slices.Insert(*first, 0, views.Choice{Value: filter.Any, Label: h.say.Say("Anyone"), Checked: decider.Value == ""})
	f := views.Filter{
		URL: here, Label: h.say.Say("Filter decisions"), MoreLabel: h.say.Say("More filters"), Problems: filter.ProblemsOf(a),
		Lead: []views.FilterField{
			filter.RequestField(a),
			filter.BoxField(a, "status", h.say.Say("Verdict"), h.say.Say("All verdicts"), texts.Key("%d verdicts"), []views.ChoiceGroup{{Choices: statuses}}),
			filter.BoxField(a, "level", h.say.Say("Level"), h.say.Say("All levels"), texts.Key("%d levels"), []views.ChoiceGroup{{Choices: filter.LevelOptions(h.say, a.Given["level"])}}),
			decider, filter.AgentField(a, h.names),
		},
		More: []views.FilterField{
			filter.EffectField(a), filter.FunctionField(a), filter.TextField(a, "session", h.say.Say("Session"), "ses_…", views.FieldText),
			filter.TextField(a, "from", h.say.Say("From (UTC)"), "", views.FieldTime), filter.TextField(a, "to", h.say.Say("Until (UTC)"), "", views.FieldTime),
		},
		Spans: filter.Spans(a, here, h.now), Chips: filter.ChipsOf(a, here, h.names), Saved: h.saved,
	}
	f.MoreOpen = filter.MoreOpen(f.More)
	return f
}
