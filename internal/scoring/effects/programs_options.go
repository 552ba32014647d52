package effects

import (
	"strings"

	"github.com/countersign/countersign/internal/scoring/shell"
)

// What programs that only read write where an option, or a second operand, says so.

func (x *commands) sort(_ shell.Command, args []shell.Word) {
	x.found("read", "print", "", "sort prints")
	for i := 0; i < len(args); i++ {
		w := args[i]
		switch {
		case w.Text == "--output" && i+1 < len(args):
			i++
			x.writes(args[i], "writes")
		case strings.HasPrefix(w.Text, "--output="):
			w.Text = strings.TrimPrefix(w.Text, "--output=")
			x.writes(w, "writes")
		case strings.HasPrefix(w.Text, "--compress-program"):
			x.found("execute", "run", "command", "sort runs a program")
		case len(w.Text) > 1 && w.Text[0] == '-' && w.Text[1] != '-': // -uo file, -nofile
			at := strings.IndexAny(w.Text, "okStT")
			if at < 0 {
				continue
			}
			option := w.Text[at]
			value := w
			if value.Text = w.Text[at+1:]; value.Text == "" && i+1 < len(args) {
				i++
				value = args[i]
			}
			if option == 'o' && value.Text != "" && !isSink(value.Text) {
				x.writes(value, "writes")
			}
		}
	}
	x.readsFiles(args)
}

// unique is uniq: its second operand is the file that it writes.
func (x *commands) unique(_ shell.Command, args []shell.Word) {
	x.found("read", "print", "", "uniq prints")
	operands := taken("uniq", args).Operands
	x.readsFiles(operands)
	if len(operands) < 2 || isSink(operands[1].Text) {
		return
	}
	if isOld(operands[1]) {
		x.overwrites(operands[1], "overwrites")
		return
	}
	x.writes(operands[1], "writes")
}

// sedFlags are the flags of a command s of sed, behind its third separator.
func sedFlags(command string) (string, bool) {
	if len(command) < 4 || command[0] != 's' || strings.IndexByte("\\\n \t", command[1]) >= 0 {
		return "", false
	}
	separators := 0
	for i := 1; i < len(command); i++ {
		switch command[i] {
		case '\\':
			i++
		case command[1]:
			if separators++; separators == 3 {
				return command[i+1:], true
			}
		}
	}
	return "", false
}

// sedFlagsRun reports whether flags of s run what was put in, or write a file.
func sedFlagsRun(command string) bool {
	flags, _ := sedFlags(command)
	for i := 0; i < len(flags); i++ {
		switch {
		case flags[i] == 'e':
			return true
		case flags[i] == 'w':
			return !isSink(strings.TrimSpace(flags[i+1:]))
		case strings.IndexByte("gpiImM0123456789", flags[i]) < 0:
			return false
		}
	}
	return false
}

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
