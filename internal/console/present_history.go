package console

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/console/untrusted"
	"github.com/countersign/countersign/internal/tenants"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/texts"
	"github.com/countersign/countersign/views/trail"
)

// historyOf is a page of the history before it has words.
type historyOf struct {
	say     texts.Printer
	member  auth.Member
	address *listAddress
	query   approvals.HistoryQuery
	page    approvals.HistoryPage
	names   tenants.Names
	now     time.Time
	saved   *views.SavedFilters
	// opening says that the address asks for nothing, which means what people decided.
	opening bool
}

func (h historyOf) here() string { return "/t/" + h.member.Tenant + "/history" }

func (h historyOf) view() trail.History {
	v := trail.History{Summary: h.say.Say("Decisions, newest first. These are final."), Filter: h.filter()}
	if h.member.May(auth.ReadPeople) {
		v.Report = &views.Link{Label: h.say.Say("Quiz statistics"), URL: itemsURL(h.member.Tenant)}
	}
	if !h.address.ok() {
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
	v.Looked = strings.TrimSpace(v.Looked + " " + searchedSo(h.say, h.page.Cut))
	if len(decided) == 0 && h.page.Done {
		v.Empty = h.empty()
	}
	return v
}

// tabs part what people decided from what the policy let through and what ran out.
func (h historyOf) tabs() (all []views.Window) {
	now := h.address.clean.Get("decider")
	kind, mine := strings.Split(now, ":")[0], "person:"+h.member.Person.ID
	for _, t := range []struct{ label, decider string }{
		{h.say.Say("Decided by people"), "person"},
		{h.say.Say("My decisions"), mine},
		{h.say.Say("Decided automatically"), "policy"},
		{h.say.Say("Expired"), "clock"},
		{h.say.Say("All"), anyDecider},
	} {
		if t.decider == mine && !h.member.May(auth.Decide) {
			continue
		}
		all = append(all, views.Window{Label: t.label, URL: h.address.at(h.here(), "decider", t.decider, "before", "", "after", ""), Here: t.decider == now || t.decider == kind && now != mine})
	}
	return all
}

func (h historyOf) row(d approvals.Decided) trail.HistoryRow {
	row := trail.HistoryRow{
		ID: d.ID, URL: requestURL(h.member.Tenant, d.ID), Level: levelOf(d.Assessment.Level),
		Sentence: headlineOf(h.say, d.Approval.Subject().Row()), Agent: d.Agent.Name,
		Verdict: h.say.Key(verdictWords[d.Status]), Tone: verdictTone(d.Status), Who: decidedBy(h.say, d.Approval),
	}
	if d.Decision != nil {
		at := d.Decision.DecidedAt
		row.When, row.ISO, row.Ago = dayOf(h.say, at, h.now), at.Format(isoForm), since(h.say, at, h.now)
		if d.Decision.Verdict == approvals.VerdictDeny || d.Decision.Verdict == approvals.VerdictRequestChanges {
			row.Reason = headline(h.say, "“"+d.Decision.Reason+"”")
		}
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
			Action: &views.Link{Label: h.say.Say("All decisions"), URL: h.address.at(h.here(), "decider", anyDecider)},
		}
	case h.address.filtered():
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
			statuses = append(statuses, views.Choice{Value: string(s), Label: h.say.Key(verdictWords[s]), Checked: slices.Contains(a.given["status"], string(s))})
		}
	}
	decider := selectField(a, "decider", h.say.Say("Decided by"), h.say.Say("Anyone"), []views.ChoiceGroup{
		{Label: h.say.Say("Kinds"), Choices: []views.Choice{
			{Value: "person", Label: h.say.Say("any person")}, {Value: "policy", Label: h.say.Say("the policy")}, {Value: "clock", Label: h.say.Say("System (expired)")}, {Value: "agent", Label: h.say.Say("the agent (cancelled)")},
		}},
		actorGroup(h.say, h.names, "person"),
	})
	first := &decider.Groups[0].Choices // an empty choice would mean people
	*first = slices.DeleteFunc(*first, func(c views.Choice) bool { return c.Value == "" || c.Value == anyDecider })
	if decider.Value == anyDecider {
		decider.Value = ""
	}
	*first = slices.Insert(*first, 0, views.Choice{Value: anyDecider, Label: h.say.Say("Anyone"), Checked: decider.Value == ""})
	f := views.Filter{
		URL: here, Label: h.say.Say("Filter decisions"), MoreLabel: h.say.Say("More filters"), Problems: problemsOf(a),
		Lead: []views.FilterField{
			requestField(a),
			boxField(a, "status", h.say.Say("Verdict"), h.say.Say("All verdicts"), texts.Key("%d verdicts"), []views.ChoiceGroup{{Choices: statuses}}),
			boxField(a, "level", h.say.Say("Level"), h.say.Say("All levels"), texts.Key("%d levels"), []views.ChoiceGroup{{Choices: levelOptions(h.say, a.given["level"])}}),
			decider, agentField(a, h.names),
		},
		More: []views.FilterField{
			effectField(a), functionField(a), textField(a, "session", h.say.Say("Session"), "ses_…", views.FieldText),
			textField(a, "from", h.say.Say("From (UTC)"), "", views.FieldTime), textField(a, "to", h.say.Say("Until (UTC)"), "", views.FieldTime),
		},
		Spans: spans(a, here, h.now), Chips: chipsOf(a, here, h.names), Saved: h.saved,
	}
	f.MoreOpen = moreOpen(f.More)
	return f
}

// statusWord is how a request ended, in words.
func statusWord(say texts.Printer, s string) string {
	if w, ok := verdictWords[approvals.Status(s)]; ok {
		return say.Key(w)
	}
	return s
}
