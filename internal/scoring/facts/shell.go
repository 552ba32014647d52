package facts

import (
	"path"
	"slices"
	"strings"
)

// Source 3: command lines. Read are the program, through sudo, env and sh -c,
// the operands that are paths, redirections, and the branch of a git push. Where
// a text is not said to be a command, it must begin with a known program and
// look like a call of it.

// programs are the commands that are known, by how much they can destroy.
var programs = func() map[string]int {
	risks := map[string]int{}
	for risk, names := range map[int]string{
		6: "rm rmdir unlink shred wipefs dd mkfs fdisk truncate srm",
		4: "kill killall pkill shutdown reboot halt poweroff iptables nft crontab userdel",
		3: "mv chmod chown chgrp systemctl service git docker podman kubectl helm terraform tofu pulumi aws gcloud az psql mysql " +
			"sqlite3 mongosh redis-cli ansible ansible-playbook useradd usermod passwd mount umount ln",
		2: "cp curl wget ssh scp rsync sftp nc tar unzip zip npm npx pnpm yarn pip pip3 apt apt-get yum dnf apk brew cargo go gem " +
			"make find sed tee touch mkdir install bash sh zsh dash python python3 node perl ruby php xargs source",
		1: "ls cat head tail less more grep rg awk cut sort uniq wc echo printf cd pwd df du ps top env date id whoami uname stat file test diff which",
	} {
		for name := range strings.FieldsSeq(names) {
			risks[name] = risk
		}
	}
	return risks
}()

var (
	// withSubcommand do what their first operand says.
	withSubcommand = strings.Fields("git docker podman kubectl helm terraform tofu pulumi aws gcloud az systemctl service npm pnpm yarn pip pip3 " +
		"apt apt-get yum dnf apk brew cargo go gem")
	// destroying are the subcommands that destroy.
	destroying = strings.Fields("rm rmi delete destroy prune purge uninstall remove drop clean terminate")
	// pathOperands take nothing but paths; of ownerFirst the first operand is none.
	pathOperands = strings.Fields("rm rmdir unlink shred wipefs truncate srm mv cp ln cat head tail less more touch mkdir stat")
	ownerFirst   = strings.Fields("chmod chown chgrp")
	// before stand in front of the program.
	prefixes = strings.Fields("sudo doas env nohup time exec command builtin nice ionice setsid then do else !")
	shells   = strings.Fields("bash sh zsh dash ksh")
	// prefixValues are the options of sudo and its like that take a value.
	prefixValues = strings.Fields("-u -g -h -p -C -T -n --user --group --host")
)

// maxNesting bounds how deep sh -c inside sh -c is followed.
const maxNesting = 4

// word is one word of a command line.
type word struct {
	text       string // without quotes
	pointer    string
	source     string // the text in which it stands
	start, end int    // in source; inside the quotes where they surround all of it
	operator   bool   // ; | & newline or a bracket: a new command begins
	redirect   bool   // < or >
	number     bool   // of a positional array: not a string
}

// runsCommands reports whether a function's name says that it runs commands.
func runsCommands(function string) bool {
	return slices.ContainsFunc(lowerWords(function, 8), func(w string) bool {
		return slices.Contains([]string{"bash", "shell", "sh", "command", "cmd", "terminal", "zsh", "powershell"}, w)
	})
}

// knownProgram reports whether a word names a known program.
func knownProgram(text string) bool {
	_, ok := programs[program(text)]
	return ok || slices.Contains(prefixes[:3], text)
}

// program is the name of a program without its folder; mkfs.ext4 is mkfs.
func program(text string) string {
	name := path.Base(text)
	if strings.HasPrefix(name, "mkfs.") {
		return "mkfs"
	}
	return name
}

// isCommand reports whether a text is a command line.
func (c *collector) isCommand(text string) bool {
	if c.shell {
		return true
	}
	first, rest, _ := strings.Cut(strings.TrimSpace(text), " ")
	if !knownProgram(first) {
		return false
	}
	if slices.Contains(prefixes, first) {
		return rest != ""
	}
	for field := range strings.FieldsSeq(rest) {
		if slices.Contains(withSubcommand, program(first)) {
			return strings.Trim(field, "abcdefghijklmnopqrstuvwxyz-") == ""
		}
		if strings.ContainsAny(field[:1], "-/~.$*'\"") || strings.ContainsAny(field, "=/*") {
			return true
		}
	}
	return false
}

