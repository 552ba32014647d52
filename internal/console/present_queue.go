package console

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/console/untrusted"
	"github.com/countersign/countersign/internal/tenants"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/review"
	"github.com/countersign/countersign/views/texts"
)

// rowOf is one approval in the list. While the reader answers a quiz, its own row names verb
// and kind only, and every other one of that agent its level.
func rowOf(say texts.Printer, l approvals.Line, now time.Time) review.QueueRow {
	row := review.QueueRow{
		ID: l.ID, URL: requestURL(l.Tenant, l.ID), Level: levelOf(l.Level),
		Sentence: headlineOf(say, l.Words.Parts), Consequence: consequenceOf(say, l.Words.Consequence, l.Words.Reversible), Agent: l.Agent.Name,
		Environment: flat(say, l.Words.Environment), Production: isProduction(l.Words.Environment),
	}
	if l.Covered {
		row = covered(say, row, l)
	}
	if l.Status.Final() {
		row.Done = doneOf(say, l, now)
		return row
	}
	row.Left, row.Given, row.Fold = timeBetween(say, l.CreatedAt, l.ExpiresAt, now), givenOf(say, l.Signed, l.Required), foldOf(l)
	if l.Identical > 1 {
		row.Alike = say.Say("%d identical pending", l.Identical)
	}
	return row
}

