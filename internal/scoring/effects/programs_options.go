package effects

import (
	"strings"

	"github.com/countersign/countersign/internal/scoring/shell"
)

// evaluating are builtins that run the substitutions in the index of an array that they
// are given as a name: test -v 'a[$(id)]'.
var evaluating = setOf("test [ let printf read unset declare typeset local export readonly wait getopts mapfile readarray")

// evaluates adds that a builtin runs what stands in the index of a name.
func (x *commands) evaluates(name string, args []shell.Word) {
	if !evaluating[name] {
		return
	}
	for i, w := range args {
		if name == "printf" && (i == 0 || args[i-1].Text != "-v") && !strings.HasPrefix(w.Text, "-v") {
			continue
		}
		_, index, found := strings.Cut(w.Text, "[")
		if found && strings.Contains(index, "]") && (strings.Contains(index, "$(") || strings.Contains(index, "`")) {
			x.found("execute", "run", "command", name+" runs what an index holds")
			return
		}
	}
}

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
