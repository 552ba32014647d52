package settingsui

import (
	"strconv"
	"strings"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/console/edge"
	"github.com/countersign/countersign/internal/console/policyui"
	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/internal/console/request"
	"github.com/countersign/countersign/internal/console/untrusted"
	"github.com/countersign/countersign/internal/console/urls"
	shown "github.com/countersign/countersign/internal/scoring/headline"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/settings"
	"github.com/countersign/countersign/views/texts"
)

// fromCall is the call that a form begins with.
func fromCall(say texts.Printer, tenant string, a approvals.Approval) views.Notice {
	return views.Notice{
		Icon: views.IconLayers, Title: say.Say("From this call"), Text: append(present.HeadlineOf(say, a.Subject().Row(shown.MaxLine)), present.SayAt(say, present.MomentForm, texts.Key(", requested by %s at %s"), a.Agent.Name, a.CreatedAt)...),
		Action: &views.Link{Label: say.Say("Open it"), URL: urls.Request(tenant, a.ID)},
	}
}

// standingsOf is the list.
func standingsOf(say texts.Printer, m auth.Member, page approvals.StandingPage, before string, begin []approvals.Approval) settings.StandingSettings {
	s := settings.StandingSettings{
		Items:   edge.SettingsItems(say, m, urls.PlaceStanding),
		Summary: say.Say("Pre-approved calls: one agent, one function, set arguments, with a limit and an expiry. LOW and MEDIUM only."),
	}
	for _, g := range page.Standing {
		s.Rows = append(s.Rows, standingRowOf(say, m.Tenant, g, page))
	}
	switch {
	case len(page.Standing) == 0 && before == "":
		s.Empty = &views.Empty{Title: say.Say("No standing approvals"), Text: untrusted.Runs(say.Say("Every held request needs a decision. Operators can create a standing approval from a request's page."))}
	case len(page.Standing) == 0:
		s.Empty = &views.Empty{Title: say.Say("Nothing older"), Action: &views.Link{Label: say.Say("The newest"), URL: urls.StandingGrants(m.Tenant)}}
	}
	if page.Next != "" {
		s.Older = urls.StandingGrants(m.Tenant) + "?before=" + page.Next
	}
	for _, a := range begin {
		s.Begin = append(s.Begin, callStep(say, a, urls.NewStandingGrant(m.Tenant, a.ID), ""))
	}
	return s
}

// callStep is a call in a list of this page.
func callStep(say texts.Printer, a approvals.Approval, url, note string) views.TrailStep {
	if note == "" {
		note = a.Agent.Name + ", " + present.EndedBy(say, a)
	}
	return views.TrailStep{Text: present.HeadlineOf(say, a.Subject().Row(shown.MaxLine)), Note: note, End: a.CreatedAt.Format(present.ClockForm), EndISO: a.CreatedAt.Format(present.IsoForm), Level: present.LevelOf(a.Assessment.Level), URL: url}
}

func standingRowOf(say texts.Printer, tenant string, g approvals.Standing, page approvals.StandingPage) settings.StandingRow {
	r := settings.StandingRow{
		ID: g.ID, URL: urls.StandingGrant(tenant, g.ID), Function: request.GrantName(say, g), Agent: present.Flat(say, g.Agent.Name), By: g.MadeBy.Name, Why: present.Headline(say, g.Reason),
		Used: present.UsedOf(say, g), Ends: present.InWords(say, texts.Key("2 Jan, 15:04"), g.EndsAt), EndsISO: g.EndsAt.Format(present.IsoForm),
	}
	if g.Session != "" {
		r.Why = untrusted.Runs(say.Say("and the next %d like it, in one session", g.Uses))
		if g.Scope != nil {
			r.Why = untrusted.Runs(say.Say("with a decision, for one session"))
		}
	}
	r.LastUse, r.LastUseISO = present.LastUse(say, g.LastUsedAt, page.Now)
	r.State, r.Tone, r.Icon = present.StandingState(say, g, page)
	return r
}

