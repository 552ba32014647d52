package trailui

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/console/filter"
	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/internal/console/untrusted"
	"github.com/countersign/countersign/internal/console/urls"

	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/trail"
)

// farBehind is how many events the figures may lack before the page says so.
const farBehind = 500

func (i insightsOf) view() trail.Insights {
	v := trail.Insights{Summary: i.say.Say("What your agents asked for and how it ended."), Filter: i.filter()}
	for _, days := range approvals.InsightDays() {
		v.Windows = append(v.Windows, views.Window{
			Label: i.say.Say("Last %d days", days), URL: i.at(days), Here: i.address.OK() && days == i.query.Days,
		})
	}
	if i.member.May(auth.ReadPeople) {
		v.Links = append(v.Links, views.Link{Label: i.say.Say("Quiz statistics"), URL: urls.Items(i.member.Tenant)})
	}
	if !i.address.OK() {
		return v
	}
	v.Summary, v.Did = i.summary(), i.did()
	if i.report.Size-i.report.Counted > farBehind {
		v.Note = i.say.Say("These figures cover the first %d of %d audit entries. The rest are being counted; reload in a minute.", i.report.Counted, i.report.Size)
	}
	if i.report.Empty() {
		v.Empty = i.empty()
		return v
	}
	v.Stats, v.Alerts = i.stats(), i.alerts()
	if !i.query.Narrowed() {
		v.Stats = append(v.Stats, i.tiring()...)
		v.Coach = present.CoachOf(i.say, i.member, i.coached)
		if i.query.Days != 0 {
			v.Downloads = evaluationFiles(i.say, i.member, i.query.Days)
		}
	}
	if i.report.Empty() { // the page says so instead
		return v
	}
	for _, f := range i.figures() {
		var download *views.Download
		if i.member.May(auth.ExportAudit) {
			download = &views.Download{
				URL: urls.Insights(i.member.Tenant) + ".csv", Label: i.say.Say("CSV of %s", present.LowerFirst(f.title)),
				Fields: append([]views.HiddenField{{Name: "figure", Value: f.id}}, i.address.Hidden()...),
			}
		}
		v.Figures = append(v.Figures, f.view(i.say, download))
	}
	return v
}

// did says in a sentence or two what happened.
func (i insightsOf) did() string {
	s := present.Did(i.say, i.report)
	if t := i.report.Total; s != "" && t.Decided() > 0 {
		s += " " + i.say.Say("People approved %s of the %d that they decided, half of them within %s.", present.Percent(float64(t.Approved)/float64(t.Decided())), t.Decided(), present.TimeCell(i.say, t, 0.5).Text)
	}
	if held := present.HeldMostBy(i.say, i.member, i.report); s != "" && len(held) > 0 {
		s += " " + i.say.Say("Most holds come from %s.", held[0].Label)
	}
	return s
}

func (i insightsOf) summary() string {
	all := i.report.Days
	first, last := present.LongDay(i.say, all[0]), present.LongDay(i.say, all[len(all)-1])
	s := i.say.Say("%s to %s (UTC), compared with the previous %d days.", first, last, len(all))
	if i.report.Uncompared {
		s = i.say.Say("%s to %s (UTC). Too much matches to compare it with the days before.", first, last)
	}
	if i.query.Person != "" {
		s += " " + i.say.Say("Only requests that %s decided or helped to approve.", present.Flat(i.say, i.names.Of("person", i.query.Person)))
	}
	return s
}

// at is the address of the page on so many days, with its other filters.
func (i insightsOf) at(days int) string {
	of := strconv.Itoa(days)
	if days == approvals.InsightDays()[1] {
		of = ""
	}
	return i.address.At(urls.Insights(i.member.Tenant), "days", of, "from", "", "to", "")
}

