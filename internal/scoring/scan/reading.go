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
	plain  Subject
	copies []version // those that differ from the text and from each other
	normal bool      // the first of them is the Normal one
	joint  *Joint    // nil where there was none
	sets   [3]Set    // what that says of the text and of each of the copies
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

// Passage is a segment that was read.
type Passage struct {
	Segment
	Reading
}

// Passages reads segments by themselves.
func Passages(segments []Segment) []Passage {
	all := make([]Passage, len(segments))
	for i, s := range segments {
		all[i] = Passage{s, Read(s.Text)}
	}
	return all
}

// Passages reads segments, with one pass over each copy of a text for all the Prefilters.
func (j *Joint) Passages(segments []Segment) []Passage {
	all := Passages(segments)
	for i := range all {
		r := &all[i].Reading
		r.joint = j
		r.sets[0] = j.all.possible(&r.plain)
		for n := range r.copies {
			r.sets[n+1] = j.all.possible(&r.copies[n].Subject)
		}
	}
	return all
}

// Possible says with which entries of p Find could find anything. The caller does not
// change the set.
func (r *Reading) Possible(p *Prefilter) Set {
	all := r.PossibleIn(0, p)
	for i := range r.copies {
		if i == 0 {
			all = slices.Clone(all)
		}
		all.Add(r.PossibleIn(i+1, p))
	}
	return all
}

// PossibleIn is what p says of the text (which is 0), or of one of its copies (1 and
// 2). The caller does not change the set.
func (r *Reading) PossibleIn(which int, p *Prefilter) Set {
	if part, ok := r.joint.part(p, r.sets[which]); ok {
		return part
	}
	if which == 0 {
		return p.Possible(r.plain)
	}
	return p.Possible(r.copies[which-1].Subject)
}

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
