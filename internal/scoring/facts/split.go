package facts

import (
	"strings"
)

// maxBrackets bounds how deep brackets and substitutions are followed.
const maxBrackets = 8

// splitter splits a text into commands and their words as a POSIX shell does,
// through && || ; | & brackets, $(…), `…`, <(…) and here-documents. What is never
// closed lasts to the end.
type splitter struct {
	reading
	windows bool // a backslash is a letter
	at      int
	room    *room
	taker
	closes []byte // what closes the brackets around
	lines  []int  // how many words the lines have that wait for the text of a here-document
}

// taker gets the commands. The room of their words is used again.
type taker interface {
	take(line []word)
}

// heredoc is one that was announced: its text begins behind the line.
type heredoc struct {
	end  string
	tabs bool // <<-: tabs in front of the end are no part of it
	text *reading
}

// split gives the commands of a text, those of a substitution before the one that
// it stands in.
func split(r reading, windows bool, room *room, to taker) {
	s := splitter{reading: r, windows: windows, room: room, taker: to}
	for s.at < len(s.text) {
		s.commands()
	}
	s.room.owed.back(0)
	s.give()
}

// give hands the lines on that wait for nothing any more.
func (s *splitter) give() {
	words := s.room.waiting.since(0)
	for _, n := range s.lines {
		s.take(words[:n:n])
		words = words[n:]
	}
	s.lines = s.lines[:0]
	s.room.waiting.back(0)
}

// next is the byte so many places on, 0 behind the end.
func (s *splitter) next(n int) byte {
	if s.at+n < len(s.text) {
		return s.text[s.at+n]
	}
	return 0
}

// closing is the byte that ends the brackets around, 0 outside of any.
func (s *splitter) closing() byte {
	if len(s.closes) == 0 {
		return 0
	}
	return s.closes[len(s.closes)-1]
}

// brackets reads the commands up to the byte that closes them.
func (s *splitter) brackets(closing byte) {
	s.closes = append(s.closes, closing)
	s.commands()
	s.closes = s.closes[:len(s.closes)-1]
}

// commands reads commands up to the end of the brackets around.
func (s *splitter) commands() {
	line := s.room.line.mark() // where it begins
	for s.at < len(s.text) {
		b := s.text[s.at]
		if b == ' ' {
			s.at++
			continue
		}
		if beginsPlain[b] {
			if s.plain() {
				continue
			}
		}
		switch {
		case b == s.closing() && b != 0:
			s.at++
			s.flush(line)
			return
		case b == '\t' || b == '\r':
			s.at++
		case b == '\\' && s.next(1) == '\n':
			s.at += 2
		case b == '\n':
			s.at++
			s.flush(line)
			s.heredocs()
		case b == '&' && s.next(1) == '>', b == '<' || b == '>':
			if w, ok := s.arrow(); ok {
				s.room.line.push(w)
			}
		case b == ';' || b == '|' || b == '&' || b == ')':
			s.at++
			s.flush(line)
		case b == '(':
			s.at++
			s.flush(line)
			if len(s.closes) < maxBrackets {
				s.brackets(')')
			}
		case b == '#':
			s.at = s.find('\n', s.at)
		default:
			w := s.word()
			if isArrow := s.next(0) == '<' || s.next(0) == '>'; isArrow && isDescriptor(w.text) {
				continue // 2> has the number for its arrow
			}
			s.append(w)
		}
	}
	s.flush(line)
}

// append adds a word to the line, or its parts.
func (s *splitter) append(w word) {
	if len(w.text) < len("$IFS") || !strings.Contains(w.text, "IFS") {
		*s.room.line.next() = w
		return
	}
	s.room.line.pushAll(w.fields())
}

// flush ends the line that began at start.
func (s *splitter) flush(start int) {
	line := s.room.line.since(start)
	if len(line) == 0 {
		return
	}
	if s.room.owed.mark() > 0 {
		s.room.waiting.pushAll(line)
		s.lines = append(s.lines, len(line))
	} else {
		s.take(line)
	}
	s.room.line.back(start)
}

// arrow reads a redirection; what it is to stands in the next word. ok is false where
// it is no word of the line.
func (s *splitter) arrow() (w word, ok bool) {
	switch {
	case s.next(1) == '(' && s.text[s.at] != '&' && len(s.closes) < maxBrackets: // <( )
		s.at += 2
		s.brackets(')')
		return word{}, false
	case s.text[s.at] == '<' && s.next(1) == '<' && s.next(2) == '<':
		s.at += 3
		s.blanks()
		text := s.room.texts.next()
		*text = s.word().reading
		return word{input: text}, true
	case s.text[s.at] == '<' && s.next(1) == '<':
		s.at += 2
		h := heredoc{text: s.room.texts.next()}
		if s.next(0) == '-' {
			s.at++
			h.tabs = true
		}
		s.blanks()
		h.end = s.word().text
		s.room.owed.push(h)
		return word{input: h.text}, true
	}
	start := s.at
	for s.at < len(s.text) && strings.IndexByte("<>&|", s.text[s.at]) >= 0 {
		s.at++
	}
	if s.text[s.at-1] == '&' && s.at-start > 1 { // >&2, not >&file
		from := s.at
		for s.next(0) >= '0' && s.next(0) <= '9' || s.next(0) == '-' {
			s.at++
		}
		if s.at > from {
			return word{}, false
		}
	}
	return word{redirect: true}, true
}

func (s *splitter) blanks() {
	for s.next(0) == ' ' || s.next(0) == '\t' {
		s.at++
	}
}

// heredocs reads the texts that the line before announced.
func (s *splitter) heredocs() {
	for _, h := range s.room.owed.since(0) {
		start, end := s.at, len(s.text)
		for s.at < len(s.text) {
			from, to := s.at, len(s.text)
			if n := strings.IndexByte(s.text[from:], '\n'); n >= 0 {
				to = from + n
			}
			s.at = min(to+1, len(s.text))
			line := strings.TrimSuffix(s.text[from:to], "\r")
			if h.tabs {
				line = strings.TrimLeft(line, "\t")
			}
			if line == h.end {
				end = from
				break
			}
		}
		*h.text = s.part(start, end)
	}
	s.room.owed.back(0)
	s.give()
}
