package scan

import (
	"strings"
	"unicode/utf8"
)

// Bare is the third copy of s: the Normal one read as the program would read it
// that gets it. What a shell, SQL or a programming language takes away before it
// acts is taken away here:
//
//	r"m" 'rm' r\m r''m $'rm' r^m      quotes, backslashes and carets inside of words
//	"r" + "m -rf"  'DR' || 'OP'       strings that are put together
//	rm${IFS}-rf    DROP/**/TABLE      what stands for a space
//	rm \⏎ -rf                         a line that goes on
//	rm   ⇥ -rf                        many spaces, behind the beginning of a line
//	гm  sυdo  ᴅᴇʟ                     letters of other scripts that look like Latin ones
//	d̶e̶l                               strokes and other marks on letters of ASCII
//
// changed says whether it differs from the Normal copy. back maps a byte range of
// it to the smallest range of s. It looks at most quoted bytes ahead of each byte,
// so the time is linear in the text.
func Bare(s string) (bare string, back func(start, end int) (int, int), changed bool) {
	normal, toOriginal, _ := Normal(s)
	return BareOf(normal, toOriginal)
}

// BareOf is Bare for who has the Normal copy and the way back from it.
func BareOf(normal string, toOriginal func(start, end int) (int, int)) (bare string, back func(start, end int) (int, int), changed bool) {
	if isTame(normal) {
		return normal, toOriginal, false
	}
	u := undresser{text: normal}
	u.run()
	if !u.changed {
		return normal, toOriginal, false
	}
	return string(u.out), func(start, end int) (int, int) { return toOriginal(u.runs.back(start, end)) }, true
}

func identity(start, end int) (int, int) { return start, end }

// quoted is how long a quoted string may be that is looked at, in bytes.
const quoted = 200

// isTame is the fast path: nothing in s is of any interest.
func isTame(s string) bool {
	before := rune(0)
	for i := 0; i < len(s); {
		r, width := rune(s[i]), 1
		switch {
		case r >= utf8.RuneSelf:
			if r, width = utf8.DecodeRuneInString(s[i:]); lookalike(r) != 0 || isLatin(before) && isMark(r) {
				return false
			}
		case r == ' ' && before == ' ', r == '*' && before == '/', r != ' ' && r != '/' && kinds[r] != 0:
			return false
		}
		before = r
		i += width
	}
	return true
}

// kinds marks the bytes at which Bare stops, and those of words.
var kinds = func() (k [256]uint8) {
	for _, c := range []byte("\"'\\$^/ \t") {
		k[c] = 1
	}
	for c := utf8.RuneSelf; c < len(k); c++ {
		k[c] = 1
	}
	return k
}()

// undresser is a pass over a Normal copy.
type undresser struct {
	text    string
	out     []byte
	runs    origin
	copied  int // up to here text is in out
	changed bool
}

func (u *undresser) run() {
	for i := 0; i < len(u.text); {
		c := u.text[i]
		if kinds[c] == 0 || c == ' ' && kinds[u.at(i+1)] == 0 { // most spaces stand alone
			i++
			continue
		}
		i = u.step(i)
	}
	if u.changed {
		u.copyTo(len(u.text))
	}
}

// copyTo takes the text up to byte i as it stands.
func (u *undresser) copyTo(i int) {
	if i > u.copied {
		u.runs = u.runs.unchanged(u.copied, i-u.copied)
		u.out = append(u.out, u.text[u.copied:i]...)
		u.copied = i
	}
}

// drop leaves out what stands from from to end.
func (u *undresser) drop(from, end int) int {
	if end <= u.copied {
		return u.copied // a comment that began inside of a string reached beyond it
	}
	u.copyTo(max(from, u.copied))
	u.copied, u.changed = end, true
	return end
}

// replace puts one character in place of from to end.
func (u *undresser) replace(from, end int, with byte) int {
	if end <= u.copied {
		return u.copied // as of drop
	}
	from = max(from, u.copied)
	u.copyTo(from)
	u.runs = u.runs.pieces(from, end-from, 1, 1)
	u.out = append(u.out, with)
	u.copied, u.changed = end, true
	return end
}

