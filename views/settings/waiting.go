package settings

import "github.com/countersign/countersign/views"

// WaitingSettings lists what waits for somebody else to accept it.
type WaitingSettings struct {
	Items   []views.SettingsItem
	Summary string
	Notices []views.Notice
	Errors  []views.FieldError
	Changes []WaitingChange
	// None says that nothing waits.
	None string
}

// WaitingChange is one of them.
type WaitingChange struct {
	// ID names the heading.
	ID, Title string
	// Facts say who asked for it, what the waiting time does, who may accept and object.
	Facts []views.Pair
	Forms []views.PlainForm
	// Open leads to the page that shows it in full; nil where this is it.
	Open *views.Link
}
