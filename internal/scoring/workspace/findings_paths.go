package workspace

import "github.com/countersign/countersign/internal/scoring/level"

// spotOf is a path as a program has it: nobody knows in which folder it runs, most often it
// is the workspace.
func (b Binding) spotOf(text string) spot { return b.in(folder{b.Folder, true}, text) }

// leavesFolder reports whether a path, as a program has it, is of none of the workspace's
// files and of no scratch folder.
func (b Binding) leavesFolder(text string) bool { return b.spotOf(text).zone == outside }

// holdsSecrets reports whether a path, as a program has it, is one of secrets.
func (b Binding) holdsSecrets(text string) bool { return b.secretIn(b.spotOf(text)) != "" }

// guarded is how much it speaks against a program that it changes a path of the workspace
// that nobody changes unasked; "" for a path like any.
func (b Binding) guarded(text string) Finding {
	s := b.spotOf(text)
	if s.zone != inside {
		return ""
	}
	switch l, _, ok := b.guard(s); {
	case !ok:
		return ""
	case l >= level.High:
		return Outside
	}
	return Network
}
