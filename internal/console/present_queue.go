package console

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/scoring/facts"
	"github.com/countersign/countersign/internal/tenants"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/texts"
)

// rowOf is one approval in the list. While the reader is answering its quiz, the row
// names verb and kind only.
func rowOf(l approvals.Line, now time.Time) views.QueueRow {
	row := views.QueueRow{
		ID: l.ID, URL: requestURL(l.Tenant, l.ID), Level: levelOf(l.Level),
		Sentence: beginning(l.Words.Sentence, l.Words.Rest), Agent: l.Agent.Name,
		Environment: flat(l.Words.Environment), Production: isProduction(l.Words.Environment),
	}
	if l.Asking {
		row = sealed(row, l)
	}
	if l.Status.Final() {
		row.Done = doneOf(l, now)
		return row
	}
	row.Left, row.Given = timeBetween(l.CreatedAt, l.ExpiresAt, now), givenOf(l.Signed, l.Required)
	if l.Identical > 1 {
		row.Alike = grouped(int64(l.Identical)) + " identical pending"
	}
	return row
}

// sealed takes every value out of a row.
func sealed(row views.QueueRow, l approvals.Line) views.QueueRow {
	row.Sealed, row.Sentence, row.Environment, row.Production = true, runs(l.Words.Hidden), "", false
	if l.FewFacts { // the quiz asks for the agent and the operation too
		row.Agent, row.Sentence = "", runs("Hidden while you answer")
	}
	return row
}

func doneOf(l approvals.Line, now time.Time) *views.RowDone {
	d := &views.RowDone{Text: verdictWords[l.Status]}
	if l.Decision == nil {
		return d
	}
	if l.Status != approvals.Expired {
		d.Text += " by " + deciders(l.Decision)
	}
	d.When = ago(now.Sub(l.Decision.DecidedAt))
	return d
}

