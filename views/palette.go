package views

// Palette is what the palette (Ctrl+K) can find beside the requests and actions of
// the page that is open.
type Palette struct {
	// Destinations are the pages that this person's roles may see.
	Destinations []Link
	// Handbook are the pages of docs/.
	Handbook []Link
	// Filters are the ways to look at the queue.
	Filters []Link
	// Searches are addresses to whose end the script adds what was typed.
	Searches []Link
	// Requests is the address in front of a request's id, for example "/t/acme/approvals/".
	Requests string
}
