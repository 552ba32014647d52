package review

import "github.com/countersign/countersign/views"

// Request is the page of one approval.
type Request struct {
	ID    string
	Level views.Level
	// Score is for example "0.455"; empty while it is sealed, and where Cause decided.
	Score string
	// Sentence is the headline. During a quiz it says nothing of the request.
	Sentence []views.Run
	// Consequence is what follows from it; empty during a quiz.
	Consequence string
	// Untargeted shows "No specific target found".
	Untargeted bool
	Left       views.TimeLeft
	// Time is what stands above it about that.
	Time  TimeBox
	Agent string
	// Function is the name of the called function, from the agent.
	Function []views.Run
	// Environment is the one that the call states; Production makes it stand out.
	Environment string
	Production  bool
	// Submitted is for example "submitted 09:38:11".
	Submitted []views.Run
	// QueueURL and Waiting make the way back on a phone.
	QueueURL string
	Waiting  int
	// Final says that nothing is left to decide. Next leads to the next request that waits;
	// empty for none.
	// Signed that the reader has approved and others are waited for.
	Final, Signed bool
	Next          string
	// Guide leads back to the first steps, where some are left and no request waits; nil for none.
	Guide *views.Link
	// Kept is a reason that was sent too late to count; empty for none.
	Kept string
	// Notices stand above the heading's facts: an error, a lock-out, an outcome.
	Notices []views.Notice
	// Withdraw is the form under the outcome; nil for none.
	Withdraw *Withdraw
	// Card is what the approver reads. It must be nil while a quiz is being
	// answered: then Hidden lists what is out of sight.
	Card *Card
	// Reviewed tells how those who decided had reviewed it; for readers of the trail.
	Reviewed []views.Reviewed
	Hidden   []HiddenPart
	// Newer is nil where its agent did not ask again for the same target, and during a quiz.
	Newer *Newer
	// Decision is nil when the approval is final or the reader may only read.
	Decision *Decision
	// Claim stands in the decision area, or in the rail where there is none; nil when
	// nothing is left to decide.
	Claim *ClaimBox
	// Snooze is nil where there is nothing to put aside.
	Snooze *SnoozeBox
	// Assign is nil where this reader has nobody to ask.
	Assign *AssignBox
	Rail   Rail
}

// HiddenPart names a part of the card that is out of sight during a quiz.
type HiddenPart struct {
	Icon views.Icon
	Name string
	// Count says how much, without values: "6, of which 4 differ".
	Count string
}

// Card is the content of a request, in the order of the page.
type Card struct {
	// Effects are what the call does; nil where nothing was read.
	Effects *Effects
	// Edits are the files that it edits, and how.
	Edits     []EditedFile
	Arguments *Arguments
	// Blocks are code and content.
	Blocks []Block
	// Parts is set when the action is too large for one page.
	Parts *Parts
	// Comparisons are with what the agent proposed, and with what it answers.
	Comparisons []Comparison
	Held        Held
	Claims      []Claim
	// Talk is what is said about it; nil for nothing.
	Talk       *Talk
	Provenance Provenance
}

// Effects is what a call does, what decides first.
type Effects struct {
	Items []Effect
	// More counts those that are not shown; empty for none.
	More string
}

// Effect is one thing that a call does.
type Effect struct {
	// Kind is for example "Deletes", What "drop table" or "user".
	Kind string
	What []views.Run
	// Points are for example "everything", "cannot be undone".
	Points []string
	// Doubt says that only the name speaks; empty where more does.
	Doubt    string
	Evidence []EffectEvidence
}

// EffectEvidence is what an effect was read from. Command is the one of a shell text that
// it was read from; none where there is none. Place is the run that it is marked at
// first, see [views.Run.Place]; 0 where it is not marked on this page.
type EffectEvidence struct {
	Command []views.Run
	Text    []views.Run
	Place   int
}

// Arguments is the typed table of the whole arguments.
type Arguments struct {
	// Shown is for example "5 of 5 shown".
	Shown string
	// Difference is the chip at the end, for example "1 differs from the last
	// approved call"; empty for none.
	Difference string
	// Compared adds the column of the last approved call.
	Compared bool
	Rows     []ArgumentRow
	// Raw is the canonical JSON, folded away; RawSize is for example "171 bytes".
	// RawOpen unfolds it, where it has a page of its own.
	Raw     []views.Run
	RawSize string
	RawOpen bool
}

// ArgumentRow is one leaf of the arguments.
type ArgumentRow struct {
	// Act marks a value of the action itself, so that the page can be read back;
	// false for one that only the last approved call had.
	Act bool
	// Name is the path, for example "filter/user_id" or "ids/2". Whole stands for
	// the arguments themselves, which have none.
	Name  []views.Run
	Whole bool
	// Type is string, number, boolean, null, empty object or empty array.
	Type  string
	Value []views.Run
	// Folded says what is folded away, for example "As sent, 12 lines, 340 bytes", where the
	// value is drawn as a difference above; empty for a value that stands in the open.
	Folded string
	// Findings are remarks below the value, for example about mixed scripts.
	Findings []string
	// Notes are the reasons for the marks in name and value.
	Notes []views.Note
	// ShownAs names the language in which the value is coloured, for example "SQL";
	// empty where it is not.
	ShownAs string
	// Differs marks the row. Was is the other value, struck out; where it is empty
	// WasNote stands there ("the same", "none", "was not there").
	Differs bool
	Was     []views.Run
	WasNote string
	// WasInPart says that Was tells by its runs what of it is gone; otherwise all is.
	WasInPart bool
}

