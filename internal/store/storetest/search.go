package storetest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
)

// chooses is the filter in Go: what the suite holds every search against.
func chooses(f audit.Filter, r audit.Record) bool {
	e := r.Event
	switch {
	case len(f.Kinds) > 0 && !slices.Contains(f.Kinds, e.Kind),
		f.Actor.Kind != "" && e.Actor.Kind != f.Actor.Kind,
		f.Actor.Kind != "" && f.Actor.ID != "" && e.Actor.ID != f.Actor.ID,
		f.Agent != "" && e.Agent != f.Agent,
		f.Approval != "" && e.Approval != f.Approval,
		len(f.Levels) > 0 && !slices.Contains(f.Levels, e.Level),
		len(f.Effects) > 0 && !slices.Contains(f.Effects, e.Effect),
		f.Function != "" && !f.Prefix && e.Function != f.Function,
		f.Function != "" && f.Prefix && !strings.HasPrefix(e.Function, f.Function),
		!f.From.IsZero() && e.At.Before(f.From),
		!f.To.IsZero() && !e.At.Before(f.To):
		return false
	}
	return f.HoldsText(string(r.Bytes))
}

// varied writes events whose members take every value against every other one.
func (p place) varied(t *testing.T, n int) {
	t.Helper()
	functions := []string{"delete_user", "delete_bucket", "Delete_user", "delete%user", "get_user", "", "délete", "deletes"}
	kinds := []audit.Kind{audit.ChallengeIssued, audit.Viewed, audit.Denied, audit.SignedIn}
	actors := []audit.Actor{{Kind: "person", ID: p.ada.ID}, {Kind: "person", ID: p.ben.ID}, {Kind: "agent", ID: p.agent.ID}, {Kind: "policy", ID: "1"}, {Kind: "clock"}}
	levels, kindsOf := []string{"LOW", "HIGH", ""}, []string{"read", "delete", "", "money", "delete", "unknown", ""}
	for first := 0; first < n; first += 7 {
		p.write(t, func(w approvals.Writer) error {
			for i := first; i < min(first+7, n); i++ {
				e := audit.Event{
					Kind: kinds[i%len(kinds)], Actor: actors[i%len(actors)], Level: levels[i%len(levels)], Function: functions[i%len(functions)], Effect: kindsOf[i%len(kindsOf)],
					Data: canon.Object(canon.Member{Name: "reason", Value: canon.String(fmt.Sprintf("said \"no\" in %s, number %d", p.tenant, i))}),
				}
				if i%2 == 0 {
					e.Agent, e.Approval = p.agent.ID, fmt.Sprintf("apr_%s_%d", p.tenant, i%6)
				}
				if err := w.Append(e); err != nil {
					return err
				}
			}
			return nil
		})
	}
}

// pages follows a query to its end, and says how often it asked.
func pages(t *testing.T, w world, tenant string, q audit.Query) (found []audit.Record, asked int) {
	t.Helper()
	for {
		page, err := w.Store.Audit().Search(t.Context(), tenant, q)
		if err != nil {
			t.Fatalf("%+v: %v", q, err)
		}
		if len(page.Records) > q.Limit {
			t.Fatalf("%+v: %d events on a page", q, len(page.Records))
		}
		found = append(found, page.Records...)
		if asked++; page.Done {
			return found, asked
		}
		if page.Next == q.Edge || asked > 1000 {
			t.Fatalf("%+v goes on at %d for ever", q, page.Next)
		}
		q.Edge = page.Next
	}
}

func indexes(records []audit.Record) []int64 {
	all := make([]int64, len(records))
	for i, r := range records {
		all[i] = r.Event.Index
	}
	return all
}

