package views

// Reviewed is how one person reviewed an action before deciding about it, as the
// trail tells of it.
type Reviewed struct {
	// Title is who, and what they said, for example "Priya Raman approved"; Summary is
	// in short how, for example "read for 1:12, answered 3 of 3".
	Title   []Run
	Summary string
	// Tags are what stands out, for example "single person".
	Tags []string
	// Fields are when, how long, what was typed, and so on.
	Fields []Pair
	// Sections are those that were acknowledged, of SectionsOf; none for a short action.
	Sections   []ReviewedSection
	SectionsOf string
	Quizzes    []ReviewedQuiz
	// Ticked are the consequences that were ticked.
	Ticked [][]Run
	// Hash is the SHA-256 of the text that was shown, in hex. Same says that the text on
	// this page has the same; Other that it has another one. Both are false where the
	// text is not on the page.
	Hash        string
	Same, Other bool
}

// ReviewedSection is one acknowledged section: its number and when.
type ReviewedSection struct{ Number, When, ISO string }

// ReviewedQuiz is one set of questions that was answered.
type ReviewedQuiz struct {
	// Title is for example "Attempt 1"; Result for example "3 of 3 right".
	Title, Result string
	Passed        bool
	// When is when it was begun.
	When, ISO string
	Questions []ReviewedQuestion
}

// ReviewedQuestion is a question as it was put.
type ReviewedQuestion struct {
	Prompt []Run
	// Took is for example "answered after 7.0 s".
	Took    string
	Options []ReviewedOption
}

// ReviewedOption is one of the answers to choose from.
type ReviewedOption struct {
	Text          []Run
	Right, Chosen bool
}
