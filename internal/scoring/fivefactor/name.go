package fivefactor

import (
	"fmt"

	"github.com/countersign/countersign/internal/scoring/scan"
)

// wordClass is a kind of word in a function name.
type wordClass struct {
	name  string
	score float64
	words []string
}

// wordClasses, riskiest first (scoring.md §1, F).
var wordClasses = []wordClass{
	{"destructive", 0.95, []string{"delete", "remove", "drop", "destroy", "purge", "truncate", "kill"}},
	{"mutating", 0.55, []string{"write", "update", "modify", "set", "create", "send", "deploy", "push", "execute", "run"}},
	{"reading", 0.10, []string{"read", "get", "list", "fetch", "search", "find", "check"}},
}

const unknownName = 0.40 // no listed word

// functionName is the riskiest listed word of the name, in it or in its copies
// without disguise. A copy that looks harmless does not lower what the name as
// it stands got: a disguise never makes a call safer.
func functionName(name string) finding {
	best := riskiestWord(name, func(start, end int) (int, int) { return start, end })
	for _, copyOf := range []func(string) (string, func(int, int) (int, int), bool){scan.Normal, scan.Bare} {
		text, back, changed := copyOf(name)
		if !changed {
			continue
		}
		if found := riskiestWord(text, back); found.score > best.score {
			best = finding{found.score, append(found.evidence, scan.Disguised(found.evidence))}
		}
	}
	return best
}

// riskiestWord looks in text, which is the function name or came from it by back.
func riskiestWord(text string, back func(int, int) (int, int)) finding {
	var (
		best  *wordClass
		found []scan.Evidence
	)
	var few [8]scan.Span
	for _, span := range scan.AppendWords(few[:0], text) {
		word := scan.Fold(text[span.Start:span.End])
		class := classOf(word)
		if class == nil || best != nil && class.score < best.score {
			continue
		}
		if best == nil || class.score > best.score {
			best, found = class, nil
		}
		if len(found) < maxSpans {
			start, end := back(span.Start, span.End)
			found = append(found, scan.Evidence{
				Pattern: class.name + ":" + word,
				Places:  []scan.Place{{Pointer: "/function", Start: start, End: end}},
				Why:     fmt.Sprintf("the function name holds the %s word %q", class.name, word),
			})
		}
	}
	if best != nil {
		return finding{best.score, found}
	}
	start, end := back(0, len(text))
	return finding{unknownName, []scan.Evidence{{
		Pattern: "unlisted",
		Places:  []scan.Place{{Pointer: "/function", Start: start, End: end}},
		Why:     "the function name holds no listed word",
	}}}
}

func classOf(word string) *wordClass {
	for i, class := range wordClasses {
		for _, w := range class.words {
			if w == word {
				return &wordClasses[i]
			}
		}
	}
	return nil
}
