package workspace

import (
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/scoring/code"
)

// child reads what runs a command: one that is a literal is read as the shell text that it
// is, any other cannot be read.
func (r *codeReader) child(u code.Use) {
	if strings.HasSuffix(u.Path, "$") { // of many, only that of a text behind it
		if args := r.code.Arguments(u); len(args) != 1 || !strings.HasPrefix(args[0].Source, "`") {
			return
		}
	}
	text, ok := r.command(u)
	if !ok {
		r.found(Child, u.Start, u.End, "it starts a program that can't be read, with "+u.Path)
		return
	}
	if !r.commands[text] {
		r.commands[text] = true
		readShell(r.textFindings, text, u.Start, u.End, r.b)
	}
}

// command is the shell text of a call that runs a command. What is known only when it runs
// stands in it as a variable, which no text may be assembled of.
func (r *codeReader) command(u code.Use) (string, bool) {
	args := r.code.Arguments(u)
	args = slices.DeleteFunc(slices.Clone(args), func(a code.Argument) bool {
		return a.Name != "" && a.Name != "*" && !slices.Contains([]string{"args", "cmd", "command"}, a.Name)
	})
	name := u.Path[strings.LastIndexByte(u.Path, '.')+1:]
	if len(args) == 0 {
		return "", false
	}
	first := args[0]
	words := strings.HasPrefix(name, "exec") && !r.js || strings.HasPrefix(name, "spawn") || strings.HasPrefix(name, "execFile") || strings.HasPrefix(name, "posix_spawn") || name == "fork" || name == "create_subprocess_exec" ||
		name == "Command" || strings.HasPrefix(name, "execa") || name == "sync"
	switch {
	case first.IsList:
		return r.shellText(first.List)
	case !words:
		return first.Text, first.Literal
	case strings.HasPrefix(name, "spawn") && !r.js: // os.spawnlp(mode, file, …)
		if args = args[1:]; len(args) == 0 {
			return "", false
		}
		first = args[0]
	case name == "fork":
		args = append([]code.Argument{{Text: "node", Literal: true}}, args...)
	}
	if len(args) > 1 && args[1].IsList {
		list := args[1].List
		if !r.js && len(list) > 0 && (strings.HasPrefix(name, "exec") || strings.HasPrefix(name, "spawn") || strings.HasPrefix(name, "posix")) {
			list = list[1:] // the name that it is told
		}
		return r.shellText(append([]code.Argument{first}, list...))
	}
	if r.js { // spawn("git status", {shell: true}), fork("worker.js")
		if name == "fork" {
			return r.shellText(args[:2])
		}
		if strings.Contains(first.Text, " ") || len(args) == 1 {
			return first.Text, first.Literal
		}
		return r.shellText([]code.Argument{first, {Name: "*"}})
	}
	if strings.HasPrefix(name, "execl") || strings.HasPrefix(name, "spawnl") {
		args = slices.Delete(slices.Clone(args), min(1, len(args)-1), min(2, len(args)))
	}
	return r.shellText(args)
}

// unknownWord is a word of a command that only the program knows that runs it.
const unknownWord = `"$x"`

// shellText are the words of a command as a shell has them.
func (r *codeReader) shellText(words []code.Argument) (string, bool) {
	var b strings.Builder
	for i, w := range words {
		switch {
		case i > 0:
			b.WriteByte(' ')
		case !w.Literal:
			program, ok := ownInterpreter(w.Source)
			if !ok {
				return "", false
			}
			b.WriteString(program)
			continue
		}
		switch {
		case w.Literal:
			b.WriteString("'" + strings.ReplaceAll(w.Text, "'", `'\''`) + "'")
		case w.Name == "*":
			b.WriteString(`"$@"`)
		default:
			b.WriteString(unknownWord)
		}
	}
	return b.String(), len(words) > 0
}

// ownInterpreter is what a program calls the one that runs it.
func ownInterpreter(source string) (string, bool) {
	switch source {
	case "sys.executable":
		return "python3", true
	case "process.execPath", "process.argv[0]", "process.argv0":
		return "node", true
	}
	return "", false
}
