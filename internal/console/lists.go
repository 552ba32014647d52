package console

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/console/filter"
	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/internal/console/untrusted"
	"github.com/countersign/countersign/internal/console/urls"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/policy"
	"github.com/countersign/countersign/views/texts"
)

// The pages of rules, patterns and functions. Each is one form that carries the whole
// draft: whatever is pressed comes back with the page, with everything that was typed,
// and nothing is stored. "Preview and replay" leads into the review of the policy page.

const (
	rulesPath     = "/t/:tenant/settings/" + urls.PlaceRules
	patternsPath  = "/t/:tenant/settings/" + urls.PlacePatterns
	functionsPath = "/t/:tenant/settings/" + urls.PlaceFunctions
)

// The fields of these pages beside those of a draft. Those of an editor and of the
// try-out begin with editPrefix and tryPrefix.
const (
	fieldSearch = "q"
	fieldGroup  = "group" // the group of a long list that is unfolded
	fieldLevel  = "level" // of the entries that are shown; "" is any
	fieldState  = "state" // the same
	fieldDo     = "do"    // the button: a verb, or a verb, a colon and a name
	editPrefix  = "edit-"
	tryPrefix   = "try-"
	fieldWhat   = editPrefix + "what" // what kind of entry the editor is about; "" is none
	fieldEdited = editPrefix + "of"   // the entry that it changes; "" is a new one
)

// listPage is one of the pages.
type listKind struct {
	place, title, search string
	dimension            approvals.Dimension
	filters              bool     // its entries have a level and a state
	fields               []string // of its editors
	// act does what a button says. It may open an editor.
	act func(d *listDraft, verb, name string)
	// put takes the editor into the draft, or says what is wrong with it.
	put func(d *listDraft)
	// draw fills the page: its summary, switches, groups and editor.
	draw func(d listDraft, usage map[string]approvals.Tally, v *policy.ListSettings)
}

func listPages(say texts.Printer) map[string]listKind {
	return map[string]listKind{urls.PlaceRules: rulesList(say), urls.PlacePatterns: patternsList(say), urls.PlaceFunctions: functionsList(say)}
}

// listDraft is a draft on one of the pages.
type listDraft struct {
	drafted
	lists policyLists
	typed map[string]string // every field of the form, also of editors that are shut
	open  string            // the entry that was dealt with last
	found []wrong           // what is wrong with the editor and the try-out, by field
}

// refuse notes something wrong.
func (d *listDraft) refuse(field, text string) { d.found = append(d.found, wrong{field, text}) }

// problem is what is wrong at a field, as it stands there.
func (d listDraft) problem(field string) string {
	for _, w := range d.found {
		if w.field == field {
			return present.Sentence(w.text) + "."
		}
	}
	return ""
}

// edit opens an editor with values.
func (d *listDraft) edit(what, of string, values map[string]string) {
	d.shut()
	d.typed[fieldWhat], d.typed[fieldEdited] = what, of
	for name, value := range values {
		d.typed[editPrefix+name] = value
	}
}

// shut closes the editor.
func (d *listDraft) shut() {
	for name := range d.typed {
		if strings.HasPrefix(name, editPrefix) {
			d.typed[name] = ""
		}
	}
}

// policy is the draft as a policy.
func (d listDraft) policy() scoring.Policy { return d.lists.in(d.base.Policy) }

// matches reports whether all words that are looked for stand in one of the texts.
func (d listDraft) matches(texts ...string) bool {
	all := strings.ToLower(strings.Join(texts, " "))
	return !slices.ContainsFunc(strings.Fields(strings.ToLower(d.typed[fieldSearch])), func(w string) bool { return !strings.Contains(all, w) })
}

// shows is matches for an entry that has a level and a state.
func (d listDraft) shows(r policy.ListRow, texts ...string) bool {
	state := d.typed[fieldState]
	of, err := level.Parse(d.typed[fieldLevel])
	shown := present.LevelOf(of)
	if of == level.Safe { // has no mark
		shown = views.LevelNone
	}
	return (state == "" || state == r.State) && (err != nil || shown == r.Level) && d.matches(texts...)
}

// listFilters are the filters of a page, as they are set.
func (d listDraft) listFilters(rules bool) []policy.ChoiceField {
	choices := func(name, label, all string, options ...views.Choice) policy.ChoiceField {
		f := policy.ChoiceField{ID: name, Name: name, Label: label, Options: append([]views.Choice{{Label: all}}, options...)}
		for i, o := range f.Options {
			f.Options[i].Checked = o.Value == d.typed[name]
		}
		return f
	}
	levels := filter.LevelOptions(d.say, nil)
	if rules { // a pattern is never SAFE
		levels = slices.Insert(levels, 0, views.Choice{Value: level.Safe.String(), Label: present.LevelWord(d.say, level.Safe)})
	}
	return []policy.ChoiceField{
		choices(fieldLevel, d.say.Say("Filter by level"), d.say.Say("All levels"), levels...),
		choices(fieldState, d.say.Say("Filter by state"), d.say.Say("All states"),
			views.Choice{Value: policy.StateOn, Label: d.say.Say("On, as shipped")},
			views.Choice{Value: policy.StateChanged, Label: d.say.Say("Overridden")},
			views.Choice{Value: policy.StateOff, Label: d.say.Say("Off")},
			views.Choice{Value: policy.StateOwn, Label: d.say.Say("Yours")}),
	}
}

