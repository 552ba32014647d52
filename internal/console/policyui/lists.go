package policyui

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/authority"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/console/edge"
	"github.com/countersign/countersign/internal/console/filter"
	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/internal/console/untrusted"
	"github.com/countersign/countersign/internal/console/urls"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/tenants"
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
	FunctionsPath = "/t/:tenant/settings/" + urls.PlaceFunctions
)

// The fields of these pages beside those of a draft. Those of an editor and of the
// try-out begin with editPrefix and tryPrefix.
const (
	fieldSearch = "q"
	fieldGroup  = "group"                  // the group of a long list that is unfolded
	fieldLevel  = "level"                  // of the entries that are shown; "" is any
	fieldState  = "state"                  // the same
	FieldDo     = "do"                     // the button: a verb, or a verb, a colon and a name
	fieldWhat   = edge.EditPrefix + "what" // what kind of entry the editor is about; "" is none
	fieldEdited = edge.EditPrefix + "of"   // the entry that it changes; "" is a new one
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
	return map[string]listKind{
		urls.PlaceRules: rulesList(say), urls.PlacePatterns: patternsList(say), urls.PlaceFunctions: functionsList(say), urls.PlaceDeciders: decidersList(say),
	}
}

// listDraft is a draft on one of the pages.
type listDraft struct {
	Drafted
	lists policyLists
	typed map[string]string // every field of the form, also of editors that are shut
	open  string            // the entry that was dealt with last
	found []wrong           // what is wrong with the editor and the try-out, by field

	members  []tenants.Membership // on the page of who decides; so is the next
	deciding authority.State
}

// refuse notes something wrong.
func (d *listDraft) refuse(field, text string) { d.found = append(d.found, wrong{field, text}) }

// problem is what is wrong at a field, as it stands there.
func (d listDraft) problem(field string) string {
	for _, w := range d.found {
		if w.field == field {
			return present.Sentence(w.Text) + "."
		}
	}
	return ""
}

// edit opens an editor with values.
func (d *listDraft) edit(what, of string, values map[string]string) {
	d.shut()
	d.typed[fieldWhat], d.typed[fieldEdited] = what, of
	for name, value := range values {
		d.typed[edge.EditPrefix+name] = value
	}
}

// shut closes the editor.
func (d *listDraft) shut() {
	for name := range d.typed {
		if strings.HasPrefix(name, edge.EditPrefix) {
			d.typed[name] = ""
		}
	}
}

// policy is the draft as a policy.
func (d listDraft) policy() scoring.Policy { return d.lists.in(d.Base.Policy) }

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
	levels := filter.LevelOptions(d.Say, nil)
	if rules { // a pattern is never SAFE
		levels = slices.Insert(levels, 0, views.Choice{Value: level.Safe.String(), Label: present.LevelWord(d.Say, level.Safe)})
	}
	return []policy.ChoiceField{
		choices(fieldLevel, d.Say.Say("Filter by level"), d.Say.Say("All levels"), levels...),
		choices(fieldState, d.Say.Say("Filter by state"), d.Say.Say("All states"),
			views.Choice{Value: policy.StateOn, Label: d.Say.Say("On, as shipped")},
			views.Choice{Value: policy.StateChanged, Label: d.Say.Say("Overridden")},
			views.Choice{Value: policy.StateOff, Label: d.Say.Say("Off")},
			views.Choice{Value: policy.StateOwn, Label: d.Say.Say("Yours")}),
	}
}

// listPage shows the policy in force.
func (s *Pages) listPage(place string) func(edge.Call) error {
	return func(c edge.Call) error {
		now, err := s.Tenants.CurrentPolicy(c.Request().Context(), c.Member)
		if err != nil {
			return err
		}
		d := listDraft{Drafted: Drafted{Say: c.Say, Base: now, Current: now, Draft: Draft{}}, typed: map[string]string{
			fieldSearch: canon.String(c.QueryParam(fieldSearch)).Text(), fieldGroup: canon.String(c.QueryParam(fieldGroup)).Text(),
			fieldLevel: canon.String(c.QueryParam(fieldLevel)).Text(), fieldState: canon.String(c.QueryParam(fieldState)).Text(),
		}}
		return s.showList(c, http.StatusOK, listPages(c.Say)[place], d)
	}
}