// Each filter, and each with each other one: what a search finds, page by page
// in both directions, is what the filter chooses, once and in order.
func testSearch(t *testing.T, w world) {
	p, other := w.acme, w.beta
	p.varied(t, 120)
	other.varied(t, 30)
	all := must(w.Store.Audit().Events(t.Context(), p.tenant, -1, 1000))
	slices.Reverse(all)
	middle := all[len(all)/2].Event.At
	alone := []audit.Filter{
		{},
		{Kinds: []audit.Kind{audit.Viewed}},
		{Kinds: []audit.Kind{audit.Viewed, audit.Denied, "no.such"}},
		{Actor: audit.Actor{Kind: "person"}},
		{Actor: audit.Actor{Kind: "person", ID: p.ada.ID}},
		{Actor: audit.Actor{Kind: "clock"}},
		{Actor: audit.Actor{ID: p.ada.ID}}, // names nobody: narrows nothing
		{Agent: p.agent.ID},
		{Approval: "apr_acme_2"},
		{Levels: []string{"LOW"}},
		{Levels: []string{"LOW", "HIGH"}},
		{Effects: []string{"delete"}},
		{Effects: []string{"read", "money"}},
		{Function: "delete_user"},
		{Function: "delete", Prefix: true},
		{Function: "del%", Prefix: true},
		{Function: "délete", Prefix: true},
		{Prefix: true},
		{From: middle},
		{To: middle},
		{From: middle, To: middle.Add(time.Microsecond)},
		{From: middle.Add(24 * time.Hour)},
		{From: middle.In(time.FixedZone("", 3*3600))},
		{Text: "number 17"},
		{Text: "SAID \"NO\""},
		{Text: `said \"no\"`},
		{Text: "nothing holds this"},
		{Agent: other.agent.ID},
		{Actor: audit.Actor{Kind: "person", ID: other.ada.ID}},
		{Approval: "apr_beta_2"},
		{Text: "in beta"},
	}
	chosen := func(f audit.Filter) (want []int64) {
		for _, r := range all {
			if chooses(f, r) {
				want = append(want, r.Event.Index)
			}
		}
		return want
	}
	check := func(f audit.Filter, upward bool, limit int) {
		want := chosen(f)
		got, _ := pages(t, w, p.tenant, audit.Query{Filter: f, Edge: -1, Upward: upward, Limit: limit})
		if !upward {
			slices.Reverse(got)
		}
		if !slices.Equal(indexes(got), want) {
			t.Errorf("%+v, upward %v by %d: %v, want %v", f, upward, limit, indexes(got), want)
		}
	}
	pairs := 0
	for i, a := range alone {
		check(a, false, 9)
		check(a, true, 9)
		check(a, false, 500)
		const below = 70
		var walked []int64
		err := w.Store.Audit().Walk(t.Context(), p.tenant, a, below, func(r audit.Record) error {
			walked = append(walked, r.Event.Index)
			return nil
		})
		want := slices.DeleteFunc(chosen(a), func(i int64) bool { return i >= below })
		if err != nil || !slices.Equal(walked, want) {
			t.Errorf("%+v walked below %d: %v, %v; want %v", a, below, walked, err, want)
		}
		for _, b := range alone[i+1:] {
			if f := both(a, b); !f.Whole() && (a.Text == "" || b.Text == "") {
				pairs++
				check(f, pairs%2 == 0, 30)
			}
		}
	}
	if f := (audit.Filter{Prefix: true, Actor: audit.Actor{ID: "x"}}); !f.Whole() {
		t.Error("a filter that names nothing narrows")
	}
}

// both takes what is set in a, and the rest of b.
func both(a, b audit.Filter) audit.Filter {
	if a.Kinds == nil {
		a.Kinds = b.Kinds
	}
	if a.Actor.Kind == "" {
		a.Actor = b.Actor
	}
	if a.Agent == "" {
		a.Agent = b.Agent
	}
	if a.Approval == "" {
		a.Approval = b.Approval
	}
	if a.Levels == nil {
		a.Levels = b.Levels
	}
	if a.Effects == nil {
		a.Effects = b.Effects
	}
	if a.Function == "" {
		a.Function, a.Prefix = b.Function, b.Prefix
	}
	if a.From.IsZero() {
		a.From = b.From
	}
	if a.To.IsZero() {
		a.To = b.To
	}
	if a.Text == "" {
		a.Text = b.Text
	}
	return a
}

