package effects

import (
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring/call"
	"github.com/countersign/countersign/internal/scoring/wordlist"
)

// Input is what is read of an action.
type Input struct {
	Function  string
	Arguments canon.Value // an object, an array, or Absent
	Code      string
	Docstring string
	Hints     canon.Value // an object or Absent
	// Environment is what the call itself says of it.
	Environment string
	// Call is where texts are taken apart: the call itself, or the one in which it stands;
	// nil for one of which nothing is known yet.
	Call *call.Call
}

// Reading is what was read of a call, whoever makes it. It never changes.
type Reading struct {
	called bool
	name   named
	// named is what the name says, and told what is executed and what arguments say.
	// raised are docstring and hints, which only raise what would be a plain read.
	named  Effect
	told   []Effect
	raised []Effect
	// silent says that the name adds nothing to what was told.
	silent bool
	// argued says that an argument says what is done, or that something is executed.
	argued  bool
	reached reached

	// What texts are looked for in: see Texts.
	function  string
	arguments canon.Value
	scripts   []scripted
	// Of what is executed beside these:
	statements, programs []coded
	runs                 bool // something is executed, or another tool is called
}

// Given is what the effects of a call depend on beside the call.
type Given struct {
	// OwnDomains are those of the organisation: messages to them stay inside.
	OwnDomains []string
	// Tool is the tool as an admin imported it for this agent; nil where nobody did.
	Tool *Tool
	// Before is what was accepted of the tool when its server described it otherwise, or
	// before it was taken away: it only raises. "" for nothing.
	Before Kind
	// Named is what the policy's function registry says in place of the name; "" for nothing.
	Named Kind
}

// Tool is a tool of an imported server.
type Tool struct {
	Name string `json:"name"`
	// SHA256 is the digest of what its server says of it. What was accepted of the tool
	// counts only for this digest.
	SHA256   string `json:"sha256,omitempty"`
	Effect   Kind   `json:"effect,omitempty"`    // as the admin corrected it; "" for what is read
	ReadOnly bool   `json:"read_only,omitempty"` // the server's annotation readOnlyHint
	// Raises is what its description and annotations say of a tool whose name only reads.
	Raises Kind `json:"raises,omitempty"`
}

// maxInner bounds how many calls inside of calls are read.
const maxInner = 4

// Examine reads a call.
func Examine(in Input) Reading { return examine(in, 0) }

func examine(in Input, depth int) Reading {
	if in.Call == nil {
		in.Call = &call.Call{Function: in.Function, Arguments: in.Arguments, Code: in.Code, Environment: in.Environment}
	}
	r := reader{in: in, words: words(), function: split(in.Function), name: readName(in.Function), depth: depth}
	r.read()
	return Reading{
		called: true, name: r.name, named: r.named, told: r.told, raised: r.raised,
		silent: r.silent(), argued: len(r.told) > 0, reached: r.reached,
		function: in.Function, arguments: in.Arguments, scripts: r.scripts, statements: r.statements, programs: r.programs, runs: r.executed || r.dispatched || r.name.executor,
	}
}

// Effects are those of the call, the worst kind first; never none.
func (r Reading) Effects(given Given) []Effect {
	if !r.called {
		return []Effect{}
	}
	all := slices.Clone(r.told)
	named, ok := r.byName(given)
	if ok {
		all = slices.Insert(all, 0, named) // of effects that are one, the name's words lead
	}
	if given.Before.severity() > named.Kind.severity() {
		all = append(all, r.instead(given.Before, "accepted as "+string(given.Before)+" when its server described it otherwise"))
	}
	if Harmless(all) {
		all = append(all, r.raised...)
		if t := given.Tool; t != nil && t.Raises != "" && t.Effect == "" { // who accepted an effect read the description
			all = append(all, r.instead(t.Raises, "imported, and its description says "+string(t.Raises)))
		}
	}
	for i := range all {
		if all[i].Kind == Message && all[i].Audience == "" {
			all[i].Audience = r.reached.audience(given.OwnDomains)
			all[i].Breadth = all[i].Breadth.wider(r.reached.breadth)
		}
	}
	return merged(all)
}

// byName is what the name says, or who speaks in its place; ok is false where it adds
// nothing.
func (r Reading) byName(given Given) (Effect, bool) {
	switch {
	case given.Named != "":
		return r.instead(given.Named, "the policy's function registry says "+string(given.Named)), true
	case given.Tool != nil && given.Tool.Effect != "":
		return r.instead(given.Tool.Effect, "imported as "+string(given.Tool.Effect)), true
	case given.Tool != nil && given.Tool.ReadOnly && r.name.kind == Unknown && !r.argued:
		return r.instead(Read, "its server says that it only reads, and an admin accepted that"), true
	}
	return r.named, !r.silent
}

// instead is an effect in place of what the name says.
func (r Reading) instead(kind Kind, why string) Effect {
	e := r.named
	e.Kind, e.Audience, e.Sensitive, e.Evidence = kind, "", false, []Evidence{{Pointer: "/function", End: r.name.end, Start: r.name.start, Why: why}}
	return e
}

// merged keeps one effect of each kind, audience and sensitivity: the widest, with the
// evidence of all.
func merged(all []Effect) []Effect {
	kept := make([]Effect, 0, len(all))
	for _, e := range all {
		if e.Evidence == nil {
			e.Evidence = []Evidence{} // never null in JSON
		}
		at := slices.IndexFunc(kept, func(k Effect) bool {
			return k.Kind == e.Kind && k.Audience == e.Audience && k.Sensitive == e.Sensitive && (k.Amount == nil || e.Amount == nil || *k.Amount == *e.Amount)
		})
		if at < 0 {
			kept = append(kept, e)
			continue
		}
		k := &kept[at]
		if e.Breadth.rank() > k.Breadth.rank() || e.Breadth == k.Breadth && wordlist.Is("effects.lesserVerbs", strings.TrimSuffix(k.Verb, " in")) && !wordlist.Is("effects.lesserVerbs", strings.TrimSuffix(e.Verb, " in")) {
			k.Verb, k.Object = e.Verb, e.Object // who logs in and restarts restarts
		}
		k.Breadth, k.Certain = k.Breadth.wider(e.Breadth), k.Certain || e.Certain
		if k.Amount == nil {
			k.Amount = e.Amount
		}
		if k.Reversible == nil || e.Reversible != nil && !*e.Reversible {
			k.Reversible = e.Reversible
		}
		if room := maxEvidence - len(k.Evidence); room > 0 {
			k.Evidence = append(slices.Clone(k.Evidence), e.Evidence[:min(room, len(e.Evidence))]...)
		}
	}
	slices.SortStableFunc(kept, worstFirst)
	return kept
}

// maxEvidence bounds how many places are named for one effect.
const maxEvidence = 8
