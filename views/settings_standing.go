package views

// StandingSettings lists what was allowed ahead.
type StandingSettings struct {
	Items   []SettingsItem
	Summary string
	Notices []Notice
	Rows    []StandingRow
	Empty   *Empty
	// Older leads to the next page; may be empty.
	Older string
	// Begin are calls that one can be made from; none for readers.
	Begin []TrailStep
}

// StandingRow is one standing grant.
type StandingRow struct {
	ID, URL  string
	Function []Run
	Agent    string
	// By is the maker's name, Why the reason they gave.
	By  string
	Why []Run
	// Used is for example "3 of 20".
	Used string
	// Ends, EndsISO, LastUse and LastUseISO are a time in words and as RFC 3339.
	Ends, EndsISO       string
	LastUse, LastUseISO string
	State               string
	Tone                Tone
	Icon                Icon
}

// StandingOne is one standing grant with what it covers and who used it.
type StandingOne struct {
	Items   []SettingsItem
	Back    Link
	Title   []Run
	Summary string
	Errors  []FieldError
	Notices []Notice
	Facts   []Fact
	// Terms are what a call must be.
	Terms []Pair
	// Used are the newest calls that used it, UsedNote where all are.
	Used     []TrailStep
	UsedNote Link
	// Revoke is nil for readers and for what was revoked.
	Revoke *Panel
}

// StandingDraft is the form of a new one, below what it would cover once that was
// looked at.
type StandingDraft struct {
	Items   []SettingsItem
	Back    Link
	Errors  []FieldError
	Notices []Notice
	// Call is the call that it is made from.
	Call Notice
	// Form is nil where this person cannot make one from this call.
	Form    *StandingForm
	Preview *StandingPreview
}

// StandingForm asks for the terms.
type StandingForm struct {
	// URL is the POST of the preview.
	URL    string
	Hidden []Hidden
	// Fixed are what must be the same in any case: agent, function, environment.
	Fixed  []Fact
	Terms  []TermField
	Lines  []LineField
	Lists  []SelectField
	Button Button
}

// TermField is what is asked of one value of the call.
type TermField struct {
	// Rule and Text are the names of its two fields, and their ids.
	Rule, Text string
	Name       []Run
	// Plain is the name without marks, for the labels.
	Plain string
	Value []Run
	Rules []Choice
	// Typed is what stands in the text; Texts is false where no rule takes any.
	Typed string
	Texts bool
	Error string
}

// StandingPreview says what a draft covers of what is known.
type StandingPreview struct {
	Facts []Fact
	Terms []Pair
	// Pending are those that wait and match; PendingNote says what becomes of them.
	Pending     []TrailStep
	PendingNote string
	// Edges are the calls that just match and just do not.
	Edges []TrailStep
	Save  StandingSave
}

// StandingSave makes what was previewed.
type StandingSave struct {
	URL    string
	Hidden []Hidden
	// Typed is set where nobody else could look.
	Typed  *TypedWord
	Button string
}
