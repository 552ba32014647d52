package canon

import (
	"fmt"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/countersign/countersign/internal/fault"
)

// What a text can be.
var (
	aString = fault.Textf("string")
	aName   = fault.Textf("member name")
)

// text reads a string or member name, whose opening quote stands at pos. Without
// an escape the result is a part of the input, else an unescaped copy.
func (p *parser) text(what *fault.Text) (string, *fault.Error) {
	p.pos++
	start := p.pos
	escaped := false // whether scratch holds the text so far
	clean := start   // from here on nothing is in scratch yet
	for p.pos < len(p.src) {
		switch c := p.src[p.pos]; {
		case c == '"':
			end := p.pos
			p.pos++
			if !escaped {
				return p.src[start:end], nil
			}
			p.scratch = append(p.scratch, p.src[clean:end]...)
			return string(p.scratch), nil
		case c == '\\':
			if !escaped {
				p.scratch, escaped = p.scratch[:0], true
			}
			p.scratch = append(p.scratch, p.src[clean:p.pos]...)
			r, err := p.escape()
			if err != nil {
				return "", err
			}
			p.scratch = utf8.AppendRune(p.scratch, r)
			clean = p.pos
		case c < ' ':
			return "", p.refuse(p.pos, fault.Textf("control character %s", strconv.QuoteRune(rune(c))), "appears unescaped in a %s; write it as an escape such as \\n or \\u001f", what)
		case c < utf8.RuneSelf:
			p.pos++
		default:
			r, size := utf8.DecodeRuneInString(p.src[p.pos:])
			if r == utf8.RuneError && size == 1 {
				return "", p.refuse(p.pos, fault.Textf("byte 0x%s", strconv.FormatUint(uint64(c), 16)), "isn't UTF-8 in a %s; send the body as UTF-8, and binary data as base64", *what)
			}
			if !allowed(r) {
				return "", p.refuseCharacter(p.pos, r)
			}
			p.pos += size
		}
	}
	return "", p.refuse(p.pos, theEnd, "comes before the end of a %s that began at byte %s; a closing double quote is expected", *what, strconv.Itoa(start-1))
}

// escape reads one escape, or two that are a surrogate pair, with the backslash
// at pos.
func (p *parser) escape() (rune, *fault.Error) {
	start := p.pos
	p.pos++
	if p.pos >= len(p.src) {
		return 0, p.refuse(p.pos, theEnd, "comes inside an escape; one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX is expected")
	}
	c := p.src[p.pos]
	p.pos++
	switch c {
	case '"', '\\', '/':
		return rune(c), nil
	case 'b':
		return '\b', nil
	case 'f':
		return '\f', nil
	case 'n':
		return '\n', nil
	case 'r':
		return '\r', nil
	case 't':
		return '\t', nil
	case 'u':
		return p.unicodeEscape(start)
	}
	_, size := utf8.DecodeRuneInString(p.src[start+1:])
	return 0, p.refuse(start, fault.Textf("escape %s", quote(p.src[start:start+1+size])), "doesn't exist in JSON; one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX is expected")
}

// unicodeEscape reads the digits of the \u that began at start, and the second
// half when they are the first half of a surrogate pair.
func (p *parser) unicodeEscape(start int) (rune, *fault.Error) {
	r, ok := p.hex4()
	if !ok {
		return 0, p.refuse(start, fault.Textf("escape %s", `\u`), "isn't followed by four hexadecimal digits; send \\u00e9 or the character itself")
	}
	if utf16.IsSurrogate(r) {
		second := rune(0)
		if p.take('\\') && p.take('u') {
			second, _ = p.hex4()
		}
		pair := utf16.DecodeRune(r, second)
		if pair == utf8.RuneError {
			return 0, p.refuse(start, fault.Textf("escape %s", `\u`+strconv.FormatUint(uint64(r), 16)), "is half of a surrogate pair; send both halves in order, or the character itself in UTF-8")
		}
		r = pair
	}
	if !allowed(r) {
		return 0, p.refuseCharacter(start, r)
	}
	return r, nil
}

// hex4 reads four hexadecimal digits.
func (p *parser) hex4() (rune, bool) {
	if len(p.src)-p.pos < 4 {
		return 0, false
	}
	r := rune(0)
	for _, c := range []byte(p.src[p.pos : p.pos+4]) {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	p.pos += 4
	return r, true
}

func (p *parser) refuseCharacter(offset int, r rune) *fault.Error {
	if r == 0 {
		return p.refuse(offset, fault.Textf("character %s", "U+0000"), "isn't accepted in text, because many readers end a text there; leave it out, or send binary data as base64")
	}
	return p.refuse(offset, fault.Textf("non-character %s", fmt.Sprintf("%U", r)), "isn't accepted in text (RFC 7493); leave it out, or send binary data as base64")
}
