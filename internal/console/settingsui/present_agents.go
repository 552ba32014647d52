package settingsui

import (
	"strings"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/console/edge"
	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/internal/console/request"
	"github.com/countersign/countersign/internal/console/untrusted"
	"github.com/countersign/countersign/internal/console/urls"
	"github.com/countersign/countersign/internal/tenants"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/settings"
	"github.com/countersign/countersign/views/texts"
)

const (
	// keysInRow is how many keys of an agent the list names, deadKeys how many that
	// have ended the agent's page lists.
	keysInRow = 3
	deadKeys  = 20
)

// agentsOf is the list.
func agentsOf(say texts.Printer, m auth.Member, l tenants.AgentList, f agentForm) settings.AgentsSettings {
	s := settings.AgentsSettings{
		Items:   edge.SettingsItems(say, m, urls.PlaceAgents),
		Summary: say.Say("%d agents. Owners can't decide their own agents' requests.", len(l.Agents)),
	}
	for _, a := range l.Agents {
		s.Rows = append(s.Rows, agentRowOf(say, m.Tenant, a, l))
	}
	if len(l.Agents) == 0 {
		s.Empty = &views.Empty{Title: say.Say("No agents yet"), Text: untrusted.Runs(say.Say("An agent is a program that asks before it acts. Create one and give it its API key."))}
	}
	if !m.May(auth.ManageAgents) {
		return s
	}
	s.Create = urls.Agents(m.Tenant) + "/new"
	if f.fault != nil {
		s.Notices = append(s.Notices, edge.NothingChanged(say, f.fault))
	}
	if l.Halt != nil {
		s.Resume = resumePanel(say, m.Tenant, f)
	} else {
		s.Stop = stopAllPanel(say, m.Tenant, f)
	}
	return s
}

func stopAllPanel(say texts.Printer, tenant string, f agentForm) *views.Panel {
	return &views.Panel{
		ID: "stop-all", Title: say.Say("Stop all agents"),
		Text: untrusted.Runs(say.Say("Agents can't submit, cancel or use approvals until you resume them. Keys and requests stay as they are, and people can keep deciding. Use this when you don't yet know which agent is responsible.")),
		Form: views.PlainForm{
			URL: urls.Agents(tenant) + "/stop-all",
			Lines: []views.LineField{
				{ID: "slug", Name: "slug", Label: say.Say("Type %s to confirm", tenant), Value: f.slug, Mono: true, Required: true, Max: "40", Error: f.at(say, "slug")},
				{ID: "why", Name: "reason", Label: say.Say("Reason (optional, sent to agents)"), Value: f.reason, Max: "500", Error: f.at(say, "reason")},
			},
			Button: views.Button{Label: say.Say("Stop all agents"), Icon: views.IconBan, Kind: "final"},
		},
	}
}

func resumePanel(say texts.Printer, tenant string, f agentForm) *views.Panel {
	return &views.Panel{
		ID: "resume", Title: say.Say("Resume agents"),
		Text: untrusted.Runs(say.Say("Unexpired approvals can be used again and pending requests continue. Stop any agent that shouldn't resume first.")),
		Form: views.PlainForm{
			URL:    urls.Agents(tenant) + "/resume",
			Lines:  []views.LineField{{ID: "why", Name: "reason", Label: say.Say("Reason"), Value: f.reason, Required: true, Max: "500", Error: f.at(say, "reason")}},
			Button: views.Button{Label: say.Say("Resume"), Kind: "primary"},
		},
	}
}

// at is the message for a field, or empty.
func (f agentForm) at(say texts.Printer, member string) string {
	if f.fault == nil || f.fault.Member != member {
		return ""
	}
	return present.Because(say, f.fault)
}

// errors are what the page begins with when a form was refused.
func (f agentForm) errors(say texts.Printer, ids map[string]string) []views.FieldError {
	if f.fault == nil {
		return nil
	}
	return []views.FieldError{{Text: present.Because(say, f.fault), Field: ids[f.fault.Member]}}
}

