package views

import "github.com/a-h/templ"

// Help is the page of shortcuts and explanations.
type Help struct {
	// Levels are what each level asks here, lowest first.
	Levels []HelpLevel
	// Bands is the reference table of pattern scores.
	Bands []ScoreBand
	// Handbook are the pages of docs/.
	Handbook []Link
	// Policy leads to the policy that says so; empty for whoever may not read it.
	Policy string
}

// HelpLevel is a level under this organisation's policy.
type HelpLevel struct {
	Level Level
	// From is the score at which it begins, "0.300".
	From string
	// Asks is what a person does to approve, "three questions".
	Asks string
	// People is how many must approve, Read the shortest time to read first ("10 s"),
	// Waits how long a request waits at most ("15:00"). Each is empty where there is none.
	People, Read, Waits string
}

// Handbook is a page of docs/.
type Handbook struct {
	Title string
	Parts []Link
	Body  templ.Component
}
