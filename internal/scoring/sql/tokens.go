package sql

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Token is a word, a quoted name, a literal, a number or one mark of a statement. It is
// small, because a text of marks has as many as bytes.
type Token struct {
	From, To int32  // in the text, quotes included
	ID       WordID // of a keyword or mark; of a literal that of its quote
	Name     bool   // a bare word or a quoted name
	Quoted   bool
	Open     bool // a literal or a quoted name that is never closed
}

// Start and End are its bytes in the text.
func (t Token) Start() int { return int(t.From) }
func (t Token) End() int   { return int(t.To) }

// Word is the keyword in upper case, the mark, "'" for a literal, or "" for any other
// word.
func (t Token) Word() string { return t.ID.String() }

// Upper is a keyword or bare name in upper case, a mark, or "'" for a literal; "" for a
// quoted name.
func (t Token) Upper(text string) string {
	if w := t.Word(); w != "" && !(t.Quoted && t.Name) {
		return w
	}
	if t.Quoted {
		return ""
	}
	return strings.ToUpper(text[t.From:t.To])
}

// Risk is how much a statement that begins with the word can destroy; 0 where none does.
func (t Token) Risk() int { return int(verbRisks[t.ID]) }

// IsObject reports whether the word says what a DROP, ALTER or CREATE is about.
func (t Token) IsObject() bool { return t.In(objectWords) }

// In reports whether the word is one of those.
func (t Token) In(s *WordSet) bool { return s[t.ID/64]&(1<<(t.ID%64)) != 0 }

// Dialect is how a text is read where databases differ.
type Dialect struct {
	backslash bool // \' in a literal is a quote
	hash      bool // # begins a comment
	run       bool // the text of /*! … */ is run
	spaced    bool // -- needs a space to begin a comment
	nested    bool // comments nest
	marks     bool // $$ quotes nothing
}

var (
	standard = Dialect{nested: true}
	mysql    = Dialect{backslash: true, hash: true, run: true, spaced: true}
)

// Unquoting is the way of databases to which $$ and $a$ are names or parameters.
var Unquoting = Dialect{marks: true}

// tokens are all of a text.
func (d Dialect) tokens(text string) (all []Token) {
	for t, ok := d.next(text, 0); ok; t, ok = d.next(text, t.End()) {
		all = append(all, t)
	}
	return all
}

// next is the first token from byte i on; spaces and comments are left out. What is
// never closed lasts to the end. ok is false where nothing follows.
func (d Dialect) next(text string, i int) (t Token, ok bool) {
	if i = d.blank(text, i); i >= len(text) {
		return t, false
	}
	start := i
	switch b := text[i]; {
	case b == '\'':
		i, t.Open = d.closing(text, i, '\'')
		t.ID = '\''
	case b == '"' || b == '`':
		i, t.Open = d.closing(text, i, b)
		t.Name, t.Quoted = i-start > 2 && !t.Open, true
	case b == '[' && isBracketed(text, i):
		i, t.Open = d.closing(text, i, ']')
		t.Name, t.Quoted = i-start > 2 && !t.Open, true
	case b == '$' && !d.marks && DollarTag(text[i:]) != "":
		tag := DollarTag(text[i:])
		i = after(text, i+len(tag), tag)
		t.Open = i-start < 2*len(tag) || !strings.HasSuffix(text[:i], tag)
		t.ID = '\''
	case isWordByte(b):
		for i < len(text) && (isWordByte(text[i]) || text[i] == '$') && (text[i] < utf8.RuneSelf || SpaceAt(text, i) == 0) {
			i++
		}
		if i == start { // cannot be: a space of many bytes was skipped before
			i++
		}
		t.Name = b > '9' || b < '0'
		t.ID = keyword(text[start:i])
	default:
		i++
		t.ID = markID(b)
	}
	t.From, t.To = int32(start), int32(i)
	return t, true
}

// blank is the byte behind the spaces and comments at i.
func (d Dialect) blank(text string, i int) int {
	for i < len(text) {
		if b := text[i]; b == ' ' {
			i++
			continue
		} else if isWordByte(b) && b < utf8.RuneSelf {
			return i
		}
		rest := text[i:]
		switch {
		case SpaceAt(text, i) > 0:
			i += SpaceAt(text, i)
		case d.hash && rest[0] == '#', strings.HasPrefix(rest, "--") && (!d.spaced || len(rest) == 2 || SpaceAt(rest, 2) > 0):
			i = after(text, i, "\n")
		case d.run && strings.HasPrefix(rest, "/*!"):
			for i += 3; i < len(text) && text[i] >= '0' && text[i] <= '9'; i++ {
			}
		case d.run && strings.HasPrefix(rest, "*/"): // of /*!
			i += 2
		case strings.HasPrefix(rest, "/*"):
			i = d.comment(text, i)
		default:
			return i
		}
	}
	return i
}

// comment is the byte behind the comment at i.
func (d Dialect) comment(text string, i int) int {
	depth := 0
	for i < len(text) {
		n := strings.IndexAny(text[i:], "/*")
		if n < 0 {
			break
		}
		i += n
		switch {
		case strings.HasPrefix(text[i:], "*/"):
			i += 2
			if depth--; depth == 0 {
				return i
			}
		case strings.HasPrefix(text[i:], "/*"):
			i += 2
			if depth == 0 || d.nested {
				depth++
			}
		default:
			i++
		}
	}
	return len(text)
}

// isBracketed reports whether the [ at i begins a quoted name, and no index or
// array.
func isBracketed(text string, i int) bool {
	if i > 0 && (isWordByte(text[i-1]) || text[i-1] == ']' || text[i-1] == ')') || i+1 >= len(text) {
		return false
	}
	return isWordByte(text[i+1]) && (text[i+1] < '0' || text[i+1] > '9')
}

// after is the byte behind the next occurrence of mark, or the end.
func after(text string, from int, mark string) int {
	if at := strings.Index(text[min(from, len(text)):], mark); at >= 0 {
		return from + at + len(mark)
	}
	return len(text)
}

// closing is the byte behind the quote that ends the one at start; doubled quotes
// stand for themselves. open says that none does.
func (d Dialect) closing(text string, start int, quote byte) (end int, open bool) {
	for i := start + 1; i < len(text); i++ {
		switch {
		case text[i] == '\\' && d.backslash && (quote == '\'' || quote == '"'):
			i++
		case text[i] != quote:
		case i+1 < len(text) && text[i+1] == quote:
			i++
		default:
			return i + 1, false
		}
	}
	return len(text), true
}

// DollarTag is the opening of a dollar-quoted literal: "$$" or "$name$".
func DollarTag(text string) string {
	for i := 1; i < len(text) && i < 64; i++ {
		if text[i] == '$' {
			return text[:i+1]
		}
		if !isWordByte(text[i]) {
			break
		}
	}
	return ""
}

// isWordByte takes every byte of a character beyond ASCII for a letter.
func isWordByte(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= utf8.RuneSelf
}

// SpaceAt is the width of the space at byte i, of which Unicode has many; 0 for
// anything else.
func SpaceAt(text string, i int) int {
	switch b := text[i]; {
	case b == ' ' || b >= '\t' && b <= '\r':
		return 1
	case b != 0xc2 && b != 0xe1 && b != 0xe2 && b != 0xe3: // no other character begins so
		return 0
	}
	if r, width := utf8.DecodeRuneInString(text[i:]); unicode.IsSpace(r) {
		return width
	}
	return 0
}
