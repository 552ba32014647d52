package facts

import (
	"strings"
)

// command is one call of a program.
type command struct {
	*program
	risk     int  // how much the call can destroy
	start    word // the program, as it stands
	name     string
	known    bool // the program is one of programs
	options  []option
	operands []word
	sub      []word    // the operands that say what the program does: compute instances delete
	behind   []word    // behind --
	files    []word    // of > and <
	inputs   []reading // here-documents
	piped    bool      // something in the same text reads commands from its input
}

// option is one option with its values.
type option struct {
	*word        // all of it, as it stands
	name  string // "--namespace", "-n"
	of    []word // its values
}

// read takes the words of a line apart, which it keeps; ok is false where there is none.
func (cmd *command) read(line []word, room *room) (ok bool) {
	*cmd = command{program: nothing}
	words := line
	plain := 0
	for plain < len(line) && !line[plain].redirect && line[plain].input == nil {
		plain++
	}
	if plain < len(line) {
		words = line[:plain] // never ahead of what is read
		files, inputs := room.values.mark(), room.inputs.mark()
		for i := plain; i < len(line); i++ {
			switch w := &line[i]; {
			case w.input != nil:
				room.inputs.push(*w.input)
			case w.redirect && i+1 < len(line):
				i++
				room.values.push(line[i])
			case !w.redirect:
				words = append(words, *w)
			}
		}
		cmd.files, cmd.inputs = room.values.since(files), room.inputs.since(inputs)
	}
	words = withoutPrefix(words)
	if len(words) == 0 {
		return len(cmd.files) > 0
	}
	cmd.start = words[0]
	cmd.name, cmd.program, cmd.known = findProgram(words[0].text)
	cmd.split(words[1:], room)
	cmd.sub = cmd.subcommands()
	cmd.risk = cmd.danger()
	return true
}

// split sorts options from operands.
func (cmd *command) split(words []word, room *room) {
	var (
		options = room.options.mark()
		own     = -1 // where the operands begin in the room, if they do not stand side by side
		first   = 0  // of the operands, where they do
	)
	operand := func(i int) {
		n := len(cmd.operands)
		if n == 0 {
			first = i
		}
		if own < 0 && first+n == i {
			cmd.operands = words[first : i+1 : i+1]
			return
		}
		if own < 0 {
			own = room.words.mark()
			room.words.pushAll(cmd.operands)
		}
		room.words.push(words[i])
		cmd.operands = room.words.since(own)
	}
	for i := 0; i < len(words); i++ {
		w := &words[i]
		switch {
		case w.text == "--" && cmd.class != cloud && cmd.class != cluster && cmd.class != images && cmd.class != versions:
			for i++; i < len(words); i++ {
				operand(i)
			}
			return
		case w.text == "--", cmd.class == finding && hasWord("-exec -execdir -ok -okdir", w.text):
			cmd.behind = words[i+1:]
			return
		case len(w.text) < 2 || w.text[0] != '-':
			operand(i)
			if cmd.ends() {
				cmd.behind = words[i+1:]
				return
			}
		default:
			o := cmd.option(w, room)
			most := cmd.takes(&o)
			if most > 0 {
				first := i + 1
				for ; most > 0 && i+1 < len(words) && (most == 1 || words[i+1].text == "" || words[i+1].text[0] != '-'); most-- {
					i++
				}
				o.of = words[first : i+1 : i+1]
			}
			room.options.push(o)
			cmd.options = room.options.since(options)
		}
	}
}

// ends reports whether what stands behind the operands so far is another command.
func (cmd *command) ends() bool {
	n := len(cmd.operands)
	switch cmd.class {
	case login:
		return n == 1
	case images:
		first := cmd.operands[0].text
		if (first == "compose" || first == "container") && n > 1 {
			first = cmd.operands[1].text
			n--
		}
		return (first == "exec" || first == "run") && n == 2
	}
	return false
}

// option splits --name=value and -nvalue.
func (cmd *command) option(w *word, room *room) option {
	o := option{word: w, name: w.text}
	if at := strings.IndexByte(w.text, '='); at > 0 && (w.text[1] == '-' || cmd.class == plans) {
		o.name = w.text[:at]
		o.of = room.value(w.part(at+1, len(w.text)))
	} else if w.text[1] != '-' && len(w.text) > 2 && cmd.class != plans && cmd.values.has(w.text[:2]) {
		o.name = w.text[:2]
		o.of = room.value(w.part(2, len(w.text)))
	}
	return o
}

