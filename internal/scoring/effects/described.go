package effects

import (
	"slices"
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
	if n, ok := r.words.firstVerb(r.in.Docstring); ok && !r.own && !(n.kind == Write && (r.name.verb == "compute" || r.adds())) {
		r.raise(n, Evidence{Pointer: "/docstring", Start: n.start, End: n.end, Why: "the description says " + n.verb})
	}
}

func (r *reader) raise(n named, at Evidence) {
	r.raised = append(r.raised, r.effect(n, at, false))
}

// style are words with which descriptions begin, whatever is done.
var style = setOf(`this the a an tool function api call calls method endpoint use uses used useful to for you your can will may allows allow lets let enables enable
	performs perform executes execute generates generate sends send gets get run runs make makes do does handles handle it that which
	and then when if with in on of from by is are helper utility command safely quickly automatically easily please note mcp openapi rest wrapper around simple
	request requests set sets access accesses trigger triggers process processes interact interacts call open opens start starts apply applies`)

// reads begin descriptions of what is returned.
var reads = setOf("get gets fetch fetches list lists retrieve retrieves return returns show shows read reads find finds search searches query queries describe describes view views display displays check checks looks look provides provide")

// firstVerb is the first verb of the first sentence of a description, where that is more
// than a read.
func (l *lexicon) firstVerb(text string) (named, bool) {
	if end := strings.IndexAny(text, ".\n"); end >= 0 {
		text = text[:end]
	}
	all := split(text)
	for i, w := range all[:min(len(all), 8)] {
		if reads[w.text] {
			return named{}, false // what follows is what is returned
		}
		if style[w.text] {
			continue
		}
		base, kind, ok := l.inflected(w.text)
		if !ok {
			return named{}, false // what leads is no verb: "A list of orders"
		}
		if l.either[w.text] && i > 0 && !slices.Contains([]string{"to", "tool", "you", "can", "will", "and"}, all[i-1].text) {
			return named{}, false
		}
		n := l.named(all[:min(len(all), i+6)], i, kind, base)
		n.start, n.end = w.start, w.end
		return n, n.kind != Read && n.kind != Unknown && n.kind != Execute
	}
	return named{}, false
}
