package trailui

import (
	"slices"
	"strconv"
	"strings"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/internal/console/untrusted"
	"github.com/countersign/countersign/internal/console/urls"
	"github.com/countersign/countersign/internal/scoring/patterns"
	"github.com/countersign/countersign/internal/tenants"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/review"
	"github.com/countersign/countersign/views/texts"
)

// The score of a session: what it comes to, by day, and the alert above it.

// alert says that the score is above what the policy accepts; where some of it is sealed
// for the reader too, and not by how much.
func (v sessionView) alert() *views.Notice {
	s := v.page.Scored
	if !s.Exceeds {
		return nil
	}
	n := &views.Notice{Tone: views.ToneWarn, Icon: views.IconAlert, Title: v.say.Say("The score of this session is above %d", s.AlertAbove)}
	n.Text = untrusted.Runs(v.say.Say("Its pattern matches add up to more than your alert threshold. Each call may look harmless on its own; review them together."))
	if s.Above {
		n.Text = present.SayAt(v.say, present.MomentForm, texts.Key("Its pattern matches have exceeded your alert threshold since %s. Each call may look harmless on its own; review them together."), s.AboveAt)
	}
	if s.Acknowledged() {
		n.Tone, n.Icon = views.TonePlain, views.IconCheck
		n.Text = slices.Concat(n.Text, untrusted.Runs(" "), present.SayAt(v.say, present.MomentForm, texts.Key("%s acknowledged this at %s."), s.SeenName, s.SeenAt))
	}
	return n
}

// acknowledge is where the alert is acknowledged; empty where this reader can't, or somebody did.
func (v sessionView) acknowledge() string {
	if s := v.page.Scored; !s.Above || s.Acknowledged() || !v.member.May(auth.Refuse) {
		return ""
	}
	return "/t/" + v.member.Tenant + "/sessions/" + v.page.Agent.ID + "/acknowledge"
}

func (v sessionView) score() review.SessionScore {
	s := v.page.Scored
	one := review.SessionScore{About: v.say.Say("All pattern matches of the session as one score from 0 to 100, weighted like those of a single call. A pattern counts once per call. Dry runs don't count.")}
	switch {
	case s.Hidden:
		one.Note = v.say.Say("Too many requests in this session are waiting for your answers, so its score is hidden until they're decided.")
		return one
	case s.Sealed > 0:
		one.Note = v.say.Say("%d requests waiting for your answers aren't counted because their score is hidden.", s.Sealed)
	}
	if s.Evaluations == 0 {
		one.About = v.say.Say("This session isn't scored.")
		return one
	}
	raw, score := s.Score()
	one.Stats = []views.Stat{
		{Label: v.say.Say("Session score"), Value: strconv.Itoa(score), Note: v.say.Say("of 100 (%s before rounding and cap)", strconv.FormatFloat(raw, 'f', 2, 64))},
		{Label: v.say.Say("Matches"), Value: present.Grouped(v.say, patterns.Total(s.Counts)), Note: foundText(v.say, s.Counts)},
		{Label: v.say.Say("Highest of one call"), Value: strconv.Itoa(s.Peak), Note: v.say.Say("of 100")},
		{Label: v.say.Say("Mean of a call"), Value: pointsCell(v.say, s.Mean(), true).Text, Note: v.say.Say("over %d calls, clean ones included", s.Evaluations)},
		{Label: v.say.Say("Alert above"), Value: strconv.Itoa(s.AlertAbove), Note: v.say.Say("a setting of your policy")},
	}
	if s.AlertAbove == patterns.MaxScore {
		one.Stats[4].Value, one.Stats[4].Note = v.say.Say("never"), v.say.Say("your policy turns the alert off")
	}
	one.Days = v.days()
	one.Downloads = evaluationFile(v.member, v.say.Say("Evaluations as CSV"), "agent", s.Agent, "session", s.Session)
	return one
}

// days is the trend of the session: by day, against the day before on which it did
// something.
func (v sessionView) days() views.Figure {
	f := figure{
		id: "session-days", title: v.say.Say("Pattern score by day"), unit: views.UnitPoints, wide: true,
		about: v.say.Say("Mean pattern score per day (UTC), from 0 to 100, and its change since the last day with calls."),
		heads: []views.FigureHead{{Label: v.say.Say("Day")}, {Label: v.say.Say("Mean pattern score"), Hue: views.HueAccent}, {Label: v.say.Say("Change")}, {Label: v.say.Say("Highest pattern score")}, {Label: v.say.Say("Matches")}, {Label: v.say.Say("Calls")}},
	}
	all := v.page.Scored.Days
	if len(all) > 1 {
		f.chart = views.ChartLines
	}
	for n, d := range all {
		change := present.NoFigure()
		if n > 0 {
			by := d.Mean() - all[n-1].Mean()
			change = views.FigureCell{Text: changeText(by), Value: strconv.FormatFloat(by, 'f', 2, 64)}
		}
		matches := countCell(v.say, int64(patterns.Total(d.Counts)))
		matches.Note = foundText(v.say, d.Counts)
		f.rows = append(f.rows, figureRow{name: present.LongDay(v.say, d.Day), day: d.Day, short: present.ShortDay(v.say, d.Day), cells: []views.FigureCell{
			pointsCell(v.say, d.Mean(), true), change, countCell(v.say, int64(d.Peak)), matches, countCell(v.say, d.Evaluations),
		}})
	}
	return f.view(v.say, nil)
}

// toldAlerts is how many sessions above the accepted score are named.
const toldAlerts = 3

// SessionNotices tell, in one line, of the sessions whose score is above what the policy accepts and
// that nobody has acknowledged.
func SessionNotices(say texts.Printer, tenant string, alerts approvals.SessionAlerts, names tenants.Names) []views.Notice {
	open := slices.DeleteFunc(slices.Clone(alerts.Sessions), approvals.SessionTotal.Acknowledged)
	if len(open) == 0 {
		return nil
	}
	first := open[0]
	n := views.Notice{
		Tone: views.ToneWarn, Icon: views.IconAlert, Title: say.Say("The score of the session %s is above %d", present.Flat(say, first.Session), alerts.Above),
		Text:   untrusted.Runs(say.Say("Its pattern matches add up, however harmless each call looks. Agent: %s.", present.Flat(say, names.Of("agent", first.Agent)))),
		Action: &views.Link{Label: say.Say("View the session"), URL: urls.Session(tenant, first.Agent, first.Session) + "#score"},
	}
	if len(open) > 1 {
		var named []string
		for _, s := range open[:min(len(open), toldAlerts)] {
			named = append(named, present.Flat(say, s.Session))
		}
		text := strings.Join(named, ", ")
		if rest := len(open) - len(named); rest > 0 {
			text += " " + say.Say("and %d more", rest)
		}
		n.Title, n.Text, n.Action.Label = say.Say("The scores of %d sessions are above %d", len(open), alerts.Above), untrusted.Runs(text), say.Say("View the first")
	}
	return []views.Notice{n}
}
