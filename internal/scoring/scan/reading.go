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

// Reading is a text together with its Normal copy and its Bare one.
type Reading struct {
	plain    Subject
	copies   []version // those that differ from the text and from each other
	normal   bool      // the first of them is the Normal one
	possible Set       // what a Prefilter says of all of them; nil where there was none
}

// version is a copy of a text, with the way back.
type version struct {
	Subject
	back func(start, end int) (int, int)
}

// Read prepares the text and its copies.
func Read(s string) Reading {
	r := Reading{plain: NewSubject(s)}
	normal, back, changed := Normal(s)
	if changed {
		r.copies, r.normal = append(r.copies, version{NewSubject(normal), back}), true
	}
	if bare, back, changed := BareOf(normal, back); changed {
		r.copies = append(r.copies, version{NewSubject(bare), back})
	}
	return r
}

// ReadFor is Read for Possible.
func ReadFor(p *Prefilter, s string) Reading {
	r := Read(s)
	r.possible = p.Possible(r.plain, nil)
	for _, v := range r.copies {
		r.possible.Add(p.Possible(v.Subject, nil))
	}
	return r
}

// Possible reports whether Find could find anything with entry i of the Prefilter
// that the text was read for.
func (r *Reading) Possible(i int) bool { return r.possible.Has(i) }

// AllPossible are the entries of which Possible is true. They belong to the Reading.
func (r *Reading) AllPossible() Set { return r.possible }

// String is the original text.
func (r *Reading) String() string { return r.plain.text }

// Normal is the second copy, and whether it differs from the first.
func (r *Reading) Normal() (string, bool) {
	if !r.normal {
		return r.plain.text, false
	}
	return r.copies[0].text, true
}

// Find looks in the text, and only if it finds nothing there, in the copies, one
// after the other. The spans are always those of the original text; obfuscated says
// that they came from a copy.
func (r *Reading) Find(f Finder, n int) (spans []Span, obfuscated bool) {
	if spans = f.Find(r.plain, n); len(spans) > 0 {
		return spans, false
	}
	for i := range r.copies {
		v := &r.copies[i]
		if spans = f.Find(v.Subject, n); len(spans) > 0 {
			for i, s := range spans {
				spans[i].Start, spans[i].End = v.back(s.Start, s.End)
			}
			return spans, true
		}
	}
	return nil, false
}
