package facts

import (
	"unsafe"
)

// room is the memory in which one extraction takes texts apart. It is used again for
// the next one, without anything of the text in it.
type room struct {
	collector  collector
	selections [maxNesting + 1]selection // one for each depth of texts

	line    stack[word]    // the words of the lines that are being split
	waiting stack[word]    // those of lines that wait for the text of a here-document
	words   stack[word]    // those of the commands that are kept
	values  stack[word]    // what stands in no line as it is: files, and the values of --name=value
	options stack[option]  // of the commands
	inputs  stack[reading] // the here-documents of the commands
	owed    stack[heredoc] // those whose text was not read yet
	quoted  stack[reading] // the literals of programs

	origins pile[origin]
	texts   pile[reading] // of here-documents

	// These hold nothing of a text but numbers, or are overwritten.
	spans   []span    // where something was found
	digits  []span    // where digits stand
	text    []byte    // what is decoded
	written []written // where that was written
	decoded []written // the same of all that was decoded
	path    [256]byte // of the value that is read
	leaf    []byte    // that of a string or number
}

var rooms = NewMemory((*room).clear)

// clear forgets everything, and says how much memory the room has, in bytes.
func (r *room) clear() (size int) {
	c := &r.collector
	clear(c.found)
	clear(c.covered)
	*c = collector{found: c.found[:0], covered: c.covered[:0]}
	size = sizeOfList(c.found) + sizeOfList(c.covered)
	for i := range r.selections {
		size += r.selections[i].clear()
	}
	size += r.line.clear() + r.waiting.clear() + r.words.clear() + r.values.clear() + r.options.clear() + r.inputs.clear() + r.owed.clear() + r.quoted.clear()
	size += r.origins.clear() + r.texts.clear()
	r.spans, r.digits = r.spans[:0], r.digits[:0]
	r.text, r.written, r.decoded = r.text[:0], r.written[:0], r.decoded[:0]
	r.leaf = nil
	return size + sizeOfList(r.spans) + sizeOfList(r.digits) + sizeOfList(r.text) + sizeOfList(r.written) + sizeOfList(r.decoded)
}

func sizeOfList[T any](list []T) int { return cap(list) * int(unsafe.Sizeof(*new(T))) }

// stack is a list of which what was added last is given back first.
type stack[T any] struct {
	all  []T
	most int // how many there were before some were given back
}

// mark is what since and back are called with later.
func (s *stack[T]) mark() int { return len(s.all) }

func (s *stack[T]) push(one T)     { s.all = append(s.all, one) }
func (s *stack[T]) pushAll(of []T) { s.all = append(s.all, of...) }

// next is one more, which holds anything.
func (s *stack[T]) next() *T {
	n := len(s.all)
	if n == cap(s.all) {
		s.push(*new(T))
	}
	s.all = s.all[:n+1]
	return &s.all[n]
}

// since lists what was added after a mark. It stays as it is until that is given back.
func (s *stack[T]) since(mark int) []T { return s.all[mark:len(s.all):len(s.all)] }

// back gives back what was added after a mark.
func (s *stack[T]) back(mark int) {
	s.most = max(s.most, len(s.all))
	s.all = s.all[:mark]
}

// clear gives everything back and forgets it, and says how much memory the stack has.
func (s *stack[T]) clear() (size int) {
	s.back(0)
	clear(s.all[:s.most])
	s.most = 0
	return sizeOfList(s.all)
}

// pile is a list of things that others point at: they stay where they are.
type pile[T any] struct {
	blocks []*[64]T
	n      int
}

// next is one more, which is zero.
func (p *pile[T]) next() *T {
	const some = len(p.blocks[0])
	if p.n == some*len(p.blocks) {
		p.blocks = append(p.blocks, new([some]T))
	}
	p.n++
	return &p.blocks[(p.n-1)/some][(p.n-1)%some]
}

// clear gives everything back and forgets it, and says how much memory the pile has.
func (p *pile[T]) clear() (size int) {
	for i := 0; p.n > 0; i++ {
		clear(p.blocks[i][:min(p.n, len(p.blocks[i]))])
		p.n -= min(p.n, len(p.blocks[i]))
	}
	return len(p.blocks) * int(unsafe.Sizeof(*p.blocks[0]))
}

// origin is that of something decoded.
func (r *room) origin(pointer string, from []written) *origin {
	n := len(r.decoded)
	r.decoded = append(r.decoded, from...)
	o := r.origins.next()
	o.pointer, o.written = pointer, r.decoded[n:len(r.decoded):len(r.decoded)]
	return o
}

// whole is the reading of a value as it is.
func (r *room) whole(text, pointer string) reading {
	o := r.origins.next()
	o.pointer = pointer
	return reading{text: text, of: o}
}

// wholeAt is whole, where the pointer may not be needed: path must stay as it is as long
// as the text is read.
func (r *room) wholeAt(text string, path []byte) reading {
	r.leaf = path
	o := r.origins.next()
	o.path = &r.leaf
	return reading{text: text, of: o}
}

// commandMarks are those of the stacks in which commands are kept.
type commandMarks struct{ words, values, options, inputs int }

func (r *room) commandMarks() commandMarks {
	return commandMarks{r.words.mark(), r.values.mark(), r.options.mark(), r.inputs.mark()}
}

// forget gives back what the commands since then have.
func (r *room) forget(since commandMarks) {
	r.words.back(since.words)
	r.values.back(since.values)
	r.options.back(since.options)
	r.inputs.back(since.inputs)
}

// value keeps a word that stands in no line as it is.
func (r *room) value(of reading) []word {
	n := r.values.mark()
	r.values.push(word{reading: of})
	return r.values.since(n)
}

// mostRisk is the largest risk of a statement or command.
const mostRisk = 6

// riskiestFirst puts the most dangerous first, equals in the order of the text.
func riskiestFirst[T any](all []T, risk func(T) int) {
	var counts, at [mostRisk + 1]int
	if len(all) < 2 {
		return
	}
	for _, one := range all {
		counts[risk(one)]++
	}
	for r := mostRisk; r > 0; r-- {
		if counts[r] == len(all) {
			return
		}
		at[r-1] = at[r] + counts[r]
	}
	sorted := make([]T, len(all))
	for _, one := range all {
		r := risk(one)
		sorted[at[r]] = one
		at[r]++
	}
	copy(all, sorted)
}
