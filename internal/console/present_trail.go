package console

import (
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/tenants"
	"github.com/countersign/countersign/views"
)

// trailPage is a page of the audit trail before it has words.
type trailPage struct {
	member  auth.Member
	address *listAddress
	query   audit.Query
	page    audit.Page
	head    audit.Head
	signed  audit.SignedCheckpoint
	keys    []string      // that verify it, the one that signs first
	checked *audit.Record // the newest verification; nil: none
	names   tenants.Names
	now     time.Time
}

func (t trailPage) here() string { return "/t/" + t.member.Tenant + "/audit" }

func (t trailPage) view() views.Audit {
	v := views.Audit{
		Summary:   entries(t.head.Size) + ". Nothing here can be changed or taken away; every page, filter and entry has its own address.",
		Integrity: t.integrity(), Filter: t.filter(),
	}
	if t.signed.Note != nil {
		v.Checkpoint = &views.Checkpoint{
			Size: entries(t.signed.Size), When: momentOf(t.signed.At, t.now), ISO: t.signed.At.Format(isoForm), Ago: since(t.signed.At, t.now),
			Note: string(t.signed.Note), Keys: strings.Join(t.keys, "\n"), URL: t.here() + "/checkpoint",
		}
	}
	if !t.address.ok() {
		return v
	}
	v.Downloads = exportForms(t.member, t.address, "audit.csv", "audit.jsonl")
	records := t.page.Records
	if t.query.Upward {
		records = slices.Clone(records)
		slices.Reverse(records)
	}
	for _, r := range records {
		v.Rows = append(v.Rows, t.row(r.Event))
	}
	v.Looked = t.looked()
	v.Pages = pagesOf(t.address, t.here(), spanOf{
		found: len(records), newest: edgeOf(records, 0), oldest: edgeOf(records, len(records)-1),
		upward: t.query.Upward, edge: t.query.Edge, next: t.page.Next, done: t.page.Done, full: len(records) >= t.query.Limit, size: t.head.Size,
	})
	if len(records) == 0 && t.page.Done {
		v.Empty = t.empty()
	}
	return v
}

func edgeOf(records []audit.Record, i int) int64 {
	if i < 0 || i >= len(records) {
		return -1
	}
	return records[i].Event.Index
}

func (t trailPage) row(e audit.Event) views.AuditRow {
	name, note := actorName(t.names, e.Actor)
	row := views.AuditRow{
		Index: grouped(e.Index), URL: t.here() + "/" + strconv.FormatInt(e.Index, 10),
		Time: dayOf(e.At, t.now) + e.At.Format(".000"), ISO: e.At.Format(isoForm), Ago: since(e.At, t.now),
		Kind: string(e.Kind), Level: eventLevel(e.Level), Actor: headline(name), ActorNote: note, What: headline(e.Sentence(t.names.Of)),
	}
	if approvalID(e.Approval) != "" {
		row.Request = requestURL(t.member.Tenant, e.Approval)
	}
	return row
}

// looked says how far a search went that no index could answer.
func (t trailPage) looked() string {
	if t.page.Searched == 0 || t.query.Text == "" && t.page.Done {
		return ""
	}
	from, to := t.query.Edge-1, t.page.Next
	if t.query.Edge < 0 {
		from = t.head.Size - 1
	}
	if t.page.Done {
		to = 0
	}
	if t.query.Upward {
		from, to = t.page.Next, t.query.Edge+1
	}
	return "Searched entries " + grouped(from) + " to " + grouped(to) + ", " + strconv.Itoa(len(t.page.Records)) + " found."
}

func (t trailPage) empty() *views.Empty {
	switch {
	case t.head.Size == 0:
		return &views.Empty{Title: "Nothing has happened yet", Text: runs("Whatever people, agents and the policy do here will stand in this list.")}
	case t.address.filtered():
		return &views.Empty{
			Search: true, Title: "No entry is like that", Text: runs("Nothing in the trail has all of what you chose."),
			Action: &views.Link{Label: "Clear filters", URL: t.here()},
		}
	default:
		return &views.Empty{Title: "Nothing stands here", Text: runs("There are no entries before this place."), Action: &views.Link{Label: "Newest entries", URL: t.here()}}
	}
}

