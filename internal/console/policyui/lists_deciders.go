package policyui

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/authority"
	"github.com/countersign/countersign/internal/console/edge"
	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/internal/console/untrusted"
	"github.com/countersign/countersign/internal/console/urls"
	"github.com/countersign/countersign/internal/scoring/deciders"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/tenants"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/policy"
	"github.com/countersign/countersign/views/texts"
)

// The page of who decides: teams, and the rules that ask for them.

const (
	decidersPath = "/t/:tenant/settings/" + urls.PlaceDeciders

	whatTeam = "team"
	whatWho  = "who"

	// needLines is how many needs the editor of a rule has lines for; a file may have more.
	needLines = 4
)

func decidersList(say texts.Printer) listKind {
	fields := []string{"name", "members", "agents", "functions", "environments", "level"}
	for i := range needLines {
		fields = append(fields, needField("team", i), needField("people", i), needField("least", i))
	}
	return listKind{
		place: urls.PlaceDeciders, title: say.Say("Who decides"), search: say.Say("Search teams and rules"), fields: fields,
		act: actOnDeciders, put: putDeciders, draw: drawDeciders,
	}
}

func needField(what string, i int) string { return what + strconv.Itoa(i+1) }

func teamNamed(all []deciders.Team, name string) int {
	return slices.IndexFunc(all, func(t deciders.Team) bool { return t.Name == name })
}

func ruleNamed(all []deciders.Rule, name string) int {
	return slices.IndexFunc(all, func(r deciders.Rule) bool { return r.Name == name })
}

func actOnDeciders(d *listDraft, verb, name string) {
	all := d.lists.Deciders
	switch verb {
	case "add-team":
		d.edit(whatTeam, "", nil)
	case "edit-team":
		if i := teamNamed(all.Teams, name); i >= 0 {
			d.edit(whatTeam, name, map[string]string{"name": name, "members": d.addresses(all.Teams[i].Members, "\n")})
		}
	case "drop-team":
		all.Teams = slices.DeleteFunc(slices.Clone(all.Teams), func(t deciders.Team) bool { return t.Name == name })
		d.takeDeciders(all, "/deciders", nil)
	case "add-who":
		d.edit(whatWho, "", nil)
	case "edit-who":
		if i := ruleNamed(all.Rules, name); i >= 0 {
			d.editRule(all.Rules[i])
		}
	case "drop-who":
		all.Rules = slices.DeleteFunc(slices.Clone(all.Rules), func(r deciders.Rule) bool { return r.Name == name })
		d.takeDeciders(all, "/deciders", nil)
	}
}

// takeDeciders takes settings into the draft, with people by their ids, or says what is wrong.
func (d *listDraft) takeDeciders(s deciders.Settings, at string, fields map[string]string) {
	next := d.lists
	next.Deciders = s.Named(func(p deciders.Person) deciders.Person {
		i := slices.IndexFunc(d.members, func(known tenants.Membership) bool { return strings.EqualFold(known.Person.Email, p.Person) })
		if i < 0 {
			return p
		}
		return deciders.Person{Person: d.members[i].Person.ID, Name: d.members[i].Person.Name}
	})
	if unknown := next.Deciders.ByAddress(); len(unknown) > 0 {
		d.refuse(edge.EditPrefix+"members", d.Say.Say("%s isn't the email address of a member", strings.Join(unknown, ", ")))
		return
	}
	d.take(next, at, fields)
}

func (d *listDraft) editRule(r deciders.Rule) {
	values := map[string]string{
		"name": r.Name, "agents": strings.Join(r.Agents, ", "), "functions": strings.Join(r.Functions, ", "), "environments": strings.Join(r.Environments, ", "), "level": r.Level.String(),
	}
	for i, n := range r.Needs[:min(len(r.Needs), needLines)] {
		values[needField("team", i)], values[needField("people", i)], values[needField("least", i)] = n.Team, d.addresses(n.People, ", "), strconv.Itoa(max(n.AtLeast, 1))
	}
	d.edit(whatWho, r.Name, values)
}

func (d *listDraft) typedIn(name string) string {
	return strings.TrimSpace(d.typed[edge.EditPrefix+name])
}