func agentRowOf(say texts.Printer, tenant string, a tenants.Agent, l tenants.AgentList) settings.AgentRow {
	row := settings.AgentRow{Name: a.Name, URL: urls.Agent(tenant, a.ID), Actions: actionsOf(say, l.Recent[a.ID])}
	row.Owner, row.OwnerNote = ownerOf(say, a.Owner, l)
	if a.Bound != (tenants.Bound{}) {
		row.Bound = say.Say("bound to %s", boundTo(say, a.Bound))
	}
	for _, k := range l.Keys[a.ID] {
		if k.Works(l.Now) {
			row.Keys = append(row.Keys, hintOf(tenant, k))
		}
	}
	if n := len(row.Keys); n > keysInRow {
		row.Keys, row.More = row.Keys[:keysInRow], say.Say("and %d more", n-keysInRow)
	}
	if h := l.Recent[a.ID].Highest; h != 0 {
		row.Highest = present.LevelOf(h)
	}
	row.Used, row.UsedISO = present.LastUse(say, a.LastUsedAt, l.Now)
	row.State, row.Tone, row.Icon = stateOf(say, a, l)
	return row
}

func actionsOf(say texts.Printer, a tenants.Activity) string {
	if a.More {
		return present.Grouped(say, a.Count) + "+"
	}
	return present.Grouped(say, a.Count)
}

// ownerOf names whoever owns an agent; somebody who left is owner still.
func ownerOf(say texts.Printer, id string, l tenants.AgentList) (name, note string) {
	if id == "" {
		return say.Say("None"), say.Say("created by CLI")
	}
	if p, ok := l.People[id]; ok {
		return p.Name, ""
	}
	return say.Say("Former member"), say.Say("former member")
}

// hintOf is how a key begins.
func hintOf(tenant string, k tenants.Key) string { return "csk_" + tenant + "_" + k.Hint + "…" }

func stateOf(say texts.Printer, a tenants.Agent, l tenants.AgentList) (string, views.Tone, views.Icon) {
	works := false
	for _, k := range l.Keys[a.ID] {
		works = works || k.Works(l.Now)
	}
	switch {
	case a.StoppedAt != nil:
		return say.Say("stopped"), views.ToneBad, views.IconBan
	case l.Halt != nil:
		return say.Say("stopped (all agents)"), views.ToneBad, views.IconBan
	case a.Canary != nil && a.Canary.Failed != "":
		return say.Say("gate open"), views.ToneBad, views.IconAlert
	case a.Canary != nil && a.SilentSince(l.Now) != nil:
		return say.Say("silent"), views.ToneWarn, views.IconAlert
	case !works:
		return say.Say("no keys"), views.ToneWarn, views.IconAlert
	default:
		return say.Say("active"), views.ToneOK, views.IconCheck
	}
}

// lives are the times that a key may be given, in hours.
func lives(say texts.Printer, chosen string, never string) []views.Choice {
	choices := []views.Choice{
		{Value: "0", Label: never},
		{Value: "24", Label: say.Say("in 1 day")},
		{Value: "168", Label: say.Say("in 7 days")},
		{Value: "720", Label: say.Say("in 30 days")},
		{Value: "2160", Label: say.Say("in 90 days")},
		{Value: "8760", Label: say.Say("in 1 year")},
	}
	return choose(choices, chosen)
}

func choose(choices []views.Choice, chosen string) []views.Choice {
	for i := range choices {
		choices[i].Checked = choices[i].Value == chosen
	}
	return choices
}

// scopeBoxes ask what the key may besides submitting.
func scopeBoxes(say texts.Printer, assess bool) []views.BoxGroup {
	return []views.BoxGroup{{ID: "scopes", Label: say.Say("This key"), Boxes: []views.BoxField{{
		ID: "assess", Name: "assess", Value: "yes", Label: say.Say("Allow dry runs"), Checked: assess,
		Note: say.Say("Scores an action without submitting it. Useful in development; it also helps someone probe your rules."),
	}}}}
}

func keyHidden() []views.Hidden { return []views.Hidden{{Name: "key", Value: auth.NewID("key")}} }

// newAgentOf is the form of a new agent.
func newAgentOf(say texts.Printer, m auth.Member, owners []auth.Person, f agentForm) settings.NewAgentSettings {
	if f.owner == "" {
		f.owner = m.Person.ID
	}
	list := make([]views.Choice, len(owners))
	for i, p := range owners {
		list[i] = views.Choice{Value: p.ID, Label: p.Name + " (" + p.Email + ")"}
	}
	back := views.Link{Label: say.Say("Agents"), URL: urls.Agents(m.Tenant)}
	return settings.NewAgentSettings{
		Items: edge.SettingsItems(say, m, urls.PlaceAgents), Back: back,
		Errors: f.errors(say, map[string]string{"name": "name", "owner": "owner", "expires": "expires", "scopes": "assess"}),
		Form: views.PlainForm{
			URL: urls.Agents(m.Tenant), Hidden: keyHidden(),
			Lines: []views.LineField{{
				ID: "name", Name: "name", Label: say.Say("Name"), Value: f.name, Mono: true, Required: true, Max: "64", Error: f.at(say, "name"),
				Hint: say.Say("Letters, numbers, dots, hyphens and underscores, starting with a letter or number. It can't be changed later."),
			}},
			Lists: []views.SelectField{
				{ID: "owner", Name: "owner", Label: say.Say("Owner"), Options: choose(list, f.owner), Error: f.at(say, "owner"), Hint: say.Say("The owner can't decide this agent's requests.")},
				{ID: "expires", Name: "expires", Label: say.Say("The key expires"), Options: lives(say, f.life, say.Say("never")), Error: f.at(say, "expires")},
			},
			Groups: scopeBoxes(say, f.assess),
			Button: views.Button{Label: say.Say("Create agent"), Kind: "primary"}, Cancel: &views.Link{Label: say.Say("Cancel"), URL: back.URL},
		},
	}
}