// standingOf is one of them.
func standingOf(say texts.Printer, m auth.Member, page approvals.StandingPage, used []approvals.Decided, f standingForm) settings.StandingOne {
	g := page.Standing[0]
	state, _, _ := present.StandingState(say, g, page)
	s := settings.StandingOne{
		Items: edge.SettingsItems(say, m, urls.PlaceStanding), Back: views.Link{Label: say.Say("Standing approvals"), URL: urls.StandingGrants(m.Tenant)},
		Title: append(present.Headline(say, g.Function), views.Run{Text: say.Say(", standing approval")}), Summary: say.Say("Agent: %s. Status: %s.", present.Flat(say, g.Agent.Name), state),
		Terms: grantPairs(say, m.Tenant, g), UsedNote: views.Link{Label: say.Say("All of its uses in the audit trail"), URL: "/t/" + m.Tenant + "/audit?text=" + g.ID},
	}
	last := untrusted.Runs(say.Say("last: %s", say.Say("never")))
	if g.LastUsedAt != nil {
		last = present.SayAt(say, present.DateForm, texts.Key("last: %s"), *g.LastUsedAt)
	}
	s.Facts = []views.Fact{
		{Label: say.Say("Used"), Value: untrusted.Runs(present.UsedOf(say, g)), Note: last},
		{Label: say.Say("Until"), Value: present.TimeRuns(say, present.DateForm, g.EndsAt), Note: present.SayAt(say, present.DateForm, texts.Key("from %s"), g.CreatedAt)},
		{Label: say.Say("Approved by"), Value: untrusted.Runs(g.MadeBy.Name), Note: request.Quoted(g.Reason)},
	}
	if g.Session != "" {
		s.Title = append(request.GrantName(say, g), views.Run{Text: say.Say(", for one session")})
	}
	if g.SinglePerson {
		s.Notices = append(s.Notices, views.Notice{Tone: views.ToneWarn, Icon: views.IconUser, Title: say.Say("Not reviewed by anyone else"), Text: untrusted.Runs(say.Say("%s owned the agent and no one else could decide. It stops applying once someone else can.", g.MadeBy.Name))})
	}
	if g.RevokedAt != nil {
		s.Notices = append(s.Notices, present.Titled(views.Notice{Tone: views.ToneBad, Icon: views.IconBan, Text: request.Quoted(g.RevokeReason)},
			present.SayAt(say, present.DateForm, texts.Key("%s revoked it at %s"), g.RevokedBy.Name, *g.RevokedAt)))
	} else if why := page.Void[g.ID]; !why.Empty() {
		s.Notices = append(s.Notices, views.Notice{Tone: views.ToneWarn, Icon: views.IconAlert, Title: say.Say("It has no effect"), Text: untrusted.Runs(present.Sentence(say.Phrase(why)) + ".")})
	}
	for _, d := range used {
		s.Used = append(s.Used, callStep(say, d.Approval, urls.Request(m.Tenant, d.ID), say.Key(present.EndWords[d.Status])))
	}
	if m.May(auth.Decide) && g.RevokedAt == nil {
		s.Revoke = revokePanel(say, m.Tenant, g, f)
	}
	s.Errors = standingErrors(say, f)
	return s
}

func revokePanel(say texts.Printer, tenant string, g approvals.Standing, f standingForm) *views.Panel {
	return &views.Panel{
		ID: "revoke", Title: say.Say("Revoke"),
		Text: untrusted.Runs(say.Say("Calls can no longer use it, and its unused approvals become void.")),
		Form: views.PlainForm{
			URL:    urls.StandingGrant(tenant, g.ID) + "/revoke",
			Lines:  []views.LineField{{ID: "reason", Name: "reason", Label: say.Say("Reason"), Value: f.in.Reason, Required: true, Max: "2000", Error: f.at(say, "reason")}},
			Button: views.Button{Label: say.Say("Revoke"), Icon: views.IconBan, Kind: "final"},
		},
	}
}

// at is the message for a field, or empty.
func (f standingForm) at(say texts.Printer, member string) string {
	if f.fault == nil || f.fault.Member != member {
		return ""
	}
	return present.Because(say, f.fault) + "."
}

// standingErrors are what the page begins with when a form was refused.
func standingErrors(say texts.Printer, f standingForm) []views.FieldError {
	if f.fault == nil {
		return nil
	}
	return []views.FieldError{{Text: present.Because(say, f.fault) + ".", Field: f.fault.Member}}
}

