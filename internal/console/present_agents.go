package console

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/tenants"
	"github.com/countersign/countersign/views"
)

func agentsURL(tenant string) string { return "/t/" + tenant + "/settings/" + settingsAgents }

func agentURL(tenant, agent string) string { return agentsURL(tenant) + "/" + agent }

const (
	dateForm = "2 Jan 2006, 15:04 UTC" // for what may be far away
	// keysInRow is how many keys of an agent the list names, deadKeys how many that
	// have ended the agent's page lists.
	keysInRow = 3
	deadKeys  = 20
)

// moment is a time for a table; empty for none.
func moment(t *time.Time) (text, iso string) {
	if t == nil {
		return "", ""
	}
	return t.Format(dateForm), t.Format(isoForm)
}

// lastUse is how long a use is past: known to the minute.
func lastUse(t *time.Time, now time.Time) (text, iso string) {
	if t == nil {
		return "", ""
	}
	switch d := now.Sub(*t); {
	case d < 2*tenants.UsageStep:
		text = "just now"
	case d < time.Hour:
		text = fmt.Sprintf("%d min ago", int(d.Minutes()))
	case d < 48*time.Hour:
		text = fmt.Sprintf("%d h ago", int(d.Hours()))
	default:
		text = plural(int(d.Hours()/24), "day") + " ago"
	}
	return text, t.Format(isoForm)
}

// agentsOf is the list.
func agentsOf(m auth.Member, l tenants.AgentList, f agentForm) views.AgentsSettings {
	s := views.AgentsSettings{
		Items:   settingsItems(m, settingsAgents),
		Summary: plural(len(l.Agents), "program") + " that may ask. Each has an owner, and owners never decide for their own.",
	}
	for _, a := range l.Agents {
		s.Rows = append(s.Rows, agentRowOf(m.Tenant, a, l))
	}
	if len(l.Agents) == 0 {
		s.Empty = &views.Empty{Title: "No agents yet", Text: runs("An agent is a program that asks before it acts. Create one, and give it its key.")}
	}
	if !m.May(auth.ManageAgents) {
		return s
	}
	s.Create = agentsURL(m.Tenant) + "/new"
	if f.fault != nil {
		s.Notices = append(s.Notices, nothingChanged(f.fault))
	}
	if l.Halt != nil {
		s.Resume = resumePanel(m.Tenant, f)
	} else {
		s.Stop = stopAllPanel(m.Tenant, f)
	}
	return s
}

// nothingChanged says what was refused where the page has several forms.
func nothingChanged(f *fault.Error) views.Notice {
	return views.Notice{Tone: views.ToneBad, Icon: views.IconAlert, Title: "Nothing was changed", Text: runs(sentence(f.Detail) + ".")}
}

// haltBanner stands on every page while all agents are stopped.
func haltBanner(m auth.Member, h tenants.Halt) views.Notice {
	who := h.By.Name
	if who == "" {
		who = "The command line"
	}
	text := who + " stopped them at " + h.At.Format(dateForm)
	if h.Reason != "" {
		text += ": " + h.Reason
	}
	n := views.Notice{
		Tone: views.ToneBad, Icon: views.IconBan, Title: "All agents are stopped",
		Text: runs(strings.TrimSuffix(text, ".") + ". They can read what is theirs; nothing that they ask for or want to spend is accepted."),
	}
	if m.May(auth.ReadAgents) {
		n.Action = &views.Link{Label: "Agents", URL: agentsURL(m.Tenant)}
	}
	return n
}

