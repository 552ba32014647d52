package workspace

import (
	"regexp"
	"strings"

	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/level"
)

// What own code loads besides its own text.

// loadsFound judges that own code runs in a sandbox, by the other code of this agent that it
// may load: modules, and what a compiler takes together. Tests are not loaded.
func (w *walk) loadsFound() bool {
	for _, f := range w.k.unreviewed() {
		if language := languageOf(f.Path, ""); language == "" || language == "make" || language == "docker" || isTest(f.Path) {
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
