package scan

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Plain is a short text (a name, a value) as a person reads it: without invisible
// characters, strokes and stacked marks, and with Latin letters where others pass for
// them. A word of another script that does not become a Latin word stays as it is.
//
// obfuscated says that somebody took pains: that a word was written with letters of
// several alphabets, with letters that only look like those of one, in pictures of
// letters, or with something inside of it that nobody sees. A text in its own script, a
// flag, an emoji and a keycap are none of this.
func Plain(text string) (plain string, obfuscated bool) {
	if strings.IndexFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) < 0 {
		return text, false
	}
	normal, _, _ := Normal(text)
	var b strings.Builder
	obfuscated = hidesInside(text) || isStyled(text)
	native := nativeScripts(normal)
	for rest := normal; rest != ""; {
		end := strings.IndexFunc(rest, func(r rune) bool { return !isOfWord(r) })
		switch end {
		case 0:
			_, width := utf8.DecodeRuneInString(rest)
			b.WriteString(rest[:width])
			rest = rest[width:]
			continue
		case -1:
			end = len(rest)
		}
		word, odd := plainWord(rest[:end], native)
		b.WriteString(word)
		obfuscated = obfuscated || odd
		rest = rest[end:]
	}
	return b.String(), obfuscated
}

// isOfWord reports whether r is a letter, looks like one, or stands on one.
func isOfWord(r rune) bool { return unicode.IsLetter(r) || isMark(r) || lookalike(r) != 0 }

// plainWord is Plain for one word of a Normal text.
func plainWord(word string, native []*unicode.RangeTable) (plain string, obfuscated bool) {
	const stroke = 1 // the combining class of what is drawn over a letter
	var (
		b                           strings.Builder
		letters, ascii, like, alike int
		flags, marks                int
		scripts                     []*unicode.RangeTable
	)
	before := rune(0)
	for _, r := range word {
		if isMark(r) {
			if isLatin(before) {
				marks++
				if unicode.Is(unicode.Me, r) || norm.NFKC.PropertiesString(string(r)).CCC() == stroke {
					marks++
				}
			} else {
				b.WriteRune(r)
			}
			continue
		}
		before = r
		letters++
		latin, same := Lookalike(r)
		switch {
		case latin == 0:
			if r < utf8.RuneSelf {
				ascii++
			}
			b.WriteRune(r)
			continue
		case 0x1f1e6 <= r && r <= 0x1f1ff:
			flags++
		}
		like++
		if same {
			alike++
		}
		if s := scriptOf(r); !slices.Contains(scripts, s) {
			scripts = append(scripts, s)
		}
		b.WriteByte(latin)
	}
	whole := like == letters
	switch {
	case flags == letters && flags <= 2, // a flag
		!whole && ascii == 0: // a word of another script
		return word, false
	case marks >= 2:
		obfuscated = true
	case like > 0 && letters > 1:
		foreign := slices.ContainsFunc(scripts, func(s *unicode.RangeTable) bool { return s != nil && slices.Contains(native, s) })
		obfuscated = ascii > 0 || len(scripts) > 1 || alike == letters && !foreign
	}
	return b.String(), obfuscated
}

// writtenScripts are those in which people write texts that hold words of lookalikes only.
var writtenScripts = []*unicode.RangeTable{unicode.Cyrillic, unicode.Greek, unicode.Armenian}

// scriptOf is the one of writtenScripts, or nil.
func scriptOf(r rune) *unicode.RangeTable {
	for _, s := range writtenScripts {
		if unicode.Is(s, r) {
			return s
		}
	}
	return nil
}

// nativeScripts are those of writtenScripts of which a text holds a letter that looks like
// no Latin one.
func nativeScripts(text string) (native []*unicode.RangeTable) {
	for _, r := range text {
		if s := scriptOf(r); s != nil && unicode.IsLetter(r) && !slices.Contains(native, s) {
			if _, alike := Lookalike(r); !alike {
				native = append(native, s)
			}
		}
	}
	return native
}

// hidesInside reports whether an invisible character stands between two characters of a
// word of ASCII, or one that turns the order around stands anywhere.
func hidesInside(text string) bool {
	before, hidden := rune(0), false
	for _, r := range text {
		switch {
		case 0x202a <= r && r <= 0x202e && r != 0x202c:
			return true
		case Invisible(r):
			hidden = true
			continue
		case hidden && r < utf8.RuneSelf && IsWord(r) && before < utf8.RuneSelf && IsWord(before):
			return true
		}
		before, hidden = r, false
	}
	return false
}

// isStyled reports whether two letters that NFKC makes Latin ones stand side by side, or
// one beside a letter of ASCII. In a text of the Far East those of full width are ordinary.
func isStyled(text string) bool {
	eastern := strings.IndexFunc(text, func(r rune) bool {
		return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) && !Invisible(r)
	}) >= 0
	before, styled := false, false // whether the last one was a letter, and a styled one
	for _, r := range text {
		if Invisible(r) {
			continue
		}
		letter := r < utf8.RuneSelf && isLetter(byte(r))
		now := false
		if r >= utf8.RuneSelf && !(eastern && 0xff01 <= r && r <= 0xff5e) {
			if to := norm.NFKC.String(string(r)); len(to) == 1 && isLetter(to[0]) {
				now = true
			}
		}
		if now && (before || styled) || styled && letter {
			return true
		}
		before, styled = letter, now
	}
	return false
}
