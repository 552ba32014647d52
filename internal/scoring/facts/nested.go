package facts

import "math/bits"

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
	text := nestedText{r.text, as, how, c.depth, r.decoded()}
	if c.again(text, r) {
		return
	}
	before, tried, covered := c.as, c.tried, len(c.covered)
	c.as, c.tried = as, 0
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
	c.remember(text, seen{c.tried, nil}, r, c.covered[covered:])
	c.tried |= tried
}

// nestedText is all that decides about what is found in a text inside of another one,
// but for where that is.
type nestedText struct {
	text    string
	as      context
	how     manner
	depth   int
	decoded bool
}

// seen is what reading a text did besides adding facts.
type seen struct {
	tried   uint64
	covered []span // where the programs stand in it
}

// The first few texts are not remembered, because usual actions have no more, and of the
// others no more than mostKnown.
const (
	fewTexts  = 24
	mostKnown = 1024
)

// again reports whether the text was read before and reading it again would add nothing:
// no more facts are kept of the kinds that stand in it.
func (c *collector) again(text nestedText, r reading) bool {
	did, ok := c.known[text]
	if !ok || c.anew {
		return false
	}
	for tried := did.tried; tried != 0; tried &= tried - 1 {
		slot := bits.TrailingZeros64(tried)
		if c.counts[slot/len(sourceOrder)][slot%len(sourceOrder)] < maxFound {
			return false
		}
	}
	c.tried |= did.tried
	for _, at := range did.covered {
		c.covered = append(c.covered, word{reading: r.part(at.start, at.end)})
	}
	return true
}

// remember takes down what reading a text did, unless a program in it stands in something
// that was decoded of it.
func (c *collector) remember(text nestedText, did seen, r reading, covered []word) {
	if c.texts++; c.texts <= fewTexts || len(c.known) >= mostKnown {
		return
	}
	for _, w := range covered {
		if w.of != r.of {
			return
		}
		did.covered = append(did.covered, span{w.from - r.from, w.from - r.from + len(w.text)})
	}
	if c.known == nil {
		c.known = map[nestedText]seen{}
	}
	c.known[text] = did
}
