// Package untrustedtest has texts that deceive, and reads back what was drawn of them. It is for tests.
package untrustedtest

import (
	"strconv"
	"strings"
	"unicode/utf16"

	"pgregory.net/rapid"

	"github.com/countersign/countersign/views"
)

// Undo reads a text back from its runs, as views.Run says.
func Undo(t rapid.TB, shown []views.Run) string {
	t.Helper()
	var b strings.Builder
	for _, r := range shown {
		switch r.Kind {
		case views.RunHidden, views.RunOdd:
			if strings.HasPrefix(r.Code, "0x") {
				b.WriteString(r.Raw)
				continue
			}
			n, err := strconv.ParseInt(strings.TrimPrefix(r.Code, "U+"), 16, 32)
			if err != nil {
				t.Fatalf("code %q: %v", r.Code, err)
			}
			b.WriteRune(rune(n))
		case views.RunFold:
			b.WriteString(r.Raw)
		default:
			b.WriteString(r.Text)
		}
	}
	return b.String()
}

// Hostile are texts that were made to deceive. Named is what must stand in the
// page for each, "" where the text is ordinary and must stay untouched.
var Hostile = []struct{ Name, Text, Named string }{
	{"plain", "DROP TABLE orders", ""},
	{"markup", "<script>alert(1)</script><img src=x onerror=1>", ""},
	{"entity", "&lt;b&gt; &#x202e; &amp;", ""},
	{"arabic", "مرحبا بالعالم", ""},
	{"hebrew", "שלום עולם", ""},
	{"persian with ZWNJ", "می\u200cخواهم", "ZWNJ"},
	{"russian", "Удалить пользователя навсегда", ""},
	{"greek", "διαγραφή χρήστη", ""},
	{"chinese", "删除用户，确认？（是）。", ""},
	{"thai", "ลบผู้ใช้ที่นี่", ""},
	{"hindi", "उपयोगकर्ता को हटाएं", ""},
	{"emoji", "ship it 🚀🔥", ""},
	{"emoji family", "👨\u200d👩\u200d👧", "ZWJ"},
	{"emoji style", "❤\ufe0f", "VS16"},
	{"accents", "Zoë Åström", ""},
	{"decomposed", "Zoe\u0308", ""},
	{"override", "invoice_\u202egpj.exe", "RLO"},
	{"isolates", "a\u2066b\u2067c\u2068d\u2069", "LRI"},
	{"embedding", "a\u202ab\u202bc\u202cd\u202d", "LRE"},
	{"marks", "a\u200eb\u200fc\u061c", "ALM"},
	{"zero width space", "usr_\u200b123", "ZWSP"},
	{"joiner", "usr_\u2060123", "WJ"},
	{"bom inside", "usr\ufeff_123", "BOM"},
	{"soft hyphen", "prod\u00aduction", "SHY"},
	{"tags", "ok\U000e0069\U000e0067\U000e006e", "TAG i"},
	{"variation selector data", "x\U000e0100\U000e0151", "VS17"},
	{"private use", "\ue000\U000f0001", "PRIVATE"},
	{"next line", "one\u0085two", "NEL"},
	{"line separator", "one\u2028two\u2029three", "LINE SEP"},
	{"carriage return", "safe\rDROP", "CR"},
	{"ansi", "\x1b[2K\x1b[1Ahello", "ESC"},
	{"c1", "\u009b31mred", "CSI"},
	{"backspace", "rm -rf /\b\b\b\bls", "BS"},
	{"delete", "a\x7fb", "DEL"},
	{"no-break space", "rm\u00a0-rf", "NBSP"},
	{"ideographic space", "a\u3000b", "IDSP"},
	{"hangul filler", "\u3164\u115f", "FILLER"},
	{"braille blank", "a\u2800b", "BLANK"},
	{"grapheme joiner", "a\u034fb", "CGJ"},
	{"unassigned", "a\u0378b", "HIDDEN"},
	{"mixed scripts", "Dana Wh\u0435eler", "е"},
	{"whole word of look-alikes", "\u0430\u0440\u0440\u04cf\u0435", "а"},
	{"a selector in a word", "d\ufe0felete", "VS16"},
	{"a far selector in a word", "d\U000e0100elete", "VS17"},
	{"a filler in a word", "d\uffa0el\u3164ete", "FILLER"},
	{"small capitals", "ᴅᴇʟᴇᴛᴇ", "ᴅ"},
	{"Lisu in a word", "ꓓelete", "ꓓ"},
	{"a word of Lisu", "ꓓꓰꓡꓰꓔꓰ", "ꓰ"},
	{"a word of Cherokee", "ᎠᎬᏞᎬᎢᎬ", "Ꮮ"},
	{"Cherokee", "ᏣᎳᎩ ᎦᏬᏂᎯᏍᏗ", ""},
	{"letters of flags", "🇩🇪🇱🇪🇹🇪", "🇱"},
	{"flags", "Berlin 🇩🇪, Wien 🇦🇹", ""},
	{"squares", "🅳el", "🅳"},
	{"circles", "ⓓel", "ⓓ"},
	{"struck through", "d̶e̶l̶", "MARK"},
	{"in circles", "d\u20ddel", "MARK"},
	{"not equal", "a =\u0338 b", ""},
	{"full width", "ｒｍ -rf", "ｒ"},
	{"mathematical", "𝐫𝐦 -rf", "𝐫"},
	{"slash", "etc∕passwd", "∕"},
	{"minus", "−100", "−"},
	{"stacked marks", "a" + strings.Repeat("\u0301", 40), "MARK"},
	{"lonely mark", "\u0301a", "MARK"},
	{"blank lines", "harmless" + strings.Repeat("\n", 60) + "DROP", "59 blank lines"},
	{"blank lines of spaces", "a\n  \n\t\n \n   \n\nb", "5 blank lines"},
	{"far right", "harmless" + strings.Repeat(" ", 500) + "DROP", "500 spaces"},
	{"white space ends", "  a  ", ""},
	{"not utf-8", "a\xff\xfeb", "not UTF-8"},
	{"surrogate bytes", "a\xed\xa0\x80b", "not UTF-8"},
}

