package workspace

import (
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring/wordlist"
)

// MaxFolder bounds the path of a workspace, in characters.
const MaxFolder = 400

// NewBinding is a binding to a folder, written as it is compared; what cannot be a
// workspace is refused. The server never sees the folder: a path is all that it knows.
func NewBinding(folder string, sandboxed bool) (Binding, error) {
	no := func(why fault.Text) (Binding, error) {
		return Binding{}, fault.Member(fault.InvalidForm, "workspace", "%s; enter the full path of the folder (for example /srv/shop)", why)
	}
	switch {
	case folder == "" || utf8.RuneCountInString(folder) > MaxFolder:
		return no(fault.Textf("a workspace is a path of 1 to %d characters", MaxFolder))
	case strings.ContainsFunc(folder, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return no(fault.Textf("a path can't contain line breaks or other control characters"))
	case strings.HasPrefix(folder, "~"):
		return no(fault.Textf("%q is a home folder, but it isn't known whose", folder))
	case !strings.HasPrefix(folder, "/"):
		return no(fault.Textf("%q is a relative path", folder))
	}
	parts := strings.Split(folder, "/")
	if slices.Contains(parts, "..") || slices.Contains(parts, ".") {
		return no(fault.Textf("%q leads to a different folder than it seems to", folder))
	}
	clean := path.Clean(folder)
	switch {
	case clean == "/":
		return no(fault.Textf("/ is the whole machine"))
	case isHome(clean):
		return no(fault.Textf("%q is a home folder, with keys and settings in it", clean))
	case isSystem(clean):
		return no(fault.Textf("%q belongs to the system", clean))
	}
	return Binding{Folder: clean, Sandboxed: sandboxed}, nil
}

// isHome reports whether a path is where somebody lives, or where all of them do.
func isHome(clean string) bool {
	if clean == "/root" || clean == "/home" || clean == "/Users" {
		return true
	}
	parent := path.Dir(clean)
	return parent == "/home" || parent == "/Users"
}

// isSystem reports whether a path belongs to the machine: of the first ones all that is
// below, of the second ones only the folder itself.
func isSystem(clean string) bool {
	top, _, below := strings.Cut(strings.TrimPrefix(clean, "/"), "/")
	if slices.Contains(wordlist.List("workspace.systemFolders"), top) {
		return true
	}
	return !below && slices.Contains(wordlist.List("workspace.sharedFolders"), top)
}
