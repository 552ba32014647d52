package settings

import "github.com/countersign/countersign/views"

// PeopleSettings lists who belongs to an organisation, and who is invited.
type PeopleSettings struct {
	Items   []views.SettingsItem
	Summary string
	// Invite leads to the form; empty for readers.
	Invite  string
	Notices []views.Notice
	Rows    []PersonRow
	Invited []InvitedRow
}

// PersonRow is one member.
type PersonRow struct {
	Person views.Person
	// URL leads to the person's page.
	URL   string
	Roles []string
	// SignedIn is for example "20 Nov 09:42", SignedInISO the same as RFC 3339;
	// empty: not since they joined.
	SignedIn, SignedInISO string
	Joined, JoinedISO     string
	// Away says until when they are away and who decides; nil where they aren't.
	Away []views.Run
}

// InvitedRow is an invitation that waits.
type InvitedRow struct {
	Email               string
	Roles               []string
	By                  string
	Expires, ExpiresISO string
	// Withdraw takes it back; nil for readers.
	Withdraw *views.PlainForm
}

// InviteSettings is the form of an invitation.
type InviteSettings struct {
	Items  []views.SettingsItem
	Back   views.Link
	Errors []views.FieldError
	Form   views.PlainForm
}

// PersonSettings is one member with what can be done.
type PersonSettings struct {
	Items   []views.SettingsItem
	Back    views.Link
	Name    string
	Summary []views.Run
	Notices []views.Notice
	Errors  []views.FieldError
	Facts   []views.Fact
	// Panels are what can be done; none for readers.
	Panels []views.Panel
}

// LinkShown is the page that answers when a link for a person was made.
type LinkShown struct {
	Items []views.SettingsItem
	Title string
	Warn  views.Notice
	Link  views.Secret
	Facts []views.Fact
	Done  views.Link
}

// Gate is a page outside of any organisation with one form: joining, choosing a
// password.
type Gate struct {
	Assets views.Assets
	Title  string
	// Text says what the button does.
	Text []views.Run
	// Who stands beside it, for example the address that is invited; may be empty.
	Facts []views.Pair
	// Error concerns the whole form.
	Error string
	Form  views.PlainForm
}

// AccountSettings is a person's own page.
type AccountSettings struct {
	// Page is what stands around it for a member of an organisation; nil for nobody's.
	Page   *views.Page
	Assets views.Assets
	Person views.Person
	Back   views.Link
	// Links lead to what is set for each organisation apart.
	Links  []views.Link
	Done   string
	Error  string
	Panels []views.Panel
}