// filter is the form over the figures. Whose figures are for others, too, chooses among
// everybody; who only decides may look at their own.
func (i insightsOf) filter() views.Filter {
	a, here := i.address, urls.Insights(i.member.Tenant)
	var agents, people views.ChoiceGroup
	for _, n := range i.names.Agents {
		agents.Choices = append(agents.Choices, views.Choice{Value: n.ID, Label: present.Flat(i.say, n.Name)})
	}
	for _, n := range i.names.People {
		if i.member.May(auth.ReadPeople) || n.ID == i.member.Person.ID {
			people.Choices = append(people.Choices, views.Choice{Value: n.ID, Label: present.Flat(i.say, n.Name)})
		}
	}
	f := views.Filter{
		URL: here, Label: i.say.Say("Filter the figures"), Problems: filter.ProblemsOf(a), Chips: filter.ChipsOf(a, here, i.names),
		Lead: []views.FilterField{
			filter.TextField(a, "from", i.say.Say("From (UTC)"), "", views.FieldDay), filter.TextField(a, "to", i.say.Say("Until (UTC)"), "", views.FieldDay),
			filter.SelectField(a, "agent", i.say.Say("Agent"), i.say.Say("All agents"), []views.ChoiceGroup{agents}),
			filter.TextField(a, "function", i.say.Say("Function"), "delete_user", views.FieldText),
			filter.SelectField(a, "person", i.say.Say("Decided by"), i.say.Say("Anyone"), []views.ChoiceGroup{people}),
		},
	}
	if days := a.Clean.Get("days"); days != "" {
		f.Hidden = []views.HiddenField{{Name: "days", Value: days}}
	}
	return f
}

func (i insightsOf) empty() *views.Empty {
	if i.query.Narrowed() || i.query.Days == 0 {
		return &views.Empty{
			Search: true, Title: i.say.Say("No matching activity"), Text: untrusted.Runs(i.say.Say("Nothing in this period matches all your filters.")),
			Action: &views.Link{Label: i.say.Say("Clear filters"), URL: urls.Insights(i.member.Tenant)},
		}
	}
	e := &views.Empty{
		Title: i.say.Say("No activity in the last %d days", i.query.Days),
		Text:  untrusted.Runs(i.say.Say("Once agents submit actions, you'll see how risky they are, how they end, how long decisions take, and which rules and patterns are worth the attention.")),
	}
	all := approvals.InsightDays()
	switch last := all[len(all)-1]; {
	case i.member.May(auth.ManageAgents):
		e.Action = &views.Link{Label: i.say.Say("Create an agent"), URL: "/t/" + i.member.Tenant + "/settings/agents/new"}
	case i.query.Days != last:
		e.Action = &views.Link{Label: i.say.Say("View the last %d days", last), URL: i.at(last)}
	}
	return e
}

func (i insightsOf) stats() []views.Stat {
	now, was := i.report.Total, i.report.Before
	held := present.ShareCell(i.say, present.HeldAtOnce(now), now.Submitted)
	one := func(label, value, then string) views.Stat {
		return views.Stat{Label: label, Value: value, Note: i.before(then)}
	}
	people := []views.Stat{
		one(i.say.Say("Approval rate"), present.ShareCell(i.say, now.Approved, now.Decided()).Text, present.ShareCell(i.say, was.Approved, was.Decided()).Text),
		one(i.say.Say("Median time to decide"), present.TimeCell(i.say, now, 0.5).Text, present.TimeCell(i.say, was, 0.5).Text),
		{Label: i.say.Say("Fast approvals"), Value: present.Grouped(i.say, now.Fast), Note: i.say.Say("of %d by people", now.Approved)},
	}
	scores := []views.Stat{
		one(i.say.Say("Mean score"), scoreCell(i.say, now.MeanScore(), now.Scored > 0).Text, scoreCell(i.say, was.MeanScore(), was.Scored > 0).Text),
		one(i.say.Say("Mean pattern score"), pointsCell(i.say, now.MeanPoints(), now.Evaluated > 0).Text, pointsCell(i.say, was.MeanPoints(), was.Evaluated > 0).Text),
	}
	if i.query.Person != "" { // who submits, and what nobody decides, has no person
		return slices.Concat([]views.Stat{one(i.say.Say("Decisions"), present.Grouped(i.say, now.Decided()), present.Grouped(i.say, was.Decided()))}, people, scores)
	}
	return slices.Concat([]views.Stat{
		one(i.say.Say("Actions submitted"), present.Grouped(i.say, now.Submitted), present.Grouped(i.say, was.Submitted)),
		{Label: i.say.Say("Held for a person"), Value: held.Text, Note: cmp.Or(held.Note, i.say.Say("None submitted yet"))},
	}, people, []views.Stat{
		one(i.say.Say("Blocked by the policy"), present.Grouped(i.say, now.Blocked), present.Grouped(i.say, was.Blocked)),
		one(i.say.Say("Expired"), present.Grouped(i.say, now.Expired), present.Grouped(i.say, was.Expired)),
	}, scores)
}