// typedAll are the texts of a field between commas or line ends.
func (d *listDraft) typedAll(name string) (all []string) {
	for _, one := range strings.FieldsFunc(d.typed[edge.EditPrefix+name], func(r rune) bool { return r == ',' || r == '\n' }) {
		if one = strings.TrimSpace(one); one != "" {
			all = append(all, one)
		}
	}
	return all
}

func (d *listDraft) typedPeople(name string) (all []deciders.Person) {
	for _, one := range d.typedAll(name) {
		all = append(all, deciders.Person{Person: one})
	}
	return all
}

func putDeciders(d *listDraft) {
	all, of := d.lists.Deciders, d.typed[fieldEdited]
	if d.typed[fieldWhat] == whatTeam {
		t := deciders.Team{Name: d.typedIn("name"), Members: d.typedPeople("members")}
		at := teamNamed(all.Teams, of)
		all.Teams, at = placed(all.Teams, at, t)
		all.Rules = renamed(all.Rules, of, t.Name)
		d.takeDeciders(all, fmt.Sprintf("/deciders/teams/%d", at), map[string]string{"/name": "name", "/members": "members", "": "name"})
		d.open = t.Name
		return
	}
	r := deciders.Rule{Name: d.typedIn("name"), Agents: d.typedAll("agents"), Functions: d.typedAll("functions"), Environments: d.typedAll("environments")}
	r.Level, _ = level.Parse(d.typedIn("level"))
	for i := range needLines {
		n := deciders.Need{Team: d.typedIn(needField("team", i)), People: d.typedPeople(needField("people", i))}
		if n.Team == "" && len(n.People) == 0 {
			continue
		}
		least, err := strconv.Atoi(d.typedIn(needField("least", i)))
		if err != nil && d.typedIn(needField("least", i)) != "" {
			d.refuse(edge.EditPrefix+needField("least", i), d.Say.Say("expected a whole number, like 1"))
			return
		}
		n.AtLeast = max(least, 1)
		r.Needs = append(r.Needs, n)
	}
	at := ruleNamed(all.Rules, of)
	if at >= 0 && len(all.Rules[at].Needs) > needLines { // those that the editor has no line for
		r.Needs = append(r.Needs, all.Rules[at].Needs[needLines:]...)
	}
	all.Rules, at = placed(all.Rules, at, r)
	d.takeDeciders(all, fmt.Sprintf("/deciders/rules/%d", at), map[string]string{
		"/name": "name", "/agents": "agents", "/functions": "functions", "/environments": "environments", "/needs": needField("team", 0), "": "name",
	})
	d.open = r.Name
}

// renamed are rules in which a team has another name.
func renamed(rules []deciders.Rule, old, name string) []deciders.Rule {
	all := slices.Clone(rules)
	for i, r := range all {
		all[i].Needs = slices.Clone(r.Needs)
		for j, n := range r.Needs {
			if old != "" && n.Team == old {
				all[i].Needs[j].Team = name
			}
		}
	}
	return all
}

func (d listDraft) addresses(people []deciders.Person, between string) string {
	var all []string
	for _, p := range people {
		if who, ok := d.person(p.Person); ok {
			all = append(all, who.Email)
		} else {
			all = append(all, p.Person)
		}
	}
	return strings.Join(all, between)
}

func (d listDraft) person(id string) (auth.Person, bool) {
	i := slices.IndexFunc(d.members, func(m tenants.Membership) bool { return m.Person.ID == id })
	if i < 0 {
		return auth.Person{}, false
	}
	return d.members[i].Person, true
}

// named are people by name, with why they can't decide.
func (d listDraft) named(people []deciders.Person) string {
	var all []string
	for _, p := range people {
		switch who, there := d.person(p.Person); {
		case !there:
			all = append(all, d.Say.Say("%s (not a member)", present.Flat(d.Say, p.Name)))
		case !d.deciding.Decides(p.Person):
			all = append(all, d.Say.Say("%s (can't decide)", who.Name))
		default:
			all = append(all, who.Name)
		}
	}
	if len(all) == 0 {
		return d.Say.Say("no one")
	}
	return strings.Join(all, ", ")
}

