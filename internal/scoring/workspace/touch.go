package workspace

import (
	"path"
	"strings"

	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/level"
	paths "github.com/countersign/countersign/internal/scoring/path"
	"github.com/countersign/countersign/internal/scoring/shell"
	"github.com/countersign/countersign/internal/scoring/wordlist"
)

// What commands do to paths: read, write and delete (rules 5 to 7).

// secretIn is the part of a path that makes it one of secrets; "" for none.
func (b Binding) secretIn(s spot) string {
	switch s.zone {
	case inside:
		return paths.Of().Secret(strings.TrimPrefix(s.path, b.Folder), paths.Inside)
	case outside:
		return paths.Of().Secret(s.path, paths.Outside)
	}
	return paths.Of().Secret(s.path, paths.Anywhere)
}

// guard is what rule 6 says of changing a path of the workspace: ok is false where it is
// an edit like any.
func (b Binding) guard(s spot) (level.Level, string, bool) {
	p := strings.TrimPrefix(s.path, b.Folder)
	l := paths.Of()
	if m := l.Guarded.Match(p, false); m != "" {
		return level.High, m, true
	}
	if l.IsExample(p, paths.Inside) {
		return 0, "", false
	}
	if m := l.Settings.Match(p, false); m != "" {
		return level.Medium, m, true
	}
	if strings.ContainsAny(p, "*?[") {
		if m := l.Guarded.May(p); m != "" {
			return level.High, m, true
		}
		if m := l.Settings.May(p); m != "" {
			return level.Medium, m, true
		}
	}
	return 0, "", false
}

// reads judges that a file is read. ok is false where that is held.
func (w *walk) reads(word shell.Word) bool {
	if word.Text == "" || word.Text == "-" || len(word.Text) > 4096 {
		return true
	}
	s := w.word(word)
	if s.zone == nowhere { // what is known of its end
		s.path = word.Text
	}
	if m := w.b.secretIn(s); m != "" {
		w.found(verdict{
			level: level.Medium, cause: "secret", because: "it reads " + brief(word.Text) + ", which holds secrets", kind: effects.Read, sensitive: true,
			verb: "read", object: "secret file", finding: Outside,
		})
		return false
	}
	return true
}

// writes judges that a file is written, and returns where it is.
func (w *walk) writes(word shell.Word, how string) spot {
	s := w.word(word)
	w.change(s, word.Text, how)
	return s
}

// change judges that a path is created or changed.
func (w *walk) change(s spot, shown, how string) {
	shown = brief(shown)
	switch s.zone {
	case sink:
		w.harmless(effects.Read, "read", "it keeps nothing")
	case temporary:
		w.harmless(effects.Write, "scratch", how+" a file in a temporary folder")
	case nowhere:
		w.found(verdict{level: level.Medium, cause: "unknown-target", because: how + " " + shown + ", and where that is is known only when it runs", kind: effects.Write, finding: Outside})
	case outside:
		v := verdict{
			level: level.Medium, cause: "outside", because: how + " " + shown + " outside of the workspace", kind: effects.Write, verb: "write", object: "file", finding: Outside,
			covers: &Scope{Of: "folder", To: path.Dir(s.path)},
		}
		if guardsHome(s.path) {
			v.level, v.cause, v.covers = level.High, "system", nil
			v.because = how + " " + shown + ", which says what runs or who may log in"
		}
		if m := w.b.secretIn(s); m != "" {
			v.level, v.covers = level.High, nil
		}
		w.found(v)
	case inside:
		if at := strings.IndexAny(w.dir.path, "*?["); at >= 0 && strings.HasPrefix(s.path, w.dir.path[:at]) { // in any of several folders
			w.found(verdict{level: level.Medium, cause: "unknown-target", because: how + " " + shown + ", and in which folders is known only when it runs", kind: effects.Write, finding: Outside})
			return
		}
		l, m, guarded := w.b.guard(s)
		if base := path.Base(s.path); strings.HasPrefix(base, "--") && strings.Contains(base, "=") {
			w.held(level.Medium, effects.Write, "option", how+" a file that is named like an option: a program that is given * takes it for one")
			return
		}
		if !guarded {
			w.harmless(effects.Write, "edit", how+" files of the workspace")
			return
		}
		v := verdict{level: l, cause: "settings", because: how + " " + shown + ", which decides what runs elsewhere or with whose rights", kind: effects.Write, verb: "write", object: "file", finding: Outside}
		if l == level.High {
			v.cause, v.kind = "guarded", effects.Permission
			v.because = how + " " + shown + ", which decides what runs by itself or how agents are held"
		}
		if paths.Of().Secrets.Match(m, false) == "" {
			v.covers = &Scope{Of: "file", To: s.path}
		}
		w.found(v)
	}
}

// guardsHome reports whether a path outside says what runs by itself, or who may log in.
func guardsHome(p string) bool {
	l := paths.Of()
	return l.IsMachine(p) || l.Skills.Match(p, false) != "" || l.Boot.Match(p, false) != "" || l.Homes.Match(p, false) != ""
}

