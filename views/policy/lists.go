package policy

import (
	"slices"

	"github.com/countersign/countersign/views"
)

// ListSettings is a page of the settings that edits a list of the policy: rules,
// patterns or functions. Everything on it is one form, so that whichever button is
// pressed nothing typed is lost.
type ListSettings struct {
	Items          []views.SettingsItem
	Title, Summary string
	// URL answers the page and takes its form.
	URL     string
	Notices []views.Notice
	Errors  []views.FieldError
	// Hidden carries the draft.
	Hidden []views.Hidden
	// Draft says what is changed, for example "2 changes in this draft"; empty where
	// nothing is.
	Draft string
	// Changes are these, in words.
	Changes []string
	// ReadOnly leaves every button out; Refused says why.
	ReadOnly bool
	Refused  string
	Search   string
	// SearchLabel names the field, for example "Search rules".
	SearchLabel string
	// Filters choose by level and state; none where entries have neither.
	Filters []ChoiceField
	// Switches stand above the list.
	Switches []ListSwitch
	Editor   *ListEditor
	Groups   []ListGroup
	Empty    *views.Empty
	Try      *TryOut
	// Coach are functions that could be let through; nil on other pages.
	Coach *views.Coach
}

// Narrowed reports whether not all entries are shown.
func (s ListSettings) Narrowed() bool {
	return s.Search != "" || slices.ContainsFunc(s.Filters, func(f ChoiceField) bool { return f.chosen().Value != "" })
}

// The states of an entry of a list.
const (
	StateOn      = "on" // as shipped
	StateChanged = "changed"
	StateOff     = "off"
	StateOwn     = "own"
)

// ListSwitch is a state of the whole list, with the button that changes it.
type ListSwitch struct {
	Label string
	Note  string
	// Shown is a text of the policy, such as an expression; nil for none.
	Shown   []views.Run
	Tone    views.Tone
	State   string
	Buttons []ListButton
}

// ListButton sends the form of the page with what is to be done.
type ListButton struct {
	Do, Label string
	Icon      views.Icon
	Kind      string
	// Of ends the label for those who do not see where it stands.
	Of string
	// At is the id to which the browser goes; empty is the top.
	At string
}

// ListGroup is a part of the list under a heading.
type ListGroup struct {
	ID, Title, Note string
	Rows            []ListRow
	// Folds says that its rows are drawn only where somebody asks for them, with Show.
	Folds bool
	Show  *ListButton
}

// ListRow is one entry.
type ListRow struct {
	ID   string
	Name []views.Run
	// Level draws a mark; LevelNone draws none.
	Level views.Level
	// Safe stands in place of the mark for what raises nothing.
	Safe string
	// State is one of the states above; "" where entries have none.
	State string
	Chips []ListChip
	About []views.Run
	// Use is how often it was decisive, for example "12 hits, 83 % approved".
	Use  string
	Open bool
	// Fields and Texts are the details; Buttons what may be done.
	Fields  []views.Pair
	Texts   []ListText
	Buttons []ListButton
}

// ListChip is a word about an entry.
type ListChip struct {
	Word []views.Run
	Icon views.Icon
	Tone views.Tone
}

// ListText is a text set in the machine's type, or several.
type ListText struct {
	Label string
	Lines [][]views.Run
}

// ListEditor is the form of one entry.
type ListEditor struct {
	Title string
	Note  string
	// Hidden says what is edited.
	Hidden []views.Hidden
	Parts  []EditorPart
	Put    ListButton
	Cancel ListButton
}

// EditorPart is one control of an editor: just one of them is set.
type EditorPart struct {
	Line   *views.LineField
	Area   *views.AreaField
	Choice *ChoiceField
	Select *views.SelectField
	Box    *views.BoxField
	// Note is a text between the controls.
	Note string
}

// TryOut tries the draft on an action that stands on the page.
type TryOut struct {
	Parts []EditorPart
	// URL takes the form of the page and answers the page; the script takes what was
	// tried out of it.
	URL   string
	Tried *Tried
}

// Tried is what the draft says about it.
type Tried struct {
	Level    views.Level
	Response string
	// Error stands in place of everything else.
	Error string
	// Sentence is the explanation of the assessment.
	Sentence []views.Run
	Found    []TriedFinding
	// None says that nothing fired.
	None string
}

// TriedFinding is a rule or a pattern that fired.
type TriedFinding struct {
	Icon  views.Icon
	Kind  string // "rule" or "pattern"
	Name  []views.Run
	URL   string      // to its row
	Show  *ListButton // in place of URL, where the row may be folded away
	Level views.Level
	About []views.Run
	Where []views.Run
}
