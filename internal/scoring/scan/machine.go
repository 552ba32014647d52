package scan

// machine finds the literals of a Prefilter in one pass over a text (Aho and Corasick,
// 1975). Behind a state is, for each byte, the longest beginning of a literal with which
// the text up to there ends. Few states have more than one byte that leads on to a longer
// one. Those have a row with a place for each byte; of the others only that byte is held.
// It never changes.
type machine struct {
	class [256]uint8 // of each byte; 0 for those in no literal
	width int        // how many classes there are

	rows    []machineState // by row and class
	rowEnds []uint16       // by row: the longest literal that ends there
	singles []single

	shorter []uint16   // by literal: the longest one that it ends with; 0 for none
	fulfils [][]uint16 // by literal: conditions
}

// machineState is where the machine stands: two bits of what is to know, and its place
// among rows (row times width) or singles.
type machineState uint32

const (
	endsLiteral machineState = 1 << iota // some literal ends here
	isSingle
	placeShift = iota
)

// single is a state with one byte that leads on; class 0 and the beginning where none does.
type single struct {
	next, fail machineState
	ends       uint16 // the longest literal that ends there
	class      uint8
}

// step is the state behind s and a byte of a class.
func (m *machine) step(s machineState, class uint8) machineState {
	for s&isSingle != 0 {
		one := &m.singles[s>>placeShift]
		if one.class == class {
			return one.next
		}
		s = one.fail
	}
	return m.rows[int(s>>placeShift)+int(class)]
}

// ends is the longest literal that ends at a state.
func (m *machine) ends(s machineState) uint16 {
	if s&isSingle != 0 {
		return m.singles[s>>placeShift].ends
	}
	return m.rowEnds[int(s>>placeShift)/m.width]
}

// mark adds the conditions of all literals that stand in a text in lower case.
func (m *machine) mark(folded string, into Set) {
	var (
		rows, singles = m.rows, m.singles
		state         = machineState(0)
		known         [64]machineState // states in which literals ended before: a text of one word repeated has few
	)
next:
	for i := range len(folded) {
		class := m.class[folded[i]]
		for state&isSingle != 0 { // step, written out, because this is where the time goes
			one := &singles[state>>placeShift]
			if one.class == class {
				if state = one.next; state&endsLiteral == 0 {
					continue next
				}
				goto ends
			}
			state = one.fail
		}
		if state = rows[int(state>>placeShift)+int(class)]; state&endsLiteral == 0 {
			continue
		}
	ends:
		slot := &known[state*0x9e3779b1>>26]
		if *slot == state {
			continue
		}
		*slot = state
		for literal := m.ends(state); literal != 0; literal = m.shorter[literal] {
			for _, condition := range m.fulfils[literal] {
				into.add(int(condition))
			}
		}
	}
}

// What bounds a machine of literals that others write: the bytes of a literal that are
// looked for, the states, and the places in rows. A default policy has 12,267 states.
const (
	literalBytes = 16
	mostStates   = 1 << 15
	mostPlaces   = 1 << 20
)

// Every state of so few bytes has a row: that is where most of a text is spent.
const shallow = 2

// trie is what a machine is made of.
type trie struct {
	states  []trieState
	fulfils [][]uint16
	seen    [256]bool
	width   int
	rows    int  // how many states need a row
	full    bool // there was no room for a literal
}

type trieState struct {
	edges map[byte]uint16
	depth uint8
	ends  uint16 // the literal that is this state
}

func newTrie() *trie {
	return &trie{states: make([]trieState, 1, 256), fulfils: make([][]uint16, 1, 256), width: 1, rows: 1}
}

