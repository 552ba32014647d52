package scoring

import (
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/scoring/facts"
	"github.com/countersign/countersign/internal/scoring/fivefactor"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/patterns"
	"github.com/countersign/countersign/internal/scoring/rules"
	"github.com/countersign/countersign/internal/scoring/scan"
)

// Examination is everything about an action but its call number: the dear part,
// done outside the transaction that counts. It never changes.
type Examination struct {
	compiled *Compiled
	action   Action
	five     fivefactor.Examination
	rules    rules.Result
	facts    []facts.Fact
	found    []patterns.Match // in the text
	matches  []patterns.Match // found, and those whose spans were masked before
	floor    level.Level
}

// Assess is Examine and Examination.Assess in one.
func (c *Compiled) Assess(a Action, callNumber int, carried []patterns.Match) Assessment {
	return c.Examine(a, carried).Assess(callNumber)
}

// Examine reads an action. carried are the matches whose spans are masked in a
// (Examination.Mask returned them); a new action has none. The masks themselves
// are read as nothing: the words in them are ours, not the agent's.
func (c *Compiled) Examine(a Action, carried []patterns.Match) Examination {
	read := a.blank(carried)
	e := Examination{compiled: c, action: a}
	e.found = c.library.Scan(a.LifecyclePoint(), read.scanned())
	e.matches = append(slices.Clone(e.found), c.library.Renew(carried)...)
	if a.LifecyclePoint() != PreToolCall { // only the pattern model runs
		e.rules = c.rules.Assess("", nil)
		return e
	}
	hints, docstring, floor := c.defaults(a.Function(), a.Hints())
	e.floor = floor
	e.five = fivefactor.Examine(fivefactor.Input{
		Function: read.Function(), Arguments: read.Arguments(), Hints: hints,
		Docstring: strings.TrimSpace(read.Docstring() + "\n" + docstring),
	})
	e.rules = c.rules.Assess(read.Code(), scan.Arguments(read.Arguments(), "/arguments"))
	e.facts = slices.DeleteFunc(facts.Extract(a.factInput()), func(f facts.Fact) bool {
		return touches(carried, f.Place())
	})
	return e
}

// scanned is what the pattern model reads: code, names and values of the
// arguments, docstring, justification, content.
func (a Action) scanned() []scan.Segment {
	var segments []scan.Segment
	for _, s := range []scan.Segment{
		{Pointer: "/code", Text: a.Code()},
		{Pointer: "/docstring", Text: a.Docstring()},
		{Pointer: "/justification", Text: a.Justification()},
		{Pointer: "/content", Text: a.Content()},
	} {
		if s.Text != "" {
			segments = append(segments, s)
		}
	}
	return append(segments, scan.Arguments(a.Arguments(), "/arguments")...)
}

// blank puts * in place of every masked stretch, byte for byte, so that the name
// of the pattern in a mask ("…secret…") is not read as the agent's own word and
// places stay where they are.
func (a Action) blank(carried []patterns.Match) Action {
	if len(carried) == 0 {
		return a
	}
	places := map[string][]scan.Place{}
	for _, m := range carried {
		for _, p := range m.Places {
			if !p.Key {
				places[p.Pointer] = append(places[p.Pointer], p)
			}
		}
	}
	return Action{tree: a.tree.MapStrings(func(pointer, s string) string {
		list := places[pointer]
		if len(list) == 0 {
			return s
		}
		b := []byte(s)
		for _, p := range list {
			for i := max(p.Start, 0); i < min(p.End, len(b)); i++ {
				b[i] = '*'
			}
		}
		return string(b)
	})}
}

// touches reports whether a place overlaps a masked one: a masked value is no fact.
func touches(carried []patterns.Match, at scan.Place) bool {
	for _, m := range carried {
		for _, p := range m.Places {
			if p.Pointer == at.Pointer && p.Start < at.End && at.Start < p.End {
				return true
			}
		}
	}
	return false
}

// Mask returns what may be stored and shown: the action with every redacted span
// replaced, the matches of those spans, to be given to each later Examine, and
// the assessment without the masked values and with its places translated.
func (e Examination) Mask(as Assessment) (shown Action, carried []patterns.Match, masked Assessment) {
	spans := patterns.Redactions(e.found)
	if len(spans) == 0 {
		return e.action, nil, as
	}
	for _, m := range e.found {
		if m.Masks() {
			carried = append(carried, m)
		}
	}
	as.Patterns.MatchedPatterns = spans.Matches(as.Patterns.MatchedPatterns)
	as.Rules.Evidence = spans.Evidence(as.Rules.Evidence)
	as.FiveFactor.Factors = slices.Clone(as.FiveFactor.Factors)
	for i := range as.FiveFactor.Factors {
		as.FiveFactor.Factors[i].Evidence = spans.Evidence(as.FiveFactor.Factors[i].Evidence)
	}
	hidden := func(p scan.Place) bool { return spans.Touches(p.Pointer, p.Start, p.End) }
	kept := []facts.Fact{}
	for _, f := range as.Facts {
		if !hidden(f.Place()) {
			at := spans.Place(f.Place())
			f.Start, f.End = at.Start, at.End
			kept = append(kept, f)
		}
	}
	as.Facts = kept
	as.Rules = withoutHidden(as.Rules, spans)
	return Action{tree: patterns.Mask(e.action.tree, spans)}, spans.Matches(carried), as
}

// withoutHidden drops resources that show something masked.
func withoutHidden(r rules.Result, spans patterns.Spans) rules.Result {
	resources, shown := []rules.Resource{}, []string{}
	for _, one := range r.Resources {
		if spans.Touches(one.Place.Pointer, one.Place.Start, one.Place.End) {
			continue
		}
		one.Place = spans.Place(one.Place)
		resources, shown = append(resources, one), append(shown, one.String())
	}
	r.Resources, r.AffectedResources = resources, shown
	return r
}
