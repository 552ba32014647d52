package review

import "github.com/countersign/countersign/views"

// Selecting is the queue standing still, with a box on each row and one form that
// denies what is ticked.
type Selecting struct {
	// Live leads back to the live queue; Search is a GET with q and select.
	Live, Search, Query string
	// Note says how many are shown of how many.
	Note    string
	Notices []views.Notice
	Errors  []views.FieldError
	// URL is the POST, with a field pick for each ticked row and the reason.
	URL    string
	Groups []SelectGroup
	Empty  *views.Empty
	Reason ReasonForm
}

// SelectGroup is a session with its rows.
type SelectGroup struct {
	Title []views.Run
	Note  string
	Rows  []SelectRow
}

// SelectRow is one approval that can be ticked.
type SelectRow struct {
	// ID is the id of the box, Pick its value: the approval as it is shown here.
	ID, Pick string
	Checked  bool
	URL      string
	Level    views.Level
	// Sentence and Rest are those of a [QueueRow].
	Sentence, Rest []views.Run
	// Sub is for example the agent and the environment.
	Sub  []string
	Left views.TimeLeft
}

// Batch says what became of several approvals, one by one.
type Batch struct {
	Title, Summary string
	Rows           []BatchRow
	Back           views.Link
	// Again leads to the next thing to do; may be nil.
	Again *views.Link
}

// BatchRow is what became of one.
type BatchRow struct {
	URL      string
	Level    views.Level
	Sentence []views.Run
	State    string
	Tone     views.Tone
	Icon     views.Icon
	Note     []views.Run
}

// Also offers to let one yes stand for identical requests.
type Also struct {
	// Value is sent as also; Label is for example "and the 3 identical ones (it runs 4
	// times)".
	Value, Label string
	// Count is how many are decided with it, this one included.
	Count   int
	Checked bool
	// Runs is the consequence of it at the explicit confirmation, and Name its field.
	Runs, Name  string
	RunsChecked bool
}
