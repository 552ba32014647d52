package code

import (
	"strings"
	"unicode/utf8"

	"github.com/countersign/countersign/internal/scoring/call"
	"github.com/countersign/countersign/internal/scoring/scan"
)

// TokenKind says what a token of a program is.
type TokenKind uint8

const (
	Mark TokenKind = iota
	Name
	Number
	Text // a literal
	Line // the end of a line, outside of brackets
)

// Token is one token of a program.
type Token struct {
	Kind     TokenKind
	From, To int    // bytes in the code
	Text     string // of a name or a mark; of a literal what stands between its quotes
	Inner    int    // where that stands; -1 where escapes made something else of it
	open     int    // where what stands between its quotes begins, as it is written
	close    int    // and where it ends
	Dynamic  bool   // a literal into which values are put
	bytes    bool   // a literal of bytes
}

func (t Token) Is(mark string) bool { return t.Kind == Mark && t.Text == mark }
func (t Token) Named(name string) bool {
	return t.Kind == Name && t.Text == name
}

// tokenReader makes tokens of a program in Python or JavaScript.
type tokenReader struct {
	code   string
	js     bool
	base   int // of code in the whole program
	nested int // f-strings around the code
	tokens []Token
	depth  int   // of round and square brackets, in which lines do not end
	braces int   // of curly ones
	inside []int // the depths of curly brackets at which a template goes on
	broken string
	// tolerant says that the code may be a part of a program, or have markup in it: a quote
	// that opens nothing is a mark, and what follows it is read.
	tolerant bool
	// unclosed says that no comment ends behind here.
	unclosed bool
	// unquoted is up to where a quote is known to close nothing.
	unquoted map[string]int
	// noRegex is up to where no regular expression ends, as far as that is known.
	noRegex int
}

// Way is how a text is read as a program.
type Way struct {
	JS       bool
	Tolerant bool // see tokenReader
}

// Tokens are those of a program, and why it could not be read to its end.
func Tokens(t *call.Text, way Way) (all []Token, broken string) {
	r := tokensOf(t, way)
	return r.tokens, r.broken
}

func tokensOf(t *call.Text, way Way) tokenReader {
	return call.Made(t, way, func(code string) tokenReader {
		r := tokenReader{code: code, js: way.JS, tolerant: way.Tolerant}
		r.read()
		return r
	})
}

// Literals are what stands between the quotes of a program, in whatever language: read as
// Python or JavaScript, and where that does not read to its end, over what is not closed.
func Literals(t *call.Text) (all []scan.Span) {
	language, _ := LanguageOf(t)
	way := Way{JS: language == "javascript"}
	r := tokensOf(t, way)
	if r.broken != "" {
		way.Tolerant = true
		r = tokensOf(t, way)
	}
	end := 0
	for _, t := range r.tokens {
		if t.Kind == Text && end <= t.open && t.open < t.close { // else it stands in one
			end = t.close
			all = append(all, scan.Span{Start: t.open, End: t.close})
		}
	}
	return all
}

// maxInterpolation bounds how deep f-strings in f-strings are followed.
const maxInterpolation = 4

func (r *tokenReader) add(kind TokenKind, from, to int) {
	r.tokens = append(r.tokens, Token{Kind: kind, From: r.base + from, To: r.base + to, Text: r.code[from:to], Inner: r.base + from})
}

// read makes the tokens; broken is why it could not do so to the end.
func (r *tokenReader) read() {
	for i := 0; i < len(r.code) && r.broken == ""; {
		i = r.next(i)
	}
	if len(r.inside) > 0 {
		r.broken = "a template isn't closed"
	}
}

