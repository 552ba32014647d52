package effects

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/countersign/countersign/internal/scoring/call"
	"github.com/countersign/countersign/internal/scoring/scan"
)

// codeKind says what a token of a program is.
type codeKind uint8

const (
	codeMark codeKind = iota
	codeName
	codeNumber
	codeText // a literal
	codeLine // the end of a line, outside of brackets
)

// codeToken is one token of a program.
type codeToken struct {
	kind     codeKind
	from, to int    // bytes in the code
	text     string // of a name or a mark; of a literal what stands between its quotes
	inner    int    // where that stands; -1 where escapes made something else of it
	open     int    // where what stands between its quotes begins, as it is written
	close    int    // and where it ends
	dynamic  bool   // a literal into which values are put
	bytes    bool   // a literal of bytes
}

func (t codeToken) is(mark string) bool { return t.kind == codeMark && t.text == mark }
func (t codeToken) named(name string) bool {
	return t.kind == codeName && t.text == name
}

// codeReader makes tokens of a program in Python or JavaScript.
type codeReader struct {
	code   string
	js     bool
	base   int // of code in the whole program
	nested int // f-strings around the code
	tokens []codeToken
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

// codeWay is how a text is read as a program.
type codeWay struct {
	js       bool
	tolerant bool // see codeReader
}

// codeTokens are those of a program, and why it could not be read to its end.
func codeTokens(t *call.Text, way codeWay) codeReader {
	return call.Made(t, way, func(code string) codeReader {
		r := codeReader{code: code, js: way.js, tolerant: way.tolerant}
		r.read()
		return r
	})
}

// Literals are what stands between the quotes of a program, in whatever language: read as
// Python or JavaScript, and where that does not read to its end, over what is not closed.
func Literals(t *call.Text) (all []scan.Span) {
	language, _ := looksLikeCode(t)
	way := codeWay{js: language == "javascript"}
	r := codeTokens(t, way)
	if r.broken != "" {
		way.tolerant = true
		r = codeTokens(t, way)
	}
	end := 0
	for _, t := range r.tokens {
		if t.kind == codeText && end <= t.open && t.open < t.close { // else it stands in one
			end = t.close
			all = append(all, scan.Span{Start: t.open, End: t.close})
		}
	}
	return all
}

// maxInterpolation bounds how deep f-strings in f-strings are followed.
const maxInterpolation = 4

func (r *codeReader) add(kind codeKind, from, to int) {
	r.tokens = append(r.tokens, codeToken{kind: kind, from: r.base + from, to: r.base + to, text: r.code[from:to], inner: r.base + from})
}

// read makes the tokens; broken is why it could not do so to the end.
func (r *codeReader) read() {
	for i := 0; i < len(r.code) && r.broken == ""; {
		i = r.next(i)
	}
	if len(r.inside) > 0 {
		r.broken = "a template isn't closed"
	}
}

func (r *codeReader) next(i int) int {
	rest := r.code[i:]
	b := rest[0]
	switch {
	case b == '\n':
		if r.js || r.depth == 0 && r.braces == 0 {
			r.add(codeLine, i, i+1)
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
		for end < len(r.code) && (isCodeNameByte(r.code[end]) || r.code[end] == '.' && end+1 < len(r.code) && isDigit(r.code[end+1])) {
			end++
		}
		r.add(codeNumber, i, end)
		return end
	case isCodeNameByte(b) || r.js && (b == '$' || b == '#'):
		end := i + 1
		for end < len(r.code) && (isCodeNameByte(r.code[end]) || r.js && r.code[end] == '$') {
			end++
		}
		if !r.js && end < len(r.code) && (r.code[end] == '\'' || r.code[end] == '"') && end-i <= 2 {
			if prefix := strings.ToLower(r.code[i:end]); oneOf(prefix, "r b u f br rb fr rf t tr rt") {
				return r.literal(end, i, strings.Contains(prefix, "r"), strings.ContainsAny(prefix, "ft"))
			}
		}
		r.add(codeName, i, end)
		return end
	}
	return r.mark(i)
}

// marks of several bytes, the longest first.
var codeMarks = []string{"=>", "===", "!==", "==", "!=", "<=", ">=", "**", "...", "?.", "??", "&&", "||", "++", "--", "+=", "-=", "*=", "/=", "|=", "&=", "%=", ":=", "->", "//", "<<", ">>"}

func (r *codeReader) mark(i int) int {
	width := 1
	for _, m := range codeMarks {
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
			r.tokens = append(r.tokens, codeToken{from: r.base + i, to: r.base + i + 1, text: ")"})
			return r.template(i+1, i)
		}
		r.braces--
	}
	r.add(codeMark, i, i+width)
	return i + width
}

// template reads what stands in a template literal up to its end, or the next ${.
func (r *codeReader) template(i, from int) int {
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
			r.tokens = append(r.tokens, codeToken{from: r.base + i, to: r.base + i + 2, text: "("})
			r.inside = append(r.inside, r.braces)
			return i + 2
		}
	}
	r.broken = "a template isn't closed"
	return len(r.code)
}

