package facts

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxPerKind bounds how many facts of one kind are kept, best first: a text of
// nothing but addresses must not fill the record. The arguments are shown whole
// anyway.
const maxPerKind = 32

// maxPointerBytes bounds the pointers of all facts that are kept, after the
// first: one long name can stand over many values.
const maxPointerBytes = 64 << 10

// Extract lists the facts of an action: in the order of Kinds, then by source,
// best first, then what the function's name says it acts on, then by position (the action's environment, then the arguments in
// canonical order, then the code; within SQL and shell the most dangerous
// statement first, so that a harmless one in front hides nothing).
//
// A value that is found twice keeps its best source. Where that is the same, two
// kinds of names share a value only once; amounts, counts, environments and flags
// stand beside anything.
func Extract(in Input) []Fact {
	c := collector{object: newOperation(in.Function).object}
	c.read(in)
	return c.ranked()
}

func (c *collector) read(in Input) {
	c.shell, c.sql = runsCommands(in.Function), runsStatements(in.Function)
	c.environment(in.Environment)
	c.arguments(in.Arguments)
	c.text(in.Code, CodePointer)
}

// maxFound bounds how many facts of one kind are looked at from one source,
// before the best are chosen.
const maxFound = 16 * maxPerKind

type collector struct {
	found  []Fact
	counts [len(kindOrder)][len(sourceOrder)]int // of found, by rank of kind and source
	object string                                // what the function's name says it acts on: a label for positional values
	shell  bool                                  // the function runs commands, so its texts are read as such
	sql    bool                                  // the function runs statements

	operation operation // the most dangerous one of the texts
	operated  bool      // there is one

	operationOnly bool // nobody asks for the facts
}

// add takes the stretch of text at the pointer, without the spaces at its ends.
func (c *collector) add(kind Kind, label string, source Source, pointer, text string, start, end int) {
	if start < 0 || start > end || end > len(text) {
		return
	}
	value := strings.TrimLeftFunc(text[start:end], unicode.IsSpace)
	start = end - len(value)
	value = strings.TrimRightFunc(value, unicode.IsSpace)
	if value == "" {
		return
	}
	c.keep(Fact{
		Kind: kind, Value: value, Label: shorten(label, 40), Pointer: pointer,
		Start: start, End: start + len(value), Source: source,
	})
}

func (c *collector) keep(f Fact) {
	n := &c.counts[f.kindRank()][f.sourceRank()]
	if *n < maxFound {
		*n++
		c.found = append(c.found, f)
	}
}

// environment takes the action's own member.
func (c *collector) environment(value string) {
	c.add(Environment, "environment", FromKey, "/environment", value, 0, len(value))
}

// text reads one string value or the code with every source that reads texts.
func (c *collector) text(text, pointer string) {
	if text == "" {
		return
	}
	c.statements(text, pointer)
	c.commands(text, pointer)
	c.shapes(text, pointer)
}

// ranked removes duplicates and sorts.
func (c *collector) ranked() []Fact {
	best := make(map[identity]int, len(c.found)) // of found
	for i, f := range c.found {
		old, seen := best[f.identity()]
		if !seen || cmp.Or(f.sourceRank()-c.found[old].sourceRank(), f.kindRank()-c.found[old].kindRank()) < 0 {
			best[f.identity()] = i
		}
	}
	chosen := slices.Sorted(maps.Values(best)) // by position
	slices.SortStableFunc(chosen, func(i, j int) int {
		a, b := c.found[i], c.found[j]
		return cmp.Or(a.kindRank()-b.kindRank(), a.sourceRank()-b.sourceRank(), c.objectRank(a)-c.objectRank(b))
	})
	var (
		kept   = make([]Fact, 0, min(len(chosen), 2*maxPerKind))
		counts = map[Kind]int{}
		size   = 0
	)
	for _, i := range chosen {
		f := c.found[i]
		if counts[f.Kind] == maxPerKind || len(kept) > 0 && size+len(f.Pointer) > maxPointerBytes {
			continue
		}
		counts[f.Kind]++
		size += len(f.Pointer)
		kept = append(kept, f)
	}
	return kept
}

// objectRank puts what the function's name says it acts on first among equals:
// delete_user(bucket, user_id) is about the user, whatever the order of the names.
func (c *collector) objectRank(f Fact) int {
	if f.Label == c.object {
		return 0
	}
	return 1
}

func (f Fact) kindRank() int   { return slices.Index(kindOrder[:], f.Kind) }
func (f Fact) sourceRank() int { return slices.Index(sourceOrder[:], f.Source) }

// identity is what makes two facts the same one. Names of things are the same
// when their values are, whatever kind each source took them for.
type identity struct{ kind, label, value string }

func (f Fact) identity() identity {
	switch {
	case f.Kind.salient():
		return identity{value: f.Value}
	case f.Kind == Flag:
		return identity{string(f.Kind), f.Label, f.Value}
	default:
		return identity{string(f.Kind), "", f.Value}
	}
}

var (
	kindOrder   = [...]Kind{Target, Recipient, Table, Path, Host, Branch, Amount, Count, Environment, Flag, Time}
	sourceOrder = [...]Source{FromKey, FromSQL, FromShell, FromCode, FromShape}
)

// shorten cuts a text that is longer than so many characters in its middle.
func shorten(s string, most int) string {
	n := utf8.RuneCountInString(s)
	if n <= most {
		return s
	}
	head := (most - 1) * 3 / 5
	tail := most - 1 - head
	from, to, i := 0, len(s), 0
	for at := range s {
		if i == head {
			from = at
		}
		if i == n-tail {
			to = at
			break
		}
		i++
	}
	return s[:from] + "…" + s[to:]
}
