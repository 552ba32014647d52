package workspace

import (
	"strings"

	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/program"
	"github.com/countersign/countersign/internal/scoring/shell"
	"github.com/countersign/countersign/internal/scoring/wordlist"
)

// Programs that run the tasks of a file: npm run, make, just.

// packages is npm, pnpm, yarn and bun.
func packages(w *walk, name string, args []shell.Word) {
	p := tools().programs["npm"]
	c := p.take(args)
	if w.hazards("npm", c, args) {
		return
	}
	d, called := p.does(c)
	shown := strings.Join(append([]string{name}, called...), " ")
	if len(c.Operands) == 0 {
		if name == "yarn" && !c.Has("--version", false) {
			w.restores("yarn", c)
			return
		}
		w.harmless(effects.Read, "read", name+" only reads")
		return
	}
	first := c.Operands[0].Text
	at := 0
	switch {
	case first == "workspace" && len(c.Operands) > 2 && name == "yarn":
		at = 2
	case (first == "workspaces") && len(c.Operands) > 2 && name == "yarn":
		at = 1
		if c.Operands[1].Text == "foreach" {
			at = 2
		}
	}
	if at > 0 {
		packages(w, name, append([]shell.Word{{Text: "-r", Literal: true}}, c.Operands[at:]...))
		return
	}
	task := -1
	switch {
	case first == "run" || first == "run-script" || first == "rum" || first == "urn":
		task = 1
		if len(c.Operands) == 1 {
			w.harmless(effects.Read, "read", shown+" lists what there is to run")
			return
		}
	case first == "test" || first == "t" || first == "tst" || first == "start" || first == "stop" || first == "restart":
		task = 0
	case d.is == "" && (name == "yarn" || name == "pnpm" || name == "bun"):
		task = 0
	}
	if task < 0 {
		if d.is == "" {
			w.unknownSubcommand(name, c, args)
			return
		}
		w.deed(d, p, shown, c, args)
		if len(called) == 2 && called[0] == "pkg" && called[1] == "set" {
			w.setsScripts(c.Operands[2:])
		}
		return
	}
	word := c.Operands[task]
	if strings.Contains(word.Text, "://") {
		w.held(level.Medium, effects.Execute, "foreign", name+" runs what an address serves")
		return
	}
	if first == "t" || first == "tst" {
		word.Text = "test"
	}
	if !word.Literal {
		w.held(level.Medium, effects.Execute, "unknown-code", name+" runs a script that is known only when it runs")
		return
	}
	if task == 0 && d.is == "" { // yarn tsc runs a program of the project
		if is, ok := tools().packages[word.Text]; ok && !tools().buildWord[leading(word.Text)] {
			w.projectTool(is, args)
			return
		}
	}
	w.task(name, "package.json", word, c, c.Operands[task+1:])
}

// projectTool judges a program that a project has installed, called by its runner.
func (w *walk) projectTool(is string, args []shell.Word) {
	rest := args
	for len(rest) > 0 && rest[0].Text != is && strings.HasPrefix(rest[0].Text, "-") {
		rest = rest[1:]
	}
	rest = rest[min(1, len(rest)):]
	if handle, ok := handlers[is]; ok {
		handle(w, is, rest)
	} else if p := tools().programs[is]; p != nil {
		w.listed(p, is, rest)
	} else {
		w.builds(nil, is, program.OptionsOf(is).Take(rest))
	}
}

// leading is the word that leads the name of a task.
func leading(task string) string {
	if at := strings.IndexAny(task, ":-_./"); at > 0 {
		return task[:at]
	}
	return task
}

// task judges one task of a file.
func (w *walk) task(name, file string, task shell.Word, c cut, rest []shell.Word) {
	shown := name + " " + brief(task.Text)
	if w.foreignFolder(shown) {
		w.reviews = true
		return
	}
	if w.taskText(file, task.Text, shown) || file == "package.json" && c.Any(false, wordlist.List("workspace.packageOptions")...) && w.packageTask(task.Text, shown) {
		return
	}
	lead := leading(task.Text)
	if tools().buildWord[lead] || tools().testWords[lead] {
		w.reviews = true
		if riskyName(task.Text) != "" {
			w.riskyHeld(shown, riskyName(task.Text))
			return
		}
		w.builds(nil, shown, cut{Operands: rest, Options: c.Options})
		return
	}
	if w.risks(append([]shell.Word{task}, append(rest, optionWords(c)...)...)) || w.serves(name, append(rest, optionWords(c)...)) {
		return
	}
	w.own(shown + " runs the workspace's own code")
}

func optionWords(c cut) []shell.Word {
	var all []shell.Word
	for _, o := range c.Options {
		all = append(all, shell.Word{Text: o.Name, Literal: true})
		if o.Value.Text != "" {
			all = append(all, o.Value)
		}
	}
	return all
}

// taskText judges a task by its text, where this agent wrote it.
func (w *walk) taskText(file, task, shown string) bool {
	if !w.dir.known {
		return false
	}
	at := w.b.in(w.dir, file).path
	for _, f := range w.k.matching(at) {
		if w.taskIn(f.Path, file, task, shown) {
			return true
		}
	}
	return w.taskIn(at, file, task, shown)
}

