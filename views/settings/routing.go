package settings

import "github.com/countersign/countersign/views"

// RoutingSettings says whom an organisation calls.
type RoutingSettings struct {
	Items   []views.SettingsItem
	Back    views.Link
	Notices []views.Notice
	Rules   []RoutingRule
	// Unmatched says what happens where no rule matches.
	Unmatched string
	AddRule   *views.Link // nil for readers
	Teams     []RoutingTeam
	AddTeam   *views.Link
	Own       views.Link
	Preview   RoutingPreview
}

// RoutingRule is one rule, in its place.
type RoutingRule struct {
	Name, URL string
	// When is for example "CRITICAL · production"; Steps say who is called.
	When  string
	Steps []string
	// Acts move and delete it; none for readers.
	Acts []RoutingAct
}

// RoutingAct is a form that is one button.
type RoutingAct struct {
	URL    string
	Hidden []views.Hidden
	Label  string
	Of     string // for assistive technology: of which one
	Icon   views.Icon
}

// RoutingTeam is a team and who is on call.
type RoutingTeam struct {
	Name, URL string
	Members   string
	OnCall    string
	Until     string
	UntilISO  string
}

// RoutingPreview says who would be called for a sample.
type RoutingPreview struct {
	Form   views.PlainForm
	Result *RoutingResult // nil: nothing was asked yet
}

// RoutingResult is who would be called, and why.
type RoutingResult struct {
	// Decides is for example "The rule Night decides."
	Decides string
	Passed  []string
	Steps   []RoutingStep
	Ends    string
}

// RoutingStep is who is called then.
type RoutingStep struct {
	When, ISO string
	Rows      []RoutingCalled
}

// RoutingCalled is one who is called, or is not and why.
type RoutingCalled struct {
	Who  string
	Why  string
	Tone views.Tone
	Icon views.Icon
	Word string
}

// SectionForm is a form in parts, each with its heading.
type SectionForm struct {
	URL      string
	Hidden   []views.Hidden
	Sections []FormSection
	Button   views.Button
	Cancel   *views.Link
}

// FormSection is fields under one heading, in the order in which they are set here.
type FormSection struct {
	ID, Title, Text string
	Lines           []views.LineField
	Lists           []views.SelectField
	Groups          []views.BoxGroup
	// After are fields behind the groups.
	After []views.LineField
}

// SectionFormSettings is a page with such a form, and panels below it.
type SectionFormSettings struct {
	Items   []views.SettingsItem
	Back    views.Link
	Title   string
	Summary string
	Notices []views.Notice
	Errors  []views.FieldError
	Form    *SectionForm // nil for readers
	Facts   []views.Fact
	Panels  []views.Panel
}

// OwnNotices is when a person is called themselves.
type OwnNotices struct {
	Back     views.Link
	Title    string
	Summary  string
	Notices  []views.Notice
	Errors   []views.FieldError
	Channels []OwnChannel
	Add      *views.PlainForm
	None     string
	Push     *PushPanel // nil where this server sends none
	Away     views.Panel
	Form     SectionForm
}

// PushPanel is where a person turns push notifications on in the browser that shows it. The
// script push.js does that.
type PushPanel struct {
	URL string // takes what the browser gives
	// Key is with what browsers subscribe, Worker the address of the service worker, Person
	// whose page it is.
	Key, Worker, Person string
	Devices             []OwnDevice
}

// OwnDevice is a browser of a person.
type OwnDevice struct {
	// Name is for example "Chrome on Android"; Mark is by what the browser finds itself.
	Name, Mark   string
	Added, Exact string
	State        string // "" where notifications are sent
	Test         []views.Run
	Acts         []RoutingAct
}

// OwnChannel is a channel of a person.
type OwnChannel struct {
	Kind, To string
	State    string
	Tone     views.Tone
	Icon     views.Icon
	// Test is what became of the newest test; may be empty.
	Test []views.Run
	Acts []RoutingAct
}
