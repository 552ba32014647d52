package present

import (
	"strings"

	"github.com/countersign/countersign/views/texts"
)

// BytesOf is "1 byte", "48,213 bytes".
func BytesOf(say texts.Printer, n int) string { return say.Say("%d bytes", n) }

// Grouped writes a whole number in the way of the language: 48,213.
func Grouped[N int | int64](say texts.Printer, n N) string { return say.Say("%d", n) }

// lines is "12 lines, 340 bytes".
func SizeOf(say texts.Printer, s string) string {
	return say.Say("%d lines, %s", strings.Count(s, "\n")+1, BytesOf(say, len(s)))
}