// foldOf is equal for requests that are one row: the same act, treated the same and signed by
// as many. It is empty for one that an operator edited, and while the reader answers
// questions: it would tell which others are the same.
func foldOf(l approvals.Line) string {
	if l.Edited || l.Covered {
		return ""
	}
	h := sha256.New()
	fmt.Fprintf(h, "%q %q %q %d %t %d %d", l.Agent.ID, l.Digest, l.ShownDigest, l.Level, l.Quiz, l.Required, l.Signed)
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// covered takes every value out of a row.
func covered(say texts.Printer, row review.QueueRow, l approvals.Line) review.QueueRow {
	row.Sealed, row.Sentence, row.Consequence, row.Agent, row.Environment, row.Production = true, untrusted.Runs(say.Say("Another request")), "", "", "", false
	if l.Asking {
		row.Sentence = untrusted.Runs(say.Say("The request that you answer questions about"))
	}
	return row
}

func doneOf(say texts.Printer, l approvals.Line, now time.Time) *review.RowDone {
	d := &review.RowDone{Text: say.Key(verdictWords[l.Status])}
	if l.Decision == nil {
		return d
	}
	if l.Status != approvals.Expired {
		d.Text = say.Key(verdictBy[l.Status], deciders(say, l.Decision))
	}
	d.When, d.ISO = ago(say, now.Sub(l.Decision.DecidedAt)), l.Decision.DecidedAt.Format(isoForm)
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

// queueOf is a page of the list, grouped by session. The groups stand in the order of
// their most pressing member.
type queueOf struct {
	say     texts.Printer
	tenant  string
	page    approvals.QueuePage
	filter  queueFilter
	open    string        // the request that is open beside the list
	me      string        // id of the reader
	address *listAddress  // of the queue page; nil beside a request
	names   tenants.Names // on the queue page
}

func (q queueOf) here() string { return queueURL(q.tenant) }

// row draws a line for this reader.
func (q queueOf) row(l approvals.Line) review.QueueRow {
	row := attentionTo(q.page.Attention, l.ID, q.me).in(q.say, rowOf(q.say, l, q.page.Now))
	row.Current = l.ID == q.open
	row.Fixed = row.Current && l.Asking
	if digest := strings.TrimPrefix(l.ShownDigest, "sha256:"); !row.Sealed && len(digest) > 6 && q.readsLike(l) {
		row.Sentence = append(row.Sentence, untrusted.Runs(" · "+digest[:6])...)
	}
	return row
}

// readsLike reports whether another act in this list has the same sentence: then the start
// of the digest tells them apart.
func (q queueOf) readsLike(l approvals.Line) bool {
	return slices.ContainsFunc(q.page.Lines, func(o approvals.Line) bool {
		return !o.Covered && o.Words.Text() == l.Words.Text() && o.ShownDigest != l.ShownDigest
	})
}

// print is another one for every list that is drawn otherwise, but for the time that
// is left. It is empty where a quiz is open: what is out of sight changes with it.
func (q queueOf) print() string {
	if q.page.Answering {
		return ""
	}
	h := fnv.New128a()
	fmt.Fprintln(h, q.page.Total)
	for _, l := range q.page.Lines {
		fmt.Fprintln(h, l.ID, l.Version, l.Signed, l.Identical, l.Asking, attentionTo(q.page.Attention, l.ID, q.me).print(), q.page.Alerts.Of(l.Agent.ID, l.Session))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// view groups the rows by session; identical ones of several are in that of the first.
func (q queueOf) view() review.Queue {
	v := review.Queue{
		URL: q.here(), Rows: q.rows("", "open", q.open), Count: q.page.Total, Query: q.filter.text,
	}
	at, lines := map[string]int{}, map[string]int{}
	for _, l := range q.page.Lines {
		key := l.Agent.ID + "\x00" + l.Session
		if q.filter.soonest || q.page.Answering {
			key = ""
		}
		n, ok := at[key]
		if !ok {
			n = len(v.Groups)
			at[key] = n
			g := groupOf(q.say, l, key)
			if key == "" {
				g = review.QueueGroup{ID: "soonest", Title: untrusted.Runs(q.say.Say("All sessions"))}
			} else if l.Session != "" && q.page.Alerts.Of(l.Agent.ID, l.Session) {
				g.Alert = &views.Link{Label: q.say.Say("score above %d", q.page.Alerts.Above), URL: sessionOneURL(q.tenant, l.Agent.ID, l.Session) + "#score"}
			}
			v.Groups = append(v.Groups, g)
		}
		lines[v.Groups[n].ID] += 1 + len(l.Also)
		v.Groups[n].Rows = append(v.Groups[n].Rows, q.row(l))
	}
	whole := q.page.Next == nil && q.after() == nil && !q.filter.narrows()
	for i := range v.Groups {
		n := lines[v.Groups[i].ID]
		switch {
		case !whole: // the session may go on elsewhere
			v.Groups[i].Note = strings.TrimPrefix(v.Groups[i].Note+" · "+q.say.Say("%d here", n), " · ")
		case n > 1:
			v.Groups[i].Note = strings.TrimPrefix(v.Groups[i].Note+" · "+fmt.Sprint(n), " · ")
		}
	}
	v.Pages, v.Order, v.Sort = q.pages(), q.say.Say("Grouped by session, highest risk first"), q.sort()
	switch {
	case q.filter.soonest:
		v.Order = q.say.Say("Least time left first")
	case q.page.Answering:
		v.Order = q.say.Say("What requests of the agent that you answer about say is hidden.")
	}
	v.Empty = q.empty(len(v.Groups))
	return v
}

// sort leads to the other order of the list; nil where there is one.
func (q queueOf) sort() *views.Link {
	switch {
	case q.address == nil || q.after() != nil:
		return nil
	case q.filter.soonest:
		return &views.Link{Label: q.say.Say("Sort by risk"), URL: q.rows("", "sort", "")}
	}
	return &views.Link{Label: q.say.Say("Sort by time left"), URL: q.rows("", "sort", "time")}
}

// rows is an address under the queue with its filter, without its page.
func (q queueOf) rows(under string, changes ...string) string {
	if q.address == nil {
		a := takeAddress(q.say, nil, queueOrder...)
		return a.at(q.here()+under, changes...)
	}
	return q.address.at(q.here()+under, append([]string{"after", "", "select", "", "pick", ""}, changes...)...)
}

// after is where this page begins; nil at the beginning.
func (q queueOf) after() *approvals.Place {
	if q.address == nil {
		return nil
	}
	return q.filter.after
}

// pages leads on and back; nil where there is one page.
func (q queueOf) pages() *review.QueuePages {
	if q.page.Next == nil && q.after() == nil {
		return nil
	}
	p := &review.QueuePages{Label: q.say.Say("Showing %d of %s, highest level first.", q.page.Found, countText(q.say, q.page.Total))}
	if q.filter.narrows() {
		p.Label = q.say.Say("%d matches, highest level first.", q.page.Found)
		if q.page.Next != nil && len(q.page.Lines) < queuePerPage {
			p.Label = q.say.Say("Searched %d, found %d.", q.page.Looked, q.page.Found)
		}
	}
	if q.page.Next != nil {
		p.Next = q.rows("", "open", q.open, "after", placeText(*q.page.Next))
	}
	if q.after() != nil {
		p.First = q.rows("", "open", q.open)
	}
	return p
}

// groupOf is the head of a session. Its name comes from the agent.
func groupOf(say texts.Printer, l approvals.Line, key string) review.QueueGroup {
	sum := sha256.Sum256([]byte(key))
	g := review.QueueGroup{ID: hex.EncodeToString(sum[:8]), Title: headline(say, l.Session), Note: l.Agent.Name}
	if l.Session == "" {
		g.Title = untrusted.Runs(say.Say("No session"))
	}
	return g
}

// todayOf is what the queue page says next to the list of what became of requests.
func todayOf(say texts.Printer, t approvals.Tally) []views.Pair {
	return []views.Pair{
		{Label: say.Say("Decided"), Value: untrusted.Runs(grouped(say, t.Decided()))},
		{Label: say.Say("Expired"), Value: untrusted.Runs(grouped(say, t.Expired))},
		{Label: say.Say("Auto-approved"), Value: untrusted.Runs(grouped(say, t.Allowed))},
		{Label: say.Say("Blocked"), Value: untrusted.Runs(grouped(say, t.Blocked))},
		{Label: say.Say("Median time to decide"), Value: figureRuns(say, timeCell(say, t, 0.5))},
	}
}

func (q queueOf) empty(groups int) *views.Empty {
	switch {
	case groups > 0:
		return nil
	case q.after() != nil:
		return &views.Empty{Search: true, Title: q.say.Say("Nothing here any more"), Text: untrusted.Runs(q.say.Say("These requests have been decided or moved to the first page.")), Action: &views.Link{Label: q.say.Say("First page"), URL: q.rows("")}}
	case q.page.Total > 0:
		e := &views.Empty{
			Search: true, Title: q.say.Say("None of the %s match", countText(q.say, q.page.Total)),
			Text: untrusted.Runs(q.say.Say("Only your search and filters hide requests.")), Action: &views.Link{Label: q.say.Say("Clear the search"), URL: q.here()},
		}
		if q.page.Next != nil {
			e.Title = q.say.Say("None of the first %d match", q.page.Looked)
		}
		return e
	default:
		return &views.Empty{Title: q.say.Say("You're all caught up"), Text: untrusted.Runs(q.say.Say("New requests appear here automatically."))}
	}
}

// countText is how many wait, as far as they are counted.
func countText(say texts.Printer, n int) string { return views.CountText(say, n) }
