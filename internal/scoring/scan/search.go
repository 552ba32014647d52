package scan

import (
	"regexp/syntax"
	"slices"
	"sync"
	"unicode/utf8"
)

// searcher finds the spans of one expression with automata: forward over the text to
// where the first match ends, and from there back to where it begins. It never changes.
type searcher struct {
	forward, back *automaton
	before, whole bool             // as of Regexp
	expression    *Regexp          // that it searches for
	counts        func() *searcher // as of newLoose
	tail          func() *searcher // as of tail.searcher
}

// newSearcher is one for what rewrite made of an expression; nil where that is too
// large, may match the empty text, or asks in a repetition where it stands: what such a
// one prefers depends on the answer.
func newSearcher(r *Regexp, core string, after bool) *searcher {
	if r.MatchesEmpty() || asksInRepetition(core) {
		return nil
	}
	forward, back := compiled(core, false), compiled(core, true)
	if forward == nil || back == nil {
		return nil
	}
	letters, ok := newAlphabet(forward)
	if !ok {
		return nil
	}
	s := &searcher{forward: newAutomaton(forward, letters), back: newAutomaton(back, letters), before: r.before, whole: r.whole, expression: r}
	s.forward.edge, s.forward.guard = r.before, after
	s.back.backward, s.back.guard = true, r.before
	s.counts = sync.OnceValue(func() *searcher { return newLoose(r, core, after) })
	s.tail = sync.OnceValue(func() *searcher { return r.tail.searcher(after) })
	return s
}

// asksInRepetition reports whether ^, $, \A or \z stand in something that is repeated.
func asksInRepetition(core string) bool {
	tree, err := syntax.Parse(core, syntax.Perl)
	if err != nil {
		return false
	}
	var asks func(re *syntax.Regexp, repeated bool) bool
	asks = func(re *syntax.Regexp, repeated bool) bool {
		switch re.Op {
		case syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText:
			return repeated
		case syntax.OpStar, syntax.OpPlus, syntax.OpRepeat:
			repeated = true
		}
		return slices.ContainsFunc(re.Sub, func(sub *syntax.Regexp) bool { return asks(sub, repeated) })
	}
	return asks(tree, false)
}

// compiled is the program of an expression that was accepted before.
func compiled(core string, backward bool) *syntax.Prog {
	tree, err := syntax.Parse(core, syntax.Perl)
	if err != nil {
		return nil
	}
	if backward {
		reverse(tree)
	}
	return program(tree)
}

// program is that of a tree; nil where it is too large.
func program(tree *syntax.Regexp) *syntax.Prog {
	prog, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return nil
	}
	return prog
}

// reverse makes an expression that of the same texts read backwards.
func reverse(re *syntax.Regexp) {
	for _, sub := range re.Sub {
		reverse(sub)
	}
	switch re.Op {
	case syntax.OpLiteral:
		slices.Reverse(re.Rune)
	case syntax.OpConcat:
		slices.Reverse(re.Sub)
	case syntax.OpBeginLine:
		re.Op = syntax.OpEndLine
	case syntax.OpEndLine:
		re.Op = syntax.OpBeginLine
	case syntax.OpBeginText:
		re.Op = syntax.OpEndText
	case syntax.OpEndText:
		re.Op = syntax.OpBeginText
	}
}

// search is one run over a text.
type search struct {
	*searcher
	subject Subject
	text    string
	alone   *candidates // they are tried, each by itself
	loose   *searcher   // in a long text, says where no match begins
	read    int         // how many bytes that took
	room    int         // how many states may still be built
	shortly bool        // the first end is enough, whichever match it is of
}

func (s *searcher) over(subject Subject) search {
	run := search{searcher: s, subject: subject, text: subject.text, alone: s.candidatesOf(subject)}
	if len(run.text) >= longText {
		run.loose = s.counts()
	}
	run.room = run.fresh()
	return run
}

// fresh is how many states may be built before something else looks.
func (r *search) fresh() int {
	const often, seldom = 32, 256 // bytes for each
	if r.alone != nil {
		return 128 + len(r.text)/often // RE2 would cost more
	}
	return 128 + len(r.text)/seldom
}

// match reports whether the text holds a match; ok is false where the text would have
// the automaton built without an end, so that something else must look.
func (s *searcher) match(subject Subject) (found, ok bool) {
	if s.endsNowhere(subject) {
		return false, true
	}
	run := s.over(subject)
	run.shortly = true
	_, end, ok := run.next(0, true)
	return end >= 0, ok
}

// each calls found for at most n matches, leftmost first, not overlapping. left is how
// many may still be found from byte at on by something else, as of match.
func (s *searcher) each(subject Subject, n int, found func(Span)) (at, left int) {
	if s.endsNowhere(subject) {
		return len(subject.text), 0
	}
	run := s.over(subject)
	return run.each(n, found)
}

func (r *search) each(n int, found func(Span)) (at, left int) {
	first := true // no match ends at byte at
	for n != 0 {
		begin, end, ok := r.next(at, first)
		if !ok {
			return at, n
		}
		if end < 0 {
			return len(r.text), 0
		}
		found(Span{begin, end})
		n--
		at, first = end, false
		if r.whole && r.forward.guard && end < len(r.text) {
			// RE2 takes the neighbour into the match of such an expression.
			_, width := utf8.DecodeRuneInString(r.text[end:])
			at += width
		}
	}
	return at, 0
}

