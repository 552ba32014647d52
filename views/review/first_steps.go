package review

import "github.com/countersign/countersign/views"

// FirstSteps stands in the place of the request until the organisation works.
type FirstSteps struct {
	Steps []Step
	// Done counts those that are.
	Done int
	// Close is where the person closes it for good (POST).
	Close string
}

// Step is one of them.
type Step struct {
	Title string
	Text  string
	// Done crosses it off.
	Done   bool
	Action *views.Link
	// Post is a button that sends a form with nothing in it.
	Post *views.Link
	// Examples are things to copy; the first one is open.
	Examples []views.Secret
}

// open is the first step that is not done: the one with the primary button.
func (f FirstSteps) open(i int) bool {
	for n, s := range f.Steps {
		if !s.Done {
			return n == i
		}
	}
	return false
}