// grantPairs say what a call must be that uses g.
func grantPairs(say texts.Printer, tenant string, g approvals.Standing) []views.Pair {
	if g.Session == "" {
		return termPairs(say, g.Pattern)
	}
	if g.Scope != nil {
		return request.ScopePairs(say, tenant, g)
	}
	pairs := []views.Pair{
		{Label: say.Say("Session"), Value: fixedWords(say, canon.String(g.Session)), Mono: true, URL: urls.Session(tenant, g.Agent.ID, g.Session)},
		{Label: say.Say("Effects"), Value: untrusted.Runs(say.Say("those of the call that was approved, and no more money"))},
		{Label: "environment", Value: fixedWords(say, g.Pattern.Environment)},
		{Label: "action_type", Value: fixedWords(say, g.Pattern.ActionType)},
		{Label: "code", Value: untrusted.Runs(say.Say("none"))},
	}
	for _, t := range g.Pattern.Terms {
		value, mono := termWords(say, t), true
		switch t.Values[0].Kind() {
		case canon.KindString:
			value, mono = untrusted.Runs(say.Say("any text")), false
		case canon.KindNumber:
			value, mono = untrusted.Runs(say.Say("any number")), false
		default:
		}
		pairs = append(pairs, views.Pair{Label: present.Flat(say, policyui.PointerName(t.Pointer)), Value: value, Mono: mono})
	}
	return pairs
}

// termPairs say what a call must be.
func termPairs(say texts.Printer, p approvals.Pattern) []views.Pair {
	pairs := []views.Pair{
		{Label: "environment", Value: fixedWords(say, p.Environment)},
		{Label: "action_type", Value: fixedWords(say, p.ActionType)},
		{Label: "code", Value: untrusted.Runs(say.Say("none"))},
	}
	for _, t := range p.Terms {
		pairs = append(pairs, views.Pair{Label: present.Flat(say, policyui.PointerName(t.Pointer)), Value: termWords(say, t), Mono: t.Rule != approvals.RuleAny})
	}
	if len(p.Terms) == 0 {
		pairs = append(pairs, views.Pair{Label: "arguments", Value: untrusted.Runs(say.Say("none"))})
	}
	return pairs
}

func fixedWords(say texts.Printer, v canon.Value) []views.Run {
	if v.IsAbsent() {
		return untrusted.Runs(say.Say("none"))
	}
	return views.Sentence(say, texts.Key("equals {1}"), valueRuns(v))
}

// valueRuns is a value as JSON would write it; an agent or a person wrote it.
func valueRuns(v canon.Value) []views.Run { return untrusted.Runs(string(v.Canonical())) }

// termWords say what one value must be.
func termWords(say texts.Printer, t approvals.Term) []views.Run {
	var all []views.Run
	for i, v := range t.Values {
		if i > 0 {
			all = append(all, untrusted.Runs(", ")...)
		}
		all = append(all, valueRuns(v)...)
	}
	switch t.Rule {
	case approvals.RuleEquals:
		return views.Sentence(say, texts.Key("equals {1}"), all)
	case approvals.RuleOneOf:
		return views.Sentence(say, texts.Key("one of {1}"), all)
	case approvals.RulePrefix:
		return views.Sentence(say, texts.Key("starts with {1}, then plain text"), all)
	case approvals.RuleGlob:
		return views.Sentence(say, texts.Key("matches {1}, plain text for each *"), all)
	case approvals.RuleAtMost:
		return views.Sentence(say, texts.Key("a number from 0 to {1}"), all)
	case approvals.RuleAny:
		return untrusted.Runs(say.Say("any text, number, true, false or null"))
	}
	return all
}

// ruleWords are the choices of the form.
var ruleWords = map[approvals.Rule]texts.Key{
	approvals.RuleEquals: texts.Key("equals"), approvals.RuleOneOf: texts.Key("is one of (one per line)"), approvals.RulePrefix: texts.Key("starts with"),
	approvals.RuleGlob: texts.Key("matches (use * as a wildcard)"), approvals.RuleAtMost: texts.Key("is at most"), approvals.RuleAny: texts.Key("any value"),
}

