package settings

import "github.com/countersign/countersign/views"

// StandingSettings lists what was allowed ahead.
type StandingSettings struct {
	Items   []views.SettingsItem
	Summary string
	Notices []views.Notice
	Rows    []StandingRow
	Empty   *views.Empty
	// Older leads to the next page; may be empty.
	Older string
	// Begin are calls that one can be made from; none for readers.
	Begin []views.TrailStep
}

// StandingRow is one standing grant.
type StandingRow struct {
	ID, URL  string
	Function []views.Run
	Agent    string
	// By is the maker's name, Why the reason they gave.
	By  string
	Why []views.Run
	// Used is for example "3 of 20".
	Used string
	// Ends, EndsISO, LastUse and LastUseISO are a time in words and as RFC 3339.
	Ends, EndsISO       string
	LastUse, LastUseISO string
	State               string
	Tone                views.Tone
	Icon                views.Icon
}

// StandingOne is one standing grant with what it covers and who used it.
type StandingOne struct {
	Items   []views.SettingsItem
	Back    views.Link
	Title   []views.Run
	Summary string
	Errors  []views.FieldError
	Notices []views.Notice
	Facts   []views.Fact
	// Terms are what a call must be.
	Terms []views.Pair
	// Used are the newest calls that used it, UsedNote where all are.
	Used     []views.TrailStep
	UsedNote views.Link
	// Revoke is nil for readers and for what was revoked.
	Revoke *views.Panel
}

// StandingDraft is the form of a new one, below what it would cover once that was
// looked at.
type StandingDraft struct {
	Items   []views.SettingsItem
	Back    views.Link
	Errors  []views.FieldError
	Notices []views.Notice
	// Call is the call that it is made from.
	Call views.Notice
	// Form is nil where this person cannot make one from this call.
	Form    *StandingForm
	Preview *StandingPreview
}

// StandingForm asks for the terms.
type StandingForm struct {
	// URL is the POST of the preview.
	URL    string
	Hidden []views.Hidden
	// Fixed are what must be the same in any case: agent, function, environment.
	Fixed  []views.Fact
	Terms  []TermField
	Lines  []views.LineField
	Lists  []views.SelectField
	Button views.Button
}

// TermField is what is asked of one value of the call.
type TermField struct {
	// Rule and Text are the names of its two fields, and their ids.
	Rule, Text string
	Name       []views.Run
	// Plain is the name without marks, for the labels.
	Plain string
	Value []views.Run
	Rules []views.Choice
	// Typed is what stands in the text; Texts is false where no rule takes any.
	Typed string
	Texts bool
	Error string
}

// StandingPreview says what a draft covers of what is known.
type StandingPreview struct {
	Facts []views.Fact
	Terms []views.Pair
	// Pending are those that wait and match; PendingNote says what becomes of them.
	Pending     []views.TrailStep
	PendingNote string
	// Edges are the calls that just match and just do not.
	Edges []views.TrailStep
	Save  StandingSave
}

// StandingSave makes what was previewed.
type StandingSave struct {
	URL    string
	Hidden []views.Hidden
	// Typed is set where nobody else could look.
	Typed  *views.TypedWord
	Button string
}
