package console

import (
	"unicode"
	"unicode/utf8"

	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/texts"
)

// What looks like something else. A full confusables table would flag every
// second word of ordinary Russian or Greek; what deceives is a letter of another
// script inside a Latin word, a word made only of look-alikes, and the few
// symbols that pass for ASCII in paths, commands and numbers.

// likeLatin are the Cyrillic, Greek and Armenian letters that most fonts draw as
// Latin ones.
var likeLatin = map[rune]byte{
	'а': 'a', 'с': 'c', 'ԁ': 'd', 'е': 'e', 'һ': 'h', 'і': 'i', 'ј': 'j', 'ӏ': 'l', 'о': 'o', 'р': 'p', 'ԛ': 'q', 'ѕ': 's', 'ԝ': 'w', 'х': 'x', 'у': 'y',
	'А': 'A', 'В': 'B', 'С': 'C', 'Е': 'E', 'Н': 'H', 'І': 'I', 'Ј': 'J', 'К': 'K', 'М': 'M', 'О': 'O', 'Р': 'P', 'Ѕ': 'S', 'Т': 'T', 'Х': 'X', 'Ү': 'Y', 'Ӏ': 'I',
	'α': 'a', 'ι': 'i', 'κ': 'k', 'ν': 'v', 'ο': 'o', 'ρ': 'p', 'υ': 'u', 'χ': 'x', 'ϲ': 'c', 'ϳ': 'j',
	'Α': 'A', 'Β': 'B', 'Ε': 'E', 'Ζ': 'Z', 'Η': 'H', 'Ι': 'I', 'Κ': 'K', 'Μ': 'M', 'Ν': 'N', 'Ο': 'O', 'Ρ': 'P', 'Τ': 'T', 'Υ': 'Y', 'Χ': 'X',
	'օ': 'o', 'ո': 'n', 'ս': 'u', 'հ': 'h',
	'ı': 'i', 'ɑ': 'a', 'ɡ': 'g', 'ⅼ': 'l', 'ⅰ': 'i', 'ⅴ': 'v', 'ⅹ': 'x', 'ⅽ': 'c', 'ⅾ': 'd', 'ⅿ': 'm',
}

// likeASCII are symbols that pass for ASCII ones.
var likeASCII = map[rune]string{
	'∕': "/", '⁄': "/", '⧸': "/", '╱': "/", '∖': `\`, '⧵': `\`, '․': ".", '‧': ".",
	'꞉': ":", '∶': ":", 'ː': ":", '‐': "-", '‑': "-", '−': "-", '﹣': "-", '‚': ",", '٬': ",", ';': ";",
	'ǃ': "!", '‹': "<", '›': ">", '∣': "|", 'ǀ': "|", '⁎': "*", '∗': "*",
	'ˍ': "_", '∼': "~", '．': ".", '／': "/", '＼': `\`, '－': "-", '＿': "_", '＠': "@", '＄': "$",
}

// script is one of those that are mixed to deceive; 0 is every other one.
type script uint8

const (
	other script = iota
	latin
	cyrillic
	greek
	armenian
	scripts
)

func scriptOf(r rune) script {
	switch {
	case r < utf8.RuneSelf || unicode.Is(unicode.Latin, r):
		return latin
	case unicode.Is(unicode.Cyrillic, r):
		return cyrillic
	case unicode.Is(unicode.Greek, r):
		return greek
	case unicode.Is(unicode.Armenian, r):
		return armenian
	default:
		return other
	}
}

// oddities judges the characters of one text, in order.
type oddities struct {
	text string
	// plain says which scripts have a letter in this text that looks like no Latin
	// one: then words in it are what they seem to be.
	plain [scripts]bool
	end   int    // end of the word that was judged last
	odd   script // the script that is odd in that word; 0 for none
}

func newOddities(s string) oddities {
	o := oddities{text: s}
	for _, r := range s {
		if r < utf8.RuneSelf || !unicode.IsLetter(r) {
			continue
		}
		if _, like := likeLatin[r]; !like {
			o.plain[scriptOf(r)] = true
		}
	}
	return o
}

// at reports what the character at a place looks like, if that deceives. Places
// must not go back.
func (o *oddities) at(place int, r rune) (views.Like, bool) {
	if like, ok := asciiForm(r); ok {
		return like, true
	}
	if !unicode.IsLetter(r) {
		return views.Like{}, false
	}
	if place >= o.end {
		o.word(place)
	}
	s := scriptOf(r)
	like, known := likeLatin[r]
	switch {
	case s == other || s == latin && !known || s != latin && s != o.odd:
		return views.Like{}, false
	case known: // of another script, or ı, ɑ: Latin letters that pass for others
		return views.Like{Text: texts.Key("%s, looks like Latin %s"), Of: string(rune(like))}, true
	default:
		return views.Like{Text: texts.Key("%s, looks like a letter of the same script as its neighbours")}, true
	}
}

// word judges the word that begins at start. ASCII letters before it belong to
// it too.
func (o *oddities) word(start int) {
	for start > 0 && asciiLetter(o.text[start-1]) {
		start--
	}
	var count [scripts]int
	alike := true
	end := start
	for i, r := range o.text[start:] {
		if !unicode.IsLetter(r) && !unicode.Is(unicode.Mn, r) {
			break
		}
		end = start + i + utf8.RuneLen(r)
		if unicode.IsLetter(r) {
			count[scriptOf(r)]++
			if _, like := likeLatin[r]; !like {
				alike = false
			}
		}
	}
	o.end, o.odd = end, other
	for s := cyrillic; s < scripts; s++ {
		mixed := count[s] > 0 && count[latin] > 0
		disguised := count[s] > 0 && alike && !o.plain[s]
		if mixed || disguised {
			o.odd = s
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
	case 0x1d400 <= r && r <= 0x1d7ff: // MATHEMATICAL letters and digits
		return views.Like{Text: texts.Key("%s, looks like an ordinary letter or digit")}, true
	}
	return views.Like{}, false
}