func (u *undresser) step(i int) int {
	switch c := u.text[i]; {
	case c == '"' || c == '\'':
		return u.quote(i, false)
	case c == '\\':
		return u.backslash(i)
	case c == '$':
		return u.dollar(i)
	case c == '^' && isLetter(u.at(i-1)) && isLetter(u.at(i+1)):
		return u.drop(i, i+1)
	case c == '/' && u.at(i+1) == '*':
		rest := u.text[i+2 : min(len(u.text), i+2+quoted)]
		if end := strings.Index(rest, "*/"); end >= 0 && strings.IndexByte(rest[:end], '\n') < 0 {
			return u.replace(i, i+2+end+2, ' ')
		}
	case c == ' ' || c == '\t':
		return u.spaces(i)
	case c >= utf8.RuneSelf:
		return u.letters(i)
	}
	return i + 1
}

// letters replaces lookalikes that stand side by side, and leaves out a mark that stands on
// one or on a letter of ASCII. It returns where it stopped.
func (u *undresser) letters(i int) int {
	r, width := utf8.DecodeRuneInString(u.text[i:])
	if isMark(r) && u.behindLatin(i) {
		return u.drop(i, i+width)
	}
	if lookalike(r) == 0 {
		return i + width
	}
	if i < u.copied {
		return u.copied // as of drop
	}
	u.copyTo(i)
	u.changed = true
	for same := width; same == width; {
		latin := lookalike(r)
		if latin == 0 {
			break
		}
		u.out = append(u.out, latin)
		if u.copied += width; u.copied == len(u.text) {
			break
		}
		r, same = utf8.DecodeRuneInString(u.text[u.copied:])
	}
	u.runs = u.runs.pieces(i, width, 1, (u.copied-i)/width)
	return u.copied
}

// behindLatin reports whether what comes before byte i is, or became, a letter or digit of
// ASCII.
func (u *undresser) behindLatin(i int) bool {
	before := u.at(i - 1)
	if i <= u.copied && len(u.out) > 0 {
		before = u.out[len(u.out)-1]
	}
	return before < utf8.RuneSelf && isLatin(rune(before))
}

// at is the byte at i; 0 outside of the text.
func (u *undresser) at(i int) byte {
	if i < 0 || i >= len(u.text) {
		return 0
	}
	return u.text[i]
}

// quote reads a string that begins at i. It loses its quotes where it is one word
// in a place for a word, or is put together with another one; joined says that it
// was put together with the one before it.
func (u *undresser) quote(i int, joined bool) int {
	for {
		end, parts := u.closing(i)
		if end < 0 {
			return i + 1
		}
		next := u.joint(i, end)
		if !joined && next < 0 && (parts || !u.isPlaceOfWord(i, end)) {
			return i + 1
		}
		u.drop(i, i+1)
		u.inside(i+1, end)
		if next < 0 {
			return u.drop(end, end+1)
		}
		u.drop(end, next)
		i, joined = next, true
	}
}

// closing is the quote that closes the string which begins at i, on the same line and at
// most quoted bytes away; -1 where there is none. parts says that the string is not one
// word.
func (u *undresser) closing(i int) (end int, parts bool) {
	mark, all := u.text[i], uint8(0)
	for k, c := range []byte(u.text[i+1 : min(len(u.text), i+1+quoted)]) {
		if c == mark {
			return i + 1 + k, all&partsWords != 0
		}
		if c == '\n' {
			break
		}
		all |= wordKinds[c]
	}
	return -1, false
}

// What a byte is to a string that may be a word, or beside one.
const (
	partsWords  uint8 = 1 << iota // it stands in no word
	beforeWords                   // a word for a shell may stand behind it
	behindWords                   // and before it
)

var wordKinds = func() (k [256]uint8) {
	for c := range k {
		if !isWordByte(byte(c)) {
			k[c] = partsWords
		}
	}
	for _, c := range []byte("-./*~@:=+,%") {
		k[c] = 0
	}
	for _, c := range []byte("\x00 \t\n;&|($`\"'") {
		k[c] |= beforeWords
	}
	for _, c := range []byte("\x00 \t\n;&|`\"'=") {
		k[c] |= behindWords
	}
	return k
}()

// inside reads what stands in a string that lost its quotes.
func (u *undresser) inside(from, end int) {
	for i := from; i < end; {
		c := u.text[i]
		if kinds[c] == 0 || c == '"' || c == '\'' {
			i++
			continue
		}
		if i = u.step(i); i > end {
			return
		}
	}
}

