package workspace

import (
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/level"
	paths "github.com/countersign/countersign/internal/scoring/path"
	"github.com/countersign/countersign/internal/scoring/shell"
	"github.com/countersign/countersign/internal/scoring/wordlist"
)

// finding is what a command that names files for others names.
type finder struct {
	zone zone
	// names says that its names are narrowed to some, by a pattern; artefacts that all of
	// them are made by builds; hidden that it also names what stands in folders like .git.
	names, artefacts, hidden bool
}

// finder is the command that names what the one that is judged acts on.
func (w *walk) finder() (finder, bool) {
	from := w.c.From
	for _, wrapper := range w.c.Wrappers {
		if wrapper == "find" || wrapper == "fd" || wrapper == "fdfind" { // -exec: find itself stands before
			for i := w.at - 1; i >= 0; i-- {
				if c := w.script.Commands[i]; c.Program() == wrapper && c.Start == w.c.Start {
					return w.names(c)
				}
			}
		}
	}
	for n := 0; from >= 0 && from < len(w.script.Commands) && n < 8; n++ {
		c := w.script.Commands[from]
		if f, ok := w.names(c); ok {
			narrowed := f
			narrowed.names = narrowed.names || n > 0
			return narrowed, true
		}
		if !wordlist.Is("workspace.narrowers", c.Program()) {
			return finder{}, false
		}
		from = c.From
	}
	return finder{}, false
}

// names says what files a command names; ok is false where that is not known.
func (w *walk) names(c shell.Command) (finder, bool) {
	dir := w.b.below(w.start, c)
	at := func(all []shell.Word) zone {
		if len(all) == 0 {
			return w.b.in(dir, ".").zone
		}
		worst := inside
		for _, o := range all {
			s := w.b.in(dir, o.Text)
			if !o.Literal {
				s.zone = nowhere
			}
			if s.zone != inside {
				worst = s.zone
			}
		}
		return worst
	}
	args := c.Words[min(1, len(c.Words)):]
	switch c.Program() {
	case "find":
		var places []shell.Word
		f := finder{hidden: true}
		for len(args) > 0 && !strings.HasPrefix(args[0].Text, "-") && args[0].Text != "(" && args[0].Text != "!" {
			places = append(places, args[0])
			args = args[1:]
		}
		f.zone = at(places)
		root := len(places) == 0
		for _, p := range places {
			if s := w.b.in(dir, p.Text); s.path == w.b.Folder {
				root = true
			}
		}
		f.hidden = root
		for i, a := range args {
			switch a.Text {
			case "-name", "-iname", "-path", "-wholename", "-regex":
				if i+1 >= len(args) || i > 0 && (args[i-1].Text == "!" || args[i-1].Text == "-not") {
					if i+1 < len(args) && strings.Contains(args[i+1].Text, ".git") {
						f.hidden = false
					}
					continue
				}
				pattern := args[i+1].Text
				f.names, f.hidden = true, f.hidden && strings.Trim(pattern, "*./") == ""
				f.artefacts = paths.Of().Artefacts.Match(strings.Trim(pattern, "*/"), true) != "" || paths.Of().Artefacts.Match("x"+strings.TrimPrefix(pattern, "*"), true) != ""
			}
		}
		for _, p := range places {
			if s := w.b.in(dir, p.Text); s.zone == inside && paths.Of().Artefacts.Match(strings.TrimPrefix(s.path, w.b.Folder), true) != "" {
				f.artefacts, f.names = true, true
			}
		}
		return f, true
	case "git":
		if len(args) > 0 && (args[0].Text == "ls-files" || args[0].Text == "diff" || args[0].Text == "grep" || args[0].Text == "show" || args[0].Text == "status") {
			return finder{zone: at(nil), names: true}, true
		}
	case "rg", "ag", "fd", "fdfind":
		all, _ := operands(c.Program(), args)
		return finder{zone: at(all[min(1, len(all)):]), names: true}, true
	case "grep", "egrep", "fgrep":
		all, cut := operands("grep", args)
		if !cut.Has("-l", true) && !cut.Has("-L", true) && !cut.Has("--files-with-matches", false) || !cut.Has("-r", true) && !cut.Has("-R", true) && c.From >= 0 {
			return finder{}, false
		}
		places := all[min(1, len(all)):]
		f := finder{zone: at(places), names: true, hidden: len(places) == 0}
		for _, p := range places {
			if s := w.b.in(dir, p.Text); s.path == w.b.Folder {
				f.hidden = true
			}
		}
		if cut.Has("--include", false) || cut.Has("--exclude-dir", false) {
			f.hidden = false
		}
		return f, true
	case "ls":
		all, _ := operands("ls", args)
		return finder{zone: at(all), names: false}, true
	}
	return finder{}, false
}

