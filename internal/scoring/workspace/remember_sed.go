package workspace

import (
	"strings"

	"github.com/countersign/countersign/internal/scoring/code"
)

// replaced are the texts that a script of sed, or a substitution of Perl, puts into a file:
// what stands behind the second mark of s/…/…/, and behind a, i and c.
func replaced(script string) string {
	var b strings.Builder
	for line := range strings.Lines(script) {
		rest := strings.TrimSpace(line)
		for rest != "" {
			at := strings.IndexAny(rest, "saic")
			if at < 0 || at+1 >= len(rest) {
				break
			}
			switch mark := rest[at+1]; {
			case rest[at] != 's':
				if mark == '\\' || mark == ' ' {
					b.WriteString(strings.TrimLeft(rest[at+1:], `\ `) + "\n")
					rest = ""
					continue
				}
				rest = rest[at+1:]
			case code.IsNameByte(mark) || mark == ' ' || mark == '\\':
				rest = rest[at+1:]
			default:
				_, after, ok := cutMark(rest[at+2:], mark)
				if !ok {
					rest = rest[at+1:]
					continue
				}
				text, behind, _ := cutMark(after, mark)
				b.WriteString(strings.ReplaceAll(text, `\n`, "\n") + "\n")
				rest = behind
			}
		}
	}
	return b.String()
}

// cutMark is what stands before and behind the next mark, past those behind a backslash.
func cutMark(text string, mark byte) (before, after string, ok bool) {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case mark:
			return text[:i], text[i+1:], true
		}
	}
	return text, "", false
}