// HostileCode are texts that a highlighter trips over: never closed, nested, of hidden
// characters, with another line break.
func HostileCode() []string {
	all := []string{
		"SELECT '\u202eDROP", "/* /* */ DROP", "SELECT $$x$$; $a$ '", "--\u2028DROP TABLE x", "SELECT \"a\u200bb\" /*",
		"echo \"$(rm -rf /", "cat <<EOF\n$(x)\nEO", "a='\u200b' ; `b", "${a:-${b", "\\\u202e", "if\u00a0fi", "#!/bin/sh\r\nrm\r\n",
		`{"a":"` + strings.Repeat(`\`, 99), `{"` + "\u202e" + `":1,`, `[[[[{"a":[}`, "\"\\ud800\"",
		"'''\u200b", "f\"{f'{x}", "def \u0430(", "@\u202e", "import\\\n", "%(a)" + strings.Repeat("0", 99),
		"diff --git a b\n--- a\n+++ b\n@@ -1 +1 @@\n-\u202ea\n+\tb\r\n\\ No newline", "+\n-\n \n", "--- \u200b",
		"e\u0301\u0301'\u0301\u0301", "\u0301", "👩🏽\u200d💻 = '👨\u200d👩'",
	}
	for _, h := range Hostile {
		all = append(all, h.Text, "SELECT '"+h.Text+"' -- "+h.Text)
	}
	return all
}

func Admitted(r rune) bool {
	return r != 0 && !utf16.IsSurrogate(r) && r&0xfffe != 0xfffe && (r < 0xfdd0 || r > 0xfdef)
}
