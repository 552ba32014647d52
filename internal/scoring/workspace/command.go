package workspace

import (
	"strings"

	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/program"
	"github.com/countersign/countersign/internal/scoring/shell"
	"github.com/countersign/countersign/internal/scoring/wordlist"
)

// handlers are programs whose operands decide what they do.
var handlers map[string]func(*walk, string, []shell.Word)

// command judges the command that the walk has come to.
func (w *walk) command() {
	c := w.c
	before := len(w.all)
	if c.Role == shell.Function && c.From >= 0 && c.From < len(w.script.Commands) && w.script.Commands[c.From].Role == shell.Function && w.script.Commands[c.From].Program() == c.Program() {
		w.held(level.High, effects.Execute, "process", "a function starts itself without an end")
	}
	w.privileged(c)
	w.assigned(c)
	if len(c.Words) > 0 && c.Role != shell.Function {
		w.program(c)
	}
	w.redirected(c)
	if len(w.all) == before {
		w.harmless(effects.Read, "read", "it changes nothing")
	}
}

// program judges a command that has words.
func (w *walk) program(c shell.Command) {
	word := c.Words[0]
	args := c.Words[1:]
	if !word.Literal || word.Glob {
		return // it stands among what cannot be read
	}
	name := strings.ToLower(c.Program())
	if w.fetchedTool(c) {
		return
	}
	if strings.Contains(word.Text, "/") {
		if !w.installed(word, name) {
			w.ownProgram(word, args)
			return
		}
	}
	name = plainName(name)
	if c.Role == shell.Alias && !w.knows(name) {
		return // what it stands for is judged
	}
	if w.remote(c) {
		return
	}
	w.showsVariables(name, args)
	if c.Role == shell.Outer {
		w.outer(name, args)
		return
	}
	if program.AsksItself(args) || len(args) == 1 && args[0].Literal && (args[0].Text == "help" || args[0].Text == "version" || args[0].Text == "--help-all") {
		w.harmless(effects.Read, "read", name+" is only asked about itself")
		return
	}
	if w.evaluates(name, args) {
		return
	}
	if acts, ok := program.Read(name, args, c); ok {
		w.acts(acts, name)
		return
	}
	if handle, ok := handlers[name]; ok {
		handle(w, name, args)
		return
	}
	if tools().harmless[name] {
		if !w.hazards(name, cut{}, args) {
			w.only(name, args)
		}
		return
	}
	if p := tools().programs[name]; p != nil {
		w.listed(p, name, args)
		return
	}
	w.unknown(name, args)
}

// knows reports whether a program is known.
func (w *walk) knows(name string) bool {
	return handlers[name] != nil || program.Reads(name) || tools().harmless[name] || tools().programs[name] != nil
}

// plainName is a program's name without the version that it ends in: python3.12, clang-18.
func plainName(name string) string {
	if tools().harmless[name] || tools().programs[name] != nil || handlers[name] != nil || program.Reads(name) {
		return name
	}
	bare := strings.TrimRight(name, "0123456789.")
	bare = strings.TrimSuffix(bare, "-")
	if bare != "" && bare != name && (tools().harmless[bare] || tools().programs[bare] != nil || handlers[bare] != nil) {
		return bare
	}
	return name
}

// only judges a program that only reads, by the files that it reads.
func (w *walk) only(name string, args []shell.Word) {
	ok := true
	if !tools().listing[name] {
		for _, a := range args {
			if strings.HasPrefix(a.Text, "-") {
				if _, value, found := strings.Cut(a.Text, "="); found && strings.HasPrefix(a.Text, "--") {
					a.Text = value
				} else {
					continue
				}
			}
			ok = w.reads(a) && ok
		}
	}
	ok = w.readsFound(tools().listing[name]) && ok
	if ok {
		w.harmless(effects.Read, "read", name+" only reads")
	}
}

// unknown judges a program that nobody knows (rule 12).
func (w *walk) unknown(name string, args []shell.Word) {
	if len(args) > 0 && args[0].Literal && readVerbs[args[0].Text] {
		for _, a := range args[1:] {
			if tools().risky[a.Text] {
				w.held(level.Medium, effects.Unknown, "unknown-program", name+" is no program that is known")
				return
			}
		}
		w.harmless(effects.Read, "read", name+" "+args[0].Text+" only shows")
		return
	}
	w.found(verdict{
		level: level.Medium, cause: "unknown-program", because: brief(name) + " is no program that is known", kind: effects.Unknown, verb: "run", object: "program",
		covers: w.programScope(name, args), finding: Child,
	})
}

var readVerbs = setOf(wordlist.Text("workspace.readVerbs"))