func stopAllPanel(tenant string, f agentForm) *views.Panel {
	return &views.Panel{
		ID: "stop-all", Title: "Stop all agents",
		Text: runs("From the moment you press it no agent can submit, cancel or spend anything. Keys and requests stay as they are, and people go on deciding. Use it when you do not know yet which agent it is."),
		Form: views.PlainForm{
			URL: agentsURL(tenant) + "/stop-all",
			Lines: []views.LineField{
				{ID: "slug", Name: "slug", Label: "Type " + tenant + " to confirm", Value: f.slug, Mono: true, Required: true, Max: "40", Error: f.at("slug")},
				{ID: "why", Name: "reason", Label: "Reason (agents are told)", Value: f.reason, Max: "500", Error: f.at("reason")},
			},
			Button: views.Button{Label: "Stop all agents", Icon: views.IconBan, Kind: "final"},
		},
	}
}

func resumePanel(tenant string, f agentForm) *views.Panel {
	return &views.Panel{
		ID: "resume", Title: "Let them act again",
		Text: runs("Grants that have not expired can be spent again, and waiting requests go on. Stop single agents first if they must not."),
		Form: views.PlainForm{
			URL:    agentsURL(tenant) + "/resume",
			Lines:  []views.LineField{{ID: "why", Name: "reason", Label: "Reason", Value: f.reason, Required: true, Max: "500", Error: f.at("reason")}},
			Button: views.Button{Label: "Resume", Kind: "primary"},
		},
	}
}

// at is the message for a field, or empty.
func (f agentForm) at(member string) string {
	if f.fault == nil || f.fault.Member != member {
		return ""
	}
	return sentence(f.fault.Detail)
}

// errors are what the page begins with when a form was refused.
func (f agentForm) errors(ids map[string]string) []views.FieldError {
	if f.fault == nil {
		return nil
	}
	return []views.FieldError{{Text: sentence(f.fault.Detail), Field: ids[f.fault.Member]}}
}

func agentRowOf(tenant string, a tenants.Agent, l tenants.AgentList) views.AgentRow {
	row := views.AgentRow{Name: a.Name, URL: agentURL(tenant, a.ID), Actions: actionsOf(l.Recent[a.ID])}
	row.Owner, row.OwnerNote = ownerOf(a.Owner, l)
	for _, k := range l.Keys[a.ID] {
		if k.Works(l.Now) {
			row.Keys = append(row.Keys, hintOf(tenant, k))
		}
	}
	if n := len(row.Keys); n > keysInRow {
		row.Keys, row.More = row.Keys[:keysInRow], fmt.Sprintf("and %d more", n-keysInRow)
	}
	if h := l.Recent[a.ID].Highest; h != 0 {
		row.Highest = levelOf(h)
	}
	row.Used, row.UsedISO = lastUse(a.LastUsedAt, l.Now)
	row.State, row.Tone, row.Icon = stateOf(a, l)
	return row
}

func actionsOf(a tenants.Activity) string {
	if a.More {
		return grouped(int64(a.Count)) + "+"
	}
	return grouped(int64(a.Count))
}

// ownerOf names whoever owns an agent; somebody who left is owner still.
func ownerOf(id string, l tenants.AgentList) (name, note string) {
	if id == "" {
		return "nobody", "made on the command line"
	}
	if p, ok := l.People[id]; ok {
		return p.Name, ""
	}
	return "Somebody who left", "no member any more"
}

// hintOf is how a key begins.
func hintOf(tenant string, k tenants.Key) string { return "csk_" + tenant + "_" + k.Hint + "…" }

func stateOf(a tenants.Agent, l tenants.AgentList) (string, views.Tone, views.Icon) {
	works := false
	for _, k := range l.Keys[a.ID] {
		works = works || k.Works(l.Now)
	}
	switch {
	case a.StoppedAt != nil:
		return "stopped", views.ToneBad, views.IconBan
	case l.Halt != nil:
		return "stopped with all", views.ToneBad, views.IconBan
	case !works:
		return "no key", views.ToneWarn, views.IconAlert
	default:
		return "active", views.ToneOK, views.IconCheck
	}
}

