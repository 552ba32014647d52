package workspace

import (
	"path"
	"strings"

	"github.com/countersign/countersign/internal/scoring/act"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/program"
	"github.com/countersign/countersign/internal/scoring/shell"
)

// Programs that create, change, move and delete files.

// operands are the words that are no options, nor values of those that take one.
func operands(name string, args []shell.Word) (all []shell.Word, c cut) {
	c = program.OptionsOf(name).Take(args)
	return c.Operands, c
}

// deletesFound judges that what another command names is deleted.
func (w *walk) deletesFound(o shell.Word, recursive bool) {
	from, ok := w.finder()
	if ok && from.names && from.artefacts && from.zone != outside && from.zone != nowhere {
		w.harmless(effects.Write, "artefacts", "it deletes what a build makes anew")
		return
	}
	if ok && from.names && !recursive && from.zone != outside {
		w.found(verdict{level: level.Medium, cause: "delete", because: "it deletes what another command names", kind: effects.Delete, verb: "delete", object: "files"})
		return
	}
	w.found(verdict{level: level.High, cause: "unknown-target", because: "it deletes what another command names", kind: effects.Delete, verb: "delete", object: "files", finding: Outside})
}

// makesFolder judges that a folder is made, or a pipe.
func (w *walk) makesFolder(o shell.Word) {
	if s := w.writes(o, "it makes"); s.zone == inside || s.zone == temporary {
		if w.c.Program() == "mkfifo" { // what is read from it nobody has written yet
			w.k.write(s.path, "", false)
		} else if _, known := w.k.look(s.path); !known && w.c.Program() == "mkdir" {
			w.k.set(File{Path: s.path, Folder: true}, false)
		}
	}
}

// takes judges that what a command reads is written to a file.
func (w *walk) takes(o shell.Word, adds bool) {
	if !o.Literal && strings.HasPrefix(o.Text, ">(") {
		return
	}
	s := w.writes(o, "it writes")
	if s.zone != inside && s.zone != temporary || s.glob {
		return
	}
	text, readable := "", false
	if w.c.Input != nil {
		text, readable = w.c.Input.Text, w.c.Input.Literal
	}
	if w.fromWeb() {
		w.k.foreign(s.path, false)
		return
	}
	w.keeps(s, text, readable || w.fromLog(), !adds)
	if from := w.c.From; from >= 0 && from < len(w.script.Commands) {
		w.queried(s, w.script.Commands[from])
	}
}

// fromWeb reports whether what a command reads is downloaded.
func (w *walk) fromWeb() bool {
	for i, n := w.c.From, 0; i >= 0 && i < len(w.script.Commands) && n < 8; n++ {
		c := w.script.Commands[i]
		switch c.Program() {
		case "curl", "wget", "http", "https", "xh", "aria2c":
			return true
		}
		i = c.From
	}
	return false
}

// fromLog reports whether what a command reads is only what a program prints of its own.
func (w *walk) fromLog() bool {
	for i, n := w.c.From, 0; i >= 0 && i < len(w.script.Commands) && n < 8; n++ {
		c := w.script.Commands[i]
		if isLog(c) {
			return true
		}
		i = c.From
	}
	return false
}

// copied judges cp, mv, install and ln.
func (w *walk) copied(a act.Act, name string) {
	to, from, moves := a.Target, a.From, a.Verb == act.Move
	if to.Text == "" {
		if len(from) == 0 {
			w.harmless(effects.Read, "read", name+" is told nothing")
			return
		}
		to, from = from[0], nil
	}
	target := w.word(to)
	if target.zone == sink && moves {
		for _, f := range from {
			w.deletes(f, true)
		}
		return
	}
	if a.Verb == act.Link {
		w.links1(a.Flags&act.Symbolic != 0, from, to, target)
		return
	}
	for _, f := range from {
		s := w.word(f)
		if f.Text == "{}" || strings.Contains(f.Text, "{}") && !f.Literal {
			if finder, ok := w.finder(); ok && finder.zone == inside {
				s = spot{path: w.b.Folder + "/*", zone: inside, glob: true}
			}
		}
		if moves {
			w.movedAway(s, f)
		} else {
			w.copiesSecret(s, f, target)
			w.readsFound(false)
		}
		w.intoFolder(s, target, to)
		if target.zone == inside || target.zone == temporary {
			if moves {
				w.k.move(s.path, target.path)
			} else {
				w.k.copy(s.path, target.path)
			}
		}
	}
}

