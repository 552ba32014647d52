package effects

import (
	"github.com/countersign/countersign/internal/scoring/edits"
	"github.com/countersign/countersign/internal/scoring/scan"
)

// edited reads the files that the call edits, in whatever shape: the text of one that is
// deleted or emptied is gone, and a path in a patch that guards something is what it is as an
// argument.
func (r *reader) edited() {
	r.patched = map[string]bool{}
	for _, f := range edits.Read(r.in.Call) {
		gone := func(verb, why string) {
			r.tell(r.effect(named{kind: Delete, verb: verb, object: "file"}, evidence(f.At, why), true))
		}
		switch f.Does {
		case edits.Delete:
			gone("delete", "the patch deletes it")
		case edits.Empty:
			gone("empty", "nothing of its text is left")
		default:
		}
		r.patches(f.Path, f.At)
		r.patches(f.To, f.ToAt)
	}
}

// patches reads a path of a patch; one that is an argument is read with the others.
func (r *reader) patches(path string, at scan.Place) {
	whole := r.in.Call.At(at.Pointer)
	if at.End-at.Start >= len(whole) {
		return
	}
	r.patched[at.Pointer] = true
	if isGuardingPath(cleanPath(path)) {
		r.tell(r.effect(named{kind: Permission, verb: "change", object: "protected file"}, evidence(at, "the path decides who may do what, or what is run"), true))
	}
}

func evidence(at scan.Place, why string) Evidence {
	return Evidence{Pointer: at.Pointer, Start: at.Start, End: at.End, Why: why}
}
