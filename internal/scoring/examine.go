package scoring

import (
	"slices"
	"strings"
	"sync"

	"github.com/countersign/countersign/internal/scoring/call"
	"github.com/countersign/countersign/internal/scoring/edits"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/facts"
	"github.com/countersign/countersign/internal/scoring/fivefactor"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/patterns"
	"github.com/countersign/countersign/internal/scoring/rules"
	"github.com/countersign/countersign/internal/scoring/scan"
	"github.com/countersign/countersign/internal/scoring/trust"
	"github.com/countersign/countersign/internal/scoring/workspace"
)

// Examination is everything about an action but its call number: the dear part,
// done outside the transaction that counts. It never changes.
type Examination struct {
	compiled *Compiled
	action   Action
	five     fivefactor.Examination
	rules    rules.Result
	scored   []rules.Scored // by the policy's own scorers, in their order
	facts    []facts.Fact
	found    []patterns.Match // in the text
	matches  []patterns.Match // found, and those whose spans were masked before
	floor    level.Level
	own      int // bytes of the action's own docstring; what is read behind them is the registry's
	record   trust.Evidence
	effects  func() effects.Reading // read where somebody asks; see judge
	inputs   Inputs
	read     Action             // the action without masks
	call     *call.Call         // it as far as it was taken apart
	files    []edits.File       // that it edits
	asks     workspace.Asks     // of within
	within   *workspace.Reading // of the call in inputs.Workspace; nil where there is none
	louder   bool               // by hints or a docstring of the registry's, which say something of their own
}

// Trusting is e with the record of the agent for the function; without it there is
// no record. The record is an argument as the call number is: who gives the one that
// an Assessment holds gets the same Assessment.
func (e Examination) Trusting(record trust.Evidence) Examination {
	e.record = record
	return e
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
	e := Examination{compiled: c, action: a, read: read, call: read.call()}
	e.scan(c.joint().Passages(read.scanned()), read, carried)
	return e
}

// scan lets the models read. read is the action without masks.
func (e *Examination) scan(passages []scan.Passage, read Action, carried []patterns.Match) {
	c, a := e.compiled, e.action
	e.found = c.library.ScanPassages(a.LifecyclePoint(), passages)
	counting := slices.DeleteFunc(slices.Clone(carried), isBeside)
	e.matches = append(slices.Clone(e.found), c.library.Renew(counting)...)
	if a.LifecyclePoint() != PreToolCall { // only the pattern model runs
		e.rules = c.rules.Assess("", nil)
		return
	}
	hints, docstring, floor, raised := c.defaults(a.Function(), a.Hints())
	e.floor, e.own, e.louder = floor, len(read.Docstring()), raised
	if docstring != "" {
		docstring = "\n" + docstring
	}
	code, arguments := codeAndArguments(passages)
	e.five = fivefactor.Examine(fivefactor.Input{
		Function: read.Function(), Arguments: read.Arguments(), Hints: hints, Docstring: read.Docstring() + docstring,
		Passages: arguments,
	})
	e.files = a.Files()
	in := read.effectInput(e.call)
	in.Docstring += docstring
	e.effects = sync.OnceValue(func() effects.Reading { return effects.Examine(in) })
	e.rules = c.rules.AssessAction(read.Tree(), code, arguments)
	if len(c.scorers) > 0 {
		e.scored = rules.ScoreAction(c.scorers, hinted(read.Tree(), hints))
	}
	e.facts = slices.DeleteFunc(facts.Extract(e.call), func(f facts.Fact) bool {
		return len(carried) > 0 && a.masks(f.Place(), e.call)
	})
}

// registered takes the places of what stands in the registry's docstring away:
// they are places of no value of the action.
func (e Examination) registered(factors []fivefactor.Factor) {
	for i, f := range factors {
		if f.Name != "docstring" {
			continue
		}
		for j, evidence := range f.Evidence {
			n := len(evidence.Places)
			places := slices.DeleteFunc(evidence.Places, func(p scan.Place) bool { return p.End > e.own })
			if len(places) < n {
				factors[i].Evidence[j].Why += " (the policy's function registry)"
			}
			factors[i].Evidence[j].Places = places
		}
	}
}

// scanned is what the pattern model reads: code, docstring, justification, content,
// names and values of the arguments.
func (a Action) scanned() []scan.Segment {
	segments := make([]scan.Segment, 0, 16)
	for _, s := range []scan.Segment{
		{Pointer: codePointer, Text: a.Code()},
		{Pointer: "/docstring", Text: a.Docstring()},
		{Pointer: "/justification", Text: a.Justification()},
		{Pointer: "/content", Text: a.Content()},
	} {
		if s.Text != "" {
			segments = append(segments, s)
		}
	}
	return append(segments, scan.Arguments(a.Arguments(), argumentsPointer)...)
}

const (
	codePointer      = "/code"
	argumentsPointer = "/arguments"
)

// codeAndArguments are those of what is scanned; no code is nil.
func codeAndArguments(passages []scan.Passage) (code *scan.Passage, arguments []scan.Passage) {
	if len(passages) > 0 && passages[0].Pointer == codePointer {
		code = &passages[0]
	}
	from := slices.IndexFunc(passages, func(p scan.Passage) bool { return strings.HasPrefix(p.Pointer, argumentsPointer) })
	if from < 0 {
		return code, nil
	}
	return code, passages[from:]
}