// programScope is what a session grant for a program with its subcommand covers.
func (w *walk) programScope(name string, args []shell.Word) *Scope {
	if shellOrInterpreter[name] || len(w.c.Wrappers) > 0 {
		return nil
	}
	to := name
	if len(args) > 0 {
		if text := args[0].Text; args[0].Literal && text != "" && text[0] != '-' && !strings.ContainsAny(text, "/.:@= \n") && len(text) < 40 {
			to += " " + text
		}
	}
	return &Scope{Of: "program", To: to}
}

// privileged holds what runs with the rights of somebody else, or elsewhere.
func (w *walk) privileged(c shell.Command) {
	for _, wrapper := range c.Wrappers {
		switch wrapper {
		case "strace", "ltrace", "time", "script": // what they print they write where -o says
			fields := strings.Fields(w.text[max(0, min(c.Start, len(w.text))):max(0, min(c.End, len(w.text)))])
			for i, f := range fields {
				if f = strings.Trim(f, `"'`); (f == "-o" || f == "--output") && i+1 < len(fields) {
					w.writes(shell.Word{Text: strings.Trim(fields[i+1], `"'`), Literal: !strings.ContainsAny(fields[i+1], "$`")}, "it writes")
				}
			}
		case "sudo", "doas", "pkexec", "su", "runuser":
			w.found(verdict{level: level.High, cause: "sudo", because: wrapper + " runs it with the rights of another user", kind: effects.Permission, finding: Outside})
			return
		case "chroot", "nsenter", "unshare", "systemd-run", "machinectl":
			w.found(verdict{level: level.High, cause: "sudo", because: wrapper + " runs it with other rights, or as a service", kind: effects.Permission, finding: Outside})
			return
		}
	}
}

// remote reports whether a command runs on another machine or in a container: its paths
// are not the workspace's. What takes it there is judged for itself; here only what
// destroys counts.
func (w *walk) remote(c shell.Command) bool {
	for _, wrapper := range c.Wrappers {
		switch wrapper {
		case wordlist.OneOf("workspace.remoteWrappers", wrapper):
			name := strings.ToLower(c.Program())
			if name == "rm" && len(c.Words) > 1 && strings.HasPrefix(c.Words[1].Text, "-") && strings.ContainsAny(c.Words[1].Text, "rRf") || name == "dd" || name == "shutdown" || name == "reboot" || name == "dropdb" {
				w.held(level.High, effects.Delete, "outside", name+" destroys what isn't in the workspace")
			}
			return true
		}
	}
	return false
}

// listed judges a program of the list.
func (w *walk) listed(p *entry, name string, args []shell.Word) {
	c := p.take(args)
	d, called := p.does(c)
	shown := strings.Join(append([]string{name}, called...), " ")
	if d.is == "" {
		switch {
		case len(args) == 0:
			d = deed{is: "read"}
		default:
			w.unknownSubcommand(name, c, args)
			return
		}
	}
	if w.hazards(name, c, args) && d.level() < level.High {
		return
	}
	w.deed(d, p, shown, c, args)
}

// unknownSubcommand judges a subcommand that is not on a program's list.
func (w *walk) unknownSubcommand(name string, c cut, args []shell.Word) {
	sub := ""
	if len(c.Operands) > 0 {
		sub = " " + brief(c.Operands[0].Text)
	}
	w.found(verdict{
		level: level.Medium, cause: "unknown-program", because: "what " + name + sub + " does isn't known", kind: effects.Unknown, verb: "run", object: "program",
		covers: w.programScope(name, args), finding: Child,
	})
}

// deed judges what a rule says.
func (w *walk) deed(d deed, p *entry, shown string, c cut, args []shell.Word) {
	switch d.is {
	case "read":
		ok := true
		for _, a := range append(c.Operands, c.Values()...) {
			ok = w.reads(a) && ok
		}
		if ok {
			w.harmless(effects.Read, "read", shown+" only reads")
		}
	case "edit":
		if w.staysInside(p, shown, c) {
			w.harmless(effects.Write, "edit", shown+" changes what the workspace has")
		}
	case "build":
		w.builds(p, shown, c)
	case "own":
		if w.staysInside(p, shown, c) && !w.risks(args) && !w.serves(shown, args) {
			w.own(shown + " runs the workspace's own code")
		}
	case "restore":
		w.restores(shown, c)
	case "install":
		w.installs(shown)
	default:
		w.found(verdict{
			level: d.level(), cause: d.cause, because: holdsBecause(shown, d.cause), kind: kindOf(d.cause), verb: "run", object: d.cause,
			finding: findingOf(d.cause), covers: w.scopeOf(d, shown, args),
		})
	}
}
