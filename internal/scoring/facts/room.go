package facts

import (
	"math/bits"
	"slices"
	"unsafe"

	"github.com/countersign/countersign/internal/scoring/scan"
)

// room is the memory in which one extraction takes texts apart. It is used again for
// the next one, without anything of the text in it.
type room struct {
	commands   []*command // that nobody needs
	spare      *command   // one that was read for nothing
	chosen     []*selection
	lines      [4][][]word // short ones that nobody needs, with room for 8, 16, 32 and 64
	large      [4][]word   // some for lines that are as long as a text
	options    []option    // the same for options
	values     []word      // the values of --name=value, which stand in no line
	tokens     []token     // of statements
	statements []stretch
	text       []byte    // what is decoded
	written    []written // where that was written
	decoded    []written // the same of all that was decoded
	origins    []*[64]origin
	taken      int       // of origins
	path       [256]byte // of the value that is read
	spans      []span    // where something was found in a text
	quoted     []reading // the literals of programs
	collector  collector
	waiting    int // how much memory commands and lines have, in bytes
}

// Lines and lists of options with room for more than so many are kept once only.
const smallRoom = 64

var rooms = scan.NewMemory((*room).clear)

// clear forgets what no command holds, and says how much memory the room has then, in bytes.
func (r *room) clear() int {
	if r.spare != nil {
		r.giveCommand(r.spare)
		r.spare = nil
	}
	c := &r.collector
	clear(c.found)
	clear(c.covered)
	*c = collector{found: c.found[:0], covered: c.covered[:0]}
	clear(r.quoted)
	clear(r.path[:])
	r.quoted = r.quoted[:0]
	clear(r.values)
	r.values, r.tokens, r.statements = r.values[:0], r.tokens[:0], r.statements[:0]
	r.text, r.written, r.decoded = r.text[:0], r.written[:0], r.decoded[:0]
	for i := 0; i < r.taken; i += len(r.origins[0]) {
		clear(r.origins[i/len(r.origins[0])][:min(r.taken-i, len(r.origins[0]))])
	}
	r.taken = 0
	size := r.waiting + cap(r.values)*wordSize + cap(r.options)*optionSize + cap(r.tokens)*int(unsafe.Sizeof(token{})) + cap(r.statements)*int(unsafe.Sizeof(stretch{})) +
		cap(r.text) + (cap(r.written)+cap(r.decoded))*int(unsafe.Sizeof(written{})) + len(r.origins)*int(unsafe.Sizeof(*r.origins[0]))
	size += cap(c.found)*int(unsafe.Sizeof(Fact{})) + cap(c.covered)*wordSize + cap(r.spans)*int(unsafe.Sizeof(span{})) + cap(r.quoted)*int(unsafe.Sizeof(reading{}))
	for _, line := range r.large {
		size += cap(line) * wordSize
	}
	for _, s := range r.chosen {
		size += cap(s.commands) * int(unsafe.Sizeof(s))
	}
	return size
}

const (
	wordSize   = int(unsafe.Sizeof(word{}))
	optionSize = int(unsafe.Sizeof(option{}))
)

// size is how much memory a command has while nobody needs it, its line aside, in bytes.
func (cmd *command) size() int {
	return int(unsafe.Sizeof(*cmd)) + cap(cmd.options)*optionSize + cap(cmd.files)*wordSize
}

// origin is that of something decoded.
func (r *room) origin(pointer string, from []written) *origin {
	n := len(r.decoded)
	r.decoded = append(r.decoded, from...)
	o := r.newOrigin()
	o.pointer, o.written = pointer, r.decoded[n:len(r.decoded):len(r.decoded)]
	return o
}

func (r *room) newOrigin() *origin {
	const some = len(r.origins[0])
	if r.taken == some*len(r.origins) {
		r.origins = append(r.origins, new([some]origin))
	}
	r.taken++
	return &r.origins[(r.taken-1)/some][(r.taken-1)%some]
}

// whole is the reading of a value as it is.
func (r *room) whole(text, pointer string) reading {
	o := r.newOrigin()
	o.pointer = pointer
	return reading{text: text, of: o}
}

// wholeAt is whole, where the pointer may not be needed: path must stay as it is as long
// as the text is read.
func (r *room) wholeAt(text string, path []byte) reading {
	o := r.newOrigin()
	o.path = path
	return reading{text: text, of: o}
}