// literal reads the literal whose quote stands at i and whose prefix at from.
func (r *codeReader) literal(i, from int, raw, formatted bool) int {
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
				r.tokens[at].dynamic = r.interpolated(start, i)
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
func (r *codeReader) opensNothing(quote string, start, end int) int {
	if r.unquoted == nil {
		r.unquoted = map[string]int{}
	}
	r.unquoted[quote] = end
	return r.mark(start - len(quote))
}

// isApostrophe reports whether a quote stands within a word of markup: don't.
func (r *codeReader) isApostrophe(i int) bool {
	if i == 0 || len(r.tokens) == 0 || !isCodeNameByte(r.code[i-1]) {
		return false
	}
	last := r.tokens[len(r.tokens)-1]
	return last.kind == codeName && !oneOf(last.text, "return case typeof in of default else do yield await delete void throw new instanceof from import extends")
}

func (r *codeReader) literalToken(from, to, start, end int, raw, dynamic bool) {
	t := codeToken{kind: codeText, from: r.base + from, to: r.base + to, text: r.code[start:end], inner: r.base + start, open: r.base + start, close: r.base + end, dynamic: dynamic}
	if !raw && strings.Contains(t.text, `\`) {
		t.text, t.inner = unescaped(t.text), -1
	}
	r.tokens = append(r.tokens, t)
}

// interpolated reads the expressions between the curly brackets of an f-string, each in
// round ones, and reports whether there are any.
func (r *codeReader) interpolated(start, end int) bool {
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
		inner := codeReader{code: r.code[i+1 : close], base: r.base + i + 1, nested: r.nested + 1, tolerant: r.tolerant}
		inner.depth = 1
		inner.read()
		if inner.broken != "" {
			r.broken = inner.broken
			return true
		}
		r.tokens = append(r.tokens, codeToken{from: r.base + i, to: r.base + i + 1, text: "("})
		r.tokens = append(r.tokens, inner.tokens...)
		r.tokens = append(r.tokens, codeToken{from: r.base + close, to: r.base + close + 1, text: ")"})
		i = close + 1
	}
	return any
}

// regexMayBegin reports whether a slash begins a regular expression here, and divides
// nothing.
func (r *codeReader) regexMayBegin() bool {
	for i := len(r.tokens) - 1; i >= 0; i-- {
		switch t := r.tokens[i]; t.kind {
		case codeLine:
			continue
		case codeName:
			return slices.Contains([]string{"return", "typeof", "case", "in", "of", "delete", "void", "throw", "new", "do", "else", "yield", "await"}, t.text)
		case codeNumber, codeText:
			return false
		default:
			return t.text != ")" && t.text != "]" && t.text != "}"
		}
	}
	return true
}

func (r *codeReader) regex(i int) int {
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
			r.add(codeNumber, i, end+1)
			for end++; end < len(r.code) && isCodeNameByte(r.code[end]); end++ {
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

func isCodeNameByte(b byte) bool {
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
