package scoring

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/level"
)

// What an entry of the function registry says in place of the name, and to which level it
// lowers the floor of that. It never changes what is executed or what an argument says.

const maxEntryReason = 500 // characters

// lowers reports whether the entry can lower anything: only such a one can be for one
// agent or one shape of arguments, or end.
func (f Function) lowers() bool { return f.Effect != "" || f.LowerTo != level.Safe }

// limited reports whether it is not for all calls at all times.
func (f Function) limited() bool {
	return f.Agent != "" || f.Tool != "" || f.Pattern != nil || f.Until != ""
}

// isToolDigest reports whether a text can be the digest of an imported tool.
var isToolDigest = regexp.MustCompile(`^[0-9a-f]{64}$`).MatchString

// Name is what tells an entry from the others of its policy: its glob, and for whom and
// which calls it is.
func (f Function) Name() string {
	name := f.Glob
	if f.Agent != "" {
		name += " for " + f.Agent
	}
	if f.Tool != "" {
		name += " as imported" // whatever its digest: accepting another one changes the entry
	}
	if f.Pattern != nil {
		sum := sha256.Sum256(f.Pattern.tidy().pattern().Canonical())
		name += " with " + hex.EncodeToString(sum[:4])
	}
	return name
}

// Ends is when the entry ends; the zero time where it does not.
func (f Function) Ends() time.Time {
	at, _ := time.Parse(time.RFC3339, f.Until) // check refuses what is no time
	return at
}

func (f Function) checkEntry(found *problems, at string) {
	if f.Effect != "" {
		found.oneOf(at+"/effect", string(f.Effect), wordsOf(effects.Kinds()...)...)
	}
	switch {
	case f.LowerTo > level.Medium:
		found.add(at+"/lower_to", "is %v; expected LOW or MEDIUM", f.LowerTo)
	case f.LowerTo == level.Safe || f.Effect == "":
	case f.Effect == effects.Execute:
		found.add(at+"/lower_to", "can't be combined with the effect execute: code that can't be fully read is never lowered")
	case f.LowerTo < leastFloor(f.Effect):
		found.add(at+"/lower_to", "is %v with the effect %s; expected %v", f.LowerTo, string(f.Effect), leastFloor(f.Effect))
	}
	if len(f.Agent) > MaxNameBytes || canon.String(f.Agent).Text() != f.Agent {
		found.add(at+"/agent", "has %d bytes; expected an agent's name of at most %d bytes", len(f.Agent), MaxNameBytes)
	}
	switch {
	case f.Tool == "":
	case !isToolDigest(f.Tool):
		found.add(at+"/tool", "is %q; expected the digest of an imported tool, 64 hexadecimal digits", told(f.Tool))
	case f.Agent == "":
		found.add(at+"/tool", "needs an agent: the one the tool was imported for")
	case strings.ContainsAny(f.Glob, "*?"):
		found.add(at+"/tool", "can't be combined with the glob %s; expected the exact name of the tool", told(f.Glob))
	}
	if utf8.RuneCountInString(f.Reason) > maxEntryReason || canon.String(f.Reason).Text() != f.Reason {
		found.add(at+"/reason", "has %d characters; expected at most %d, without U+0000 and non-characters", utf8.RuneCountInString(f.Reason), maxEntryReason)
	}
	if _, err := time.Parse(time.RFC3339, f.Until); f.Until != "" && err != nil {
		found.add(at+"/until", "is %q; expected an RFC 3339 time such as 2026-05-31T18:00:00Z", told(f.Until))
	}
	if f.Pattern != nil {
		f.Pattern.check(found, at+"/pattern")
	}
	switch {
	case !f.limited():
	case !f.lowers():
		found.add(at, "has agent, tool, pattern or until, but changes nothing; expected effect or lower_to as well")
	case f.Docstring != "" || len(f.Hints) > 0 || f.Floor != level.Safe || f.ExpirySeconds != 0:
		found.add(at, "combines agent, tool, pattern or until with docstring, hints, floor or expiry_seconds, which apply to all calls; write two entries")
	}
}

// leastFloor is how far an entry may lower the floor of a kind.
func leastFloor(k effects.Kind) level.Level {
	return effects.Least(effects.Effect{Kind: k, Audience: effects.Inside})
}

// entries is what the registry says of a call in place of its name, and what it lowers. Of
// several that name the effect the strictest counts; of several that lower, the lowest.
// What was accepted of an imported tool is said by the tool while it is described as it
// was then; afterwards it only raises.
func (c *Compiled) entries(a Action, in Inputs) (given effects.Given, lowered effects.Lowering) {
	given.Tool = in.Tool
	for _, f := range c.functions {
		if !f.lowers() || !f.glob.MatchString(a.Function()) || f.Agent != "" && f.Agent != in.Agent {
			continue
		}
		if !f.ends.IsZero() && (in.At.IsZero() || !in.At.Before(f.ends)) { // who does not say when it is gets nothing that ends
			continue
		}
		if f.calls != nil && !f.calls.covers(a) {
			continue
		}
		switch {
		case f.Tool != "" && (in.Tool == nil || in.Tool.Name != a.Function() || in.Tool.SHA256 != f.Tool):
			given.Before = f.Effect
			continue
		case f.Tool != "" && f.Effect != "":
			accepted := *in.Tool
			accepted.Effect = f.Effect
			given.Tool = &accepted
		case f.Effect != "" && (given.Named == "" || c.stricterKind(f.Effect, given.Named)):
			given.Named = f.Effect
		}
		if f.LowerTo != level.Safe && (lowered.Entry == "" || f.LowerTo < lowered.To) {
			lowered = effects.Lowering{To: f.LowerTo, Entry: f.Name()}
		}
	}
	return given, lowered
}

