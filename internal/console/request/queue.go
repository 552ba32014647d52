package request

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/console/filter"
	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/internal/console/untrusted"
	"github.com/countersign/countersign/internal/console/urls"
	shown "github.com/countersign/countersign/internal/scoring/headline"
	"github.com/countersign/countersign/internal/tenants"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/review"
	"github.com/countersign/countersign/views/texts"
)

// RowOf is one approval in the list. While the reader answers a quiz, its own row names verb
// and kind only, and every other one of that agent its level.
func RowOf(say texts.Printer, l approvals.Line, now time.Time) review.QueueRow {
	first, rest := shown.Lines(l.Words.Parts)
	row := review.QueueRow{
		ID: l.ID, URL: urls.Request(l.Tenant, l.ID), Level: present.LevelOf(l.Level),
		Sentence: present.HeadlineOf(say, first), Rest: present.HeadlineOf(say, rest), Consequence: present.ConsequenceOf(say, l.Words.Consequence, l.Words.Reversible), Agent: l.Agent.Name,
		Environment: present.Flat(say, l.Words.Environment), Production: present.IsProduction(l.Words.Environment),
	}
	if l.Covered {
		row = covered(say, row, l)
	}
	if l.Status.Final() {
		row.Done, row.Rest = doneOf(say, l, now), nil
		return row
	}
	row.Left, row.Given, row.Fold = present.TimeBetween(say, l.CreatedAt, l.ExpiresAt, now), givenOf(say, l.Signed, l.Required), FoldOf(l)
	if !l.Covered { // a team can tell where a call runs
		row.Needs, row.NeedsTone = rowNeeds(say, l)
	}
	if l.Newer != "" && !l.Covered {
		row.Newer = say.Say("Newer request")
	}
	if l.Identical > 1 {
		row.Alike = say.Say("%d identical pending", l.Identical)
	}
	return row
}

