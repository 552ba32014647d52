package facts

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/countersign/countersign/internal/scoring/sql"
)

// maxDocument bounds how deep a JSON text is followed.
const maxDocument = 16

// document reads a text that is JSON as arguments are read: a request's body is
// often sent as a string. known is false where it is none; a text that stops being
// JSON is read up to there.
func (c *collector) document(r reading, source Source) (known bool) {
	at := 0
	for at < len(r.text) && sql.SpaceAt(r.text, at) > 0 {
		at += sql.SpaceAt(r.text, at)
	}
	if at+1 >= len(r.text) || r.text[at] != '{' && r.text[at] != '[' || strings.IndexByte(r.text[at:], '"') < 0 {
		return false
	}
	d := documentReader{reading: r, c: c, at: at, source: source}
	if c.depth < maxNesting {
		c.depth++
		d.value(key{}, 0)
		c.depth--
	}
	return d.strings > 0
}

type documentReader struct {
	reading
	c       *collector
	at      int
	source  Source
	strings int // how many were read
}

// skip passes white space and is the byte behind it, 0 at the end.
func (d *documentReader) skip() byte {
	for d.at < len(d.text) && strings.IndexByte(" \t\r\n", d.text[d.at]) >= 0 {
		d.at++
	}
	if d.at == len(d.text) {
		return 0
	}
	return d.text[d.at]
}

// value reads one value; k is what the name over it says.
func (d *documentReader) value(k key, depth int) bool {
	switch b := d.skip(); {
	case b == '{' && depth < maxDocument:
		d.at++
		for d.skip() == '"' {
			name, ok := d.string()
			if !ok || d.skip() != ':' {
				return false
			}
			d.at++
			if !d.value(readKey(name.text, k.last), depth+1) {
				return false
			}
			if d.skip() == ',' {
				d.at++
			}
		}
		return d.close('}')
	case b == '[' && depth < maxDocument:
		d.at++
		for d.skip() != ']' && d.at < len(d.text) {
			if !d.value(k, depth+1) {
				return false
			}
			if d.skip() == ',' {
				d.at++
			}
		}
		return d.close(']')
	case b == '"':
		text, ok := d.string()
		d.c.keyed(k, d.source, text, "")
		before := d.c.as
		d.c.as = before.named(k)
		d.c.inside(text, d.source)
		d.c.as = before
		return ok
	}
	return d.bare(k)
}

func (d *documentReader) close(b byte) bool {
	if d.skip() != b {
		return false
	}
	d.at++
	return true
}

// bare reads a number, true, false or null.
func (d *documentReader) bare(k key) bool {
	start := d.at
	for d.at < len(d.text) && strings.IndexByte("+-.0123456789abcdefghijklmnopqrstuvwxyzE", d.text[d.at]) >= 0 {
		d.at++
	}
	if word := d.text[start:d.at]; k.kind == Flag || isNumber(word) {
		d.c.keyed(k, d.source, d.part(start, d.at), "")
	}
	return d.at > start
}

// string reads what stands in quotes.
func (d *documentReader) string() (reading, bool) {
	d.at++
	d.strings++
	w := decoder{of: d.reading, from: d.at, plain: d.at}
	for d.at < len(d.text) {
		start := d.at
		switch b := d.text[d.at]; {
		case b == '"':
			d.at++
			return w.reading(), true
		case b == '\\' && d.at+1 < len(d.text):
			w.write(d.escape(), start, d.at)
		default:
			for d.at++; d.at < len(d.text) && d.text[d.at] != '"' && d.text[d.at] != '\\'; d.at++ {
			}
			w.copy(start, d.at)
		}
	}
	return w.reading(), false
}

// escape is what a backslash and what stands behind it mean.
func (d *documentReader) escape() string {
	d.at += 2
	switch b := d.text[d.at-1]; b {
	case 'b':
		return "\b"
	case 'f':
		return "\f"
	case 'n':
		return "\n"
	case 'r':
		return "\r"
	case 't':
		return "\t"
	case 'u':
		end := min(d.at+4, len(d.text))
		n, err := strconv.ParseUint(d.text[d.at:end], 16, 16)
		if err != nil || n == 0 || utf16.IsSurrogate(rune(n)) {
			return "\ufffd"
		}
		d.at = end
		return string(rune(n))
	}
	d.at--
	_, size := utf8.DecodeRuneInString(d.text[d.at:])
	d.at += size
	return d.text[d.at-size : d.at]
}
