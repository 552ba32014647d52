package trailui

import (
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/console/filter"
	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/internal/console/request"
	"github.com/countersign/countersign/internal/console/untrusted"
	"github.com/countersign/countersign/internal/console/urls"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/tenants"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/texts"
	"github.com/countersign/countersign/views/trail"
)

// trailPage is a page of the audit trail before it has words.
type trailPage struct {
	say     texts.Printer
	member  auth.Member
	address *filter.Address
	query   audit.Query
	page    audit.Page
	head    audit.Head
	signed  audit.SignedCheckpoint
	keys    []string      // that verify it, the one that signs first
	checked *audit.Record // the newest verification; nil: none
	names   tenants.Names
	named   audit.Names // also of requests
	now     time.Time
	saved   *views.SavedFilters
	cut     bool // more requests may hold what is searched for
	// opening says that the address asks for nothing, which means people and settings.
	opening bool
}

func (t trailPage) here() string { return "/t/" + t.member.Tenant + "/audit" }

func (t trailPage) view() trail.Audit {
	v := trail.Audit{
		Summary:   t.say.Say("%s. Append-only: nothing can be changed or removed.", Entries(t.say, t.head.Size)),
		Integrity: t.integrity(), Filter: t.filter(),
	}
	if t.signed.Note != nil {
		v.Checkpoint = &trail.Checkpoint{
			Size: Entries(t.say, t.signed.Size), When: momentOf(t.say, t.signed.At, t.now), ISO: t.signed.At.Format(present.IsoForm), Ago: since(t.say, t.signed.At, t.now),
			Note: string(t.signed.Note), Keys: strings.Join(t.keys, "\n"), URL: t.here() + "/checkpoint",
		}
	}
	if !t.address.OK() {
		return v
	}
	v.Tabs = t.tabs()
	taken := t.address
	if t.opening { // a file of the whole trail can be verified by itself
		taken = filter.Take(t.say, nil, trailOrder...)
	}
	v.Downloads = exportForms(t.member, taken, "audit.csv", "audit.jsonl")
	if len(v.Downloads) > 0 && t.member.May(auth.Decide) { // the score of what they can still decide is hidden from them
		v.Exports = t.say.Say("JSON lines end before the first request that you can still decide. They can be verified up to there.")
		if taken.Filtered() {
			v.Exports = t.say.Say("JSON lines are exact, so entries of requests that you can still decide can't be among them.")
		}
	}
	records := t.page.Records
	if t.query.Upward {
		records = slices.Clone(records)
		slices.Reverse(records)
	}
	v.Rows = t.rows(records)
	v.Looked = strings.TrimSpace(t.looked() + " " + filter.SearchedSo(t.say, t.cut))
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

// tabs part what people did and set from the calls of agents, of which there are many more.
func (t trailPage) tabs() (all []views.Window) {
	show := cmp.Or(t.address.Clean.Get("show"), filter.Any)
	for _, tab := range []struct{ label, show string }{
		{t.say.Say("People and settings"), showPeople}, {t.say.Say("Calls"), showCalls}, {t.say.Say("All entries"), filter.Any},
	} {
		all = append(all, views.Window{Label: tab.label, URL: t.address.At(t.here(), "show", tab.show, "kind", "", "before", "", "after", ""), Here: tab.show == show && len(t.query.Kinds) == len(entryKinds(show))})
	}
	return all
}

// rows are the entries, those of one request on one row where its newest is; all of them where one request is
// asked for.
func (t trailPage) rows(records []audit.Record) (rows []trail.AuditRow) {
	at := map[string]int{}
	for _, r := range records {
		row := t.row(r.Event)
		id := r.Event.Approval
		if first, ok := at[id]; ok && id != "" && t.query.Approval == "" {
			rows[first].Earlier = append(rows[first].Earlier, row)
			continue
		}
		at[id] = len(rows)
		rows = append(rows, row)
	}
	return rows
}

func (t trailPage) row(e audit.Event) trail.AuditRow {
	name, note := filter.ActorName(t.say, t.names, e.Actor)
	text := e.Text(t.named)
	row := trail.AuditRow{
		Index: strconv.FormatInt(e.Index, 10), URL: t.here() + "/" + strconv.FormatInt(e.Index, 10),
		Time: present.DayOf(t.say, e.At, t.now) + e.At.Format(".000"), ISO: e.At.Format(present.IsoForm), Ago: since(t.say, e.At, t.now),
		Kind: string(e.Kind), Level: eventLevel(e.Level), Actor: present.Headline(t.say, name), ActorNote: note, What: present.WithMoments(t.say, present.Headline(t.say, t.say.Phrase(text)), text),
	}
	if present.ApprovalID(e.Approval) != "" {
		row.Request = urls.Request(t.member.Tenant, e.Approval)
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
	return t.say.Say("Searched entries %d to %d, %s found.", from, to, strconv.Itoa(len(t.page.Records)))
}

func (t trailPage) empty() *views.Empty {
	switch {
	case t.head.Size == 0:
		return &views.Empty{Title: t.say.Say("No activity yet"), Text: untrusted.Runs(t.say.Say("Everything people, agents and the policy do appears here."))}
	case t.address.Filtered() && !t.opening:
		return &views.Empty{
			Search: true, Title: t.say.Say("No matching entries"), Text: untrusted.Runs(t.say.Say("No entries match all your filters.")),
			Action: &views.Link{Label: t.say.Say("Clear filters"), URL: t.here()},
		}
	default:
		return &views.Empty{Title: t.say.Say("Nothing here"), Text: untrusted.Runs(t.say.Say("No earlier entries.")), Action: &views.Link{Label: t.say.Say("Newest entries"), URL: t.here()}}
	}
}

// integrity says what is known about the trail as a whole: nothing is verified to
// draw a page, so it tells of the last time that somebody did.
func (t trailPage) integrity() trail.Integrity {
	v := trail.Integrity{Size: present.Grouped(t.say, t.head.Size), Root: hex.EncodeToString(t.head.RootHash())}
	if t.member.May(auth.ExportAudit) {
		v.Verify = t.here() + "/verification"
	}
	if t.signed.Problem != "" {
		v.Notice = views.Notice{
			Tone: views.ToneBad, Icon: views.IconAlert, Title: t.say.Say("The trail doesn't match what was signed"),
			Text: present.Headline(t.say, t.say.Say("Found: %s. Nothing new is signed until someone investigates.", t.signed.Problem)),
		}
		return v
	}
	if t.checked == nil {
		v.Notice = views.Notice{Icon: views.IconShield, Title: t.say.Say("Not verified yet"), Text: untrusted.Runs(t.say.Say("This page shows what's stored. It hasn't been verified."))}
		return v
	}
	e := t.checked.Event
	name, _ := filter.ActorName(t.say, t.names, e.Actor)
	size, _ := e.Data.Get("size").Int64()
	when := present.SayAt(t.say, request.ReviewForm, texts.Key("Verified %s by %s, %s."), since(t.say, e.At, t.now), name, e.At)
	if !e.Data.Get("holds").Bool() {
		v.Notice = views.Notice{
			Tone: views.ToneBad, Icon: views.IconAlert, Title: t.say.Say("Verification failed"),
			Text: append(append(when, views.Run{Text: " "}), present.Headline(t.say, t.say.Say("Found: %s.", e.Data.Get("problem").Text()))...),
		}
		return v
	}
	text := when
	if newer := t.head.Size - size; newer > 0 {
		text = append(text, untrusted.Runs(" "+t.say.Say("%s added since then, not verified yet.", Entries(t.say, newer)))...)
	}
	v.Notice = views.Notice{Tone: views.ToneOK, Icon: views.IconShield, Title: t.say.Say("Entries 0–%d verified", size-1), Text: text}
	return v
}

// Entries is a count of the trail's entries.
func Entries(say texts.Printer, n int64) string {
	return say.Say("%d entries", n)
}

func eventLevel(s string) views.Level {
	l, err := level.Parse(s)
	if s == "" || err != nil {
		return views.LevelNone
	}
	return present.LevelOf(l)
}

// entryPage is one entry before it has words.
type entryPage struct {
	say      texts.Printer
	tenant   string
	record   audit.Record
	proof    audit.Proof
	unproved error
	around   []audit.Record // newest first
	session  string         // of the request that it is about; "" for none
	names    tenants.Names
	named    audit.Names // also of requests
	now      time.Time
}

func (p entryPage) view() trail.AuditEntry {
	e, here := p.record.Event, "/t/"+p.tenant+"/audit"
	name, note := filter.ActorName(p.say, p.names, e.Actor)
	text := e.Text(p.named)
	v := trail.AuditEntry{
		Title: present.WithMoments(p.say, present.Headline(p.say, p.say.Say("Entry %s: %s %s", strconv.FormatInt(e.Index, 10), name, present.LowerFirst(p.say.Phrase(text)))), text),
		When:  present.InWords(p.say, present.FullForm, e.At), ISO: e.At.Format(present.IsoForm), Ago: since(p.say, e.At, p.now), Level: eventLevel(e.Level),
		TrailURL: here, Patterns: present.PatternModelOfEvent(p.say, e), Reviewed: request.ReviewOfEvent(p.say, p.tenant, p.say.Say("The review behind this"), e),
	}
	if p.record.Bytes == nil { // see seal
		v.Sealed = p.say.Say("You can still decide this request, or you're answering questions about one. The score, other people's answers, and this entry's bytes and proof stay hidden from you until you've answered correctly or it's decided. The entry itself is stored unchanged.")
	} else {
		v.Canonical, v.Size, v.Proof = untrusted.Runs(string(p.record.Bytes)), present.BytesOf(p.say, len(p.record.Bytes)), p.proofView()
	}
	add := func(label, text, url string, mono bool) {
		if text != "" {
			v.Fields = append(v.Fields, views.Pair{Label: label, Value: untrusted.Runs(text), Mono: mono, URL: url})
		}
	}
	add(p.say.Say("Kind"), string(e.Kind), here+"?kind="+string(e.Kind), true)
	who := name
	if note != "" {
		who += ", " + note
	}
	add(p.say.Say("Actor"), who, "", false)
	if e.Actor.ID != name {
		add(p.say.Say("Actor's ID"), e.Actor.ID, "", true)
	}
	if present.ApprovalID(e.Approval) != "" {
		add(p.say.Say("Request"), e.Approval, urls.Request(p.tenant, e.Approval), true)
		add(p.say.Say("Related"), p.say.Say("every entry of this request"), here+"?approval="+e.Approval, false)
	}
	if e.Agent != "" {
		add(p.say.Say("Agent"), p.names.Of("agent", e.Agent), "", false)
		add(p.say.Say("Agent's ID"), e.Agent, "", true)
	}
	add(p.say.Say("Function"), e.Function, "", true)
	if p.session != "" {
		v.Fields = append(v.Fields, views.Pair{Label: p.say.Say("Session"), Value: present.Headline(p.say, p.session), Mono: true, URL: urls.Session(p.tenant, e.Agent, p.session)})
	}
	for _, r := range p.around {
		n := r.Event
		url := here + "/" + strconv.FormatInt(n.Index, 10)
		who, _ := filter.ActorName(p.say, p.names, n.Actor)
		step := views.TrailStep{Text: untrusted.Runs(strconv.FormatInt(n.Index, 10) + " " + string(n.Kind)), Note: present.Flat(p.say, who), End: n.At.Format(present.ClockForm), EndISO: n.At.Format(present.IsoForm), URL: url, Current: n.Index == e.Index}
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

func (p entryPage) proofView() trail.AuditProof {
	leaf := audit.Leaf(p.record.Bytes)
	v := trail.AuditProof{
		Leaf: hex.EncodeToString(leaf[:]), Stored: hex.EncodeToString(p.record.Leaf), Root: hex.EncodeToString(p.proof.Root),
		Size: present.Grouped(p.say, p.proof.Size), Holds: p.unproved == nil && p.proof.Holds(),
	}
	v.Command, v.Plain = leafCommand(string(p.record.Bytes))
	for _, s := range p.proof.Path {
		v.Steps = append(v.Steps, trail.ProofStep{Hash: hex.EncodeToString(s.Hash), Left: s.Left})
	}
	switch {
	case v.Leaf != v.Stored:
		v.Holds = false
		v.Wrong = p.say.Say("The bytes don't match the stored hash, %s: one of them was changed in the database. Run a verification.", v.Stored)
	case p.unproved != nil:
		v.Wrong = p.say.Say("Can't create a proof: hashes are missing from the log or unreadable. Run a verification.")
	case !v.Holds:
		v.Wrong = p.say.Say("The stored hashes don't lead to the root: something was changed in the database. Run a verification.")
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
func pagesOf(a *filter.Address, here string, s spanOf) trail.Pages {
	v := trail.Pages{NewerLabel: a.Say.Say("Newer"), OlderLabel: a.Say.Say("Older")}
	switch {
	case s.found > 0 && s.newest == s.oldest:
		v.Label = a.Say.Say("Entry %s.", strconv.FormatInt(s.newest, 10))
	case s.found > 0:
		v.Label = a.Say.Say("Entries %d to %d, newest first.", s.newest, s.oldest)
	}
	number := func(n int64) string { return strconv.FormatInt(n, 10) }
	older := func(n int64) string { return a.At(here, "after", "", "before", number(n)) }
	newer := func(n int64) string { return a.At(here, "before", "", "after", number(n)) }
	if s.upward {
		// Where this page came from is below it.
		v.Older = older(s.edge + 1)
		if s.found > 0 {
			v.Older = older(s.oldest)
		}
		if !s.done {
			v.Newer = newer(s.next)
			if !s.full {
				v.NewerLabel = a.Say.Say("Keep searching")
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
			v.End = a.Say.Say("This is the end of the list.")
		}
		return v
	}
	v.Older = older(s.next)
	if !s.full {
		v.OlderLabel = a.Say.Say("Keep searching")
	}
	return v
}

// momentOf is dayOf where nothing else says that it is UTC.
func momentOf(say texts.Printer, t, now time.Time) string {
	return say.Say("%s UTC", present.DayOf(say, t, now))
}

// since says how long ago something was, roughly.
func since(say texts.Printer, t, now time.Time) string {
	d := now.Sub(t)
	switch {
	case d < 0:
		return ""
	case d < 10*time.Second:
		return say.Say("just now")
	case d < time.Minute:
		return say.Say("%d s ago", int(d.Seconds()))
	case d < time.Hour:
		return say.Say("%d min ago", int(d.Minutes()))
	case d < 48*time.Hour:
		return say.Say("%d h ago", int(d.Hours()))
	default:
		return say.Say("%d days ago", int(d.Hours()/24))
	}
}

// filter is the form of the audit trail.
func (t trailPage) filter() views.Filter {
	a, here := t.address, t.here()
	f := views.Filter{
		URL: here, Label: t.say.Say("Filter entries"), MoreLabel: t.say.Say("More filters"), Problems: filter.ProblemsOf(a),
		Lead: []views.FilterField{
			filter.RequestField(a),
			filter.TextField(a, "text", t.say.Say("Recorded text"), t.say.Say("a reason, a digest, an ID"), views.FieldSearch),
			filter.KindField(a),
			filter.ActorField(a, t.say.Say("Who"), t.names),
		},
		More: []views.FilterField{
			filter.AgentField(a, t.names), filter.FunctionField(a), filter.BoxField(a, "level", t.say.Say("Level"), t.say.Say("All levels"), texts.Key("%d levels"), []views.ChoiceGroup{{Choices: filter.LevelOptions(t.say, a.Given["level"])}}),
			filter.EffectField(a),
			filter.TextField(a, "approval", t.say.Say("Request ID"), "apr_…", views.FieldText),
			filter.TextField(a, "from", t.say.Say("From (UTC)"), "", views.FieldTime), filter.TextField(a, "to", t.say.Say("Until (UTC)"), "", views.FieldTime),
		},
		Spans: filter.Spans(a, here, t.now), Chips: filter.ChipsOf(a, here, t.names), Saved: t.saved,
	}
	if show := a.Clean.Get("show"); show != "" && !t.opening { // who searches from the opening page searches everything
		f.Hidden = []views.HiddenField{{Name: "show", Value: show}}
	}
	f.MoreOpen = filter.MoreOpen(f.More)
	return f
}
