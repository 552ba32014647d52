package workspace

import (
	"strings"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring/edits"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/shell"
)

// edited are the files that a tool edits. What a shell is given as the words of a command is
// judged as one, in the folder that it says.
func (c toolCall) edited() ([]step, bool) {
	if v, _ := c.get("command", "cmd", "argv"); v.Kind() == canon.KindArray || c.namesElse() || c.remoteFiles() || c.elsewhere() {
		return nil, false
	}
	var all []step
	for _, f := range edits.Read(c.input.Call) {
		all = append(all, step{pointer: f.At.Pointer, judge: func(w *walk) { w.edit(f) }})
	}
	return all, len(all) > 0
}

// edit judges an edit of a file by its path, and remembers what is put there.
func (w *walk) edit(f edits.File) {
	word := shell.Word{Text: f.Path, Literal: true}
	if f.Does == edits.Delete {
		w.deletes(word, false)
		return
	}
	s := w.writes(word, "it edits")
	if f.Does == edits.Empty {
		w.gone(s, word, false)
	}
	w.keeps(s, f.Text(), true, f.Whole)
	if f.To != "" {
		to := w.writes(shell.Word{Text: f.To, Literal: true}, "it writes")
		w.k.move(s.path, to.path)
	}
}

// patch judges the files that a patch in the call changes.
func (w *walk) patch(text string) {
	files := edits.Patch(text, "")
	for _, f := range files {
		w.edit(f)
	}
	if len(files) == 0 {
		w.held(level.Medium, effects.Write, "unknown-target", "which files the patch changes couldn't be read")
	}
}

// patchesGuarded reports whether a text is a patch of what nobody changes without being
// asked: so it is remembered of the file that the patch stands in.
func (w *walk) patchesGuarded(text string) bool {
	if !strings.Contains(text, "+++ ") && !strings.Contains(text, "*** ") {
		return false
	}
	for _, f := range edits.Patch(text, "") {
		s := w.b.in(folder{w.b.Folder, true}, f.Path)
		if _, _, guarded := w.b.guard(s); guarded || s.zone == outside {
			return true
		}
	}
	return false
}
