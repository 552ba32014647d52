package review

import "github.com/countersign/countersign/views"

// Comparison says how the act differs from another one: from the one that it
// answers, or from what the agent proposed. Only what differs is listed; the whole
// act stands above.
type Comparison struct {
	// ID is unique on the page.
	ID, Title string
	// Chip is for example "2 differ"; empty for none.
	Chip string
	// Note is a sentence below the title: who did what, and why.
	Note []views.Run
	// Link leads to the other act; nil for none.
	Link *views.Link
	// Steps are how one became the other; empty for none.
	Steps []views.TrailStep
	// Column heads the values of the other act.
	Column string
	// Rows have Differs set. None stands in their place where there are none.
	Rows []ArgumentRow
	None string
}

// Edit is the form that changes the arguments of a request. It POSTs arguments,
// digest and version to URL.
type Edit struct {
	URL, Page       string
	Digest, Version string
	// Sentence is the request's heading, Level its level.
	Sentence []views.Run
	Level    views.Level
	Left     views.TimeLeft
	Notices  []views.Notice
	// Text is the arguments as JSON, or what was typed before a refusal. Hidden
	// characters are written as \u escapes in it.
	Text string
	// Error is shown at the field; empty for none.
	Error string
	// Rows is how many lines the field shows.
	Rows int
	// Rules say what saving does.
	Rules []string
}
