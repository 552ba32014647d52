package workspace

import (
	"strings"

	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/shell"
	"github.com/countersign/countersign/internal/scoring/wordlist"
)

// walk judges the commands of one text, one by one.
type walk struct {
	b      Binding
	k      *known
	script shell.Script
	text   string
	start  folder
	links  map[string]string // symbolic links that the text made
	all    []verdict
	// reviews says that a build, a test or an install is among them.
	reviews bool
	depth   int // texts inside of texts
	// fetched are files that a request filled by a redirect: their text is of others.
	fetched []string

	// Of the command that is judged: its index, itself, and the folder that it runs in.
	at  int
	c   shell.Command
	dir folder
}

// maxTexts is how many texts inside of texts are followed, and maxWalk how many commands
// of one text.
const (
	maxTexts = 4
	maxWalk  = 4000
)

func newWalk(script shell.Script, text string, start folder, k *known, depth int) *walk {
	return &walk{b: k.binding, k: k, script: script, text: text, start: start, links: map[string]string{}, depth: depth, all: make([]verdict, 0, len(script.Commands))}
}

// run judges all of it.
func (w *walk) run() {
	for _, u := range w.script.Unreadable {
		w.unreadable(u)
	}
	for i, c := range w.script.Commands {
		if i == maxWalk {
			w.all = append(w.all, w.verdict(verdict{level: level.High, cause: "unreadable", because: "it has too many commands to judge", kind: effects.Execute, finding: Hidden}))
			return
		}
		w.at, w.c, w.dir = i, c, w.b.below(w.start, c)
		if !c.DirKnown && w.atTop() {
			w.dir = folder{w.b.Folder, true}
		}
		w.command()
	}
}

// verdict puts the place of the command that is judged to a verdict.
func (w *walk) verdict(v verdict) verdict {
	start, end := max(0, min(w.c.Start, len(w.text))), max(0, min(w.c.End, len(w.text)))
	if end < start {
		end = start
	}
	v.start, v.end, v.command, v.of = start, end, short(w.text[start:end]), w.at
	return v
}

// found adds a verdict on the command that is judged.
func (w *walk) found(v verdict) {
	w.all = append(w.all, w.verdict(v))
}

// harmless adds that it only reads, or changes nothing that anybody would miss.
func (w *walk) harmless(kind effects.Kind, cause, because string) {
	if n := len(w.all); n > 0 && w.all[n-1].because == because && w.all[n-1].of == w.at {
		return // of several files of one command it is said once
	}
	w.found(verdict{level: level.Low, cause: cause, because: because, kind: kind})
}

// held adds that somebody should look.
func (w *walk) held(l level.Level, kind effects.Kind, cause, because string) {
	w.found(verdict{level: l, cause: cause, because: because, kind: kind})
}

// unreadable judges a part of the text whose commands cannot be known.
func (w *walk) unreadable(u shell.Unreadable) {
	w.c = shell.Command{Start: u.Start, End: u.End}
	v := verdict{level: level.High, cause: "unreadable", because: "the command " + u.Why.String(), kind: effects.Execute, finding: Hidden}
	switch u.Why {
	case shell.NoParse:
		v.cause, v.level = "unparsed", level.High
		if w.b.Sandboxed {
			v.level = level.Medium
		}
	case shell.NameUnknown:
		if w.namedProgram(u) {
			return
		}
		v.level, v.nameless = level.Medium, true
	case shell.Printed:
		v.cause = "piped-code"
	case shell.Assembled:
		if setsUp(w.text, u) {
			return
		}
	case shell.StartsShell, shell.ScriptUnknown:
		v.level = level.Medium
	}
	w.found(v)
}

// atTop reports whether the only folder that the text goes to, and whose name is known
// only when it runs, is the top of the repository.
func (w *walk) atTop() bool {
	found := false
	for _, c := range w.script.Commands {
		if p := c.Program(); p != "cd" && p != "pushd" && p != "popd" {
			continue
		}
		if len(c.Words) != 2 || !strings.HasPrefix(tidy(c.Words[1].Text), "$(git rev-parse --show-toplevel") || strings.ContainsAny(c.Words[1].Text[2:], "$`;&|/") {
			return false
		}
		found = true
	}
	return found
}

// setsUp reports whether a text that is evaluated is what a version manager prints to be
// evaluated.
func setsUp(text string, u shell.Unreadable) bool {
	part := tidy(strings.Trim(text[max(0, min(u.Start, len(text))):max(0, min(u.End, len(text)))], "\"' "))
	inner, ok := strings.CutPrefix(part, "$(")
	if !ok || !strings.HasSuffix(inner, ")") || strings.ContainsAny(inner, "$`;&|<>\n") {
		return false
	}
	for _, p := range wordlist.List("workspace.installScripts") {
		if strings.HasPrefix(inner, p) {
			return true
		}
	}
	return false
}

// at most so many bytes of a command stand in what is recorded of it.
const maxShown = 400

func short(text string) string {
	text = strings.TrimSpace(text)
	if len(text) <= maxShown {
		return text
	}
	return strings.ToValidUTF8(text[:maxShown], "") + "…"
}

// brief is a word for a sentence.
func brief(text string) string {
	const most = 60
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}
