package rules

import (
	"unicode/utf8"

	"github.com/countersign/countersign/internal/scoring/scan"
)

// Resource is something that a risky text names.
type Resource struct {
	Kind  string     `json:"kind"`  // file, url or table
	Value string     `json:"value"` // in full
	Place scan.Place `json:"place"`
}

// String is the resource as an operator is shown it: "table:users". A URL is
// cut to 50 code points.
func (r Resource) String() string {
	value := r.Value
	if r.Kind == "url" && utf8.RuneCountInString(value) > shownURL {
		runes := 0
		for i := range value {
			if runes == shownURL {
				value = value[:i]
				break
			}
			runes++
		}
	}
	return r.Kind + ":" + value
}

const (
	shownURL     = 50 // code points
	maxResources = 10
)

// extractor is one kind of resource: the last group of its expression is the value.
type extractor struct {
	kind string
	find *scan.Regexp
	most int
}

// extractors in the order in which resources are listed. Only that for tables
// matches in any case; it has no \b before it, so RAINDROP TABLE x gives x.
var extractors = []extractor{
	{"file", scan.MustCompile(`['"]([/\\][\w./\\-]+)['"]`), 5},
	{"file", scan.MustCompile(`Path\(['"]([^'"]+)['"]\)`), 5},
	{"url", scan.MustCompile(`https?://[^\s'"]+`), 3},
	{"table", scan.MustCompile(`(?i)(FROM|INTO|UPDATE|DROP)\s+((TABLE|DATABASE|SCHEMA|VIEW|INDEX)\s+)?(IF\s+EXISTS\s+)?["'` + "`" + `]?(\w+)`), 3},
}

// named says which of extractors may find something in a text.
var named = scan.NewPrefilter(finders())

func finders() (list [][]*scan.Regexp) {
	for _, e := range extractors {
		list = append(list, []*scan.Regexp{e.find})
	}
	return list
}

// Resources lists what the texts name: files, then URLs, then tables, each in
// the order of the texts, duplicates kept, at most ten. The texts are originals,
// never copies without disguise.
func Resources(texts []scan.Segment) []Resource {
	sources := make([]source, len(texts))
	for i, t := range texts {
		subject := scan.NewSubject(t.Text)
		sources[i] = source{t, subject, named.Possible(subject)}
	}
	return resources(sources, 0)
}

// source is a text that names something. possible has the extractors that may find
// something there.
type source struct {
	scan.Segment
	subject  scan.Subject
	possible scan.Set
}

// resources is Resources; first is where the extractors begin among what is possible.
func resources(texts []source, first int) []Resource {
	var all []Resource
	for k, e := range extractors {
		left := e.most
		for i := range texts {
			t := &texts[i]
			if !t.possible.Has(first + k) {
				continue
			}
			for _, groups := range e.find.Groups(t.subject, left) {
				span := groups[len(groups)-1]
				all = append(all, Resource{e.kind, t.Text[span.Start:span.End], t.Place(span.Start, span.End)})
				left--
			}
		}
	}
	return all[:min(len(all), maxResources)]
}
