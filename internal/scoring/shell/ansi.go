package shell

import (
	"strconv"
	"strings"
)

// ansi decodes the escapes of $'…', which are those of printf and echo -e too.
func ansi(text string) string {
	if strings.IndexByte(text, '\\') < 0 {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			b.WriteByte(text[i])
			continue
		}
		i++
		switch c := text[i]; c {
		case 'n':
			b.WriteByte('\n')
		case 't':
			b.WriteByte('\t')
		case 'r':
			b.WriteByte('\r')
		case 'a', 'b', 'f', 'v':
			b.WriteByte("\a\b\f\v"[strings.IndexByte("abfv", c)])
		case 'e', 'E':
			b.WriteByte(0x1b)
		case 'x':
			i += number(&b, text[i+1:], 2, 16, false)
		case 'u':
			i += number(&b, text[i+1:], 4, 16, true)
		case 'U':
			i += number(&b, text[i+1:], 8, 16, true)
		case '0', '1', '2', '3', '4', '5', '6', '7':
			i += number(&b, text[i:], 3+btoi(c == '0'), 8, false) - 1
		case 'c':
			if i+1 < len(text) {
				i++
				b.WriteByte(text[i] & 0x1f)
			}
		default:
			if strings.IndexByte(`\'"?`, c) < 0 {
				b.WriteByte('\\')
			}
			b.WriteByte(c)
		}
	}
	return b.String()
}

// number writes the character with a number, and returns how many digits that had.
func number(b *strings.Builder, text string, most, base int, isRune bool) int {
	n := 0
	for n < min(most, len(text)) {
		if _, err := strconv.ParseUint(text[n:n+1], base, 32); err != nil {
			break
		}
		n++
	}
	v, err := strconv.ParseUint(text[:n], base, 32)
	switch {
	case err != nil:
	case isRune:
		b.WriteRune(rune(v))
	default:
		b.WriteByte(byte(v))
	}
	return n
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
