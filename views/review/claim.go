package review

import (
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/texts"
)

// ClaimBox says who is on a request, and lets the reader say that they are.
type ClaimBox struct {
	// ID is the approval's id; the element's id is "claim-" + ID.
	ID string
	// Claim is the POST with which the reader takes it; empty where they may not
	// decide. Its field from is Holder.
	Claim string
	// Holder is the id of who is on it now; empty for nobody. You: it is the reader.
	Holder, Name, Initials string
	You                    bool
	// State is for example "Claimed by you" or "Assigned to Mei by Ada"; empty for nobody.
	State string
	// Assigned: somebody asked them to decide it; they did not claim it.
	Assigned bool
	// Release is the POST with which the reader gives it back; empty unless You.
	Release string
	// Left is the time that the claim has left; an assignment has none of its own.
	Left views.TimeLeft
}

// AssignBox asks somebody else to decide. Its fields are from and to.
type AssignBox struct {
	URL string
	// From is the id of who is on it now; empty for nobody.
	From   string
	People []views.Choice
}

// SnoozeBox puts a request aside in the reader's queue, or brings it back.
type SnoozeBox struct {
	// URL is the request: "/snooze" and "/wake" under it are POSTs. Page is where waking leads.
	URL, Page string
	// Until says until when it is aside; empty where it is not.
	Until   []views.Run
	Choices []SnoozeChoice
}

// SnoozeChoice is how long.
type SnoozeChoice struct {
	Value string
	Label []views.Run
}

// SnoozedRow is a row that is aside, the POST that brings it back, and where that leads.
type SnoozedRow struct {
	QueueRow
	Until      []views.Run
	Wake, Back string
}

func (c ClaimBox) silent() bool { return c.Holder == "" && c.Claim == "" }

// lookingToo are the people in a row beyond those that are drawn.
func lookingToo(say texts.Printer, row QueueRow) string {
	return say.Say("and %d more are viewing", row.LookingMore)
}
