package untrusted

import (
	"unicode"
	"unicode/utf8"

	"github.com/countersign/countersign/internal/scoring/scan"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/texts"
)

// What looks like something else. A full confusables table would flag every
// second word of ordinary Russian or Greek; what deceives is a letter of another
// script inside a Latin word, a word made only of letters that are drawn as Latin
// ones, and the few symbols that pass for ASCII in paths, commands and numbers.
// Which letters pass for Latin ones, package scan says.

// likeASCII are symbols that pass for ASCII ones.
var likeASCII = map[rune]string{
	'∕': "/", '⁄': "/", '⧸': "/", '╱': "/", '∖': `\`, '⧵': `\`, '․': ".", '‧': ".",
	'꞉': ":", '∶': ":", 'ː': ":", '‐': "-", '‑': "-", '−': "-", '﹣': "-", '‚': ",", '٬': ",", ';': ";",
	'ǃ': "!", '‹': "<", '›': ">", '∣': "|", 'ǀ': "|", '⁎': "*", '∗': "*",
	'ˍ': "_", '∼': "~", '．': ".", '／': "/", '＼': `\`, '－': "-", '＿': "_", '＠': "@", '＄': "$",
}

// script is an index of writing, one more; 0 is every other one.
type script uint8

const (
	other script = iota
	latin
)

// writing are the scripts that are mixed to deceive. Latin is the first.
var writing = [...]*unicode.RangeTable{
	unicode.Latin, unicode.Cyrillic, unicode.Greek, unicode.Armenian, unicode.Coptic, unicode.Cherokee, unicode.Lisu, unicode.Canadian_Aboriginal,
	unicode.Old_Italic, unicode.Lycian, unicode.Carian, unicode.Deseret, unicode.Osage,
}

const scripts = script(len(writing)) + 1

func scriptOf(r rune) script {
	switch {
	case r < utf8.RuneSelf:
		return latin
	case 0x4e00 <= r && r < 0xa000, 0xac00 <= r && r < 0xd7a4: // Han and Hangul, without a look at each table
		return other
	}
	for i, table := range writing {
		if unicode.Is(table, r) {
			return script(i) + 1
		}
	}
	return other
}

// confusables judges the characters of one text, in order.
type confusables struct {
	text string
	// plain says which scripts have a letter in this text that looks like no Latin
	// one: then words in it are what they seem to be.
	plain [scripts]bool
	end   int    // end of the word that was judged last
	odd   script // the script that is odd in that word; 0 for none
}

func newConfusables(s string) confusables {
	c := confusables{text: s}
	for _, r := range s {
		if r < utf8.RuneSelf || !unicode.IsLetter(r) {
			continue
		}
		if _, alike := scan.Lookalike(r); !alike {
			c.plain[scriptOf(r)] = true
		}
	}
	return c
}

// at reports what the character at a place looks like, if that deceives. Places
// must not go back.
func (c *confusables) at(place int, r rune) (views.Like, bool) {
	if like, ok := asciiForm(r); ok {
		return like, true
	}
	like, _ := scan.Lookalike(r)
	known := like != 0
	if !unicode.IsLetter(r) {
		if known && !c.isFlag(place, r) { // a picture of a letter
			return looksLatin(like), true
		}
		return views.Like{}, false
	}
	if place >= c.end {
		c.word(place)
	}
	s := scriptOf(r)
	switch {
	case s == other || s == latin && !known || s != latin && s != c.odd:
		return views.Like{}, false
	case known: // of another script, or ı, ɑ: Latin letters that pass for others
		return looksLatin(like), true
	default:
		return views.Like{Text: texts.Key("%s, looks like the letters next to it")}, true
	}
}

func looksLatin(letter byte) views.Like {
	return views.Like{Text: texts.Key("%s, looks like Latin %s"), Of: string(rune(letter))}
}

// isFlag reports whether a character is a regional indicator that makes a flag with
// another one. More than two in a row are letters.
func (c *confusables) isFlag(place int, r rune) bool {
	if !regional(r) {
		return false
	}
	const width = 4 // bytes
	row := 1
	for at := place + width; row <= 2; at += width {
		if next, _ := utf8.DecodeRuneInString(c.text[min(at, len(c.text)):]); !regional(next) {
			break
		}
		row++
	}
	for at := place; row <= 2; at -= width {
		if before, _ := utf8.DecodeLastRuneInString(c.text[:max(at, 0)]); !regional(before) {
			break
		}
		row++
	}
	return row <= 2
}

func regional(r rune) bool { return 0x1f1e6 <= r && r <= 0x1f1ff }

// word judges the word that begins at start. ASCII letters before it belong to
// it too.
func (c *confusables) word(start int) {
	for start > 0 && asciiLetter(c.text[start-1]) {
		start--
	}
	var count [scripts]int
	alike := true
	end := start
	for i, r := range c.text[start:] {
		if !unicode.IsLetter(r) && !unicode.Is(unicode.Mn, r) {
			break
		}
		end = start + i + utf8.RuneLen(r)
		if unicode.IsLetter(r) {
			count[scriptOf(r)]++
			if _, like := scan.Lookalike(r); !like {
				alike = false
			}
		}
	}
	c.end, c.odd = end, other
	for s := latin + 1; s < scripts; s++ {
		mixed := count[s] > 0 && count[latin] > 0
		disguised := count[s] > 0 && alike && !c.plain[s]
		if mixed || disguised {
			c.odd = s
			return
		}
	}
}

func asciiLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

// asciiForm is the ASCII character that a symbol, a full-width or a mathematical
// letter passes for.
func asciiForm(r rune) (views.Like, bool) {
	if like, ok := likeASCII[r]; ok {
		return views.Like{Text: texts.Key("%s, looks like %s"), Of: like}, true
	}
	switch {
	case 0x2400 <= r && r <= 0x2426: // ␛, in a sentence the picture of a character that would break its line
		return views.Like{Text: texts.Key("%s, looks like a control character")}, true
	case '０' <= r && r <= '９', 'Ａ' <= r && r <= 'Ｚ', 'ａ' <= r && r <= 'ｚ': // the other full-width forms are ordinary Chinese and Japanese punctuation
		return views.Like{Text: texts.Key("%s, looks like %s"), Of: string(r - '！' + '!')}, true
	case 0x1d400 <= r && r <= 0x1d7ff, // mathematical letters and digits
		0x249c <= r && r <= 0x24e9, 0x1f110 <= r && r <= 0x1f149, // in parentheses, circles and squares
		0x2170 <= r && r <= 0x217f,                             // Roman numerals
		0x02b0 <= r && r <= 0x02b8, 0x1d2c <= r && r <= 0x1d6a: // raised and lowered
		return views.Like{Text: texts.Key("%s, looks like an ordinary letter or digit")}, true
	}
	return views.Like{}, false
}
