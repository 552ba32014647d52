package facts

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/countersign/countersign/internal/scoring/call"
	"github.com/countersign/countersign/internal/scoring/effects"
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
func Extract(in *call.Call) []Fact {
	c := &collector{call: in}
	c.read(in)
	return c.ranked()
}

func (c *collector) read(in *call.Call) {
	_, object := effects.Named(in.Function)
	c.object = shorten(object, 60)
	words := call.Words(in.Function)
	c.as = context{shell: runsCommands(words), sql: runsStatements(words)}
	if language := languageOf(in.Arguments); language.shell || language.sql {
		c.as = language
	}
	c.environment(in.Environment)
	c.value(in.Tree(), key{}, "")
	c.as.code = true
	c.text(whole(in.Code, CodePointer))
}

// maxFound bounds how many facts of one kind are looked at from one source,
// before the best are chosen.
const maxFound = 16 * maxPerKind

// maxNesting bounds how deep a text inside of a text is followed: SQL in JSON in
// a command.
const maxNesting = 4

type collector struct {
	call   *call.Call
	found  []Fact
	counts [len(kindOrder)][len(sourceOrder)]uint16 // of found, by rank of kind and source
	object string                                   // what the function's name says it acts on: a label for positional values

	as    context // how texts are read here
	depth int     // texts around the one that is being read

	covered []word // programs that were called in the text that is read: they are nothing acted on

	languages map[string]Language // by pointer; nil where nobody asks for them
}

// context is what the names around a text say about it.
type context struct {
	shell bool // it is commands
	sql   bool // it is statements
	code  bool // it is a program
}

// manner is how a text inside of another one is read.
type manner uint8

const (
	asCommands manner = iota
	asStatements
	asLiteral  // of a program: statements or commands
	asAnything // statements, commands or a document
	asProgram
)

// nested reads what a statement, a command or a program hands on to something else.
func (c *collector) nested(r reading, as context, how manner) {
	if c.depth >= maxNesting {
		return
	}
	before := c.as
	c.as = as
	c.depth++
	switch how {
	case asCommands:
		c.commands(r)
	case asStatements:
		c.statements(r)
	case asLiteral:
		if !c.statements(r) {
			c.commands(r)
		}
	case asAnything:
		c.inside(r, FromShell)
	case asProgram:
		c.code(r, true)
	}
	c.depth--
	c.as = before
}

// add takes a stretch of a text, without the spaces at its ends.
func (c *collector) add(kind Kind, label string, source Source, of reading, start, end int) {
	if start < 0 || start > end || end > len(of.text) || c.full(kind, source) {
		return
	}
	value := of.text[start:end]
	if value == "" {
		return
	}
	if first := value[0]; first <= ' ' || first >= utf8.RuneSelf {
		value = strings.TrimLeftFunc(value, unicode.IsSpace)
		start = end - len(value)
	}
	if value == "" {
		return
	}
	if last := value[len(value)-1]; last <= ' ' || last >= utf8.RuneSelf {
		value = strings.TrimRightFunc(value, unicode.IsSpace)
	}
	from, to := of.place(start, start+len(value))
	c.keep(Fact{Kind: kind, Value: value, Label: shorten(label, 40), Pointer: of.pointer(), Start: from, End: to, Source: source})
}

// flag says that something holds; the stretch is what says so.
func (c *collector) flag(label string, source Source, of reading, start, end int) {
	if c.full(Flag, source) {
		return
	}
	from, to := of.place(start, end)
	c.keep(Fact{Kind: Flag, Value: "true", Label: label, Pointer: of.pointer(), Start: from, End: to, Source: source})
}

// full reports whether no more facts of a kind are kept from a source.
func (c *collector) full(kind Kind, source Source) bool {
	return c.counts[kind.rank()][source.rank()] == maxFound
}

func (c *collector) keep(f Fact) {
	n := &c.counts[f.Kind.rank()][f.Source.rank()]
	if *n < maxFound {
		*n++
		c.found = append(c.found, f)
	}
}

// environment takes the action's own member.
func (c *collector) environment(value string) {
	if value != "" {
		c.add(Environment, "environment", FromKey, whole(value, "/environment"), 0, len(value))
	}
}

// text reads one string value or the code with every source that reads texts.
func (c *collector) text(r reading) {
	if r.text == "" {
		return
	}
	c.covered = c.covered[:0]
	known := c.inside(r, FromKey)
	if c.as.code {
		c.code(r, !known)
	}
	c.shapes(r)
}

// inside reads a text that may be SQL, a command line or JSON, and reports
// whether it is.
func (c *collector) inside(r reading, source Source) bool {
	statement := c.statements(r)
	command := (c.as.shell || !statement) && c.commands(r)
	switch {
	case command:
		c.speaks(r, Shell)
	case statement:
		c.speaks(r, SQL)
	}
	return statement || command || c.document(r, source)
}

// rank is where a fact stands among the others: kind and source by their places, what the
// function's name says it acts on first, and then where it was found.
type rank struct{ kind, source, object, at int }

func (c *collector) rank(at int) rank {
	f := &c.found[at]
	return rank{f.Kind.rank(), f.Source.rank(), c.objectRank(f), at}
}

// ranked removes duplicates and sorts.
func (c *collector) ranked() []Fact {
	var ranks []rank
	best := make(map[identity]int, len(c.found)) // in ranks
	for i := range c.found {
		r, same := c.rank(i), c.found[i].identity()
		old, seen := best[same]
		switch {
		case !seen:
			best[same] = len(ranks)
			ranks = append(ranks, r)
		case cmp.Or(r.source-ranks[old].source, r.kind-ranks[old].kind) < 0:
			ranks[old] = r
		}
	}
	slices.SortFunc(ranks, func(a, b rank) int {
		return cmp.Or(a.kind-b.kind, a.source-b.source, a.object-b.object, a.at-b.at)
	})
	var (
		kept   = []Fact{}
		counts [len(kindOrder)]int
		size   = 0
	)
	for _, r := range ranks {
		f := &c.found[r.at]
		if counts[r.kind] == maxPerKind || len(kept) > 0 && size+len(f.Pointer) > maxPointerBytes {
			continue
		}
		counts[r.kind]++
		size += len(f.Pointer)
		kept = append(kept, *f)
	}
	return kept
}

// objectRank puts what the function's name says it acts on first among equals:
// delete_user(bucket, user_id) is about the user, whatever the order of the names.
func (c *collector) objectRank(f *Fact) int {
	if f.Label == c.object {
		return 0
	}
	return 1
}

func (k Kind) rank() int   { return slices.Index(kindOrder[:], k) }
func (s Source) rank() int { return slices.Index(sourceOrder[:], s) }

// identity is what makes two facts the same one. Names of things are the same
// when their values are, whatever kind each source took them for.
type identity struct{ kind, label, value string }

func (f *Fact) identity() identity {
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
	if len(s) <= most {
		return s
	}
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
