package effects

import (
	"cmp"
	"slices"
)

// findings gathers the effects of a text, each once, in the order in which they are
// found.
type findings struct{ all []Effect }

// maxPlaces bounds the places that one effect names: a text of nothing but DELETE
// must not fill the record.
const maxPlaces = 4

// add adds an effect, or its evidence to the one that is like it.
func (f *findings) add(e Effect) {
	like := func(o Effect) bool {
		if o.Kind == Read && e.Kind == Read && !o.Sensitive && !e.Sensitive {
			return true // of plain reads the first one stands for all
		}
		return o.Kind == e.Kind && o.Verb == e.Verb && o.Object == e.Object && o.Breadth == e.Breadth && o.Sensitive == e.Sensitive && o.Audience == e.Audience && o.Certain == e.Certain
	}
	i := slices.IndexFunc(f.all, like)
	if i < 0 {
		f.all = append(f.all, e)
		return
	}
	for _, place := range e.Evidence {
		if known := &f.all[i].Evidence; len(*known) < maxPlaces && !slices.ContainsFunc(*known, func(k Evidence) bool { return k.Start == place.Start && k.Pointer == place.Pointer }) {
			*known = append(*known, place)
		}
	}
}

// merge adds effects.
func (f *findings) merge(all []Effect) {
	for _, e := range all {
		f.add(e)
	}
}

// worstFirst are the effects: the worst kind first, then what is sensitive, then what
// acts on more.
func (f *findings) worstFirst() []Effect {
	sensitive := func(e Effect) int {
		if e.Sensitive {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(f.all, func(a, b Effect) int {
		return cmp.Or(worstFirst(a, b), sensitive(b)-sensitive(a), b.Breadth.rank()-a.Breadth.rank())
	})
	return f.all
}