// joint looks behind the string from start to end (its quotes) for what puts another
// one to it: nothing, + . & or ||. It returns where that one begins, or -1. Where a
// shell would read words and another language one text, a space inside of one of the
// strings decides for the text.
func (u *undresser) joint(start, end int) int {
	const far = 16 // spaces
	spaced, operator := false, byte(0)
	for i := end + 1; i-end < far; i++ {
		switch c := u.at(i); {
		case c == '"' || c == '\'':
			if spaced && operator == 0 && u.at(i+1) != ' ' && u.text[end-1] != ' ' ||
				spaced && (operator == '.' || operator == '&') && strings.IndexByte(u.text[start:end], ' ') < 0 && !u.hasSpace(i) {
				return -1 // two words
			}
			return i
		case c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\\' && u.at(i+1) == '\n':
			spaced = true
		case (c == '+' || c == '.' || c == '&' || c == '|') && operator == 0:
			operator = c
			if u.at(i+1) == c && c != '+' {
				i++
			} else if c == '|' {
				return -1 // a pipe
			}
		default:
			return -1
		}
	}
	return -1
}

// hasSpace reports whether a space comes before the end of the string at i.
func (u *undresser) hasSpace(i int) bool {
	rest := u.text[i+1 : min(len(u.text), i+1+quoted)]
	space := strings.IndexByte(rest, ' ')
	end := strings.IndexByte(rest, u.text[i])
	return space >= 0 && space < end
}

// isPlaceOfWord reports whether the string from start to end (its quotes), which is one
// word, stands where a shell reads words.
func (u *undresser) isPlaceOfWord(start, end int) bool {
	before, after := u.at(start-1), u.at(end+1)
	if isWordByte(before) || isWordByte(after) || before == '-' || before == '/' {
		return true // it is glued to one
	}
	if end == start+1 || wordKinds[before]&beforeWords == 0 {
		return false
	}
	return wordKinds[after]&behindWords != 0 || after == ':' && u.at(end+2) == '/'
}

// backslash leaves out the mark before a character that it does not change for a
// shell, and a line end behind it.
func (u *undresser) backslash(i int) int {
	switch next := u.at(i + 1); {
	case next == '\n':
		return u.drop(i, i+2)
	case next == '\r' && u.at(i+2) == '\n':
		return u.drop(i, i+3)
	case isWordByte(next) || next == '-' || next == '/' || next == '.' || next == '~':
		return u.drop(i, i+1)
	}
	return i + 2
}

// dollar reads what a shell makes nothing or a space of.
func (u *undresser) dollar(i int) int {
	rest := u.text[i+1 : min(len(u.text), i+1+quoted)]
	switch {
	case strings.HasPrefix(rest, "{IFS"):
		if end := strings.IndexByte(rest, '}'); end >= 0 {
			return u.separator(i, i+1+end+1)
		}
	case strings.HasPrefix(rest, "IFS"):
		return u.separator(i, i+len("$IFS"))
	case rest != "" && (rest[0] == '@' || rest[0] == '*') && isWordByte(u.at(i-1)) && isWordByte(u.at(i+2)):
		return u.drop(i, i+2)
	case rest != "" && (rest[0] == '\'' || rest[0] == '"'):
		if end, parts := u.closing(i + 1); end >= 0 && end < i+1+quoted && !parts && u.isPlaceOfWord(i+1, end) {
			return u.drop(i, i+1)
		}
	}
	return i + 1
}

// separator is $IFS, and an empty parameter that ends its name ($IFS$9).
func (u *undresser) separator(from, end int) int {
	if u.at(end) == '$' && '1' <= u.at(end+1) && u.at(end+1) <= '9' {
		end += 2
	}
	return u.replace(from, end, ' ')
}

// spaces makes one of several, but at the beginning of a line.
func (u *undresser) spaces(i int) int {
	end := i + 1
	for end < len(u.text) && (u.text[end] == ' ' || u.text[end] == '\t') {
		end++
	}
	before := u.at(i - 1)
	if end == i+1 && u.text[i] == ' ' || before == 0 || before == '\n' || before == '\r' {
		return end
	}
	return u.replace(i, end, ' ')
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isWordByte(c byte) bool { return isLetter(c) || '0' <= c && c <= '9' || c == '_' }
