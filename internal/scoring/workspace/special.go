package workspace

import (
	"strings"

	"github.com/countersign/countersign/internal/scoring/code"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/program"
	"github.com/countersign/countersign/internal/scoring/shell"
	"github.com/countersign/countersign/internal/scoring/wordlist"
)

func init() {
	reads := map[string]func(*walk, string, []shell.Word){
		"runsTexts": runsTexts, "monorepo": monorepo, "processes": processes, "rsync": rsync, "containers": containers, "mode": mode, "archive": archive, "git": git, "packages": packages,
		"makes": makes, "goTool": goTool, "cargo": cargo, "kill": kill, "killNamed": killNamed, "fuser": fuser, "environment": environment, "sources": sources, "aliases": aliases, "patches": patches,
		"netcat": netcat, "enters": enters,
		"prints":    func(w *walk, name string, _ []shell.Word) { w.harmless(effects.Read, "read", name+" only prints") },
		"elsewhere": func(*walk, string, []shell.Word) {}, // what it runs is listed
	}
	handlers = map[string]func(*walk, string, []shell.Word){}
	for name, reader := range wordlist.Map("workspace.handlers") {
		handlers[name] = reads[reader]
	}
	for name := range code.Interpreters() {
		if name != "bun" {
			handlers[name] = interpret
		}
	}
	for _, name := range strings.Fields("sh bash zsh dash ash ksh fish") {
		handlers[name] = shells
	}
}

// enters is cd: where it leads is said with what runs there.
func enters(w *walk, name string, args []shell.Word) {
	w.harmless(effects.Read, "folder", name+" only goes to a folder")
}

// aliases judges the texts that aliases stand for.
func aliases(w *walk, name string, args []shell.Word) {
	for _, a := range args {
		_, text, ok := strings.Cut(a.Text, "=")
		if !ok {
			continue
		}
		if !a.Literal {
			w.held(level.Medium, effects.Execute, "unknown-code", "an alias is only known when it runs")
			return
		}
		for _, v := range w.inner(text, w.dir) {
			if v.level > level.Low {
				v.because = "an alias is used for it: " + v.because
				w.found(v)
				return
			}
		}
	}
	w.harmless(effects.Read, "read", "it names commands that are harmless")
}

// inner judges a text inside of the text.
func (w *walk) inner(text string, dir folder) []verdict {
	if w.depth >= maxTexts {
		return []verdict{{level: level.High, cause: "unreadable", because: "it nests too many texts", kind: effects.Execute, finding: Hidden}}
	}
	in := newWalk(parsed(text), text, dir, w.k, w.depth+1)
	in.run()
	w.reviews = w.reviews || in.reviews
	return in.all
}

// environment is env, printenv, set and export: printed whole, it shows secrets.
func environment(w *walk, name string, args []shell.Word) {
	secret := func(because string) {
		w.found(verdict{level: level.Medium, cause: "secret", because: because, kind: effects.Read, sensitive: true, verb: "print", object: "environment", finding: Outside})
	}
	switch name {
	case "printenv":
		if len(args) == 0 {
			secret("it prints the environment, with the secrets in it")
			return
		}
		for _, a := range args {
			if program.IsSecretVariable(a.Text) {
				secret("it prints " + brief(a.Text) + ", which is named like a secret")
				return
			}
		}
	case "env":
		for _, a := range args {
			if !strings.HasPrefix(a.Text, "-") && !strings.Contains(a.Text, "=") {
				w.harmless(effects.Read, "read", "it runs nothing")
				return
			}
		}
		if w.narrowed() {
			break
		}
		secret("it prints the environment, with the secrets in it")
		return
	case "set":
		if len(args) == 0 {
			secret("it prints all variables, with the secrets in them")
			return
		}
	case "export", "declare", "typeset":
		bare := true
		for _, a := range args {
			bare = bare && (a.Text == "-p" || a.Text == "-x" || a.Text == "-px" || a.Text == "-xp")
		}
		if bare && len(w.c.Assigns) == 0 {
			secret("it prints all variables, with the secrets in them")
			return
		}
	}
	w.harmless(effects.Read, "read", name+" only sets or shows what is no secret")
}

