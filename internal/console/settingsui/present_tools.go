package settingsui

import (
	"slices"
	"strconv"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/console/edge"
	"github.com/countersign/countersign/internal/console/policyui"
	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/internal/console/untrusted"
	"github.com/countersign/countersign/internal/console/urls"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/tenants"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/settings"
	"github.com/countersign/countersign/views/texts"
)

// toolsOf is the page of an agent's tools.
func toolsOf(say texts.Printer, m auth.Member, l tenants.AgentList, now tenants.PolicyVersion, tools []readTool, f toolsForm) settings.ToolsSettings {
	a := l.Agents[0]
	url := urls.Tools(m.Tenant, a.ID)
	s := settings.ToolsSettings{
		Items: edge.SettingsItems(say, m, urls.PlaceAgents), Back: views.Link{Label: a.Name, URL: urls.Agent(m.Tenant, a.ID)}, Title: say.Say("Tools of %s", a.Name),
		Summary: say.Say("Tool descriptions from this agent's servers, and which of their effects you've accepted."),
	}
	if f.fault != nil {
		at := map[string]string{"server": "server", "prefix": "prefix", "list": "list"}[f.fault.Member]
		s.Errors = []views.FieldError{{Text: present.Because(say, f.fault), Field: at}}
	}
	may := m.May(auth.ManageAgents)
	if len(tools) == 0 {
		s.Empty = &views.Empty{Title: say.Say("No imported tools"), Text: untrusted.Runs(say.Say("Without them, calls are judged by name and arguments only."))}
	}
	waiting := 0
	for _, server := range serversOf(tools) {
		g := settings.ToolGroup{ID: "server-" + strconv.Itoa(len(s.Groups)), Server: server}
		var first readTool
		gone := 0
		for _, t := range tools {
			if t.Server != server {
				continue
			}
			row := t.row(say, f, may, len(s.Groups)*10000+len(g.Rows))
			if row.Choice != nil && t.chosen(f) != t.standing() {
				waiting++
			}
			if t.News == tenants.ToolGone {
				gone++
			}
			g.Rows, first = append(g.Rows, row), t
		}
		g.Note = present.SayAt(say, present.DateForm, texts.Key("%d tools, imported %s by %s."), len(g.Rows)-gone, first.ImportedAt, importerOf(say, first.ImportedBy, l))
		if gone > 0 {
			g.Note = append(g.Note, untrusted.Runs(" "+say.Say("%d more are gone. Their old descriptions still raise calls until you accept another effect.", gone))...)
		}
		s.Groups = append(s.Groups, g)
		if may {
			s.Removals = append(s.Removals, removalOf(say, url, server, strconv.Itoa(len(s.Groups))))
		}
	}
	if waiting > 0 {
		s.Notices = append(s.Notices, views.Notice{
			Tone: views.ToneWarn, Icon: views.IconInfo, Title: say.Say("%d selected effects aren't accepted yet", waiting),
			Text: untrusted.Runs(say.Say("These come from the catalogue, from a server's description of an unclear tool name, or from what was accepted before the tool changed. Check each and preview the change.")),
		})
	}
	if may {
		if len(tools) > 0 {
			s.Accept = &views.PlainForm{
				URL: url + "/accept", Hidden: []views.Hidden{{Name: policyui.FieldBase, Value: policyui.BaseText(now.Version)}},
				Lines: []views.LineField{{
					ID: "accept-reason", Name: policyui.FieldReason, Label: say.Say("Reason"), Value: say.Say("Tools of %s, as they were imported", a.Name), Max: "2000",
					Hint: say.Say("The preview replays recent actions. Lowering anything needs someone else's approval."),
				}},
				Button: views.Button{Label: say.Say("Preview and propose"), Kind: "primary"},
			}
		}
		s.Import = toolImportOf(say, url, f)
	}
	return s
}

func toolImportOf(say texts.Printer, url string, f toolsForm) *settings.ToolImport {
	refused := agentForm{}
	if !f.accepting {
		refused.fault = f.fault
	}
	return &settings.ToolImport{
		URL: url,
		Lines: []views.LineField{
			{ID: "server", Name: "server", Label: say.Say("Server (optional)"), Value: f.server, Mono: true, Max: "64", Error: refused.at(say, "server"), Hint: say.Say("For example github. Identifies which list this one replaces and which catalogue entries apply.")},
			{ID: "prefix", Name: "prefix", Label: say.Say("Prefix (optional)"), Value: f.prefix, Mono: true, Max: "64", Error: refused.at(say, "prefix"), Hint: say.Say("What the agent's client adds before each name, for example mcp__github__")},
		},
		File:   views.LineField{ID: "file", Name: "file", Type: "file", Label: say.Say("A file")},
		Text:   views.AreaField{ID: "list", Name: "list", Label: say.Say("Or paste the list"), Value: f.list, Rows: "8", Error: refused.at(say, "list"), Hint: say.Say(`JSON: {"tools": […]}, the whole reply, or the array alone.`)},
		Button: views.Button{Label: say.Say("Import"), Kind: "primary"},
	}
}

