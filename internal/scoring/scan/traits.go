package scan

import "unicode/utf8"

// traits says of what bytes a text is made, as far as anybody asks: a bit for each sort of
// ASCII bytes, and one for each byte that a character beyond ASCII begins with. So one
// pass over a text answers what took one each.
type traits uint64

const (
	hasUpper   traits = 1 << iota // A to Z
	hasDigit                      // 0 to 9
	hasAt                         // @
	hasBracket                    // [
	hasDot                        // .
	hasMark                       // what Bare stops at, wherever it stands
	hasSpace                      // a space
	hasSecond                     // a space, which makes a gap behind hasSpace
	hasSlash                      // /
	hasStar                       // *, which makes a gap behind hasSlash
	hasHigh                       // no ASCII
	hasLead                       // of firstLead; the others follow
	hasGap     traits = 1 << 63   // two spaces, or the beginning of a comment: Bare stops there
)

// The bytes that a character beyond ASCII may begin with.
const firstLead, lastLead = 0xc2, 0xf4

// hasLeads are the bits of all of them.
const hasLeads = hasLead<<(lastLead-firstLead+1) - hasLead

// leadOf is the bit of such a byte.
func leadOf(c byte) traits { return hasLead << (c - firstLead) }

// traitOf is what each byte says of the text that it stands in.
var traitOf = func() (of [256]traits) {
	for c := range of {
		switch {
		case 'A' <= c && c <= 'Z':
			of[c] = hasUpper
		case '0' <= c && c <= '9':
			of[c] = hasDigit
		case firstLead <= c && c <= lastLead:
			of[c] = hasHigh | leadOf(byte(c))
		case c >= utf8.RuneSelf:
			of[c] = hasHigh
		}
	}
	for _, c := range []byte("\"'\\$^\t") {
		of[c] = hasMark
	}
	of['@'], of['['], of['.'], of[' '], of['/'], of['*'] = hasAt, hasBracket, hasDot, hasSpace|hasSecond, hasSlash, hasStar
	return of
}()

// traitsOf is one pass over the text.
func traitsOf(s string) traits {
	all, pairs, last := traits(0), traits(0), traits(0)
	for len(s) >= 8 { // written out, because every text goes through here
		a, b, c, d := traitOf[s[0]], traitOf[s[1]], traitOf[s[2]], traitOf[s[3]]
		e, f, g, h := traitOf[s[4]], traitOf[s[5]], traitOf[s[6]], traitOf[s[7]]
		all |= a | b | c | d | e | f | g | h
		pairs |= a&(last<<1) | b&(a<<1) | c&(b<<1) | d&(c<<1) | e&(d<<1) | f&(e<<1) | g&(f<<1) | h&(g<<1)
		s, last = s[8:], h
	}
	for i := range len(s) {
		t := traitOf[s[i]]
		all |= t
		pairs |= t & (last << 1)
		last = t
	}
	return all | gapIn(pairs)
}

// gapIn is hasGap if a pair makes one.
func gapIn(pairs traits) traits {
	if pairs&(hasSecond|hasStar) != 0 {
		return hasGap
	}
	return 0
}

// gapBetween is hasGap if two bytes make one.
func gapBetween(a, b byte) traits { return gapIn(traitOf[b] & (traitOf[a] << 1)) }

// leads are the bits of the bytes with which these characters begin.
func leads(characters string) traits {
	all := traits(0)
	for _, r := range characters {
		all |= leadOf(leadByte(r))
	}
	return all
}

// leadByte is the byte with which a character beyond ASCII begins.
func leadByte(r rune) byte {
	switch {
	case r < 0x800:
		return 0xc0 | byte(r>>6)
	case r < 0x10000:
		return 0xe0 | byte(r>>12)
	}
	return 0xf0 | byte(r>>18)
}
