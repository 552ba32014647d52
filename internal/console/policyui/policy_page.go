package policyui

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/console/edge"
	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/internal/console/request"
	"github.com/countersign/countersign/internal/console/untrusted"
	"github.com/countersign/countersign/internal/console/urls"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/worktime"
	"github.com/countersign/countersign/internal/tenants"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/policy"
	"github.com/countersign/countersign/views/texts"
)

// The form of the policy, and the lists beside it.

func versionName(say texts.Printer, n int64) string {
	return say.Say("version %s", strconv.FormatInt(n, 10))
}

// policyOf is the page of the policy in force, or of a draft.
func policyOf(m auth.Member, d Drafted, versions []tenants.PolicyVersion, proposals []tenants.Proposal, admins []auth.Person, past []float64) policy.Settings {
	url := urls.Policy(m.Tenant)
	v := policy.Settings{
		Items: edge.SettingsItems(d.Say, m, urls.PlacePolicy), Summary: present.SayAt(d.Say, present.PolicyDay, texts.Key("%s, in force since %s, %s"), present.Sentence(versionName(d.Say, d.Current.Version)), d.Current.CreatedAt, byWhom(d.Say, d.Current)),
		Export: url + ".yaml", Schema: url + ".schema.json", Errors: errorsOf(d.Say, d.wrong), Also: elsewhere(m, d),
		Form: formOf(m, d, past),
	}
	if d.was != 0 {
		v.Notices = append(v.Notices, staleNotice(d))
		list := differencesOf(d.Say, d.meanwhile, "meanwhile")
		list.Title, list.Old, list.New = d.Say.Say("What changed meanwhile"), present.Sentence(versionName(d.Say, d.was)), present.Sentence(versionName(d.Say, d.Current.Version))
		v.Meanwhile = &list
	}
	if n, softens := compositeNotice(d); softens {
		v.Notices = append(v.Notices, n)
	}
	if v.Form.ReadOnly {
		v.Form.Refused = d.Say.Say("Your roles only let you read the policy. Operators can propose changes; %s", whoChanges(d.Say, admins))
	}
	for _, p := range proposals {
		v.Proposals = append(v.Proposals, proposalRow(d.Say, m.Tenant, d.Current.Version, p))
	}
	for _, version := range versions[:min(len(versions), versionsBeside)] {
		v.Versions = append(v.Versions, views.TrailStep{
			Text: untrusted.Runs(present.Sentence(versionName(d.Say, version.Version)) + ", " + authorOf(d.Say, version)), Note: request.Gist(d.Say, version.Reason),
			End: present.InWords(d.Say, texts.Key("2 Jan"), version.CreatedAt), EndISO: version.CreatedAt.Format(present.IsoForm), URL: urls.Version(m.Tenant, version.Version), Current: version.Version == d.Current.Version,
		})
	}
	if len(versions) > versionsBeside {
		v.AllVersions = url + "/versions"
	}
	return v
}

// authorOf is who made a version; nobody did where it came from the program.
func authorOf(say texts.Printer, v tenants.PolicyVersion) string {
	switch {
	case v.Author.ID != "":
		return PersonName(v.Author)
	case v.Version == 1:
		return say.Say("the defaults")
	default:
		return say.Say("command line")
	}
}

// byWhom ends a sentence about a version.
func byWhom(say texts.Printer, v tenants.PolicyVersion) string {
	if v.Version == 1 && v.Author.ID == "" {
		return say.Say("the default policy")
	}
	return say.Say("by %s", authorOf(say, v))
}

// PersonName is somebody's name, or their id where nobody knows it any more.
func PersonName(p auth.Person) string {
	if p.Name == "" {
		return p.ID
	}
	return p.Name
}

// eitherOf joins people as a sentence does: "Ada, Bob or Cleo".
func eitherOf(say texts.Printer, people []auth.Person) string {
	all := make([]string, len(people))
	for i, p := range people {
		all[i] = p.Name
	}
	if len(all) < 2 {
		return strings.Join(all, "")
	}
	return say.Say("%s or %s", strings.Join(all[:len(all)-1], ", "), all[len(all)-1])
}

// whoChanges ends a sentence about somebody who may not.
func whoChanges(say texts.Printer, admins []auth.Person) string {
	if len(admins) == 0 {
		return say.Say("no one can change it yet. Make someone an admin with the command “countersign person grant”.")
	}
	return say.Say("an admin can change it: %s.", eitherOf(say, admins))
}

