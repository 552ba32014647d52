package canon

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/countersign/countersign/internal/fault"
)

// How much of the input an error may carry: a body may hold secrets, and its
// errors end up in logs and terminals.
const (
	maxQuoted    = 40 // characters of one text, in a detail or as one step of a pointer
	maxBeginning = 8  // characters of a longer one: nobody can tell any more whether a part of a secret is one
	maxPointer   = 96 // bytes of a pointer
)

// step leads from an array or object to one of its children.
type step struct {
	name    string
	index   int
	indexed bool
	size    int // bytes of its token and slash in a pointer; enter fills it in
}

func (p *parser) enter(s step) {
	if s.indexed {
		s.size = 2
		for i := s.index; i >= 10; i /= 10 {
			s.size++
		}
	} else {
		s.size = 1 + len(s.name) + strings.Count(s.name, "~") + strings.Count(s.name, "/")
	}
	p.path = append(p.path, s)
	p.pointer += s.size
}

func (p *parser) leave() {
	last := len(p.path) - 1
	p.pointer -= p.path[last].size
	p.path = p.path[:last]
}

// where is the pointer of the current value, or of the nearest one around it
// that can be shown whole: a pointer that is cut would name another value.
func (p *parser) where() (pointer string, exact bool) {
	for _, s := range p.path {
		token := strconv.Itoa(s.index)
		if !s.indexed {
			if len(s.name) > utf8.UTFMax*maxQuoted || utf8.RuneCountInString(s.name) > maxQuoted || !printable(s.name) {
				return pointer, false
			}
			token = PointerEscape(s.name)
		}
		if len(pointer)+1+len(token) > maxPointer {
			return pointer, false
		}
		pointer += "/" + token
	}
	return pointer, true
}

func printable(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return !strconv.IsPrint(r) }) < 0
}

// refuse says "subject at pointer (byte offset) problem".
func (p *parser) refuse(offset int, subject fault.Text, problem string, args ...any) *fault.Error {
	return p.refuseFor(offset, subject, fault.Textf(problem, args...))
}

func (p *parser) refuseFor(offset int, subject, problem fault.Text) *fault.Error {
	pointer, exact := p.where()
	place := fault.Textf("at byte %s", strconv.Itoa(offset))
	switch {
	case pointer != "" && exact:
		place = fault.Textf("at %s (byte %s)", pointer, strconv.Itoa(offset))
	case pointer != "":
		place = fault.Textf("below %s (byte %s)", pointer, strconv.Itoa(offset))
	}
	return fault.Member(fault.MalformedJSON, pointer, "%s %s %s", subject, place, problem)
}

// token shows what stands at an offset: a whole word or number, else one
// character.
func (p *parser) token(offset int) fault.Text {
	if offset >= len(p.src) {
		return theEnd
	}
	end := offset
	for end < len(p.src) && end-offset <= maxQuoted && wordByte(p.src[end]) {
		end++
	}
	if end == offset {
		_, size := utf8.DecodeRuneInString(p.src[offset:])
		end += size
	}
	return fault.Verbatim(quote(p.src[offset:end]))
}

// Subjects of more than one refusal.
var (
	theEnd  = fault.Textf("the end of the body")
	theNext = fault.Textf("the next value")
)

func wordByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '.' || c == '+' || c == '-'
}

// shorten shows a text of at most maxQuoted characters, and of a longer one the beginning.
func shorten(s string) string {
	if utf8.RuneCountInString(s) <= maxQuoted {
		return s
	}
	count := 0
	for i := range s {
		if count == maxBeginning {
			return s[:i] + "…"
		}
		count++
	}
	return s
}

// quote shows a text of the input in double quotes, short and with everything
// escaped that does not print.
func quote(s string) string { return strconv.Quote(shorten(s)) }
