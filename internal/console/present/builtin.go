package present

import (
	"sync"

	"github.com/countersign/countersign/internal/scoring/patterns"
	"github.com/countersign/countersign/internal/scoring/rules"
	"github.com/countersign/countersign/internal/scoring/scan"
	"github.com/countersign/countersign/views/texts"
)

// BuiltIn says a sentence of what comes with the program, its patterns and rules, in
// the reader's language. Any other sentence is an organisation's own, or evidence, and
// stays as it is, although it may read like a text of ours. It is never a format.
func BuiltIn(say texts.Printer, sentence string) string {
	if say == (texts.Printer{}) || !library()[sentence] { // in English it says itself
		return sentence
	}
	return say.Key(texts.Key(sentence))
}

// library is the sentences of the patterns and rules that come with the program. The
// catalogue has each of them.
var library = sync.OnceValue(func() map[string]bool {
	all := map[string]bool{scan.Disguised(nil).Why: true}
	for _, p := range patterns.Default().Patterns() {
		all[p.Description] = true
	}
	for _, r := range rules.Default() {
		all[r.Reason] = true
	}
	for _, s := range rules.Sentences() {
		all[s] = true
	}
	return all
})