// needWords is for example "1 of security and 2 of finance".
func (d listDraft) needWords(needs []deciders.Need) string {
	var all []string
	for _, n := range needs {
		who := n.Team
		if who == "" {
			who = d.named(n.People)
		}
		all = append(all, d.Say.Say("%d of %s", max(n.AtLeast, 1), who))
	}
	return strings.Join(all, ", ")
}

func drawDeciders(d listDraft, _ map[string]approvals.Tally, v *policy.ListSettings) {
	all := d.lists.Deciders
	v.Summary = d.Say.Say("Teams and people who must be among those who approve. Each person counts for one of them. Anyone who can decide can still deny.")
	count := func(label string, n int, note, do, add string) policy.ListSwitch {
		return policy.ListSwitch{Label: label, Tone: views.TonePlain, State: strconv.Itoa(n), Note: note, Buttons: []policy.ListButton{{Do: do, Label: add, At: "edit"}}}
	}
	v.Switches = []policy.ListSwitch{
		count(d.Say.Say("Teams"), len(all.Teams), d.Say.Say("A notice team of the same name has the same people."), "add-team", d.Say.Say("Add a team")),
		count(d.Say.Say("Rules"), len(all.Rules), d.Say.Say("Every rule that matches counts, and what they need adds up."), "add-who", d.Say.Say("Add a rule")),
	}
	teams, rules := policy.ListGroup{ID: "teams", Title: d.Say.Say("Teams")}, policy.ListGroup{ID: "who", Title: d.Say.Say("Rules")}
	row := func(what, name, about, of string) policy.ListRow {
		return policy.ListRow{ID: present.EntryID(what, name), Name: untrusted.Runs(name), About: untrusted.Runs(about), Open: d.open == name, Buttons: []policy.ListButton{
			{Do: "edit-" + what + ":" + name, Label: d.Say.Say("Change"), Of: of, At: "edit"}, {Do: "drop-" + what + ":" + name, Label: d.Say.Say("Remove"), Of: of},
		}}
	}
	for _, t := range all.Teams {
		if d.matches(t.Name, d.named(t.Members)) {
			teams.Rows = append(teams.Rows, row(whatTeam, t.Name, d.named(t.Members), d.Say.Say("the team %s", t.Name)))
		}
	}
	for _, r := range all.Rules {
		one := row(whatWho, r.Name, d.needWords(r.Needs), d.Say.Say("the rule %s", r.Name))
		one.Fields = d.ruleFields(r)
		asked := authority.Request{Required: deciders.Count(r.Needs), Needs: all.Asked(r.Needs)}
		if _, no := all.Look(d.deciding, asked, r.Needs); !no.Empty() {
			one.Chips = []policy.ListChip{{Word: untrusted.Runs(d.Say.Say("No one can decide")), Icon: views.IconAlert, Tone: views.ToneWarn}}
			v.Notices = append(v.Notices, views.Notice{
				Tone: views.ToneWarn, Icon: views.IconAlert, Title: d.Say.Say("No one can decide: %s", r.Name),
				Text: untrusted.Runs(d.Say.Say("%s. What this rule matches will expire, which denies it.", present.Sentence(d.Say.Phrase(no)))),
			})
		}
		if d.matches(r.Name, d.needWords(r.Needs)) {
			rules.Rows = append(rules.Rows, one)
		}
	}
	v.Groups = []policy.ListGroup{teams, rules}
	if len(all.Teams)+len(all.Rules) == 0 {
		v.Empty = &views.Empty{Title: d.Say.Say("No teams yet"), Text: untrusted.Runs(d.Say.Say("Any operator who isn't the agent's owner can decide."))}
	}
	switch of := d.typed[fieldEdited]; d.typed[fieldWhat] {
	case whatTeam:
		v.Editor = d.teamEditor(of)
	case whatWho:
		v.Editor = d.whoEditor(of)
	}
}

