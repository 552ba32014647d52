package fivefactor

import (
	"fmt"
	"iter"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/countersign/countersign/internal/scoring/scan"
)

// argumentPattern is one thing that makes arguments risky.
type argumentPattern struct {
	name   string
	weight float64
	why    string
	find   scan.Finder
	needs  *scan.Regexp // what find needs a match of; nil for find itself, or nothing
}

const (
	dangerous = 0.70 // credentials, SQL, shell
	outward   = 0.40 // network
)

// argumentPatterns in the published order. Each counts once.
var argumentPatterns = []argumentPattern{
	{"credentials:production", dangerous, "names production", scan.FinderFunc(findProduction), prodLetters},
	{"credentials:.env", dangerous, "names an .env file", expr(`(?i)\.env`), nil},
	{"credentials:secret", dangerous, "names a secret", expr(`(?i)secret`), nil},
	{"credentials:password", dangerous, "names a password", expr(`(?i)password`), nil},
	{"credentials:token", dangerous, "names a token", expr(`(?i)token`), nil},
	{"credentials:credential", dangerous, "names a credential", expr(`(?i)credential`), nil},
	{"credentials:key", dangerous, "names a key", scan.FinderFunc(findKey), keyLetters},
	{"sql:drop", dangerous, "holds the SQL word DROP", expr(`(?i)\bDROP\b`), nil},
	{"sql:delete", dangerous, "holds the SQL word DELETE", expr(`(?i)\bDELETE\b`), nil},
	{"sql:truncate", dangerous, "holds the SQL word TRUNCATE", expr(`(?i)\bTRUNCATE\b`), nil},
	{"sql:alter", dangerous, "holds the SQL word ALTER", expr(`(?i)\bALTER\b`), nil},
	{"shell:rm", dangerous, "deletes files recursively by force", expr(`(?i)\brm\s+-(rf|fr)`), nil},
	{"shell:sudo", dangerous, "runs with elevated privileges", expr(`(?i)\bsudo\b`), nil},
	{"shell:chmod", dangerous, "makes files writable by everyone", expr(`(?i)\bchmod\s+(-R\s+)?0?777\b`), nil},
	{"network:url", outward, "holds a URL", expr(`(?i)[a-z][a-z0-9+.-]*://\S`), nil},
	{"network:email", outward, "holds an email address", expr(`(?i)[\w.+%-]+@[\w-]+(\.[\w-]+)+`), nil},
	{"network:ipv4", outward, "holds an IPv4 address", scan.FinderFunc(findIPv4), nil},
}

// possible says which of argumentPatterns, and behind them of alarms, may be in a text.
var possible = func() *scan.Prefilter {
	list := make([][]*scan.Regexp, len(argumentPatterns), len(argumentPatterns)+len(alarms))
	for i, p := range argumentPatterns {
		if re, ok := p.find.(*scan.Regexp); ok {
			list[i] = []*scan.Regexp{re}
		} else if p.needs != nil {
			list[i] = []*scan.Regexp{p.needs}
		}
	}
	for _, a := range alarms {
		list = append(list, []*scan.Regexp{a.find})
	}
	return scan.NewPrefilter(list)
}()

var alone = scan.JoinPrefilters(possible)

// read is for what nobody else reads: several values as one, and docstrings.
func read(text string) *scan.Reading {
	return &alone.Passages([]scan.Segment{{Text: text}})[0].Reading
}

// Prefilter says which patterns of arguments and words of docstrings may be in a text; it
// is for scan.JoinPrefilters.
func Prefilter() *scan.Prefilter { return possible }

func expr(e string) *scan.Regexp { return scan.MustCompile(e) }

// arguments is 1 − Π(1 − w) over the patterns found in the values. The names of
// the top-level arguments are not values. A pattern may lie across two values:
// an argv array is read as the command it becomes.
func arguments(in Input) finding { return argumentsIn(in.joined()) }

