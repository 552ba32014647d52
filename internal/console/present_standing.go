package console

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/views"
)

// standingsOf is the list.
func standingsOf(m auth.Member, page approvals.StandingPage, before string, begin []approvals.Approval) views.StandingSettings {
	s := views.StandingSettings{
		Items:   settingsItems(m, settingsStanding),
		Summary: "What operators allowed ahead: one agent, one function, fixed arguments, so many times, until then. Never HIGH or CRITICAL.",
	}
	for _, g := range page.Standing {
		s.Rows = append(s.Rows, standingRowOf(m.Tenant, g, page))
	}
	switch {
	case len(page.Standing) == 0 && before == "":
		s.Empty = &views.Empty{Title: "Nothing is allowed ahead", Text: runs("Every request that is held waits for a person. An operator can allow calls of one kind ahead, from the page of a request.")}
	case len(page.Standing) == 0:
		s.Empty = &views.Empty{Title: "No older ones", Action: &views.Link{Label: "The newest", URL: standingURL(m.Tenant)}}
	}
	if page.Next != "" {
		s.Older = standingURL(m.Tenant) + "?before=" + page.Next
	}
	for _, a := range begin {
		s.Begin = append(s.Begin, callStep(a, newStandingURL(m.Tenant, a.ID), ""))
	}
	return s
}

// callStep is a call in a list of this page.
func callStep(a approvals.Approval, url, note string) views.TrailStep {
	if note == "" {
		note = a.Agent.Name + ", " + strings.ToLower(verdictWords[a.Status])
		if a.Decision != nil {
			note += " by " + decidedBy(a)
		}
	}
	return views.TrailStep{Text: headline(subjectOf(a).sentence), Note: note, End: a.CreatedAt.Format(clockForm), Level: levelOf(a.Assessment.Level), URL: url}
}

// standingState is a chip: whether it may be used, and why not.
func standingState(g approvals.Standing, page approvals.StandingPage) (word string, tone views.Tone, icon views.Icon) {
	switch over := g.Over(page.Now); {
	case over == "revoked":
		return over, views.ToneBad, views.IconBan
	case over != "":
		return over, views.TonePlain, views.IconHourglass
	case page.Void[g.ID] != "":
		return "without effect", views.ToneWarn, views.IconAlert
	}
	return "open", views.ToneOK, views.IconCheck
}

func standingRowOf(tenant string, g approvals.Standing, page approvals.StandingPage) views.StandingRow {
	r := views.StandingRow{
		ID: g.ID, URL: standingOneURL(tenant, g.ID), Function: headline(g.Function), Agent: flat(g.Agent.Name), By: g.MadeBy.Name, Why: headline(g.Reason),
		Used: usedOf(g), Ends: g.EndsAt.Format("2 Jan, 15:04"), EndsISO: g.EndsAt.Format(isoForm),
	}
	r.LastUse, r.LastUseISO = lastUse(g.LastUsedAt, page.Now)
	r.State, r.Tone, r.Icon = standingState(g, page)
	return r
}

func usedOf(g approvals.Standing) string {
	return grouped(int64(g.Uses-g.Left)) + " of " + grouped(int64(g.Uses))
}