// listPage shows the policy in force.
func (s *Console) listPage(place string) func(call) error {
	return func(c call) error {
		now, err := s.tenants.CurrentPolicy(c.Request().Context(), c.member)
		if err != nil {
			return err
		}
		d := listDraft{drafted: drafted{say: c.say, base: now, current: now, draft: draft{}}, typed: map[string]string{
			fieldSearch: canon.String(c.QueryParam(fieldSearch)).Text(), fieldGroup: canon.String(c.QueryParam(fieldGroup)).Text(),
			fieldLevel: canon.String(c.QueryParam(fieldLevel)).Text(), fieldState: canon.String(c.QueryParam(fieldState)).Text(),
		}}
		return s.showList(c, http.StatusOK, listPages(c.say)[place], d)
	}
}

// editList does what a button of the page says.
func (s *Console) editList(place string) func(call) error {
	return func(c call) error {
		kind := listPages(c.say)[place]
		d, err := s.listDraft(c, kind)
		if err != nil {
			return err
		}
		switch verb, name, _ := strings.Cut(d.typed[fieldDo], ":"); verb {
		case "", "try":
		case "group":
			d.typed[fieldGroup] = name
		case "cancel":
			d.shut()
		case "put":
			kind.put(&d)
		case "review":
			return s.reviewList(c, kind, d)
		default:
			kind.act(&d, verb, name)
		}
		status := http.StatusOK
		if len(d.found) > 0 {
			status = http.StatusUnprocessableEntity
		}
		return s.showList(c, status, kind, d)
	}
}

// reviewList leads to the review of the policy page. What stands in an open editor
// is taken first, or has to be left.
func (s *Console) reviewList(c call, kind listKind, d listDraft) error {
	if d.typed[fieldWhat] != "" {
		kind.put(&d)
	}
	if len(d.found) > 0 {
		return s.showList(c, http.StatusUnprocessableEntity, kind, d)
	}
	whole := draftOf(c.say, d.base.Policy)
	for _, name := range []string{fieldBase, fieldReason, fieldFrom} {
		whole[name] = d.draft[name]
	}
	whole[fieldLists] = d.lists.field(d.base.Policy)
	d.draft = whole
	p, wrong := d.draft.policy(c.say, d.base.Policy)
	if len(wrong) > 0 {
		d.wrong = wrong
		return s.showList(c, http.StatusUnprocessableEntity, kind, d)
	}
	if d.base.Version != d.current.Version {
		return s.showStale(c, d.drafted)
	}
	return s.showPreview(c, http.StatusOK, d.drafted, p, nil)
}

// listDraft reads the form of a page: each field once, and none that is not its own.
func (s *Console) listDraft(c call, kind listKind) (d listDraft, err error) {
	form := c.Request().PostForm
	d.draft, d.typed = draft{fieldFrom: kind.place}, map[string]string{}
	for _, name := range kind.known() {
		switch values := form[name]; {
		case len(values) > 1:
			return d, fault.Member(fault.InvalidForm, name, "the form has %d values for %s; one is accepted", len(values), name)
		case len(values) == 1:
			d.typed[name] = strings.ReplaceAll(canon.String(values[0]).Text(), "\r\n", "\n")
		}
	}
	if err := kind.onlyKnown(form); err != nil {
		return d, err
	}
	for _, name := range []string{fieldBase, fieldLists, fieldReason} {
		d.draft[name] = d.typed[name]
	}
	if d.drafted, err = s.versionsOf(c.Request().Context(), c.member, d.draft); err != nil {
		return d, err
	}
	lists, wrong := d.draft.lists(d.base.Policy)
	if d.lists = lists; wrong != nil {
		d.refuse("", d.say.Phrase(wrong))
	}
	return d, nil
}

// known are the fields of the page.
func (k listKind) known() []string {
	all := []string{fieldBase, fieldLists, fieldReason, fieldFrom, fieldSearch, fieldGroup, fieldLevel, fieldState, fieldDo, fieldWhat, fieldEdited}
	for _, name := range k.fields {
		all = append(all, editPrefix+name)
	}
	for _, f := range tryFields {
		all = append(all, tryPrefix+f.name)
	}
	return all
}

func (k listKind) onlyKnown(form url.Values) error {
	known := k.known()
	for name := range form {
		if !slices.Contains(known, name) {
			return fault.Member(fault.InvalidForm, "form", "the form has an unknown field %.60q", name)
		}
	}
	return nil
}

