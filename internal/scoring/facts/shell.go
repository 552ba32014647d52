package facts

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/countersign/countersign/internal/scoring/shell"
	"github.com/countersign/countersign/internal/scoring/wordlist"
)

// Source 3: command lines. The package shell lists their commands, those of shells inside
// of shells too, and the options and operands of each are read as the program does
// (command.go). Where a text is not said to be a command, it must
// begin with a known program and look like a call of it.

// runsCommands reports whether the words of a function's name say that it runs commands.
func runsCommands(words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return hasWord("bash shell sh command cmd terminal zsh powershell", w) })
}

// Words that say that a text is prose: those that follow no program, and the
// programs that are English words, which need more than a path somewhere behind
// them.
const (
	prose   = "is are was were the a an and or to for in on of has have can will seems should must that this it my your our please"
	english = "install make cut find sort head tail time test date more less which touch mount kill file top go source set export echo host watch service cat"
)

// isCommand reports whether a text is a command line.
func (c *collector) isCommand(text string) bool {
	if c.as.shell {
		return true
	}
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, "#!") {
		first, _, _ := strings.Cut(text, "\n")
		return strings.HasSuffix(strings.Fields(first + " ")[0], "sh") || strings.HasSuffix(first, "sh")
	}
	first, rest, _ := strings.Cut(text, " ")
	for isAssignment(first) {
		first, rest, _ = strings.Cut(strings.TrimLeft(rest, " "), " ")
	}
	if !knownProgram(first) {
		return false
	}
	next, _, _ := strings.Cut(strings.TrimLeft(rest, " "), " ")
	if next != "" && hasWord(prose, next) {
		return false
	}
	switch first {
	case "sudo", "doas", "nohup", "xargs":
		return next != ""
	case "env", "time", "timeout", "chroot":
		return next != "" && (isAssignment(next) || strings.IndexByte("-/0123456789", next[0]) >= 0 || knownProgram(next))
	}
	switch _, p, _ := findProgram(first); p.class {
	case versions, cluster, images, plans, cloud, services:
		return next != "" && strings.Trim(next, "abcdefghijklmnopqrstuvwxyz0123-") == ""
	case service:
		return len(strings.Fields(text)) == 3
	case things:
		return next != "" && (next[0] == '-' || strings.Trim(next, "0123456789") == "" || len(strings.Fields(text)) == 2 && first != "kill")
	case packages, release: // their names are words of prose, too
		return hasWord(wordlist.Text("facts.packageVerbs"), next)
	}
	if hasWord(english, first) {
		return strings.ContainsAny(next, "-/~.$*'\"=") || strings.ContainsAny(rest, "|>;&")
	}
	for field := range strings.FieldsSeq(rest) {
		if strings.ContainsAny(field[:1], "-/~.$*'\"") || strings.ContainsAny(field, "=/*") {
			return true
		}
	}
	return false
}

// maxCommands bounds how many commands, and statements, of a text are looked at, the most
// dangerous ones first: the facts of more would not be kept anyway.
const maxCommands = 4 * maxFound

// commands adds what the command lines in a text say; known is false where there
// are none.
func (c *collector) commands(r reading) (known bool) {
	if !c.isCommand(r.text) {
		return false
	}
	c.script(c.call.Text(r.text).Script(), r.part)
	return true
}

// command reads a positional array as one command.
func (c *collector) command(argv []word) {
	texts, starts, at := make([]string, len(argv)), make([]int, len(argv)), 0
	for i, w := range argv {
		texts[i], starts[i] = w.text, at
		at += len(w.text) + 1
	}
	c.script(c.call.Argv(texts).Script(), func(start, end int) reading { // places are of the words joined with a space
		i, found := slices.BinarySearch(starts, start)
		if !found {
			i--
		}
		most := len(argv[i].text)
		start, end = min(start-starts[i], most), min(end-starts[i], most)
		return argv[i].part(start, end)
	})
}

// script adds what the most dangerous commands of a script say. at is what stands at bytes
// of its text.
func (c *collector) script(s shell.Script, at func(start, end int) reading) {
	all := make([]*command, 0, len(s.Commands))
	for i := range s.Commands {
		if one := &s.Commands[i]; one.Role != shell.Function {
			all = append(all, newCommand(one, at))
		}
	}
	slices.SortStableFunc(all, func(a, b *command) int { return b.risk - a.risk })
	for _, cmd := range all[:min(len(all), maxCommands)] {
		c.run(cmd)
	}
}

// wordOf is a word of a command. Where quotes, variables or the text of a shell inside of
// it make another text of what is written, all of that is its place.
func wordOf(w *shell.Word, at func(start, end int) reading) word {
	raw := at(w.Start, w.End)
	if strings.HasPrefix(raw.text, w.Text) { // behind a here-document stands its end
		return word{reading: raw.part(0, len(w.Text))}
	}
	if len(raw.text) <= len(w.Text)+len("''") {
		if i := strings.Index(raw.text, w.Text); i >= 0 {
			return word{reading: raw.part(i, i+len(w.Text))}
		}
	}
	return word{reading: raw.meaning(w.Text)}
}

func isAssignment(text string) bool {
	name := strings.IndexByte(text, '=')
	for i := range max(name, 0) {
		if b := text[i]; !isWordByte(b) || b >= utf8.RuneSelf {
			return false
		}
	}
	return name > 0
}

// looksLikePath reports whether an operand can only be a path.
func looksLikePath(text string) bool {
	slash := false
	for i := range len(text) {
		switch text[i] {
		case '\n', '{', '}':
			return false
		case '/':
			if i > 1 && text[i-1] == '/' && text[i-2] == ':' { // ://
				return false
			}
			slash = true
		}
	}
	return slash || strings.HasPrefix(text, "~") || text == "." || text == ".." || len(text) > 2 && text[1] == ':' && text[2] == '\\'
}