func (r *tokenReader) next(i int) int {
	rest := r.code[i:]
	b := rest[0]
	switch {
	case b == '\n':
		if r.js || r.depth == 0 && r.braces == 0 {
			r.add(Line, i, i+1)
		}
		return i + 1
	case b == ' ' || b == '\t' || b == '\r' || b == '\f' || b == '\v':
		return i + 1
	case b == '\\' && !r.js && (strings.HasPrefix(rest, "\\\n") || strings.HasPrefix(rest, "\\\r\n")):
		return i + strings.IndexByte(rest, '\n') + 1
	case b == '#' && !r.js, r.js && strings.HasPrefix(rest, "//"), r.js && i == 0 && strings.HasPrefix(rest, "#!"):
		return i + commentLength(rest)
	case r.js && strings.HasPrefix(rest, "/*"):
		end := -1
		if !r.unclosed {
			end = strings.Index(rest[2:], "*/")
		}
		if end < 0 && r.tolerant {
			r.unclosed = true
			return i + 2
		}
		if end < 0 {
			r.broken = "a comment isn't closed"
			return len(r.code)
		}
		return i + end + 4
	case r.js && b == '`':
		if r.tolerant && !strings.Contains(rest[1:], "`") {
			return r.mark(i)
		}
		return r.template(i+1, i)
	case b == '\'' || b == '"':
		if r.tolerant && r.js && r.isApostrophe(i) {
			return r.mark(i)
		}
		return r.literal(i, i, false, false)
	case r.js && b == '/' && r.regexMayBegin() && !(r.tolerant && i > 0 && r.code[i-1] == '<'):
		return r.regex(i)
	case isDigit(b):
		end := i + 1
		for end < len(r.code) && (IsNameByte(r.code[end]) || r.code[end] == '.' && end+1 < len(r.code) && isDigit(r.code[end+1])) {
			end++
		}
		r.add(Number, i, end)
		return end
	case IsNameByte(b) || r.js && (b == '$' || b == '#'):
		end := i + 1
		for end < len(r.code) && (IsNameByte(r.code[end]) || r.js && r.code[end] == '$') {
			end++
		}
		if !r.js && end < len(r.code) && (r.code[end] == '\'' || r.code[end] == '"') && end-i <= 2 {
			if prefix := strings.ToLower(r.code[i:end]); oneOf(prefix, "r b u f br rb fr rf t tr rt") {
				return r.literal(end, i, strings.Contains(prefix, "r"), strings.ContainsAny(prefix, "ft"))
			}
		}
		r.add(Name, i, end)
		return end
	}
	return r.mark(i)
}

// marks of several bytes, the longest first.
var longMarks = []string{"=>", "===", "!==", "==", "!=", "<=", ">=", "**", "...", "?.", "??", "&&", "||", "++", "--", "+=", "-=", "*=", "/=", "|=", "&=", "%=", ":=", "->", "//", "<<", ">>"}

func (r *tokenReader) mark(i int) int {
	width := 1
	for _, m := range longMarks {
		if strings.HasPrefix(r.code[i:], m) {
			width = len(m)
			break
		}
	}
	switch r.code[i] {
	case '(', '[':
		r.depth++
	case ')', ']':
		r.depth--
	case '{':
		r.braces++
	case '}':
		if n := len(r.inside); n > 0 && r.inside[n-1] == r.braces { // the end of ${ … }
			r.inside = r.inside[:n-1]
			r.tokens = append(r.tokens, Token{From: r.base + i, To: r.base + i + 1, Text: ")"})
			return r.template(i+1, i)
		}
		r.braces--
	}
	r.add(Mark, i, i+width)
	return i + width
}

// template reads what stands in a template literal up to its end, or the next ${.
func (r *tokenReader) template(i, from int) int {
	start := i
	for ; i < len(r.code); i++ {
		switch {
		case r.code[i] == '\\':
			i++
		case r.code[i] == '`':
			r.literalToken(from, i+1, start, i, false, r.code[from] == '}')
			return i + 1
		case strings.HasPrefix(r.code[i:], "${"):
			r.literalToken(from, i+2, start, i, false, true)
			r.tokens = append(r.tokens, Token{From: r.base + i, To: r.base + i + 2, Text: "("})
			r.inside = append(r.inside, r.braces)
			return i + 2
		}
	}
	r.broken = "a template isn't closed"
	return len(r.code)
}

// literal reads the literal whose quote stands at i and whose prefix at from.
func (r *tokenReader) literal(i, from int, raw, formatted bool) int {
	quote := r.code[i : i+1]
	if !r.js && strings.HasPrefix(r.code[i:], quote+quote+quote) {
		quote = r.code[i : i+3]
	}
	if i < r.unquoted[quote] {
		return r.mark(i)
	}
	start := i + len(quote)
	for i = start; i < len(r.code); i++ {
		switch {
		case r.code[i] == '\\':
			i++
		case r.code[i] == '\n' && len(quote) == 1 && r.tolerant:
			return r.opensNothing(quote, start, i)
		case r.code[i] == '\n' && len(quote) == 1:
			r.broken = "a literal isn't closed"
			return len(r.code)
		case strings.HasPrefix(r.code[i:], quote):
			at := len(r.tokens)
			r.literalToken(from, i+len(quote), start, i, raw, formatted)
			r.tokens[at].bytes = strings.ContainsAny(r.code[from:start-len(quote)], "bB")
			if formatted {
				r.tokens[at].Dynamic = r.interpolated(start, i)
			}
			return i + len(quote)
		}
	}
	if r.tolerant {
		return r.opensNothing(quote, start, len(r.code))
	}
	r.broken = "a literal isn't closed"
	return len(r.code)
}

// opensNothing reads the quote before start as a mark. Up to end it closes nothing, so the
// next ones there, which stand behind a backslash, do not either.
func (r *tokenReader) opensNothing(quote string, start, end int) int {
	if r.unquoted == nil {
		r.unquoted = map[string]int{}
	}
	r.unquoted[quote] = end
	return r.mark(start - len(quote))
}

