package review

import "github.com/countersign/countersign/views"

// Ask says what the reader must do to approve.
type Ask uint8

const (
	// AskNothing means that this reader cannot approve; Refused says why. Deny and
	// Request changes stay where their forms are set. It covers locked out, not
	// eligible, unread parts and an unsupported challenge.
	AskNothing Ask = iota
	// AskConfirm is one deliberate click.
	AskConfirm
	// AskQuizStart offers the button "Start questions".
	AskQuizStart
	// AskQuiz shows one question; everything else is out of sight.
	AskQuiz
	// AskQuizPassed is one click after all answers were right.
	AskQuizPassed
	// AskExplicit is the typed target and the consequences.
	AskExplicit
)

// Decision is the decision area. The verdicts are POSTed to URL with the hidden
// fields verdict, digest, version and challenge.
type Decision struct {
	URL string
	// Page is the request's own page, where "Back" leads after a refusal.
	Page string
	// Digest is the shown digest, Version the approval's version as seen and
	// Challenge the id of the issued challenge (empty where there is none).
	Digest, Version, Challenge string
	// Reader is the id of whoever opened the page: a decision is taken from nobody else.
	Reader string
	Ask    Ask
	// Object completes the labels: "Approve: " + Object, "Deny: " + Object. It is
	// verb and object, for example "delete this user", and holds no value of the
	// action while the quiz is open.
	Object []views.Run
	// Note says what Approve waits for, for example "Approve unlocks in 3 s.
	// Click or press Space."
	Note string
	// Refused says why approve is closed; it replaces Note.
	Refused string
	// NotBefore is the RFC 3339 time before which approve is too early; empty for
	// none. The script keeps the button disabled until then; the server answers
	// 425 in any case. NotBeforeText is for example "10 s".
	NotBefore     string
	NotBeforeText string
	// Start is the POST of "Start questions" (AskQuizStart).
	Start string
	// Quiz is set with AskQuiz only.
	Quiz *Quiz
	// Explicit is set with AskExplicit only.
	Explicit *Explicit
	// Also is nil where no identical requests wait.
	Also *Also
	// Next is nil where nothing like it can be let through with the decision.
	Next *NextField
	// Word is the note that goes with an approval.
	Word *WordField
	// Edit is the page on which the arguments can be changed; empty where this
	// reader may not, or the policy does not allow it.
	Edit string
	// Extend is nil where this reader cannot give it more time.
	Extend *Extend
	// Deny and Changes are nil where this reader may not use them.
	Deny, Changes *ReasonForm
}

// approveForm is the id of the form of a click: its box for identical requests is above the
// request.
const approveForm = "approve-form"

// quiet reports whether the note is in the button's description alone, until it is asked for:
// the button says that it waits.
func (d Decision) quiet() bool { return d.Ask == AskConfirm || d.Ask == AskQuizPassed }

// alsoAbove reports whether the box for identical requests is above the request: at the
// explicit confirmation it is one of its steps.
func (d Decision) alsoAbove() bool { return d.Also != nil && d.quiet() && d.Refused == "" }

// takesWord reports whether the row of buttons takes a note: at the explicit confirmation it is
// one of its steps.
func (d Decision) takesWord() bool { return d.Refused == "" && d.Word != nil && d.quiet() }

// WordField is a note to the agent. Its field is reason.
type WordField struct {
	Required    bool
	Open        bool // else it is in a panel of its own
	Text, Error string
}

// NextField chooses how many more like it are let through in the same session.
type NextField struct {
	Name    string
	Options []views.Choice
	Hint    string
}

// ReasonForm is the form of a denial or of a request for changes. Its field is
// reason.
type ReasonForm struct {
	// Open shows the form at once, after a refusal.
	Open bool
	// Text is what was written before the refusal.
	Text string
	// Error is shown at the field; empty for none.
	Error string
	// Reasons are the chips that fill the text.
	Reasons []string
}

// Extend is the form for more time, once. Its fields are seconds and reason.
type Extend struct {
	URL   string
	Times []views.Choice
	Form  ReasonForm
}

// Withdraw is the form that takes back a yes. Its field is reason.
type Withdraw struct {
	URL string
	// Page is where "Back" leads, Reader the id of whoever opened the page.
	Page, Reader string
	Form         ReasonForm
}

// TimeBox is the time that a request has left, and who gave it more.
type TimeBox struct {
	// ID is the approval's id; the elements are "time-" + ID and "extended-" + ID.
	ID   string
	Left views.TimeLeft
	// May: the reader can extend it.
	May bool
	// Extended says who did, until when and why, and when it ends where only working hours count.
	Extended []views.Run
}

// Quiz is one question. Its form POSTs challenge, question and option to URL.
type Quiz struct {
	URL string
	// Leave is the POST of "Read again".
	Leave     string
	Challenge string
	// Question is the value of the field question; Number and Of count from 1.
	Question   string
	Number, Of int
	// Attempt is for example "Attempt 1 of 2 · 5 minutes".
	Attempt string
	// Text is the question.
	Text string
	// Options are four; Value is what is sent.
	Options []Option
}

// Option is one answer. Nothing but its text may tell it from the others.
type Option struct {
	Value string
	Text  []views.Run
}

// Explicit is the confirmation at CRITICAL. Its fields are target and
// consequence-0, consequence-1 and so on.
type Explicit struct {
	// Fresh is how many minutes old the sign-in may be; 0 for any. The script asks for the
	// password on the page, the server refuses in any case.
	Fresh int
	// Say is what must be typed; Shown is how the page shows it. Where the target
	// is longer than 64 characters Say is its last 24 and Tail is set.
	Say   string
	Shown []views.Run
	Tail  bool
	// Typed is what was typed before a refusal, Error what was wrong with it.
	Typed, Error string
	// Paste allows pasting: for targets that few keyboards can type.
	Paste        bool
	Consequences []Consequence
	// Needed and Given count approvals; Signatures is empty when one is enough.
	Needed, Given int
	Signatures    []Signature
}

// Consequence is one box to tick; the field is "consequence-" and its index.
type Consequence struct {
	Text    []views.Run
	Checked bool
}

// Signature is one of several approvals, given or still open.
type Signature struct {
	Name, Initials string
	// Note is for example "approved 09:38:06".
	Note  []views.Run
	Given bool
}
