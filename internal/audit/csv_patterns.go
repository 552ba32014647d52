package audit

import (
	"strings"

	"github.com/countersign/countersign/internal/canon"
)

// The columns of a table for the pattern model: what a reviewer reads its score and its
// action from. A row that tells of none leaves them empty.

// PatternHead names the columns of PatternCells.
var PatternHead = []string{
	"pattern label", "pattern score", "pattern raw score", "pattern severity", "critical", "high", "medium", "low",
	"base action", "pattern action", "action reason", "score override threshold", "score override exceeded", "matches",
}

// PatternCells are the cells for what an event or a request tells of the pattern model
// (the member patterns of treatment); all empty where that is absent. Of a clean pass, which
// is told in short, they say what follows from it.
func PatternCells(data canon.Value) []string {
	if data.IsAbsent() {
		return make([]string, len(PatternHead))
	}
	clean := data.Get("matched_patterns").IsAbsent()
	number := func(v canon.Value) string {
		if clean {
			return "0"
		}
		return v.Number()
	}
	counts := data.Get("severity_counts")
	base, exceeded := data.Get("base_action").Text(), "no"
	if clean {
		base = data.Get("action").Text()
	}
	if data.Get("score_override_exceeded").Bool() {
		exceeded = "yes"
	}
	var matches []string
	for _, m := range data.Get("matched_patterns").Elements() {
		matches = append(matches, matchText(m))
	}
	return []string{
		data.Get("label").Text(), data.Get("numeric_score").Number(), number(data.Get("raw_score")), data.Get("categorical_severity").Text(),
		number(counts.Get("critical")), number(counts.Get("high")), number(counts.Get("medium")), number(counts.Get("low")),
		base, data.Get("action").Text(), data.Get("action_reason").Text(), data.Get("score_override_threshold").Number(), exceeded,
		strings.Join(matches, "; "),
	}
}

// matchText is "card-number (high, redact) adds 20 in /arguments/card bytes 0-19, 1 times".
func matchText(m canon.Value) string {
	at := m.Get("field").Text()
	if m.Get("key").Bool() {
		at = "the name of " + at
	}
	action := m.Get("action").Text()
	if m.Get("keeps_mask").Bool() {
		action += ", masked"
	}
	return m.Get("id").Text() + " (" + m.Get("severity").Text() + ", " + action + ") adds " + m.Get("contribution").Number() +
		" in " + at + " bytes " + m.Get("start").Number() + "-" + m.Get("end").Number() + ", " + m.Get("occurrences").Number() + " times"
}