// append is append for lines, which may become as long as a text.
func (r *room) append(line []word, w word) []word {
	if len(line) == cap(line) {
		line = r.grow(line)
	}
	return append(line, w)
}

func (r *room) grow(line []word) []word {
	if class := bits.Len(uint(len(line)) / 8); class < len(r.lines) {
		var larger []word
		if n := len(r.lines[class]); n > 0 {
			larger, r.lines[class] = r.lines[class][n-1], r.lines[class][:n-1]
			r.waiting -= cap(larger) * wordSize
		} else {
			larger = make([]word, 0, 8<<class)
		}
		larger = append(larger, line...)
		r.giveLine(line)
		return larger
	}
	for i := range r.large {
		if cap(r.large[i]) > len(line) {
			larger := append(r.large[i], line...)
			r.large[i] = nil
			r.giveLine(line)
			return larger
		}
	}
	larger := append(make([]word, 0, 2*len(line)), line...)
	r.giveLine(line)
	return larger
}

// appendAll is append for several words.
func (r *room) appendAll(line, words []word) []word {
	for _, w := range words {
		line = r.append(line, w)
	}
	return line
}

// giveLine takes a line that nobody needs.
func (r *room) giveLine(line []word) {
	clear(line)
	switch {
	case cap(line) <= smallRoom:
		if class := bits.Len(uint(cap(line)) / 16); cap(line) == 8<<class {
			r.lines[class] = append(r.lines[class], line[:0])
			r.waiting += cap(line) * wordSize
		}
	default:
		smallest := 0
		for i := range r.large {
			if cap(r.large[i]) < cap(r.large[smallest]) {
				smallest = i
			}
		}
		if cap(line) > cap(r.large[smallest]) {
			r.large[smallest] = line[:0]
		}
	}
}

// appendOption is append for options.
func (r *room) appendOption(list []option, o option) []option {
	if n := len(list); n == cap(list) && n >= smallRoom {
		if cap(r.options) <= n {
			return append(slices.Grow(list, n), o)
		}
		larger := append(r.options, list...)
		r.options = nil
		list = larger
	}
	return append(list, o)
}

// value keeps the value of an option.
func (r *room) value(of reading) []word {
	n := len(r.values)
	r.values = append(r.values, word{reading: of})
	return r.values[n : n+1 : n+1]
}

func (r *room) command() *command {
	n := len(r.commands)
	if n == 0 {
		return &command{program: nothing}
	}
	cmd := r.commands[n-1]
	r.commands = r.commands[:n-1]
	r.waiting -= cmd.size()
	return cmd
}

// giveCommand takes a command that nobody needs, and its line.
func (r *room) giveCommand(cmd *command) {
	r.giveLine(cmd.line)
	r.reset(cmd)
	r.commands = append(r.commands, cmd)
	r.waiting += cmd.size()
}

// reset forgets what a command holds, but for its room.
func (r *room) reset(cmd *command) {
	if !cmd.used {
		return
	}
	if cmd.own {
		r.giveLine(cmd.operands)
	}
	clear(cmd.options)
	clear(cmd.files)
	options := cmd.options[:0]
	if cap(options) > smallRoom {
		if cap(options) > cap(r.options) {
			r.options = options
		}
		options = nil
	}
	*cmd = command{program: nothing, options: options, files: cmd.files[:0]}
}

func (r *room) selection() *selection {
	n := len(r.chosen)
	if n == 0 {
		return &selection{room: r}
	}
	s := r.chosen[n-1]
	r.chosen = r.chosen[:n-1]
	return s
}

// giveSelection takes a selection whose commands were given.
func (r *room) giveSelection(s *selection) {
	clear(s.commands)
	*s = selection{commands: s.commands[:0], room: r}
	r.chosen = append(r.chosen, s)
}

// mostRisk is the largest risk of a statement or command.
const mostRisk = 6

// riskiestFirst puts the most dangerous first, equals in the order of the text.
func riskiestFirst[T any](all []T, risk func(T) int) []T {
	var counts, at [mostRisk + 1]int
	if len(all) < 2 {
		return all
	}
	for _, one := range all {
		counts[risk(one)]++
	}
	for r := mostRisk; r > 0; r-- {
		if counts[r] == len(all) {
			return all
		}
		at[r-1] = at[r] + counts[r]
	}
	sorted := make([]T, len(all))
	for _, one := range all {
		r := risk(one)
		sorted[at[r]] = one
		at[r]++
	}
	return sorted
}
