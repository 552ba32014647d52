package effects

import (
	"strings"

	"github.com/countersign/countersign/internal/scoring/shell"
)

func (x *commands) find(_ shell.Command, args []shell.Word) {
	why := "find lists files"
	for i, w := range args[:max(len(args)-1, 0)] {
		if strings.HasPrefix(w.Text, "-exec") || strings.HasPrefix(w.Text, "-ok") {
			why = "find runs " + short(args[i+1].Text) + " on the files that it finds"
			break
		}
	}
	x.found("read", "find", "file", why)
	x.findsSecrets(args)
	for i, w := range args {
		switch w.Text {
		case "-delete":
			start := shell.Word{Text: ".", Literal: true}
			if len(args) > 0 && !strings.HasPrefix(args[0].Text, "-") {
				start = args[0]
			}
			e := x.found("delete", "delete", "file", "find deletes what it finds in "+short(start.Text))
			e.Breadth = Several
			if x.wide(start, true) == All && i <= 2 {
				e.Breadth = All
			}
		case "-fprint", "-fprintf", "-fls", "-fprint0":
			if i+1 < len(args) {
				x.overwrites(args[i+1], "writes")
			}
		}
	}
}

func (x *commands) sed(_ shell.Command, args []shell.Word) {
	inPlace := false
	var operands []shell.Word
	scripts := []string{}
	for i := 0; i < len(args); i++ {
		text := args[i].Text
		switch {
		case text == "-e" || text == "--expression":
			if i+1 < len(args) {
				scripts = append(scripts, args[i+1].Text)
				i++
			}
		case text == "-f" || text == "--file":
			x.found("execute", "run", "script", "sed runs a script from a file")
			scripts = append(scripts, "")
			i++
		case strings.HasPrefix(text, "--expression="):
			scripts = append(scripts, strings.TrimPrefix(text, "--expression="))
		case strings.HasPrefix(text, "--in-place"), strings.HasPrefix(text, "-") && !strings.HasPrefix(text, "--") && strings.Contains(text, "i") && len(text) < 8:
			inPlace = true
		case strings.HasPrefix(text, "-") && len(text) > 1:
		default:
			operands = append(operands, args[i])
		}
	}
	if len(scripts) == 0 && len(operands) > 0 {
		scripts, operands = append(scripts, operands[0].Text), operands[1:]
	}
	for _, s := range scripts {
		if sedRuns(s) {
			x.found("execute", "run", "command", "the script of sed runs commands or writes files")
		}
	}
	if !inPlace {
		x.found("read", "print", "", "sed prints")
		x.readsFiles(operands)
		return
	}
	if len(operands) == 0 {
		x.found("write", "change", "file", "sed changes files")
	}
	for i, w := range operands {
		x.writes(w, "changes")
		if i == maxEvidence {
			break
		}
	}
}

// sedRuns reports whether a script of sed has a command e or w, or such a flag of s.
func sedRuns(script string) bool {
	if sedFlagsRun(strings.TrimLeft(script, " \t0123456789,$!+~")) { // what it replaces may hold a separator of commands
		return true
	}
	for _, line := range strings.FieldsFunc(script, func(r rune) bool { return r == '\n' || r == ';' || r == '}' || r == '{' }) {
		line = strings.TrimLeft(line, " \t0123456789,$!+~")
		if line == "" {
			continue
		}
		if line[0] == '/' { // an address
			if i := strings.LastIndexByte(line[1:], '/'); i >= 0 {
				line = strings.TrimLeft(line[i+2:], " \t,!I")
			}
		}
		if line == "e" || strings.HasPrefix(line, "e ") || strings.HasPrefix(line, "w ") || strings.HasPrefix(line, "W ") || strings.HasPrefix(line, "w/") {
			return true
		}
		if sedFlagsRun(line) {
			return true
		}
	}
	return false
}

func (x *commands) awk(_ shell.Command, args []shell.Word) {
	x.found("read", "print", "", "awk prints")
	for i := 0; i < len(args); i++ {
		text := args[i].Text
		switch {
		case text == "-f" || text == "--file" || strings.HasPrefix(text, "--file="):
			x.found("execute", "run", "script", "awk runs a script from a file")
		case text == "-F" || text == "-v":
			i++
		case text == "-i" && i+1 < len(args) && args[i+1].Text == "inplace":
			x.found("write", "change", "file", "awk changes files")
			i++
		case strings.HasPrefix(text, "-i") || text == "-l" || text == "-E" || strings.HasPrefix(text, "--include") || strings.HasPrefix(text, "--load") || strings.HasPrefix(text, "--exec"):
			x.found("execute", "load", "module", "awk loads a module")
			if len(text) == 2 {
				i++
			}
		case (text == "-e" || text == "--source") && i+1 < len(args):
			i++
			x.program(args[i].Text)
		case strings.HasPrefix(text, "-"):
		default:
			x.program(text)
			x.readsFiles(args[i+1:])
			return
		}
	}
}

// program reads a program of awk: what it runs, and the files that it writes.
func (x *commands) program(text string) {
	if strings.Contains(text, "system") && strings.Contains(text, "(") {
		_, rest, _ := strings.Cut(text, "system")
		rest = strings.TrimLeft(rest, " \t(")
		if quoted, tail, ok := strings.Cut(strings.TrimPrefix(rest, `"`), `"`); ok && strings.HasPrefix(rest, `"`) && strings.HasPrefix(strings.TrimLeft(tail, " "), ")") {
			x.inner(quoted)
		}
		x.found("execute", "run", "command", "the program of awk runs commands")
		return
	}
	if strings.Contains(text, "|&") || strings.Contains(text, `| "`) || strings.Contains(text, `|"`) || strings.Contains(text, `" |`) || strings.Contains(text, `"|`) && strings.Contains(text, "getline") {
		x.found("execute", "run", "command", "the program of awk runs commands")
	}
	if i := strings.Index(text, `> "`); i >= 0 || strings.Contains(text, `>"`) {
		x.found("write", "write", "file", "the program of awk writes files")
	}
}

// inner adds what a text does that stands in an argument and is run.
func (x *commands) inner(text string) {
	c := x.current
	for _, e := range shellEffects(x.source.Inner(text), x.pointer) {
		for i := range e.Evidence {
			e.Evidence[i].Start, e.Evidence[i].End = c.Start, c.End
		}
		x.all = append(x.all, e)
	}
}

func (x *commands) ripgrep(_ shell.Command, args []shell.Word) {
	x.found("read", "search", "", "rg searches")
	x.searchesAll("rg", args)
	for _, w := range args {
		if strings.HasPrefix(w.Text, "--pre") && !strings.HasPrefix(w.Text, "--pretty") || strings.HasPrefix(w.Text, "--hostname-bin") {
			x.found("execute", "run", "command", "rg runs a program for each file")
		}
	}
	x.readsFiles(args)
}