// integrity says what is known about the trail as a whole: nothing is verified to
// draw a page, so it tells of the last time that somebody did.
func (t trailPage) integrity() views.Integrity {
	v := views.Integrity{Size: grouped(t.head.Size), Root: hex.EncodeToString(t.head.RootHash())}
	if t.member.May(auth.ExportAudit) {
		v.Verify = t.here() + "/verification"
	}
	if t.signed.Problem != "" {
		v.Notice = views.Notice{
			Tone: views.ToneBad, Icon: views.IconAlert, Title: "The trail is not what was signed before",
			Text: headline("Found: " + t.signed.Problem + ". Nothing new is signed until somebody has looked into it."),
		}
		return v
	}
	if t.checked == nil {
		v.Notice = views.Notice{Icon: views.IconShield, Title: "Nobody has verified this trail yet", Text: runs("This page shows what is stored and has not checked it.")}
		return v
	}
	e := t.checked.Event
	name, _ := actorName(t.names, e.Actor)
	size, _ := e.Data.Get("size").Int64()
	when := "Verified " + since(e.At, t.now) + " by " + name + ", " + momentOf(e.At, t.now) + "."
	if !e.Data.Get("holds").Bool() {
		v.Notice = views.Notice{
			Tone: views.ToneBad, Icon: views.IconAlert, Title: "The trail does not hold",
			Text: headline(when + " Found: " + e.Data.Get("problem").Text() + "."),
		}
		return v
	}
	text := when
	if newer := t.head.Size - size; newer > 0 {
		text += " Since then came " + entries(newer) + ", not verified yet."
	}
	v.Notice = views.Notice{Tone: views.ToneOK, Icon: views.IconShield, Title: "The trail holds from entry 0 to " + grouped(size-1), Text: headline(text)}
	return v
}

// entries is a count of the trail's entries.
func entries(n int64) string {
	if n == 1 {
		return "1 entry"
	}
	return grouped(n) + " entries"
}

func eventLevel(s string) views.Level {
	l, err := level.Parse(s)
	if s == "" || err != nil {
		return views.LevelNone
	}
	return levelOf(l)
}

// entryPage is one entry before it has words.
type entryPage struct {
	tenant   string
	record   audit.Record
	proof    audit.Proof
	unproved error
	around   []audit.Record // newest first
	names    tenants.Names
	now      time.Time
}

func (p entryPage) view() views.AuditEntry {
	e, here := p.record.Event, "/t/"+p.tenant+"/audit"
	name, note := actorName(p.names, e.Actor)
	v := views.AuditEntry{
		Title: headline("Entry " + grouped(e.Index) + ": " + name + ", " + lowerFirst(e.Sentence(p.names.Of))),
		When:  e.At.Format(fullForm), ISO: e.At.Format(isoForm), Ago: since(e.At, p.now), Level: eventLevel(e.Level),
		TrailURL: here, Reviewed: reviewOfEvent(p.tenant, "The review behind this", e),
	}
	if p.record.Bytes == nil { // see seal
		v.Sealed = "You could still decide about this request, so its score, what others answered, and the bytes and proof of this entry stay sealed for you until your answers are right or it is decided. The entry itself is stored as it is."
	} else {
		v.Canonical, v.Size, v.Proof = runs(string(p.record.Bytes)), bytesOf(len(p.record.Bytes)), p.proofView()
	}
	add := func(label, text, url string, mono bool) {
		if text != "" {
			v.Fields = append(v.Fields, views.Pair{Label: label, Value: runs(text), Mono: mono, URL: url})
		}
	}
	add("Kind", string(e.Kind), here+"?kind="+string(e.Kind), true)
	who := name
	if note != "" {
		who += ", " + note
	}
	add("Actor", who, "", false)
	if e.Actor.ID != name {
		add("Actor's id", e.Actor.ID, "", true)
	}
	if approvalID(e.Approval) != "" {
		add("Request", e.Approval, requestURL(p.tenant, e.Approval), true)
		add("About the same", "every entry of this request", here+"?approval="+e.Approval, false)
	}
	if e.Agent != "" {
		add("Agent", p.names.Of("agent", e.Agent), "", false)
		add("Agent's id", e.Agent, "", true)
	}
	add("Function", e.Function, "", true)
	for _, r := range p.around {
		n := r.Event
		url := here + "/" + strconv.FormatInt(n.Index, 10)
		who, _ := actorName(p.names, n.Actor)
		step := views.TrailStep{Text: runs(grouped(n.Index) + " " + string(n.Kind)), Note: flat(who), End: n.At.Format(clockForm), URL: url, Current: n.Index == e.Index}
		switch n.Index {
		case e.Index:
			step.URL = ""
		case e.Index - 1:
			v.Older = url
		case e.Index + 1:
			v.Newer = url
		}
		v.Neighbours = append(v.Neighbours, step)
	}
	return v
}