// agentOf is one agent with everything that can be done.
func agentOf(say texts.Printer, m auth.Member, l tenants.AgentList, known approvals.AgentTrust, b bindingBasis, f agentForm) settings.AgentSettings {
	a := l.Agents[0]
	owner, note := ownerOf(say, a.Owner, l)
	if note != "" {
		owner += " (" + note + ")"
	}
	why := "why"
	if f.incident {
		why = "incident-why"
	}
	if f.binding {
		why = "bind-why"
	}
	s := settings.AgentSettings{
		Items: edge.SettingsItems(say, m, urls.PlaceAgents), Back: views.Link{Label: say.Say("Agents"), URL: urls.Agents(m.Tenant)}, Name: a.Name,
		Summary:   present.SayAt(say, present.DateForm, texts.Key("Created %s. Its name can't be changed."), a.CreatedAt),
		Errors:    f.errors(say, map[string]string{"reason": why, "sure": "sure", "overlap": "overlap", "environment": "environment", "workspace": "workspace", "typed": "bind-typed", "contact": "contact", "ticket_link": "ticket_link"}),
		Without:   views.Link{Label: say.Say("What runs without asking"), URL: urls.WithoutAsking(m.Tenant, a.ID)},
		Connected: connectedOf(say, m, l, ""), Record: request.RecordOf(say, known, l, m.Tenant), Incident: incidentPanel(say, m, a, f),
	}
	used, _ := present.LastUse(say, a.LastUsedAt, l.Now)
	if used == "" {
		used = say.Say("never")
	}
	highest := say.Say("none")
	if h := l.Recent[a.ID].Highest; h != 0 {
		highest = present.LevelWord(say, h)
	}
	dead := 0
	assess := false
	for i, k := range l.Keys[a.ID] {
		if i == 0 {
			assess = (auth.Agent{Scopes: k.Scopes}).May(auth.ScopeAssess)
		}
		if !k.Works(l.Now) {
			if dead++; dead > deadKeys {
				continue
			}
		}
		s.Keys = append(s.Keys, keyRowOf(say, m, k, l.Now))
	}
	s.Facts = []views.Fact{
		{Label: say.Say("Owner"), Value: untrusted.Runs(owner)},
		{Label: say.Say("Last heard"), Value: untrusted.Runs(used), Note: untrusted.Runs(present.Flat(say, a.Client))},
		present.GateFact(say, a, l.Now),
		{Label: say.Say("Actions, 14 days"), Value: untrusted.Runs(actionsOf(say, l.Recent[a.ID])), Note: untrusted.Runs(say.Say("highest: %s", highest))},
		{Label: say.Say("Keys"), Value: untrusted.Runs(say.Say("%d active keys", len(l.Keys[a.ID])-dead)), Note: untrusted.Runs(say.Say("%d ended", dead))},
	}
	s.Facts = append(append(s.Facts, bindingFacts(say, a, b)...), views.Fact{Label: say.Say("ID"), Value: untrusted.Runs(a.ID), Mono: true})
	if a.StoppedAt != nil {
		s.Notices = append(s.Notices, stoppedNotice(say, a, l))
	}
	binding := f
	if !f.binding {
		binding = agentForm{}
	}
	describing := f
	if f.incident || f.binding || f.describing { // the other forms are as they were
		f = agentForm{}
	}
	s.About = views.Link{Label: say.Say("Requests and sessions"), URL: urls.Overview(m.Tenant, a.ID)}
	if m.May(auth.ManageAgents) {
		s.Panels = bindingPanels(say, m, a, l, b, binding)
		if binding.preview != nil {
			s.Incident = nil
		} else {
			s.Panels = append(append(agentPanels(say, m.Tenant, a, f, assess), *describePanel(say, m, a, describing)), s.Panels...)
		}
	}
	return s
}

