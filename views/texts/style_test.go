package texts

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// unwelcome are words that a text of ours does not use, and what to write (README.md).
// Each was found by readers who took the console for a translation.
var unwelcome = []struct{ words, write string }{
	{`(un)?tick(s|ed)?`, "select, check or accept"},
	{`stands?|stood`, "is, appears or is kept"},
	{`(some|no|every|any)body`, "someone, no one, everyone or anyone"},
	{`e-mails?`, "email"},
	{`beside`, "next to, or with"},
	{`let through|lets \S+ through|allowed ahead`, "approved automatically"},
	{`as ever|worthless|taken away|taken back|whoever owns`, "it plainly"},
	{`(can|do|does|did|is|are|was|were|has|have|could|would) ?not`, "the contraction"},
	{`lower-case|small letters`, "lowercase"},
	{`quarter of an hour`, "15 minutes"},
	{`is on it|looking now`, "claimed by, or viewing now"},
	{`standing grants?|session grants?`, "standing approval, or session approval"},
	{`silence is never consent|nothing waits`, "what happens"},
}

// plainer are the folders whose texts the house style does not reach yet: the library of
// patterns and rules, and what reads JSON and policies.
var plainer = []string{"internal/scoring", "internal/canon", "the pattern ", "the rule ", "package "}

// TestHouseStyle: the words that the review of the console struck out do not come back.
func TestHouseStyle(t *testing.T) {
	t.Parallel()
	entries := read(t, "en.json")
	for key, where := range used(t) {
		if slices.ContainsFunc(plainer, func(folder string) bool { return strings.Contains(where, folder) }) {
			delete(entries, key)
		}
	}
	if len(entries) < 2000 {
		t.Fatalf("%d texts: the test no longer sees the catalogue", len(entries))
	}
	for _, u := range unwelcome {
		found := regexp.MustCompile(`(?i)\b(` + u.words + `)\b`)
		for key, e := range entries {
			texts := []string{key}
			for _, form := range e.forms {
				texts = append(texts, form)
			}
			for _, text := range texts {
				if word := found.FindString(text); word != "" {
					t.Errorf("%q says %q; write %s (views/texts/README.md)", text, word, u.write)
				}
			}
		}
	}
}