// standingDraftOf is the form of a new one, with its preview where there is one.
func standingDraftOf(say texts.Printer, m auth.Member, d approvals.StandingDraft, f standingForm, v *approvals.StandingPreview) settings.StandingDraft {
	s := settings.StandingDraft{
		Items: edge.SettingsItems(say, m, urls.PlaceStanding), Back: views.Link{Label: say.Say("Standing approvals"), URL: urls.StandingGrants(m.Tenant)},
		Call: fromCall(say, m.Tenant, d.Call),
	}
	if !d.Refused.Empty() {
		text := present.Sentence(say.Phrase(d.Refused)) + "."
		if len(d.Eligible) > 0 {
			text += " " + request.WhoCan(say, d.Eligible)
		}
		s.Notices = append(s.Notices, views.Notice{Tone: views.ToneWarn, Icon: views.IconBan, Title: say.Say("You can't create a standing approval for this call"), Text: untrusted.Runs(text)})
		return s
	}
	if d.SinglePerson {
		s.Notices = append(s.Notices, views.Notice{Tone: views.ToneWarn, Icon: views.IconUser, Title: say.Say("You own this agent, and no one else can decide"), Text: untrusted.Runs(say.Say("You can approve it by typing the function's name. The audit trail marks it, and it stops applying once someone else can decide."))})
	}
	s.Errors, s.Form = standingErrors(say, f), standingFormOf(say, m.Tenant, d, f)
	if v != nil {
		s.Preview = standingPreviewOf(say, m.Tenant, *v, f)
		s.Form.Button = views.Button{Label: say.Say("Preview again"), Icon: "eye"} // the page has one main button
	}
	return s
}

// standingLives are the choices of how long it lasts, in hours.
func standingLives(say texts.Printer) []views.Choice {
	return []views.Choice{
		{Value: "1", Label: say.Say("1 hour")},
		{Value: "8", Label: say.Say("8 hours")},
		{Value: "24", Label: say.Say("1 day")},
		{Value: "72", Label: say.Say("3 days")},
		{Value: "168", Label: say.Say("7 days")},
		{Value: "336", Label: say.Say("14 days")},
		{Value: "720", Label: say.Say("30 days")},
	}
}

// uncovered says what became of the calls that match and would not have gone through.
func uncovered(say texts.Printer, v approvals.StandingPreview) []views.Run {
	if v.Covered == v.Matched {
		return nil
	}
	return untrusted.Runs(say.Say("the others didn't need it or were treated more strictly"))
}

func standingFormOf(say texts.Printer, tenant string, d approvals.StandingDraft, f standingForm) *settings.StandingForm {
	form := &settings.StandingForm{
		URL: urls.StandingGrants(tenant) + "/preview", Hidden: []views.Hidden{{Name: "from", Value: d.From}},
		Fixed: []views.Fact{
			{Label: say.Say("Agent"), Value: untrusted.Runs(d.Agent.Name)},
			{Label: say.Say("Function"), Value: untrusted.Runs(d.Function)},
			{Label: say.Say("Environment"), Value: fixedWords(say, d.Pattern.Environment)},
		},
		Lines: []views.LineField{
			{ID: "uses", Name: "uses", Label: say.Say("How many times"), Value: f.uses, Required: true, Max: "4", Hint: say.Say("From 1 to 1,000"), Error: f.at(say, "uses")},
			{ID: "reason", Name: "reason", Label: say.Say("Reason"), Value: f.in.Reason, Required: true, Max: "2000", Hint: say.Say("Kept in the audit trail and shown to everyone who can see the queue."), Error: f.at(say, "reason")},
		},
		Button: views.Button{Label: say.Say("Preview"), Icon: "eye", Kind: "primary"},
	}
	life := views.SelectField{ID: "life", Name: "life", Label: say.Say("For how long"), Error: f.at(say, "life")}
	for _, l := range standingLives(say) {
		l.Checked = l.Value == f.hours
		life.Options = append(life.Options, l)
	}
	form.Lists = []views.SelectField{life}
	for n, value := range d.Values {
		form.Terms = append(form.Terms, termFieldOf(say, d, f, n, value))
	}
	return form
}

func termFieldOf(say texts.Printer, d approvals.StandingDraft, f standingForm, n int, value canon.Value) settings.TermField {
	rules := approvals.RulesFor(value)
	name := policyui.PointerName(d.Pattern.Terms[n].Pointer)
	t := settings.TermField{
		Rule: "rule-" + strconv.Itoa(n), Text: "value-" + strconv.Itoa(n), Name: untrusted.Runs(name), Plain: present.Flat(say, name),
		Value: valueRuns(value), Typed: value.Text() + value.Digits(), Texts: len(rules) > 2,
	}
	chosen := approvals.RuleEquals
	if n < len(f.in.Terms) {
		chosen, t.Typed = f.in.Terms[n].Rule, f.in.Terms[n].Text
	}
	for _, r := range rules {
		t.Rules = append(t.Rules, views.Choice{Value: string(r), Label: say.Key(ruleWords[r]), Checked: r == chosen})
	}
	if t.Error = f.at(say, t.Text); t.Error == "" {
		t.Error = f.at(say, t.Rule)
	}
	return t
}