func stoppedNotice(say texts.Printer, a tenants.Agent, l tenants.AgentList) views.Notice {
	who := say.Say("Former member")
	if p, ok := l.People[a.StoppedBy]; ok {
		who = p.Name
	}
	text := append(append(present.SayAt(say, present.DateForm, texts.Key("%s stopped it at %s"), who, *a.StoppedAt), views.Run{Text: ": "}), untrusted.Runs(a.StopReason)...)
	return views.Notice{
		Tone: views.ToneBad, Icon: views.IconBan, Title: say.Say("This agent is stopped"),
		Text: append(text, views.Run{Text: ". " + say.Say("Its keys are revoked, its pending requests are cancelled and its unused approvals are void.")}),
	}
}

func agentPanels(say texts.Printer, tenant string, a tenants.Agent, f agentForm, assess bool) []views.Panel {
	url := urls.Agent(tenant, a.ID)
	if a.StoppedAt != nil {
		return []views.Panel{{
			ID: "start", Title: say.Say("Restart"), Text: untrusted.Runs(say.Say("Creates a new key, shown once. Old keys, requests and approvals stay void.")),
			Form: views.PlainForm{
				URL: url + "/start", Hidden: keyHidden(), Groups: scopeBoxes(say, assess),
				Lists:  []views.SelectField{{ID: "expires", Name: "expires", Label: say.Say("The new key expires"), Options: lives(say, f.life, say.Say("never"))}},
				Button: views.Button{Label: say.Say("Restart with a new key"), Icon: "key", Kind: "primary"},
			},
		}}
	}
	overlap := f.overlap
	if overlap == "" {
		overlap = "24"
	}
	return []views.Panel{
		{
			ID: "rotate", Title: say.Say("Rotate the key"), Text: untrusted.Runs(say.Say("Creates a new key, shown once. Old keys keep working for a while so nothing breaks while you switch.")),
			Form: views.PlainForm{
				URL: url + "/rotate", Hidden: keyHidden(),
				Lists: []views.SelectField{
					{ID: "overlap", Name: "overlap", Label: say.Say("Old keys keep working for"), Error: f.at(say, "overlap"), Options: choose([]views.Choice{
						{Value: "0", Label: say.Say("not at all")}, {Value: "1", Label: say.Say("1 hour")}, {Value: "24", Label: say.Say("24 hours")}, {Value: "168", Label: say.Say("7 days")},
					}, overlap)},
					{ID: "expires", Name: "expires", Label: say.Say("The new key expires"), Options: lives(say, f.life, say.Say("never"))},
				},
				Groups: scopeBoxes(say, assess),
				Button: views.Button{Label: say.Say("Rotate"), Icon: "key"},
			},
		},
		{
			ID: "stop", Title: say.Say("Stop this agent"), Text: untrusted.Runs(say.Say("Revokes its keys, cancels pending requests and voids unused approvals. You can restart it with a new key.")),
			Form: views.PlainForm{
				URL:     url + "/stop",
				Lines:   []views.LineField{{ID: "why", Name: "reason", Label: say.Say("Reason"), Value: f.reason, Required: true, Max: "500", Error: f.at(say, "reason")}},
				Confirm: &views.BoxField{ID: "sure", Name: "sure", Value: "yes", Label: say.Say("Stop %s and cancel its pending requests", a.Name), Required: true},
				Button:  views.Button{Label: say.Say("Stop %s", a.Name), Icon: views.IconBan, Kind: "final"},
			},
		},
	}
}

func keyRowOf(say texts.Printer, m auth.Member, k tenants.Key, now time.Time) settings.KeyRow {
	row := settings.KeyRow{ID: k.ID, Hint: hintOf(m.Tenant, k), Tail: "key_…" + k.ID[max(0, len(k.ID)-8):], Scopes: scopeWords(say, k.Scopes)}
	row.Created, row.CreatedISO = present.Moment(say, &k.CreatedAt)
	row.Used, row.UsedISO = present.LastUse(say, k.LastUsedAt, now)
	row.Expires, row.ExpiresISO = present.Moment(say, k.ExpiresAt)
	switch {
	case k.RevokedAt != nil:
		row.State, row.Icon = say.Say("revoked"), views.IconBan
		return row
	case !k.Works(now):
		row.State, row.Icon = say.Say("expired"), views.IconHourglass
		return row
	}
	row.State, row.Tone, row.Icon = say.Say("works"), views.ToneOK, views.IconCheck
	if !m.May(auth.ManageAgents) {
		return row
	}
	url := urls.Agent(m.Tenant, k.Agent) + "/keys/" + k.ID
	row.Expiry = &views.PlainForm{
		URL: url + "/expiry",
		Lists: []views.SelectField{{
			ID: "expires-" + k.ID, Name: "expires", Label: say.Say("Expires, for %s", row.Hint), Quiet: true,
			Options: append([]views.Choice{{Value: "", Label: say.Say("change …"), Checked: true}}, lives(say, "-", say.Say("never"))...),
		}},
		Button: views.Button{Label: say.Say("Set")},
	}
	row.Revoke = &views.PlainForm{URL: url + "/revoke", Button: views.Button{Label: say.Say("Revoke"), Icon: views.IconBan}}
	return row
}