func (p entryPage) proofView() views.AuditProof {
	leaf := audit.Leaf(p.record.Bytes)
	v := views.AuditProof{
		Leaf: hex.EncodeToString(leaf[:]), Stored: hex.EncodeToString(p.record.Leaf), Root: hex.EncodeToString(p.proof.Root),
		Size: grouped(p.proof.Size), Holds: p.unproved == nil && p.proof.Holds(),
	}
	v.Command, v.Plain = leafCommand(string(p.record.Bytes))
	for _, s := range p.proof.Path {
		v.Steps = append(v.Steps, views.ProofStep{Hash: hex.EncodeToString(s.Hash), Left: s.Left})
	}
	switch {
	case v.Leaf != v.Stored:
		v.Holds = false
		v.Wrong = "The bytes have another hash than the one that is stored beside them, " + v.Stored + ": one of the two was edited in the database. Run a verification."
	case p.unproved != nil:
		v.Wrong = "No proof can be made, because hashes of the log are missing or cannot be read. Run a verification."
	case !v.Holds:
		v.Wrong = "The hashes that are stored do not lead to the root: something was edited in the database. Run a verification."
	}
	return v
}

// leafCommand is a shell command that prints the leaf hash of these bytes. Where
// they hold nothing but what can be copied from a page as it is, they stand in it
// themselves.
func leafCommand(bytes string) (command string, plainText bool) {
	for _, r := range bytes {
		if r < ' ' || r > '~' {
			return `{ printf '\000'; printf %s '` + base64.StdEncoding.EncodeToString([]byte(bytes)) + `' | base64 -d; } | sha256sum`, false
		}
	}
	return `printf '\000%s' '` + strings.ReplaceAll(bytes, `'`, `'\''`) + `' | sha256sum`, true
}

// spanOf is what a page of a keyset list knows about its place.
type spanOf struct {
	found          int
	newest, oldest int64 // of what is on the page; −1: nothing
	upward         bool
	edge, next     int64
	done, full     bool
	size           int64
}

// pagesOf leads to the neighbours of a page. Nothing is counted: a page knows what
// is on it and where the look ended.
func pagesOf(a *listAddress, here string, s spanOf) views.Pages {
	v := views.Pages{NewerLabel: "Newer", OlderLabel: "Older"}
	if s.found > 0 {
		v.Label = "Entries " + grouped(s.newest) + " to " + grouped(s.oldest) + ", newest first."
	}
	number := func(n int64) string { return strconv.FormatInt(n, 10) }
	older := func(n int64) string { return a.at(here, "after", "", "before", number(n)) }
	newer := func(n int64) string { return a.at(here, "before", "", "after", number(n)) }
	if s.upward {
		// Where this page came from is below it.
		v.Older = older(s.edge + 1)
		if s.found > 0 {
			v.Older = older(s.oldest)
		}
		if !s.done {
			v.Newer = newer(s.next)
			if !s.full {
				v.NewerLabel = "Search further"
			}
		}
		return v
	}
	if s.edge >= 0 && s.edge < s.size {
		v.Newer = newer(s.edge - 1)
		if s.found > 0 {
			v.Newer = newer(s.newest)
		}
	}
	if s.done {
		if s.found > 0 {
			v.End = "This is the end of the list."
		}
		return v
	}
	v.Older = older(s.next)
	if !s.full {
		v.OlderLabel = "Search further"
	}
	return v
}

// dayOf is day and time, with the year where it is another one.
func dayOf(t, now time.Time) string {
	if t.Year() != now.Year() {
		return t.Format("2 Jan 2006 15:04:05")
	}
	return t.Format(dayForm)
}

// momentOf is dayOf where nothing else says that it is UTC.
func momentOf(t, now time.Time) string { return dayOf(t, now) + " UTC" }

// since says how long ago something was, roughly.
func since(t, now time.Time) string {
	d := now.Sub(t)
	switch {
	case d < 0:
		return ""
	case d < 10*time.Second:
		return "just now"
	case d < time.Minute:
		return strconv.Itoa(int(d.Seconds())) + " s ago"
	case d < time.Hour:
		return strconv.Itoa(int(d.Minutes())) + " min ago"
	case d < 48*time.Hour:
		return strconv.Itoa(int(d.Hours())) + " h ago"
	default:
		return plural(int(d.Hours()/24), "day") + " ago"
	}
}
