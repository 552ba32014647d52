package workspace

import (
	"path"
	"strings"

	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/level"
	paths "github.com/countersign/countersign/internal/scoring/path"
	"github.com/countersign/countersign/internal/scoring/program"
	"github.com/countersign/countersign/internal/scoring/shell"
)

// Programs that stand at a path, or that a package runner fetches.

// installed reports whether a program by path is what its name says: one of the system's,
// or one that an install put where tools are.
func (w *walk) installed(program shell.Word, name string) bool {
	text := program.Text
	if paths.Of().Programs[path.Dir(text)] {
		return true
	}
	s := w.word(program)
	if s.zone == nowhere {
		return false
	}
	dir := path.Dir(s.path)
	if s.zone == outside {
		m := paths.Of().Paths.Match(dir, false)
		return m != "" && strings.HasSuffix(strings.ToLower(dir), m) && w.knows(plainName(name))
	}
	if s.zone != inside {
		return false
	}
	m := paths.Of().Tools.Match(strings.TrimPrefix(dir, w.b.Folder), false)
	if m == "" || !w.knows(plainName(name)) {
		switch name { // a project's own copy of a builder
		case "gradlew", "mvnw":
			_, wrote := w.k.look(s.path)
			return !wrote
		}
		return false
	}
	_, wrote := w.k.look(s.path)
	return !wrote
}

// packageRunners run a package that they fetch where it is not there.
var packageRunners = setOf("npx bunx uvx pipx-run pipx uv npm bun")

// fetchedTool judges what npx and the like run: what is not on the list is foreign.
func (w *walk) fetchedTool(c shell.Command) bool {
	if len(c.Wrappers) == 0 || c.Role != shell.Program {
		return false
	}
	runner := c.Wrappers[len(c.Wrappers)-1]
	if !packageRunners[runner] || w.uvRun(c, runner) {
		return false
	}
	word := strings.ToLower(c.Words[0].Text)
	bare := word
	if at := strings.LastIndexByte(word, '@'); at > 0 {
		bare = word[:at]
	}
	if s := w.b.in(w.dir, "node_modules/.bin/"+bare); w.dir.known && s.zone == inside {
		if _, wrote := w.k.look(s.path); wrote && w.runsSpot(s, bare) {
			return true
		}
	}
	is, ok := tools().packages[bare]
	if !ok {
		w.found(verdict{level: level.Medium, cause: "install", because: runner + " fetches and runs " + brief(word), kind: effects.Execute, verb: "install", object: "package", covers: w.installScope(), finding: Network})
		return true
	}
	args := c.Words[1:]
	if program.AsksItself(args) {
		w.harmless(effects.Read, "read", is+" is only asked about itself")
		return true
	}
	if handle, ok := handlers[is]; ok {
		handle(w, is, args)
	} else if p := tools().programs[is]; p != nil {
		w.listed(p, is, args)
	} else if tools().harmless[is] {
		w.only(is, args)
	} else {
		w.builds(nil, is, program.OptionsOf(is).Take(args))
	}
	return true
}

// uvRun reports whether `uv run` runs a command of the project's own environment.
func (w *walk) uvRun(c shell.Command, runner string) bool {
	if runner != "uv" {
		return false
	}
	for i := w.at - 1; i >= 0; i-- { // uv itself stands before
		if outer := w.script.Commands[i]; outer.Role == shell.Outer && outer.Program() == "uv" && outer.Start == c.Start {
			for _, word := range outer.Words[1:] {
				if !strings.HasPrefix(word.Text, "-") {
					return word.Text != "tool" && word.Text != "x"
				}
			}
		}
	}
	return true
}

// outer judges a command that only runs another one: what it does beside that.
func (w *walk) outer(name string, args []shell.Word) {
	options := args
	if name != "uv" {
		skip := 0
		if name == "npm" || name == "pnpm" || name == "yarn" || name == "bun" {
			skip = 1
		}
		for i := skip; i < len(options); i++ { // behind the program stand its own
			if !strings.HasPrefix(options[i].Text, "-") {
				options = options[:i]
			}
		}
	}
	option := func(names ...string) bool {
		for _, a := range options {
			text, _, _ := strings.Cut(a.Text, "=")
			for _, n := range names {
				if text == n {
					return true
				}
			}
		}
		return false
	}
	switch name {
	case "npx", "bunx", "uvx", "pipx":
		if option("-p", "--package", "--with", "--index-url", "--registry", "--spec") {
			w.installs(name)
			return
		}
	case "uv":
		if option("--with", "--index", "--index-url", "--default-index") {
			w.installs("uv run --with")
			return
		}
		if option("--directory", "--project") {
			for i, a := range args {
				if (a.Text == "--directory" || a.Text == "--project") && i+1 < len(args) && !w.isInside(args[i+1], "uv run", true) {
					return
				}
			}
		}
	case "npm", "pnpm", "yarn", "bun":
		if len(args) > 0 && (args[0].Text == "dlx" || option("-p", "--package")) {
			w.installs(name + " dlx")
			return
		}
	case "direnv":
		if len(args) > 1 {
			if s := w.word(args[1]); s.zone != inside {
				w.found(verdict{level: level.Medium, cause: "outside-code", because: "direnv exec runs the .envrc of " + brief(args[1].Text) + ", which isn't of the workspace", kind: effects.Execute, finding: Child, covers: &Scope{Of: "folder", To: s.path}})
				return
			}
		}
	default:
		if handle, ok := handlers[name]; ok {
			handle(w, name, args)
			return
		}
		if p := tools().programs[name]; p != nil {
			w.listed(p, name, args)
			return
		}
		w.unknown(name, args)
		return
	}
	w.harmless(effects.Execute, "wrapper", name+" runs another command, which is judged")
}
