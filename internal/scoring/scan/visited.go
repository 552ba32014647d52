package scan

import "unsafe"

// visited says in which states an automaton came by places of a text. Who comes there again
// in the same state finds nothing else from there on. So what many candidates would read, to
// the end of the same line, is read once.
type visited struct {
	run  uint32  // of all the runs that used this memory
	last []visit // by stretch of the text, the last one there
	path []visit // since the last match ended
}

// visit is a state behind a byte.
type visit struct {
	state *state
	byte  int32
	run   uint32
}

// visitEvery is how many bytes there are to a place that is remembered.
const visitEvery = 32

// begin is for another text of so many bytes.
func (v *visited) begin(text int) {
	if v.run++; v.run == 0 { // after four thousand million
		clear(v.last)
		v.run++
	}
	if n := text/visitEvery + 1; len(v.last) < n {
		v.last = append(v.last, make([]visit, n-len(v.last))...)
	}
	v.path = v.path[:0]
}

// before reports whether the state was behind this byte before.
func (v *visited) before(i int, s *state) bool {
	last := v.last[i/visitEvery]
	return last.run == v.run && last.byte == int32(i) && last.state == s
}

// add puts a visit on the path.
func (v *visited) add(i int, s *state) { v.path = append(v.path, visit{s, int32(i), v.run}) }

// forget takes back the path, because it led to a match.
func (v *visited) forget() { v.path = v.path[:0] }

// size is what it holds, in bytes.
func (v *visited) size() int { return (cap(v.last) + cap(v.path)) * int(unsafe.Sizeof(visit{})) }

// keep remembers the path.
func (v *visited) keep() {
	for _, p := range v.path {
		v.last[p.byte/visitEvery] = p
	}
	v.path = v.path[:0]
}