// isApostrophe reports whether a quote stands within a word of markup: don't.
func (r *tokenReader) isApostrophe(i int) bool {
	if i == 0 || len(r.tokens) == 0 || !IsNameByte(r.code[i-1]) {
		return false
	}
	last := r.tokens[len(r.tokens)-1]
	return last.Kind == Name && !tables().Leading[last.Text]
}

func (r *tokenReader) literalToken(from, to, start, end int, raw, dynamic bool) {
	t := Token{Kind: Text, From: r.base + from, To: r.base + to, Text: r.code[start:end], Inner: r.base + start, open: r.base + start, close: r.base + end, Dynamic: dynamic}
	if !raw && strings.Contains(t.Text, `\`) {
		t.Text, t.Inner = unescaped(t.Text), -1
	}
	r.tokens = append(r.tokens, t)
}

// interpolated reads the expressions between the curly brackets of an f-string, each in
// round ones, and reports whether there are any.
func (r *tokenReader) interpolated(start, end int) bool {
	any := false
	for i := start; i < end; {
		switch {
		case strings.HasPrefix(r.code[i:end], "{{") || strings.HasPrefix(r.code[i:end], "}}"):
			i += 2
			continue
		case r.code[i] != '{':
			i++
			continue
		}
		any = true
		close, depth := i+1, 1
		for ; close < end; close++ {
			if r.code[close] == '{' {
				depth++
			} else if r.code[close] == '}' {
				if depth--; depth == 0 {
					break
				}
			}
		}
		if close >= end || r.nested >= maxInterpolation {
			if r.tolerant {
				return true
			}
			r.broken = "an f-string doesn't end"
			return true
		}
		inner := tokenReader{code: r.code[i+1 : close], base: r.base + i + 1, nested: r.nested + 1, tolerant: r.tolerant}
		inner.depth = 1
		inner.read()
		if inner.broken != "" {
			r.broken = inner.broken
			return true
		}
		r.tokens = append(r.tokens, Token{From: r.base + i, To: r.base + i + 1, Text: "("})
		r.tokens = append(r.tokens, inner.tokens...)
		r.tokens = append(r.tokens, Token{From: r.base + close, To: r.base + close + 1, Text: ")"})
		i = close + 1
	}
	return any
}

// regexMayBegin reports whether a slash begins a regular expression here, and divides
// nothing.
func (r *tokenReader) regexMayBegin() bool {
	for i := len(r.tokens) - 1; i >= 0; i-- {
		switch t := r.tokens[i]; t.Kind {
		case Line:
			continue
		case Name:
			return tables().Leading[t.Text]
		case Number, Text:
			return false
		default:
			return t.Text != ")" && t.Text != "]" && t.Text != "}"
		}
	}
	return true
}

func (r *tokenReader) regex(i int) int {
	if i < r.noRegex {
		return r.mark(i)
	}
	class := false
	for end := i + 1; end < len(r.code) && r.code[end] != '\n'; end++ {
		switch b := r.code[end]; {
		case b == '\\':
			end++
		case b == '[':
			class = true
		case b == ']':
			class = false
		case b == '/' && !class:
			r.add(Number, i, end+1)
			for end++; end < len(r.code) && IsNameByte(r.code[end]); end++ {
			}
			return end
		}
	}
	r.noRegex = i + lineLength(r.code[i:])
	return r.mark(i)
}

func lineLength(text string) int {
	if end := strings.IndexByte(text, '\n'); end >= 0 {
		return end
	}
	return len(text)
}

// commentLength ends at whatever ends a line for the languages, which is more than \n.
func commentLength(text string) int {
	if end := strings.IndexAny(text, "\r\n\u2028\u2029"); end >= 0 {
		return end
	}
	return len(text)
}

func isDigit(b byte) bool { return b >= '0' && b <= '9' }

func IsNameByte(b byte) bool {
	return b == '_' || isDigit(b) || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= utf8.RuneSelf
}

// unescaped is what a literal means, as far as most escapes go.
func unescaped(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			b.WriteByte(text[i])
			continue
		}
		i++
		switch text[i] {
		case 'n':
			b.WriteByte('\n')
		case 't':
			b.WriteByte('\t')
		case 'r':
			b.WriteByte('\r')
		case '\n':
		case 'x', 'u', 'U':
			width := map[byte]int{'x': 2, 'u': 4, 'U': 8}[text[i]]
			var char rune
			n := 0
			for ; n < width && i+1+n < len(text); n++ {
				digit := strings.IndexByte("0123456789abcdef", text[i+1+n]|0x20)
				if digit < 0 {
					break
				}
				char = char<<4 | rune(digit)
			}
			b.WriteRune(char)
			i += n
		default:
			b.WriteByte(text[i])
		}
	}
	return b.String()
}
