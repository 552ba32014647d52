package facts

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// word is one word of a command line, as the shell understands it: without its
// quotes.
type word struct {
	reading
	redirect bool     // < or >: the next word is a file
	number   bool     // of a positional array: not a string
	input    *reading // a here-document or here-string, which is no word of the line
}

// byteSet is a set of bytes.
type byteSet [256]bool

func bytesOf(list string) *byteSet {
	var s byteSet
	for i := range len(list) {
		s[list[i]] = true
	}
	return &s
}

var (
	endsWord    = bytesOf(" \t\r\n;|&()<>")
	endsPlain   = bytesOf(" \t\r\n;|&()")
	stopsWord   = bytesOf(" \t\r\n;|&()<>`'\"\\$")
	stopsQuoted = bytesOf("\"\\`$")

	startsMeaning = bytesOf("({'\"") // behind $

	beginsPlain = func() *byteSet {
		set := *stopsWord
		for b := range len(set) {
			set[b] = !set[b] && b != '#' || b == '$'
		}
		return &set
	}()
)

// plain adds the word that begins here to the line, if it means what it says: most do.
// ok is false where it does not, and where it may be the number of a redirection.
func (s *splitter) plain() (ok bool) {
	text, start, end, dollar := s.text, s.at, s.at, false
	for ; end < len(text); end++ {
		b := text[end]
		if !stopsWord[b] {
			continue
		}
		if b != '$' {
			if !endsPlain[b] {
				return false
			}
			break
		}
		if end+1 < len(text) && startsMeaning[text[end+1]] && (text[end+1] != '(' || len(s.closes) < maxBrackets) {
			return false
		}
		dollar = true
	}
	s.at = end
	if dollar && end-start >= len("$IFS") {
		s.append(word{reading: s.part(start, end)})
		return true
	}
	w := s.room.line.next()
	*w = word{reading: reading{text: text[start:end], of: s.of, from: s.from + start}}
	return true
}

// word reads the word that begins here. A substitution stands in it as it is
// written, and its commands are read too.
func (s *splitter) word() word {
	d := newDecoder(s.reading, s.at, s.room)
	for s.at < len(s.text) {
		switch b := s.text[s.at]; {
		case endsWord[b] || b == '`' && s.closing() == '`':
			return word{reading: d.reading()}
		case b == '\'':
			end := s.find('\'', s.at+1)
			d.copy(s.at+1, end)
			s.at = min(end+1, len(s.text))
		case b == '"':
			s.at++
			s.double(&d)
		case b == '$' && s.next(1) == '"':
			s.at++
		case b == '$' && s.next(1) == '\'':
			s.at += 2
			s.ansi(&d)
		case b == '\\' && s.windows:
			d.copy(s.at, s.at+1)
			s.at++
		case b == '\\' && s.next(1) == '\n':
			s.at += 2
		case b == '\\':
			end := min(s.at+2, len(s.text))
			d.copy(min(s.at+1, end), end)
			s.at = end
		case s.substitution(&d):
		default:
			start := s.at
			for s.at++; s.at < len(s.text) && !stopsWord[s.text[s.at]]; s.at++ {
			}
			d.copy(start, s.at)
		}
	}
	return word{reading: d.reading()}
}

// find is the next such byte, or the end.
func (s *splitter) find(b byte, from int) int {
	if n := strings.IndexByte(s.text[min(from, len(s.text)):], b); n >= 0 {
		return from + n
	}
	return len(s.text)
}

// substitution reads $(…), `…` or ${…} if one begins here.
func (s *splitter) substitution(d *decoder) bool {
	start := s.at
	switch {
	case strings.HasPrefix(s.text[s.at:], "${"):
		s.at = min(s.find('}', s.at)+1, len(s.text))
	case len(s.closes) >= maxBrackets:
		return false
	case strings.HasPrefix(s.text[s.at:], "$("):
		s.at += 2
		s.brackets(')')
	case s.text[s.at] == '`' && s.closing() != '`':
		s.at++
		s.brackets('`')
	default:
		return false
	}
	d.copy(start, s.at)
	return true
}

// double reads to the end of double quotes.
func (s *splitter) double(d *decoder) {
	for s.at < len(s.text) {
		switch b := s.text[s.at]; {
		case b == '"':
			s.at++
			return
		case b == '\\' && s.next(1) == '\n':
			s.at += 2
		case b == '\\' && s.at+1 < len(s.text) && strings.IndexByte("\\\"$`", s.next(1)) >= 0:
			d.write(s.text[s.at+1:s.at+2], s.at, s.at+2)
			s.at += 2
		case s.substitution(d):
		default:
			start := s.at
			for s.at++; s.at < len(s.text) && !stopsQuoted[s.text[s.at]]; s.at++ {
			}
			d.copy(start, s.at)
		}
	}
}

// ansi reads to the end of $'…', in which escapes write any byte.
func (s *splitter) ansi(d *decoder) {
	for s.at < len(s.text) {
		switch b := s.text[s.at]; {
		case b == '\'':
			s.at++
			return
		case b == '\\' && s.at+1 < len(s.text):
			start := s.at
			s.at += 2
			d.write(s.escape(s.text[start+1]), start, s.at)
		default:
			d.copy(s.at, s.at+1)
			s.at++
		}
	}
}

// escape is what a backslash and this character write; digits stand behind it.
func (s *splitter) escape(b byte) string {
	digits, base := 0, 16
	switch b {
	case 'n', 'r', 't':
		return map[byte]string{'n': "\n", 'r': "\r", 't': "\t"}[b]
	case 'x':
		digits = 2
	case 'u':
		digits = 4
	case 'U':
		digits = 8
	case '0', '1', '2', '3', '4', '5', '6', '7':
		s.at--
		digits, base = 3, 8
	default:
		return s.text[s.at-1 : s.at]
	}
	from := s.at
	for s.at < len(s.text) && s.at-from < digits {
		if _, err := strconv.ParseUint(s.text[s.at:s.at+1], base, 8); err != nil {
			break
		}
		s.at++
	}
	n, err := strconv.ParseUint(s.text[from:s.at], base, 32)
	if err != nil || n == 0 || n > utf8.MaxRune || n >= 0xd800 && n < 0xe000 {
		return "\ufffd"
	}
	return string(rune(n))
}

// fields splits a word in which IFS stands at the variable that stands for a space.
func (w word) fields() []word {
	var all []word
	from := 0
	for i := 0; i < len(w.text) && len(all) < maxPerKind; {
		n := ifsAt(w.text[i:])
		if n == 0 {
			i++
			continue
		}
		if i > from {
			all = append(all, word{reading: w.part(from, i)})
		}
		i += n
		from = i
	}
	if from < len(w.text) && len(all) < maxPerKind {
		all = append(all, word{reading: w.part(from, len(w.text))})
	}
	return all
}

// ifsAt is how long the variable is with which a text begins that stands for a space.
func ifsAt(text string) int {
	if text[0] != '$' {
		return 0
	}
	for _, space := range [...]string{"${IFS}", "$IFS$9", "$IFS"} {
		if strings.HasPrefix(text, space) {
			return len(space)
		}
	}
	return 0
}

// isDescriptor reports whether a word is the number of an open file.
func isDescriptor(text string) bool {
	return text != "" && len(text) <= 2 && strings.Trim(text, "0123456789") == ""
}