// before is what a number was in the window before this one.
func (i insightsOf) before(value string) string {
	switch {
	case i.report.Uncompared:
		return i.say.Say("Not compared")
	case i.report.Before == (approvals.Tally{}), value == views.NoFigure:
		return i.say.Say("No earlier data")
	}
	return i.say.Say("was %s", value)
}

// alerts tell of the last day whose score left its band, and of sessions that rose.
func (i insightsOf) alerts() []views.Notice {
	var all []views.Notice
	for n := len(i.report.Trend) - 1; n >= 0; n-- {
		if d := i.report.Trend[n]; d.Outside() > 0 {
			all = append(all, views.Notice{
				Tone: views.ToneWarn, Icon: views.IconAlert, Title: i.say.Say("Scores rose on %s", present.LongDay(i.say, d.Day)),
				Text:   untrusted.Runs(i.say.Say("The mean was %.3f over %d actions, above the usual range (%.3f to %.3f).", d.Mean, int(d.Scored), d.Low, d.High)),
				Action: &views.Link{Label: i.say.Say("Score by day"), URL: "#figure-scores"},
			})
			break
		}
	}
	for n := len(i.report.Points) - 1; n >= 0; n-- {
		if d := i.report.Points[n]; d.Outside() > 0 {
			all = append(all, views.Notice{
				Tone: views.ToneWarn, Icon: views.IconAlert, Title: i.say.Say("Pattern scores rose on %s", present.LongDay(i.say, d.Day)),
				Text:   untrusted.Runs(i.say.Say("The mean was %.1f over %d actions, above the usual range (%.1f to %.1f).", d.Mean, int(d.Scored), d.Low, d.High)),
				Action: &views.Link{Label: i.say.Say("Pattern score by day"), URL: "#figure-points"},
			})
			break
		}
	}
	all = append(all, SessionNotices(i.say, i.member.Tenant, i.report.Alerts, i.names)...)
	rose := 0
	for _, s := range i.report.Sessions {
		if s.Rose {
			rose++
		}
	}
	if rose > 0 {
		all = append(all, views.Notice{
			Tone: views.ToneWarn, Icon: views.IconAlert, Title: i.say.Say("%d unusual sessions", rose),
			Text:   untrusted.Runs(i.say.Say("Their scores are higher than chance explains, compared with the rest of the organisation.")),
			Action: &views.Link{Label: i.say.Say("Sessions by score"), URL: "#figure-sessions"},
		})
	}
	return all
}

