package workspace

import (
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/scoring/code"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/program"
	"github.com/countersign/countersign/internal/scoring/shell"
)

// Modules that an interpreter runs by their name, and what serves.

var manageHeld = setOf("flush createsuperuser dbshell changepassword reset_db loaddata sqlflush sendtestemail collectstatic clearsessions")

var manageTests = setOf("test check showmigrations help diffsettings")

// manageShows reports whether manage.py only says what it would migrate.
func manageShows(args []shell.Word) bool {
	shows := map[string]string{"makemigrations": "--check --dry-run", "migrate": "--check --plan"}[args[0].Text]
	return slices.ContainsFunc(args[1:], func(a shell.Word) bool { return slices.Contains(strings.Fields(shows), a.Text) })
}

// module judges python -m.
func (w *walk) module(name string, module shell.Word, args []shell.Word) {
	if !module.Literal {
		w.held(level.Medium, effects.Execute, "unknown-code", name+" runs a module that is known only when it runs")
		return
	}
	text := module.Text
	if w.shadowed(strings.Split(text, ".")[0]) {
		return
	}
	if !code.IsStandard(text) {
		if handle, ok := handlers[text]; ok && text != "code" {
			handle(w, text, args)
			return
		}
		if p := tools().programs[strings.ReplaceAll(text, "_", "-")]; p != nil {
			w.listed(p, strings.ReplaceAll(text, "_", "-"), args)
			return
		}
		if tools().harmless[text] {
			w.only(text, args)
			return
		}
		if w.moduleFile(text) || w.risks(append([]shell.Word{{Text: strings.ReplaceAll(text, ".", "/"), Literal: true}}, args...)) || w.serves(name, args) {
			return
		}
		w.own(name + " runs the module " + brief(text) + " of the workspace")
		return
	}
	switch text {
	case "unittest", "doctest":
		w.builds(nil, name+" -m "+text, program.OptionsOf("python -m").Take(args))
	case "py_compile", "compileall", "ensurepip":
		w.harmless(effects.Write, "edit", name+" compiles scripts")
	case "venv", "virtualenv":
		all, _ := operands("python -m", args)
		for _, o := range all {
			w.writes(o, "it makes an environment in")
		}
	case "http.server":
		w.serves(name, append([]shell.Word{module}, args...))
	case "cProfile", "profile", "trace", "pdb":
		all, c := operands("python -m", args)
		if out, ok := c.Value("-o"); ok {
			w.writes(out, "it writes")
		}
		if c.Has("-m", false) {
			w.own(name + " runs a module of the workspace")
		} else if len(all) > 0 {
			w.runScript("python", name, all[0], all[1:])
		}
	case "timeit":
		all, _ := operands("python -m", args)
		text := ""
		for _, o := range all {
			text += o.Text + "\n"
		}
		w.runsText("python", text, "a script in the call")
	case "code", "asyncio", "webbrowser", "smtpd", "turtle", "idlelib":
		w.own(name + " runs a script in the call")
	case "zipfile", "tarfile":
		c := program.OptionsOf("python -m").Take(args)
		if c.Has("-l", false) || c.Has("--list", false) || c.Has("-t", false) {
			w.harmless(effects.Read, "read", "it only reads")
			return
		}
		for _, o := range c.Operands {
			w.writes(o, "it writes")
		}
	default:
		w.only(name, args)
	}
}

// moduleFile judges a module by the file that it would be.
func (w *walk) moduleFile(module string) bool {
	if !w.dir.known {
		w.held(level.Medium, effects.Execute, "unknown-folder", "where it runs is known only when it does")
		return true
	}
	rel := strings.ReplaceAll(module, ".", "/")
	for _, p := range []string{rel + ".py", rel + "/__main__.py", "src/" + rel + ".py", "src/" + rel + "/__main__.py"} {
		s := w.b.in(w.dir, p)
		if s.zone == outside || s.zone == temporary {
			return w.runsSpot(s, module)
		}
		if _, ok := w.k.look(s.path); ok {
			if w.runsSpot(s, module) {
				return true
			}
		}
	}
	return false
}

// serves judges that a server is bound to all addresses (rule 14).
func (w *walk) serves(name string, args []shell.Word) bool {
	all := false
	for i, a := range args {
		switch text := a.Text; {
		case text == "0.0.0.0" || text == "::" || text == "[::]" || text == "--host" && (i+1 == len(args) || strings.HasPrefix(args[i+1].Text, "-")):
			all = true
		case strings.HasPrefix(text, "0.0.0.0:") || strings.HasPrefix(text, "[::]:"), strings.HasPrefix(text, "-") && (strings.HasSuffix(text, "=0.0.0.0") || strings.Contains(text, "=0.0.0.0:") || strings.HasSuffix(text, "=::")):
			all = true
		}
	}
	if len(args) > 0 && args[0].Text == "http.server" {
		bound := false
		for i, a := range args {
			bound = bound || (a.Text == "-b" || a.Text == "--bind") && i+1 < len(args) && isThisMachine(args[i+1].Text) || strings.HasPrefix(a.Text, "--bind=") && isThisMachine(strings.TrimPrefix(a.Text, "--bind="))
		}
		all = all || !bound
		if !all {
			w.harmless(effects.Execute, "own-code", "it serves files of the workspace to this machine")
			return true
		}
	}
	if !all {
		return false
	}
	l := level.High
	if w.b.Sandboxed {
		l = level.Medium
	}
	w.found(verdict{level: l, cause: "server", because: name + " serves to all addresses", kind: effects.Permission, verb: "serve", object: "network", finding: Network, covers: nil})
	return true
}