// showList draws a page of a draft.
func (s *Console) showList(c call, status int, kind listKind, d listDraft) error {
	ctx := c.Request().Context()
	if d.typed == nil { // it comes from the review
		d.typed = map[string]string{}
		var wrong *fault.Error
		if d.lists, wrong = d.draft.lists(d.base.Policy); wrong != nil {
			d.refuse("", d.say.Phrase(wrong))
		}
	}
	if d.draft[fieldLists] == "" && d.lists.Functions == nil {
		d.lists = listsOf(d.base.Policy)
	}
	usage, err := s.approvals.Usage(ctx, c.member, kind.dimension)
	if err != nil {
		return err
	}
	v, err := s.listOf(ctx, c.member, kind, d, usage)
	if err != nil {
		return err
	}
	if kind.place == urls.PlaceFunctions {
		coached, err := s.approvals.Coach(ctx, c.member)
		if err != nil {
			return err
		}
		v.Coach = present.CoachOf(c.say, c.member, coached)
	}
	p := s.page(c, kind.title, views.PlaceSettings)
	p.Assets.Scripts = append(p.Assets.Scripts, s.assets.HTMX())
	return show(c, status, policy.ListPage(p, v))
}

// listOf is the page.
func (s *Console) listOf(ctx context.Context, m auth.Member, kind listKind, d listDraft, usage map[string]approvals.Tally) (policy.ListSettings, error) {
	v := policy.ListSettings{
		Items: settingsItems(d.say, m, kind.place), Title: kind.title, URL: urls.Settings(m.Tenant, kind.place),
		ReadOnly: !m.May(auth.ProposePolicy), Search: d.typed[fieldSearch], SearchLabel: kind.search,
		Hidden: d.hidden(),
	}
	if v.ReadOnly {
		admins, err := s.tenants.PolicyAdmins(ctx, m)
		if err != nil {
			return v, err
		}
		v.Refused = d.say.Say("Your roles only let you read this. Operators can propose changes; %s", whoChanges(d.say, admins))
	}
	if d.was != 0 {
		v.Notices = append(v.Notices, staleNotice(d.drafted))
	}
	changes := d.base.Policy.Differences(d.policy())
	for i, one := range changes {
		if i == mostChanges {
			v.Changes = append(v.Changes, d.say.Say("and %d more changes", len(changes)-i))
			break
		}
		words := changeWords(d.say, one)
		if one.Weaker {
			words = d.say.Say("%s (weaker)", words)
		}
		v.Changes = append(v.Changes, words)
	}
	if len(changes) > 0 {
		v.Draft = d.say.Say("%d changes in this draft", len(changes))
	}
	if !v.ReadOnly {
		v.Try = d.tryOut(v.URL)
	}
	if kind.filters {
		v.Filters = d.listFilters(kind.place == urls.PlaceRules)
	}
	kind.draw(d, usage, &v)
	for _, w := range append(slices.Clone(d.wrong), d.found...) {
		text := w.text
		if label := fieldLabel(v.Editor, w.field); label != "" {
			text = label + ": " + text
		}
		v.Errors = append(v.Errors, views.FieldError{Text: present.Sentence(text), Field: w.field})
	}
	shown := 0
	for _, g := range v.Groups {
		shown += len(g.Rows)
	}
	v.Groups = slices.DeleteFunc(v.Groups, func(g policy.ListGroup) bool { return len(g.Rows) == 0 })
	d.fold(&v)
	if shown == 0 && v.Narrowed() {
		v.Empty = &views.Empty{Search: true, Title: d.say.Say("No matches"), Text: untrusted.Runs(d.say.Say("Nothing has this level and state."))}
		if v.Search != "" {
			v.Empty.Text = untrusted.Runs(d.say.Say("Checked for: %s", v.Search))
		}
	}
	return v, nil
}

// fold leaves the rows out of groups that nobody asked for: of a long list, all of them are
// more than anybody reads or wants to wait for.
func (d listDraft) fold(v *policy.ListSettings) {
	for i, g := range v.Groups {
		asked := g.ID == d.typed[fieldGroup] || v.Narrowed() || slices.ContainsFunc(g.Rows, func(r policy.ListRow) bool { return r.Open })
		if !g.Folds || asked {
			continue
		}
		v.Groups[i].Rows = nil
		v.Groups[i].Show = &policy.ListButton{Do: "group:" + g.ID, Label: d.say.Say("Show"), Of: g.Title, At: g.ID}
	}
}

// fieldLabel is what a field of the editor is called; "" where it has none.
func fieldLabel(e *policy.ListEditor, field string) string {
	if e == nil {
		return ""
	}
	for _, p := range e.Parts {
		switch {
		case p.Line != nil && p.Line.ID == field:
			return p.Line.Label
		case p.Area != nil && p.Area.ID == field:
			return p.Area.Label
		case p.Select != nil && p.Select.ID == field:
			return p.Select.Label
		}
	}
	return ""
}

// mostChanges is how many changes of a draft are listed beside it.
const mostChanges = 12

// hidden carries the draft through the page.
func (d listDraft) hidden() []views.Hidden {
	out := []views.Hidden{{Name: fieldBase, Value: baseText(d.base.Version)}}
	for _, f := range []views.Hidden{{Name: fieldLists, Value: d.lists.field(d.base.Policy)}, {Name: fieldReason, Value: d.draft[fieldReason]}, {Name: fieldGroup, Value: d.typed[fieldGroup]}} {
		if f.Value != "" {
			out = append(out, f)
		}
	}
	return out
}
