package policy

import (
	"strconv"

	"github.com/a-h/templ"

	"github.com/countersign/countersign/views"
)

// Settings is the form of the policy in force, or of a draft.
type Settings struct {
	Items []views.SettingsItem
	// Summary is for example "Version 15, in force since 20 Nov 09:31 UTC".
	Summary []views.Run
	// Did says what the policy did in the last days, and HeldMostBy what held most; empty where there is nothing to say.
	Did        string
	HeldMostBy []views.Link
	// Export and Schema are the addresses of the YAML file and of its JSON Schema.
	Export, Schema string
	Notices        []views.Notice
	// Errors are all that is wrong with the draft; the page begins with them.
	Errors []views.FieldError
	// Meanwhile is what somebody else changed since the draft was begun.
	Meanwhile *Differences
	Form      Form
	// Balanced is what floors would change; nil where there are some.
	Balanced *BalancedOffer
	// Also are the settings that this form leaves as they are.
	Also      []views.Pair
	Proposals []ProposalRow
	// Versions are the newest ones; AllVersions leads to the rest.
	Versions    []views.TrailStep
	AllVersions string
}

// Form is every setting that the page can change.
type Form struct {
	// Preview is the address that checks and shows a draft (POST).
	Preview string
	// Base is the number of the version that the draft was made from; Hidden carries
	// what of the draft has no control here.
	Base   string
	Hidden []views.Hidden
	// Changed is whether the draft says something else than that version.
	Changed bool
	// Changes is how many settings differ from the policy in force; Elsewhere is how many of
	// them have no control here. Marks says where the others are, by the id of the section.
	Changes, Elsewhere int
	Marks              map[string]SectionMark
	// Discard leads to the policy in force.
	Discard string
	// ReadOnly shows the settings as words; Refused says why, and who can.
	ReadOnly bool
	Refused  string

	Scale      Scale
	Thresholds []NumberField
	// ByScore is how many of the holds of the last days the score decided, and so the thresholds; empty for none.
	ByScore string
	Weights []NumberField
	// Sum is what the weights add up to, for example "1".
	Sum      string
	Strategy ChoiceField
	// Composite are the weights of the weighted mean, Fixed is the score of the fixed one.
	Composite []NumberField
	Fixed     NumberField
	// Scorers says how own scorers count, ScorersWeight how much the models do beside
	// them, ScorersCritical whether they may lower CRITICAL.
	Scorers         ChoiceField
	ScorersWeight   NumberField
	ScorersCritical LevelBox
	Override        NumberField
	OnBlock         ChoiceField
	// OnRequires is what happens to what the rules require approval for.
	OnRequires ChoiceField

	Judgement Judgement
	Patterns  Patterns

	Presets []Preset
	Levels  []Level

	Early ChoiceField
	Times []NumberField
	// HoursOnly is whether only working hours count, Week what they are from Monday on.
	HoursOnly LevelBox
	Week      []views.LineField
	Zone      views.LineField
	Holidays  TextField
	// NewerEnds says that a newer request ends the older one.
	NewerEnds LevelBox
	// Trust switches on that an agent's record counts, TrustTerms say how far.
	Trust      LevelBox
	TrustTerms []NumberField
	// Evaluations are the alert on the score of a session, and how long evaluations are kept.
	Evaluations []NumberField
	Reason      TextField
}

// SectionMark says what is worth a look in a section.
type SectionMark struct {
	// Changed and Wrong count settings.
	Changed, Wrong int
}

// Scale draws where the levels begin, in thousandths.
type Scale struct {
	Medium, High, Critical int
	// Was is where they begin under the policy in force.
	Was [3]int
	// Past are the scores of past actions: how many of them fell into each of as
	// many equal parts of the scale. Note says what they are; empty for none.
	Past []int
	Note string
}

// Preset is a button that fills the challenges.
type Preset struct {
	Name, Label string
	// Values are the challenges from LOW to CRITICAL, apart by spaces.
	Values string
	// Current says that the form holds just these. A preset without Values is what
	// every other choice is called, and no button.
	Current bool
}

// Level is one row of the grid: what a level asks of people.
type Level struct {
	Level          views.Level
	Challenge      ChoiceField
	People, Review NumberField
	// Expiry is how long a request of the level waits at most, Edit whether it may
	// be edited.
	Expiry NumberField
	Edit   LevelBox
	// Note is whether approving needs a note.
	Note LevelBox
}

// LevelBox is a box of a form that is ticked or not; its value is "true".
type LevelBox struct {
	ID, Name, Label string
	// Of ends the label for those who do not see the row.
	Of      string
	Checked bool
	// Was and Now are the value in force, in words and as the field has it, where the
	// draft has another one.
	Was, Now string
	Error    string
}

// NumberField is one number of a form.
type NumberField struct {
	ID, Name, Label string
	// Of ends the label for those who do not see the row, for example "at HIGH".
	Of string
	// Level draws the level's mark in front of the label.
	Level views.Level
	// Value is what was typed, or the setting's value.
	Value string
	// Unit stands behind the number, for example "seconds"; may be empty.
	Unit string
	// Zero says what 0 means, for example "no limit"; may be empty.
	Zero string
	// Min, Max and Step are hints to the browser; the server checks.
	Min, Max, Step string
	// Hint is one sentence: what the setting means.
	Hint string
	// Was and Now are the value in force, in words and as the field has it, where the
	// draft has another one.
	Was, Now string
	Error    string
}

