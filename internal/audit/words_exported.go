package audit

import (
	"strings"

	"github.com/countersign/countersign/internal/fault"
)

// exported says what somebody took out, how much, and as what.
func exported(t teller) fault.Text {
	of := fault.Textf("of the trail")
	switch t.get("list") {
	case "history":
		of = fault.Textf("of the history")
	case "evaluations":
		of = fault.Textf("of the evaluations")
	case "questions", "operators":
		of = fault.Textf("of the quiz statistics (%s)", wordOf(lists, t.get("list")))
	default:
		if figure, ok := strings.CutPrefix(t.get("list"), "insights-"); ok {
			of = fault.Textf("of the insights (%s)", figure)
		}
	}
	as := fault.Textf("A FILE")
	if format := t.get("format"); format != "" {
		as = fault.Verbatim(strings.ToUpper(format))
	}
	if t.get("count") == "1" {
		return fault.Textf("Exported 1 entry %s as %s", of, as)
	}
	return fault.Textf("Exported %s entries %s as %s", t.or("count", fault.Textf("some")), of, as)
}
