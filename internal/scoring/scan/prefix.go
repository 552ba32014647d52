package scan

import (
	"strings"
	"unicode/utf8"
)

func wordBefore(s string, i int) bool {
	if b := s[i-1]; b < utf8.RuneSelf {
		return apartBehind[b] == anywhere
	}
	r, width := utf8.DecodeLastRuneInString(s[:i])
	return width > 0 && IsWord(r)
}

// starts says where in the text the literals begin, in order, each place once.
type starts struct {
	subject  Subject
	literals []literal
	at       [mostLiterals]int // in folded, where each literal comes next; len(folded) for nowhere
	back     unfolding
}

// begin looks for the first of each; there are mostLiterals at most.
func (it *starts) begin(s Subject, literals []literal) {
	*it = starts{subject: s, literals: literals}
	for i := range literals {
		it.seek(i, 0)
	}
}

// seek looks for literal i from byte from of folded on.
func (it *starts) seek(i, from int) {
	it.at[i] = len(it.subject.folded)
	if n := strings.Index(it.subject.folded[from:], it.literals[i].text); n >= 0 {
		it.at[i] = from + n
	}
}

func (it *starts) next() (begin int, ok bool) {
	folded := len(it.subject.folded)
	for _, at := range it.at[:len(it.literals)] {
		folded = min(folded, at)
	}
	if folded == len(it.subject.folded) {
		return 0, false
	}
	for i, at := range it.at[:len(it.literals)] {
		if at == folded {
			it.seek(i, folded+1)
		}
	}
	return it.back.inText(it.subject.moved, folded), true
}