// standingPreviewOf says what the draft covers of what is known.
func standingPreviewOf(say texts.Printer, tenant string, v approvals.StandingPreview, f standingForm) *settings.StandingPreview {
	p := &settings.StandingPreview{
		Facts: []views.Fact{
			{Label: say.Say("Would have matched"), Value: untrusted.Runs(say.Say("%d of %d", v.Matched, v.Calls)), Note: present.SayAt(say, present.DateForm, texts.Key("recent calls of this function by this agent, since %s"), v.Oldest)},
			{Label: say.Say("Would have been approved"), Value: untrusted.Runs(strconv.Itoa(v.Covered)), Note: uncovered(say, v)},
			{Label: say.Say("Can run"), Value: untrusted.Runs(say.Say("%d times", v.Uses)), Note: present.SayAt(say, present.DateForm, texts.Key("until %s"), v.EndsAt)},
		},
		Terms:       termPairs(say, v.Pattern),
		PendingNote: say.Say("No pending requests match."),
	}
	if len(v.Pending) > 0 {
		p.PendingNote = say.Say("%d pending requests match. They still need a decision: a standing approval covers later calls only.", len(v.Pending))
	}
	for _, a := range v.Pending {
		p.Pending = append(p.Pending, callStep(say, a, urls.Request(tenant, a.ID), say.Say("waiting")))
	}
	if v.Edge != nil {
		p.Edges = append(p.Edges, callStep(say, *v.Edge, urls.Request(tenant, v.Edge.ID), say.Say("matches; least similar to the call above")))
	}
	p.Terms = append(p.Terms, notCoveredPairs(say, v.Pattern)...)
	if v.Near != nil {
		var missed []string
		for _, miss := range v.Missed[:min(len(v.Missed), 3)] {
			is := say.Say("%s is %s", policyui.PointerName(miss.Term.Pointer), string(miss.Value.Canonical()))
			if why := miss.Term.Why(miss.Value); !why.Empty() {
				is = say.Say("%s (%s)", is, say.Phrase(why))
			}
			missed = append(missed, present.Flat(say, is))
		}
		p.Edges = append(p.Edges, callStep(say, *v.Near, urls.Request(tenant, v.Near.ID), say.Say("closest non-match: %s", strings.Join(missed, ", "))))
	}
	p.Save = settings.StandingSave{URL: urls.StandingGrants(tenant), Hidden: standingHidden(v, f), Button: say.Say("Create: %d times, for %s", v.Uses, lifeWords(say, f.in.Life))}
	if v.SinglePerson {
		p.Save.Typed = &views.TypedWord{Say: present.Flat(say, v.Function), Value: f.in.Typed, Error: f.at(say, "typed"), Why: say.Say("No one else reviews this.")}
	}
	return p
}

// notCoveredPairs show of each open value what looks alike and is not covered, and why.
func notCoveredPairs(say texts.Printer, p approvals.Pattern) (pairs []views.Pair) {
	for _, t := range p.Terms {
		for _, miss := range t.NotCovered(3) {
			pairs = append(pairs, views.Pair{
				Label: say.Say("%s, not covered", present.Flat(say, policyui.PointerName(t.Pointer))),
				Value: views.Sentence(say, texts.Key("{1}: {2}"), valueRuns(miss.Value), untrusted.Runs(say.Phrase(t.Why(miss.Value)))),
			})
		}
	}
	return pairs
}

func lifeWords(say texts.Printer, d time.Duration) string {
	if d%(24*time.Hour) == 0 {
		return say.Say("%d days", int(d.Hours()/24))
	}
	return say.Say("%d hours", int(d.Hours()))
}

// standingHidden is the form once more, bound to what the preview showed.
func standingHidden(v approvals.StandingPreview, f standingForm) []views.Hidden {
	all := []views.Hidden{{Name: "from", Value: v.From}, {Name: "uses", Value: f.uses}, {Name: "life", Value: f.hours}, {Name: "reason", Value: f.in.Reason}, {Name: "seen", Value: v.Sum}}
	for n, t := range f.in.Terms {
		all = append(all, views.Hidden{Name: "rule-" + strconv.Itoa(n), Value: string(t.Rule)}, views.Hidden{Name: "value-" + strconv.Itoa(n), Value: t.Text})
	}
	return all
}
