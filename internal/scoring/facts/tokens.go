package facts

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// token is a word, a quoted name, a literal, a number or one mark of a statement. It is
// small, because a text of marks has as many as bytes.
type token struct {
	from, to int32  // in the text, quotes included
	id       wordID // of a keyword or mark; of a literal that of its quote
	name     bool   // a bare word or a quoted name
	quoted   bool
}

func (t token) start() int { return int(t.from) }
func (t token) end() int   { return int(t.to) }

// word is the keyword in upper case, the mark, or "'" for a literal.
func (t token) word() string { return t.id.String() }

// risk is how much a statement that begins with the word can destroy, and object is what
// a name behind it is of.
func (t token) risk() int32  { return verbRisks[t.id] }
func (t token) object() Kind { return objectKinds[t.id] }

// in reports whether the word is one of those.
func (t token) in(s *wordSet) bool { return s[t.id/64]&(1<<(t.id%64)) != 0 }

// dialect is how a text is read where databases differ.
type dialect struct {
	backslash bool // \' in a literal is a quote
	hash      bool // # begins a comment
	run       bool // the text of /*! … */ is run
	spaced    bool // -- needs a space to begin a comment
	nested    bool // comments nest
}

var (
	standard = dialect{nested: true}
	mysql    = dialect{backslash: true, hash: true, run: true, spaced: true}
)

// dialects are the ways in which a text may be read: nobody knows which database
// will get it, so where they differ it is read in both.
func dialects(text string) []dialect {
	if !startsWithVerb(text) {
		return nil
	}
	if strings.Contains(text, `\'`) || strings.Contains(text, `\"`) || strings.IndexByte(text, '#') >= 0 || strings.Contains(text, "/*") ||
		strings.Contains(text, "--") {
		return bothDialects[:]
	}
	return bothDialects[:1]
}

var bothDialects = [...]dialect{standard, mysql}

// startsWithVerb reports whether a text may begin with a statement. Most begin with a
// word, which is the same in every dialect.
func startsWithVerb(text string) bool {
	i := 0
	for i < len(text) && (text[i] == ' ' || text[i] == '\n') {
		i++
	}
	if i == len(text) {
		return false
	}
	if !isLetter(text[i]) {
		return !isDigit(text[i])
	}
	end := i
	for end < len(text) && end-i <= longestKeyword && wordBytes[text[end]] && text[end] < utf8.RuneSelf {
		end++
	}
	if end < len(text) && (text[end] == '$' || text[end] >= utf8.RuneSelf) {
		return true
	}
	return verbRisks[keyword(text[i:end])] > 0
}

// appendTokens adds all tokens of a text.
func (d dialect) appendTokens(tokens []token, text string) []token {
	for i := 0; i < len(text); {
		// Most are words behind a space, which are the same in every dialect.
		if text[i] == ' ' {
			i++
			continue
		}
		if isLetter(text[i]) {
			end := i + 1
			for end < len(text) && wordBytes[text[end]] && text[end] < utf8.RuneSelf {
				end++
			}
			if end == len(text) || text[end] < utf8.RuneSelf && text[end] != '$' {
				tokens = append(tokens, token{from: int32(i), to: int32(end), id: keyword(text[i:end]), name: true})
				i = end
				continue
			}
		}
		t, ok := d.next(text, i)
		if !ok {
			break
		}
		tokens = append(tokens, t)
		i = t.end()
	}
	return tokens
}

// setOf is the set of the words of tokens.
func setOf(tokens []token) *wordSet {
	var set wordSet
	for _, t := range tokens {
		set[t.id/64] |= 1 << (t.id % 64)
	}
	return &set
}

// next is the first token from byte i on; spaces and comments are left out. What is
// never closed lasts to the end. ok is false where nothing follows.
func (d dialect) next(text string, i int) (t token, ok bool) {
	if i = d.blank(text, i); i >= len(text) {
		return t, false
	}
	start := i
	switch b := text[i]; {
	case b == '\'':
		i = d.closing(text, i, '\'')
		t.id = '\''
	case b == '"' || b == '`':
		i = d.closing(text, i, b)
		t.name, t.quoted = i-start > 2 && text[i-1] == b, true
	case b == '[' && isBracketed(text, i):
		i = d.closing(text, i, ']')
		t.name, t.quoted = i-start > 2 && text[i-1] == ']', true
	case b == '$' && dollarTag(text[i:]) != "":
		tag := dollarTag(text[i:])
		i = after(text, i+len(tag), tag)
		t.id = '\''
	case isWordByte(b):
		for i < len(text) && (wordBytes[text[i]] || text[i] == '$') && (text[i] < utf8.RuneSelf || spaceAt(text, i) == 0) {
			i++
		}
		if i == start { // cannot be: a space of many bytes was skipped before
			i++
		}
		t.name = b > '9' || b < '0'
		t.id = keyword(text[start:i])
	default:
		i++
		t.id = markID(b)
	}
	t.from, t.to = int32(start), int32(i)
	return t, true
}

// blank is the byte behind the spaces and comments at i.
func (d dialect) blank(text string, i int) int {
	for i < len(text) {
		if b := text[i]; b == ' ' {
			i++
			continue
		} else if wordBytes[b] && b < utf8.RuneSelf {
			return i
		}
		rest := text[i:]
		switch {
		case spaceAt(text, i) > 0:
			i += spaceAt(text, i)
		case d.hash && rest[0] == '#', strings.HasPrefix(rest, "--") && (!d.spaced || len(rest) == 2 || spaceAt(rest, 2) > 0):
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
func (d dialect) comment(text string, i int) int {
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
// stand for themselves.
func (d dialect) closing(text string, start int, quote byte) int {
	for i := start + 1; i < len(text); i++ {
		switch {
		case text[i] == '\\' && d.backslash && (quote == '\'' || quote == '"'):
			i++
		case text[i] != quote:
		case i+1 < len(text) && text[i+1] == quote:
			i++
		default:
			return i + 1
		}
	}
	return len(text)
}

// dollarTag is the opening of a dollar-quoted literal: "$$" or "$name$".
func dollarTag(text string) string {
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
func isWordByte(b byte) bool { return wordBytes[b] }

var wordBytes = func() (set byteSet) {
	for b := range len(set) {
		set[b] = b == '_' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= utf8.RuneSelf
	}
	return set
}()

// spaceAt is the width of the space at byte i, of which Unicode has many; 0 for
// anything else.
func spaceAt(text string, i int) int {
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