// ago is "12 s ago", in the largest unit that fits.
func ago(d time.Duration) string {
	switch d = max(d, 0); {
	case d < time.Second:
		return "now"
	case d < time.Minute:
		return fmt.Sprintf("%d s ago", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", int(d.Minutes()))
	default:
		return fmt.Sprintf("%d h ago", int(d.Hours()))
	}
}

// queueOf is a page of the list, grouped by session. The groups stand in the order of
// their most pressing member.
type queueOf struct {
	tenant  string
	page    approvals.QueuePage
	filter  queueFilter
	open    string              // the request that is open beside the list
	opened  *approvals.Approval // the same while its quiz is being answered, else nil
	me      string              // id of the reader
	address *listAddress        // of the queue page; nil beside a request
	names   tenants.Names       // on the queue page
}

func (q queueOf) here() string { return queueURL(q.tenant) }

// row draws a line for this reader.
func (q queueOf) row(l approvals.Line, secrets []string) views.QueueRow {
	row := attentionTo(q.page.Attention, l.ID, q.me).in(discreet(rowOf(l, q.page.Now), l, secrets))
	row.Current, row.Fixed = l.ID == q.open, row.Sealed && q.opened != nil
	return row
}

func (q queueOf) view() views.Queue {
	v := views.Queue{
		URL: q.here(), Rows: q.rows("", "open", q.open), Resync: q.rows("/rows", "open", q.open), Count: q.page.Total, Query: q.filter.text,
	}
	secrets := q.secrets()
	at := map[string]int{}
	for _, l := range q.page.Lines {
		key := l.Agent.ID + "\x00" + l.Session
		n, ok := at[key]
		if !ok {
			n = len(v.Groups)
			at[key] = n
			v.Groups = append(v.Groups, groupOf(l, key, secrets))
		}
		v.Groups[n].Rows = append(v.Groups[n].Rows, q.row(l, secrets))
	}
	whole := q.page.Next == nil && q.after() == nil && !q.filter.narrows()
	for i := range v.Groups {
		n := len(v.Groups[i].Rows)
		switch {
		case !whole: // the session may go on elsewhere
			v.Groups[i].Note = strings.TrimPrefix(v.Groups[i].Note+" · "+fmt.Sprint(n)+" here", " · ")
		case n > 1:
			v.Groups[i].Note = strings.TrimPrefix(v.Groups[i].Note+" · "+fmt.Sprint(n), " · ")
		}
	}
	v.Pages = q.pages()
	v.Empty = q.empty(len(v.Groups))
	return v
}

// rows is an address under the queue with its filter, without its page.
func (q queueOf) rows(under string, changes ...string) string {
	if q.address == nil {
		a := takeAddress(nil, queueOrder...)
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
func (q queueOf) pages() *views.QueuePages {
	if q.page.Next == nil && q.after() == nil {
		return nil
	}
	p := &views.QueuePages{Label: grouped(int64(len(q.page.Lines))) + " of " + countText(q.page.Total) + " here, highest level first."}
	if q.filter.narrows() {
		p.Label = plural(len(q.page.Lines), "match") + " here, highest level first."
		if len(q.page.Lines) != 1 {
			p.Label = grouped(int64(len(q.page.Lines))) + " matches here, highest level first."
		}
		if q.page.Next != nil && len(q.page.Lines) < queuePerPage {
			p.Label = grouped(int64(q.page.Looked)) + " were searched, " + grouped(int64(len(q.page.Lines))) + " of them match."
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

// secrets are the values that a quiz may ask for: while it is being answered they
// stand nowhere on its page, in the rows of other requests neither.
func (q queueOf) secrets() []string {
	if q.opened == nil {
		return nil
	}
	var all []string
	for _, f := range q.opened.Assessment.Facts {
		if f.Kind != facts.Flag && len(f.Value) > 1 {
			all = append(all, f.Value)
		}
	}
	if approvals.FewToAsk(q.opened.Assessment.Facts) {
		all = append(all, q.opened.Agent.Name)
	}
	return all
}

// discreet seals a row that mentions one of the secrets.
func discreet(row views.QueueRow, l approvals.Line, secrets []string) views.QueueRow {
	if !row.Sealed && mentions(row, secrets) {
		row = sealed(row, l)
		row.Agent = ""
	}
	if row.Sealed && mentions(row, secrets) {
		row.Sentence = runs("Another request") // its verb and kind would tell, too
	}
	return row
}

func mentions(row views.QueueRow, secrets []string) bool {
	if len(secrets) == 0 {
		return false
	}
	text := plain(row.Sentence) + "\n" + row.Environment + "\n" + row.Agent
	for _, s := range secrets {
		if strings.Contains(text, s) || strings.Contains(text, flat(s)) {
			return true
		}
	}
	return false
}

// plain is what stands in runs, without marks.
func plain(shown []views.Run) string {
	var b strings.Builder
	for _, r := range shown {
		b.WriteString(r.Text)
	}
	return b.String()
}

// groupOf is the head of a session. Its name comes from the agent.
func groupOf(l approvals.Line, key string, secrets []string) views.QueueGroup {
	sum := sha256.Sum256([]byte(key))
	g := views.QueueGroup{ID: hex.EncodeToString(sum[:8]), Title: headline(l.Session), Note: l.Agent.Name}
	if l.Session == "" {
		g.Title = runs("No session")
	}
	for _, s := range secrets {
		if strings.Contains(l.Session, s) {
			g.Title = runs("One session")
		}
		if strings.Contains(l.Agent.Name, s) {
			g.Note = ""
		}
	}
	return g
}

func (q queueOf) empty(groups int) *views.Empty {
	switch {
	case groups > 0:
		return nil
	case q.after() != nil:
		return &views.Empty{Search: true, Title: "Nothing stands here any more", Text: runs("What stood here was decided, or is on the first page now."), Action: &views.Link{Label: "To the first page", URL: q.rows("")}}
	case q.page.Total > 0:
		e := &views.Empty{
			Search: true, Title: "None of the " + countText(q.page.Total) + " match",
			Text: runs("Nothing is hidden by anything but the search and the filters."), Action: &views.Link{Label: "Clear the search", URL: q.here()},
		}
		if q.page.Next != nil {
			e.Title = "None of the first " + grouped(int64(q.page.Looked)) + " match"
		}
		return e
	default:
		return &views.Empty{Title: "Nothing waits for you", Text: runs("New requests appear here by themselves; this page can stay open.")}
	}
}

// countText is how many wait, as far as they are counted.
func countText(n int) string { return views.CountText(texts.Printer{}, n) }