// standingOf is one of them.
func standingOf(m auth.Member, page approvals.StandingPage, used []approvals.Decided, f standingForm) views.StandingOne {
	g := page.Standing[0]
	state, _, _ := standingState(g, page)
	s := views.StandingOne{
		Items: settingsItems(m, settingsStanding), Back: views.Link{Label: "Standing grants", URL: standingURL(m.Tenant)},
		Title: append(headline(g.Function), views.Run{Text: ", allowed ahead"}), Summary: "For the agent " + flat(g.Agent.Name) + ". It is " + state + ".",
		Terms: termPairs(g.Pattern), UsedNote: views.Link{Label: "All of its uses in the audit trail", URL: "/t/" + m.Tenant + "/audit?text=" + g.ID},
	}
	last, _ := moment(g.LastUsedAt)
	if last == "" {
		last = "never"
	}
	s.Facts = []views.Fact{
		{Label: "Used", Value: runs(usedOf(g)), Note: runs("last: " + last)},
		{Label: "Until", Value: runs(g.EndsAt.Format(dateForm)), Note: runs("from " + g.CreatedAt.Format(dateForm))},
		{Label: "Allowed by", Value: runs(g.MadeBy.Name), Note: quoted(g.Reason)},
	}
	if g.SinglePerson {
		s.Notices = append(s.Notices, views.Notice{Tone: views.ToneWarn, Icon: views.IconUser, Title: "Nobody else looked at it", Text: runs(g.MadeBy.Name + " owned the agent, and nobody else could decide. It has no effect once somebody else can.")})
	}
	if g.RevokedAt != nil {
		s.Notices = append(s.Notices, views.Notice{
			Tone: views.ToneBad, Icon: views.IconBan, Title: g.RevokedBy.Name + " revoked it at " + g.RevokedAt.Format(dateForm), Text: quoted(g.RevokeReason),
		})
	} else if why := page.Void[g.ID]; why != "" {
		s.Notices = append(s.Notices, views.Notice{Tone: views.ToneWarn, Icon: views.IconAlert, Title: "It has no effect", Text: runs(sentence(why) + ".")})
	}
	for _, d := range used {
		s.Used = append(s.Used, callStep(d.Approval, requestURL(m.Tenant, d.ID), strings.ToLower(verdictWords[d.Status])))
	}
	if m.May(auth.Decide) && g.RevokedAt == nil {
		s.Revoke = revokePanel(m.Tenant, g, f)
	}
	s.Errors = standingErrors(f)
	return s
}

func revokePanel(tenant string, g approvals.Standing, f standingForm) *views.Panel {
	return &views.Panel{
		ID: "revoke", Title: "Revoke",
		Text: runs("From the moment you press it no call uses it, and what it let through and was not spent yet is void."),
		Form: views.PlainForm{
			URL:    standingOneURL(tenant, g.ID) + "/revoke",
			Lines:  []views.LineField{{ID: "reason", Name: "reason", Label: "Reason", Value: f.in.Reason, Required: true, Max: "2000", Error: f.at("reason")}},
			Button: views.Button{Label: "Revoke", Icon: views.IconBan, Kind: "final"},
		},
	}
}

// at is the message for a field, or empty.
func (f standingForm) at(member string) string {
	if f.fault == nil || f.fault.Member != member {
		return ""
	}
	return sentence(f.fault.Detail) + "."
}

// standingErrors are what the page begins with when a form was refused.
func standingErrors(f standingForm) []views.FieldError {
	if f.fault == nil {
		return nil
	}
	return []views.FieldError{{Text: sentence(f.fault.Detail) + ".", Field: f.fault.Member}}
}

// termPairs say what a call must be.
func termPairs(p approvals.Pattern) []views.Pair {
	pairs := []views.Pair{
		{Label: "environment", Value: fixedWords(p.Environment)},
		{Label: "action_type", Value: fixedWords(p.ActionType)},
		{Label: "code", Value: runs("none")},
	}
	for _, t := range p.Terms {
		pairs = append(pairs, views.Pair{Label: flat(pointerName(t.Pointer)), Value: termWords(t), Mono: t.Rule != approvals.RuleAny})
	}
	if len(p.Terms) == 0 {
		pairs = append(pairs, views.Pair{Label: "arguments", Value: runs("none")})
	}
	return pairs
}

func fixedWords(v canon.Value) []views.Run {
	if v.IsAbsent() {
		return runs("none")
	}
	return append(runs("exactly "), valueRuns(v)...)
}

func pointerName(pointer string) string {
	if pointer == "" {
		return "arguments"
	}
	return pointer
}

// valueRuns is a value as JSON would write it; an agent or a person wrote it.
func valueRuns(v canon.Value) []views.Run { return runs(string(v.Canonical())) }

// termWords say what one value must be.
func termWords(t approvals.Term) []views.Run {
	var all []views.Run
	for i, v := range t.Values {
		if i > 0 {
			all = append(all, runs(", ")...)
		}
		all = append(all, valueRuns(v)...)
	}
	before, after := "", ""
	switch t.Rule {
	case approvals.RuleEquals:
		before = "exactly "
	case approvals.RuleOneOf:
		before = "one of "
	case approvals.RulePrefix:
		before, after = "begins with ", " and goes on plainly"
	case approvals.RuleGlob:
		before, after = "like ", ", plain text for each *"
	case approvals.RuleAtMost:
		before = "a number from 0 to "
	case approvals.RuleAny:
		return runs("anything: a text, a number, true, false or null")
	}
	return append(append(runs(before), all...), runs(after)...)
}

