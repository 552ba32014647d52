package effects

import (
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/scoring/shell"
)

// What commands read of secrets: the files, by any name that a shell finds them under.

// isSecret reports whether a path is one of secrets: of a wildcard, whether it may be.
func (x *commands) isSecret(text string) bool {
	return isSecretPath(x.at(strings.TrimRight(text, "*"))) || strings.HasSuffix(text, "*") && isSecretPath(x.at(text))
}

// readsFound adds that a command reads secrets whose names another one found for it:
// find -exec cat, or ls … | xargs cat.
func (x *commands) readsFound(c shell.Command) {
	program := strings.ToLower(c.Program())
	if program == "" || x.tools.listing[program] || slices.Contains([]string{"echo", "printf", "rm", "chmod", "chown", "true"}, program) {
		return
	}
	if !slices.ContainsFunc(c.Wrappers, func(w string) bool { return w == "xargs" || w == "gxargs" || w == "parallel" }) {
		return
	}
	from := c.From
	for range 8 {
		if from < 0 || from >= len(x.script.Commands) {
			return
		}
		source := x.script.Commands[from]
		for _, w := range source.Words[min(1, len(source.Words)):] {
			if x.named(w.Text) {
				x.found(sensitiveRead, "read", "secret file", program+" reads what "+source.Program()+" names, as "+short(w.Text))
				return
			}
		}
		from = source.From
	}
}

// named reports whether a word of a command that only names files names one of secrets.
func (x *commands) named(text string) bool {
	return text != "" && len(text) < 4096 && !strings.ContainsAny(text, " \n") && x.isSecret(strings.TrimLeft(text, "*/"))
}
