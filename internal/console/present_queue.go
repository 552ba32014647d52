package console

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/scoring/facts"
	"github.com/countersign/countersign/views"
)

// rowOf is one approval in the list. asking: the reader is answering its quiz,
// so the row names verb and kind only. identical is how many wait that are the
// same act of the same agent, this one included.
func rowOf(a approvals.Approval, now time.Time, asking bool, identical int) views.QueueRow {
	about := subjectOf(a)
	row := views.QueueRow{
		ID: a.ID, URL: requestURL(a.Tenant, a.ID), Level: levelOf(a.Assessment.Level),
		Sentence: headline(about.sentence), Agent: a.Agent.Name,
		Environment: flat(about.environment), Production: isProduction(about.environment),
		Left: timeLeft(a, now),
	}
	if identical > 1 && !a.Status.Final() {
		row.Alike = fmt.Sprintf("%d identical pending", identical)
	}
	if asking {
		row = sealed(row, a, about)
	}
	if !a.Status.Final() {
		row.Given = given(a)
	}
	if a.Status.Final() {
		row.Done = doneOf(a, now)
	}
	return row
}

// sealed takes every value out of a row.
func sealed(row views.QueueRow, a approvals.Approval, about subject) views.QueueRow {
	row.Sealed, row.Sentence, row.Environment, row.Production = true, runs(about.hidden), "", false
	if fewFacts(a.Assessment.Facts) { // the quiz asks for the agent and the operation too
		row.Agent, row.Sentence = "", runs("Hidden while you answer")
	}
	return row
}

func doneOf(a approvals.Approval, now time.Time) *views.RowDone {
	d := &views.RowDone{Text: verdictWords[a.Status]}
	if a.Decision == nil {
		return d
	}
	if a.Status != approvals.Expired {
		d.Text += " by " + decidedBy(a)
	}
	d.When = ago(now.Sub(a.Decision.DecidedAt))
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

// queueOf is the list, grouped by session. The groups stand in the order of their
// most pressing member.
type queueOf struct {
	tenant  string
	pending []approvals.Approval // in the order of the service
	now     time.Time
	asking  map[string]bool     // requests whose quiz the reader is answering
	open    string              // the request that is open beside the list
	opened  *approvals.Approval // the same while its quiz is being answered, else nil
	query   string
	at      approvals.Attention // who looks at what, and is on it
	me      string              // id of the reader
}

func (q queueOf) view() views.Queue {
	v := views.Queue{
		URL: queueURL(q.tenant), Rows: queueURL(q.tenant), Count: len(q.pending), Query: q.query,
	}
	if q.open != "" {
		v.Rows += "?open=" + q.open
	}
	secrets := q.secrets()
	same := q.identical()
	at := map[string]int{}
	for _, a := range q.pending {
		row := attentionTo(q.at, a.ID, q.me).in(discreet(rowOf(a, q.now, q.asking[a.ID], same[actOf(a)]), a, secrets))
		row.Current, row.Fixed = a.ID == q.open, row.Sealed && q.opened != nil
		if !matches(row, q.query) {
			continue
		}
		key := a.Agent.ID + "\x00" + a.Session
		n, ok := at[key]
		if !ok {
			n = len(v.Groups)
			at[key] = n
			v.Groups = append(v.Groups, groupOf(a, key, secrets))
		}
		v.Groups[n].Rows = append(v.Groups[n].Rows, row)
	}
	for i := range v.Groups {
		if n := len(v.Groups[i].Rows); n > 1 {
			v.Groups[i].Note = strings.TrimPrefix(v.Groups[i].Note+" · "+fmt.Sprint(n), " · ")
		}
	}
	v.Empty = q.empty(len(v.Groups))
	return v
}

// act is what makes requests identical.
type act struct{ agent, digest string }

func actOf(a approvals.Approval) act { return act{a.Agent.ID, a.Digest} }

// identical counts the requests that wait by their act.
func (q queueOf) identical() map[act]int {
	count := map[act]int{}
	for _, a := range q.pending {
		count[actOf(a)]++
	}
	return count
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
	if fewFacts(q.opened.Assessment.Facts) {
		all = append(all, q.opened.Agent.Name)
	}
	return all
}

// discreet seals a row that mentions one of the secrets.
func discreet(row views.QueueRow, a approvals.Approval, secrets []string) views.QueueRow {
	if !row.Sealed && mentions(row, secrets) {
		row = sealed(row, a, subjectOf(a))
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

// matches is the search of the form: every word stands somewhere in the row.
func matches(row views.QueueRow, query string) bool {
	text := strings.ToLower(plain(row.Sentence) + " " + row.Agent + " " + row.Environment)
	for _, word := range strings.Fields(strings.ToLower(query)) {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}

// groupOf is the head of a session. Its name comes from the agent.
func groupOf(a approvals.Approval, key string, secrets []string) views.QueueGroup {
	sum := sha256.Sum256([]byte(key))
	g := views.QueueGroup{ID: hex.EncodeToString(sum[:8]), Title: headline(a.Session), Note: a.Agent.Name}
	if a.Session == "" {
		g.Title = runs("No session")
	}
	for _, s := range secrets {
		if strings.Contains(a.Session, s) {
			g.Title = runs("One session")
		}
		if strings.Contains(a.Agent.Name, s) {
			g.Note = ""
		}
	}
	return g
}

func (q queueOf) empty(groups int) *views.Empty {
	switch {
	case groups > 0:
		return nil
	case len(q.pending) > 0:
		return &views.Empty{
			Search: true, Title: fmt.Sprintf("None of the %d match", len(q.pending)),
			Text: runs("Nothing is hidden by anything but the search."), Action: &views.Link{Label: "Clear the search", URL: queueURL(q.tenant)},
		}
	default:
		return &views.Empty{Title: "Nothing waits for you", Text: runs("New requests appear here by themselves; this page can stay open.")}
	}
}