func staleNotice(d Drafted) views.Notice {
	text := present.SayAt(d.Say, present.PolicyDay, texts.Key("%s saved %s on %s: “%s”. Your changes weren't saved. Your draft below is now based on %s, including its changes to settings you hadn't edited."), present.Sentence(authorOf(d.Say, d.Current)), versionName(d.Say, d.Current.Version), d.Current.CreatedAt, d.Current.Reason, versionName(d.Say, d.Current.Version))
	if len(d.both) > 0 {
		text = append(text, untrusted.Runs(" "+d.Say.Say("You both changed %s. Your values are kept.", strings.Join(d.both, ", ")))...)
	}
	return views.Notice{Tone: views.ToneWarn, Icon: views.IconAlert, Title: d.Say.Say("The policy has changed"), Text: text}
}

// errorsOf is the summary: each line names its setting and leads to its field.
func errorsOf(say texts.Printer, all []wrong) []views.FieldError {
	out := make([]views.FieldError, 0, len(all))
	for _, w := range all {
		text := w.Text
		if s, ok := settingNamed(say, w.field); ok {
			text = s.words + ": " + text
		}
		out = append(out, views.FieldError{Text: present.Sentence(text), Field: w.field})
	}
	return out
}

func settingNamed(say texts.Printer, name string) (setting, bool) {
	all := policySettings(say)
	i := slices.IndexFunc(all, func(s setting) bool { return s.name == name })
	if i < 0 {
		return setting{}, false
	}
	return all[i], true
}

// elsewhere says what this form leaves to other pages, as the draft has it.
func elsewhere(m auth.Member, d Drafted) []views.Pair {
	lists, _ := d.Draft.lists(d.Base.Policy) // what is wrong with them stands among the errors
	o, extended := lists.Patterns, d.Say.Say("core only")
	if lists.Rules.Extended {
		extended = d.Say.Say("core and extended")
	}
	pair := func(label, text, page string) views.Pair {
		if d.Draft[edge.FieldLists] != "" {
			text = d.Say.Say("%s, in this draft", text)
		}
		return views.Pair{Label: label, Value: untrusted.Runs(text), URL: urls.Settings(m.Tenant, page)}
	}
	rules := d.Say.Say("%s, %d off, %d replaced, %d own", extended, len(lists.Rules.Removed), len(lists.Rules.Replaced), len(lists.Rules.Custom))
	if lists.Rules.Assessor != "" {
		rules = d.Say.Say("an assessor in place of all rules")
	}
	all := []views.Pair{
		pair(d.Say.Say("Rules"), rules, urls.PlaceRules),
		pair(d.Say.Say("Custom scorers"), d.Say.Say("%d scorers", len(lists.Scorers)), urls.PlaceRules),
		pair(d.Say.Say("Patterns"), d.Say.Say("%d added, %d changed, %d off", len(o.Add), len(o.Change), len(o.Disable)), urls.PlacePatterns),
		pair(d.Say.Say("Functions"), d.Say.Say("%d known", len(lists.Functions)), urls.PlaceFunctions),
	}
	who := d.Say.Say("Teams: %d, rules: %d", len(lists.Deciders.Teams), len(lists.Deciders.Rules))
	all = append(all, pair(d.Say.Say("Who decides"), who, urls.PlaceDeciders))
	if m.May(auth.ReadNotices) {
		all = append(all, pair(d.Say.Say("Details in notices"), DetailNow(d.Say, lists.Notices), urls.PlaceNotices))
	}
	return all
}

// carried are the fields of a draft that no control of the policy page has.
func carried(d Draft) []views.Hidden {
	if d[edge.FieldLists] == "" {
		return nil
	}
	return []views.Hidden{{Name: edge.FieldLists, Value: d[edge.FieldLists]}}
}