// What no index answers reads so much and no more, says so, and goes on from
// there without losing or repeating anything.
func testSearchWindow(t *testing.T, w world) {
	p := w.acme
	const events, window = 260, 100
	p.write(t, func(w approvals.Writer) error {
		for i := range events {
			e := audit.Event{Kind: audit.SignedIn, Actor: audit.Actor{Kind: "person", ID: p.ada.ID}, Level: "LOW"}
			if i == 7 || i == events-7 {
				e.Data, e.Function = canon.Object(canon.Member{Name: "note", Value: canon.String("needle")}), "rare"
			}
			if err := w.Append(e); err != nil {
				return err
			}
		}
		return nil
	})
	size := p.size(t)
	look := func(f audit.Filter, edge int64) audit.Page {
		return must(w.Store.Audit().Search(t.Context(), p.tenant, audit.Query{Filter: f, Edge: edge, Limit: 50, Window: window}))
	}
	text := audit.Filter{Text: "Needle"}
	if first := look(text, -1); first.Done || len(first.Records) != 1 || first.Searched != window || first.Next != size-window {
		t.Errorf("the first look: %d found, next %d of %d, searched %d, done %v", len(first.Records), first.Next, size, first.Searched, first.Done)
	}
	if found, asked := pages(t, w, p.tenant, audit.Query{Filter: text, Edge: -1, Limit: 50, Window: window}); len(found) != 2 || asked != 3 {
		t.Errorf("to the end: %d found in %d looks", len(found), asked)
	}
	// An index answers this one: no event is read for nothing.
	if quick := look(audit.Filter{Function: "ra", Prefix: true}, -1); !quick.Done || len(quick.Records) != 2 || quick.Searched != 0 {
		t.Errorf("by function: %d found, searched %d, done %v", len(quick.Records), quick.Searched, quick.Done)
	}
	if found, asked := pages(t, w, p.tenant, audit.Query{Filter: audit.Filter{Levels: []string{"LOW"}, Text: "needle"}, Edge: -1, Upward: true, Limit: 1, Window: window}); len(found) != 2 || asked < 3 {
		t.Errorf("one at a time: %d found in %d looks", len(found), asked)
	}
}

// The proof of an event leads to the root of the head, over the nodes that are
// kept, over computed ones where they are missing, and not over edited ones.
func testProofs(t *testing.T, w world) {
	p := w.acme
	p.varied(t, 530)
	head := must(w.Store.Audit().Head(t.Context(), p.tenant))
	hold := func(want bool) {
		t.Helper()
		for _, index := range []int64{0, 255, 256, 511, 512, head.Size - 1} {
			r, proof, err := w.Store.Audit().Proof(t.Context(), p.tenant, index)
			if err != nil || r.Event.Index != index || proof.Size != head.Size || string(proof.Root) != string(head.Root) {
				t.Fatalf("event %d: %+v, %v", index, proof, err)
			}
			if proof.Holds() != want && index >= 256 {
				t.Errorf("event %d: its proof holds: %v, want %v", index, proof.Holds(), want)
			}
		}
	}
	hold(true)
	for _, index := range []int64{-1, head.Size, 1 << 60} {
		_, _, err := w.Store.Audit().Proof(t.Context(), p.tenant, index)
		wantFault(t, fmt.Sprintf("the proof of event %d", index), err, fault.Missing)
	}
	w.mustRaw(t, "UPDATE audit_nodes SET hash = '%064d' WHERE tenant_id = 'acme' AND pos = 0", 7)
	hold(false)
	if r, err := w.Store.Audit().Verify(t.Context(), p.tenant); err != nil || r.OK || !strings.Contains(r.Problem, "stored node 0 at height 8") {
		t.Errorf("an edited node: %+v, %v", r, err)
	}
	w.mustRaw(t, "DELETE FROM audit_nodes WHERE tenant_id = 'acme'")
	hold(true)
	if r, err := w.Store.Audit().Verify(t.Context(), p.tenant); err != nil || !r.OK {
		t.Errorf("without kept nodes: %+v, %v", r, err)
	}
	var told []int64
	if _, err := w.Store.Audit().VerifyTelling(t.Context(), p.tenant, func(done, of int64) {
		if of != head.Size {
			t.Errorf("%d of %d events", done, of)
		}
		told = append(told, done)
	}); err != nil || len(told) == 0 || told[len(told)-1] != head.Size {
		t.Errorf("progress: %v, %v", told, err)
	}
}