// deletes judges that a path is deleted: recursively with all in it.
func (w *walk) deletes(word shell.Word, recursive bool) {
	s := w.word(word)
	w.gone(s, word, recursive)
	if s.zone == inside || s.zone == temporary {
		w.k.remove(s.path)
	}
}

func (w *walk) gone(s spot, word shell.Word, recursive bool) {
	shown := brief(word.Text)
	high := func(cause, because string) {
		w.found(verdict{level: level.High, cause: cause, because: because, kind: effects.Delete, verb: "delete", object: "file", finding: Outside})
	}
	switch s.zone {
	case sink:
		w.harmless(effects.Read, "read", "it keeps nothing")
	case nowhere:
		high("unknown-target", "it deletes "+shown+", and where that is is known only when it runs")
	case outside:
		high("outside", "it deletes "+shown+" outside of the workspace")
	case temporary:
		switch {
		case paths.Of().Temporary[s.path] || paths.Of().Temporary[path.Dir(s.path)] && wideGlob(path.Base(s.path)):
			high("outside", "it deletes what others keep in a temporary folder")
		case recursive && !w.made(s.path) && !paths.Of().Temporary[path.Dir(s.path)]:
			w.harmless(effects.Write, "scratch", "it deletes in a temporary folder")
		case recursive && !w.made(s.path):
			w.found(verdict{level: level.Medium, cause: "delete", because: "it deletes " + shown + " with all in it, which this agent didn't make", kind: effects.Delete, finding: Outside})
		default:
			w.harmless(effects.Write, "scratch", "it deletes a file in a temporary folder")
		}
	case inside:
		if s.path == w.b.Folder || path.Dir(s.path) == w.b.Folder && wideGlob(path.Base(s.path)) {
			high("delete", "it deletes all of the workspace")
			return
		}
		if _, m, guarded := w.b.guard(s); guarded {
			high("guarded", "it deletes "+shown+", which "+m+" holds")
			return
		}
		rel := strings.TrimPrefix(s.path, w.b.Folder)
		switch {
		case paths.Of().Artefacts.Match(rel, true) != "":
			w.harmless(effects.Write, "artefacts", "it deletes what a build makes anew")
		case recursive && w.made(s.path):
			w.harmless(effects.Write, "edit", "it deletes a folder that this agent made")
		case recursive:
			w.found(verdict{level: level.Medium, cause: "delete", because: "it deletes " + shown + " with all in it", kind: effects.Delete, verb: "delete", object: "folder", covers: nil})
		case s.glob && wideGlob(path.Base(s.path)):
			w.found(verdict{level: level.Medium, cause: "delete", because: "it deletes all files of " + brief(path.Dir(word.Text)), kind: effects.Delete, verb: "delete", object: "files"})
		default:
			w.harmless(effects.Write, "edit", "it deletes files of the workspace by name")
		}
	}
}

// wideGlob reports whether a name with wildcards says nothing of what it names.
func wideGlob(base string) bool {
	return strings.ContainsAny(base, "*?[") && strings.Trim(base, "*?.[]!") == ""
}

// made reports whether this agent made a folder: in this text, or before.
func (w *walk) made(p string) bool {
	if strings.HasPrefix(p, "/tmp/made-by-mktemp") {
		return true
	}
	f, ok := w.k.look(p)
	return ok && !f.Foreign || ok && f.Folder
}

// keeps remembers what is put into a file: the whole of it, or something beside what it
// has. Where the text cannot be computed, readable is false.
func (w *walk) keeps(s spot, text string, readable, whole bool) {
	if s.zone != inside && s.zone != temporary {
		return
	}
	if readable && s.zone == inside && hooksInstall(s.path, text) {
		w.found(verdict{
			level: level.Medium, cause: "install-hook", because: "it puts a script into " + brief(path.Base(s.path)) + " that runs with each install", kind: effects.Write, verb: "write", object: "file", finding: Outside,
			covers: &Scope{Of: "file", To: s.path},
		})
	}
	switch {
	case whole && !s.glob:
		w.k.write(s.path, text, readable)
	case readable:
		w.k.add(s.path, text)
	default:
		w.k.changedByUnknown(s.path)
	}
	if readable && w.patchesGuarded(text) {
		f := w.k.current(s.path)
		f.Findings = union(f.Findings, []Finding{Outside})
		w.k.set(f, !whole)
	}
}

// hooksInstall reports whether a text in a manifest names a script that an install runs.
func hooksInstall(p, text string) bool {
	var hooks []string
	switch strings.ToLower(path.Base(p)) {
	case "package.json":
		hooks = wordlist.List("workspace.installHooks")
	case "composer.json":
		hooks = []string{`"post-install-cmd"`, `"pre-install-cmd"`, `"post-update-cmd"`, `"pre-update-cmd"`, `"post-autoload-dump"`}
	case "setup.py":
		hooks = []string{"cmdclass"}
	default:
		return false
	}
	lower := strings.ToLower(text)
	for _, h := range hooks {
		if at := strings.Index(lower, h); at >= 0 && (h == "cmdclass" || strings.HasPrefix(strings.TrimLeft(lower[at+len(h):], " \t\r\n"), ":")) {
			return true
		}
	}
	return false
}