// blank puts * in place of every mask, byte for byte, so that the name of the
// pattern in it ("…secret…") is not read as the agent's own word and places stay
// where they are. A stored match lists only some of its places, so the masks
// themselves are looked for.
func (a Action) blank(carried []patterns.Match) Action {
	if len(carried) == 0 {
		return a
	}
	var pairs []string
	for _, mask := range masks(carried) {
		pairs = append(pairs, mask, strings.Repeat("*", len(mask)))
	}
	blanks := strings.NewReplacer(pairs...)
	return Action{tree: a.tree.MapStrings(func(_, s string) string {
		if !strings.Contains(s, maskPrefix) {
			return s
		}
		return blanks.Replace(s)
	})}
}

// maskPrefix begins every mask.
const maskPrefix = "[REDACTED:"

// masks lists what stands in the text for each of the carried matches.
func masks(carried []patterns.Match) []string {
	all := make([]string, 0, len(carried))
	for _, m := range carried {
		all = append(all, patterns.Span{ID: m.ID}.Mask())
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// masks reports whether a mask stands where a fact was read without them: a masked value
// is no fact.
func (a Action) masks(at scan.Place, read *call.Call) bool {
	own, blank := a.call().At(at.Pointer), read.At(at.Pointer)
	return own != blank && own[at.Start:at.End] != blank[at.Start:at.End]
}

// Mask returns what may be stored and shown: the action with every redacted span
// replaced, the matches of those spans, to be given to each later Examine, and
// the assessment without the masked values and with its places translated. Who decides is one
// more where a mask that is not the program's own hides the target from them.
func (e Examination) Mask(as Assessment) (shown Action, carried []patterns.Match, masked Assessment) {
	shown, carried, masked = e.mask(as, e.found, e.beside())
	own := slices.DeleteFunc(slices.Clone(e.found), func(m patterns.Match) bool { return shippedMask(m.ID) })
	if as.Response == Hold && patterns.AnyMasks(own) {
		blind, _, without := e.mask(as, own, nil)
		was, _ := e.action.Target(as)
		if is, _ := blind.Target(without); is != was {
			masked.Treatment.ApprovalsRequired = max(masked.Treatment.ApprovalsRequired, 2)
		}
	}
	return shown, carried, masked
}

// mask is Mask by some of the matches.
func (e Examination) mask(as Assessment, found, beside []patterns.Match) (shown Action, carried []patterns.Match, masked Assessment) {
	spans := patterns.Redactions(append(slices.Clone(found), beside...))
	if len(spans) == 0 {
		e.renamed(&as, e.action)
		return e.action, nil, as
	}
	for _, m := range append(slices.Clone(found), beside...) {
		if m.Masks() {
			carried = append(carried, m)
		}
	}
	shown, carried = Action{tree: patterns.Mask(e.action.tree, spans)}, spans.Matches(carried)
	as.Files = shown.Files()
	e.withoutHints(&as, spans)
	if spans = patterns.Redactions(found); len(spans) == 0 {
		e.renamed(&as, shown)
		return shown, carried, as
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
	e.withoutReasons(&as, spans)
	e.withoutFiles(&as, e.action.hidden(spans))
	as.Rules = withoutHidden(as.Rules, spans)
	e.renamed(&as, shown)
	return shown, carried, as
}

// withoutHints takes the numbers out of what the hints were counted for, where they are masked.
func (e Examination) withoutHints(as *Assessment, spans patterns.Spans) {
	as.FiveFactor.Factors = slices.Clone(as.FiveFactor.Factors)
	for i := range as.FiveFactor.Factors {
		of := slices.Clone(as.FiveFactor.Factors[i].Evidence)
		for j, evidence := range of {
			if slices.ContainsFunc(evidence.Places, func(p scan.Place) bool { return spans.Touches(p.Pointer, p.Start, p.End) && isBesidePointer(p.Pointer) }) {
				of[j].Why, of[j].Places = "the hint is a number that is masked", spans.Places(evidence.Places)
			}
		}
		as.FiveFactor.Factors[i].Evidence = of
	}
}

// withoutReasons translates the places of what the effects were read from, and takes the
// reasons away that were read from a text: what is masked may stand in one, whole, cut or
// put together, wherever in the call that text is.
func (e Examination) withoutReasons(as *Assessment, spans patterns.Spans) {
	as.Effects = slices.Clone(as.Effects)
	for i := range as.Effects {
		of := &as.Effects[i]
		of.Evidence = slices.Clone(of.Evidence)
		for j := range of.Evidence {
			evidence := &of.Evidence[j]
			at := spans.Place(evidence.Place())
			evidence.Start, evidence.End = at.Start, at.End
			if evidence.Pointer == "/function" {
				continue
			}
			evidence.Command = ""
			if with := " (" + evidence.Why + ")"; evidence.Why != "" {
				as.Floor.Because = strings.ReplaceAll(as.Floor.Because, with, "")
				as.Explanation = strings.ReplaceAll(as.Explanation, with, "")
			}
			evidence.Why = maskedReason
		}
	}
}

// renamed lists what an assessor says is affected once more, by what may be shown: it puts
// its words together of any member of the action, and what it puts together may be a
// secret that no member is.
func (e Examination) renamed(as *Assessment, shown Action) {
	if e.action.LifecyclePoint() != PreToolCall {
		return
	}
	named := e.compiled.rules.Named(shown.tree)
	if named == nil {
		return
	}
	for i, one := range named {
		found := e.compiled.library.Scan(PreToolCall, []scan.Segment{{Pointer: "/resource", Text: one}})
		named[i] = patterns.Redactions(found).Text("/resource", one)
	}
	as.Rules.AffectedResources = named
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
