package storetest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/headline"
)

// result stores the result of a tool in which something was masked.
func (p place) result(t *testing.T, content string) approvals.Approval {
	t.Helper()
	return p.submit(t, func(a *approvals.Approval) {
		a.Action, a.ShownDigest = []byte(`{"content":"`+content+`"}`), "sha256:masked"
		a.Assessment.Patterns.LifecyclePoint = scoring.PostToolResult
	})
}

// views lists page by page, and returns how many each page has.
func (p place) views(t *testing.T, f approvals.Filter) (all []approvals.AgentView, sizes []int) {
	t.Helper()
	for more := true; more; {
		var page []approvals.AgentView
		p.read(t, func(r approvals.Reader) (err error) {
			page, more, err = r.AgentViews(f)
			return err
		})
		if more && len(page) == 0 {
			t.Fatal("an empty page says that there is more")
		}
		all, sizes = append(all, page...), append(sizes, len(page))
		if more {
			f.Before = page[len(page)-1].ID
		}
	}
	return all, sizes
}

// What a list tells an agent is what it is told of each alone.
func testAgentViews(t *testing.T, w world) {
	p := w.acme
	revision := p.submit(t, func(a *approvals.Approval) { a.Revises = "apr_changes" })
	twice := p.edit(t, p.edit(t, p.submit(t, nil), p.ada), p.ada)
	restated := p.edit(t, p.submit(t, nil), p.ada)
	restated.Version++
	p.write(t, func(w approvals.Writer) error { return w.Restate(restated, restated.Version-1) })
	signed := p.severally(t, 2)
	p.sign(t, signed, p.ada)
	done := p.approve(t, p.submit(t, nil))
	p.write(t, func(w approvals.Writer) error {
		if err := w.Consume(done.ID, "key"); err != nil {
			return err
		}
		return w.Report(done.ID, approvals.Execution{Status: "failed", Detail: "no", ReportedAt: w.Now()})
	})
	want := []approvals.Approval{
		p.approve(t, p.submit(t, func(a *approvals.Approval) { a.ShownDigest, a.Assessment.Rewrites = "sha256:masked", true })),
		p.deny(t, p.result(t, "masked and denied"), "no"), p.approve(t, p.result(t, "masked")), done, signed,
		p.approve(t, p.get(t, restated.ID)), p.approve(t, twice), p.deny(t, p.edit(t, p.submit(t, nil), p.ada), "no"), p.submit(t, nil), revision,
	}
	slices.SortFunc(want, func(a, b approvals.Approval) int { return strings.Compare(b.ID, a.ID) })

	all, sizes := p.views(t, approvals.Filter{Agent: p.agent.ID, Limit: 4})
	same(t, "the pages", sizes, []int{4, 4, 2})
	if len(all) != len(want) {
		t.Fatalf("%d are listed, want %d", len(all), len(want))
	}
	effective := 0
	for i, a := range want {
		told := p.get(t, a.ID).AgentView()
		told.Asks, told.Headline = "", headline.Headline{} // the service says what will be asked, and what the call does
		same(t, fmt.Sprintf("what is told of number %d", i), all[i], told)
		if all[i].Effective != nil {
			effective++
		}
	}
	if effective != 4 {
		t.Errorf("%d actions are handed back, want the masked result, the rewritten call and the two that were edited", effective)
	}
	if other, _ := w.beta.views(t, approvals.Filter{Agent: p.agent.ID}); len(other) != 0 {
		t.Errorf("beta is told of %d", len(other))
	}
}

// A page ends before what it hands back is too much; what is larger alone stands alone.
func testAgentViewsAreBounded(t *testing.T, w world) {
	p := w.acme
	var want []string
	for i, bytes := range []int{400, 400, 1100, 400, 10} {
		a := p.approve(t, p.result(t, strings.Repeat("x", bytes<<10)))
		want = append(want, a.ID)
		if i == 3 { // what a list need not read takes no place
			want = append(want, p.submit(t, func(a *approvals.Approval) { a.Action = []byte(`"` + strings.Repeat("x", 2<<20) + `"`) }).ID)
		}
	}
	slices.Reverse(want)
	all, sizes := p.views(t, approvals.Filter{Agent: p.agent.ID, Limit: 50})
	same(t, "the pages", sizes, []int{3, 1, 2})
	var got []string
	for _, v := range all {
		got = append(got, v.ID)
	}
	same(t, "what is listed", got, want)
}