// figures are all of the page, in its order.
func (i insightsOf) figures() []figure {
	all := []figure{
		i.levelFigure(), i.outcomeFigure(), i.timeFigure(), i.timeLevelFigure(), i.trendFigure(), i.pointsFigure(), i.severityFigure(), i.fastFigure(), i.calibrationFigure(), i.causeFigure(), i.sessionFigure(),
		i.rateFigure("rules", i.say.Say("Rules"), i.say.Say("Rule"), ruleRates, i.report.Rules),
		i.rateFigure("patterns", i.say.Say("Patterns"), i.say.Say("Pattern"), patternRates, i.report.Patterns),
		i.rateFigure("functions", i.say.Say("Functions"), i.say.Say("Function"), functionRates, i.report.Functions),
	}
	if i.member.May(auth.ReadPeople) || i.query.Person != "" {
		all = append(all, i.operatorFigure())
	}
	acts, not := i.acts(), i.unfiltered()
	for n := range all {
		all[n].act = acts[all[n].id]
		if why := not[all[n].id]; why != "" {
			all[n].rows, all[n].chart, all[n].more, all[n].none, all[n].alert = nil, views.ChartNone, "", why, nil
		}
	}
	return all
}

// unfiltered are the figures that the chosen filter cannot narrow, with the reason.
func (i insightsOf) unfiltered() map[string]string {
	all := map[string]string{}
	if i.query.Person != "" {
		all["levels"] = i.say.Say("This chart can't be filtered by person: agents submit actions, and no one has decided them yet.")
		all["causes"] = i.say.Say("This table can't be filtered by person: what holds a call doesn't depend on who decides it.")
		all["calibration"] = i.say.Say("This chart can't be filtered by person: agents report failures, whoever decided.")
	}
	if i.query.Person != "" || i.query.Function != "" {
		all["sessions"] = i.say.Say("Sessions can only be filtered by agent: each has calls of several functions, decided by several people.")
	}
	return all
}

// acts are what one would change about a figure, by its id: as far as the reader may see it.
func (i insightsOf) acts() map[string]*views.Link {
	all := map[string]*views.Link{}
	to := func(need auth.Permission, page, label string, ids ...string) {
		if !i.member.May(need) {
			return
		}
		for _, id := range ids {
			all[id] = &views.Link{Label: label, URL: urls.Settings(i.member.Tenant, page)}
		}
	}
	to(auth.ReadPolicy, urls.PlacePolicy, i.say.Say("Change the risk thresholds"), "levels", "scores", "calibration")
	to(auth.ReadPolicy, urls.PlacePolicy, i.say.Say("Change what each level asks for"), "times-by-level", "fast")
	to(auth.ReadPolicy, urls.PlacePolicy, i.say.Say("Change review time and expiry"), "times")
	to(auth.ReadPolicy, urls.PlacePolicy, i.say.Say("Change when a session is reported"), "sessions")
	to(auth.ReadPolicy, urls.PlaceFunctions, i.say.Say("Change how functions are treated"), "causes", "functions")
	to(auth.ReadPolicy, urls.PlaceRules, i.say.Say("Change the rules"), "rules")
	to(auth.ReadPolicy, urls.PlacePatterns, i.say.Say("Change the patterns"), "patterns", "points")
	to(auth.ReadPeople, urls.PlacePeople, i.say.Say("See the people"), "operators")
	all["outcomes"] = &views.Link{Label: i.say.Say("See the decisions"), URL: i.history()}
	return all
}

// history is the list of what the figures count, as far as people decided it.
func (i insightsOf) history() string {
	to := url.Values{"decider": {"person"}}
	if i.query.Person != "" {
		to.Set("decider", "person:"+i.query.Person)
	}
	if i.query.Agent != "" {
		to.Set("agent", i.query.Agent)
	}
	if i.query.Function != "" {
		to.Set("function", i.query.Function)
	}
	days := i.report.Days
	to.Set("from", days[0]+"T00:00")
	if i.query.Days == 0 { // otherwise until now
		if last, err := time.Parse(time.DateOnly, days[len(days)-1]); err == nil {
			to.Set("to", filter.InstantText(last.AddDate(0, 0, 1)))
		}
	}
	return filter.WithQuery("/t/"+i.member.Tenant+"/history", historyOrder, to)
}
