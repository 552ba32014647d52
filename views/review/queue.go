package review

import (
	"strings"
	"unicode"

	"github.com/countersign/countersign/views"
)

// Queue is the list of waiting approvals, as the queue page and the left column
// of a request page show it.
type Queue struct {
	// URL is the queue page; the search form is a GET to it with q.
	URL string
	// Rows is a GET that answers with a page whose #rows holds the current list,
	// usually the queue page itself (with ?open=ID on a request page, so that the
	// open row keeps its mark). The "N new" button asks it.
	Rows string
	// Tools are the filters over the list; nil beside a request.
	Tools *QueueTools
	// Saved are the reader's own filters; nil without any, and beside a request.
	Saved *views.SavedFilters
	// Order says how the list is sorted; Sort leads to the other order, nil for none.
	Order string
	Sort  *views.Link
	// Pages lead on and back; nil where there is one page.
	Pages *QueuePages
	// Select leads to the list with boxes; empty for readers.
	Select string
	// Mine leads to what the reader claimed or was assigned.
	Mine string
	// Count is how many wait in all, drawn by [views.CountText].
	Count int
	// Query is the search that the groups were filtered by; empty for none.
	Query  string
	Groups []QueueGroup
	// Done says what the form before this page did; empty for nothing.
	Done string
	// Snoozed is what the reader put aside, under the list.
	Snoozed []SnoozedRow
	// Empty is shown in place of the list when there are no rows: nothing waits,
	// or nothing matches the query.
	Empty *views.Empty
	// Loading shows a skeleton in place of the list.
	Loading bool
	// Today is what became of requests today; empty while questions are answered.
	Today []views.Pair
	// TodayUTC says that the day is that of UTC, since nothing is known of the reader's clock.
	TodayUTC bool
	// First is set until an agent has asked for the first time, for whoever can help
	// it to.
	First *FirstSteps
}

// QueueTools narrow the list; they are part of the form of the search.
type QueueTools struct {
	Fields []views.FilterField
	// Open shows the fields: something of them is wrong.
	Open     bool
	Problems []views.FieldError
	Chips    []views.FilterChip
}

// QueuePages stand under a list that does not show everything.
type QueuePages struct {
	// Label says what is shown, for example "50 of 2,000 here".
	Label string
	// First leads to the first page, Next to the one after this; empty for none.
	First, Next string
}

// QueueGroup is a session with its waiting approvals.
type QueueGroup struct {
	// ID is unique in the list and made of letters, digits, "-" and "_".
	ID string
	// Title is the session's name or id, from the agent.
	Title []views.Run
	// Note follows at the end, for example "ses_9F4T · 2".
	Note string
	// Alert says that the score of the session is above what the policy accepts, and leads
	// to the session; nil where it is not.
	Alert *views.Link
	Rows  []QueueRow
}

// QueueRow is one approval in the list. The page and the push draw the same
// component.
type QueueRow struct {
	// ID is the approval's id; the element's id is "approval-" + ID.
	ID    string
	URL   string
	Level views.Level
	// Sentence is the first line of the headline's row, Rest what stands smaller below it, and Consequence what
	// follows. While this reader answers its quiz none says anything of the request, and Sealed must be set.
	Sentence    []views.Run
	Rest        []views.Run
	Consequence string
	// Fold is equal for rows of which a list shows one; empty for one of its own.
	Fold string
	// Alike is for example "2 identical pending"; empty for none.
	Alike       string
	Agent       string
	Environment string
	// Production makes the environment stand out.
	Production bool
	Left       views.TimeLeft
	// Given is for example "1 of 2" where more than one approval is needed.
	Given string
	// Needs is for example "Needs 1 of security"; empty where it doesn't matter who approves.
	Needs     string
	NeedsTone views.Tone
	// Looking are the others who have it open, LookingMore how many there are beside
	// those.
	Looking     []views.Person
	LookingMore int
	// Claim is for example "Mei Tanaka is on it, 9 min left"; empty for nobody.
	Claim string
	// Claimed is who; nil for nobody. Assigned: it is the reader, whom somebody else asked.
	Claimed  *views.Person
	Assigned bool
	// Newer is for example "Newer request", where its agent has asked again for the same target; else empty.
	Newer string
	// Unreached is for example "No one was reached"; empty where somebody was, or nobody is called.
	Unreached string
	// Gone is for example "left 3 min ago" where the agent no longer waits; else empty.
	Gone string
	// Done is set when it was decided: the row fades and says who and when.
	Done *RowDone
	// Current marks the row of the open request.
	Current bool
	// Sealed says that its values are out of sight while this reader answers a quiz.
	Sealed bool
	// Fixed gives the element the id "sealed-" + ID, which no push has: on the page
	// of a quiz no row may be unsealed before the answers are in.
	Fixed bool
}

// times is Alike where there is little place: "2×".
func (r QueueRow) times() string {
	n := strings.TrimFunc(r.Alike, func(r rune) bool { return !unicode.IsDigit(r) })

	return n + "×"
}

// RowDone says how a row ended.
type RowDone struct {
	// Text is for example "Denied by Mei Tanaka" or "Expired".
	Text string
	// When is for example "12 s ago", ISO the time itself as RFC 3339.
	When, ISO string
}
