package views

// PeopleSettings lists who belongs to an organisation, and who is invited.
type PeopleSettings struct {
	Items   []SettingsItem
	Summary string
	// Invite leads to the form; empty for readers.
	Invite  string
	Notices []Notice
	Rows    []PersonRow
	Invited []InvitedRow
}

// PersonRow is one member.
type PersonRow struct {
	Person Person
	// URL leads to the person's page.
	URL   string
	Roles []string
	// SignedIn is for example "20 Nov 09:42", SignedInISO the same as RFC 3339;
	// empty: not since they joined.
	SignedIn, SignedInISO string
	Joined, JoinedISO     string
}

// InvitedRow is an invitation that waits.
type InvitedRow struct {
	Email               string
	Roles               []string
	By                  string
	Expires, ExpiresISO string
	// Withdraw takes it back; nil for readers.
	Withdraw *PlainForm
}

// InviteSettings is the form of an invitation.
type InviteSettings struct {
	Items  []SettingsItem
	Back   Link
	Errors []FieldError
	Form   PlainForm
}

// PersonSettings is one member with what can be done.
type PersonSettings struct {
	Items   []SettingsItem
	Back    Link
	Name    string
	Summary []Run
	Notices []Notice
	Errors  []FieldError
	Facts   []Fact
	// Panels are what can be done; none for readers.
	Panels []Panel
}

// LinkShown is the page that answers when a link for a person was made.
type LinkShown struct {
	Items []SettingsItem
	Title string
	Warn  Notice
	Link  Secret
	Facts []Fact
	Done  Link
}

// Gate is a page outside of any organisation with one form: joining, choosing a
// password.
type Gate struct {
	Assets Assets
	Title  string
	// Text says what the button does.
	Text []Run
	// Who stands beside it, for example the address that is invited; may be empty.
	Facts []Pair
	// Error concerns the whole form.
	Error string
	Form  PlainForm
}

// AccountSettings is a person's own page.
type AccountSettings struct {
	// Page is what stands around it for a member of an organisation; nil for nobody's.
	Page   *Page
	Assets Assets
	Person Person
	Back   Link
	// Links lead to what is set for each organisation apart.
	Links  []Link
	Done   string
	Error  string
	Panels []Panel
}
