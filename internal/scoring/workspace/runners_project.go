package workspace

import (
	"encoding/json"
	"path"
	"strings"

	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/shell"
)

// Scripts of a project with several packages, and programs that run several commands.

// setsScripts remembers the scripts that npm pkg set puts into a package.json.
func (w *walk) setsScripts(pairs []shell.Word) {
	s := w.b.in(w.dir, "package.json")
	for _, pair := range pairs {
		key, value, _ := strings.Cut(pair.Text, "=")
		name, ok := strings.CutPrefix(key, "scripts.")
		if !ok || !w.dir.known || s.zone != inside && s.zone != temporary {
			continue
		}
		text, err := json.Marshal(map[string]map[string]string{"scripts": {name: value}})
		if err != nil || !pair.Literal {
			w.k.changedByUnknown(s.path)
			continue
		}
		w.k.add(s.path, string(text))
	}
}

// packageTask judges a script by what this agent wrote of it into any package of the project.
func (w *walk) packageTask(task, shown string) bool {
	for _, f := range w.k.manifests() {
		if path.Base(f.Path) != "package.json" {
			continue
		}
		if t, ok := w.k.task(f.Path, task); ok && t.Level > level.Low {
			w.found(verdict{level: t.Level, cause: "task", because: shown + ": " + t.Because, kind: effects.Execute, verb: "run", object: "task", finding: Child})
			return true
		}
	}
	return false
}

// monorepo is turbo, nx and lerna: they run a script of every package.
func monorepo(w *walk, name string, args []shell.Word) {
	p := tools().programs[name]
	c := p.take(args)
	for _, o := range append(c.Operands, c.Values()...) { // nx run-many -t lint,test
		for task := range strings.SplitSeq(o.Text, ",") {
			if task != "run" && task != "" && w.packageTask(task, name+" "+brief(task)) {
				return
			}
		}
	}
	w.listed(p, name, args)
}

// runsTexts is a program that runs the shell texts that it is given: concurrently, hyperfine.
func runsTexts(w *walk, name string, args []shell.Word) {
	all, c := operands(name, args)
	before := len(w.all)
	for _, o := range append(all, c.Values()...) {
		if strings.HasPrefix(o.Text, "npm:") || !strings.Contains(o.Text, " ") {
			continue
		}
		if !o.Literal {
			w.held(level.Medium, effects.Execute, "unknown-code", name+" runs what is known only when it runs")
			continue
		}
		for _, v := range w.inner(o.Text, w.dir) {
			if v.level > level.Low {
				v.because = name + " runs it: " + v.because
				w.found(v)
			}
		}
	}
	if len(w.all) == before {
		w.listed(tools().programs[name], name, args)
	}
}