// formOf draws a draft: what was typed, what is wrong with it, what it was.
func formOf(m auth.Member, d Drafted, past []float64) policy.Form {
	f := formFields{say: d.Say, draft: d.Draft, current: d.Current.Policy, wrong: map[string]string{}}
	for _, w := range d.wrong {
		if f.wrong[w.field] == "" {
			f.wrong[w.field] = present.Sentence(w.Text) + "."
		}
	}
	v := policy.Form{
		Hidden: carried(d.Draft), Changed: d.changed(),
		Preview: urls.Policy(m.Tenant) + "/preview", Base: strconv.FormatInt(d.Base.Version, 10), ReadOnly: !m.May(auth.ProposePolicy),
		Scale: scaleOf(d, past), Thresholds: f.numbers("thresholds.medium", "thresholds.high", "thresholds.critical"),
		Weights: f.numbers("weights.function_name", "weights.arguments", "weights.docstring", "weights.hints", "weights.novelty"), Sum: d.Draft.sum(),
		Strategy: f.choice("strategy"), Composite: f.numbers("composite_weights.five_factor", "composite_weights.patterns"), Fixed: f.number("fixed_score"),
		Scorers: f.choice("scorers.mode"), ScorersWeight: f.number("scorers.built_in_weight"), ScorersCritical: f.box("scorers.may_lower_critical"),
		Override: f.number("score_override_threshold"), OnBlock: f.choice("on_block"), OnRequires: f.choice("on_requires_approval"), Presets: presetsOf(d.Say, d.Draft), Judgement: f.judgement(), Patterns: f.patterns(),
		Early: f.choice("early_answer"), NewerEnds: f.box("newer_ends_older"), Times: f.numbers("expiry_seconds", "longest_expiry_seconds", "remind_at_percent", "grant_seconds", "fresh_sign_in_minutes", "idle_lock_minutes", "authority.waiting_hours", "authority.kinship_days"),
		HoursOnly: f.box("working_hours.enabled"), Zone: f.line("working_hours.zone", strconv.Itoa(worktime.MaxZone)), Holidays: f.lines("working_hours.holidays"),
		Trust: f.box("trust.enabled"), TrustTerms: f.numbers("trust.cap", "trust.at_least", "trust.evidence", "trust.half_life_days"),
		Evaluations: f.numbers("evaluations.session_alert_above", "evaluations.keep_days"),
		Reason:      policy.TextField{ID: FieldReason, Name: FieldReason, Label: d.Say.Say("Reason"), Value: d.Draft[FieldReason], Hint: d.Say.Say("Why are you changing this? Required to save. Kept in the audit trail."), Error: f.wrong[FieldReason]},
	}
	v.Elsewhere, v.Discard = elsewhereChanged(d), urls.Policy(m.Tenant)
	v.Marks, v.Changes = f.marks()
	v.Changes += v.Elsewhere
	for n := range weekdays {
		v.Week = append(v.Week, f.line(dayName((n+1)%7), strconv.Itoa(worktime.MaxHours)))
	}
	for _, l := range level.All() {
		name := strings.ToLower(l.String())
		row := policy.Level{Level: present.LevelOf(l), Challenge: f.choice("challenges." + name), People: f.number("approvals_required." + name), Review: f.number("min_review_seconds." + name)}
		row.People.Level, row.Review.Level = views.LevelNone, views.LevelNone
		row.Expiry, row.Edit = f.number("expiry_seconds_by_level."+name), f.box("edit_before_approve."+name)
		row.Note = f.box("note_required." + name)
		row.Expiry.Level, row.Expiry.Zero = views.LevelNone, d.Say.Say("no limit")
		row.People.Of, row.Review.Of, row.Expiry.Of, row.Edit.Of, row.Note.Of = d.Say.Say("at %s", present.LevelWord(d.Say, l)), d.Say.Say("at %s", present.LevelWord(d.Say, l)), d.Say.Say("at %s", present.LevelWord(d.Say, l)), d.Say.Say("at %s", present.LevelWord(d.Say, l)), d.Say.Say("at %s", present.LevelWord(d.Say, l))
		row.Challenge.Label = d.Say.Say("%s at %s", row.Challenge.Label, present.LevelWord(d.Say, l))
		v.Levels = append(v.Levels, row)
	}
	return v
}

// formFields draws fields by their names.
type formFields struct {
	say     texts.Printer
	draft   Draft
	current scoring.Policy
	wrong   map[string]string
}

// was is the value in force where the draft has another one, in words and as the field
// has it. The same number written otherwise is no other one.
func (f formFields) was(s setting) (words, now string) {
	now = s.get(f.current)
	if f.draft[s.name] == now {
		return "", ""
	}
	read := f.current
	if s.set(&read, f.draft[s.name]) == "" && s.get(read) == now {
		return "", ""
	}
	if now == "" {
		return f.say.Say("none"), now
	}
	return s.value(now), now
}