func removalOf(say texts.Printer, url, server, number string) views.Panel {
	return views.Panel{
		ID: "remove-" + number, Title: say.Say("Remove the tools of %s", server),
		Text: untrusted.Runs(say.Say("Accepted effects no longer lower anything. What a description raises stays raised until someone else accepts a different effect.")),
		Form: views.PlainForm{
			URL: url + "/remove", Hidden: []views.Hidden{{Name: "server", Value: server}},
			Button: views.Button{Label: say.Say("Remove"), Icon: views.IconBan},
		},
	}
}

func importerOf(say texts.Printer, id string, l tenants.AgentList) string {
	if id == "" {
		return say.Say("command line")
	}
	if p, ok := l.People[id]; ok {
		return p.Name
	}
	return say.Say("a former member")
}

// serversOf are the servers of tools, each once, sorted.
func serversOf(tools []readTool) (servers []string) {
	for _, t := range tools {
		servers = append(servers, t.Server)
	}
	slices.Sort(servers)
	return slices.Compact(servers)
}

// standing is what stands in the policy and holds, as a choice.
func (t readTool) standing() string {
	if t.accepted.Effect != "" && t.holds {
		return string(t.accepted.Effect)
	}
	return asRead
}

// chosen is what the select shows: what was typed, else what was accepted, be it of an
// earlier description, else what is suggested.
func (t readTool) chosen(f toolsForm) string {
	switch chosen := f.chosen[t.Name]; {
	case chosen != "":
		return chosen
	case t.accepted.Effect != "":
		return string(t.accepted.Effect)
	case t.suggested != "":
		return string(t.suggested)
	}
	return asRead
}

func (t readTool) row(say texts.Printer, f toolsForm, may bool, number int) settings.ToolRow {
	r := settings.ToolRow{
		Name: untrusted.Runs(t.Name), About: untrusted.Runs(t.Description), Read: present.EffectWord(say, string(t.effect.Kind)), Level: present.LevelOf(t.floor.Level),
		Says: annotationWords(say, t),
	}
	switch {
	case t.Raises != "" && t.effect.Kind == t.Raises:
		r.Why = say.Say("its description says so")
	case t.effect.Sensitive:
		r.Why = say.Say("sensitive data")
	}
	if t.reviewed != "" {
		r.Reviewed = present.EffectWord(say, string(t.reviewed))
	}
	switch t.News {
	case tenants.ToolAdded:
		r.News = say.Say("new")
	case tenants.ToolChanged:
		r.News, r.Tone = say.Say("changed"), views.ToneWarn
	case tenants.ToolGone:
		r.News, r.Tone = say.Say("gone"), views.ToneWarn
	case tenants.ToolSame:
	}
	if t.accepted.Effect != "" {
		r.State = say.Say("expected: %s", present.EffectWord(say, string(t.accepted.Effect)))
		if !t.holds {
			r.State, r.Stale = say.Say("accepted as: %s; its server now describes it differently", present.EffectWord(say, string(t.accepted.Effect))), true
		}
	}
	if may {
		id := "effect-" + strconv.Itoa(number)
		options := []views.Choice{{Value: asRead, Label: say.Say("as it is read")}}
		for _, k := range effects.Kinds() {
			options = append(options, views.Choice{Value: string(k), Label: present.EffectWord(say, string(k))})
		}
		r.Choice = &views.SelectField{ID: id, Name: fieldEffect + t.Name, Label: say.Say("Effect of %s", t.Name), Quiet: true, Options: choose(options, t.chosen(f))}
	}
	return r
}

// annotationWords are what a server says of a tool; what it leaves out is not said.
func annotationWords(say texts.Printer, t readTool) (words []string) {
	for _, one := range []struct {
		value   *bool
		yes, no texts.Key
	}{
		{t.Annotations.ReadOnly, texts.Key("only reads"), texts.Key("does more than read")},
		{t.Annotations.Destructive, texts.Key("may destroy"), texts.Key("nothing destroyed")},
		{t.Annotations.Idempotent, texts.Key("Repeating it is safe"), texts.Key("Repeating it isn't safe")},
		{t.Annotations.OpenWorld, texts.Key("reaches outside"), texts.Key("stays inside")},
	} {
		switch {
		case one.value == nil:
		case *one.value:
			words = append(words, say.Key(one.yes))
		default:
			words = append(words, say.Key(one.no))
		}
	}
	return words
}

// toolsFact says on an agent's page how many were imported.
func toolsFact(say texts.Printer, n int) string {
	if n == 0 {
		return say.Say("No imported tools. Calls are judged by name and arguments only.")
	}
	return say.Say("%d imported tools.", n)
}
