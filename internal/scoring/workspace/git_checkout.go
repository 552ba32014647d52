package workspace

import (
	"strings"

	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/shell"
)

// Subcommands of git that bring back what files held, and discard what they hold.

func gitCheckout(w *walk, c cut, args []shell.Word) bool {
	discards := func() bool {
		w.found(verdict{level: level.Medium, cause: "discard", because: "git checkout discards changes that aren't committed", kind: effects.Delete, verb: "discard", object: "changes", covers: &Scope{Of: "program", To: "git checkout"}})
		w.restored(c.Operands[1:])
		return true
	}
	dashes := false
	for _, a := range args[1:] {
		dashes = dashes || a.Text == "--"
	}
	all := c.Operands[1:]
	if c.Has("-f", true) || c.Any(false, "--force", "--ours", "--theirs", "--pathspec-from-file") || c.Has("-p", false) {
		return discards()
	}
	if c.Has("-b", true) || c.Has("-B", true) || c.Any(false, "--orphan", "--track", "-t", "--detach") {
		return false
	}
	switch {
	case dashes && len(all) > 0:
		return discards()
	case len(all) > 1:
		return discards()
	case len(all) == 1 && (all[0].Text == "." || strings.Contains(all[0].Text, "*") || looksLikeFile(all[0].Text)):
		return discards()
	}
	return false
}

func (w *walk) restored(named []shell.Word) {
	all := len(named) == 0
	for _, o := range named {
		switch s := w.word(o); {
		case s.zone == nowhere || s.glob || s.path == w.b.Folder:
			all = true
		case s.zone == inside:
			w.k.restore(s.path)
		}
	}
	if all {
		w.k.asks.Gone = true
		for _, f := range w.k.everGone() {
			w.k.restore(f.Path)
		}
	}
}

// looksLikeFile reports whether a word is more likely a path than a branch: it begins with
// a dot, or ends as files of code do.
func looksLikeFile(text string) bool {
	if strings.HasPrefix(text, "./") || strings.HasPrefix(text, "../") || strings.HasSuffix(text, "/") {
		return true
	}
	at := strings.LastIndexByte(text, '.')
	if at <= 0 || at < strings.LastIndexByte(text, '/') {
		return false
	}
	ending := text[at+1:]
	if ending == "" || len(ending) > 5 || strings.Trim(ending, "0123456789x") == "" || text[0] == 'v' && strings.Trim(ending, "0123456789") == "" {
		return false
	}
	return strings.Trim(ending, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+") == ""
}
