package scan

import (
	"sync"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// mostComposed is of how many characters a run may be made that is put together here,
// taken apart.
const mostComposed = 16

// composed is what NFKC makes of a run of characters, as Unicode defines it: they are taken
// apart, put in the order of their classes, and put together. It is for short runs, for
// which the library takes longer to begin than to work; ok is false for others.
func composed(s string) (to string, ok bool) {
	var (
		runes   [mostComposed]rune
		classes [mostComposed]uint8
		n       int
	)
	for i := 0; i < len(s); {
		one, _, width := foldedAt(s, i)
		if one == nil {
			return "", false
		}
		parts := one.parts
		if parts == "" {
			parts = s[i : i+width]
		}
		for k := 0; k < len(parts); n++ {
			part, r, width := foldedAt(parts, k)
			if part == nil || n == mostComposed {
				return "", false
			}
			at := n
			for ; part.class > 0 && at > 0 && classes[at-1] > part.class; at-- {
				runes[at], classes[at] = runes[at-1], classes[at-1]
			}
			runes[at], classes[at] = r, part.class
			k += width
		}
		i += width
	}
	var (
		pairs = composites()
		kept  = 0
		first = -1 // where the last character of class 0 stands
		text  [mostComposed * utf8.UTFMax]byte
	)
	for i := range n {
		if first >= 0 && (kept == first+1 || 0 < classes[kept-1] && classes[kept-1] < classes[i]) {
			if both, ok := compositeOf(pairs, runes[first], runes[i]); ok {
				runes[first] = both
				continue
			}
		}
		if classes[i] == 0 {
			first = kept
		}
		runes[kept], classes[kept] = runes[i], classes[i]
		kept++
	}
	out := text[:0]
	for _, r := range runes[:kept] {
		out = utf8.AppendRune(out, r)
	}
	return string(out), true
}

// The syllables of Hangul and their parts, which are put together by number.
const (
	firstSyllable, behindSyllables      = 0xac00, 0xd7a4
	firstConsonant, firstVowel, noFinal = 0x1100, 0x1161, 0x11a7
	consonants, vowels, finals          = 19, 21, 28
)

// compositeOf is the character that two are put together to.
func compositeOf(pairs map[uint64]rune, a, b rune) (rune, bool) {
	switch {
	case firstConsonant <= a && a < firstConsonant+consonants && firstVowel <= b && b < firstVowel+vowels:
		return firstSyllable + ((a-firstConsonant)*vowels+b-firstVowel)*finals, true
	case firstSyllable <= a && a < behindSyllables && (a-firstSyllable)%finals == 0 && noFinal < b && b < noFinal+finals:
		return a + b - noFinal, true
	}
	both, ok := pairs[pairOf(a, b)]
	return both, ok
}

func pairOf(a, b rune) uint64 { return uint64(a)<<32 | uint64(b) }

// composites are the other ones.
var composites = sync.OnceValue(func() map[uint64]rune {
	const last = 0x20000 // there are none beyond
	all := make(map[uint64]rune, 1000)
	for r := rune(utf8.RuneSelf); r < last; r++ {
		if firstSyllable <= r && r < behindSyllables {
			continue
		}
		parts := norm.NFC.PropertiesString(string(r)).Decomposition()
		if parts == nil || norm.NFC.String(string(parts)) != string(r) { // excluded
			continue
		}
		mark, width := utf8.DecodeLastRune(parts)
		if base := norm.NFC.String(string(parts[:len(parts)-width])); utf8.RuneCountInString(base) == 1 {
			first, _ := utf8.DecodeRuneInString(base)
			all[pairOf(first, mark)] = r
		}
	}
	return all
})
