package workspace

import (
	"path"
	"strings"

	"github.com/countersign/countersign/internal/scoring/effects"
)

// leavesFolder reports whether a path, as a program that starts in the workspace has it,
// is of none of its files and of no scratch folder.
func (b Binding) leavesFolder(text string) bool {
	if strings.HasPrefix(text, "~") {
		return true
	}
	if !strings.HasPrefix(text, "/") {
		text = b.Folder + "/" + text
	}
	clean := path.Clean(text)
	if within(b.Folder, clean) || strings.HasPrefix(clean, "/dev/") {
		return false
	}
	return !within("/tmp", clean) && !within("/var/tmp", clean) && !within("/private/tmp", clean) && !within("/var/folders", clean) && !within("/private/var/folders", clean) && !within("/dev/shm", clean)
}

// holdsSecrets reports whether a path, as a program has it, is one of secrets.
func (b Binding) holdsSecrets(text string) bool { return effects.IsSecretPath(text) }

// neverInside reports whether a path, as a program has it, is one of the workspace that
// nobody changes unasked.
func (b Binding) neverInside(text string) bool {
	clean := "/" + strings.TrimPrefix(path.Clean(strings.TrimPrefix(text, b.Folder)), "/")
	return strings.HasPrefix(clean, "/.git/") || strings.HasPrefix(clean, "/.claude/") || strings.HasPrefix(clean, "/.github/workflows/") || strings.HasPrefix(clean, "/.husky/")
}
