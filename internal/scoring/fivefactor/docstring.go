package fivefactor

import (
	"fmt"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring/scan"
)

// alarm is a word of documentation and how alarming it is.
type alarm struct {
	word  string
	score float64
	find  *scan.Regexp
}

// alarms, most alarming first. They are beginnings of words
// on purpose: irreversib is irreversible and irreversibly.
var alarms = []alarm{
	{"irreversib", 0.85, expr(`(?i)irreversib`)},
	{"permanent", 0.85, expr(`(?i)permanent`)},
	{"destructive", 0.85, expr(`(?i)destructive`)},
	{"dangerous", 0.85, expr(`(?i)dangerous`)},
	{"production", 0.85, expr(`(?i)production`)},
	{"critical", 0.85, expr(`(?i)critical`)},
	{"careful", 0.50, expr(`(?i)careful`)},
	{"warning", 0.50, expr(`(?i)warning`)},
	{"caution", 0.50, expr(`(?i)caution`)},
}

// docstring is the most alarming word; the less alarming ones do not add to it
// and are not evidence for the number.
func docstring(text string) finding {
	if text == "" {
		return finding{}
	}
	return docstringIn(read(text))
}

// docstringIn is docstring of one that was read.
func docstringIn(reading *scan.Reading) finding {
	var (
		may           = reading.Possible(possible)
		score         float64
		plain, hidden []scan.Evidence
	)
	for i, a := range alarms {
		if a.score < score {
			break
		}
		if !may.Has(len(argumentPatterns) + i) {
			continue
		}
		spans, obfuscated := reading.Find(a.find, maxSpans)
		if len(spans) == 0 {
			continue
		}
		score = a.score
		e := scan.Evidence{Pattern: "docstring:" + a.word, Why: fmt.Sprintf("the docstring says %q", a.word)}
		for _, s := range spans {
			e.Places = append(e.Places, scan.Place{Pointer: "/docstring", Start: s.Start, End: s.End})
		}
		if obfuscated {
			hidden = append(hidden, e)
		} else {
			plain = append(plain, e)
		}
	}
	if len(hidden) > 0 {
		plain = append(append(plain, hidden...), scan.Disguised(hidden))
	}
	return finding{score, plain}
}

const (
	hintTrue   = 0.3   // each true
	hintNumber = 0.8   // a number of hintFull or more
	hintFull   = 10000 // rows, euros, files
)

// hints adds 0.3 for each member that is true and up to 0.8 for each positive
// number; everything else adds nothing, and no member takes anything away.
func hints(hints canon.Value) finding {
	var f finding
	for name, v := range hints.Members() {
		var (
			add float64
			why string
			end int
		)
		switch {
		case v.Bool():
			add, why, end = hintTrue, "the hint is true", len("true")
		case v.Kind() == canon.KindNumber && v.Float() > 0:
			add = float64(min(v.Float()/hintFull, 1) * hintNumber)
			why, end = "the hint is the number "+v.Number(), len(v.Number())
		default:
			continue
		}
		f.score += add
		if len(f.evidence) < maxHints {
			f.evidence = append(f.evidence, scan.Evidence{
				Pattern: "hint:" + name,
				Places:  []scan.Place{{Pointer: "/hints/" + canon.PointerEscape(name), End: end}},
				Why:     fmt.Sprintf("%s and adds %v", why, round(add)),
			})
		}
	}
	return f
}

// maxHints bounds the evidence: hints may hold thousands of members.
const maxHints = 32
