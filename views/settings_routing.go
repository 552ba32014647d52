package views

// RoutingSettings says whom an organisation calls.
type RoutingSettings struct {
	Items   []SettingsItem
	Back    Link
	Notices []Notice
	Rules   []RoutingRule
	// Unmatched says what happens where no rule matches.
	Unmatched string
	AddRule   *Link // nil for readers
	Teams     []RoutingTeam
	AddTeam   *Link
	Own       Link
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
	Hidden []Hidden
	Label  string
	Of     string // for assistive technology: of which one
	Icon   Icon
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
	Form   PlainForm
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
	Tone Tone
	Icon Icon
	Word string
}

// SectionForm is a form in parts, each with its heading.
type SectionForm struct {
	URL      string
	Hidden   []Hidden
	Sections []FormSection
	Button   Button
	Cancel   *Link
}

// FormSection is fields under one heading, in the order in which they are set here.
type FormSection struct {
	ID, Title, Text string
	Lines           []LineField
	Lists           []SelectField
	Groups          []BoxGroup
	// After are fields behind the groups.
	After []LineField
}

// SectionFormSettings is a page with such a form, and panels below it.
type SectionFormSettings struct {
	Items   []SettingsItem
	Back    Link
	Title   string
	Summary string
	Notices []Notice
	Errors  []FieldError
	Form    *SectionForm // nil for readers
	Facts   []Fact
	Panels  []Panel
}

// OwnNotices is when a person is called themselves.
type OwnNotices struct {
	Back     Link
	Title    string
	Summary  string
	Notices  []Notice
	Errors   []FieldError
	Channels []OwnChannel
	Add      *PlainForm
	None     string
	Push     *PushPanel // nil where this server sends none
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
	Test         []Run
	Acts         []RoutingAct
}

// OwnChannel is a channel of a person.
type OwnChannel struct {
	Kind, To string
	State    string
	Tone     Tone
	Icon     Icon
	// Test is what became of the newest test; may be empty.
	Test []Run
	Acts []RoutingAct
}