// ruleWords are the choices of the form.
var ruleWords = map[approvals.Rule]string{
	approvals.RuleEquals: "exactly as in this call", approvals.RuleOneOf: "one of (one a line)", approvals.RulePrefix: "begins with",
	approvals.RuleGlob: "like, with * where it may differ", approvals.RuleAtMost: "a number, at most", approvals.RuleAny: "anything",
}

// standingDraftOf is the form of a new one, with its preview where there is one.
func standingDraftOf(m auth.Member, d approvals.StandingDraft, f standingForm, v *approvals.StandingPreview) views.StandingDraft {
	s := views.StandingDraft{
		Items: settingsItems(m, settingsStanding), Back: views.Link{Label: "Standing grants", URL: standingURL(m.Tenant)},
		Call: views.Notice{
			Icon: views.IconLayers, Title: "From this call", Text: headline(subjectOf(d.Call).sentence + ", asked for by " + d.Call.Agent.Name + " at " + d.Call.CreatedAt.Format(momentForm)),
			Action: &views.Link{Label: "Open it", URL: requestURL(m.Tenant, d.Call.ID)},
		},
	}
	if d.Refused != "" {
		text := sentence(d.Refused) + "."
		if len(d.Eligible) > 0 {
			text += " " + whoCan(d.Eligible)
		}
		s.Notices = append(s.Notices, views.Notice{Tone: views.ToneWarn, Icon: views.IconBan, Title: "This cannot be allowed ahead by you", Text: runs(text)})
		return s
	}
	if d.SinglePerson {
		s.Notices = append(s.Notices, views.Notice{Tone: views.ToneWarn, Icon: views.IconUser, Title: "You own this agent, and nobody else can decide", Text: runs("You may allow it, by typing the function's name; it is marked, and has no effect once somebody else can decide.")})
	}
	s.Errors, s.Form = standingErrors(f), standingFormOf(m.Tenant, d, f)
	if v != nil {
		s.Preview = standingPreviewOf(m.Tenant, *v, f)
	}
	return s
}

// standingLives are the choices of how long it lasts, in hours.
func standingLives() []views.Choice {
	return []views.Choice{
		{Value: "1", Label: "1 hour"},
		{Value: "8", Label: "8 hours"},
		{Value: "24", Label: "1 day"},
		{Value: "72", Label: "3 days"},
		{Value: "168", Label: "7 days"},
		{Value: "336", Label: "14 days"},
		{Value: "720", Label: "30 days"},
	}
}

func standingFormOf(tenant string, d approvals.StandingDraft, f standingForm) *views.StandingForm {
	form := &views.StandingForm{
		URL: standingURL(tenant) + "/preview", Hidden: []views.Hidden{{Name: "from", Value: d.From}},
		Fixed: []views.Fact{
			{Label: "Agent", Value: runs(d.Agent.Name)},
			{Label: "Function", Value: runs(d.Function)},
			{Label: "Environment", Value: fixedWords(d.Pattern.Environment)},
		},
		Lines: []views.LineField{
			{ID: "uses", Name: "uses", Label: "How many times", Value: f.uses, Required: true, Max: "4", Hint: "1 to 1,000.", Error: f.at("uses")},
			{ID: "reason", Name: "reason", Label: "Reason", Value: f.in.Reason, Required: true, Max: "2000", Hint: "Kept in the audit trail, and in the list for everybody who reads the queue.", Error: f.at("reason")},
		},
		Button: views.Button{Label: "Preview", Icon: "eye", Kind: "primary"},
	}
	life := views.SelectField{ID: "life", Name: "life", Label: "For how long", Error: f.at("life")}
	for _, l := range standingLives() {
		l.Checked = l.Value == f.hours
		life.Options = append(life.Options, l)
	}
	form.Lists = []views.SelectField{life}
	for n, value := range d.Values {
		form.Terms = append(form.Terms, termFieldOf(d, f, n, value))
	}
	return form
}

