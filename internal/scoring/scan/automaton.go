package scan

import (
	"encoding/binary"
	"regexp/syntax"
	"slices"
	"sync"
	"sync/atomic"
)

// automaton is an expression as a deterministic machine that is built while it runs:
// what the expression may be in the middle of, as one state, is worked out the first
// time that a text leads there, and afterwards a character costs two look-ups. The
// states are shared by all goroutines.
//
// Forward it prefers as RE2 does (leftmost, then what the expression names first) and
// finds where the first match ends. Backward it takes the longest, which finds where
// that match begins.
type automaton struct {
	prog     *syntax.Prog
	alphabet *alphabet
	backward bool
	// edge: a match may begin only behind what is no word character; guard: it may end
	// only before such. Backward, guard stands where edge does forward.
	edge, guard bool

	asks stateFlags // those of atBegin and atLine that an assertion asks for

	known atomic.Pointer[states]
	mu    sync.Mutex // for all below, and to change known
	here  queue
	there queue
}

// states are those that were built, up to a bound.
type states struct {
	all   map[string]*state
	bytes int
	first [1 << firstFlags]atomic.Pointer[state]
}

// mostBytes is what may be held of one automaton; then it begins anew.
const mostBytes = 256 << 10

// state is what the expression may be in the middle of.
type state struct {
	threads []uint32 // instructions, the preferred first
	flags   stateFlags
	// next is the state behind a character of each class, and at the end of the text.
	next []atomic.Pointer[state]
}

type stateFlags uint8

const (
	atBegin   stateFlags = 1 << iota // of the text
	atLine                           // at the beginning of a line
	searching                        // a match may still begin at a later character
	ended                            // a match ends before the character that led here
	dead                             // nothing will match any more

	// For the first state: atBegin, atLine, in place of searching, whether a match may begin
	// here, and in place of ended, whether none may begin later.
	firstFlags = 4
)

func newAutomaton(prog *syntax.Prog, a *alphabet) *automaton {
	m := &automaton{prog: prog, alphabet: a, here: newQueue(len(prog.Inst)), there: newQueue(len(prog.Inst))}
	for _, inst := range prog.Inst {
		if inst.Op != syntax.InstEmptyWidth {
			continue
		}
		if syntax.EmptyOp(inst.Arg)&syntax.EmptyBeginText != 0 {
			m.asks |= atBegin
		}
		if syntax.EmptyOp(inst.Arg)&syntax.EmptyBeginLine != 0 {
			m.asks |= atLine
		}
	}
	m.known.Store(&states{all: map[string]*state{}})
	return m
}

// end is what stands for the end of the text among the classes.
func (m *automaton) end() int { return len(m.alphabet.sample) }

// start is the state before the first character. context holds atBegin and atLine;
// begins says that a match may begin at once, only that none may begin later.
func (m *automaton) start(context stateFlags, begins, only bool) *state {
	flags := context & m.asks
	at := flags
	if begins {
		at |= searching
	}
	if only {
		at |= ended
	}
	known := m.known.Load()
	if s := known.first[at].Load(); s != nil {
		return s
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.there.reset()
	if begins {
		m.close(&m.there, uint32(m.prog.Start), 0, false)
	}
	if !m.backward && !only {
		flags |= searching
	}
	s := m.keep(m.there.dense, flags)
	m.known.Load().first[at].Store(s)
	return s
}

// step is the state behind s and a character of a class, or the end of the text.
func (m *automaton) step(s *state, class int) *state {
	if next := s.next[class].Load(); next != nil {
		return next
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	next := m.build(s, class)
	s.next[class].Store(next)
	return next
}

func (m *automaton) build(s *state, class int) *state {
	var (
		atEnd   = class == m.end()
		word    = !atEnd && m.alphabet.word[class]
		newline = !atEnd && m.alphabet.newline[class]
		holds   syntax.EmptyOp
		flags   stateFlags
		here, q = &m.here, &m.there
	)
	if s.flags&atBegin != 0 {
		holds |= syntax.EmptyBeginText
	}
	if s.flags&atLine != 0 {
		holds |= syntax.EmptyBeginLine
	}
	if atEnd {
		holds |= syntax.EmptyEndText
	}
	if atEnd || newline {
		holds |= syntax.EmptyEndLine
	}
	here.reset()
	q.reset()
	for _, pc := range s.threads {
		m.close(here, pc, holds, true)
	}
	for _, pc := range here.dense {
		inst := &m.prog.Inst[pc]
		switch inst.Op {
		case syntax.InstMatch:
			if m.guard && word {
				continue
			}
			flags |= ended
		case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
			if !atEnd && inst.MatchRune(m.alphabet.sample[class]) {
				m.close(q, inst.Out, 0, false)
			}
		}
		if flags&ended != 0 && !m.backward {
			break // what comes behind is not preferred
		}
	}
	if s.flags&searching != 0 && flags&ended == 0 && !atEnd {
		flags |= searching
		if !m.edge || !word {
			m.close(q, uint32(m.prog.Start), 0, false)
		}
	}
	if newline {
		flags |= atLine & m.asks
	}
	return m.keep(q.dense, flags)
}

// close adds an instruction, or what it leads to without a character, in order of
// preference. An assertion holds if it is among holds; where nothing is decided yet,
// it stays.
func (m *automaton) close(q *queue, pc uint32, holds syntax.EmptyOp, decide bool) {
	q.stack = append(q.stack[:0], pc)
	for len(q.stack) > 0 {
		pc = q.stack[len(q.stack)-1]
		q.stack = q.stack[:len(q.stack)-1]
		if q.in[pc] {
			continue
		}
		q.in[pc] = true
		inst := &m.prog.Inst[pc]
		switch inst.Op {
		case syntax.InstAlt, syntax.InstAltMatch:
			q.stack = append(q.stack, inst.Arg, inst.Out)
		case syntax.InstCapture, syntax.InstNop:
			q.stack = append(q.stack, inst.Out)
		case syntax.InstFail:
		case syntax.InstEmptyWidth:
			switch {
			case !decide:
				q.dense = append(q.dense, pc)
			case syntax.EmptyOp(inst.Arg)&^holds == 0:
				q.stack = append(q.stack, inst.Out)
			}
		default:
			q.dense = append(q.dense, pc)
		}
	}
}

// keep finds the state with these threads, or makes it.
func (m *automaton) keep(threads []uint32, flags stateFlags) *state {
	if m.backward {
		slices.Sort(threads) // none is preferred
	}
	if len(threads) == 0 && flags&searching == 0 {
		flags |= dead
	}
	key := make([]byte, 1, 1+4*len(threads))
	key[0] = byte(flags)
	for _, pc := range threads {
		key = binary.LittleEndian.AppendUint32(key, pc)
	}
	known := m.known.Load()
	if s := known.all[string(key)]; s != nil {
		return s
	}
	size := 2*len(key) + 8*(m.end()+1) + 128
	if known.bytes+size > mostBytes && len(known.all) > 0 {
		known = &states{all: map[string]*state{}}
		m.known.Store(known)
	}
	s := &state{threads: slices.Clone(threads), flags: flags, next: make([]atomic.Pointer[state], m.end()+1)}
	known.all[string(key)] = s
	known.bytes += size
	return s
}

// queue is a set of instructions in the order in which they came.
type queue struct {
	dense []uint32
	in    []bool
	stack []uint32
}

func newQueue(n int) queue { return queue{in: make([]bool, n)} }

func (q *queue) reset() {
	q.dense = q.dense[:0]
	clear(q.in)
}
