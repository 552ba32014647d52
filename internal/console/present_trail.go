package console

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/views"
)

// historyOf is a page of what was decided, newest first.
func historyOf(tenant string, page []approvals.Approval, before, next string) views.History {
	here := "/t/" + tenant + "/history"
	h := views.History{Summary: "What was decided, newest first. Nothing here can change any more.", Range: plural(len(page), "request") + " on this page"}
	for _, a := range page {
		row := views.HistoryRow{
			ID: a.ID, URL: requestURL(tenant, a.ID), Level: levelOf(a.Assessment.Level),
			Sentence: headline(subjectOf(a).sentence), Agent: a.Agent.Name,
			Verdict: verdictWords[a.Status], Tone: verdictTone(a.Status), Who: decidedBy(a),
		}
		if a.Decision != nil {
			row.When, row.ISO = a.Decision.DecidedAt.Format(dayForm), a.Decision.DecidedAt.Format(isoForm)
		}
		h.Rows = append(h.Rows, row)
	}
	if next != "" {
		h.Older = here + "?before=" + next
	}
	if before != "" {
		h.Newer = here // keyset pages know their way on, not back: the newest page
	}
	if len(page) == 0 {
		h.Empty = &views.Empty{Title: "Nothing was decided yet", Text: runs("Every decision, also those of the policy, will stand here.")}
	}
	return h
}

// trailOf is a page of the audit trail. It says what is in the log, and not that
// the log holds: nothing was verified to draw it.
func trailOf(tenant string, head audit.Head, page []audit.Record, before int64) views.Audit {
	here := "/t/" + tenant + "/audit"
	a := views.Audit{Summary: plural(int(head.Size), "event"), Integrity: headNotice(head)}
	for _, r := range page {
		e := r.Event
		a.Rows = append(a.Rows, views.AuditRow{
			Index: grouped(e.Index), URL: here + "/" + strconv.FormatInt(e.Index, 10),
			Time: e.At.Format(dayForm) + fmt.Sprintf(".%03d", e.At.Nanosecond()/1e6), ISO: e.At.Format(isoForm),
			Kind: string(e.Kind), Level: eventLevel(e.Level), Actor: actorOf(e.Actor), What: whatOf(e),
		})
	}
	if len(page) == 0 {
		a.Empty = &views.Empty{Title: "Nothing stands here", Text: runs("There are no events before this place."), Action: &views.Link{Label: "Newest events", URL: here}}
		return a
	}
	newest, oldest := page[0].Event.Index, page[len(page)-1].Event.Index
	a.Range = grouped(newest) + " to " + grouped(oldest) + ", newest first"
	if oldest > 0 {
		a.Older = here + "?before=" + strconv.FormatInt(oldest, 10)
	}
	if before >= 0 && newest+1 < head.Size {
		a.Newer = here + "?before=" + strconv.FormatInt(min(newest+1+auditPerPage, head.Size), 10)
	}
	return a
}

func headNotice(head audit.Head) *views.Notice {
	return &views.Notice{
		Icon: views.IconShield, Title: "The log has " + plural(int(head.Size), "event"),
		Text: runs("Root " + hex.EncodeToString(head.RootHash()) + ". This page has not checked it; run “audit verify” to do so."),
	}
}

func eventLevel(s string) views.Level {
	l, err := level.Parse(s)
	if s == "" || err != nil {
		return views.LevelNone
	}
	return levelOf(l)
}

// actorOf is who did it: people and agents by id, because names are not in the log.
func actorOf(a audit.Actor) []views.Run {
	if a.ID == "" {
		return runs(a.Kind)
	}
	return runs(a.Kind + " " + a.ID)
}

func whatOf(e audit.Event) []views.Run {
	var parts []string
	for _, p := range []string{e.Function, e.Approval} {
		if p != "" {
			parts = append(parts, p)
		}
	}
	if len(parts) == 0 && e.Agent != "" {
		parts = append(parts, e.Agent)
	}
	return headline(strings.Join(parts, ", "))
}

// entryOf is one event with the bytes that its leaf is of.
func entryOf(tenant string, head audit.Head, r audit.Record) views.AuditEntry {
	e, here := r.Event, "/t/"+tenant+"/audit"
	v := views.AuditEntry{
		Title: runs("Event " + grouped(e.Index) + ": " + string(e.Kind)), When: e.At.Format(fullForm), Level: eventLevel(e.Level),
		Canonical: runs(string(r.Bytes)), Size: bytesOf(len(r.Bytes)), Leaf: hex.EncodeToString(r.Leaf), TrailURL: here,
	}
	add := func(label, text, url string) {
		if text != "" {
			v.Fields = append(v.Fields, views.Pair{Label: label, Value: runs(text), Mono: true, URL: url})
		}
	}
	add("Kind", string(e.Kind), "")
	add("Actor", plain(actorOf(e.Actor)), "")
	if approvalID(e.Approval) != "" {
		add("Approval", e.Approval, requestURL(tenant, e.Approval))
	}
	add("Agent", e.Agent, "")
	add("Function", e.Function, "")
	if e.Index > 0 {
		v.Older = here + "/" + strconv.FormatInt(e.Index-1, 10)
	}
	if e.Index+1 < head.Size {
		v.Newer = here + "/" + strconv.FormatInt(e.Index+1, 10)
	}
	return v
}