// commands adds what the command lines in a text say.
func (c *collector) commands(text, pointer string) {
	if c.isCommand(text) && !c.isStatement(text) {
		c.lines(words(text, pointer, 0, len(text)), 0)
	}
}

// lines reads commands, the most dangerous one first.
func (c *collector) lines(all []word, depth int) {
	var lines [][]word
	for start := 0; start < len(all); {
		end := start
		for end < len(all) && !all[end].operator {
			end++
		}
		if line := withoutPrefix(all[start:end]); len(line) > 0 {
			lines = append(lines, line)
		}
		start = end + 1
	}
	slices.SortStableFunc(lines, func(a, b []word) int { return shellRisk(b) - shellRisk(a) })
	for _, line := range lines {
		if inner, ok := script(line); ok && depth < maxNesting {
			c.lines(words(inner.source, inner.pointer, inner.start, inner.end), depth+1)
			continue
		}
		c.line(line)
	}
}

// command reads a positional array as one command.
func (c *collector) command(argv []word) {
	if line := withoutPrefix(argv); len(line) > 0 {
		c.lines(line, 0)
	}
}

// withoutPrefix drops assignments, sudo and the like, with their options.
func withoutPrefix(line []word) []word {
	for len(line) > 0 {
		first := line[0].text
		switch {
		case isAssignment(first), line[0].redirect:
			line = line[1:]
		case slices.Contains(prefixes, first):
			line = line[1:]
			for len(line) > 0 && strings.HasPrefix(line[0].text, "-") {
				skip := 1
				if slices.Contains(prefixValues, line[0].text) && len(line) > 1 {
					skip = 2
				}
				line = line[skip:]
			}
		default:
			return line
		}
	}
	return nil
}

func isAssignment(text string) bool {
	name, _, ok := strings.Cut(text, "=")
	return ok && name != "" && strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789") == ""
}

// script is the text that sh -c runs, where it stands in the source as it is.
func script(line []word) (word, bool) {
	if !slices.Contains(shells, program(line[0].text)) {
		return word{}, false
	}
	for i, w := range line[1:] {
		if strings.HasPrefix(w.text, "-") && !strings.HasPrefix(w.text, "--") && strings.Contains(w.text, "c") && i+2 < len(line) {
			inner := line[i+2]
			return inner, inner.source[inner.start:inner.end] == inner.text
		}
	}
	return word{}, false
}

// subcommand is the first operand of a program that has subcommands.
func subcommand(line []word) string {
	if slices.Contains(withSubcommand, program(line[0].text)) {
		for _, w := range line[1:] {
			if !strings.HasPrefix(w.text, "-") && !w.redirect {
				return w.text
			}
		}
	}
	return ""
}

// shellRisk says how much a command can destroy.
func shellRisk(line []word) int {
	risk := max(programs[program(line[0].text)], 1)
	if subcommand(line) != "" && slices.ContainsFunc(line[1:], func(w word) bool { return slices.Contains(destroying, w.text) }) {
		return 6
	}
	return risk
}

// line adds the facts of one command.
func (c *collector) line(line []word) {
	var (
		name     = program(line[0].text)
		sub      = subcommand(line)
		verb     = "Run " + shorten(legible(name), 40)
		operands = line[1:]
		skip     = 0 // operands that are no paths
		ended    = false
	)
	if sub != "" {
		verb += " " + shorten(legible(sub), 40)
		skip = 1
	}
	n := len(c.found)
	defer func() {
		c.operate(operation{verb: verb, risk: shellRisk(line), text: true}.about(c.found[n:]))
	}()
	if slices.Contains(ownerFirst, name) {
		skip = 1
	}
	if name == "dd" { // what is written to comes first
		operands = slices.SortedStableFunc(slices.Values(operands), func(a, b word) int { return isOutput(b) - isOutput(a) })
	}
	seen, redirected := 0, false
	for _, w := range operands {
		switch {
		case w.redirect:
			redirected = true
			continue
		case redirected:
			redirected = false
			if !strings.HasPrefix(w.text, "&") {
				c.path(w, w.text)
			}
			continue
		case w.text == "--":
			ended = true
			continue
		case !ended && strings.HasPrefix(w.text, "-"):
			c.option(name, w)
			continue
		}
		if seen++; seen <= skip {
			continue
		}
		file := w.text
		if at := strings.IndexByte(file, '='); name == "dd" && at >= 0 {
			file = file[at+1:]
		}
		switch {
		case name == "git" && sub == "push":
			if seen == skip+2 {
				c.addWord(Branch, "branch", w)
			}
		case slices.Contains(pathOperands, name) || slices.Contains(ownerFirst, name) || looksLikePath(file):
			c.path(w, file)
		}
	}
}

