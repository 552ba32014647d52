package scan

import (
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Invisible reports whether r is one of the characters that a person does not see and
// Normal removes: all that Unicode calls default ignorable (soft hyphen, grapheme joiner,
// zero-width and bidirectional controls, variation selectors, fillers, tags).
func Invisible(r rune) bool {
	switch {
	case r < 0xad:
		return false
	case r == 0xad, r == 0x34f, r == 0x61c, r == 0x115f, r == 0x1160, r == 0x17b4, r == 0x17b5, r == 0x3164, r == 0xfeff, r == 0xffa0:
		return true
	case r < 0x3000:
		return 0x180b <= r && r <= 0x180f || 0x200b <= r && r <= 0x200f || 0x202a <= r && r <= 0x202e || 0x2060 <= r && r <= 0x206f
	}
	return 0xfe00 <= r && r <= 0xfe0f || 0xfff0 <= r && r <= 0xfff8 ||
		0x1bca0 <= r && r <= 0x1bca3 || 0x1d173 <= r && r <= 0x1d17a || 0xe0000 <= r && r <= 0xe0fff
}

// Normal is the copy of s that is scanned in addition to s itself, so that a
// disguise does not help: Invisible characters removed, then NFKC, which folds
// full-width, mathematical and other look-alikes. changed says whether it
// differs from s at all; where it does not, a second scan finds nothing new.
//
// back maps a byte range of the copy to the smallest range of s that it came
// from. A character that several came from, or that became several, maps whole.
func Normal(s string) (normal string, back func(start, end int) (int, int), changed bool) {
	hidden := nextInvisible(s, 0) < len(s)
	if !hidden && norm.NFKC.IsNormalString(s) {
		return s, identity, false
	}
	visible, kept := strip(s)
	normal, folded := fold(visible)
	switch {
	case normal == s:
		return s, identity, false
	case !hidden:
		return normal, folded.back, true
	}
	return normal, func(start, end int) (int, int) { return kept.back(folded.back(start, end)) }, true
}

// nextInvisible is where the next Invisible character stands, from byte from on; the
// end of s where there is none.
func nextInvisible(s string, from int) int {
	for i := from; i < len(s); {
		if s[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, width := utf8.DecodeRuneInString(s[i:])
		if Invisible(r) {
			return i
		}
		i += width
	}
	return len(s)
}

// strip removes the invisible characters.
func strip(s string) (visible string, from origin) {
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); {
		next := nextInvisible(s, i)
		from = from.unchanged(i, next-i)
		out = append(out, s[i:next]...)
		_, width := utf8.DecodeRuneInString(s[next:])
		i = next + width
	}
	return string(out), from
}

// fold normalises to NFKC, one smallest independent run of characters at a time.
func fold(s string) (folded string, from origin) {
	out := make([]byte, 0, len(s))
	known := map[string]string{} // preparing the library for a run costs more than the run
	for i := 0; i < len(s); {
		end := i
		for end < len(s) && s[end] < utf8.RuneSelf {
			end++
		}
		if end < len(s) && end > i {
			end-- // a mark may follow the last one
		}
		if end > i {
			from = from.unchanged(i, end-i)
			out = append(out, s[i:end]...)
			i = end
			continue
		}
		n := max(norm.NFKC.NextBoundaryInString(s[i:], true), 1)
		piece := s[i : i+n]
		to, ok := known[piece]
		if !ok {
			to = norm.NFKC.String(piece)
			known[piece] = to
		}
		if to == piece {
			from = from.unchanged(i, n)
		} else {
			from = from.pieces(i, n, len(to), 1)
		}
		out = append(out, to...)
		i += n
	}
	return string(out), from
}
