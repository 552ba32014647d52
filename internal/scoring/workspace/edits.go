package workspace

import (
	"path"
	"strings"

	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/shell"
)

// Programs that change texts by a small program of their own.

// edits judges a file that a program changes in place, by a script that stands in the call.
func (w *walk) edits(f shell.Word, text string) {
	switch {
	case f.Text == "":
		w.harmless(effects.Read, "read", "it is given no file")
	case f.Text == "{}" || !f.Literal && strings.Contains(f.Text, "{}"):
		w.changesFound()
	case w.listedFiles(f) || w.readFiles(f):
		w.harmless(effects.Write, "edit", "it changes files of the workspace that another command names")
	default:
		s := w.writes(f, "it changes")
		w.keeps(s, replaced(text), true, false)
		if path.Base(s.path) == "package.json" && (s.zone == inside || s.zone == temporary) {
			w.k.putsScripts(s.path, strings.Split(replaced(text), "\n"), true)
		}
	}
}

// listedFiles reports whether a word is what a command names that only names files of the
// workspace: $(git ls-files), or $f of a loop over it.
func (w *walk) listedFiles(f shell.Word) bool {
	if _, variable := plainVariable(f); variable && f.Of != nil {
		f = *f.Of
	}
	if f.Literal || !strings.HasPrefix(f.Text, "$(") || !strings.HasSuffix(f.Text, ")") {
		return false
	}
	listed := false
	for _, c := range w.script.Commands {
		if c.Start < f.Start || c.End > f.End {
			continue
		}
		if c.From >= 0 { // it narrows what another one names
			continue
		}
		n, ok := w.names(c)
		if !ok || n.zone != inside || n.hidden {
			return false
		}
		listed = true
	}
	return listed
}

// readFiles reports whether a word is a variable that a loop reads from what names only
// files of the workspace: git ls-files | while read f.
func (w *walk) readFiles(f shell.Word) bool {
	name, ok := plainVariable(f)
	if !ok || w.c.From < 0 {
		return false
	}
	for i := w.at - 1; i >= 0; i-- {
		c := w.script.Commands[i]
		if c.Program() != "read" || c.From != w.c.From {
			continue
		}
		n, ok := w.finder()
		return ok && n.zone == inside && !n.hidden && c.Words[len(c.Words)-1].Text == name
	}
	return false
}

// plainVariable is the variable whose value a word is.
func plainVariable(f shell.Word) (string, bool) {
	name := strings.Trim(f.Text, "${}")
	return name, !f.Literal && name != "" && ("$"+name == f.Text || "${"+name+"}" == f.Text)
}