// stricterKind orders kinds as the policy's floors do, and where those are the same as
// Kinds does.
func (c *Compiled) stricterKind(a, b effects.Kind) bool {
	s := c.policy.Judgement
	x, y := s.Cells(effects.Effect{Kind: a}.Row()).One, s.Cells(effects.Effect{Kind: b}.Row()).One
	if x != y {
		return x > y
	}
	return slices.Index(effects.Kinds(), a) > slices.Index(effects.Kinds(), b)
}

// lowering compares what two entries of one name lower.
func (c *comparison) lowering(at string, a, b Function) {
	c.differ(at+"/effect", absent(a.Effect), absent(b.Effect), c.namedEffect(a, b))
	c.differ(at+"/tool", absent(a.Tool), absent(b.Tool), weakens)
	c.differ(at+"/lower_to", absent(a.LowerTo), absent(b.LowerTo), lowerToEffect(a, b))
	c.differ(at+"/until", absent(a.Until), absent(b.Until), c.untilEffect(a, b))
	c.differ(at+"/reason", absent(a.Reason), absent(b.Reason), tightens)
}

// loweringEffect is that of another entry of the same name, as a whole.
func (c *comparison) loweringEffect(a, b Function) effect {
	e := max(c.namedEffect(a, b), lowerToEffect(a, b))
	if a.lowers() && b.lowers() {
		e = max(e, c.untilEffect(a, b))
	}
	return e
}

// namedEffect: whatever stands in place of the name may be less than what the name says.
// Taken away it is no weakening where it was never more.
func (c *comparison) namedEffect(a, b Function) effect {
	switch {
	case a.Effect == b.Effect:
		return tightens
	case b.Effect == "" && c.neverMore(a):
		return raises
	}
	return weakens
}

// neverMore reports whether what an entry says in place of the names that its glob
// matches is never held at a higher level than what they say themselves.
func (c *comparison) neverMore(f Function) bool {
	names := []effects.Effect{}
	if strings.ContainsAny(f.Glob, "*?") {
		for _, row := range effects.Rows() {
			names = append(names, effectsOf(row, effects.One)...)
		}
	} else {
		names = effects.Examine(effects.Input{Function: f.Glob}).Effects(effects.Given{OwnDomains: c.new.Judgement.OwnDomains})
	}
	for _, row := range effects.Rows() {
		for _, said := range effectsOf(row, effects.One) {
			if said.Kind != f.Effect || said.Sensitive {
				continue
			}
			if slices.ContainsFunc(names, func(name effects.Effect) bool { return c.heldHigher(said, name) }) {
				return false
			}
		}
	}
	return true
}

// heldHigher reports whether a is held at a higher level than b in some column.
func (c *comparison) heldHigher(a, b effects.Effect) bool {
	for _, col := range columns {
		a.Breadth, b.Breadth = col.breadth, col.breadth
		if sized(c.new.Judgement, a, col.nonproduction) > sized(c.new.Judgement, b, col.nonproduction) {
			return true
		}
	}
	return false
}

func lowerToEffect(a, b Function) effect {
	strictness := func(f Function) level.Level {
		if f.LowerTo == level.Safe {
			return level.Critical // it lowers nothing
		}
		return f.LowerTo
	}
	return higher(strictness(a), strictness(b), raises).but(a.LowerTo == b.LowerTo)
}

// untilEffect: ending later is weaker. Ending earlier is not, where the entry only lowers.
func (c *comparison) untilEffect(a, b Function) effect {
	was, is := a.Ends(), b.Ends()
	switch {
	case was.Equal(is):
		return tightens
	case !was.IsZero() && (is.IsZero() || is.After(was)):
		return weakens
	case a.Effect != "" && !c.neverMore(a):
		return weakens
	}
	return raises
}

func entryLimits() map[string]limits {
	return map[string]limits{
		"/functions/*/effect":                      {about: "what the function does, in place of what its name says", words: wordsOf(effects.Kinds()...)},
		"/functions/*/lower_to":                    {about: "the level to which the floor of its effect is lowered; LOW for read, write, message inside and unknown, MEDIUM for delete, money and permission", words: []string{level.Low.String(), level.Medium.String()}},
		"/functions/*/agent":                       {about: "for this agent only", fewest: 1, most: MaxNameBytes},
		"/functions/*/tool":                        {about: "digest of a tool imported for the agent; the entry holds while the tool is described as it was then", fewest: 64, most: 64},
		"/functions/*/pattern":                     {about: "for calls of exactly this shape only"},
		"/functions/*/pattern/environment":         {about: "the text that a call must have; left out: it must have none", most: MaxNameBytes},
		"/functions/*/pattern/action_type":         {about: "the text that a call must have; left out: it must have none", most: MaxNameBytes},
		"/functions/*/pattern/arrays":              {about: "pointers of the arrays that aren't empty", most: maxTerms, unique: true},
		"/functions/*/pattern/arrays/*":            {most: maxTermPointer},
		"/functions/*/pattern/arguments":           {about: "every value that has nothing below it", most: maxTerms},
		"/functions/*/pattern/arguments/*":         {required: []string{"pointer", "rule"}},
		"/functions/*/pattern/arguments/*/pointer": {about: "JSON pointer into the arguments", most: maxTermPointer},
		"/functions/*/pattern/arguments/*/rule":    {about: "what is asked of the value", words: wordsOf(TermRules()...)},
		"/functions/*/pattern/arguments/*/values":  {about: "none of any, up to 20 of one_of, one of the others", most: MaxTermValues},
		"/functions/*/until":                       {about: "when the entry ends, as RFC 3339 writes it", moment: true},
		"/functions/*/reason":                      {about: "why, for those who read the policy", most: maxEntryReason},
	}
}
