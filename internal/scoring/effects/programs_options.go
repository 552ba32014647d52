package effects

import (
	"strings"

	"github.com/countersign/countersign/internal/scoring/shell"
)

// perlInPlace reports whether the options of perl or ruby change the files themselves,
// and returns the letters of all of them.
func perlInPlace(args []shell.Word) (letters string, inPlace bool) {
	for i := 0; i < len(args); i++ {
		text := args[i].Text
		if len(text) < 2 || text[0] != '-' {
			continue
		}
		if text == "--" {
			break
		}
		for j := 1; j < len(text); j++ {
			c := text[j]
			if c == 'e' || c == 'E' {
				if j+1 == len(text) {
					i++ // the program
				}
				break
			}
			if c == 'i' {
				return letters + "i", true
			}
			if strings.IndexByte("nlpaswWtTucS0123456789", c) < 0 { // -M, -I, -F take the rest
				break
			}
			letters += string(c)
		}
	}
	return letters, false
}
