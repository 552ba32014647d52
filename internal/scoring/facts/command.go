package facts

import (
	"strings"

	programs "github.com/countersign/countersign/internal/scoring/program"
	"github.com/countersign/countersign/internal/scoring/shell"
	"github.com/countersign/countersign/internal/scoring/wordlist"
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
	sub      []word // the operands that say what the program does: compute instances delete
	args     []shell.Word
	behind   []word    // another command, which is read for itself, or what stands behind --
	files    []word    // of > and <
	inputs   []reading // here-documents, and what another command prints
}

// option is one option with its values.
type option struct {
	word        // all of it, as it stands
	name string // "--namespace", "-n"
	role string // what it is for, as the table of programs says
	of   []word // its values
}

// newCommand sorts the words of a command.
func newCommand(from *shell.Command, at func(start, end int) reading) *command {
	cmd := &command{program: nothing}
	for i := range from.Redirects {
		cmd.files = append(cmd.files, wordOf(&from.Redirects[i].File, at))
	}
	if from.Input != nil {
		cmd.inputs = []reading{wordOf(from.Input, at).reading}
	}
	if len(from.Words) == 0 {
		return cmd
	}
	words, args := make([]word, 0, len(from.Words)), make([]shell.Word, 0, len(from.Words))
	for i := range from.Words {
		if w := &from.Words[i]; i == 0 || w.Text != "{}" { // what find and xargs put in
			words, args = append(words, wordOf(w, at)), append(args, *w)
		}
	}
	cmd.start = words[0]
	cmd.name, cmd.program, cmd.known = findProgram(words[0].text)
	cmd.split(words[1:], args[1:])
	cmd.sub = cmd.subcommands()
	cmd.risk = cmd.danger()
	return cmd
}

// split sorts options from operands.
func (cmd *command) split(words []word, args []shell.Word) {
	for i, w := range words { // what stands behind is another command
		if w.text == "--" && hasWord("cloud cluster images versions", string(cmd.class)) || cmd.class == finding && hasWord("-exec -execdir -ok -okdir", w.text) {
			words, args, cmd.behind = words[:i], args[:i], words[i+1:]
			break
		}
	}
	cmd.args = args
	cut := programs.OptionsOf(strings.ToLower(cmd.name)).Take(args)
	taken, isOption := make([]bool, len(words)), make([]bool, len(words))
	for i := range cut.Options {
		isOption[cut.Options[i].At] = true
	}
	most := len(words)
	for _, at := range cut.At {
		if cmd.operands = append(cmd.operands, words[at]); cmd.ends() {
			most, cmd.behind = at+1, words[at+1:]
			break
		}
	}
	cmd.operands = nil
	for i := range cut.Options {
		from := &cut.Options[i]
		if from.At >= most {
			break
		}
		o := option{word: words[from.At], name: from.Name, role: from.Role()}
		switch {
		case from.Joined && from.ValueAt == from.At:
			o.of = []word{{reading: o.part(from.From, len(o.text))}}
		case from.Joined:
			o.of = words[from.ValueAt : from.ValueAt+1]
		case from.Known:
		default:
			first := from.At + 1
			end := first
			for n := cmd.takes(&o); n > 0 && end < most && (n == 1 || words[end].text == "" || words[end].text[0] != '-') && !isOption[end]; n-- {
				taken[end] = true // by an option of which nobody knows whether it takes a value
				end++
			}
			o.of = words[first:end]
		}
		cmd.options = append(cmd.options, o)
	}
	for _, at := range cut.At {
		if at < most && !taken[at] {
			cmd.operands = append(cmd.operands, words[at])
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

// takes is how many words behind an option may be its values.
func (cmd *command) takes(o *option) int {
	switch {
	case cmd.class == inline && (o.name == "-pe" || o.name == "-ne"):
		return 1
	case cmd.class == cloud:
		return cmd.cloudTakes(o.name)
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
		if len(cmd.operands) > 1 && hasWord(wordlist.Text("facts.pairedVerbs"), cmd.operands[0].text) {
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

// mostRisk is the largest risk of a statement or command.
const mostRisk = 6

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
	case cmd.class == versions && (cmd.has(forcing) || cmd.has(forcingLetters)),
		cmd.class == finding && (cmd.has(deleteOption) || len(cmd.behind) > 0),
		cmd.class == schedule && cmd.has(removeOption), cmd.class == plans && cmd.has(destroyOption):
		return mostRisk
	case cmd.class == copying && cmd.has(deleteFiles):
		return 5
	case cmd.class == web:
		switch cmd.method() {
		case "", "GET", "HEAD":
			return risk
		case "DELETE":
			return 5
		}
		return 3
	}
	return risk
}

// Options that say how much a call can destroy.
var (
	forcing        = listOf("--force -f --force-with-lease --hard -D --delete -d --mirror")
	forcingLetters = listOf("-fd -fdx -df")
	deleteOption   = listOf("-delete")
	deleteFiles    = listOf("--delete")
	removeOption   = listOf("-r")
	destroyOption  = listOf("-destroy --destroy")
)
