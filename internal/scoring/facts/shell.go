package facts

import (
	"slices"
	"strings"
	"unicode/utf8"
	"unsafe"
)

// Source 3: command lines. They are split as a POSIX shell does (split.go, words.go), what
// stands before the program is left out, and its options and operands are read as
// the program does (command.go). Where a text is not said to be a command, it must
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
		return hasWord("install uninstall remove purge add publish unpublish update upgrade ci run exec delete rollback list repo autoremove upload yank owner deprecate i", next)
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

// maxCommands bounds how many commands, and statements, of a text are read, the
// most dangerous ones first: their facts would not be kept anyway.
const maxCommands = 4 * maxFound

// commands adds what the command lines in a text say; known is false where there
// are none.
func (c *collector) commands(r reading) (known bool) {
	if !c.isCommand(r.text) {
		return false
	}
	s := c.selection()
	split(r, c.as.windows, c.room, s)
	c.selected(s)
	return true
}

// command reads a positional array as one command.
func (c *collector) command(argv []word) {
	s := c.selection()
	s.take(argv)
	c.selected(s)
}

// selection is the most dangerous commands of a text, maxCommands and a few more, in
// the order of the text.
type selection struct {
	commands []*command // behind them are some that can be used again
	piped    bool       // one of all commands reads commands from its input
	full     bool       // there were more, and from now on a command must be above least
	least    int
	room     *room
	begun    commandMarks // of the room, before the first one
	used     int          // how many of the commands hold something, and how many there are
	made     int
}

// selection is one for the text that is read.
func (c *collector) selection() *selection {
	s := &c.room.selections[c.depth]
	*s = selection{commands: s.commands[:0], room: c.room, begun: c.room.commandMarks(), used: s.used, made: s.made}
	return s
}

// clear forgets the commands, and says how much memory they have.
func (s *selection) clear() (size int) {
	for _, cmd := range s.commands[:s.used] {
		*cmd = command{}
	}
	*s = selection{commands: s.commands[:0], made: s.made}
	return sizeOfList(s.commands) + s.made*int(unsafe.Sizeof(command{}))
}

// next is a command to read a line into.
func (s *selection) next() *command {
	n := len(s.commands)
	if n == cap(s.commands) {
		s.commands = slices.Grow(s.commands, 1)
	}
	next := &s.commands[:n+1][n]
	if *next == nil {
		*next = &command{}
		s.made++
	}
	s.used = max(s.used, n+1)
	return *next
}

// take reads a line.
func (s *selection) take(line []word) {
	if s.full && s.least >= leastRisk && !s.mayCount(line) {
		return
	}
	before := s.room.commandMarks()
	s.room.words.pushAll(line)
	cmd := s.next()
	ok := cmd.read(s.room.words.since(before.words), s.room)
	s.piped = s.piped || ok && cmd.listens()
	if !ok || s.full && cmd.risk <= s.least {
		s.room.forget(before)
		return
	}
	s.commands = s.commands[:len(s.commands)+1]
	if len(s.commands) == 2*maxCommands {
		s.sort()
		s.commands = s.commands[:maxCommands]
		s.full, s.least = true, s.commands[maxCommands-1].risk
	}
}

// mayCount reports whether a line may be above least, or read commands from its input.
// Most of a text with very many need not be read for that.
func (s *selection) mayCount(line []word) bool {
	for i := range line {
		if line[i].redirect || line[i].input != nil {
			return true
		}
	}
	words := withoutPrefix(line)
	if len(words) == 0 {
		return false
	}
	_, p, known := findProgram(words[0].text)
	if !known {
		return false // it listens to nothing and has the leastRisk
	}
	return !s.piped && (p.class == script || p.class == database) || p.mostRisk(words[1:]) > s.least
}

// sort puts the most dangerous commands first, equals in the order of the text.
func (s *selection) sort() {
	riskiestFirst(s.commands, func(cmd *command) int { return cmd.risk })
}

// selected reads the most dangerous commands.
func (c *collector) selected(s *selection) {
	s.sort()
	for _, cmd := range s.commands[:min(len(s.commands), maxCommands)] {
		cmd.piped = s.piped
		c.run(cmd)
	}
	c.room.forget(s.begun)
}

// withoutPrefix drops assignments, sudo and the like, with their options; of
// env -S the script is left.
func withoutPrefix(line []word) []word {
	for len(line) > 0 {
		first := line[0].text
		before, ok := prefix{}, false
		if len(first) > 0 && len(first) < 32 && prefixLengths[first[0]]&(1<<len(first)) != 0 {
			before, ok = prefixes[first]
		}
		switch {
		case isAssignment(first):
			line = line[1:]
		case ok:
			line = line[1:]
			for len(line) > 0 && len(line[0].text) > 1 && line[0].text[0] == '-' {
				skip := 1
				if before.values.has(line[0].text) && len(line) > 1 {
					skip = 2
				}
				if first == "env" && (line[0].text == "-S" || line[0].text == "--split-string") {
					return append([]word{{reading: reading{text: "eval"}}}, line[1:]...)
				}
				line = line[skip:]
			}
			line = line[min(before.skip, len(line)):]
		default:
			return line
		}
	}
	return nil
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