func scopeWords(say texts.Printer, scopes []auth.Scope) string {
	words := map[auth.Scope]string{auth.ScopeSubmit: say.Say("submit"), auth.ScopeAssess: say.Say("Dry runs")}
	var all []string
	for _, s := range scopes {
		all = append(all, words[s])
	}
	if len(all) == 0 {
		return say.Say("nothing")
	}
	return strings.Join(all, ", ")
}

// keyShownOf is the page with a new key.
func keyShownOf(say texts.Printer, m auth.Member, l tenants.AgentList, key, secret, base string, single bool) settings.KeyShown {
	a := l.Agents[0]
	s := settings.KeyShown{
		Items: edge.SettingsItems(say, m, urls.PlaceAgents), Title: say.Say("API key for %s", a.Name),
		Warn:     views.Notice{Tone: views.ToneWarn, Icon: "key", Title: say.Say("Shown once"), Text: untrusted.Runs(say.Say("Copy it now. You won't see it again. Lost it? Rotate the key."))},
		Key:      views.Secret{ID: "key", Label: say.Say("API key"), Value: secret},
		Examples: ExamplesOf(say, secret, base), Connected: connectedOf(say, m, l, key),
		Done: views.Link{Label: say.Say("Done"), URL: urls.Agent(m.Tenant, a.ID)},
	}
	owner, _ := ownerOf(say, a.Owner, l)
	note := say.Say("can't decide for it")
	if single {
		note = say.Say("can't decide for it once a second person signs in")
	}
	s.Facts = append(s.Facts, views.Fact{Label: say.Say("Owner"), Value: untrusted.Runs(owner), Note: untrusted.Runs(note)})
	for _, k := range l.Keys[a.ID] {
		switch {
		case k.ID == key:
			expires := untrusted.Runs(say.Say("never"))
			if k.ExpiresAt != nil {
				expires = present.TimeRuns(say, present.DateForm, *k.ExpiresAt)
			}
			s.Facts = append(s.Facts, views.Fact{Label: say.Say("Expires"), Value: expires}, views.Fact{Label: say.Say("Can"), Value: untrusted.Runs(scopeWords(say, k.Scopes))})
		case k.Works(l.Now):
			n := views.Notice{Icon: views.IconClock, Title: say.Say("Old key %s works", hintOf(m.Tenant, k)), Text: untrusted.Runs(say.Say("Revoke it once the agent has the new one."))}
			if k.ExpiresAt != nil {
				n = present.Titled(n, present.SayAt(say, present.DateForm, texts.Key("Old key %s works until %s"), hintOf(m.Tenant, k), *k.ExpiresAt))
			}
			s.Notices = append(s.Notices, n)
		}
	}
	return s
}

// incidentPanel takes away what is known; nil for those who may not.
func incidentPanel(say texts.Printer, m auth.Member, a tenants.Agent, f agentForm) *views.Panel {
	if !m.May(auth.ManageAgents) {
		return nil
	}
	line := views.LineField{ID: "incident-why", Name: "reason", Label: say.Say("What happened"), Required: true, Max: "500"}
	if f.incident {
		line.Value, line.Error = f.reason, f.at(say, "reason")
	}
	return &views.Panel{
		ID: "incident", Title: say.Say("Record an incident"), Text: untrusted.Runs(say.Say("Record that it did something it shouldn't have, or bypassed the console. This resets its track record for all functions and voids approvals based on it. The agent keeps running; stop it if it shouldn't.")),
		Form: views.PlainForm{
			URL: urls.Agent(m.Tenant, a.ID) + "/incident", Lines: []views.LineField{line},
			Button: views.Button{Label: say.Say("Record the incident"), Icon: views.IconAlert},
		},
	}
}
