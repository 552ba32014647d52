package scoring

import (
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring/patterns"
	"github.com/countersign/countersign/internal/scoring/scan"
)

// A secret is what a pattern of the policy masks (patterns.Match.Masks). In a value it is
// masked. A name or an id cannot be: the act and what looks it up would be others. So what
// holds one there is refused, and never stored (docs/api.md).

// namingMembers are the members of an action that name something.
var namingMembers = [...]string{"function", "action_type", "environment", "session_id", "tool_call_id"}

// besides are what no model looks for patterns in, and what is stored all the same.
var besides = [...]string{"hints", "metadata", "client"}

// Unnamable is why an action cannot be stored: a name or an id in it holds a secret.
// nil where none does. It never repeats the secret.
func (e Examination) Unnamable() error {
	var named []scan.Segment
	for _, name := range namingMembers {
		if text := e.action.tree.Get(name).Text(); text != "" {
			named = append(named, scan.Segment{Pointer: "/" + name, Text: text})
		}
	}
	for _, name := range besides {
		for _, s := range scan.Arguments(e.action.tree.Get(name), "/"+name) {
			if s.Key {
				named = append(named, s)
			}
		}
	}
	found := append(e.compiled.library.Scan(e.action.LifecyclePoint(), named), e.found...)
	pattern, at := "", scan.Place{}
	for _, m := range found {
		for _, p := range m.Places {
			// The name of what is outside comes before what is inside of it, so that the
			// pointer holds no secret either.
			if m.Masks() && (p.Key || isNaming(p.Pointer)) && (pattern == "" || len(p.Pointer) < len(at.Pointer)) {
				pattern, at = m.ID, p
			}
		}
	}
	switch {
	case pattern == "":
		return nil
	case at.Key:
		in := at.Pointer[:strings.LastIndexByte(at.Pointer, '/')]
		return fault.Member(fault.SecretInName, in, "the name of a member of %s contains a secret (%s), and names can't be masked; send the secret as a value, or leave it out", strings.TrimPrefix(in, "/"), pattern)
	default:
		return secretIn(at.Pointer, strings.TrimPrefix(at.Pointer, "/"), pattern)
	}
}

func isNaming(pointer string) bool {
	return slices.Contains(namingMembers[:], strings.TrimPrefix(pointer, "/"))
}

// UnnamableKey is why an idempotency key cannot be stored; nil where it can.
func (c *Compiled) UnnamableKey(key string) error {
	if pattern := c.secret(PreToolCall, key); pattern != "" {
		return secretIn("Idempotency-Key", "Idempotency-Key", pattern)
	}
	return nil
}

// UnnamableKey is that of the policy.
func (e Examination) UnnamableKey(key string) error { return e.compiled.UnnamableKey(key) }

func secretIn(member, name, pattern string) error {
	return fault.Member(fault.SecretInName, member, "%q contains a secret (%s), and names and IDs can't be masked; send another one", name, pattern)
}

// secret is the pattern that masks something in a text; "" where none does.
func (c *Compiled) secret(point, text string) string {
	for _, m := range c.library.Scan(point, []scan.Segment{{Pointer: textPointer, Text: text}}) {
		if m.Masks() {
			return m.ID
		}
	}
	return ""
}

// textPointer is where a text stands that is no part of an action.
const textPointer = "/text"

// MaskResult masks secrets in what an agent reports about an outcome.
func (c *Compiled) MaskResult(text string) string { return mask(c.library, PostToolResult, text) }

// MaskText masks secrets in what a person writes.
func (c *Compiled) MaskText(text string) string { return mask(c.library, PreToolCall, text) }

// MaskText masks what the library that comes with the program finds, where no policy is at
// hand: in what a stranger sent, in names, in logs.
func MaskText(text string) string {
	if text == "" {
		return "" // most errors name no member, and a start has many of them
	}
	return mask(patterns.Default(), PreToolCall, text)
}

func mask(library *patterns.Library, point, text string) string {
	found := library.Scan(point, []scan.Segment{{Pointer: textPointer, Text: text}})
	return patterns.Redactions(found).Text(textPointer, text)
}

// HoldsSecret reports whether a text holds a secret, or the mask of one: what must be as it
// was written is not written with either.
func HoldsSecret(text string) bool {
	return strings.Contains(text, maskPrefix) || MaskText(text) != text
}

// beside are the matches that mask something in what no model looks for patterns in: they
// say nothing about the action.
func (e Examination) beside() []patterns.Match {
	var values []scan.Segment
	for _, name := range besides {
		for _, s := range scan.Arguments(e.action.tree.Get(name), "/"+name) {
			if !s.Key {
				values = append(values, s)
			}
		}
	}
	if len(values) == 0 {
		return nil
	}
	return slices.DeleteFunc(e.compiled.library.Scan(e.action.LifecyclePoint(), values), func(m patterns.Match) bool { return !m.Masks() })
}

// isBeside reports whether a recorded match is of those.
func isBeside(m patterns.Match) bool {
	return isBesidePointer(m.Place().Pointer)
}

func isBesidePointer(pointer string) bool {
	return slices.ContainsFunc(besides[:], func(name string) bool { return strings.HasPrefix(pointer, "/"+name+"/") })
}

// Shown is the action as it may be stored and shown, with every secret masked.
func (e Examination) Shown() Action { return Action{tree: patterns.Mask(e.action.tree, e.masked())} }

// masked are the spans that are masked.
func (e Examination) masked() patterns.Spans {
	return patterns.Redactions(append(slices.Clone(e.found), e.beside()...))
}

// told is a text of a stranger for a message: without secrets, and short.
func told(text string) string { return cut(MaskText(text), 60) }
