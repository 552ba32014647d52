package settings

import "github.com/countersign/countersign/views"

// WithoutAsking lists all that lets calls of one agent through.
type WithoutAsking struct {
	Items          []views.SettingsItem
	Back           views.Link
	Title, Summary string
	Sections       []WithoutSection
}

// WithoutSection is one sort of it.
type WithoutSection struct {
	ID, Title string
	// Note says what it is, None that there is none.
	Note, None string
	Rows       []WithoutRow
}

// WithoutRow is one thing that lets calls through.
type WithoutRow struct {
	Name []views.Run
	URL  string
	// What says which calls.
	What []views.Run
	// Used is for example "3 of 20".
	Used string
	// Last, LastISO, Until and UntilISO are a time in words and as RFC 3339; empty: never,
	// and without an end.
	Last, LastISO   string
	Until, UntilISO string
	// Over says that it covers nothing any more; empty while it does.
	Over string
	// End is nil for readers, and where there is no single way.
	End *views.WithoutEnd
}
