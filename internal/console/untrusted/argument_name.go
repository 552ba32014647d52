package untrusted

import (
	"strconv"
	"strings"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/views"
)

// How the typed table names a value, so that the name says exactly where it stands:
// whoever reads the names back gets the tree (docs/reading.md).

// NameOf is the way from the arguments to a value: the steps of its JSON pointer
// with slashes between them. A step that is a bare number is a place in a list; the
// name of a member that would read as one, an empty one and one that begins with a
// quotation mark stand in quotation marks, as JSON writes them. The arguments
// themselves, when they are empty, have no name (views.ArgumentRow.Whole).
func NameOf(arguments canon.Value, pointer string) []views.Run {
	return Runs(pathOf(arguments, pointer))
}

// pathOf is the same as a text.
func pathOf(arguments canon.Value, pointer string) string {
	rest, below := strings.CutPrefix(pointer, ArgumentsRoot+"/")
	if !below {
		return ""
	}
	steps := strings.Split(rest, "/")
	at := arguments
	for i, step := range steps {
		if at.Kind() == canon.KindArray {
			at = element(at, step)
			continue
		}
		name := pointerUnescape(step)
		at = at.Get(name)
		if ambiguous(name) {
			steps[i] = canon.PointerEscape(string(canon.String(name).Canonical()))
		}
	}
	return strings.Join(steps, "/")
}

// ambiguous names would read as something else than the name of a member.
func ambiguous(name string) bool {
	return strings.Trim(name, "0123456789") == "" || name[0] == '"'
}

func element(array canon.Value, step string) canon.Value {
	n, err := strconv.Atoi(step)
	if err != nil {
		return canon.Value{}
	}
	return array.Element(n)
}

func pointerUnescape(step string) string {
	return strings.ReplaceAll(strings.ReplaceAll(step, "~1", "/"), "~0", "~")
}