// narrowed reports whether the environment is piped into a search for what is no secret.
func (w *walk) narrowed() bool {
	for _, c := range w.script.Commands[w.at+1:] {
		if c.From != w.at {
			continue
		}
		if p := c.Program(); p != "grep" && p != "rg" && p != "egrep" {
			return false
		}
		for _, a := range c.Words[1:] {
			if strings.HasPrefix(a.Text, "-") {
				if strings.Contains(a.Text, "v") {
					return false
				}
				continue
			}
			upper := strings.ToUpper(a.Text)
			if len(upper) < 3 || strings.Contains(upper, "KEY") || strings.Contains(upper, "TOKEN") || strings.Contains(upper, "SECRET") || strings.Contains(upper, "PASS") || strings.Contains(upper, "CRED") || strings.Contains(upper, "AUTH") || strings.Contains(upper, "API") ||
				strings.ContainsAny(upper, ".*[") || !a.Literal || strings.Contains("AWS_ GITHUB_ OPENAI ANTHROPIC STRIPE DATABASE DB_ URL", upper) {
				return false
			}
			return true
		}
	}
	return false
}

// kill ends processes by their number or job (rule 11).
func kill(w *walk, name string, args []shell.Word) {
	for i, a := range args {
		switch text := a.Text; {
		case text == "-l" || text == "-L":
			w.harmless(effects.Read, "read", "kill only lists signals")
			return
		case text == "-1" && i > 0 || text == "0" && (i == 0 || args[i-1].Text != "-s"), text == "-1" && len(args) == 1:
			w.held(level.High, effects.Delete, "process", "it ends all processes that it may")
			return
		case text == "1":
			w.held(level.High, effects.Delete, "process", "it ends the machine's first process")
			return
		}
	}
	if len(args) > 0 && args[len(args)-1].Text == "-1" {
		w.held(level.High, effects.Delete, "process", "it ends all processes that it may")
		return
	}
	if last := lastText(args); strings.Contains(last, "pgrep") || strings.Contains(last, "ps ") && !strings.Contains(last, "grep") && !strings.Contains(last, "rg ") && !strings.Contains(last, "/") && !strings.Contains(last, "-p") || strings.Contains(lastText(args), "pidof") || w.fromNames() {
		w.found(verdict{level: level.Medium, cause: "process", because: "it ends processes that it finds by their name", kind: effects.Delete, verb: "end", object: "process"})
		return
	}
	w.harmless(effects.Write, "process", "it ends a process by its number, job or port")
}

func lastText(args []shell.Word) string {
	if len(args) == 0 {
		return ""
	}
	return args[len(args)-1].Text
}

// fromNames reports whether the processes to end are found by a program's bare name.
func (w *walk) fromNames() bool {
	for i, n := w.c.From, 0; i >= 0 && i < len(w.script.Commands) && n < 6; n++ {
		c := w.script.Commands[i]
		switch c.Program() {
		case "pgrep", "pidof":
			for _, a := range c.Words[1:] {
				if a.Text == "-f" || strings.Contains(a.Text, "/") || strings.Contains(a.Text, " ") {
					return false
				}
			}
			return true
		}
		i = c.From
	}
	return false
}

// killNamed is pkill and killall: by a program's bare name they end what is not the
// workspace's, too. A pattern over whole command lines names one.
func killNamed(w *walk, name string, args []shell.Word) {
	all, c := operands(name, args)
	if name == "pkill" && (c.Has("-f", true) || c.Has("--full", false)) && len(all) == 1 && all[0].Literal && len(all[0].Text) >= 6 && strings.ContainsAny(all[0].Text, " /.:_-") && strings.Trim(all[0].Text, ".* ") != "" {
		w.harmless(effects.Write, "process", "it ends the processes of one command line")
		return
	}
	if c.Has("-l", false) || c.Has("--list", false) {
		w.harmless(effects.Read, "read", name+" only lists signals")
		return
	}
	if name == "pkill" && (c.Has("-P", false) || c.Has("--parent", false)) && len(all) == 0 {
		w.harmless(effects.Write, "process", "it ends the processes that one process began")
		return
	}
	w.found(verdict{level: level.Medium, cause: "process", because: name + " ends processes by their name, whoever began them", kind: effects.Delete, verb: "end", object: "process", covers: &Scope{Of: "program", To: name}})
}