// FoldOf is equal for requests that are one row: the same act, treated the same and signed by
// as many. It is empty for one that an operator edited, and while the reader answers
// questions: it would tell which others are the same.
func FoldOf(l approvals.Line) string {
	if l.Edited || l.Covered {
		return ""
	}
	h := sha256.New()
	fmt.Fprintf(h, "%q %q %q %d %t %d %d", l.Agent.ID, l.Digest, l.ShownDigest, l.Level, l.Quiz, l.Required, l.Signed)
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// missingKey is equal where the same people are missing.
func missingKey(l approvals.Line) (key string) {
	for _, n := range l.Needed {
		key += fmt.Sprintf("%q %q %d %d;", n.Team, n.People, n.Missing(), len(n.Able))
	}
	return key
}

// covered takes every value out of a row.
func covered(say texts.Printer, row review.QueueRow, l approvals.Line) review.QueueRow {
	row.Sealed, row.Sentence, row.Rest, row.Consequence, row.Agent, row.Environment, row.Production = true, untrusted.Runs(say.Say("Another request")), nil, "", "", "", false
	if l.Asking {
		row.Sentence = untrusted.Runs(say.Say("The request whose questions you're answering"))
	}
	return row
}

func doneOf(say texts.Printer, l approvals.Line, now time.Time) *review.RowDone {
	d := &review.RowDone{Text: say.Key(present.VerdictWords[l.Status])}
	if l.Decision == nil {
		return d
	}
	if l.Status != approvals.Expired {
		d.Text = say.Key(present.VerdictBy[l.Status], present.Deciders(say, l.Decision))
	}
	d.When, d.ISO = ago(say, now.Sub(l.Decision.DecidedAt)), l.Decision.DecidedAt.Format(present.IsoForm)
	return d
}

// ago is "12 s ago", in the largest unit that fits.
func ago(say texts.Printer, d time.Duration) string {
	switch d = max(d, 0); {
	case d < time.Second:
		return say.Say("now")
	case d < time.Minute:
		return say.Say("%d s ago", int(d.Seconds()))
	case d < time.Hour:
		return say.Say("%d min ago", int(d.Minutes()))
	default:
		return say.Say("%d h ago", int(d.Hours()))
	}
}

// Queue is a page of the list, grouped by session. The groups stand in the order of
// their most pressing member.
type Queue struct {
	Say     texts.Printer
	Tenant  string
	Page    approvals.QueuePage
	Filter  Filter
	Open    string          // the request that is open beside the list
	Me      string          // id of the reader
	Address *filter.Address // of the queue page; nil beside a request
	Names   tenants.Names   // on the queue page
}

func (q Queue) here() string { return urls.Queue(q.Tenant) }

// Row draws a line for this reader.
func (q Queue) Row(l approvals.Line) review.QueueRow {
	row := AttentionTo(q.Page.Attention, l.ID, q.Me).In(q.Say, RowOf(q.Say, l, q.Page.Now))
	row.Current = l.ID == q.Open
	row.Fixed = row.Current && l.Asking
	if digest := strings.TrimPrefix(l.ShownDigest, "sha256:"); !row.Sealed && len(digest) > 6 && q.readsLike(l) {
		row.Sentence = append(row.Sentence, untrusted.Runs(" · "+digest[:6])...)
	}
	return row
}

// readsLike reports whether another act in this list has the same sentence: then the start
// of the digest tells them apart.
func (q Queue) readsLike(l approvals.Line) bool {
	return slices.ContainsFunc(q.Page.Lines, func(o approvals.Line) bool {
		return !o.Covered && o.Words.Text() == l.Words.Text() && o.ShownDigest != l.ShownDigest
	})
}

// Print is another one for every list that is drawn otherwise, but for the time that
// is left. It is empty where a quiz is open: what is out of sight changes with it.
func (q Queue) Print() string {
	if q.Page.Answering {
		return ""
	}
	h := fnv.New128a()
	fmt.Fprintln(h, q.Page.Total)
	for _, l := range q.Page.Lines {
		fmt.Fprintln(h, l.ID, l.Version, l.Signed, missingKey(l), l.Identical, l.Newer != "", l.Asking, AttentionTo(q.Page.Attention, l.ID, q.Me).Print(), q.Page.Alerts.Of(l.Agent.ID, l.Session))
	}
	for _, l := range q.Page.Snoozed {
		fmt.Fprintln(h, l.ID, AttentionTo(q.Page.Attention, l.ID, q.Me).Print())
	}
	return hex.EncodeToString(h.Sum(nil))
}

// View groups the rows by session; identical ones of several are in that of the first.
func (q Queue) View() review.Queue {
	v := review.Queue{
		URL: q.here(), Rows: q.Rows("", "open", q.Open), Count: q.Page.Total, Query: q.Filter.text,
	}
	at, lines := map[string]int{}, map[string]int{}
	for _, l := range q.Page.Lines {
		key := l.Agent.ID + "\x00" + l.Session
		if q.Filter.Soonest || q.Page.Answering {
			key = ""
		}
		n, ok := at[key]
		if !ok {
			n = len(v.Groups)
			at[key] = n
			g := groupOf(q.Say, l, key)
			if key == "" {
				g = review.QueueGroup{ID: "soonest", Title: untrusted.Runs(q.Say.Say("All sessions"))}
			} else if l.Session != "" && q.Page.Alerts.Of(l.Agent.ID, l.Session) {
				g.Alert = &views.Link{Label: q.Say.Say("score above %d", q.Page.Alerts.Above), URL: urls.Session(q.Tenant, l.Agent.ID, l.Session) + "#score"}
			}
			v.Groups = append(v.Groups, g)
		}
		lines[v.Groups[n].ID] += 1 + len(l.Also)
		v.Groups[n].Rows = append(v.Groups[n].Rows, q.Row(l))
	}
	whole := q.Page.Next == nil && q.After() == nil && !q.Filter.Narrows()
	for i := range v.Groups {
		n := lines[v.Groups[i].ID]
		switch {
		case !whole: // the session may go on elsewhere
			v.Groups[i].Note = strings.TrimPrefix(v.Groups[i].Note+" · "+q.Say.Say("%d here", n), " · ")
		case n > 1:
			v.Groups[i].Note = strings.TrimPrefix(v.Groups[i].Note+" · "+fmt.Sprint(n), " · ")
		}
	}
	v.Snoozed = SnoozedRows(q.Say, q.Page.Snoozed, q.Page.Attention, q.Me)
	v.Pages, v.Order, v.Sort = q.pages(), q.Say.Say("Grouped by session, highest risk first"), q.sort()
	switch {
	case q.Filter.Soonest:
		v.Order = q.Say.Say("Least time left first")
	case q.Page.Answering:
		v.Order = q.Say.Say("Other requests of this agent are hidden until you have answered.")
	}
	v.Empty = q.empty(len(v.Groups))
	return v
}

// sort leads to the other order of the list; nil where there is one.
func (q Queue) sort() *views.Link {
	switch {
	case q.Address == nil || q.After() != nil:
		return nil
	case q.Filter.Soonest:
		return &views.Link{Label: q.Say.Say("Sort by risk"), URL: q.Rows("", "sort", "")}
	}
	return &views.Link{Label: q.Say.Say("Sort by time left"), URL: q.Rows("", "sort", "time")}
}

// Rows is an address under the queue with its filter, without its page.
func (q Queue) Rows(under string, changes ...string) string {
	if q.Address == nil {
		a := filter.Take(q.Say, nil, QueueOrder...)
		return a.At(q.here()+under, changes...)
	}
	return q.Address.At(q.here()+under, append([]string{"after", "", "select", "", "pick", ""}, changes...)...)
}

// After is where this page begins; nil at the beginning.
func (q Queue) After() *approvals.Place {
	if q.Address == nil {
		return nil
	}
	return q.Filter.After
}

// pages leads on and back; nil where there is one page.
func (q Queue) pages() *review.QueuePages {
	if q.Page.Next == nil && q.After() == nil {
		return nil
	}
	p := &review.QueuePages{Label: q.Say.Say("Showing %d of %s, highest level first.", q.Page.Found, countText(q.Say, q.Page.Total))}
	if q.Filter.Narrows() {
		p.Label = q.Say.Say("%d matches, highest level first.", q.Page.Found)
		if q.Page.Next != nil && len(q.Page.Lines) < QueuePerPage {
			p.Label = q.Say.Say("Searched %d, found %d.", q.Page.Looked, q.Page.Found)
		}
	}
	if q.Page.Next != nil {
		p.Next = q.Rows("", "open", q.Open, "after", placeText(*q.Page.Next))
	}
	if q.After() != nil {
		p.First = q.Rows("", "open", q.Open)
	}
	return p
}

// groupOf is the head of a session. Its name comes from the agent.
func groupOf(say texts.Printer, l approvals.Line, key string) review.QueueGroup {
	sum := sha256.Sum256([]byte(key))
	g := review.QueueGroup{ID: hex.EncodeToString(sum[:8]), Title: present.Headline(say, l.Session), Note: l.Agent.Name}
	if l.Session == "" {
		g.Title = untrusted.Runs(say.Say("No session"))
	}
	return g
}

// TodayOf is what the queue page says next to the list of what became of requests.
func TodayOf(say texts.Printer, t approvals.Tally) []views.Pair {
	return []views.Pair{
		{Label: say.Say("Decided"), Value: untrusted.Runs(present.Grouped(say, t.Decided()))},
		{Label: say.Say("Expired"), Value: untrusted.Runs(present.Grouped(say, t.Expired))},
		{Label: say.Say("Auto-approved"), Value: untrusted.Runs(present.Grouped(say, t.Allowed))},
		{Label: say.Say("Blocked"), Value: untrusted.Runs(present.Grouped(say, t.Blocked))},
		{Label: say.Say("Median time to decide"), Value: present.FigureRuns(say, present.TimeCell(say, t, 0.5))},
	}
}

func (q Queue) empty(groups int) *views.Empty {
	switch {
	case groups > 0:
		return nil
	case q.After() != nil:
		return &views.Empty{Search: true, Title: q.Say.Say("Nothing here any more"), Text: untrusted.Runs(q.Say.Say("These requests have been decided or moved to the first page.")), Action: &views.Link{Label: q.Say.Say("First page"), URL: q.Rows("")}}
	case len(q.Page.Snoozed) > 0 && !q.Filter.Narrows():
		return &views.Empty{Title: q.Say.Say("Nothing else is waiting"), Text: untrusted.Runs(q.Say.Say("What you snoozed comes back by itself."))}
	case q.Page.Total > 0:
		e := &views.Empty{
			Search: true, Title: q.Say.Say("None of the %s match", countText(q.Say, q.Page.Total)),
			Text: untrusted.Runs(q.Say.Say("Only your search and filters hide requests.")), Action: &views.Link{Label: q.Say.Say("Clear the search"), URL: q.here()},
		}
		if q.Page.Next != nil {
			e.Title = q.Say.Say("None of the first %d match", q.Page.Looked)
		}
		return e
	default:
		return &views.Empty{Title: q.Say.Say("You're all caught up"), Text: untrusted.Runs(q.Say.Say("New requests appear here automatically."))}
	}
}

// countText is how many wait, as far as they are counted.
func countText(say texts.Printer, n int) string { return views.CountText(say, n) }
