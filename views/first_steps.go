package views

// FirstSteps stands in the place of the request until an agent has asked for the
// first time.
type FirstSteps struct {
	Steps []Step
}

// Step is one of them.
type Step struct {
	Title string
	Text  string
	// Done crosses it off.
	Done   bool
	Action *Link
	// Example is something to copy.
	Example *Secret
}