// lives are the times that a key may be given, in hours.
func lives(chosen string, never string) []views.Choice {
	choices := []views.Choice{
		{Value: "0", Label: never},
		{Value: "24", Label: "in 1 day"},
		{Value: "168", Label: "in 7 days"},
		{Value: "720", Label: "in 30 days"},
		{Value: "2160", Label: "in 90 days"},
		{Value: "8760", Label: "in 1 year"},
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
func scopeBoxes(assess bool) []views.BoxGroup {
	return []views.BoxGroup{{ID: "scopes", Label: "This key", Boxes: []views.BoxField{{
		ID: "assess", Name: "assess", Value: "yes", Label: "may ask for assessments without submitting", Checked: assess,
		Note: "Dry runs tell what would be held, and why: useful while building, and for whoever looks for a way around.",
	}}}}
}

func keyHidden() []views.Hidden { return []views.Hidden{{Name: "key", Value: auth.NewID("key")}} }

// newAgentOf is the form of a new agent.
func newAgentOf(m auth.Member, owners []auth.Person, f agentForm) views.NewAgentSettings {
	if f.owner == "" {
		f.owner = m.Person.ID
	}
	list := make([]views.Choice, len(owners))
	for i, p := range owners {
		list[i] = views.Choice{Value: p.ID, Label: p.Name + " (" + p.Email + ")"}
	}
	back := views.Link{Label: "Agents", URL: agentsURL(m.Tenant)}
	return views.NewAgentSettings{
		Items: settingsItems(m, settingsAgents), Back: back,
		Errors: f.errors(map[string]string{"name": "name", "owner": "owner", "expires": "expires", "scopes": "assess"}),
		Form: views.PlainForm{
			URL: agentsURL(m.Tenant), Hidden: keyHidden(),
			Lines: []views.LineField{{
				ID: "name", Name: "name", Label: "Name", Value: f.name, Mono: true, Required: true, Max: "64", Error: f.at("name"),
				Hint: "Letters, digits, dots, dashes. It stands in every record and cannot be changed.",
			}},
			Lists: []views.SelectField{
				{ID: "owner", Name: "owner", Label: "Owner", Options: choose(list, f.owner), Error: f.at("owner"), Hint: "Does not decide for this agent."},
				{ID: "expires", Name: "expires", Label: "The key expires", Options: lives(f.life, "never"), Error: f.at("expires")},
			},
			Groups: scopeBoxes(f.assess),
			Button: views.Button{Label: "Create agent", Kind: "primary"}, Cancel: &views.Link{Label: "Cancel", URL: back.URL},
		},
	}
}

// agentOf is one agent with everything that can be done.
func agentOf(m auth.Member, l tenants.AgentList, f agentForm) views.AgentSettings {
	a := l.Agents[0]
	owner, note := ownerOf(a.Owner, l)
	if note != "" {
		owner += " (" + note + ")"
	}
	s := views.AgentSettings{
		Items: settingsItems(m, settingsAgents), Back: views.Link{Label: "Agents", URL: agentsURL(m.Tenant)}, Name: a.Name,
		Summary: "Made " + a.CreatedAt.Format(dateForm) + ". Its name stands in every record and cannot be changed.",
		Errors:  f.errors(map[string]string{"reason": "why", "sure": "sure", "overlap": "overlap"}),
	}
	used, _ := lastUse(a.LastUsedAt, l.Now)
	if used == "" {
		used = "never"
	}
	highest := "none"
	if h := l.Recent[a.ID].Highest; h != 0 {
		highest = h.String()
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
		s.Keys = append(s.Keys, keyRowOf(m, k, l.Now))
	}
	s.Facts = []views.Fact{
		{Label: "Owner", Value: runs(owner)},
		{Label: "Last used", Value: runs(used)},
		{Label: "Actions, 14 days", Value: runs(actionsOf(l.Recent[a.ID])), Note: runs("highest: " + highest)},
		{Label: "Keys", Value: runs(strconv.Itoa(len(l.Keys[a.ID])-dead) + " work"), Note: runs(strconv.Itoa(dead) + " ended")},
		{Label: "Id", Value: runs(a.ID), Mono: true},
	}
	if a.StoppedAt != nil {
		s.Notices = append(s.Notices, stoppedNotice(a, l))
	}
	if m.May(auth.ManageAgents) {
		s.Panels = agentPanels(m.Tenant, a, f, assess)
	}
	return s
}

func stoppedNotice(a tenants.Agent, l tenants.AgentList) views.Notice {
	who := "Somebody who left"
	if p, ok := l.People[a.StoppedBy]; ok {
		who = p.Name
	}
	text := append(runs(who+" stopped it at "+a.StoppedAt.Format(dateForm)+": "), runs(a.StopReason)...)
	return views.Notice{
		Tone: views.ToneBad, Icon: views.IconBan, Title: "This agent is stopped",
		Text: append(text, views.Run{Text: ". Its keys are worthless, what it waited for is cancelled, and what it had not spent is void."}),
	}
}

func agentPanels(tenant string, a tenants.Agent, f agentForm, assess bool) []views.Panel {
	url := agentURL(tenant, a.ID)
	if a.StoppedAt != nil {
		return []views.Panel{{
			ID: "start", Title: "Start again", Text: runs("It gets a new key, shown once. The old ones stay worthless, and nothing from before comes back."),
			Form: views.PlainForm{
				URL: url + "/start", Hidden: keyHidden(), Groups: scopeBoxes(assess),
				Lists:  []views.SelectField{{ID: "expires", Name: "expires", Label: "The new key expires", Options: lives(f.life, "never")}},
				Button: views.Button{Label: "Start with a new key", Icon: "key", Kind: "primary"},
			},
		}}
	}
	overlap := f.overlap
	if overlap == "" {
		overlap = "24"
	}
	return []views.Panel{
		{
			ID: "rotate", Title: "Rotate the key", Text: runs("Makes a new key, shown once. The old ones go on for a while, so that nothing breaks while you put the new one in its place."),
			Form: views.PlainForm{
				URL: url + "/rotate", Hidden: keyHidden(),
				Lists: []views.SelectField{
					{ID: "overlap", Name: "overlap", Label: "Old keys go on for", Error: f.at("overlap"), Options: choose([]views.Choice{
						{Value: "0", Label: "not at all"}, {Value: "1", Label: "1 hour"}, {Value: "24", Label: "24 hours"}, {Value: "168", Label: "7 days"},
					}, overlap)},
					{ID: "expires", Name: "expires", Label: "The new key expires", Options: lives(f.life, "never")},
				},
				Groups: scopeBoxes(assess),
				Button: views.Button{Label: "Rotate", Icon: "key"},
			},
		},
		{
			ID: "stop", Title: "Stop this agent", Text: runs("Its keys are worthless at once, what it waits for is cancelled, and grants that it has not spent are void. It can be started again with a new key."),
			Form: views.PlainForm{
				URL:     url + "/stop",
				Lines:   []views.LineField{{ID: "why", Name: "reason", Label: "Reason", Value: f.reason, Required: true, Max: "500", Error: f.at("reason")}},
				Confirm: &views.BoxField{ID: "sure", Name: "sure", Value: "yes", Label: "Stop " + a.Name + ", and cancel what it waits for", Required: true},
				Button:  views.Button{Label: "Stop " + a.Name, Icon: views.IconBan, Kind: "final"},
			},
		},
	}
}

func keyRowOf(m auth.Member, k tenants.Key, now time.Time) views.KeyRow {
	row := views.KeyRow{ID: k.ID, Hint: hintOf(m.Tenant, k), Tail: "key_…" + k.ID[max(0, len(k.ID)-8):], Scopes: scopeWords(k.Scopes)}
	row.Created, row.CreatedISO = moment(&k.CreatedAt)
	row.Used, row.UsedISO = lastUse(k.LastUsedAt, now)
	row.Expires, row.ExpiresISO = moment(k.ExpiresAt)
	switch {
	case k.RevokedAt != nil:
		row.State, row.Icon = "revoked", views.IconBan
		return row
	case !k.Works(now):
		row.State, row.Icon = "expired", views.IconHourglass
		return row
	}
	row.State, row.Tone, row.Icon = "works", views.ToneOK, views.IconCheck
	if !m.May(auth.ManageAgents) {
		return row
	}
	url := agentURL(m.Tenant, k.Agent) + "/keys/" + k.ID
	row.Expiry = &views.PlainForm{
		URL: url + "/expiry",
		Lists: []views.SelectField{{
			ID: "expires-" + k.ID, Name: "expires", Label: "Expires, for " + row.Hint, Quiet: true,
			Options: append([]views.Choice{{Value: "", Label: "change …", Checked: true}}, lives("-", "never")...),
		}},
		Button: views.Button{Label: "Set"},
	}
	row.Revoke = &views.PlainForm{URL: url + "/revoke", Button: views.Button{Label: "Revoke", Icon: views.IconBan}}
	return row
}

func scopeWords(scopes []auth.Scope) string {
	words := map[auth.Scope]string{auth.ScopeSubmit: "submit", auth.ScopeAssess: "assess without submitting"}
	var all []string
	for _, s := range scopes {
		all = append(all, words[s])
	}
	if len(all) == 0 {
		return "nothing"
	}
	return strings.Join(all, ", ")
}

// exampleOf is a first submission for a shell; it is held, so that there is something
// to decide.
func exampleOf(secret, base string) string {
	return "export COUNTERSIGN_KEY='" + secret + "'\n" +
		"curl -sS '" + base + "/api/v1/approvals' \\\n" +
		"  -H \"Authorization: Bearer $COUNTERSIGN_KEY\" \\\n" +
		"  -H 'Content-Type: application/json' \\\n" +
		`  -d '{"function":"delete_user","arguments":{"user_id":"usr_123"},"environment":"staging"}'`
}

// keyShownOf is the page with a new key.
func keyShownOf(m auth.Member, l tenants.AgentList, key, secret, base string) views.KeyShown {
	a := l.Agents[0]
	s := views.KeyShown{
		Items: settingsItems(m, settingsAgents), Title: "The key of " + a.Name,
		Warn:    views.Notice{Tone: views.ToneWarn, Icon: "key", Title: "Shown once", Text: runs("We keep only a hash. Store it now where the agent can read it; if you lose it, rotate.")},
		Key:     views.Secret{ID: "key", Label: "Key of " + a.Name, Value: secret},
		Example: views.Secret{ID: "example", Label: "A first submission, for a shell", Value: exampleOf(secret, base)},
		Then:    views.Link{Label: "the queue", URL: queueURL(m.Tenant)},
		Done:    views.Link{Label: "I have stored it", URL: agentURL(m.Tenant, a.ID)},
	}
	owner, _ := ownerOf(a.Owner, l)
	s.Facts = append(s.Facts, views.Fact{Label: "Owner", Value: runs(owner), Note: runs("does not decide for it")})
	for _, k := range l.Keys[a.ID] {
		switch {
		case k.ID == key:
			expires, _ := moment(k.ExpiresAt)
			if expires == "" {
				expires = "never"
			}
			s.Facts = append(s.Facts, views.Fact{Label: "Expires", Value: runs(expires)}, views.Fact{Label: "May", Value: runs(scopeWords(k.Scopes))})
		case k.Works(l.Now):
			until, _ := moment(k.ExpiresAt)
			s.Notices = append(s.Notices, views.Notice{
				Icon: views.IconClock, Title: "The old key " + hintOf(m.Tenant, k) + " works until " + until,
				Text: runs("Revoke it as soon as the agent has the new one."),
			})
		}
	}
	return s
}
