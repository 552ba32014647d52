package fivefactor

import (
	"fmt"
	"strings"

	"github.com/countersign/countersign/internal/scoring/scan"
)

// wordClass is a kind of word in a function name.
type wordClass struct {
	name  string
	score float64
	words []string
}

// wordClasses, riskiest first.
var wordClasses = []wordClass{
	{"destructive", 0.95, []string{"delete", "remove", "drop", "destroy", "purge", "truncate", "kill"}},
	{"mutating", 0.55, []string{"write", "update", "modify", "set", "create", "send", "deploy", "push", "execute", "run"}},
	{"reading", 0.10, []string{"read", "get", "list", "fetch", "search", "find", "check"}},
}

const unknownName = 0.40 // no listed word

// listed are all of those words.
var listed = func() map[string]listedWord {
	all := map[string]listedWord{}
	for _, class := range wordClasses {
		for _, w := range class.words {
			all[w] = listedWord{class.score, class.name + ":" + w, fmt.Sprintf("contains %q", w)}
		}
	}
	return all
}()

type listedWord struct {
	score        float64
	pattern, why string
}

// functionName is the riskiest listed word of the name, in it or in its copies
// without disguise. A copy that looks harmless does not lower what the name as
// it stands got: a disguise never makes a call safer. Letters of other scripts often come in
// one case only, so that a copy is read in lower case as well: "deꓡete" is one word.
func functionName(name string) finding {
	best := riskiestWord(name, func(start, end int) (int, int) { return start, end })
	for _, copyOf := range []func(string) (string, func(int, int) (int, int), bool){scan.Normal, scan.Bare} {
		text, back, changed := copyOf(name)
		if !changed {
			continue
		}
		for _, text := range []string{text, lower(text)} {
			if found := riskiestWord(text, back); found.score > best.score {
				best = finding{found.score, append(found.evidence, scan.Disguised(found.evidence))}
			}
		}
	}
	return best
}

// riskiestWord looks in text, which is the function name or came from it by back.
func riskiestWord(text string, back func(int, int) (int, int)) finding {
	var (
		best  float64
		found []scan.Evidence
	)
	for _, span := range scan.Words(text) {
		word, ok := listed[scan.Fold(text[span.Start:span.End])]
		if !ok || word.score < best {
			continue
		}
		if word.score > best {
			best, found = word.score, nil
		}
		if len(found) < maxSpans {
			start, end := back(span.Start, span.End)
			found = append(found, scan.Evidence{
				Pattern: word.pattern, Places: []scan.Place{{Pointer: "/function", Start: start, End: end}}, Why: word.why,
			})
		}
	}
	if found != nil {
		return finding{best, found}
	}
	start, end := back(0, len(text))
	return finding{unknownName, []scan.Evidence{{
		Pattern: "unlisted",
		Places:  []scan.Place{{Pointer: "/function", Start: start, End: end}},
		Why:     "no risk words in the function name",
	}}}
}

// lower is a name with A to Z in lower case, byte for byte.
func lower(name string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, name)
}