// fuser shows who uses a port or a file, and with -k ends it: by port that is one's own.
func fuser(w *walk, name string, args []shell.Word) {
	all, c := operands(name, args)
	if !c.Has("-k", true) && !c.Has("--kill", false) {
		w.harmless(effects.Read, "read", "fuser only shows")
		return
	}
	for _, o := range all {
		if !strings.HasSuffix(o.Text, "/tcp") && !strings.HasSuffix(o.Text, "/udp") && strings.Trim(o.Text, "0123456789") != "" && o.Text != "tcp" {
			w.held(level.Medium, effects.Delete, "process", "fuser ends whoever uses "+brief(o.Text))
			return
		}
	}
	w.harmless(effects.Write, "process", "it ends what listens at a port")
}

// patches is patch and apply_patch.
func patches(w *walk, name string, args []shell.Word) {
	var files []shell.Word
	if name == "patch" {
		all, c := operands(name, args)
		if c.Only("--dry-run") {
			w.harmless(effects.Read, "read", "patch only looks")
			return
		}
		for _, o := range c.Options {
			switch {
			case o.Name == "-d" || o.Name == "--directory":
				if !w.isInside(o.Value, name, true) {
					return
				}
			case o.Name == "-o" || o.Name == "--output" || o.Name == "-r" || o.Name == "--reject-file":
				w.writes(o.Value, "it writes")
			}
		}
		if i, ok := c.Value("-i", "--input"); ok {
			files = []shell.Word{i}
		} else if len(all) > 1 {
			files = all[1:]
		}
	}
	switch {
	case w.c.Input != nil:
		w.patch(w.c.Input.Text)
	case name != "patch" && len(args) > 0 && args[0].Literal:
		w.patch(args[0].Text)
	default:
		w.patchFiles(files)
	}
}

// netcat is nc: with -z it only looks whether a port of this machine is open.
func netcat(w *walk, name string, args []shell.Word) {
	all, c := operands(name, args)
	if c.Has("-z", true) && len(all) > 0 && isThisMachine(all[0].Text) {
		w.harmless(effects.Read, "localhost", name+" only looks whether a port of this machine is open")
		return
	}
	w.listed(tools().programs["socat"], name, args)
}

// cargo is cargo: +nightly in front of its subcommand is a toolchain.
func cargo(w *walk, name string, args []shell.Word) {
	if len(args) > 0 && strings.HasPrefix(args[0].Text, "+") {
		args = args[1:]
	}
	w.listed(tools().programs["cargo"], name, args)
}

// goTool is go: where packages come from decides.
func goTool(w *walk, name string, args []shell.Word) {
	p := tools().programs["go"]
	c := p.take(args)
	if w.hazards(name, c, args) {
		return
	}
	if len(c.Operands) > 0 && c.Operands[0].Text == "tool" && w.serves(name, args) {
		return
	}
	if len(c.Operands) > 1 && (c.Operands[0].Text == "run" || c.Operands[0].Text == "tool" || c.Operands[0].Text == "generate") {
		target := c.Operands[1]
		first, _, _ := strings.Cut(target.Text, "/")
		switch {
		case strings.Contains(target.Text, "@"), strings.Contains(first, ".") && strings.Trim(first, ".") != "" && !strings.HasSuffix(first, ".go"):
			w.installs("go run " + brief(target.Text))
			w.all[len(w.all)-1].cause, w.all[len(w.all)-1].because = "foreign", "go "+c.Operands[0].Text+" fetches and runs "+brief(target.Text)
			return
		case c.Operands[0].Text == "run":
			if (strings.HasSuffix(target.Text, ".go") || strings.HasPrefix(target.Text, "/") || strings.HasPrefix(target.Text, "..") || strings.HasPrefix(target.Text, "~")) && w.runsFile(target, "go") {
				return
			}
			if w.foreignFolder("go run") || w.risks(c.Operands[1:]) {
				return
			}
			w.goPackage(target)
			return
		}
	}
	w.listed(p, name, args)
}

// goPackage judges the package that go run builds and runs, by what is remembered of its files.
func (w *walk) goPackage(target shell.Word) {
	s := w.word(target)
	if f, ok := w.k.look(s.path); ok && (f.Foreign || len(f.Findings) > 0) {
		if w.runsSpot(s, target.Text) {
			return
		}
	}
	for _, f := range w.k.below(s.path) {
		if w.showsFindings(f.Findings, f.Path) {
			return
		}
	}
	w.own("go run runs the workspace's own code")
}
