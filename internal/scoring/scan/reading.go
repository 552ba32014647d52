package scan

// Finder is what looks for one thing in a text: a Regexp, or code where no
// expression can say it. Find gives at most n spans in order.
type Finder interface {
	Find(s Subject, n int) []Span
}

// FinderFunc is a Finder made of a function.
type FinderFunc func(s Subject, n int) []Span

// Find calls f.
func (f FinderFunc) Find(s Subject, n int) []Span { return f(s, n) }

// Reading is a text together with its Normal copy.
type Reading struct {
	plain  Subject
	normal Subject
	back   func(start, end int) (int, int)
	hidden bool // there is a copy that differs

	inPlain, inNormal Set // what a Prefilter says of both; nil where there was none
}

// Read prepares both.
func Read(s string) Reading {
	r := Reading{plain: NewSubject(s)}
	normal, back, changed := Normal(s)
	if changed {
		r.normal, r.back, r.hidden = NewSubject(normal), back, true
	}
	return r
}

// ReadFor is Read for Possible.
func ReadFor(p *Prefilter, s string) Reading {
	r := Read(s)
	if r.inPlain = p.Possible(r.plain, nil); r.hidden {
		r.inNormal = p.Possible(r.normal, nil)
	}
	return r
}

// Possible reports whether Find could find anything with entry i of the Prefilter
// that the text was read for.
func (r Reading) Possible(i int) bool {
	return r.inPlain.Has(i) || r.hidden && r.inNormal.Has(i)
}

// String is the original text.
func (r Reading) String() string { return r.plain.text }

// Normal is the second copy, and whether it differs from the first.
func (r Reading) Normal() (string, bool) {
	if !r.hidden {
		return r.plain.text, false
	}
	return r.normal.text, true
}

// Find looks in the text, and only if it finds nothing there, in the copy.
// The spans are always those of the original text; obfuscated says that they
// came from the copy.
func (r Reading) Find(f Finder, n int) (spans []Span, obfuscated bool) {
	if spans = f.Find(r.plain, n); len(spans) > 0 || !r.hidden {
		return spans, false
	}
	spans = f.Find(r.normal, n)
	for i, s := range spans {
		spans[i].Start, spans[i].End = r.back(s.Start, s.End)
	}
	return spans, len(spans) > 0
}