// deletesWhatItFinds judges find -delete.
func (w *walk) deletesWhatItFinds() {
	switch f, _ := w.names(w.c); {
	case f.zone == outside || f.zone == nowhere:
		w.found(verdict{level: level.High, cause: "outside", because: "find deletes what it finds outside of the workspace", kind: effects.Delete, finding: Outside})
	case f.zone == temporary && !f.names:
		w.found(verdict{level: level.High, cause: "outside", because: "find deletes what others keep in a temporary folder", kind: effects.Delete, finding: Outside})
	case f.artefacts:
		w.harmless(effects.Write, "artefacts", "it deletes what a build makes anew")
	default:
		w.found(verdict{level: level.Medium, cause: "delete", because: "find deletes all that it finds", kind: effects.Delete, verb: "delete", object: "files"})
	}
}

// readsFound judges a command that reads the files that another one names for it; one that
// only lists shows what stands in a file of names. ok is false where that is held.
func (w *walk) readsFound(lists bool) bool {
	if !lists && slices.ContainsFunc(w.c.Wrappers, func(wrapper string) bool { return wrapper == "fd" || wrapper == "fdfind" }) {
		for i := w.at - 1; i >= 0 && w.script.Commands[i].Start == w.c.Start; i-- { // fd itself stands before
			for _, a := range w.script.Commands[i].Words {
				if name := strings.NewReplacer("^", "", "$", "", `\\`, "").Replace(a.Text); !strings.HasPrefix(name, "-") && w.b.secretIn(w.b.in(w.dir, name)) != "" {
					return w.reads(shell.Word{Text: name, Literal: true})
				}
			}
		}
	}
	prints := len(w.c.Words) == 2 && w.c.Words[1].Text == "xargs" // alone it prints what it reads
	if !prints && !slices.ContainsFunc(w.c.Wrappers, func(wrapper string) bool { return wrapper == "xargs" || wrapper == "parallel" }) {
		return true
	}
	fields := strings.Fields(w.text[max(0, min(w.c.Start, len(w.text))):max(0, min(w.c.End, len(w.text)))])
	for i, f := range fields { // xargs -a file
		if f = strings.Trim(f, `"'`); (f == "-a" || f == "--arg-file") && i+1 < len(fields) && !w.reads(shell.Word{Text: strings.Trim(fields[i+1], `"'`), Literal: true}) {
			return false
		}
	}
	return lists || w.readsNamed()
}

// readsNamed judges that files are read which the commands before name.
func (w *walk) readsNamed() bool {
	for i, n := w.c.From, 0; i >= 0 && i < len(w.script.Commands) && n < 4; n++ {
		c := w.script.Commands[i]
		for j, a := range c.Words[min(1, len(c.Words)):] {
			if strings.HasPrefix(a.Text, "-") || j > 0 && (c.Words[j].Text == "-not" || c.Words[j].Text == "!") || len(a.Text) > 200 {
				continue
			}
			if name := strings.TrimLeft(a.Text, "*/"); w.b.secretIn(w.b.in(w.b.below(w.start, c), name)) != "" {
				return w.reads(shell.Word{Text: name, Literal: true})
			}
		}
		i = c.From
	}
	return true
}

// changesFound judges that what another command names is changed.
func (w *walk) changesFound() {
	f, ok := w.finder()
	switch {
	case ok && f.zone == inside && !f.hidden:
		w.harmless(effects.Write, "edit", "it changes files of the workspace that another command names")
	case ok && f.zone == temporary:
		w.harmless(effects.Write, "scratch", "it changes files in a temporary folder")
	default:
		w.found(verdict{level: level.Medium, cause: "unknown-target", because: "it changes what another command names", kind: effects.Write, finding: Outside})
	}
}