// next is the leftmost match from byte at on; its end is -1 where there is none, ok is as
// of match.
func (r *search) next(at int, first bool) (begin, end int, ok bool) {
	if r.alone != nil {
		if begin, end, ok = r.try(at, first); ok {
			return begin, end, ok
		}
		r.alone, r.loose = nil, nil
		r.room = r.fresh()
	}
	if r.loose != nil {
		if begin, end, ok = r.tryLoose(at, first); ok {
			return begin, end, ok
		}
		r.loose = nil
		r.room = r.fresh()
	}
	return r.found(at, first)
}

// found is next without any candidates.
func (r *search) found(at int, first bool) (begin, end int, ok bool) {
	end, ok = r.end(at, first)
	if !ok || end < 0 || r.shortly {
		return -1, end, ok
	}
	begin = r.begin(at, end, first)
	return begin, end, begin >= 0
}

// mayBegin reports whether a match may begin at byte i as far as what stands before it
// says. first is false where RE2 took that into the match before.
func (r *search) mayBegin(i int, first bool) bool {
	return !r.before || i == 0 || (first || !r.whole) && !wordBefore(r.text, i)
}

func wordBefore(s string, i int) bool {
	if b := s[i-1]; b < utf8.RuneSelf {
		return isWordByte(b)
	}
	r, width := utf8.DecodeLastRuneInString(s[:i])
	return width > 0 && IsWord(r)
}

// end is where the leftmost match from byte at on ends, -1 where there is none.
func (r *search) end(at int, first bool) (end int, ok bool) {
	var (
		m    = r.forward
		s    = m.start(r.context(at), r.mayBegin(at, first), false)
		last int
	)
	end = -1
	for i := at; i < len(r.text); {
		if s, last, i, ok = r.run(m, s, i, ended|dead); !ok {
			return -1, false
		}
		if s.flags&ended != 0 {
			if end = last; r.shortly {
				return end, true
			}
		}
		if s.flags&dead != 0 {
			return end, true
		}
	}
	if m.step(s, m.end()).flags&ended != 0 {
		end = len(r.text)
	}
	return end, true
}

// endOf is where the match ends that begins at byte begin, -1 where there is none; if soon,
// where one of several does.
func (r *search) endOf(m *automaton, begin int, first, soon bool) (end int, ok bool) {
	s := m.start(r.context(begin), r.mayBegin(begin, first), true)
	end = -1
	for i, last := begin, 0; i < len(r.text); {
		if s, last, i, ok = r.run(m, s, i, ended|dead); !ok {
			return -1, false
		}
		if s.flags&ended != 0 {
			end = last
		}
		if s.flags&dead != 0 || soon && end >= 0 {
			r.read += i - begin
			return end, true
		}
	}
	r.read += len(r.text) - begin
	if m.step(s, m.end()).flags&ended != 0 {
		end = len(r.text)
	}
	return end, true
}

// run reads from byte i on, until a state has one of these flags. last is where the
// character begins that led there.
func (r *search) run(m *automaton, s *state, i int, stops stateFlags) (_ *state, last, next int, ok bool) {
	text := r.text
	for i < len(text) {
		class, width := m.alphabet.at(text, i)
		next := s.next[class].Load()
		if next == nil {
			if next = m.step(s, class); r.room == 0 {
				return s, i, i, false
			}
			r.room--
		}
		s = next
		i += width
		// The same without what is seldom, because this is where the time goes: mostly the
		// state stays, and then nothing waits for it.
		for near, row := &m.alphabet.near, s.next; s.flags&stops == 0 && i < len(text) && text[i] < utf8.RuneSelf; i++ {
			next := row[near[text[i]]].Load()
			if next == nil {
				break
			}
			if width = 1; next != s {
				s, row = next, next.next
			}
		}
		if s.flags&stops != 0 {
			return s, i - width, i, true
		}
	}
	return s, i, i, true
}

// begin is where the longest match that ends at byte end begins, from byte at on. -1 is
// as of match.
func (r *search) begin(at, end int, first bool) int {
	m := r.back
	s := m.start(r.contextBehind(end), true, false)
	begin := -1
	for i := end; s.flags&dead == 0; {
		class, width := m.end(), 1
		if i > 0 {
			class, width = m.alphabet.before(r.text, i)
		}
		if i == at && !r.mayBegin(at, first) {
			return begin
		}
		next := s.next[class].Load()
		if next == nil {
			if next = m.step(s, class); r.room == 0 {
				return -1
			}
			r.room--
		}
		if s = next; s.flags&ended != 0 {
			begin = i
		}
		if i == at {
			break
		}
		i -= width
	}
	return begin
}

// context is what an assertion may ask about the place before byte i.
func (r *search) context(i int) stateFlags {
	switch {
	case i == 0:
		return atBegin | atLine
	case r.text[i-1] == '\n':
		return atLine
	}
	return 0
}

// contextBehind is context for who reads backwards from byte i.
func (r *search) contextBehind(i int) stateFlags {
	switch {
	case i == len(r.text):
		return atBegin | atLine
	case r.text[i] == '\n':
		return atLine
	}
	return 0
}

// at is the class of the character at byte i, and its width.
func (a *alphabet) at(text string, i int) (class, width int) {
	if b := text[i]; b < utf8.RuneSelf {
		return int(a.near[b]), 1
	}
	r, width := utf8.DecodeRuneInString(text[i:])
	return int(a.of(r)), width
}

// before is at for the character that ends before byte i.
func (a *alphabet) before(text string, i int) (class, width int) {
	if b := text[i-1]; b < utf8.RuneSelf {
		return int(a.near[b]), 1
	}
	r, width := utf8.DecodeLastRuneInString(text[:i])
	return int(a.of(r)), width
}