func (f formFields) number(name string) policy.NumberField {
	s, _ := settingNamed(f.say, name)
	n := policy.NumberField{
		ID: name, Name: name, Label: s.label, Unit: s.unit, Min: s.min, Max: s.max, Step: s.step, Hint: s.hint,
		Value: f.draft[name], Error: f.wrong[name],
	}
	n.Was, n.Now = f.was(s)
	if s.level != level.Safe {
		n.Level = present.LevelOf(s.level)
	}
	return n
}

func (f formFields) numbers(names ...string) []policy.NumberField {
	out := make([]policy.NumberField, len(names))
	for i, name := range names {
		out[i] = f.number(name)
	}
	return out
}

func (f formFields) choice(name string) policy.ChoiceField {
	s, _ := settingNamed(f.say, name)
	c := policy.ChoiceField{ID: name, Name: name, Label: s.label, Error: f.wrong[name]}
	c.Was, c.Now = f.was(s)
	for _, o := range s.options {
		o.Checked = o.Value == f.draft[name]
		c.Options = append(c.Options, o)
	}
	return c
}

func (f formFields) box(name string) policy.LevelBox {
	s, _ := settingNamed(f.say, name)
	was, now := f.was(s)
	return policy.LevelBox{ID: name, Name: name, Label: s.label, Checked: f.draft[name] == "true", Was: was, Now: now, Error: f.wrong[name]}
}

// value is a setting's value in words: an option by its label, a number with its
// unit.
func (s setting) value(text string) string {
	for _, o := range s.options {
		if o.Value == text {
			return o.Label
		}
	}
	if s.unit != "" {
		return text + " " + s.unit
	}
	return text
}

// scaleOf draws the thresholds over past scores; one that cannot be read stands
// where it was.
func scaleOf(d Drafted, past []float64) policy.Scale {
	at := func(name string, otherwise float64) int {
		v, ok := readFloat(d.Draft[name])
		if !ok {
			v = otherwise
		}
		return int(math.Round(max(0, min(v, 1)) * 1000))
	}
	thousandths := func(v float64) int { return int(math.Round(v * 1000)) }
	t, now := d.Base.Policy.Thresholds, d.Current.Policy.Thresholds
	scale := policy.Scale{
		Medium: at("thresholds.medium", t.Medium), High: at("thresholds.high", t.High), Critical: at("thresholds.critical", t.Critical),
		Was: [3]int{thousandths(now.Medium), thousandths(now.High), thousandths(now.Critical)},
	}
	if len(past) == 0 {
		return scale
	}
	scale.Past, scale.Note = make([]int, scaleParts), d.Say.Say("Above: the scores of the last %d decided actions.", len(past))
	for _, score := range past {
		scale.Past[max(0, min(int(score*scaleParts+1e-9), scaleParts-1))]++
	}
	return scale
}

// scaleParts is how fine past scores are drawn: as fine as a mark moves.
const scaleParts = 100

// sum is what the weights add up to, as far as they can be read.
func (d Draft) sum() string {
	sum := 0.0
	for name, text := range d {
		if strings.HasPrefix(name, "weights.") {
			v, _ := readFloat(text)
			sum += v
		}
	}
	return strconv.FormatFloat(math.Round(sum*1e9)/1e9, 'g', -1, 64)
}

var presetLabels = map[string]texts.Key{
	scoring.PresetAutoApprove: texts.Key("Auto-approve everything"), scoring.PresetDenyAll: texts.Key("Deny all"), scoring.PresetConfirmAll: texts.Key("Review everything"),
	scoring.PresetConfirmHigh: texts.Key("Review HIGH and CRITICAL"), scoring.PresetConfirmMedium: texts.Key("Review MEDIUM and above (default)"), scoring.PresetCustom: texts.Key("Custom"),
}

// presetsOf are the buttons, and the word for every other choice.
func presetsOf(say texts.Printer, d Draft) []policy.Preset {
	var chosen scoring.PerLevel[scoring.ChallengeKind]
	for _, l := range level.All() {
		*place(&chosen, l) = scoring.ChallengeKind(d["challenges."+strings.ToLower(l.String())])
	}
	now := scoring.PresetOf(chosen)
	out := make([]policy.Preset, 0, len(presetLabels))
	for _, name := range scoring.Presets() {
		c, _ := scoring.Preset(name)
		values := strings.Join([]string{string(c.Low), string(c.Medium), string(c.High), string(c.Critical)}, " ")
		out = append(out, policy.Preset{Name: name, Label: say.Key(presetLabels[name]), Values: values, Current: name == now})
	}
	return append(out, policy.Preset{Name: scoring.PresetCustom, Label: say.Key(presetLabels[scoring.PresetCustom]), Current: now == scoring.PresetCustom})
}