// add takes the literals of a condition, or none of them where there is no room.
func (b *trie) add(literals []string, condition uint16) bool {
	states, classes := 0, 0
	var seen [256]bool
	for _, l := range literals {
		states += min(len(l), literalBytes)
		for k := range min(len(l), literalBytes) {
			if c := l[k]; !b.seen[c] && !seen[c] {
				seen[c] = true
				classes++
			}
		}
	}
	if len(b.states)+states > mostStates || (b.rows+(shallow+1)*len(literals))*(b.width+classes) > mostPlaces {
		b.full = true
		return false
	}
	b.width += classes
	for _, l := range literals {
		at := uint16(0)
		for k := range min(len(l), literalBytes) {
			b.seen[l[k]] = true
			at = b.edge(at, l[k])
		}
		if b.states[at].ends == 0 {
			b.states[at].ends = uint16(len(b.fulfils))
			b.fulfils = append(b.fulfils, nil)
		}
		own := &b.fulfils[b.states[at].ends]
		*own = append(*own, condition)
	}
	return true
}

// edge is the state behind another one and a byte.
func (b *trie) edge(at uint16, c byte) uint16 {
	s := &b.states[at]
	if to, ok := s.edges[c]; ok {
		return to
	}
	if s.edges == nil {
		s.edges = map[byte]uint16{}
	}
	if len(s.edges) == 1 && s.depth > shallow {
		b.rows++ // this one needs a row now
	}
	to := uint16(len(b.states))
	s.edges[c] = to
	depth := s.depth + 1
	if depth <= shallow {
		b.rows++
	}
	b.states = append(b.states, trieState{depth: depth})
	return to
}

func (s *trieState) hasRow() bool { return s.depth <= shallow || len(s.edges) > 1 }

// machine writes the states out, the shallow ones first: where no edge leads on, the
// longest end of what was read that is a state does.
func (b *trie) machine() machine {
	m := machine{width: b.width, fulfils: b.fulfils, shorter: make([]uint16, len(b.fulfils))}
	for c, class := 0, uint8(1); c < len(b.seen); c++ {
		if b.seen[c] {
			m.class[c] = class
			class++
		}
	}
	var (
		code  = make([]machineState, len(b.states))
		fail  = make([]uint16, len(b.states))
		queue = make([]uint16, 1, len(b.states))
		rows  = 0
		ones  = 0
	)
	for n := 0; n < len(queue); n++ {
		at := queue[n]
		s := &b.states[at]
		if own := s.ends; own != 0 {
			m.shorter[own] = b.states[fail[at]].ends
		} else if at != 0 {
			s.ends = b.states[fail[at]].ends
		}
		if s.hasRow() {
			code[at] = machineState(rows*m.width) << placeShift
			rows++
		} else {
			code[at] = machineState(ones)<<placeShift | isSingle
			ones++
		}
		if s.ends != 0 {
			code[at] |= endsLiteral
		}
		for c, to := range s.edges {
			if at != 0 {
				fail[to] = b.next(fail, fail[at], c)
			}
			queue = append(queue, to)
		}
	}
	m.rows, m.rowEnds, m.singles = make([]machineState, rows*m.width), make([]uint16, rows), make([]single, ones)
	for _, at := range queue {
		s, place := &b.states[at], int(code[at]>>placeShift)
		if !s.hasRow() {
			one := single{ends: s.ends, fail: code[fail[at]]}
			for c, to := range s.edges {
				one.class, one.next = m.class[c], code[to]
			}
			for one.fail&isSingle != 0 && m.singles[one.fail>>placeShift].class == one.class { // that byte was not it
				one.fail = m.singles[one.fail>>placeShift].fail
			}
			m.singles[place] = one
			continue
		}
		row := m.rows[place:][:m.width]
		for class := 1; class < m.width && at != 0; class++ {
			row[class] = m.step(code[fail[at]], uint8(class))
		}
		for c, to := range s.edges {
			row[m.class[c]] = code[to]
		}
		m.rowEnds[place/m.width] = s.ends
	}
	return m
}

// next is the longest end of what was read that is a state, behind a state and a byte.
func (b *trie) next(fail []uint16, at uint16, c byte) uint16 {
	for {
		if to, ok := b.states[at].edges[c]; ok || at == 0 {
			return to
		}
		at = fail[at]
	}
}
