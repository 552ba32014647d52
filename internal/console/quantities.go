package console

import (
	"strings"

	"github.com/countersign/countersign/views/texts"
)

// bytesOf is "1 byte", "48,213 bytes".
func bytesOf(say texts.Printer, n int) string { return say.Say("%d bytes", n) }

// grouped writes a whole number in the way of the language: 48,213.
func grouped[N int | int64](say texts.Printer, n N) string { return say.Say("%d", n) }

// lines is "12 lines, 340 bytes".
func sizeOf(say texts.Printer, s string) string {
	return say.Say("%d lines, %s", strings.Count(s, "\n")+1, bytesOf(say, len(s)))
}