func (d listDraft) ruleFields(r deciders.Rule) []views.Pair {
	every := func(all []string) []views.Run {
		if len(all) == 0 {
			return untrusted.Runs(d.Say.Say("all"))
		}
		return untrusted.Runs(strings.Join(all, ", "))
	}
	from := d.Say.Say("all")
	if r.Level > level.Low {
		from = d.Say.Say("%s and above", present.LevelWord(d.Say, r.Level))
	}
	return []views.Pair{
		{Label: d.Say.Say("Agents"), Value: every(r.Agents)},
		{Label: d.Say.Say("Functions"), Value: every(r.Functions)},
		{Label: d.Say.Say("Environments"), Value: every(r.Environments)},
		{Label: d.Say.Say("Level"), Value: untrusted.Runs(from)},
	}
}

func (d listDraft) editor(what, of string, parts []policy.EditorPart) *policy.ListEditor {
	return &policy.ListEditor{
		Hidden: []views.Hidden{{Name: fieldWhat, Value: what}, {Name: fieldEdited, Value: of}}, Parts: parts,
		Put: policy.ListButton{Do: "put", Label: d.Say.Say("Add to draft"), Kind: "primary"}, Cancel: policy.ListButton{Do: "cancel", Label: d.Say.Say("Cancel"), Kind: "quiet"},
	}
}

func (d listDraft) teamEditor(of string) *policy.ListEditor {
	e := d.editor(whatTeam, of, []policy.EditorPart{
		{Line: d.line("name", d.Say.Say("Name"), d.Say.Say("Such as Security"))},
		{Area: d.area("members", d.Say.Say("Members"), d.Say.Say("Email addresses of operators, one per line. Adding someone needs another admin."), "4")},
	})
	if e.Title = d.Say.Say("Change %s", of); of == "" {
		e.Title = d.Say.Say("Add a team")
	}
	return e
}

func (d listDraft) choose(name, label string, options []views.Choice) *views.SelectField {
	id := edge.EditPrefix + name
	f := &views.SelectField{ID: id, Name: id, Label: label, Error: d.problem(id), Options: options}
	for i, o := range options {
		f.Options[i].Checked = o.Value == d.typed[id]
	}
	return f
}

func (d listDraft) whoEditor(of string) *policy.ListEditor {
	levels := []views.Choice{{Value: level.Safe.String(), Label: d.Say.Say("All levels")}}
	for _, l := range level.All()[1:] {
		levels = append(levels, views.Choice{Value: l.String(), Label: d.Say.Say("%s and above", present.LevelWord(d.Say, l))})
	}
	parts := []policy.EditorPart{
		{Line: d.line("name", d.Say.Say("Name"), d.Say.Say("Such as Production deployments"))},
		{Line: d.line("agents", d.Say.Say("Agents"), d.Say.Say("Names, separated by commas. Empty: all."))},
		{Line: d.line("functions", d.Say.Say("Functions"), d.Say.Say("Names, separated by commas. * is any text. Empty: all."))},
		{Line: d.line("environments", d.Say.Say("Environments"), d.Say.Say("Names, separated by commas. An agent that isn't bound to one matches every name. Empty: all."))},
		{Select: d.choose("level", d.Say.Say("Level"), levels)},
	}
	for i := range needLines {
		teams := []views.Choice{{Label: d.Say.Say("No team")}}
		for _, t := range d.lists.Deciders.Teams {
			teams = append(teams, views.Choice{Value: t.Name, Label: t.Name})
		}
		parts = append(parts,
			policy.EditorPart{Select: d.choose(needField("team", i), d.Say.Say("Needs, team %d", i+1), teams)},
			policy.EditorPart{Line: d.line(needField("people", i), d.Say.Say("or people %d", i+1), d.Say.Say("Email addresses, separated by commas."))},
			policy.EditorPart{Line: d.line(needField("least", i), d.Say.Say("at least %d", i+1), d.Say.Say("How many of them. Empty: 1."))})
	}
	e := d.editor(whatWho, of, parts)
	if e.Title = d.Say.Say("Change %s", of); of == "" {
		e.Title = d.Say.Say("Add a rule")
	}
	return e
}

// readDeciding reads who is there, for the page of who decides.
func (s *Pages) readDeciding(c edge.Call, kind listKind, d *listDraft) (err error) {
	if kind.place == urls.PlaceDeciders && d.members == nil {
		d.members, d.deciding, err = s.Tenants.Deciding(c.Request().Context(), c.Member)
	}
	return err
}