// takes is how many words behind an option may be its values.
func (cmd *command) takes(o *option) int {
	switch {
	case len(o.of) > 0:
		return 0
	case cmd.values.has(o.name):
		return 1
	case cmd.class == script && o.name[1] != '-' && strings.ContainsAny(o.name, "cC"), cmd.class == code && hasWord("-c -e -E -r -pe -ne --eval", o.name):
		return 1
	case cmd.class == images && cmd.imageValues().has(o.name):
		return 1
	case cmd.class == cloud:
		return cmd.cloudTakes(o.name)
	case cmd.class == finding && hasWord("-name -iname -path -type -size -mtime -mmin -maxdepth -mindepth -user -newer", o.name):
		return 1
	case cmd.class == looks || !strings.HasPrefix(o.name, "--"):
		return 0
	}
	if k := readKey(o.name, ""); k.kind == "" || k.kind == Flag || cmd.sub == nil && cmd.class != cluster && cmd.class != release && cmd.class != plans {
		return 0
	}
	return 1
}

// has reports whether one of these options is given.
func (cmd *command) has(names list) bool {
	for i := range cmd.options {
		if names.has(cmd.options[i].name) {
			return true
		}
	}
	return false
}

// verb is the n-th word of what the program does, "" where there is none.
func (cmd *command) verb(n int) string {
	if n < len(cmd.sub) {
		return cmd.sub[n].text
	}
	return ""
}

// rest are the operands behind what the program does.
func (cmd *command) rest() []word { return cmd.operands[min(len(cmd.sub), len(cmd.operands)):] }

// subcommands are the operands that say what the program does.
func (cmd *command) subcommands() []word {
	n := 0
	switch cmd.class {
	case versions, release, services, packages, cluster:
		n = 1
		if len(cmd.operands) > 1 && hasWord("rollout config set remote stash repo worktree submodule owner dist-tag auth", cmd.operands[0].text) {
			n = 2
		}
	case plans:
		n = 1
		if len(cmd.operands) > 1 && hasWord("state workspace stack", cmd.operands[0].text) {
			n = 2
		}
	case images:
		n = 1
		if len(cmd.operands) > 1 && hasWord(dockerNouns, cmd.operands[0].text) {
			n = 2
		}
	case cloud:
		n = cmd.cloudWords()
	}
	if cmd.name == "docker-compose" || cmd.name == "mysqladmin" || cmd.name == "redis-cli" {
		n = 1
	}
	return cmd.operands[:min(n, len(cmd.operands))]
}

// leastRisk is that of a call of which nothing is known.
const leastRisk = 1

// danger is how much the call can destroy.
func (cmd *command) danger() int {
	risk := max(cmd.program.risk, leastRisk)
	for _, w := range cmd.sub {
		switch text := strings.ToLower(w.text); {
		case destroys(text):
			return mostRisk
		case isHarmless(text):
			risk = 1
		}
	}
	switch {
	case cmd.class == versions && cmd.has(forcing),
		cmd.class == finding && (cmd.has(deleteOption) || len(cmd.behind) > 0),
		cmd.class == schedule && cmd.has(removeOption), cmd.class == plans && cmd.has(destroyOption):
		return mostRisk
	case cmd.class == copying && cmd.has(deleteFiles):
		return 5
	case cmd.class == web:
		switch cmd.method() {
		case "":
			return risk
		case "DELETE":
			return 5
		}
		return 3
	case cmd.class == script && cmd.has(commandOption):
		return 3
	}
	return risk
}

// mostRisk is how large the danger of a call with these words behind its program can be.
func (p *program) mostRisk(words []word) int {
	risk, optional := max(p.risk, leastRisk), 0 // what options can make of it
	switch p.class {
	case versions, finding, schedule, plans:
		optional = mostRisk
	case copying, web:
		optional = 5
	case script:
		optional = 3
	}
	for i := range words {
		text := words[i].text
		switch {
		case text != "" && text[0] == '-':
			risk = max(risk, optional)
		case destroys(strings.ToLower(text)):
			return mostRisk
		}
	}
	return risk
}

// Options that say how much a call can destroy.
var (
	forcing       = listOf("--force -f --force-with-lease --hard -D --delete -d --mirror -fd -fdx -df")
	deleteOption  = listOf("-delete")
	deleteFiles   = listOf("--delete")
	removeOption  = listOf("-r")
	destroyOption = listOf("-destroy --destroy")
	commandOption = listOf("-c")
)

// listens reports whether the program reads commands or statements from its input.
func (cmd *command) listens() bool {
	return cmd.class == script && len(cmd.operands) == 0 || cmd.class == database && !cmd.has(givenScript)
}

var givenScript = listOf("-c --command -e --execute -f --file --eval -Q -q --query")