// argumentsIn is arguments of their values as one text.
func argumentsIn(text scan.Text, reading *scan.Reading) finding {
	if text.String() == "" {
		return finding{}
	}
	var (
		may    = reading.Possible(possible)
		safe   = 1.0
		plain  []scan.Evidence
		hidden []scan.Evidence
	)
	for i, p := range argumentPatterns {
		if !may.Has(i) {
			continue
		}
		spans, obfuscated := reading.Find(p.find, maxSpans)
		if len(spans) == 0 {
			continue
		}
		safe = float64(safe * (1 - p.weight))
		e := scan.Evidence{Pattern: p.name, Places: []scan.Place{}, Why: fmt.Sprintf("a value %s", p.why)}
		for _, s := range spans {
			e.Places = append(e.Places, text.Places(s.Start, s.End)...)
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
	return finding{1 - safe, plain}
}

// joined are the values of the arguments as one text.
func (in Input) joined() (scan.Text, *scan.Reading) {
	const pointer = "/arguments"
	passages := in.Passages
	if passages == nil {
		passages = scan.Passages(scan.Arguments(in.Arguments, pointer))
	}
	var (
		segments = make([]scan.Segment, 0, len(passages))
		last     *scan.Passage
	)
	for i := range passages {
		if p := &passages[i]; !p.NamesMemberOf(pointer) {
			segments, last = append(segments, p.Segment), p
		}
	}
	text := scan.Join(segments)
	if len(segments) == 1 {
		return text, &last.Reading
	}
	return text, read(text.String())
}

var (
	prodLetters = scan.MustCompile(`(?i)prod(?:uction)?`)
	keyLetters  = scan.MustCompile(`(?i)key`)
)

// findProduction finds "production" anywhere, and "prod" where it is not part
// of a longer run of letters: product and reprod are not it.
func findProduction(s scan.Subject, n int) []scan.Span {
	text := s.String()
	return keep(slices.Values(prodLetters.Find(s, -1)), n, func(span scan.Span) (scan.Span, bool) {
		isLong := span.End-span.Start > len("prod") // no letter of prod has a longer disguise
		return span, isLong || !letterBefore(text, span.Start) && !letterAt(text, span.End)
	})
}

// findKey finds key and keys between edges (scan.WordEdge), also where an api
// that begins at an edge stands before them: api_key, apiKey, apikey and
// AWS_ACCESS_KEY_ID, but not monkey, keyboard or okapikey.
func findKey(s scan.Subject, n int) []scan.Span {
	text := s.String()
	return keep(slices.Values(keyLetters.Find(s, -1)), n, func(span scan.Span) (scan.Span, bool) {
		begins := scan.WordEdge(text, span.Start)
		if api, ok := apiBefore(text, span.Start); !begins && ok {
			begins = scan.WordEdge(text, api)
		}
		if !begins {
			return span, false
		}
		if scan.WordEdge(text, span.End) {
			return span, true
		}
		if r, width := utf8.DecodeRuneInString(text[span.End:]); scan.FoldRune(r) == 's' && scan.WordEdge(text, span.End+width) {
			return scan.Span{Start: span.Start, End: span.End + width}, true
		}
		return span, false
	})
}

// apiBefore reports whether the letters api end at byte end, and where they begin.
func apiBefore(text string, end int) (start int, ok bool) {
	for _, want := range "ipa" {
		r, width := utf8.DecodeLastRuneInString(text[:end])
		if width == 0 || scan.FoldRune(r) != want {
			return 0, false
		}
		end -= width
	}
	return end, true
}

// findIPv4 finds four octets up to 255 that make up a whole run of digits and
// dots which no word character precedes; v1.2.3.4 and 1.2.3.4.5 are versions.
// Dots at the ends of the run belong to the sentence around it.
func findIPv4(s scan.Subject, n int) []scan.Span {
	text := s.String()
	return keep(dottedRuns(text), n, func(span scan.Span) (scan.Span, bool) {
		if r, width := utf8.DecodeLastRuneInString(text[:span.Start]); width > 0 && scan.IsWord(r) {
			return span, false
		}
		for span.Start < span.End && text[span.Start] == '.' {
			span.Start++
		}
		for span.Start < span.End && text[span.End-1] == '.' {
			span.End--
		}
		return span, isIPv4(text[span.Start:span.End])
	})
}

// dottedRuns gives the maximal runs of ASCII digits and dots that are long
// enough for four octets. Such a run holds every seventh byte of where it stands.
func dottedRuns(text string) iter.Seq[scan.Span] {
	const shortest = len("0.0.0.0")
	return func(yield func(scan.Span) bool) {
		for i := shortest - 1; i < len(text); i += shortest {
			if !isDotted(text[i]) {
				continue
			}
			start, end := i, i+1
			for start > 0 && isDotted(text[start-1]) {
				start--
			}
			for end < len(text) && isDotted(text[end]) {
				end++
			}
			if end-start >= shortest && !yield(scan.Span{Start: start, End: end}) {
				return
			}
			i = end
		}
	}
}

func isDotted(c byte) bool { return c == '.' || '0' <= c && c <= '9' }

// isIPv4 reads digits and dots only.
func isIPv4(run string) bool {
	octets, value, digits := 0, 0, 0
	for i := 0; i <= len(run); i++ {
		if i < len(run) && run[i] != '.' {
			value, digits = min(value*10+int(run[i]-'0'), 256), digits+1
			continue
		}
		if digits == 0 || value > 255 {
			return false
		}
		octets, value, digits = octets+1, 0, 0
	}
	return octets == 4
}

// keep gives the first n spans that accept takes, as accept gives them back.
func keep(spans iter.Seq[scan.Span], n int, accept func(scan.Span) (scan.Span, bool)) []scan.Span {
	var kept []scan.Span
	for s := range spans {
		if len(kept) == n {
			break
		}
		if s, ok := accept(s); ok {
			kept = append(kept, s)
		}
	}
	return kept
}

func letterBefore(s string, i int) bool {
	r, width := utf8.DecodeLastRuneInString(s[:i])
	return width > 0 && unicode.IsLetter(r)
}

func letterAt(s string, i int) bool {
	r, width := utf8.DecodeRuneInString(s[i:])
	return width > 0 && unicode.IsLetter(r)
}
