package views

// WaitingSettings lists what waits for somebody else to accept it.
type WaitingSettings struct {
	Items   []SettingsItem
	Summary string
	Notices []Notice
	Errors  []FieldError
	Changes []WaitingChange
	// None says that nothing waits.
	None string
}

// WaitingChange is one of them.
type WaitingChange struct {
	// ID names the heading.
	ID, Title string
	// Facts say who asked for it, what the waiting time does, who may accept and object.
	Facts []Pair
	Forms []PlainForm
	// Open leads to the page that shows it in full; nil where this is it.
	Open *Link
}
