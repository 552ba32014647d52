package effects

import (
	"strings"

	"github.com/countersign/countersign/internal/canon"
)

// Docstring and hints are the agent's, or its server's, own words: they only raise.

// described reads them.
func (r *reader) described() {
	for name, value := range r.in.Hints.Members() {
		if lowered(name) == "destructive_hint" && value.Kind() == canon.KindBool && value.Bool() {
			r.raise(named{kind: Delete, verb: "change"}, Evidence{Pointer: "/hints/" + canon.PointerEscape(name), Why: "the hint says that it destroys"})
		}
	}
	if n, ok := r.words.firstVerb(r.in.Docstring); ok && !r.own && !(n.kind == Write && (says("making", r.name.verb) || r.adds())) {
		r.raise(n, Evidence{Pointer: "/docstring", Start: n.start, End: n.end, Why: "the description says " + n.verb})
	}
}

func (r *reader) raise(n named, at Evidence) {
	r.raised = append(r.raised, r.effect(n, at, false))
}

// firstVerb is the first verb of the first sentence of a description, where that is more
// than a read.
func (l *lexicon) firstVerb(text string) (named, bool) {
	if end := strings.IndexAny(text, ".\n"); end >= 0 {
		text = text[:end]
	}
	all := split(text)
	for i, w := range all[:min(len(all), 8)] {
		if says("returning", w.text) {
			return named{}, false // what follows is what is returned
		}
		if says("style", w.text) {
			continue
		}
		base, kind, ok := l.inflected(w.text)
		if !ok {
			return named{}, false // what leads is no verb: "A list of orders"
		}
		if says("either", w.text) && i > 0 && !says("towards_verbs", all[i-1].text) {
			return named{}, false
		}
		n := l.named(all[:min(len(all), i+6)], i, kind, base)
		n.start, n.end = w.start, w.end
		return n, n.kind != Read && n.kind != Unknown && n.kind != Execute
	}
	return named{}, false
}
