package scan

import (
	"io"
	"strings"
	"unicode/utf8"
)

// eachPrefix is each for an expression whose matches all begin with one of a few
// literals: it jumps from one literal to the next and runs RE2 only there, which
// in ordinary text is a hundred times less work than a pass per expression.
//
// A text made against it, in which each attempt reads far before it fails, would
// make that quadratic. So the attempts have a budget that the text's length
// bounds; once it is spent, eachPrefix gives up at byte from with left matches
// still wanted, and a single pass does the rest.
func (r *Regexp) eachPrefix(s Subject, n int, found func(at int, loc []int)) (from, left int) {
	const attempt = 8 // what starting RE2 costs, in characters
	var (
		starts = s.starts(r.prefixes)
		budget = len(s.text)/2 + 4096
		at     = 0
	)
	for n != 0 {
		begin, ok := starts.next()
		if !ok {
			return len(s.text), n
		}
		if begin < at || r.before && wordBefore(s.text, begin) {
			continue
		}
		if budget <= 0 {
			return begin, n
		}
		loc, read := r.beginsAt(s.text, begin)
		budget -= attempt + read
		if loc != nil {
			found(begin, loc)
			at = begin + loc[3]
			n--
		}
	}
	return at, 0
}

// beginsAt looks for a match that begins at byte i, and says how far it read for it.
// Where little text is left, all of it may be read: RE2 is several times as fast on
// a string as on a reader, which tells how far it came.
func (r *Regexp) beginsAt(text string, i int) (loc []int, read int) {
	const little = 512 // bytes
	if len(text)-i <= little {
		return r.begins.FindStringSubmatchIndex(text[i:]), len(text) - i
	}
	reader := tail{text: text, at: i}
	return r.begins.FindReaderSubmatchIndex(&reader), reader.at - i
}

func wordBefore(s string, i int) bool {
	r, width := utf8.DecodeLastRuneInString(s[:i])
	return width > 0 && IsWord(r)
}

// tail reads the text from at on, and at shows how far it was read.
type tail struct {
	text string
	at   int
}

// ReadRune implements io.RuneReader.
func (t *tail) ReadRune() (r rune, size int, err error) {
	if t.at >= len(t.text) {
		return 0, 0, io.EOF
	}
	r, size = utf8.DecodeRuneInString(t.text[t.at:])
	t.at += size
	return r, size, nil
}

// starts says where in the text the literals begin, in order, each place once.
type starts struct {
	subject  Subject
	literals []string
	at       []int // in folded, where each literal comes next; len(folded) for nowhere
	moves    int   // how many of subject.moved lie behind
}

func (s Subject) starts(literals []string) *starts {
	it := &starts{subject: s, literals: literals, at: make([]int, len(literals))}
	for i := range literals {
		it.seek(i, 0)
	}
	return it
}

// seek looks for literal i from byte from of folded on.
func (it *starts) seek(i, from int) {
	it.at[i] = len(it.subject.folded)
	if n := strings.Index(it.subject.folded[from:], it.literals[i]); n >= 0 {
		it.at[i] = from + n
	}
}

func (it *starts) next() (begin int, ok bool) {
	folded := len(it.subject.folded)
	for _, at := range it.at {
		folded = min(folded, at)
	}
	if folded == len(it.subject.folded) {
		return 0, false
	}
	for i, at := range it.at {
		if at == folded {
			it.seek(i, folded+1)
		}
	}
	moved := it.subject.moved
	for it.moves < len(moved) && moved[it.moves].folded <= folded {
		it.moves++
	}
	if it.moves == 0 {
		return folded, true
	}
	return folded + moved[it.moves-1].ahead, true
}