// ChoiceField is one choice of a form.
type ChoiceField struct {
	ID, Name, Label string
	Options         []views.Choice
	// Was and Now are the value in force, in words and as the field has it, where the
	// draft has another one.
	Was, Now string
	Error    string
}

// TextField is a text of several lines.
type TextField struct {
	ID, Name, Label, Value, Hint, Error string
	// Setting says that it is a setting, whose changes are counted; Was and Now are the value
	// in force, in words and as the field has it, where the draft has another one.
	Setting  bool
	Was, Now string
}

// Differences are the settings that two versions have otherwise.
type Differences struct {
	// Title heads them; Old and New head the columns.
	Title, Note, Old, New string
	Rows                  []Difference
	// None says that there is nothing, and stands in place of the table.
	None string
}

// Difference is one setting with its two values.
type Difference struct {
	Setting string
	// Member is the setting's place in the file, "/expiry_seconds".
	Member   string
	Old, New []views.Run
	Weaker   bool
}

// Preview is a draft that can be saved.
type Preview struct {
	Items []views.SettingsItem
	// Back is the page of the policy in force.
	Title, Summary, Back string
	Notices              []views.Notice
	Errors               []views.FieldError
	Differences          Differences
	Replay               *views.Replay
	// Save is nil where there is nothing to save.
	Save *Save
	// Edit goes back to the form with the draft.
	Edit Edit
}

// Edit carries a draft back into the form.
type Edit struct {
	URL    string
	Hidden []views.Hidden
}

// Save is the form that saves, proposes or sends a draft.
type Save struct {
	URL    string
	Hidden []views.Hidden
	Reason TextField
	// Typed asks for a word to be typed; nil for none.
	Typed *views.TypedWord
	// Button says what happens, for example "Save as version 16"; Note explains.
	Button, Note string
	// Refused stands in place of the button: why not, and who can.
	Refused string
}

// Versions is a page of versions, newest first.
type Versions struct {
	Items         []views.SettingsItem
	Back, Summary string
	Rows          []VersionRow
	Range         string
	Newer, Older  string
	Empty         *views.Empty
}

// VersionRow is one version.
type VersionRow struct {
	Number, URL string
	// When is for example "20 Nov 09:42:19", ISO the same as RFC 3339.
	When, ISO string
	Who       string
	Accepted  string
	Reason    []views.Run
	// Current marks the version in force, Single one that nobody else looked at.
	Current, Single bool
}

// Version is one version with what it changed.
type Version struct {
	Items       []views.SettingsItem
	Title, Back string
	Summary     []views.Run
	Notices     []views.Notice
	Fields      []views.Pair
	Differences Differences
	// Text is the whole of it as YAML; Size is for example "48 lines".
	Text         []views.Run
	Size         string
	Newer, Older string
}

// ProposalRow is an open proposal in the list.
type ProposalRow struct {
	URL, Title string
	// Note is who and when; Weaker how many settings become weaker, in words.
	Note   []views.Run
	Weaker string
}

// Proposal is one proposal with what it would change.
type Proposal struct {
	Items       []views.SettingsItem
	Title, Back string
	Summary     []views.Run
	Notices     []views.Notice
	Errors      []views.FieldError
	Fields      []views.Pair
	Differences Differences
	Replay      *views.Replay
	Accept      *ProposalAccept
	Reject      *ProposalReject
	Withdraw    *ProposalWithdraw
	Redo        *ProposalRedo
	// Refused says why there is no button, and who can.
	Refused string
}

// ProposalAccept puts a proposal in force.
type ProposalAccept struct {
	URL, Button, Note string
	// Read is the box that has to be ticked first; empty for none.
	Read  string
	Error string
}

// ProposalReject ends a proposal with a reason.
type ProposalReject struct {
	URL    string
	Reason TextField
}

// ProposalWithdraw takes back one's own.
type ProposalWithdraw struct {
	URL, Note string
}

// ProposalRedo opens a proposal as a draft on a newer version.
type ProposalRedo struct {
	Edit         Edit
	Button, Note string
}

// percent is a place on the scale; what is not on it stands at its end.
func percent(thousandths int) string {
	return strconv.FormatFloat(float64(max(0, min(thousandths, 1000)))/10, 'f', -1, 64) + "%"
}

// scalePart is the part of the scale that a level has.
type scalePart struct {
	level    views.Level
	from, to int
}

func (p scalePart) x() string      { return percent(p.from) }
func (p scalePart) width() string  { return percent(max(0, p.to-p.from)) }
func (p scalePart) middle() string { return percent((p.from + p.to) / 2) }

// unit is the unit, and what 0 means.
func (f NumberField) unit() string {
	if f.Zero == "" {
		return f.Unit
	}

	return f.Unit + ", 0: " + f.Zero
}

// chosen is the option that is checked; the zero Choice when none is.
func (f ChoiceField) chosen() views.Choice {
	for _, o := range f.Options {
		if o.Checked {
			return o
		}
	}

	return views.Choice{}
}

// tickX is the place of a number on the scale.
func tickX(tick string) string {
	v, err := strconv.ParseFloat(tick, 64)
	if err != nil {
		return "0%"
	}

	return percent(int(v * 1000))
}

// ofNumber is ofSetting with the unit, which stands behind the old value.
func ofNumber(f NumberField, readOnly bool) templ.Attributes {
	all := views.OfSetting(!readOnly, f.Name, f.Was, f.Now)
	if !readOnly && f.Unit != "" {
		all["data-unit"] = f.Unit
	}

	return all
}
