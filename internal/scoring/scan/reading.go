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
	joint    [3]Set    // what a Joint says of the text and of each of the copies; nil where there was none
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

// Readings is Read once for each text, however many models read it, and one pass over
// it for all their Prefilters. It is for one goroutine; the nil Readings remembers
// nothing.
type Readings struct {
	joint *Joint
	sets  Set // memory for those of the next texts
}

// NewReadings is for models with these Prefilters.
func NewReadings(j *Joint) *Readings { return &Readings{joint: j} }

// Passages reads segments.
func (k *Readings) Passages(segments []Segment) []Passage {
	all := make([]Passage, len(segments))
	for i, s := range segments {
		all[i] = Passage{s, k.Read(s.Text)}
	}
	return all
}

// Read is that of the text.
func (k *Readings) Read(s string) Reading {
	r := Read(s)
	if k == nil || k.joint == nil {
		return r
	}
	r.joint[0] = k.joint.all.Possible(r.plain, k.set(len(k.joint.all.always)))
	r.plain.asked = true
	for i := range r.copies {
		r.joint[i+1] = k.joint.all.Possible(r.copies[i].Subject, k.set(len(k.joint.all.always)))
		r.copies[i].asked = true
	}
	return r
}

// set is memory for one of so many words.
func (k *Readings) set(words int) Set {
	const some = 16
	if len(k.sets) < words {
		k.sets = make(Set, some*words)
	}
	s := k.sets[:0:words]
	k.sets = k.sets[words:]
	return s
}

// ReadFor is Read for Possible.
func (k *Readings) ReadFor(p *Prefilter, s string) Reading {
	r := k.Read(s)
	return k.For(p, &r)
}

// For makes a Reading one for Possible. r is of these Readings.
func (k *Readings) For(p *Prefilter, r *Reading) Reading {
	of := *r
	of.possible = k.PossibleIn(r, 0, p, nil)
	for i := range r.copies {
		if i == 0 {
			of.possible = slices.Clone(of.possible)
		}
		of.possible.Add(k.PossibleIn(r, i+1, p, nil))
	}
	return of
}

// PossibleIn is what p says of the text (which is 0), or of one of its copies (1 and
// 2), perhaps in memory as of Prefilter.Possible. r is of these Readings; the caller does
// not change the set.
func (k *Readings) PossibleIn(r *Reading, which int, p *Prefilter, into Set) Set {
	if k != nil && r.joint[which] != nil {
		if part, ok := k.joint.part(p, r.joint[which]); ok {
			return part
		}
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
