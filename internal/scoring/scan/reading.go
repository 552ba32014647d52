package scan

import "slices"

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
	joint    *Joint    // nil where there was none
	sets     [3]Set    // what that says of the text and of each of the copies
}

// version is a copy of a text, with the way back.
type version struct {
	Subject
	back func(start, end int) (int, int)
}

// Read prepares the text and its copies.
func Read(s string) Reading {
	of := traitsOf(s)
	r := Reading{plain: newSubject(s, of)}
	normal, its, back, changed := normalOf(s, of)
	if changed {
		r.copies, r.normal = append(r.copies, version{newSubject(normal, its), back}), true
	}
	if bare, back, changed := bareOf(normal, its, back); changed {
		r.copies = append(r.copies, version{NewSubject(bare), back})
	}
	return r
}

// Passage is a segment that was read.
type Passage struct {
	Segment
	Reading
}

// Passages reads segments, with one pass over each copy of a text for all the
// Prefilters of the Joint; nil for none.
func Passages(segments []Segment, j *Joint) []Passage {
	all := make([]Passage, len(segments))
	var free Set // memory for the sets of the next texts
	set := func() (s Set) {
		const some = 16
		words := len(j.all.always)
		if len(free) < words {
			free = make(Set, some*words)
		}
		s, free = free[:0:words], free[words:]
		return s
	}
	for i, s := range segments {
		r := Read(s.Text)
		if j != nil {
			r.joint = j
			r.sets[0], r.plain.asked = j.all.Possible(r.plain, set()), true
			for n := range r.copies {
				r.sets[n+1], r.copies[n].asked = j.all.Possible(r.copies[n].Subject, set()), true
			}
		}
		all[i] = Passage{s, r}
	}
	return all
}

// Read is the text read for Possible.
func (p *Prefilter) Read(s string) Reading {
	r := Read(s)
	return r.For(p)
}

// For is the Reading made one for Possible.
func (r *Reading) For(p *Prefilter) Reading {
	of := *r
	of.possible = r.PossibleIn(0, p, nil)
	for i := range r.copies {
		if i == 0 {
			of.possible = slices.Clone(of.possible)
		}
		of.possible.Add(r.PossibleIn(i+1, p, nil))
	}
	return of
}

// PossibleIn is what p says of the text (which is 0), or of one of its copies (1 and
// 2), perhaps in memory as of Prefilter.Possible. The caller does not change the set.
func (r *Reading) PossibleIn(which int, p *Prefilter, into Set) Set {
	if part, ok := r.joint.part(p, r.sets[which]); ok {
		return part
	}
	if which == 0 {
		return p.Possible(r.plain, into)
	}
	return p.Possible(r.copies[which-1].Subject, into)
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

// Plain is the original text as a Subject.
func (r *Reading) Plain() Subject { return r.plain }

// Copies gives the Normal and the Bare copy, each with the way back; Which is 0 for
// one that is not there, because it shows nothing new.
func (r *Reading) Copies() (normal, bare Copy) {
	rest := r.copies
	if r.normal {
		normal, rest = Copy{rest[0].Subject, rest[0].back, 1}, rest[1:]
	}
	if len(rest) > 0 {
		bare = Copy{rest[0].Subject, rest[0].back, len(r.copies)}
	}
	return normal, bare
}

// Copy is one of the copies of a Reading.
type Copy struct {
	Subject
	Back  func(start, end int) (int, int)
	Which int // for PossibleIn; 0 where there is no such copy
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
