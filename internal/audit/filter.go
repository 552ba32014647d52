package audit

import (
	"strings"
	"time"

	"github.com/countersign/countersign/internal/canon"
)

// Filter chooses events of one tenant. Its zero value chooses all of them; a
// field that is set narrows, and none widens another one.
type Filter struct {
	Kinds []Kind
	// Actor is who did it. Without an ID it is everybody of that kind; without a
	// Kind it is nobody in particular, and ID is not looked at.
	Actor    Actor
	Agent    string // agent id
	Approval string
	Levels   []string
	Effects  []string // kinds
	// Function is a function's whole name, or with Prefix how it begins.
	Function string
	Prefix   bool
	From, To time.Time // From ≤ At < To; zero: no bound
	// Text stands somewhere in the bytes, in capital or small letters. There is no
	// index for it: whoever looks for a text reads events, so many at a time.
	Text string
	// About stands somewhere in what a request says, and Among are the requests in which it
	// does: whoever asks finds them first. Events about others are left out.
	About string
	Among []string
}

// Whole reports whether the filter chooses everything.
func (f Filter) Whole() bool {
	return len(f.Kinds) == 0 && f.Actor.Kind == "" && f.Agent == "" && f.Approval == "" && len(f.Levels) == 0 && len(f.Effects) == 0 &&
		f.Function == "" && f.From.IsZero() && f.To.IsZero() && f.Text == "" && f.About == ""
}

// HoldsText reports whether the text of the filter is in an event's bytes. What
// was typed is looked for as it is and as JSON writes it, so that a quotation
// mark finds itself.
func (f Filter) HoldsText(bytes string) bool {
	if f.Text == "" {
		return true
	}
	bytes = strings.ToLower(bytes)
	plain := strings.ToLower(f.Text)
	if strings.Contains(bytes, plain) {
		return true
	}
	written := string(canon.String(f.Text).Canonical())
	written = strings.ToLower(written[1 : len(written)-1])
	return written != plain && strings.Contains(bytes, written)
}

// Data is the filter as an event of its own use tells it.
func (f Filter) Data() canon.Value {
	var kinds, from, to canon.Value
	if len(f.Kinds) > 0 {
		list := make([]canon.Value, len(f.Kinds))
		for i, k := range f.Kinds {
			list[i] = canon.String(string(k))
		}
		kinds = canon.Array(list...)
	}
	if !f.From.IsZero() {
		from = canon.String(FormatTime(f.From))
	}
	if !f.To.IsZero() {
		to = canon.String(FormatTime(f.To))
	}
	function, prefix := text(f.Function), canon.Value{}
	if f.Prefix {
		function, prefix = prefix, function
	}
	actorID := f.Actor.ID
	if f.Actor.Kind == "" {
		actorID = ""
	}
	return canon.Object(
		canon.Member{Name: "kinds", Value: kinds},
		canon.Member{Name: "actor_kind", Value: text(f.Actor.Kind)},
		canon.Member{Name: "actor", Value: text(actorID)},
		canon.Member{Name: "agent", Value: text(f.Agent)},
		canon.Member{Name: "approval", Value: text(f.Approval)},
		canon.Member{Name: "levels", Value: list(f.Levels)},
		canon.Member{Name: "effects", Value: list(f.Effects)},
		canon.Member{Name: "function", Value: function},
		canon.Member{Name: "function_begins", Value: prefix},
		canon.Member{Name: "from", Value: from},
		canon.Member{Name: "to", Value: to},
		canon.Member{Name: "text", Value: text(f.Text)},
		canon.Member{Name: "about", Value: text(f.About)},
	)
}

// list is an array of texts, or Absent where there are none.
func list(texts []string) canon.Value {
	if len(texts) == 0 {
		return canon.Value{}
	}
	all := make([]canon.Value, len(texts))
	for i, s := range texts {
		all[i] = canon.String(s)
	}
	return canon.Array(all...)
}

// Query is one look into a tenant's trail: a page of what a filter chooses.
type Query struct {
	Filter
	// Edge is the index at which the page before ended: only events below it are
	// looked at, upward only those above. −1 begins at the newest, upward at the
	// oldest.
	Edge   int64
	Upward bool
	Limit  int // how many events to return; at least 1
	// Window is how many events may be read one by one where no index answers the
	// whole filter; 0 means SearchWindow.
	Window int
}

// SearchWindow bounds one look: so many events are read in a few hundredths of a
// second.
const SearchWindow = 5000

// Page is what one look found.
type Page struct {
	Records []Record // newest first; upward oldest first
	// Next is the Edge with which to go on: the last record's index when the page
	// is full, else the last index that was looked at.
	Next int64
	// Done says that nothing is left on that side. Otherwise the page is full, or
	// the look ended because it had read enough (see Searched).
	Done bool
	// Searched is how many events were read one by one, because no index answers
	// the whole filter; 0 when one did.
	Searched int
}