// intoFolder judges the target of a copy: the path, or where it is a folder the file in it.
func (w *walk) intoFolder(s, target spot, to shell.Word) {
	w.change(target, to.Text, "it writes")
	if target.zone == inside && s.path != "" {
		in := spot{path: target.path + "/" + path.Base(s.path), zone: inside, glob: s.glob}
		if l, _, guarded := w.b.guard(in); guarded && l >= level.Medium && !strings.ContainsAny(path.Base(s.path), "*?") {
			if _, _, already := w.b.guard(target); !already && !strings.Contains(path.Base(target.path), ".") {
				w.change(in, to.Text+"/"+path.Base(s.path), "it writes")
			}
		}
	}
}

// movedAway judges that a path is no longer where it was.
func (w *walk) movedAway(s spot, f shell.Word) {
	switch s.zone {
	case outside:
		w.found(verdict{level: level.High, cause: "outside", because: "it moves " + brief(f.Text) + " away, which is outside of the workspace", kind: effects.Delete, finding: Outside})
	case nowhere:
		w.held(level.Medium, effects.Delete, "unknown-target", "it moves what is known only when it runs")
	case inside:
		if l, m, guarded := w.b.guard(s); guarded {
			w.held(l, effects.Delete, "guarded", "it moves "+brief(f.Text)+" away, which "+m+" is")
			if l < level.High {
				return
			}
		}
		if s.path == w.b.Folder {
			w.held(level.High, effects.Delete, "delete", "it moves all of the workspace away")
		}
	}
}

// copiesSecret judges that a file of secrets is copied.
func (w *walk) copiesSecret(s spot, f shell.Word, target spot) {
	if m := w.b.secretIn(s); m != "" && target.zone != sink {
		w.found(verdict{level: level.Medium, cause: "secret", because: "it copies " + brief(f.Text) + ", which holds secrets", kind: effects.Read, sensitive: true, verb: "copy", object: "secret file", finding: Outside})
	}
}

// links1 is ln: a symbolic link that leads out would let everything behind it look inside.
func (w *walk) links1(symbolic bool, from []shell.Word, to shell.Word, target spot) {
	w.change(target, to.Text, "it links")
	for _, f := range from {
		dir := w.dir
		if symbolic && f.Literal && !strings.HasPrefix(f.Text, "/") && !strings.HasPrefix(f.Text, "~") {
			dir = folder{path.Dir(target.path), true}
		}
		s := w.b.in(dir, f.Text)
		if !f.Literal {
			s = w.word(f)
		}
		w.links[target.path] = s.path
		if len(from) > 0 {
			w.links[target.path+"/"+path.Base(f.Text)] = s.path
		}
		switch {
		case s.zone == outside && target.zone == inside, s.zone == nowhere:
			w.held(level.Medium, effects.Write, "link", "it makes a link to "+brief(f.Text)+", which leads out of the workspace")
		case s.zone == inside && w.guards(s):
			w.held(level.Medium, effects.Permission, "link", "it makes another name for "+brief(f.Text)+", which decides what runs or how agents are held")
		case w.b.secretIn(s) != "":
			w.held(level.Medium, effects.Write, "secret", "it links "+brief(f.Text)+", which holds secrets")
		}
		if target.zone == inside || target.zone == temporary {
			w.k.copy(s.path, target.path)
		}
	}
}

// guards reports whether a path is one that nobody changes without being asked.
func (w *walk) guards(s spot) bool {
	_, _, guarded := w.b.guard(s)
	return guarded
}

func mode(w *walk, name string, args []shell.Word) {
	all, c := operands(name, args)
	if name != "chmod" {
		w.held(level.Medium, effects.Permission, "account", name+" changes whose files are")
	} else if c.Has("-R", true) || c.Has("--recursive", false) {
		w.held(level.Medium, effects.Permission, "mode", "chmod changes who may use all files of a folder")
	}
	for i, o := range all {
		if i == 0 && !c.Has("--reference", false) {
			if text := strings.TrimLeft(o.Text, "0"); strings.HasSuffix(text, "777") || strings.HasSuffix(text, "666") || strings.Contains(text, "o+w") || strings.Contains(text, "a+w") || strings.Contains(text, "+s") || len(text) == 4 && strings.ContainsAny(text[:1], "2467") {
				w.held(level.Medium, effects.Permission, "mode", "chmod lets anyone change it")
			}
			continue
		}
		s := w.word(o)
		switch s.zone {
		case outside:
			w.held(level.High, effects.Permission, "outside", name+" changes who may use "+brief(o.Text)+" outside of the workspace")
		case nowhere:
			if o.Text != "{}" {
				w.held(level.Medium, effects.Permission, "unknown-target", name+" changes who may use what is known only when it runs")
			}
		case inside:
			w.change(s, o.Text, "it changes")
		}
	}
}
