package workspace

import (
	"regexp"
	"strings"

	"github.com/countersign/countersign/internal/scoring/code"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/level"
)

// What own code loads besides its own text.

// loadsFound judges that own code runs in a sandbox, by the other code of this agent that it
// may load: modules, and what a compiler takes together. Tests are not loaded.
func (w *walk) loadsFound() bool {
	for _, f := range w.k.unreviewed() {
		if language := code.OfFile(f.Path, ""); language == "" || language == "make" || language == "docker" || isTest(f.Path) {
			continue
		}
		if f.Foreign {
			w.held(level.Medium, effects.Execute, "foreign", "it may load "+brief(f.Path)+", which was downloaded")
			return true
		}
		if levelOf(f.Findings) >= level.High && w.showsFindings(f.Findings, f.Path) {
			return true
		}
	}
	return false
}

// isTest reports whether a file is one of tests by its path.
func isTest(p string) bool {
	return containsAny(strings.ToLower(p), []string{"test", "spec", "mock", "fixture", "bench"})
}

// shadowed judges that a module of Python is one that this agent wrote where it runs: that
// one is loaded in place of the library's.
func (w *walk) shadowed(module string) bool {
	if !w.dir.known {
		return false
	}
	for _, p := range []string{module + ".py", module + "/__init__.py", module + "/tool.py"} {
		if f, ok := w.k.look(w.b.in(w.dir, p).path); ok && w.showsFindings(f.Findings, p) {
			return true
		}
	}
	return false
}

// imported are the modules that a text of Python names.
var imported = regexp.MustCompile(`(?:^|[\n;])\s*(?:import|from)\s+(\w+)`)

// requiredData are files of data that a program of Node takes in as it would a module.
var requiredData = regexp.MustCompile(`\brequire\(\s*(?:'([^'"\\\n$` + "`" + `]+\.json)'|"([^'"\\\n$` + "`" + `]+\.json)")\s*\)`)

// withoutData is a program of Node in which a file of data that it requires is one that is
// parsed: that runs nothing. Node would also take a program with that name and an ending, so
// there must be none that this agent wrote; secrets stay as they stand there.
func (w *walk) withoutData(text string) string {
	return requiredData.ReplaceAllStringFunc(text, func(call string) string {
		m := requiredData.FindStringSubmatch(call)
		name := m[1] + m[2]
		if name[0] != '.' && name[0] != '/' {
			name = "node_modules/" + name
		}
		s := w.b.in(w.dir, name)
		if s.zone != inside || w.b.secretIn(s) != "" || len(w.k.below(s.path)) > 0 {
			return call
		}
		for _, ending := range []string{".js", ".json", ".node", ".cjs"} {
			if _, known := w.k.look(s.path + ending); known {
				return call
			}
		}
		if f, known := w.k.look(s.path); known && f.Folder {
			return call
		}
		const read = "JSON.parse('{}'"
		return read + strings.Repeat(" ", max(0, len(call)-len(read)-1)) + ")"
	})
}