func termFieldOf(d approvals.StandingDraft, f standingForm, n int, value canon.Value) views.TermField {
	rules := approvals.RulesFor(value)
	name := pointerName(d.Pattern.Terms[n].Pointer)
	t := views.TermField{
		Rule: "rule-" + strconv.Itoa(n), Text: "value-" + strconv.Itoa(n), Name: runs(name), Plain: flat(name),
		Value: valueRuns(value), Typed: value.Text() + value.Number(), Texts: len(rules) > 2,
	}
	chosen := approvals.RuleEquals
	if n < len(f.in.Terms) {
		chosen, t.Typed = f.in.Terms[n].Rule, f.in.Terms[n].Text
	}
	for _, r := range rules {
		t.Rules = append(t.Rules, views.Choice{Value: string(r), Label: ruleWords[r], Checked: r == chosen})
	}
	if t.Error = f.at(t.Text); t.Error == "" {
		t.Error = f.at(t.Rule)
	}
	return t
}

// standingPreviewOf says what the draft covers of what is known.
func standingPreviewOf(tenant string, v approvals.StandingPreview, f standingForm) *views.StandingPreview {
	p := &views.StandingPreview{
		Facts: []views.Fact{
			{Label: "Would have matched", Value: runs(fmt.Sprintf("%d of %d", v.Matched, v.Calls)), Note: runs("of the last calls of this function by this agent, since " + v.Oldest.Format(dateForm))},
			{Label: "Would have gone through", Value: runs(strconv.Itoa(v.Covered)), Note: runs("the others were treated more strictly")},
			{Label: "May run", Value: runs(plural(v.Uses, "time")), Note: runs("until " + v.EndsAt.Format(dateForm))},
		},
		Terms: termPairs(v.Pattern),
		PendingNote: fmt.Sprintf("%s and match. They stay with people: a standing grant is for calls that come after it.",
			map[bool]string{true: "1 waits", false: strconv.Itoa(len(v.Pending)) + " wait"}[len(v.Pending) == 1]),
	}
	for _, a := range v.Pending {
		p.Pending = append(p.Pending, callStep(a, requestURL(tenant, a.ID), "waiting"))
	}
	if v.Edge != nil {
		p.Edges = append(p.Edges, callStep(*v.Edge, requestURL(tenant, v.Edge.ID), "matches, and is the farthest from the call above"))
	}
	if v.Near != nil {
		var missed []string
		for _, miss := range v.Missed[:min(len(v.Missed), 3)] {
			missed = append(missed, flat(pointerName(miss.Term.Pointer)+" is "+string(miss.Value.Canonical())))
		}
		p.Edges = append(p.Edges, callStep(*v.Near, requestURL(tenant, v.Near.ID), "does not match, and misses by the least: "+strings.Join(missed, ", ")))
	}
	p.Save = views.StandingSave{URL: standingURL(tenant), Hidden: standingHidden(v, f), Button: "Allow it " + plural(v.Uses, "time") + ", for " + lifeWords(f.in.Life)}
	if v.SinglePerson {
		p.Save.Typed = &views.TypedWord{Say: flat(v.Function), Value: f.in.Typed, Error: f.at("typed"), Why: "Nobody else looks at this."}
	}
	return p
}

func lifeWords(d time.Duration) string {
	if d%(24*time.Hour) == 0 {
		return plural(int(d.Hours()/24), "day")
	}
	return plural(int(d.Hours()), "hour")
}

// standingHidden is the form once more, bound to what the preview showed.
func standingHidden(v approvals.StandingPreview, f standingForm) []views.Hidden {
	all := []views.Hidden{{Name: "from", Value: v.From}, {Name: "uses", Value: f.uses}, {Name: "life", Value: f.hours}, {Name: "reason", Value: f.in.Reason}, {Name: "seen", Value: v.Sum}}
	for n, t := range f.in.Terms {
		all = append(all, views.Hidden{Name: "rule-" + strconv.Itoa(n), Value: string(t.Rule)}, views.Hidden{Name: "value-" + strconv.Itoa(n), Value: t.Text})
	}
	return all
}