func proposalRow(say texts.Printer, tenant string, now int64, p tenants.Proposal) policy.ProposalRow {
	row := policy.ProposalRow{
		URL: urls.Proposal(tenant, p.ID), Title: say.Say("By %s", PersonName(p.Author)),
		Note: present.SayAt(say, present.PolicyDay, texts.Key("%s, on %s: %s"), p.CreatedAt, versionName(say, p.Base), request.Gist(say, p.Reason)),
	}
	if p.Base != now {
		row.Note = append(row.Note, untrusted.Runs(" · "+say.Say("based on an old version; open it to redo it on %s", versionName(say, now)))...)
	}
	if n := len(p.Weakens); n > 0 {
		row.Weaker = say.Say("%d weaker", n)
	}
	return row
}

// differencesOf lists settings with their old and new values, in words.
func differencesOf(say texts.Printer, all []scoring.Difference, none string) policy.Differences {
	d := policy.Differences{Title: say.Say("What changes"), None: none}
	weaker := 0
	for _, one := range all {
		if one.Weaker {
			weaker++
		}
		s, known := settingNamed(say, strings.ReplaceAll(strings.TrimPrefix(one.Member, "/"), "/", "."))
		row := policy.Difference{Setting: s.words, Member: one.Member, Weaker: one.Weaker}
		if !known {
			row.Setting = unknownSetting(say, one.Member)
			s.options = onOrOff(say, one.Member)
		}
		row.Old, row.New = untrusted.Runs(s.json(say, one.Old)), untrusted.Runs(s.json(say, one.New))
		d.Rows = append(d.Rows, row)
	}
	switch {
	case len(all) == 0:
	case weaker == 0:
		d.Note = say.Say("%d settings, none of them weaker", len(all))
	default:
		d.Note = say.Say("%d settings, %d weaker", len(all), weaker)
	}
	return d
}

// onOrOff are the words for a box that stands on another page.
func onOrOff(say texts.Printer, member string) []views.Choice {
	if member != "/rules/extended" && member != "/notices/detail_to_people" {
		return nil
	}
	return []views.Choice{{Value: "true", Label: say.Say("on")}, {Value: "false", Label: say.Say("off")}}
}

// json is a value of a difference in words; the zero setting writes JSON as it is.
func (s setting) json(say texts.Printer, value string) string {
	if value == "" {
		if len(s.options) > 0 && s.options[0].Value == presetsCell {
			return s.options[0].Label
		}
		return say.Say("none")
	}
	var text string
	if json.Unmarshal([]byte(value), &text) == nil && text != "" {
		return s.value(text)
	}
	var list []string
	if value == `""` || json.Unmarshal([]byte(value), &list) == nil {
		return cmp.Or(present.Flat(say, strings.Join(list, ", ")), say.Say("none"))
	}
	var channel scoring.DetailedChannel
	if json.Unmarshal([]byte(value), &channel) == nil && channel.Settings != "" {
		return say.Say("%s, to %s", present.Flat(say, channel.Name), present.Flat(say, channel.To))
	}
	if words, ok := objectWords(value); ok {
		return words
	}
	return s.value(value)
}

// unknownSetting names what the form has no field for, by the part of the policy
// that it stands in.
func unknownSetting(say texts.Printer, member string) string {
	if name := listSetting(say, member); name != "" {
		return name
	}
	for _, list := range []string{"judgement.own_domains", "judgement.nonproduction"} {
		if rest, ok := strings.CutPrefix(member, "/"+strings.ReplaceAll(list, ".", "/")+"/"); ok {
			s, _ := settingNamed(say, list)
			return s.words + ": " + present.Flat(say, rest)
		}
	}
	part, rest, _ := strings.Cut(strings.TrimPrefix(member, "/"), "/")
	return part + " " + present.Flat(say, strings.NewReplacer("~1", "/", "~0", "~").Replace(rest))
}