// taskIn is taskText of the file at a path.
func (w *walk) taskIn(at, file, task, shown string) bool {
	t, ok := w.k.task(at, task)
	// Nothing but its scripts runs of a package.json.
	builds := file == "package.json" && (tools().buildWord[leading(task)] || tools().testWords[leading(task)])
	if f, known := w.k.look(at); known {
		if f.Foreign {
			w.held(level.Medium, effects.Execute, "foreign", shown+" runs "+brief(file)+", which was downloaded")
			return true
		}
		if (!(builds && w.b.Sandboxed) || f.unreadScripts()) && w.showsFindings(f.Findings, file) {
			return true
		}
	}
	if !ok || t.Level <= level.Low {
		return false
	}
	because := t.Because
	if because == "" {
		because = "what this agent wrote there is held"
	}
	w.found(verdict{level: t.Level, cause: "task", because: shown + ": " + because, kind: effects.Execute, verb: "run", object: "task", finding: Child})
	return true
}

// makes is make, just, task, mage, rake, invoke: each word is a target.
func makes(w *walk, name string, args []shell.Word) {
	p := tools().programs["make"]
	c := p.take(args)
	if w.hazards("make", c, args) {
		return
	}
	file := map[string]string{"just": "justfile", "task": "Taskfile.yml", "rake": "Rakefile", "invoke": "tasks.py", "mage": "magefile.go", "nox": "noxfile.py", "mise": "mise.toml", "cmake": "CMakeLists.txt"}[name]
	if file == "" {
		file = "Makefile"
	}
	for _, o := range c.Options {
		switch o.Name {
		case "-f", "--file", "--makefile", "--justfile", "--taskfile", "-t":
			if o.Value.Text == "" || o.Value.Text == "-" {
				w.held(level.Medium, effects.Execute, "unknown-code", name+" reads its tasks from elsewhere")
				return
			}
			if name != "make" && name != "gmake" && o.Name == "-t" {
				continue
			}
			if w.runsFile(o.Value, "make") {
				return
			}
			file = o.Value.Text
		case "-C", "--directory", "-d", "--working-directory", "--dir":
			if !w.isInside(o.Value, name, true) {
				return
			}
		case wordlist.OneOf("workspace.listingOptions", o.Name):
			if o.Name == "-l" && (name == "make" || name == "gmake") {
				continue
			}
			w.harmless(effects.Read, "read", name+" only shows what it would do")
			return
		}
		if strings.HasPrefix(o.Name, "-f") && len(o.Name) > 2 && o.Name[1] != '-' && (name == "make" || name == "gmake") {
			file = o.Name[2:]
			if w.runsFile(shell.Word{Text: file, Literal: true}, "make") {
				return
			}
		}
	}
	targets := c.Operands
	if name == "mise" && len(targets) > 0 {
		if targets[0].Text != "run" && targets[0].Text != "r" {
			w.listed(tools().programs["mise-subcommands"], name, args)
			return
		}
		targets = targets[1:]
	}
	var named []shell.Word
	for _, t := range targets {
		if key, value, ok := strings.Cut(t.Text, "="); ok && !strings.Contains(key, "/") {
			lower := strings.ToLower(value)
			how, loads := tools().variables[key]
			if key == "SHELL" || key == "MAKEFLAGS" || key == "CC" && strings.Contains(value, "/") || strings.ContainsAny(value, "`;|&") || strings.Contains(value, "$(") ||
				loads && how == "compiler" && strings.Contains(value, " -c") || loads && how == "loads" && !w.mild(how, shell.Word{Text: value, Literal: t.Literal}) {
				w.held(level.Medium, effects.Execute, "option", name+" is given the shell that it uses")
				return
			}
			if (strings.HasSuffix(key, "ENV") || key == "STAGE" || key == "ENVIRONMENT") && (lower == "production" || lower == "prod") {
				w.riskyHeld(t.Text, "prod")
				return
			}
			continue
		}
		named = append(named, t)
		if name == "just" || name == "invoke" || name == "task" || name == "rake" {
			break // what follows are its arguments, mostly
		}
	}
	if len(named) == 0 {
		if w.foreignFolder(name) || w.taskText(file, "", name) || w.taskText(file, "all", name) || w.taskText(file, "default", name) {
			return
		}
		w.builds(nil, name, cut{})
		return
	}
	before := len(w.all)
	for i, t := range named {
		if !t.Literal {
			w.held(level.Medium, effects.Execute, "unknown-code", name+" runs a target that is known only when it runs")
			continue
		}
		rest := c.Operands
		if i > 0 || len(named) > 1 {
			rest = nil
		}
		w.makeTarget(name, file, t, rest)
	}
	if len(w.all) == before {
		w.builds(nil, name, cut{})
	}
}

func (w *walk) makeTarget(name, file string, t shell.Word, rest []shell.Word) {
	var after []shell.Word
	for _, o := range rest {
		if o.Text != t.Text {
			after = append(after, o)
		}
	}
	w.task(name, file, t, cut{}, after)
}
