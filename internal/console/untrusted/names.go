package untrusted

import (
	"fmt"
	"unicode"

	"golang.org/x/text/unicode/runenames"
)

// hidden reports whether a character must be shown by its name: it draws nothing,
// draws only space, changes the order or shape of what stands around it, or has
// no meaning that everybody shares (docs/reading.md).
func hidden(r rune) bool {
	switch {
	case r == '\n' || r == '\t' || ' ' <= r && r < 0x7f:
		return false
	case unicode.Is(unicode.Prepended_Concatenation_Mark, r):
		return false // drawn, although they are format characters (Arabic number signs)
	case !unicode.IsGraphic(r): // control, format, private use, separators, unassigned
		return true
	case unicode.Is(unicode.Zs, r): // spaces that are not the space
		return true
	case unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector):
		return true
	}
	switch r {
	case '\u2800', // BRAILLE PATTERN BLANK
		'\u1680',     // OGHAM SPACE MARK
		'\ufffc',     // OBJECT REPLACEMENT CHARACTER
		'\U0001d159', // MUSICAL SYMBOL NULL NOTEHEAD
		'\U00016fe4': // KHITAN SMALL SCRIPT FILLER
		return true
	}
	return false
}

// short are the names that people who know these characters use.
var short = map[rune]string{
	'\u00a0': "NBSP", '\u00ad': "SHY", '\u034f': "CGJ", '\u061c': "ALM", '\u180e': "MVS",
	'\u200b': "ZWSP", '\u200c': "ZWNJ", '\u200d': "ZWJ", '\u200e': "LRM", '\u200f': "RLM",
	'\u202a': "LRE", '\u202b': "RLE", '\u202c': "PDF", '\u202d': "LRO", '\u202e': "RLO",
	'\u2066': "LRI", '\u2067': "RLI", '\u2068': "FSI", '\u2069': "PDI",
	'\u2028': "LINE SEP", '\u2029': "PARA SEP", '\u202f': "NNBSP", '\u205f': "MMSP", '\u3000': "IDSP",
	'\u2002': "ENSP", '\u2003': "EMSP", '\u2007': "FIGSP", '\u2009': "THSP", '\u200a': "HAIRSP",
	'\u2060': "WJ", '\u2061': "FN APPLY", '\u2062': "INV TIMES", '\u2063': "INV SEP", '\u2064': "INV PLUS",
	'\u2800': "BLANK", '\u3164': "FILLER", '\uffa0': "FILLER", '\u115f': "FILLER", '\u1160': "FILLER",
	'\ufeff': "BOM", '\ufffc': "OBJECT",
}

// controls are the names of C0, DEL and C1 as ISO 6429 and the Unicode aliases
// have them: in the Unicode table itself they are all called <control>.
var controls = map[rune][2]string{
	0x00: {"NUL", "NULL"},
	0x01: {"SOH", "START OF HEADING"}, 0x02: {"STX", "START OF TEXT"}, 0x03: {"ETX", "END OF TEXT"},
	0x04: {"EOT", "END OF TRANSMISSION"}, 0x05: {"ENQ", "ENQUIRY"}, 0x06: {"ACK", "ACKNOWLEDGE"}, 0x07: {"BEL", "BELL"},
	0x08: {"BS", "BACKSPACE"}, 0x0b: {"VT", "LINE TABULATION"}, 0x0c: {"FF", "FORM FEED"}, 0x0d: {"CR", "CARRIAGE RETURN"},
	0x0e: {"SO", "SHIFT OUT"}, 0x0f: {"SI", "SHIFT IN"}, 0x10: {"DLE", "DATA LINK ESCAPE"}, 0x11: {"DC1", "DEVICE CONTROL ONE"},
	0x12: {"DC2", "DEVICE CONTROL TWO"}, 0x13: {"DC3", "DEVICE CONTROL THREE"}, 0x14: {"DC4", "DEVICE CONTROL FOUR"},
	0x15: {"NAK", "NEGATIVE ACKNOWLEDGE"}, 0x16: {"SYN", "SYNCHRONOUS IDLE"}, 0x17: {"ETB", "END OF TRANSMISSION BLOCK"},
	0x18: {"CAN", "CANCEL"}, 0x19: {"EM", "END OF MEDIUM"}, 0x1a: {"SUB", "SUBSTITUTE"}, 0x1b: {"ESC", "ESCAPE"},
	0x1c: {"FS", "INFORMATION SEPARATOR FOUR"}, 0x1d: {"GS", "INFORMATION SEPARATOR THREE"},
	0x1e: {"RS", "INFORMATION SEPARATOR TWO"}, 0x1f: {"US", "INFORMATION SEPARATOR ONE"},
	0x7f: {"DEL", "DELETE"}, 0x85: {"NEL", "NEXT LINE"}, 0x90: {"DCS", "DEVICE CONTROL STRING"},
	0x9b: {"CSI", "CONTROL SEQUENCE INTRODUCER"}, 0x9d: {"OSC", "OPERATING SYSTEM COMMAND"},
}

// shortName stands in the text in place of the character.
func shortName(r rune) string {
	if n, ok := short[r]; ok {
		return n
	}
	if n, ok := controls[r]; ok {
		return n[0]
	}
	switch {
	case 0xe0021 <= r && r <= 0xe007e: // a tag is an invisible copy of an ASCII character
		return "TAG " + string(r-0xe0000)
	case 0xfe00 <= r && r <= 0xfe0f:
		return fmt.Sprintf("VS%d", r-0xfe00+1)
	case 0xe0100 <= r && r <= 0xe01ef:
		return fmt.Sprintf("VS%d", r-0xe0100+17)
	case unicode.Is(unicode.Co, r):
		return "PRIVATE"
	case unicode.Is(unicode.Cc, r):
		return "CONTROL"
	case unicode.Is(unicode.Zs, r):
		return "SPACE"
	case unicode.In(r, unicode.Mn, unicode.Me):
		return "MARK"
	default:
		return "HIDDEN"
	}
}

// fullName is the character's name in the Unicode table.
func fullName(r rune) string {
	if n, ok := controls[r]; ok {
		return n[1]
	}
	if n := runenames.Name(r); n != "" && n[0] != '<' {
		return n
	}
	switch {
	case unicode.Is(unicode.Co, r):
		return "PRIVATE USE CHARACTER"
	case unicode.Is(unicode.Cc, r):
		return "CONTROL CHARACTER"
	case unicode.IsGraphic(r):
		return "CHARACTER " + code(r)
	default:
		return "CHARACTER WITHOUT A NAME"
	}
}