// editList does what a button of the page says.
func (s *Pages) editList(place string) func(edge.Call) error {
	return func(c edge.Call) error {
		kind := listPages(c.Say)[place]
		d, err := s.listDraft(c, kind)
		if err != nil {
			return err
		}
		switch verb, name, _ := strings.Cut(d.typed[FieldDo], ":"); verb {
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
func (s *Pages) reviewList(c edge.Call, kind listKind, d listDraft) error {
	if d.typed[fieldWhat] != "" {
		kind.put(&d)
	}
	if len(d.found) > 0 {
		return s.showList(c, http.StatusUnprocessableEntity, kind, d)
	}
	whole := DraftOf(c.Say, d.Base.Policy)
	for _, name := range []string{FieldBase, FieldReason, FieldFrom} {
		whole[name] = d.Draft[name]
	}
	whole[edge.FieldLists] = d.lists.Field(d.Base.Policy)
	d.Draft = whole
	p, wrong := d.Draft.Policy(c.Say, d.Base.Policy)
	if len(wrong) > 0 {
		d.wrong = wrong
		return s.showList(c, http.StatusUnprocessableEntity, kind, d)
	}
	if d.Base.Version != d.Current.Version {
		return s.ShowStale(c, d.Drafted)
	}
	return s.ShowPreview(c, http.StatusOK, d.Drafted, p, nil)
}

// listDraft reads the form of a page: each field once, and none that is not its own.
func (s *Pages) listDraft(c edge.Call, kind listKind) (d listDraft, err error) {
	form := c.Request().PostForm
	d.Draft, d.typed = Draft{FieldFrom: kind.place}, map[string]string{}
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
	for _, name := range []string{FieldBase, edge.FieldLists, FieldReason} {
		d.Draft[name] = d.typed[name]
	}
	if d.Drafted, err = s.VersionsOf(c.Request().Context(), c.Member, d.Draft); err != nil {
		return d, err
	}
	if err := s.readDeciding(c, kind, &d); err != nil {
		return d, err
	}
	lists, wrong := d.Draft.lists(d.Base.Policy)
	if d.lists = lists; wrong != nil {
		d.refuse("", d.Say.Phrase(wrong))
	}
	return d, nil
}

// known are the fields of the page.
func (k listKind) known() []string {
	all := []string{FieldBase, edge.FieldLists, FieldReason, FieldFrom, fieldSearch, fieldGroup, fieldLevel, fieldState, FieldDo, fieldWhat, fieldEdited}
	for _, name := range k.fields {
		all = append(all, edge.EditPrefix+name)
	}
	for _, f := range tryFields {
		all = append(all, edge.TryPrefix+f.name)
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
func (s *Pages) showList(c edge.Call, status int, kind listKind, d listDraft) error {
	ctx := c.Request().Context()
	if d.typed == nil { // it comes from the review
		d.typed = map[string]string{}
		var wrong *fault.Error
		if d.lists, wrong = d.Draft.lists(d.Base.Policy); wrong != nil {
			d.refuse("", d.Say.Phrase(wrong))
		}
	}
	if d.Draft[edge.FieldLists] == "" && d.lists.Functions == nil {
		d.lists = ListsOf(d.Base.Policy)
	}
	var usage map[string]approvals.Tally
	var err error
	if kind.dimension != "" {
		if usage, err = s.Approvals.Usage(ctx, c.Member, kind.dimension); err != nil {
			return err
		}
	}
	if err := s.readDeciding(c, kind, &d); err != nil {
		return err
	}
	v, err := s.listOf(ctx, c.Member, kind, d, usage)
	if err != nil {
		return err
	}
	if kind.place == urls.PlaceFunctions {
		coached, err := s.Approvals.Coach(ctx, c.Member)
		if err != nil {
			return err
		}
		v.Coach = present.CoachOf(c.Say, c.Member, coached)
	}
	p := s.Page(c, kind.title, views.PlaceSettings)
	p.Assets.Scripts = append(p.Assets.Scripts, s.Assets.HTMX())
	return edge.Show(c, status, policy.ListPage(p, v))
}

// listOf is the page.
func (s *Pages) listOf(ctx context.Context, m auth.Member, kind listKind, d listDraft, usage map[string]approvals.Tally) (policy.ListSettings, error) {
	v := policy.ListSettings{
		Items: edge.SettingsItems(d.Say, m, kind.place), Title: kind.title, URL: urls.Settings(m.Tenant, kind.place),
		ReadOnly: !m.May(auth.ProposePolicy), Search: d.typed[fieldSearch], SearchLabel: kind.search,
		Hidden: d.hidden(),
	}
	if v.ReadOnly {
		admins, err := s.Tenants.PolicyAdmins(ctx, m)
		if err != nil {
			return v, err
		}
		v.Refused = d.Say.Say("Your roles only let you read this. Operators can propose changes; %s", whoChanges(d.Say, admins))
	}
	if d.was != 0 {
		v.Notices = append(v.Notices, staleNotice(d.Drafted))
	}
	changes := d.Base.Policy.Differences(d.policy())
	for i, one := range changes {
		if i == mostChanges {
			v.Changes = append(v.Changes, d.Say.Say("and %d more changes", len(changes)-i))
			break
		}
		words := changeWords(d.Say, one)
		if one.Weaker {
			words = d.Say.Say("%s (weaker)", words)
		}
		v.Changes = append(v.Changes, words)
	}
	if len(changes) > 0 {
		v.Draft = d.Say.Say("%d changes in this draft", len(changes))
	}
	if !v.ReadOnly && kind.dimension != "" {
		v.Try = d.tryOut(v.URL)
	}
	if kind.filters {
		v.Filters = d.listFilters(kind.place == urls.PlaceRules)
	}
	kind.draw(d, usage, &v)
	for _, w := range append(slices.Clone(d.wrong), d.found...) {
		text := w.Text
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
		v.Empty = &views.Empty{Search: true, Title: d.Say.Say("No matches"), Text: untrusted.Runs(d.Say.Say("Nothing has this level and state."))}
		if v.Search != "" {
			v.Empty.Text = untrusted.Runs(d.Say.Say("Checked for: %s", v.Search))
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
		v.Groups[i].Show = &policy.ListButton{Do: "group:" + g.ID, Label: d.Say.Say("Show"), Of: g.Title, At: g.ID}
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
	out := []views.Hidden{{Name: FieldBase, Value: BaseText(d.Base.Version)}}
	for _, f := range []views.Hidden{{Name: edge.FieldLists, Value: d.lists.Field(d.Base.Policy)}, {Name: FieldReason, Value: d.Draft[FieldReason]}, {Name: fieldGroup, Value: d.typed[fieldGroup]}} {
		if f.Value != "" {
			out = append(out, f)
		}
	}
	return out
}
