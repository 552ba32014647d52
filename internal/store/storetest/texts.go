package storetest

import (
	"slices"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
)

// Requests are found by any part of what they say, of one organisation, the newest first;
// what an edit adds is found too, and what came in before there were texts is drawn later.
func testRequestTexts(t *testing.T, w world) {
	p := w.acme
	says := func(arguments string) approvals.Approval {
		return p.submit(t, func(a *approvals.Approval) {
			a.Action = parse(t, `{"function":"delete_user","arguments":`+arguments+`}`).Canonical()
			a.Assessment.Facts = nil
		})
	}
	first := says(`{"user_id":"Größe_100%","list":[{"deep":"alpha-7"},4711]}`)
	second := says(`{"user_id":"usr_2","note":"ALPHA"}`)
	long := says(`{"user_id":"usr_3","note":"` + strings.Repeat("é", approvals.MaxSearchText) + `omega"}`)
	finds := func(of place, text, before string, want ...approvals.Approval) {
		t.Helper()
		of.read(t, func(r approvals.Reader) error {
			found, whole, err := r.Holding(approvals.TextQuery{Text: text, Before: before})
			var got, ids []string
			for _, f := range found {
				got = append(got, f.ID)
				if !strings.Contains(f.Text, text) || len(f.Text) > approvals.MaxSearchText {
					t.Errorf("%q is found in %.80q", text, f.Text)
				}
			}
			for _, a := range want {
				ids = append(ids, a.ID)
			}
			if !slices.Equal(got, ids) || !whole {
				t.Errorf("%q finds %q, whole %t, want %q", text, got, whole, ids)
			}
			return err
		})
	}
	finds(p, "größe_100%", "", first)
	finds(p, "e_1", "", first)
	finds(p, "0%", "", first)
	finds(p, "0!", "")
	finds(p, "gr_ße", "")
	finds(p, "alpha", "", second, first)
	finds(p, "alpha", second.ID, first)
	finds(p, "4711", "", first)
	finds(p, "delete_user", "", long, second, first)
	finds(p, "omega", "")
	finds(w.beta, "alpha", "")
	p.edit(t, second, p.ada)
	finds(p, "alpha", "", second, first) // what the agent proposed is found too

	// The trail and the history of what is found.
	p.approve(t, first)
	for _, c := range []struct {
		among []string
		found int
	}{{[]string{second.ID, first.ID}, 1}, {[]string{second.ID}, 0}, {[]string{}, 0}} {
		p.read(t, func(r approvals.Reader) error {
			page, err := r.Decided(approvals.HistoryQuery{HistoryFilter: approvals.HistoryFilter{Text: "alpha"}, Among: c.among, Edge: -1, Limit: 10})
			if len(page.Decided) != c.found || !page.Done {
				t.Errorf("among %q the history has %d, done %t", c.among, len(page.Decided), page.Done)
			}
			return err
		})
		page, err := p.db.Store.Audit().Search(t.Context(), p.tenant, audit.Query{Filter: audit.Filter{About: "alpha", Among: c.among}, Edge: -1, Limit: 100})
		if err != nil || !page.Done || slices.ContainsFunc(page.Records, func(r audit.Record) bool { return !slices.Contains(c.among, r.Event.Approval) }) || (len(page.Records) == 0) != (len(c.among) == 0) {
			t.Errorf("among %q the trail has %d entries, %v", c.among, len(page.Records), err)
		}
	}

	w.mustRaw(t, "DELETE FROM request_texts WHERE tenant_id = '%s' AND approval_id <> '%s'", p.tenant, first.ID)
	finds(p, "alpha", "", first)
	before := "apr_g"
	for rounds := 0; before != ""; rounds++ {
		if rounds > 3 {
			t.Fatal("it never ends")
		}
		p.write(t, func(w approvals.Writer) (err error) {
			before, err = w.DrawTexts(before, 1)
			return err
		})
	}
	finds(p, "alpha", "", second, first)
	finds(p, "delete_user", "", long, second, first)
}
