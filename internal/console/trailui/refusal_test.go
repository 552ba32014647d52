package trailui

import (
	"net/url"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/console/filter"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/tenants"
	"github.com/countersign/countersign/views/texts"
)

func TestRefusedFiltersAreToldInBothLanguages(t *testing.T) {
	t.Parallel()
	a := filter.Take(texts.Pseudo(), url.Values{"kind": {"%d"}, "from": {"x"}}, "kind", "from")
	trailQuery(a)
	f := fault.As(refusal(a))
	if want := "Kind: choose kinds from the list; From: write a time in UTC, like 2026-11-20T09:42 or 2026-11-20"; f.Detail != want {
		t.Errorf("the log has %q, want %q", f.Detail, want)
	}
	if want := "⟦⟦Kind⟧: ⟦choose kinds from the list⟧⟧"; !strings.Contains(texts.Pseudo().Phrase(f), want) {
		t.Errorf("the page has %q, want %q", texts.Pseudo().Phrase(f), want)
	}
}

func TestHiddenScoresAreEmptyCells(t *testing.T) {
	t.Parallel()
	var e approvals.Evaluated
	e.Approval, e.Severity, e.NumericScore = "apr_1", "high", 20
	open := evaluationCells(e, tenants.Names{})
	if len(open) != len(evaluationHead) || strings.Join(open[12:], "") == "" {
		t.Errorf("its cells are %q", open)
	}
	e.Sealed = true
	if cells := evaluationCells(e, tenants.Names{}); len(cells) != len(evaluationHead) || strings.Join(cells[12:], "") != "" {
		t.Errorf("its cells are %q", cells)
	}
}