// Block is a longer text of the act: code or content.
type Block struct {
	// ID is unique on the page, for example "code".
	ID    string
	Title string
	// Size is for example "12 lines, 340 bytes".
	Size     string
	Text     []views.Run
	Findings []string
	// Notes are the reasons for the marks, ShownAs the language in which it is coloured.
	Notes   []views.Note
	ShownAs string
	// Difference is the chip at the end, for example "differs from the last approved
	// call"; empty where nothing is compared. Was is the text of that call, folded
	// away, and WasSize its size.
	Difference string
	Was        []views.Run
	WasSize    string
	// Lines are how it differs from that text, line by line; empty where that is too
	// much to tell. LinesNote is for example "2 lines added, 1 removed".
	Lines     []DiffLine
	LinesNote string
}

// DiffLine is a line of a difference.
type DiffLine struct {
	// Change is ChangeNone where both texts have the line.
	Change views.Change
	// Gap stands for lines that both have, for example "12 lines the same"; the others
	// are empty then.
	Gap string
	// Number is that of the line in the text that has it, the newer one where both do.
	Number int
	Text   []views.Run
}

// Parts is the way through an action that is shown on more than one page: its
// sections. Each must be acknowledged by a POST before approving.
type Parts struct {
	// Now and Of count from 1. Raw is the page of the JSON, which is no section; RawURL
	// leads there, and RawSize is for example "60,312 bytes".
	Now, Of         int
	Raw             bool
	RawURL, RawSize string
	// Items has one link for each part.
	Items []Part
	// Ack is the address of the POST that acknowledges this part, with the hidden
	// fields section, digest and version; empty when it was acknowledged.
	Ack             string
	Digest, Version string
	// Left is for example "2 of 5 sections read"; empty for who need not.
	Left string
}

// Part is one page of a large action.
type Part struct {
	URL  string
	Read bool
}

// Held says why the action was held.
type Held struct {
	// Title says what is explained: why it was held, let through or blocked.
	Title string
	// Summary is for example "0.455"; empty while it is sealed.
	Summary string
	// Why names what decided, in one sentence.
	Why []views.Run
	// Open: the score decided, so that it is what explains the level.
	Open bool
	// Sealed, when not empty, says that score and factors are sealed and until
	// when; Bar and Factors must then be empty.
	Sealed  string
	Bar     *ScoreBar
	Factors []Factor
	// Items are matched patterns, rules, and thresholds crossed.
	Items []HeldItem
	// Patterns is the evaluation of the pattern model; nil while it is sealed.
	Patterns *views.PatternModel
}

// ScoreBar is the score on its scale. All numbers are thousandths.
type ScoreBar struct {
	Score, Medium, High, Critical int
	// Raised is the level in the end where it is above that of the score, Cause what made
	// it so; LevelNone for none.
	Raised views.Level
	Cause  string
}

// Factor is one factor of the score.
type Factor struct {
	Name string
	// Thousandths are what it contributes, which the bar draws: of Most, the largest one.
	Thousandths, Most int
	// Contribution is for example "destructive 0.95 × 0.30 = 0.285".
	Contribution string
	Why          []views.Run
}

// HeldItem is one reason: a pattern, a rule, a threshold, the policy.
type HeldItem struct {
	Icon views.Icon
	// Kind and Name make the title: "Rule" "drop_database".
	Kind, Name string
	Text       []views.Run
	// Tag is for example "CRITICAL" or "critical, confirm"; may be empty.
	Tag string
	// Place is the run that it is marked at first, see [views.Run.Place]; 0 where it is not
	// marked on this page.
	Place int
}

// Claim is free text of the agent, marked as claimed and not checked.
type Claim struct {
	// Title is for example "Justification" or "Docstring".
	Title string
	Text  []views.Run
}

// Provenance says where the action comes from.
type Provenance struct {
	// Facts are agent, owner and session, Identifiers what only machines compare.
	Facts, Identifiers []views.Fact
	// Trail is the chain of revisions, or the steps that led here.
	Trail []views.TrailStep
	// Agent leads to the page of the agent, Ticket to the ticket that the call names; nil
	// for none.
	Agent, Ticket *views.Link
}

// Rail is the context beside the request. Empty parts are left out.
type Rail struct {
	// Looking are the people who have the request open.
	Looking []views.Onlooker
	// Approvals says how many are needed and given.
	Approvals []views.Pair
	// Past are figures about calls of this kind. During a quiz and before it Past
	// must be empty and PastSealed says until when. At CRITICAL always.
	Past       []views.Pair
	PastNote   string
	PastSealed string
	// Session is what else the session did; nil where that is nothing.
	Session *Session
	// WhoMay says who may decide, and who may not and why.
	WhoMay string
	// Told says who was called, and what came of it; nil where nobody is.
	Told *ToldBlock
	// Ahead leads to a standing grant for calls like this one; nil for none.
	Ahead *views.Link
	// Always leads to an entry of the function registry for calls like this one; nil for
	// none.
	Always *views.Link
	// Without leads to all that runs of this agent without asking; may be nil.
	Without *views.Link
	// Bind leads to where the agent is bound to the folder of this call; nil where it is
	// bound, or runs no commands.
	Bind *views.Link
}

// Session is the timeline of a session, oldest first.
type Session struct {
	// All leads to the page of the session.
	All views.Link
	// Note is for example "12 actions".
	Note  string
	Steps []views.TrailStep
	// Earlier and Later lead to more of them; nil for none.
	Earlier, Later *views.Link
	// Sealed says what is left out of the steps, and why; empty for nothing.
	Sealed string
}

// Newer is a later request of the same agent for the same function and target.
type Newer struct {
	Notice views.Notice
	// Difference is for example "version → v42", and URL leads to it.
	Difference []views.Run
	URL        string
}