func isOutput(w word) int {
	if strings.HasPrefix(w.text, "of=") {
		return 1
	}
	return 0
}

// option adds what a flag says: that it forces, goes deep, or only tries.
func (c *collector) option(name string, w word) {
	label := ""
	switch w.text {
	case "--force":
		label = "force"
	case "--recursive":
		label = "recursive"
	case "--dry-run":
		label = "dry run"
	}
	if label == "" && !strings.HasPrefix(w.text, "--") {
		if strings.ContainsAny(w.text, "rR") && slices.Contains([]string{"rm", "cp", "chmod", "chown", "chgrp"}, name) {
			c.flag("recursive", w)
		}
		if strings.Contains(w.text, "f") && slices.Contains([]string{"rm", "cp", "mv", "ln", "git"}, name) {
			label = "force"
		}
	}
	if label != "" {
		c.flag(label, w)
		return
	}
	if _, value, ok := strings.Cut(w.text, "="); ok && looksLikePath(value) {
		c.path(w, value)
	}
}

func (c *collector) flag(label string, w word) {
	c.keep(Fact{Kind: Flag, Value: "true", Label: label, Pointer: w.pointer, Start: w.start, End: w.end, Source: FromShell})
}

// path adds the end of a word as a path.
func (c *collector) path(w word, file string) {
	if w.source[w.start:w.end] == w.text {
		w.start = w.end - len(file)
	}
	w.text = file
	c.addWord(Path, "path", w)
}

func (c *collector) addWord(kind Kind, label string, w word) {
	if w.text != "" {
		c.keep(Fact{Kind: kind, Value: w.text, Label: label, Pointer: w.pointer, Start: w.start, End: w.end, Source: FromShell})
	}
}

func looksLikePath(text string) bool {
	if text == "" || strings.Contains(text, "://") || strings.ContainsAny(text, "\n{}") {
		return false
	}
	return strings.Contains(text, "/") || text[0] == '~' || text == "." || text == ".."
}

// words splits source[from:to] as a POSIX shell does. What is never closed lasts
// to the end; a substitution is read as brackets around commands of its own.
func words(source, pointer string, from, to int) []word {
	var all []word
	for i := from; i < to; {
		switch b := source[i]; {
		case b == ' ' || b == '\t' || b == '\r':
			i++
		case b == '\\' && i+1 < to && source[i+1] == '\n':
			i += 2
		case strings.IndexByte(";|&\n()`", b) >= 0:
			all = append(all, word{operator: true})
			i++
		case b == '$' && i+1 < to && source[i+1] == '(':
			all = append(all, word{operator: true})
			i += 2
		case b == '<' || b == '>':
			for i < to && strings.IndexByte("<>&", source[i]) >= 0 {
				i++
			}
			all = append(all, word{redirect: true})
		case b == '#':
			for i < to && source[i] != '\n' {
				i++
			}
		default:
			var w word
			w, i = oneWord(source, i, to)
			w.pointer, w.source = pointer, source
			all = append(all, w)
		}
	}
	return all
}

// oneWord reads the word that begins at byte start.
func oneWord(source string, start, to int) (word, int) {
	var (
		text   []byte
		i      = start
		quoted = 0 // quotes that were opened
	)
	for i < to && strings.IndexByte(" \t\r\n;|&()`<>", source[i]) < 0 {
		switch b := source[i]; b {
		case '\'', '"':
			quoted++
			i++
			for i < to && source[i] != b {
				if b == '"' && source[i] == '\\' && i+1 < to && strings.IndexByte("\\\"$`", source[i+1]) >= 0 {
					i++
				}
				text = append(text, source[i])
				i++
			}
			i = min(i+1, to)
		case '\\':
			if i+1 < to {
				i++
			}
			text = append(text, source[i])
			i++
		default:
			text = append(text, b)
			i++
		}
	}
	w := word{text: string(text), start: start, end: i}
	// Quotes around all of it are not part of its place.
	if quoted == 1 && i-start == len(text)+2 && (source[start] == '\'' || source[start] == '"') {
		w.start, w.end = start+1, i-1
	}
	return w, i
}
